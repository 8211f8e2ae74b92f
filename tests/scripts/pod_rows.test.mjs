// The rows of the table: in which order, and what frames change about them.
import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, atInstant } from "../../static/js/address.js";
import { PodRows } from "../../static/js/table/pod_rows.js";

const COLUMNS = [["namespace", "NAMESPACE"], ["name", "NAME"], ["ready", "READY"], ["status", "STATUS"], ["restarts", "RESTARTS"], ["created_ms", "AGE"], ["node", "NODE"]];
const STATES = ["crashing", "pending", "ready"];
// uid, namespace, name, READY, STATUS, RESTARTS, created, node, state, version
const ROWS = [
  ["1", "shop", "web-1", "2/2", "Running", 0, 5000, "node-2", "ready", 11],
  ["2", "shop", "web-0", "1/2", "Error", 12, 1000, "node-1", "crashing", 12],
  ["3", "blog", "web-2", "0/1", "Pending", null, 9000, null, "pending", 13],
  ["4", "blog", "app-0", "1/1", "Running", 2, 7000, "node-1", "ready", 14],
];

function read() {
  const rows = new PodRows();
  rows.read({ columns: COLUMNS, states: STATES, rows: ROWS });
  return rows;
}

function listed(rows, sort = "") {
  rows.sort(sort);
  rows.settle();
  return rows.list.map(({ uid }) => uid).join("");
}

const ORDERS = [
  ["", "2341"],
  ["no-such-column", "2341"],
  ["name", "4213"],
  ["-name", "3124"],
  ["namespace", "4321"],
  ["ready", "3241"],
  ["status", "2341"],
  ["restarts", "3142"],
  ["-restarts", "2431"],
  ["created_ms", "3412"],
  ["-created_ms", "2143"],
  ["node", "3421"],
];

for (const [sort, expected] of ORDERS) {
  test(`sorted by ${sort || "the gravest state"}`, () => assert.equal(listed(read(), sort), expected));
}

const summary = (uid, more) => (
  { uid, kind: "Pod", group: "", namespace: "shop", name: `new-${uid}`, state: "ready", restarts: 0, deleted_ms: null, ...more }
);

test("a frame changes, adds and takes away pods, and nothing else", () => {
  const rows = read();
  assert.equal(listed(rows, "name"), "4213");
  assert.equal(rows.take([summary("9", { kind: "Node", rv: 20 })]), false);
  assert.equal(rows.take([summary("1", { rv: 11 })]), false, "what is known already");
  assert.equal(rows.take([summary("8", { deleted_ms: 1, rv: 21 })]), false, "one that was never there");
  assert.equal(rows.take([summary("1", { name: "zzz", rv: 21 }), summary("4", { deleted_ms: 5, rv: 22 }), summary("7", { rv: 23 })]), true);
  rows.settle();
  assert.equal(rows.list.map(({ uid }) => uid).join(""), "7231");
  assert.equal(rows.find("3"), 2);
  rows.read({ columns: COLUMNS, states: STATES, rows: ROWS.slice(0, 1) });
  rows.settle();
  assert.equal(rows.list.map(({ name }) => name).join(), "web-1");
});

test("keys open what there is of an object", () => {
  const POD = "pods/shop/web-0/";
  assert.deepEqual(
    ["e", "l", "y", "d", "x", "toString"].map((key) => addressOf(key, "/clusters/c/", POD)),
    [`/clusters/c/${POD}?edit`, `/clusters/c/${POD}#logs-title`, `/clusters/c/${POD}#yaml`, `/clusters/c/${POD}`, null, null],
  );
  assert.equal(addressOf("l", "/clusters/c/", "deployments/shop/web/"), null);
  assert.equal(addressOf("y", "/clusters/c/", "deployments/shop/web/"), "/clusters/c/deployments/shop/web/#yaml");
  assert.equal(addressOf("d", "/clusters/c/", undefined), null);
});

test("a link of a past instant leads to the cluster's own page at that instant, and nothing else is touched", () => {
  globalThis.location = new URL("http://here/clusters/shop/?at=40s");
  const past = { look: "/clusters/look-1/", own: "/clusters/shop/", instant: "40000" };
  const go = (path) => atInstant(`http://here${path}`, past, ["pods", "nodes"]);
  const own = "http://here/clusters/shop/";
  assert.equal(go("/clusters/look-1/"), `${own}?at=40000ms`);
  assert.equal(go("/clusters/look-1/pods/shop/web-1/?logs"), `${own}pods/shop/web-1/?logs=&at=40000ms`);
  assert.equal(go("/clusters/look-1/nodes/node-1/#drain"), `${own}nodes/node-1/?at=40000ms#drain`);
  for (const path of ["scenario.yaml", "pods/shop/web-1/log/", "manifest/", "?as=svg", "toys/shop/web-1/"]) {
    assert.equal(go(`/clusters/look-1/${path}`), null, path);
  }
  assert.equal(go("/clusters/shop/pods/shop/web-1/"), null);
  assert.equal(atInstant("http://there/clusters/look-1/", past, []), null);
});
