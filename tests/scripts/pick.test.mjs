// What stands under the pointer.
import assert from "node:assert/strict";
import { test } from "node:test";

import { tellLines } from "../../static/js/charts/pick.js";

const told = (line, name) => ({ ...line, hovertext: line.y.map((value) => `<b>${name}: ${value}</b><br>at`) });
const LINES = [
  told({ mode: "lines", x: [0, 10, 20], y: [0, 3, 3], meta: { grows: "line" } }, "ready"),
  told({ mode: "lines", x: [5, 15], y: [1, 0] }, "revision 1"),
];
const SAID = [
  [2, ["00:00:00.0", "ready: 0"]],
  [12, ["00:00:00.0", "ready: 3", "revision 1: 1"]],
  [400, ["00:00:00.4", "ready: 3"]],
];

for (const [at, lines] of SAID) {
  test(`at ${at} ms each line tells what it says at that instant`, () => {
    assert.deepEqual(tellLines(LINES, at)?.lines, lines);
  });
}

test("of what is to come what holds until now is not told", () => {
  const ahead = told({ mode: "lines", x: [20, 40, 90], y: [3, 5, 5], isAhead: true }, "ready");
  assert.deepEqual(tellLines([...LINES, ahead], 50)?.lines, ["00:00:00.0", "ready: 5"]);
  assert.deepEqual(tellLines([...LINES, ahead], 12)?.lines, ["00:00:00.0", "ready: 3", "revision 1: 1"]);
});
