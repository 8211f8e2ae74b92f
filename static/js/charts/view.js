// Which stretch of time the charts of a page show: all the same, and one line through all where the pointer is.
import { clock as digits } from "../format.js";
import { instantAt, isOnAxis, LEFT, RIGHT } from "./pick.js";

const SHORTEST_SPAN_MS = 30_000;

export class View {
  #charts = [];
  /** Where people look, in virtual milliseconds; null while now is followed. */
  range = null;
  windowMs = null;
  /** From when until when there is anything to see of what the page is about; null: no end, or not known. */
  life = { from: null, until: null };
  /** Called with what is shown when somebody looks at a stretch, with null when now is followed again. */
  onRange = () => {};
  /** Called when somebody looks at what was before the window that was read. */
  onFar = () => {};
  /** The chain that is told: `[{at, lane}]`, drawn over the lanes that are there. */
  chain = [];
  /** A stretch whose figures are told, `[from, to]`; null for none. */
  chosen = null;
  /** Called with a stretch that was chosen, or with null when it is let go. */
  onChoose = () => {};
  #pinned = null;
  /** An instant that is marked in all charts; null for none. */
  marked = null;

  add(chart) {
    this.#charts.push(chart);
    chart.plot.addEventListener("pointermove", (event) => this.#point(chart, event));
    chart.plot.addEventListener("pointerleave", () => this.#point(null));
    // Above the plot stand the labels of the axis: a click there goes to that instant.
    chart.plot.addEventListener("click", (event) => {
      const isAsked = isOnAxis(chart.plot, event.clientY) && !event.target.closest("button");
      const { left } = chart.plot.getBoundingClientRect();
      if (isAsked && chart.range) this.travel(this.#instantAt(chart, event.clientX - left));
    });
  }

  /** What is shown, the same in all charts: where somebody looks, or the past up to `nowMs` and what is known to come. */
  stretch(nowMs) {
    if (this.range) return [...this.range];
    const reaches = this.#charts.map((chart) => chart.reach).filter(Boolean);
    const first = Math.max(Math.min(...reaches.map(({ from }) => from)), this.life.from ?? 0);
    const last = reaches.every(({ to }) => to !== null) ? Math.max(...reaches.map(({ to }) => to)) : nowMs;
    const now = this.life.until ?? last;
    const start = this.windowMs === null ? first : Math.max(first, now - this.windowMs);
    const end = start + Math.max(SHORTEST_SPAN_MS, (now - start) * 1.03);
    // What is over has no future.
    if (this.life.until !== null) return [start, end];
    const ahead = Math.max(...reaches.map((reach) => reach.ahead));
    return [start, Math.max(end, Math.min(ahead, now + Math.max(SHORTEST_SPAN_MS, (now - start) / 2)))];
  }

  /** What the page is about has begun, or is over. */
  showLife(from, until) {
    if (from === this.life.from && until === this.life.until) return;
    this.life = { from, until };
    this.refresh();
  }

  /** Something that decides what is shown has changed. */
  refresh() {
    this.#set(this.range);
  }

  /** Stay with this stretch instead of following now. */
  look([from, to]) {
    this.#set([Math.max(0, from), to]);
    this.onRange(this.range);
    this.onFar(this.range[0]);
  }

  /** As the address says; it is not told again. */
  restore(range) {
    this.#set(range);
    if (range) this.onFar(range[0]);
  }

  /** Tell the figures of this stretch, in virtual milliseconds. */
  choose(range) {
    this.restoreChosen(range ? range.map((at) => Math.max(0, Math.round(at))) : null);
    this.onChoose(this.chosen);
  }

  /** As the address says; it is not told again. */
  restoreChosen(range) {
    this.#pinned = null;
    this.chosen = range;
    this.refresh();
  }

  /** One end of a stretch; with the other it is chosen. */
  pin(at) {
    const ends = [this.#pinned, at].sort((one, other) => one - other);
    const isFirst = this.#pinned === null || this.#pinned === at;
    this.mark(isFirst ? at : null);
    if (isFirst) this.#pinned = at;
    else this.choose(ends);
  }

  /** Draw arrows from each of these to the next. */
  showChain(chain) {
    this.chain = chain;
    this.refresh();
  }

  /** Show the page as it was at an instant. */
  travel(at) {
    const address = new URL(location.href);
    address.searchParams.set("at", `${Math.round(at)}ms`);
    location.assign(address);
  }

  /** Keep now at the right edge. */
  follow() {
    this.#set(null);
    this.onRange(null);
  }

  /** How much of the past is shown; null shows all of it. */
  showPast(windowMs) {
    this.windowMs = windowMs;
    this.refresh();
  }

  /** Mark an instant, and go there if it is out of sight. */
  mark(at) {
    this.marked = at;
    const [from, to] = this.#charts.find((chart) => chart.range)?.range ?? [0, 0];
    const half = (to - from) / 2;
    const isSeen = at === null || (at >= from && at <= to);
    this.#set(isSeen ? this.range : [Math.max(0, at - half), Math.max(0, at - half) + to - from]);
  }

  #set(range) {
    this.range = range;
    for (const chart of this.#charts) chart.viewChanged();
  }

  #point(pointed, event) {
    const x = pointed && event.clientX - pointed.plot.getBoundingClientRect().left;
    for (const chart of this.#charts) {
      const isInside = pointed?.range && x >= LEFT && x <= chart.plot.clientWidth - RIGHT;
      chart.plot.toggleAttribute("data-pointed", Boolean(isInside));
      if (!isInside) continue;
      chart.plot.style.setProperty("--pointer", `${x}px`);
      chart.plot.dataset.pointed = chart === pointed ? digits(this.#instantAt(chart, x)) : "";
    }
  }

  #instantAt(chart, x) {
    return instantAt(chart.range, x, chart.plot.clientWidth);
  }
}
