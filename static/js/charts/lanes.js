// A figure's rows, as HTML beside the plot: their labels, which are links, selectable, read aloud; and how many are not drawn.
const number = (count) => count.toLocaleString("en");

function makeRow(row, base) {
  const item = document.createElement("li");
  item.className = row.header ? "header" : "lane";
  if (row.slots) {
    item.classList.add("band");
    item.style.setProperty("--slots", row.slots);
  }
  const label = document.createElement(row.path ? "a" : "span");
  label.textContent = row.label;
  label.title = row.title ?? row.label;
  if (row.path) label.href = base + row.path;
  if (row.tone) item.append(makeDot(row.tone, row.line));
  item.append(label);
  if (row.note) item.append(makeNote(row.note));
  if (row.restarts) item.append(makeRestarts(row.restarts));
  // The dot is decoration beside the label; screen readers get the state in words.
  if (row.tone && !row.line) item.append(makeHidden(row.tone));
  return item;
}

function makeDot(tone, line) {
  const dot = document.createElement("i");
  dot.className = `dot tone-${tone}`;
  if (line) dot.dataset.line = line;
  dot.setAttribute("aria-hidden", "true");
  return dot;
}

function makeNote(text) {
  const note = document.createElement("small");
  note.textContent = text;
  return note;
}

// There is little room: a sign and a number, and words for who points at it or hears it.
function makeRestarts(count) {
  const note = makeNote("");
  note.className = "restarts";
  note.title = `${count} restart${count === 1 ? "" : "s"}`;
  const sign = document.createElement("span");
  sign.setAttribute("aria-hidden", "true");
  sign.textContent = `↻${count}`;
  note.append(sign, makeHidden(note.title));
  return note;
}

function makeHidden(text) {
  const hidden = makeNote(text);
  hidden.className = "visually-hidden";
  return hidden;
}

function makeLaneToCome({ label }) {
  const item = document.createElement("li");
  item.className = "lane to-come";
  item.append(label, makeHidden("to come"));
  return item;
}

// By list: what each of its rows says, with the row. A row that says the same stays, focus and all.
const written = new WeakMap();

/** Write `layout.meta.rows` into `list`; `base` is the cluster's address. `toCome`: rows of what is not there yet. */
export function drawLanes(list, meta, base, toCome = []) {
  list.style.setProperty("--row", `${meta.rowHeight}px`);
  list.classList.toggle("thin", meta.rowHeight < 16);
  const known = written.get(list) ?? new Map();
  const made = new Map();
  for (const row of meta.rows) keep(made, known, JSON.stringify(row), () => makeRow(row, base));
  for (const lane of toCome) keep(made, known, `to come ${lane.key}`, () => makeLaneToCome(lane));
  written.set(list, made);
  for (const [text, item] of known) if (made.get(text) !== item) item.remove();
  let next = list.firstElementChild;
  for (const item of made.values()) {
    if (item === next) next = next.nextElementSibling;
    else list.insertBefore(item, next);
  }
}

function keep(made, known, text, make) {
  made.set(text, known.get(text) ?? make());
}

/** Of more pods than rows: how many are not drawn, and the ways to every one of them, page after page. */
export class Rows {
  #element;

  /** `element` has `[data-rows-note]` and buttons of `[data-page]`; null where a figure has no such pages. */
  constructor(element) {
    this.#element = element;
  }

  /** `hidden`: so many are not drawn; `page`: which are, of how many. */
  show({ hidden, page }) {
    if (!this.#element) return;
    this.#element.hidden = !hidden && !page;
    this.#element.querySelector("[data-rows-note]").textContent = page
      ? `Pods ${number(page.first)} to ${number(page.last)} of ${number(page.count)}, by ${page.order}.`
      : `${number(hidden ?? 0)} more pods are counted, but not drawn: problems come first, then the latest.`;
    for (const button of this.#element.querySelectorAll("[data-page]")) this.#place(button, page);
  }

  #place(button, page) {
    const { go } = button.dataset;
    if (go === "before" || go === "next") {
      const to = (page?.number ?? 0) + (go === "next" ? 1 : -1);
      button.hidden = !page || (go === "next" ? page.last >= page.count : to < 0);
      button.dataset.page = to;
      button.dataset.order = page?.order ?? "name";
    } else if (go === "back") button.hidden = !page;
    else button.setAttribute("aria-pressed", String(page?.order === button.dataset.order));
  }
}
