// What small forms write into a text, and where in a text a line stands.
import assert from "node:assert/strict";
import test from "node:test";
import { findPlace, readLine } from "../../static/js/edit/places.js";
import { Schemas, tellType } from "../../static/js/edit/schemas.js";
import { tellPath } from "../../static/js/edit/small_forms.js";
import { parseDocument } from "../../static/vendor/codemirror.min.js";

const TEXT = `spec: # all of it
  "replicas": 3
  template:
    spec:
      containers:
      - name: app
        ports:
        - containerPort: 80
          protocol: TCP
        -
          containerPort: 81
      - image: "a:b"
        name: side
`.split("\n");
const placeOf = (number) => findPlace((one) => TEXT[one - 1], number).path.join(".");

test("a line stands where its indentation says", () => {
  const containers = "spec.template.spec.containers";
  for (const [number, path] of [
    [1, ""], [2, "spec"], [4, "spec.template"], [6, `${containers}.[]`], [7, `${containers}.[]`],
    [8, `${containers}.[].ports.[]`], [9, `${containers}.[].ports.[]`], [11, `${containers}.[].ports.[]`],
    [12, `${containers}.[]`], [13, `${containers}.[]`],
  ]) assert.equal(placeOf(number), path, TEXT[number - 1]);
  assert.deepEqual([...findPlace((one) => TEXT[one - 1], 13).beside], ["image"]);
});

test("hostile lines are read at once", () => {
  for (const line of ["- ".repeat(50_000), `${" ".repeat(100_000)}x`, "a".repeat(100_000), "\u0000: <b>", `"${"\\".repeat(9999)}`]) {
    readLine(line);
  }
});

test("a text that is not changed is written as it was", () => {
  const text = "a: 0644 # octal\nb: yes\nc:\n- 'x'\n- name: \"5\"\nd: |\n  one\n  two\n";
  const read = parseDocument(text, { schema: "failsafe" });
  assert.equal(read.toString({ lineWidth: 0, indentSeq: false, flowCollectionPadding: false }), text);
});

test("paths are as the API server writes them", () => {
  assert.equal(tellPath(["spec", "containers", 0, "image"]), "spec.containers[0].image");
});

test("a schema is followed by names, and a cycle ends", () => {
  const schemas = new Schemas({
    properties: { spec: { $ref: "#/definitions/Spec" } },
    definitions: { Spec: { properties: { own: { $ref: "#/definitions/Spec" }, of: { items: { $ref: "#/definitions/Spec" } } } } },
  });
  assert.equal(schemas.find(["spec", "own", "of", "[]", "own"]).typeName, "Spec");
  assert.equal(schemas.find(["spec", "none", "of"]), null);
  assert.equal(tellType(schemas.find(["spec", "of"])), "list of Spec");
});
