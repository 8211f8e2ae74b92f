// Only files that may hold manifests are sent, and not too many.
import assert from "node:assert/strict";
import { File } from "node:buffer";
import { test } from "node:test";

import { PickedFiles } from "../../static/js/picked_files.js";

const LIMITS = { suffixes: [".yaml", ".json"], bytes: 100, files: 4 };

async function pick(files) {
  const picked = new PickedFiles(LIMITS);
  await picked.addFiles(files.map(([name, size]) => new File(["x".repeat(size)], name)));
  return [picked.name, picked.bytes, picked.sent.map(([path]) => path), picked.named];
}

const TAKEN = [
  [
    [["a.yaml", 9], ["b.png", 900], [".c.yaml", 900], ["d.zip", 40]],
    ["4 files and folders", 49, ["a.yaml", "d.zip"], ["b.png", ".c.yaml"]],
  ],
  [[["deployment", 9]], ["deployment", 9, ["deployment"], []]],
];

for (const [files, expected] of TAKEN) {
  test(`of ${files.map(([name]) => name)} what may hold manifests is sent`, async () => {
    assert.deepEqual(await pick(files), expected);
  });
}

const CHART = [["c/Chart.yaml", 9], ["c/a.tpl", 9], ["c/.helmignore", 9], ["c/.git/x", 9]];
const RENDERED = [
  [true, ["c/Chart.yaml", "c/a.tpl", "c/.helmignore"], ["c/.git/x"]],
  [false, ["c/Chart.yaml"], ["c/a.tpl", "c/.helmignore", "c/.git/x"]],
];

for (const [renders, sent, named] of RENDERED) {
  test(`a chart is sent ${renders ? "whole where the server renders it" : "as manifests where it does not"}`, async () => {
    const picked = new PickedFiles({ ...LIMITS, renders });
    await picked.addFiles(CHART.map(([path, size]) => Object.assign(new File(["x".repeat(size)], path), { webkitRelativePath: path })));
    assert.deepEqual([picked.sent.map(([path]) => path), picked.named], [sent, named]);
  });
}

const REFUSED = [
  [[["a.yaml", 60], ["b.json", 60]], /are too much at once/],
  [[["a", 1], ["b", 1], ["c", 1], ["d", 1], ["e.yaml", 1]], /More than 4 files are too many at once/],
];

for (const [files, words] of REFUSED) {
  test(`${files.map(([name]) => name)} are refused`, async () => {
    await assert.rejects(pick(files), words);
  });
}
