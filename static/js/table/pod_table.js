// The pods as a table of any length: only rows in sight are elements, and what changes is written a few times a second.
import { make } from "./elements.js";
import { age } from "../ages.js";
import { addressOf } from "../address.js";
import { isPod, PodRows } from "./pod_rows.js";

const ROW_PX = 28;
// Rows so far out of sight are made as well, so that scrolling meets no empty ones.
const BEYOND = 6;
const MS_BETWEEN = 250;
const MS_BETWEEN_READINGS = 1000;
const STEPS = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, Home: -Infinity, End: Infinity };
// Columns that are written as they are told.
const PLAIN = ["namespace", "ready", "status", "restarts"];
const SORTED = { "": "none", "+": "ascending", "-": "descending" };

export class PodTable {
  #element;
  #base;
  #clock;
  #address;
  #rows = new PodRows();
  #columns = [];
  #made = [];
  #query = "";
  #sort = "";
  #selected = null;
  #isNarrowed = false;
  #isMissing = false;
  #isShown = false;
  #isDirty = false;
  #heard = [];
  #reading = null;
  #waiting = null;
  #drawing = null;
  #said = make("p", { class: "notice", role: "status" });
  #head = make("div", { role: "row", "aria-rowindex": 1, class: "grid-head" });
  #body = make("div", { role: "rowgroup", class: "grid-body" });
  #grid = make("div", { role: "grid", tabindex: 0, class: "grid", "aria-label": "Pods" });

  /** `element` takes the table; `base` is the cluster's address, `address` the page's, in which the order stands. */
  constructor(element, base, clock, address) {
    this.#element = element;
    this.#base = base;
    this.#clock = clock;
    this.#address = address;
    this.#grid.append(make("div", { role: "rowgroup", class: "grid-top" }, this.#head), this.#body);
    element.append(this.#said, this.#grid);
    this.#said.textContent = "Reading the pods…";
    this.#grid.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.#grid.addEventListener("keydown", (event) => this.#key(event));
    this.#grid.addEventListener("click", (event) => this.#click(event));
    new ResizeObserver(() => this.#draw()).observe(this.#grid);
  }

  /** Show it, with the pods of `query` in the order `sort`; what was missed while it was hidden is read. */
  show(query, sort) {
    const isOther = query !== this.#query || !this.#isShown;
    [this.#query, this.#isShown] = [query, true];
    this.#setSort(sort);
    this.#element.hidden = false;
    if (isOther) this.#read();
  }

  hide() {
    this.#isShown = false;
    this.#element.hidden = true;
  }

  focus() {
    this.#grid.focus({ preventScroll: true });
  }

  /** A frame: pods that changed. Which of them are asked for where something is, the server knows. */
  hear({ objects, refetch }) {
    if (!this.#isShown) return;
    if (refetch || this.#isMissing || (this.#isNarrowed && objects.some(isPod))) return this.#readSoon();
    // An answer that is on its way may be older.
    if (this.#reading) this.#heard.push(...objects);
    if (this.#rows.take(objects)) this.#settleSoon();
  }

  #readSoon() {
    this.#waiting ??= setTimeout(() => this.#read(), MS_BETWEEN_READINGS);
  }

  async #read() {
    clearTimeout(this.#waiting);
    this.#waiting = null;
    this.#reading?.abort();
    const reading = new AbortController();
    [this.#reading, this.#heard] = [reading, []];
    try {
      const asked = this.#query ? `?q=${encodeURIComponent(this.#query)}` : "";
      const answer = await fetch(`${this.#base}table/${asked}`, { signal: reading.signal });
      if (!answer.ok) throw new Error(`Podline answered with ${answer.status}`);
      this.#take(await answer.json());
    } catch (problem) {
      if (reading.signal.aborted) return;
      this.#said.textContent = `The pods cannot be read: ${problem.message}. The next change tries again.`;
      this.#isMissing = true;
    } finally {
      if (this.#reading === reading) this.#reading = null;
    }
  }

  #take(told) {
    [this.#isNarrowed, this.#isMissing] = [told.narrowed, false];
    if (!this.#columns.length) this.#makeHead(told.columns);
    this.#rows.read(told);
    if (!told.narrowed) this.#rows.take(this.#heard);
    this.#rows.sort(this.#sort);
    this.#settle();
  }

  #makeHead(columns) {
    this.#columns = columns;
    this.#grid.setAttribute("aria-colcount", columns.length);
    this.#head.append(...columns.map(([key, heading]) => {
      const button = make("button", { type: "button", class: "plain", "data-sort": key, title: `Sort by ${heading}: up, down, and the gravest first again` }, heading);
      return make("span", { role: "columnheader", class: `grid-${key}` }, button);
    }));
    this.#markSort();
  }

  #setSort(sort) {
    if (sort === this.#sort) return;
    this.#sort = sort;
    this.#rows.sort(sort);
    this.#markSort();
    if (this.#columns.length) this.#settle();
  }

  #markSort() {
    const [, sign, key] = this.#sort.match(/^(-?)(.*)$/);
    for (const header of this.#head.children) {
      const isIt = header.firstChild.dataset.sort === key;
      header.setAttribute("aria-sort", SORTED[isIt ? sign || "+" : ""]);
    }
  }

  #settleSoon() {
    if (this.#isDirty) return;
    this.#isDirty = true;
    setTimeout(() => this.#settle(), MS_BETWEEN);
  }

  #settle() {
    this.#isDirty = false;
    this.#rows.settle();
    const count = this.#rows.list.length;
    this.#body.style.setProperty("height", `${count * ROW_PX}px`);
    this.#grid.setAttribute("aria-rowcount", count + 1);
    const words = `${count.toLocaleString("en")} pod${count === 1 ? "" : "s"}${this.#isNarrowed ? " like that" : ""}`;
    if (this.#said.textContent !== words) this.#said.textContent = words;
    this.#draw();
  }

  /** In the next frame, once. */
  #draw() {
    this.#drawing ??= requestAnimationFrame(() => {
      this.#drawing = null;
      this.#write();
    });
  }

  #write() {
    const { list } = this.#rows;
    const { scrollTop, clientHeight } = this.#grid;
    const first = Math.max(0, Math.floor(scrollTop / ROW_PX) - BEYOND);
    const last = Math.min(list.length, Math.ceil((scrollTop + clientHeight) / ROW_PX) + BEYOND);
    const size = last - first;
    while (this.#made.length < size) this.#made.push(this.#makeRow());
    for (const [slot, made] of this.#made.entries()) {
      // What is scrolled past is the next that comes: a row that stays in sight keeps its element.
      const index = first + ((((slot - first) % this.#made.length) + this.#made.length) % this.#made.length);
      const row = index < last ? list[index] : null;
      made.element.hidden = !row;
      if (row) this.#writeRow(made, row, index);
    }
    this.#tellSelected();
  }

  #makeRow() {
    const cells = Object.fromEntries(this.#columns.map(([key]) => [key, make("span", { role: "gridcell", class: `grid-${key}` })]));
    const element = make("div", { role: "row", class: "grid-row" }, ...Object.values(cells));
    const name = cells.name.appendChild(make("a", { tabindex: -1 }));
    const node = cells.node.appendChild(make("a", { tabindex: -1 }));
    const dot = cells.status.appendChild(make("i", { class: "dot", "aria-hidden": "true" }));
    const status = cells.status.appendChild(make("span"));
    // A text that is there is changed in a fraction of the time that another takes to be made.
    const places = { ...cells, name, node, status };
    const texts = Object.fromEntries(Object.keys(cells).map((key) => [key, places[key].appendChild(new Text())]));
    this.#body.append(element);
    return { element, cells, texts, name, node, dot, told: {} };
  }

  #writeRow(made, row, index) {
    const { element, cells, texts, name, node, dot, told } = made;
    const change = (key, value, write) => {
      if (told[key] === value) return;
      told[key] = value;
      write(value);
    };
    change("index", index, () => {
      element.style.setProperty("translate", `0 ${index * ROW_PX}px`);
      element.setAttribute("aria-rowindex", index + 2);
    });
    change("uid", row.uid, (uid) => { element.id = `row-${uid}`; });
    change("selected", row.uid === this.#selected, (is) => element.setAttribute("aria-selected", String(is)));
    for (const key of PLAIN) change(key, String(row[key] ?? ""), (text) => { texts[key].data = text; });
    change("page", pageOf(row), (page) => {
      texts.name.data = name.title = row.name;
      name.setAttribute("href", this.#base + page);
    });
    change("state", row.state ?? "unknown", (state) => { dot.className = `dot tone-${state}`; });
    // API times are whole seconds, and so is what is counted from.
    change("created_ms", Math.floor(row.created_ms / 1000) * 1000, (since) => {
      cells.created_ms.dataset.since = since;
      cells.created_ms.textContent = age(this.#clock.now() - since);
    });
    change("node", row.node ?? "", (text) => {
      texts.node.data = text;
      if (text) node.setAttribute("href", `${this.#base}nodes/${encodeURIComponent(text)}/`);
      else node.removeAttribute("href");
    });
  }

  #click(event) {
    const sorting = event.target.closest("[data-sort]");
    if (sorting) return this.#press(sorting.dataset.sort);
    const element = event.target.closest(".grid-row");
    if (element && !event.target.closest("a")) this.#select(Number(element.getAttribute("aria-rowindex")) - 2);
  }

  #press(key) {
    const next = { "": key, [key]: `-${key}`, [`-${key}`]: "" };
    const sort = next[this.#sort] ?? key;
    this.#setSort(sort);
    this.#address.write({ sort });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.#grid) return;
    const index = this.#selected === null ? -1 : this.#rows.find(this.#selected);
    const screen = Math.max(1, Math.floor(this.#grid.clientHeight / ROW_PX) - 2);
    const step = { PageDown: screen, PageUp: -screen, ...STEPS }[event.key];
    const row = this.#rows.list[index];
    if (step !== undefined) this.#select(index < 0 && step < 0 && step > -Infinity ? 0 : index + step);
    else if (row) {
      const address = addressOf(event.key === "Enter" ? "d" : event.key, this.#base, pageOf(row));
      if (address === null) return;
      location.assign(address);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #select(index) {
    const { list } = this.#rows;
    if (!list.length) return;
    const chosen = Math.min(list.length - 1, Math.max(0, index));
    this.#selected = list[chosen].uid;
    const [top, height] = [chosen * ROW_PX, this.#grid.clientHeight - this.#head.offsetHeight];
    if (top < this.#grid.scrollTop) this.#grid.scrollTop = top;
    else if (top + ROW_PX > this.#grid.scrollTop + height) this.#grid.scrollTop = top + ROW_PX - height;
    this.#write();
  }

  /** Which row is chosen, as assistive technology hears it: out of sight it is no element. */
  #tellSelected() {
    const isThere = this.#selected !== null && this.#made.some(({ element, told }) => !element.hidden && told.uid === this.#selected);
    if (isThere) this.#grid.setAttribute("aria-activedescendant", `row-${this.#selected}`);
    else this.#grid.removeAttribute("aria-activedescendant");
  }
}

const pageOf = ({ namespace, name }) => `pods/${encodeURIComponent(namespace ?? "")}/${encodeURIComponent(name)}/`;
