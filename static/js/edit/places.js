// Where in a YAML text of block style a line stands: the names that lead to it, found by how far lines are indented.
const LINE = /^(?<dashes>(?: *- +| *-$)*)(?<indent> *)(?<rest>.*)$/;
const NAMED = /^(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<plain>[^\s#:[\]{},"'][^:#]*?))\s*:(?:\s|$)/;

/** A line taken apart: the columns of its dashes, its name and the column of that, and what stands behind. */
export function readLine(text) {
  const { dashes, indent, rest } = LINE.exec(text).groups;
  const named = NAMED.exec(rest);
  const name = named ? named.groups.double ?? named.groups.single ?? named.groups.plain : null;
  return {
    dashes: [...dashes.matchAll(/-/g)].map(({ index }) => index),
    column: dashes.length + indent.length,
    name,
    value: named ? rest.slice(named[0].length).trim() : rest.trim(),
    isEmpty: !rest.trim() && !dashes.trim(),
    isComment: rest.startsWith("#"),
  };
}

/** `lineAt(number)`, from 1 on. The path of the mapping or list in which the line stands, and the names beside it. */
export function findPlace(lineAt, number, column = null) {
  const here = readLine(lineAt(number));
  const path = [];
  const beside = new Set();
  let want = { column: column ?? here.column, isItem: false };
  let isFirst = true;
  const enter = (dashes) => {
    for (const dash of [...dashes].reverse()) {
      path.unshift("[]");
      want = { column: dash, isItem: true };
    }
    isFirst &&= !dashes.length;
  };
  enter(here.dashes);
  for (let above = number - 1; above > 0; above -= 1) {
    const line = readLine(lineAt(above));
    if (line.isEmpty || line.isComment) continue;
    if (lineAt(above).startsWith("---")) break;
    const isOwner = want.isItem
      ? line.name !== null && line.column <= want.column && !line.dashes.includes(want.column)
      : line.name !== null && line.column < want.column;
    if (isOwner) {
      path.unshift(line.name);
      want = { column: line.column, isItem: false };
      isFirst = false;
      enter(line.dashes);
    } else if (!want.isItem && line.column === want.column) {
      if (isFirst && line.name !== null) beside.add(line.name);
      if (line.dashes.length) enter(line.dashes);
    } else if (!want.isItem && line.dashes.length && line.dashes.at(-1) < want.column && line.name === null) {
      enter(line.dashes);
    }
  }
  return { path, beside, here };
}
