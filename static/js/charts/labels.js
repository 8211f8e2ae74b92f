// Short texts over a chart: labels of its axis, words on its bars. Drawn many times a second: what stays is not written.
import { duration } from "../format.js";
import { placeOf, TOP } from "./pick.js";

const LETTER = 6.4;
const MARGIN = 10;
const INDENT = 4;
// On thinner rows words would lie upon their neighbours.
const LOWEST_ROW = 18;
const SECOND = 1000;
// How the server says the colour of words: what stands on a pattern is pure black.
const LOOKS = { "#000000": "on-pattern", "#ffffff": "light" };

export class Labels {
  #known = [];

  /** `layer` is an element that lies over the plot; the rows' list and the cursor say the same in words of their own. */
  constructor(layer) {
    this.layer = layer;
    layer.setAttribute("aria-hidden", "true");
  }

  /** `[{text, look, x, y}]`, in pixels; `look` is a class. */
  show(labels) {
    for (const [index, label] of labels.entries()) this.#write(index, label);
    for (let index = labels.length; index < this.#known.length; index++) this.#hide(index);
  }

  #write(index, { text, look, x, y }) {
    this.#known[index] ??= this.#make();
    const known = this.#known[index];
    if (known.text !== text) known.element.textContent = known.text = text;
    if (known.look !== look) known.element.className = known.look = look;
    const place = `${Math.round(x)}px ${Math.round(y)}px`;
    if (known.place !== place) {
      known.place = place;
      known.element.style.setProperty("translate", place);
    }
    if (known.isHidden) known.element.hidden = known.isHidden = false;
  }

  #make() {
    const element = this.layer.appendChild(document.createElement("span"));
    return { element, text: null, look: null, place: null, isHidden: false };
  }

  #hide(index) {
    const known = this.#known[index];
    if (!known.isHidden) known.element.hidden = known.isHidden = true;
  }
}

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

/**
 * Words on the bars that are wide enough for them, the state and how long it has lasted: labels for the bars of a figure
 * with that layout, which shows `range` in a plot of `width` pixels.
 */
export function listWords(traces, { meta, yaxis }, range, width) {
  const height = meta?.rowHeight ?? 0;
  if (height < LOWEST_ROW || !traces.some((trace) => trace.words)) return [];
  const marks = findMarks(traces);
  const rows = new Map(yaxis.categoryarray.map((key, row) => [key, row]));
  return traces.flatMap((trace) => (trace.words ?? []).flatMap((word, index) => {
    const start = trace.base[index];
    // Of a bar that began out of sight its words would begin there as well.
    if (!word || start < range[0]) return [];
    const length = trace.x[index];
    const next = marks.get(trace.y[index])?.find((at) => at >= start) ?? Infinity;
    const x = placeOf(range, start, width);
    const text = makeWord(word, length, placeOf(range, Math.min(start + length, range[1], next), width) - x);
    const y = TOP + (rows.get(trace.y[index]) + 0.5) * height;
    return text ? [{ text, x: x + INDENT, y, look: `bartext ${LOOKS[trace.ink] ?? ""}` }] : [];
  }));
}
