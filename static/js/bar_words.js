// Words on the bars that are wide enough for them: the state, and how long it has lasted.
import { duration } from "./format.js";

const LETTER = 6.4;
const MARGIN = 10;
// On thinner rows words would lie upon their neighbours.
const LOWEST_ROW = 18;
const SECOND = 1000;

function makeWord(word, ms, room) {
  const long = `${word} ${duration(ms < SECOND ? ms : Math.floor(ms / SECOND) * SECOND)}`;
  if (word && long.length * LETTER + MARGIN <= room) return long;
  return word && word.length * LETTER + MARGIN <= room ? word : "";
}

/** By lane the instants at which marks lie on it. */
function findMarks(traces) {
  const marks = new Map();
  for (const trace of traces) {
    if (trace.mode !== "markers") continue;
    trace.y.forEach((lane, index) => {
      if (!marks.has(lane)) marks.set(lane, []);
      marks.get(lane).push(trace.x[index]);
    });
  }
  for (const instants of marks.values()) instants.sort((one, other) => one - other);
  return marks;
}

/** Write them into traces of a figure with that layout, which shows `range` in a plot of `width` pixels. */
export function writeWords(traces, layout, [from, to], width) {
  const isHigh = (layout.meta?.rowHeight ?? 0) >= LOWEST_ROW;
  const marks = findMarks(traces);
  for (const trace of traces) {
    if (!trace.words) continue;
    trace.text = trace.words.map((word, index) => {
      const [start, length] = [trace.base[index], trace.x[index]];
      // Of a bar that began out of sight its words would begin there as well.
      if (!isHigh || start < from) return "";
      const next = marks.get(trace.y[index])?.find((at) => at >= start) ?? Infinity;
      const seen = Math.min(start + length, to, next) - start;
      return makeWord(word, length, (seen / (to - from)) * width);
    });
    // Room for words costs nearly as much as words.
    trace.textposition = trace.text.some(Boolean) ? "inside" : "none";
  }
}
