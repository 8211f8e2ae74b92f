// Pointer and keyboard on a chart: a tip says what is there, a click or Enter asks why.
// Up and down choose a row, then left and right go from bar to bar, or from change to change; Escape lets go.
import { DRAG_PX } from "./moving.js";
import { findItem, hasLanes, instantAt, isOnAxis, listChanges, listItems, listLanes, placeOf, rowOf, tellLines, TOP } from "./pick.js";
import { addressOf } from "../address.js";
import { tip } from "./tips.js";

const ROWS = { ArrowUp: -1, ArrowDown: 1, k: -1, j: 1 };

export class Cursor {
  #plot;
  #chart;
  #box = document.createElement("i");
  #said = document.createElement("span");
  #pressed = [0, 0];
  #pointed = null;
  #row = null;
  #item = null;
  #at = null;

  /** `chart` has `range`, `data`, `base`, `look(range)`, `choose(at)` and `askWhy(seq)`; `plot` is what Plotly draws into. */
  constructor(plot, chart) {
    this.#plot = plot;
    this.#chart = chart;
    this.#box.className = "cursor";
    this.#box.hidden = true;
    this.#said.className = "visually-hidden";
    this.#said.setAttribute("aria-live", "polite");
    plot.after(this.#box, this.#said);
    plot.addEventListener("pointermove", (event) => this.#point(event));
    plot.addEventListener("pointerleave", () => this.#point(null));
    plot.addEventListener("pointerdown", (event) => { this.#pressed = [event.clientX, event.clientY]; });
    plot.addEventListener("click", (event) => this.#click(event));
    plot.addEventListener("keydown", (event) => this.#key(event), { capture: true });
    plot.addEventListener("blur", () => this.#leave());
  }

  /** The chart was drawn anew: what is at the pointer may be something else, and the cursor elsewhere. */
  drawn() {
    if (this.#row !== null) this.#place(false);
    else if (this.#pointed) this.#tell();
  }

  /** Another place of the chart is at the pointer: until that moves nothing is told of it. */
  scrolled() {
    if (this.#row !== null) return this.#place(false);
    this.#pointed = null;
    tip.hide();
  }

  #findAt({ clientX, clientY }) {
    if (isOnAxis(this.#plot, clientY)) return null;
    const { left, top } = this.#plot.getBoundingClientRect();
    return this.#find(clientX - left, clientY - top);
  }

  #find(x, y) {
    const { data, layout, clientWidth: width } = this.#plot;
    if (!data) return null;
    if (hasLanes(layout)) return findItem(this.#plot, x, y, width);
    const at = instantAt(layout.xaxis.range, x, width);
    return at <= layout.xaxis.range[1] ? tellLines(data, at) : null;
  }

  #point(event) {
    if (!this.#pointed && !event) return;
    this.#pointed = event && { clientX: event.clientX, clientY: event.clientY };
    this.#leave();
    this.#tell();
  }

  #tell() {
    const item = this.#pointed && this.#findAt(this.#pointed);
    this.#plot.classList.toggle("asks", Boolean(item?.seq));
    if (item) tip.show(item.lines, this.#pointed.clientX, this.#pointed.clientY);
    else tip.hide();
  }

  #click(event) {
    const [x, y] = this.#pressed;
    if (Math.hypot(event.clientX - x, event.clientY - y) > DRAG_PX) return;
    const seq = this.#findAt(event)?.seq;
    if (seq) this.#chart.askWhy(seq);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#plot.data) return;
    const { key } = event;
    const isHeld = this.#row !== null;
    if (key in ROWS) this.#changeRow(ROWS[key]);
    else if (isHeld && (key === "ArrowLeft" || key === "ArrowRight")) this.#step(key === "ArrowRight" ? 1 : -1);
    else if (isHeld && key === "Enter" && this.#item.seq) this.#chart.askWhy(this.#item.seq);
    else if (isHeld && key === "s") this.#chart.choose(this.#item.start);
    else if (isHeld && this.#open(key)) return;
    else if (isHeld && key === "Escape") this.#leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** What a key opens of the object that the row is about; says whether there is any such. */
  #open(key) {
    const row = this.#plot.layout.meta?.rows?.find((one) => one.key === this.#row);
    const address = addressOf(key, this.#chart.base, row?.path);
    if (address !== null) location.assign(address);
    return address !== null;
  }

  #list(row) {
    const { layout } = this.#plot;
    const { data } = this.#chart;
    if (hasLanes(layout)) return listItems(data, row);
    return listChanges(data).map((at) => tellLines(data, at)).filter(Boolean);
  }

  /** To the next row that has anything, to what was there about the instant the cursor is at. */
  #changeRow(by) {
    const { layout } = this.#plot;
    const rows = hasLanes(layout) ? listLanes(layout) : [""];
    const held = rows.indexOf(this.#row);
    const first = held >= 0 ? held + by : by > 0 ? 0 : rows.length - 1;
    for (let index = first; index >= 0 && index < rows.length; index += by) {
      const items = this.#list(rows[index]);
      if (!items.length) continue;
      this.#at ??= this.#chart.range[1];
      this.#hold(rows[index], items.findLast((item) => item.start <= this.#at) ?? items[0]);
      return;
    }
  }

  #step(by) {
    const items = this.#list(this.#row);
    const { start, lines } = this.#item;
    const held = items.findIndex((item) => item.start === start && item.lines[0] === lines[0]);
    const next = items[held < 0 ? items.length - 1 : held + by];
    if (!next) return;
    this.#at = next.start;
    this.#hold(this.#row, next);
  }

  #hold(row, item) {
    this.#row = row;
    this.#item = item;
    this.#said.textContent = item.lines.join(", ");
    const [from, to] = this.#chart.range;
    if (item.end < from || item.start > to) {
      const start = Math.max(0, item.start - (to - from) / 4);
      this.#chart.look([start, start + to - from]);
    }
    this.#place(true);
  }

  #place(isMoved) {
    const { layout, clientWidth: width } = this.#plot;
    const hasRows = hasLanes(layout);
    const row = hasRows ? rowOf(layout, this.#row) : 0;
    if (row < 0) return this.#leave();
    const high = hasRows ? layout.meta.rowHeight : layout.height - TOP;
    const [from, to] = [this.#item.start, this.#item.end].map((at) => placeOf(layout.xaxis.range, at, width));
    const x = Math.min(Math.max(from, 0), width);
    this.#box.style.setProperty("--x", `${x - 2}px`);
    this.#box.style.setProperty("--y", `${TOP + row * high}px`);
    this.#box.style.setProperty("--width", `${Math.max(4, Math.min(to, width) - x + 4)}px`);
    this.#box.style.setProperty("--height", `${high}px`);
    this.#box.hidden = to < 0 || from > width;
    if (isMoved) this.#box.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (this.#box.hidden) return tip.hide();
    const [box, around] = [this.#box, this.#plot.parentElement].map((element) => element.getBoundingClientRect());
    if (box.bottom < around.top || box.top > around.bottom) return tip.hide();
    tip.show(this.#item.lines, box.left, hasRows ? box.bottom - 10 : box.top);
  }

  #leave() {
    if (this.#row === null) return;
    [this.#row, this.#item, this.#at] = [null, null, null];
    this.#box.hidden = true;
    this.#said.textContent = "";
    tip.hide();
  }
}
