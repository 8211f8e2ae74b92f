// Instants and durations, as people write them.
import assert from "node:assert/strict";
import { test } from "node:test";

import * as format from "../../static/js/format.js";

const DURATIONS = [
  [0, "0s"],
  [40, "40ms"],
  [12_300, "12.3s"],
  [60_000, "1m"],
  [187_000, "3m 07s"],
  [3_720_000, "1h 02m"],
  [86_400_000, "1d"],
  [90_000_000, "1d 01h"],
];

for (const [milliseconds, text] of DURATIONS) {
  test(`${milliseconds} ms is told as ${text}`, () => {
    assert.equal(format.duration(milliseconds), text);
  });
}

test("the clock reads like a clock", () => {
  assert.equal(format.clock(90_061_250), "1d 01:01:01.2");
});

const TICKS = [
  [[0, 60_000], 500, ["0s", "15s", "30s", "45s", "1m"]],
  [[0, 30_000], 1000, ["0s", "5s", "10s", "15s", "20s", "25s", "30s"]],
  [[100_000, 3_700_000], 400, ["15m", "30m", "45m", "1h"]],
  [[0, 400], 300, ["0s", "200ms", "400ms"]],
  [[3_700_000, 3_720_000], 400, ["01:01:40", "01:01:45", "01:01:50", "01:01:55", "01:02:00"]],
  [[126_000_000, 129_600_000], 400, ["1d 11:00", "1d 11:15", "1d 11:30", "1d 11:45", "1d 12:00"]],
];

for (const [span, width, labels] of TICKS) {
  test(`ticks of ${span} on ${width} pixels are round and few`, () => {
    assert.deepEqual(format.ticks(span, width).labels, labels);
  });
}
