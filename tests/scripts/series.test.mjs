// A page counts a series of events as the engine does.
import assert from "node:assert/strict";
import { test } from "node:test";

import { tellAt } from "../../static/js/series.js";
import { cases, needsCases } from "./cases.mjs";

test("a series is counted as the engine counts it", needsCases, async (all) => {
  assert.ok(cases.length);
  for (const { row, nowMs, told } of cases) {
    await all.test(`${JSON.stringify(row)} at ${nowMs}`, () => {
      assert.deepEqual(tellAt(row, nowMs), told);
    });
  }
});
