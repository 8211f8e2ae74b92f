// A figure that is brought up to date by patches is the one that the server would draw anew.
import assert from "node:assert/strict";
import { test } from "node:test";

import { applyPatch, growFigure } from "../../static/js/charts/patches.js";
import { cases, needsCases } from "./cases.mjs";

const NOW_MS = 9999;

test("patches are applied as the server means them", needsCases, async (all) => {
  assert.ok(cases.length);
  for (const [number, { before, patch, expected }] of cases.entries()) {
    await all.test(`patch ${number}`, () => {
      applyPatch(before, patch);
      growFigure(before, NOW_MS);
      assert.equal(before.data.length, expected.data.length);
      before.data.forEach((mine, index) => { compare(mine, expected.data[index]); });
    });
  }
});

function compare(mine, theirs) {
  assert.deepEqual([mine.y, mine.hovertext], [theirs.y, theirs.hovertext]);
  if (mine.type !== "bar") return;
  assert.deepEqual(mine.customdata, theirs.customdata);
  const lengths = theirs.customdata.map((end, index) => (end ?? NOW_MS) - theirs.base[index]);
  assert.deepEqual(mine.x, lengths);
}
