// What is still to come, as the clock goes on into it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { findLanes, makeGhostTraces } from "../../static/js/charts/ghost.js";

const LINE = { mode: "lines", x: [10, 20, 30], y: [1, 2, 2], hovertext: ["1", "2", "2"], isAhead: true };
const BARS = { type: "bar", y: ["a", "b"], base: [10, 25], x: [5, 15], marker: { color: "red" }, isAhead: true };
const MARKS = { mode: "markers", y: ["a", "a"], x: [12, 22], marker: { symbol: ["circle", "square"], size: 9 }, isAhead: true };
const LANES = ["a", "b"];

const cutOf = (trace, now) => {
  const [{ x, y, base, marker } = {}] = makeGhostTraces({ traces: [trace] }, now, trace.mode === "lines" ? undefined : LANES);
  return { x, y, base, symbol: marker?.symbol };
};

const CUTS = [
  ["a line holds from now what it has by then", LINE, 15, { x: [15, 20, 30], y: [1, 2, 2] }],
  ["a line is as it was told while nothing of it is past", LINE, 10, { x: [10, 20, 30], y: [1, 2, 2] }],
  ["a line steps at now itself", LINE, 20, { x: [20, 30], y: [2, 2] }],
  ["a line that has been drawn is over", LINE, 30, {}],
  ["a bar begins now at the earliest", BARS, 12, { x: [3, 15], y: ["a", "b"], base: [12, 25] }],
  ["a bar that is past goes", BARS, 15, { x: [15], y: ["b"], base: [25] }],
  ["a mark that is past goes, with its look", MARKS, 12, { x: [22], y: ["a"], symbol: ["square"] }],
];

for (const [claim, trace, now, expected] of CUTS) {
  test(claim, () => {
    const { x, y, base, symbol } = expected;
    assert.deepEqual(cutOf(trace, now), { x, y, base, symbol });
  });
}

test("a bar without a lane is left out", () => {
  assert.deepEqual(makeGhostTraces({ traces: [BARS] }, 0, ["b"]).map(({ y }) => y), [["b"]]);
});

test("lanes are to come with the first thing that happens on them", () => {
  assert.deepEqual([...findLanes({ traces: [BARS, MARKS] }, 12)], ["a"]);
  assert.deepEqual([...findLanes({ traces: [BARS, MARKS] }, 25)], ["a", "b"]);
});

test("bars of a timeline have the colours they are told", () => {
  const bar = { lane: "a", start: 0, end: 9, colour: "blue", title: "web <1>", when: "+0s" };
  const [trace] = makeGhostTraces({ bars: [bar] }, 4, LANES);
  assert.deepEqual([trace.base, trace.x, trace.marker.color], [[4], [5], ["blue"]]);
  assert.equal(trace.hovertext[0], "<b>web &lt;1&gt;</b><br>to come: +0s");
});
