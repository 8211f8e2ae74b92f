// What is drawn where: on lanes the bar or mark at a place, of lines what they say at an instant. Nothing here keeps anything.
import { clock } from "../format.js";

// Beside the plot: as the figures' own margins, so that a place in one is the same instant in all.
export const [LEFT, RIGHT, TOP] = [8, 16, 46];
// What of the room above the rows stays in sight.
const AXIS = 24;
const NEAR_PX = 7;
// Bars that are lower, in rows, are at the pointer wherever it is in their row.
const THIN = 0.3;
const ESCAPED = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

const pick = (values, index) => (Array.isArray(values) ? values[index] : values);

/** Whether a place of the window is on the axis of a plot, which stays in sight when its box is scrolled. */
export function isOnAxis(plot, clientY) {
  const box = plot.parentElement.getBoundingClientRect();
  return clientY < Math.max(plot.getBoundingClientRect().top + TOP, Math.max(0, box.top) + AXIS);
}

/** The instant at `x` pixels of a plot `width` wide that shows `range`. */
export function instantAt([from, to], x, width) {
  return Math.max(0, from + (to - from) * (x - LEFT) / (width - LEFT - RIGHT));
}

/** Where an instant is, in pixels; the way back. */
export function placeOf([from, to], at, width) {
  return LEFT + ((at - from) / (to - from)) * (width - LEFT - RIGHT);
}

/** A hover text of the server's as plain lines. */
export function readLines(text) {
  const plain = (line) => line.replace(/<\/?b>/g, "").replace(/&(lt|gt|amp);/g, (sign) => ESCAPED[sign]);
  return String(text).split("<br>").map(plain);
}

function makeItem(trace, index) {
  const isBar = trace.type === "bar";
  const start = isBar ? trace.base[index] : trace.x[index];
  return {
    start,
    end: isBar ? start + trace.x[index] : start,
    seq: trace.seqs?.[index] ?? null,
    lines: readLines(pick(trace.hovertext, index) ?? ""),
  };
}

function* walk(data, lane) {
  for (const trace of data) {
    if (trace.type !== "bar" && trace.mode !== "markers") continue;
    for (let index = 0; index < trace.y.length; index++) if (trace.y[index] === lane) yield [trace, index];
  }
}

/** The bars and marks of a lane, earliest first. */
export function listItems(data, lane) {
  const items = [...walk(data, lane)].map(([trace, index]) => makeItem(trace, index));
  return items.sort((one, other) => one.start - other.start || one.end - other.end);
}

/** Whether a figure has lanes; it has lines otherwise. */
export function hasLanes(layout) {
  return layout.yaxis?.type === "category";
}

/** The lanes of a figure, each once, however many rows high. */
export function listLanes(layout) {
  return (layout.yaxis?.categoryarray ?? []).filter((key) => !key.includes("#"));
}

/** In which row, from 0 on, a lane begins. */
export function rowOf(layout, lane) {
  return layout.yaxis.categoryarray.indexOf(lane);
}

/** The bar or mark at a place of a plot, in pixels; a mark before the bar that it lies on. Null for none. */
export function findItem({ data, layout }, x, y, width) {
  const { meta, xaxis: { range }, yaxis: { categoryarray: keys = [] } } = layout;
  const row = (y - TOP) / meta.rowHeight;
  const key = keys[Math.floor(row)];
  if (key === undefined || y < TOP) return null;
  const lane = key.replace(/#\d+$/, "");
  const inLane = row - keys.indexOf(lane) - 0.5;
  const at = instantAt(range, x, width);
  const near = (NEAR_PX / (width - LEFT - RIGHT)) * (range[1] - range[0]);
  // In a band several stand above one another.
  const isAlone = !keys.includes(`${lane}#1`);
  let found = null;
  for (const [trace, index] of walk(data, lane)) {
    const isMark = trace.type !== "bar";
    if (isMark ? Math.abs(trace.x[index] - at) > near : !isOn(trace, index, at, isAlone, inLane)) continue;
    const distance = isMark ? Math.abs(trace.x[index] - at) : Infinity;
    if (!found || distance <= found.distance) found = { ...makeItem(trace, index), lane, distance };
  }
  return found;
}

function isOn(trace, index, at, isAlone, inLane) {
  const start = trace.base[index];
  if (at < start || at > start + trace.x[index]) return false;
  const high = pick(trace.width, index);
  if (isAlone && high < THIN) return true;
  const top = trace.offset ? pick(trace.offset, index) : -high / 2;
  return inLane >= top && inLane <= top + high;
}

/** What every line says at an instant. */
export function tellLines(data, at) {
  const lines = [clock(at)];
  // What holds until now is not told of what is to come.
  const isToCome = data.some((trace) => trace.isAhead && trace.mode === "lines" && trace.x[0] <= at);
  for (const trace of data) {
    if (trace.mode !== "lines" || !trace.hovertext || (isToCome && !trace.isAhead)) continue;
    const index = trace.x.findLastIndex((instant) => instant <= at);
    const isOver = index === trace.x.length - 1 && trace.meta?.grows !== "line";
    if (index >= 0 && trace.y[index] !== null && !isOver) lines.push(readLines(trace.hovertext[index])[0]);
  }
  return lines.length > 1 ? { start: at, end: at, seq: null, lines } : null;
}

/** The instants at which any line changes. */
export function listChanges(data) {
  const instants = data.filter((trace) => trace.mode === "lines").flatMap((trace) => trace.x);
  return [...new Set(instants)].sort((one, other) => one - other);
}
