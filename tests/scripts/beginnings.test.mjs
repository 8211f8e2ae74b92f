// What is searched for is found at the beginnings of words.
import assert from "node:assert/strict";
import { test } from "node:test";

import { makeFinder } from "../../static/js/gallery/beginnings.js";

const TEXT = "A quota leaves no room: OOMKilled, CrashLoopBackOff; the livenessProbe of StatefulSet db-1 (v1.35) ändert 漢字";

test("words are found by how they begin, those of Kubernetes also by their parts", () => {
  const find = makeFinder(TEXT);
  const found = ["a", "quota", "roo", "oom", "oomk", "killed", "loop", "backoff", "off", "probe", "set", "db-1", "1", "(v1", "v1.35", "35", "änd", "漢"];
  const missed = ["uota", "illed", "omk", "rashloop", "back_off", "atefulset", "5)", "b-1", "ndert", "字", "x"];
  assert.deepEqual(found.filter((word) => !find(word)), []);
  assert.deepEqual(missed.filter(find), []);
  assert.equal(makeFinder("no room here")("oom"), false);
  assert.deepEqual(["a", "/"].map(makeFinder("")), [false, true]);
});
