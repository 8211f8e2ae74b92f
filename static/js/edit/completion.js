// What may be written at the cursor, and what is known of the field there.
import { findPlace } from "./places.js";
import { listValues, tellType } from "./schemas.js";

/** The path of the field on a line: of its mapping where it has no name. */
export function findField(state, position) {
  const line = state.doc.lineAt(position);
  const { path, here } = findPlace((number) => state.doc.line(number).text, line.number);
  return here.name === null ? path : [...path, here.name];
}

/** What a path leads to, in words: `spec.strategy.type: one of Recreate, RollingUpdate`. */
export function tellField(schemas, path) {
  if (!path.length) return "";
  const found = schemas.find(path);
  const isNeeded = schemas.find(path.slice(0, -1))?.required?.includes(path.at(-1));
  const words = found ? [tellType(found), isNeeded ? "needed" : "", found.description ?? ""] : ["not known"];
  return `${path.join(".").replaceAll(".[]", "[]")}: ${words.filter(Boolean).join("; ")}`;
}

/** A source of completions for the editor. */
export function makeSource(schemas) {
  return (context) => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    if (/(^|\s)#/.test(before)) return null;
    const place = findPlace((number) => (number === line.number ? before : context.state.doc.line(number).text), line.number);
    const word = context.matchBefore(/[\w./-]*$/);
    if (!context.explicit && !word.text) return null;
    const options = place.here.name === null ? listKeys(schemas, place) : listOfValues(schemas, place);
    return options.length ? { from: word.from, options, validFor: /^[\w./-]*$/ } : null;
  };
}

function listKeys(schemas, { path, beside, here }) {
  const inItem = schemas.find(path);
  if (inItem?.enum) return listValues(inItem).map((label) => ({ label, type: "enum" }));
  return schemas
    .listNames(path)
    .filter(({ name }) => !beside.has(name))
    .map(({ name, schema, isNeeded }) => ({
      label: name,
      type: "property",
      detail: isNeeded ? "needed" : "",
      info: tellType(schema),
      boost: isNeeded ? 1 : 0,
      apply: name + behind(schema, here.column),
    }));
}

/** What stands behind a name: the next level is indented by two. */
function behind(schema, column) {
  const inner = `\n${" ".repeat(column + 2)}`;
  if (schema.items) return `:${inner}- `;
  return schema.properties || typeof schema.additionalProperties === "object" ? `:${inner}` : ": ";
}

function listOfValues(schemas, { path, here }) {
  return listValues(schemas.find([...path, here.name])).map((label) => ({ label, type: "enum" }));
}
