// Virtual now, between two times that the server told.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock } from "../../static/js/clock.js";

test("time is carried on, and never jumps back a little", () => {
  const clock = new Clock();
  clock.hear(10_000, 10);
  const before = clock.now();
  assert.ok(before >= 10_000);
  clock.hear(9_900, 10);
  assert.ok(clock.now() >= before);
});

test("where time was set back far, the clock follows", () => {
  const clock = new Clock();
  clock.hear(10_000, 10);
  clock.hear(500, 0);
  assert.equal(clock.now(), 500);
});
