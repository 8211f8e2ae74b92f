// A chart moves through time. By keys: arrows pan, plus and minus zoom, Home follows now, Enter asks why, s tells figures.
// By the pointer: a drag pans, Ctrl and the wheel zoom about the instant at the pointer. Shift and a drag choose a
// stretch, which is Plotly's own; two clicks show all as at first.
import { instantAt, LEFT, RIGHT } from "./pick.js";

/** A press that moved so far was a drag. */
export const DRAG_PX = 4;
const ZOOM_A_PX = 0.002;
const MOST_PX = 200;
const LEAST_SPAN_MS = 20;
const PX_A_LINE = 16;
const STEP = 0.2;
const MOVES = {
  ArrowLeft: ([from, to]) => shift(from, to, -STEP),
  ArrowRight: ([from, to]) => shift(from, to, STEP),
  "+": ([from, to]) => [from + (to - from) * STEP, to - (to - from) * STEP],
  "-": ([from, to]) => [from - (to - from) * STEP, to + (to - from) * STEP],
};

function shift(from, to, share) {
  const by = Math.max((to - from) * share, -from);
  return [from + by, to + by];
}

/** `chart` has `range`, `look(range)`, `follow()`, `askWhy()` and `choose()`; `element` takes the focus. */
export function listenToKeys(element, chart) {
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Home") chart.follow();
    else if (event.key === "Enter") chart.askWhy();
    else if (event.key === "s") chart.choose();
    else if (event.key in MOVES && chart.range) chart.look(MOVES[event.key](chart.range));
    else return;
    event.preventDefault();
  });
}

/** `[from, to]` as it is when the wheel has turned by `pixels` at the instant `at`. */
export function zoom([from, to], at, pixels) {
  const turned = Math.max(-MOST_PX, Math.min(MOST_PX, pixels));
  const factor = Math.max(Math.exp(turned * ZOOM_A_PX), LEAST_SPAN_MS / (to - from));
  return [at - (at - from) * factor, at + (to - at) * factor];
}

/** `[from, to]` as it is when it was pulled by `pixels`; nothing is before the start of the run. */
export function pan([from, to], pixels, width) {
  const by = Math.max(-from, (-pixels * (to - from)) / (width - LEFT - RIGHT));
  return [from + by, to + by];
}

/** `chart` has `range`, `look(range)` and `reset()`; `plot` is what Plotly draws into. */
export function listenToDrags(plot, chart) {
  let held = null;
  const isNew = (event) => event.button === 0 && !event.shiftKey && !event.ctrlKey && chart.range;
  plot.addEventListener("pointerdown", (event) => {
    if (isNew(event)) held = { x: event.clientX, range: [...chart.range], hasMoved: false };
  });
  // Plotly hears of mice: it is not to begin a drag of its own.
  plot.addEventListener("mousedown", (event) => isNew(event) && event.stopPropagation(), { capture: true });
  plot.addEventListener("pointermove", (event) => {
    if (!held) return;
    const pixels = event.clientX - held.x;
    if (!held.hasMoved && Math.abs(pixels) <= DRAG_PX) return;
    if (!held.hasMoved) plot.setPointerCapture(event.pointerId);
    held.hasMoved = true;
    plot.classList.add("dragged");
    chart.look(pan(held.range, pixels, plot.clientWidth));
  });
  // Its click comes before that.
  const letGo = () => setTimeout(() => {
    held = null;
    plot.classList.remove("dragged");
  });
  addEventListener("pointerup", letGo);
  plot.addEventListener("pointercancel", letGo);
  // What ends a drag is no click.
  plot.addEventListener("click", (event) => held?.hasMoved && event.stopPropagation(), { capture: true });
  plot.addEventListener("dblclick", () => chart.reset());
  plot.addEventListener("wheel", (event) => {
    if (!event.ctrlKey || !chart.range) return;
    event.preventDefault();
    const at = instantAt(chart.range, event.clientX - plot.getBoundingClientRect().left, plot.clientWidth);
    chart.look(zoom(chart.range, at, event.deltaY * (event.deltaMode ? PX_A_LINE : 1)));
  }, { passive: false });
}
