// A live Plotly figure: the server's figure and patches, grown with the virtual clock, drawn when it is worth it.
import { Cursor } from "./cursor.js";
import { Flags } from "./flags.js";
import { clock as clockDigits, ticks } from "../format.js";
import { findLanes, makeGhostTraces } from "./ghost.js";
import { Labels, listWords } from "./labels.js";
import { drawLanes, Rows } from "./lanes.js";
import { Isolation } from "./legend.js";
import { listenToDrags, listenToKeys } from "./moving.js";
import { outline } from "./outlines.js";
import { applyPatch, growFigure, isGrowing } from "./patches.js";
import { hasLanes, placeOf, rowOf } from "./pick.js";
import { pickSeen, thinMarks } from "./sight.js";

const CONFIG = { displayModeBar: false, doubleClick: false, scrollZoom: false };
// Drawing takes at most a fifth of the time, and a figure that only grows is drawn ten times a second.
const FEWEST_MS_BETWEEN = 100;
const REST_FACTOR = 4;
const MOST_ARROWS = 40;
// Seen on light and on dark.
const CHOSEN = "rgba(92, 140, 230, 0.18)";
// Labels of the axis stand with their middle at their instant.
const HALF_LETTER = 3.4;
// Growth that is less than this cannot be seen.
const LEAST_PX = 0.5;
// Rows so far out of sight are drawn as well, so that scrolling does not wait for them.
const BEYOND_PX = 900;

function make(name) {
  const element = document.createElement("div");
  element.className = name;
  return element;
}

/** Labels of the axis; one that would stand beyond the edge is left out. */
function labelInstants(range, width) {
  const { values, labels } = ticks(range, width);
  const places = labels.map((text, index) => ({ text, x: placeOf(range, values[index], width), y: 0, look: "" }));
  return places.filter(({ text, x }) => x + text.length * HALF_LETTER <= width);
}

/** What is drawn of a stretch that was chosen. */
function makeBand([from, to]) {
  return { type: "rect", x0: from, x1: to, y0: 0, y1: 1, yref: "paper", layer: "below", line: { width: 0 }, fillcolor: CHOSEN };
}

export class Chart {
  #element;
  #clock;
  #figure = null;
  #view;
  #askWhy;
  #flags;
  #rows;
  #cursor;
  #isolation = new Isolation(() => this.#changed());
  #paper = make("paper");
  #axis = new Labels(make("axis"));
  #words = new Labels(make("words"));
  #ghost = null;
  #toCome = [];
  #isDirty = false;
  #isGrowing = false;
  #isVisible = true;
  #waiting = null;
  #drawn = { at: -Infinity, msPerPx: 0, first: 0, last: 0 };
  #notBefore = 0;
  #revision = 0;
  #isAsking = false;
  /** All there is to draw, in sight or not. */
  data = [];

  /** `element` has a `.chart`, which tells what is drawn as `data` and `layout`, and perhaps `[data-lanes]`, `[data-empty]`. */
  constructor(element, clock, view, askWhy) {
    this.#element = element;
    this.#clock = clock;
    this.#view = view;
    this.#askWhy = askWhy;
    this.plot = element.querySelector(".chart");
    this.plot.append(this.#axis.layer, this.#paper, this.#words.layer);
    this.#rows = new Rows(element.querySelector("[data-rows]"));
    this.#flags = new Flags(element.querySelector("[data-flags]"));
    view.add(this);
    const near = { rootMargin: `${BEYOND_PX}px` };
    // The page, or the box that the chart is in.
    addEventListener("scroll", ({ target }) => target.contains(this.plot) && this.#scrolled(), { passive: true, capture: true });
    // Of what a busy page tells at once the last is so.
    new IntersectionObserver((entries) => this.#seen(entries.at(-1).isIntersecting), near).observe(this.plot);
    new ResizeObserver(() => this.#changed()).observe(this.plot);
    element.querySelector("[data-follow]")?.addEventListener("click", () => view.follow());
    element.querySelector("[data-picture]")?.addEventListener("click", () => this.#savePicture());
    // The figure is asked for first: it may be there before what draws it has been read.
    document.querySelector("[data-plotly]")?.addEventListener("load", () => this.#isDirty && this.#changed());
    this.#cursor = new Cursor(this.plot, this);
    listenToKeys(this.plot, this);
    listenToDrags(this.plot, this);
    setInterval(() => this.#hasGrown() && this.#changed(), FEWEST_MS_BETWEEN);
  }

  get name() {
    return this.#element.dataset.figure;
  }

  get base() {
    return this.#element.dataset.base;
  }

  /** What comes next, to be drawn beside what was; null: nothing is known. */
  showGhost(ghost) {
    this.#ghost = ghost;
    const note = this.#element.querySelector("[data-ahead]");
    note.textContent = ghost?.note ?? "";
    note.hidden = !ghost?.note;
    if (this.#figure) this.#layoutChanged();
    this.#view.refresh();
  }

  /** Something else was asked for: until the answer is there nobody knows whether there is any. */
  wait() {
    this.#isAsking = true;
    this.#element.querySelector("[data-empty]")?.setAttribute("hidden", "");
  }

  /** The whole figure, anew. */
  show(figure) {
    this.#isAsking = false;
    this.#figure = figure;
    this.#layoutChanged();
  }

  /** What changed since. */
  patch(patch) {
    if (!this.#figure) return;
    applyPatch(this.#figure, patch);
    this.#layoutChanged();
  }

  /** The stretch of time that is shown, in virtual milliseconds. */
  get range() {
    return this.#figure?.layout.xaxis.range;
  }

  get traces() {
    return this.#figure?.data ?? [];
  }

  /** From when on there is anything, until when (null: now), and how far ahead is looked; null without a figure. */
  get reach() {
    if (!this.#figure) return null;
    const { from = 0, to = null, ahead = 0 } = this.#figure.layout.meta ?? {};
    return { from, to, ahead: this.#hasFuture ? this.#ghost.to_ms : ahead };
  }

  get #hasFuture() {
    return Boolean(this.#ghost?.bars?.length || this.#ghost?.traces?.length);
  }

  look(range) {
    this.#view.look(range);
  }

  follow() {
    this.#view.follow();
  }

  /** As it was at first: now is followed, and all lines are drawn. */
  reset() {
    this.#isolation.reset(this.#element.querySelector("[data-lanes]"));
    this.follow();
  }

  /** Say why a row of the history came; without one, why the last thing that is drawn has happened. */
  askWhy(seq = null) {
    if (seq !== null) return this.#askWhy(seq);
    const seqs = (this.#figure?.data ?? []).flatMap((trace) => trace.seqs ?? []);
    const last = seqs.reduce((latest, seq) => Math.max(latest, seq ?? 0), 0);
    if (last) this.#askWhy(last);
  }

  /** Tell the figures of the stretch that is shown, or from one instant to the next that is pinned. */
  choose(at = null) {
    if (at !== null) this.#view.pin(at);
    else if (this.range) this.#view.choose(this.range);
  }

  /** The page shows another stretch of time. */
  viewChanged() {
    this.#changed();
    const button = this.#element.querySelector("[data-follow]");
    if (button) button.hidden = !this.#view.range;
  }

  #layoutChanged() {
    const { meta } = this.#figure.layout;
    this.#showLanes(this.#view.stretch(this.#clock.now()), true);
    this.#flags.show(meta?.flags ?? []);
    this.#showNotes(meta);
    this.#rows.show(meta ?? {});
    this.#isGrowing = isGrowing(this.#figure);
    this.#notBefore = 0;
    this.#changed();
  }

  #showNotes(meta) {
    this.#element.querySelector("[data-skeleton]")?.remove();
    const empty = this.#element.querySelector("[data-empty]");
    const hasRows = meta?.rows?.length || this.#findLanesToCome([0, Infinity]).length;
    const isEmpty = meta?.rows ? !hasRows : this.#figure.data.every((trace) => trace.x.length <= 2);
    if (empty) empty.hidden = !isEmpty || this.#isAsking;
    empty?.querySelector("[data-none]")?.toggleAttribute("hidden", Boolean(meta?.narrowed));
    empty?.querySelector("[data-none-found]")?.toggleAttribute("hidden", !meta?.narrowed);
    const isHidden = isEmpty && Boolean(empty);
    this.#element.querySelector(".lanes").hidden = isHidden;
    // What is hidden is not drawn, and nothing is told of what was drawn before.
    if (isHidden) this.plot.data = [];
  }

  #changed() {
    this.#isDirty = true;
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.#waitForFrame(), this.#notBefore - performance.now());
  }

  /** Draw after the next frame, in a task of its own: to lay out and to paint is the browser's, in another. */
  #waitForFrame() {
    requestAnimationFrame(() => setTimeout(() => this.#drawIfSeen()));
  }

  #drawIfSeen() {
    const isReady = window.Plotly && this.#figure && this.#isVisible && this.plot.clientWidth > 0;
    if (!this.#isDirty || !isReady) return;
    this.#isDirty = false;
    this.#draw();
  }

  #seen(isVisible) {
    this.#isVisible = isVisible;
    if (this.#isDirty) this.#changed();
  }

  #hasGrown() {
    if (!this.#isGrowing || !this.#clock.isRunning || this.#isDirty) return false;
    return this.#clock.now() - this.#drawn.at >= this.#drawn.msPerPx * LEAST_PX;
  }

  /** What is at the pointer is something else; rows that were out of sight may have come near. */
  #scrolled() {
    if (!this.#figure?.layout.meta?.rows) return;
    this.#cursor.scrolled();
    const { first, last } = this.#rowsInSight(this.#figure.layout, 0);
    if (first >= this.#drawn.first && last <= this.#drawn.last) return;
    // Nobody is to look at rows without bars: this does not wait for its turn.
    this.#notBefore = 0;
    this.#changed();
  }

  /** Numbers of the rows that can be seen in their box, and of those `beyond` pixels further. */
  #rowsInSight({ margin, meta, yaxis }, beyond) {
    const height = meta?.rowHeight ?? 1;
    const top = this.plot.getBoundingClientRect().top + margin.t;
    const box = this.plot.parentElement.getBoundingClientRect();
    const [above, below] = [Math.max(0, box.top) - beyond, Math.min(innerHeight, box.bottom) + beyond];
    const most = (yaxis?.categoryarray?.length ?? 1) - 1;
    const [first, last] = [above - top, below - top].map((y) => Math.floor(y / height));
    return { first: Math.max(0, first), last: Math.min(most, last) };
  }

  #draw() {
    const began = performance.now();
    const now = this.#clock.now();
    const width = this.plot.clientWidth;
    growFigure(this.#figure, now);
    const range = this.#view.stretch(now);
    this.#showLanes(range);
    const layout = this.#layout();
    const { values } = ticks(range, width);
    Object.assign(layout.xaxis, { range, tickvals: values, showticklabels: false });
    layout.width = width;
    // Read before anything is written: else the browser would lay out in between.
    const rows = this.#rowsInSight(layout, BEYOND_PX);
    this.#flags.place(range, width, layout.height);
    this.#drawn = { at: now, msPerPx: (range[1] - range[0]) / width, ...rows };
    const { data } = this.#figure;
    const toCome = this.#hasFuture ? makeGhostTraces(this.#ghost, now, layout.yaxis.categoryarray) : [];
    const ghost = this.#choose(toCome, layout);
    this.data = [...data, ...ghost];
    const seen = pickSeen({ data: this.#choose(data, layout), layout }, range, width, rows).map((trace) => thinMarks(trace, range, width));
    this.plot.data = [...seen, ...ghost];
    this.plot.layout = Object.assign(layout, { shapes: this.#shapes(), annotations: this.#arrows(layout) });
    this.#axis.show(labelInstants(range, width));
    this.#words.show(listWords(seen, layout, range, width));
    this.#paint(seen, ghost, layout);
    this.#cursor.drawn();
    const ended = performance.now();
    this.#notBefore = ended + Math.max(FEWEST_MS_BETWEEN, (ended - began) * REST_FACTOR);
  }

  /** Of lines those that are asked for. */
  #choose(traces, layout) {
    return hasLanes(layout) ? traces : this.#isolation.pick(traces);
  }

  #paint(seen, ghost, layout) {
    const dragmode = matchMedia("(pointer: coarse)").matches ? false : "pan";
    const { traces, drawn } = this.#prepare(seen, ghost, layout);
    const isFirst = !this.#paper.data;
    Plotly.react(this.#paper, traces, { ...drawn, dragmode, datarevision: ++this.#revision }, CONFIG);
    if (isFirst) this.#listen();
  }

  /** What Plotly draws: the same, with rows as numbers and bars as outlines. */
  #prepare(seen, ghost, layout) {
    if (!hasLanes(layout)) return { traces: [...seen, ...ghost], drawn: layout };
    return { traces: outline(seen, ghost, layout), drawn: { ...layout, yaxis: { ...layout.yaxis, type: "linear" } } };
  }

  /** The stretch that is shown, with all rows, as a file. */
  async #savePicture() {
    if (!window.Plotly || !this.#figure) return;
    const { makePicture, save } = await import("./picture.js");
    // What is out of sight is not drawn.
    if (!this.plot.layout) this.#draw();
    const [layout, range, width] = [this.plot.layout, this.range, this.plot.clientWidth];
    const all = { data: this.#choose(this.#figure.data, layout), layout };
    const seen = pickSeen(all, range, width, { first: 0, last: Infinity }).map((trace) => thinMarks(trace, range, width));
    const ghost = this.data.filter((trace) => trace.isAhead);
    const { traces, drawn } = this.#prepare(seen, ghost, layout);
    const about = { name: [...document.querySelector("h1").childNodes].map((part) => part.textContent.trim()).join(" "), at: clockDigits(this.#clock.now()) };
    const flags = (layout.meta?.flags ?? []).filter(({ at }) => at >= range[0] && at <= range[1]);
    const title = `${about.name} at ${about.at}`;
    const verdict = document.querySelector("p.verdict, .verdict p")?.textContent.trim().replace(/\s+/g, " ") ?? "";
    save(makePicture({ traces, layout: drawn, range, width, rows: this.#listRows(layout), flags, title, verdict }, this.#readLook()), title);
  }

  #listRows({ meta }) {
    const dots = [...this.#element.querySelectorAll("[data-lanes] > li")].map((item) => item.querySelector(".dot"));
    const colours = dots.map((dot) => dot && getComputedStyle(dot).getPropertyValue("--tone").trim());
    const rows = (meta?.rows ?? []).map((row, index) => ({ ...row, colour: colours[index] }));
    return [...rows, ...this.#toCome];
  }

  #readLook() {
    const { backgroundColor: paper, color: ink, borderTopColor: line } = getComputedStyle(this.#element.closest(".card"));
    return { paper, ink, line };
  }

  /** The labels, with those of what is to come within `range`; they are written anew where these are others. */
  #showLanes(range, isNew = false) {
    const { meta } = this.#figure.layout;
    const list = this.#element.querySelector("[data-lanes]");
    if (!list || !meta?.rows) return;
    const toCome = this.#findLanesToCome(range);
    if (!isNew && toCome.map(({ key }) => key).join() === this.#toCome.map(({ key }) => key).join()) return;
    this.#toCome = toCome;
    drawLanes(list, meta, this.#element.dataset.base, toCome);
    if (!hasLanes(this.#figure.layout)) this.#isolation.listen(list, meta.rows);
  }

  /** Rows of pods that are not there yet, and will be before the end of `range`. */
  #findLanesToCome([, end]) {
    // Whether they are asked for, nobody knows yet.
    if (!this.#hasFuture || !this.#figure.layout.meta?.rows || this.#figure.layout.meta.narrowed) return [];
    const known = new Set(this.#figure.layout.meta.rows.map((row) => row.key));
    const seen = findLanes(this.#ghost, end);
    return this.#ghost.lanes.filter(({ key }) => seen.has(key) && !known.has(key));
  }

  /** The figure's layout, with room for what is to come. */
  #layout() {
    const { layout } = this.#figure;
    const more = layout.meta?.rows ? this.#toCome : [];
    // Lines may rise.
    const higher = this.#ghost?.yaxis?.range[1] > layout.yaxis.range[1] ? this.#ghost.yaxis : null;
    if (higher) return { ...layout, yaxis: higher };
    if (!more.length) return layout;
    const keys = [...layout.yaxis.categoryarray, ...more.map((lane) => lane.key)];
    const yaxis = { ...layout.yaxis, categoryarray: keys, range: [keys.length - 0.5, -0.5] };
    return { ...layout, yaxis, height: layout.height + more.length * layout.meta.rowHeight };
  }

  #shapes() {
    const { marked } = this.#view;
    const lines = [[marked, "dot"], [this.#hasFuture ? this.#clock.now() : null, "solid"]];
    const chosen = this.#view.chosen ? [makeBand(this.#view.chosen)] : [];
    return [...chosen, ...lines.filter(([at]) => at !== null).map(([at, dash]) => (
      { type: "line", x0: at, x1: at, y0: 0, y1: 1, yref: "paper", line: { width: 1.5, dash } }
    ))];
  }

  /** From each link of the chain that is told to the next, where both have a lane here. */
  #arrows(layout) {
    const lanes = layout.yaxis?.categoryarray ?? [];
    const links = this.#view.chain.filter(({ lane }) => lanes.includes(lane)).slice(-MOST_ARROWS);
    const steps = links.map((to, index) => [links[index - 1], to]).slice(1);
    const isSeen = ([from, to]) => from.at !== to.at || from.lane !== to.lane;
    return steps.filter(isSeen).map(([from, { at, lane }]) => ({
      x: at, y: rowOf(layout, lane), ax: from.at, ay: rowOf(layout, from.lane), axref: "x", ayref: "y",
      text: "", showarrow: true, arrowhead: 2, arrowwidth: 1.5, arrowsize: 0.9,
    }));
  }

  #listen() {
    this.#paper.on("plotly_relayout", (change) => {
      if (!("xaxis.range[0]" in change)) return;
      this.look([change["xaxis.range[0]"], change["xaxis.range[1]"]]);
      this.#view.choose(this.#view.range);
    });
  }
}
