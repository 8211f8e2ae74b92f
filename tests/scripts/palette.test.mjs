// What can be typed after a colon, and what is understood of it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { instant } from "../../static/js/format.js";
import { changeNamespace, COMMANDS, listCommands, namesWorkload, parse, readName, readTyped, spell } from "../../static/js/palette/commands.js";

const GOOD = [
  ["drain node-1", "drain", ["node-1"]],
  [":cordon node-1", "cordon", ["node-1"]],
  ["  uncordon   node-1 ", "uncordon", ["node-1"]],
  ["at 17m42s", "at", ["17m42s"]],
  ["until web Available", "until", ["web", "Available"]],
  ["until deployment/web .status.readyReplicas >= 3", "until", ["deployment/web", ".status.readyReplicas", ">=", "3"]],
  ["ns prod", "ns", ["prod"]],
  ["ns", "ns", []],
  ["pods", "pods", []],
  ["pods status:crash web", "pods", ["status:crash", "web"]],
  ["speed 0.5", "speed", ["0.5"]],
  ["delete pod/shop/web-0", "delete", ["pod/shop/web-0"]],
  ["stretch 17m 00:18:00", "stretch", ["17m", "00:18:00"]],
  ["help", "help", []],
];

for (const [text, name, words] of GOOD) {
  test(`${text.trim()} is understood`, () => {
    const { command, words: said } = parse(text, true);
    assert.deepEqual([command.name, said], [name, words]);
  });
}

const BAD = [
  ["", /help/],
  ["drian node-1", /no command drian/],
  ["dra", /drain\?/],
  ["drain", /Say drain NODE/],
  ["drain node-1 node-2", /Say drain NODE/],
  ["drain <script>", /no name/],
  ["speed fast", /number above 0/],
  ["speed -1", /number above 0/],
  ["at noon", /17m42s/],
  ["at ²s", /17m42s/],
  ["stretch 17m", /two instants/],
  ["stretch 17m 17m", /two instants/],
  ["delete pod/", /no name/],
  ["__proto__ x", /no command/],
  [`ns ${"x".repeat(5000)}`, /300 letters/],
];

for (const [text, problem] of BAD) {
  test(`what is wrong is said of ${text.slice(0, 30) || "nothing"}`, () => assert.match(parse(text, true).problem, problem));
}

test("who only looks has the commands that only read", () => {
  const changing = ["pause", "resume", "step", "speed", "until", "drain", "cordon", "uncordon", "delete"];
  const all = COMMANDS.map(({ name }) => name);
  assert.deepEqual(listCommands(false).map(({ name }) => name), all.filter((name) => !changing.includes(name)));
  for (const name of changing) assert.match(parse(`${name} 1`, false).problem, /You may look/);
  assert.equal(readTyped("drain n", false), null);
});

test("what is being typed is a command, or a name of its kind", () => {
  assert.deepEqual(readTyped(":dr", true), { name: "dr" });
  const { command, like } = readTyped("delete pod/shop/we", true);
  assert.deepEqual([command.name, like], ["delete", "we"]);
  assert.equal(spell(command, { namespace: "shop", name: "web-0" }), "delete pod/shop/web-0");
  assert.equal(spell(COMMANDS.find(({ name }) => name === "drain"), { namespace: "", name: "node-1" }), "drain node-1");
  assert.equal(readTyped("until web Ava", true), null);
  assert.equal(readTyped("at 1", true), null);
});

test("a namespace takes the place of another in the filter", () => {
  assert.equal(changeNamespace("status:crash NS:shop web", "prod"), "ns:prod status:crash web");
  assert.equal(changeNamespace("ns:shop", null), "");
});

test("until may name a workload alone", () => {
  const asked = ["web Available", "idle", "10m", "00:10:00", "deployment/web Available", "1-web Available"];
  assert.deepEqual(asked.map((text) => namesWorkload(text.split(" "))), [true, false, false, false, false, false]);
  assert.deepEqual(readName("shop/web-0"), { namespace: "shop", name: "web-0" });
});

const INSTANTS = [
  ["17m42s", 1_062_000], ["90s", 90_000], ["1.5s", 1500], ["+2h", 7_200_000], ["250ms", 250], ["00:17:42", 1_062_000],
  ["00:17:42.5", 1_062_500], ["1d00:00:01", 86_401_000], ["1d", 86_400_000], ["", null], ["17", null], ["m", null], ["-1s", null],
  ["9".repeat(5000), null], ["00:99:00", null],
];

for (const [text, at] of INSTANTS) {
  test(`the instant ${text.slice(0, 20)} is ${at}`, () => assert.equal(instant(text), at));
}
