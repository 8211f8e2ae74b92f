// Flags over a chart: thin lines where somebody asked something of the cluster, each with a button that asks why.
import { placeOf } from "./pick.js";

const MOST_WIDTH = 400;
// A label is written in full, or at least so much of it; else it is counted beside its neighbour, and its line stays.
const LABEL_WIDTH = 118;
const LEAST_WIDTH = 12;
const LETTER_WIDTH = 6.4;
const EDGES_WIDTH = 16;

/**
 * Where each label goes: `xs` are the places of their lines, earliest first, `texts` what they say, in `width` pixels.
 *
 * To the right of its line where there is room, else to the left; `room` is how wide it may be, 0 for none, `more` how many
 * stand beside it in one number. `isCovered`: its line lies so near to that of the label that is written that it cannot be hit.
 */
export function arrange(xs, texts, width) {
  const places = xs.map(() => ({ side: "right", room: 0, more: 0, isCovered: false }));
  let [free, top, missed] = [width, null, 0];
  for (let index = xs.length - 1; index >= 0; index--) {
    const [x, place] = [xs[index], places[index]];
    const needed = Math.min(MOST_WIDTH, texts[index].length * LETTER_WIDTH + EDGES_WIDTH);
    const least = Math.min(needed, LABEL_WIDTH);
    const [right, left] = [free - x, Math.min(x, free) - (index ? xs[index - 1] + LEAST_WIDTH : 0)];
    if (right >= least) Object.assign(place, { room: Math.min(right, MOST_WIDTH) });
    else if (left >= least) Object.assign(place, { side: "left", room: Math.min(left, needed) });
    else {
      place.isCovered = top !== null && Math.abs(xs[top] - x) < LEAST_WIDTH;
      missed += 1;
      if (top !== null) [places[top].more, missed] = [places[top].more + missed, 0];
      continue;
    }
    [place.more, missed] = [missed, 0];
    free = place.side === "right" ? x : x - place.room;
    top = index;
  }
  return places;
}

function makeFlag(flag) {
  const item = document.createElement("li");
  if (flag.fault) item.className = "fault";
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.why = flag.why;
  button.title = flag.title;
  button.setAttribute("aria-label", `${flag.title}. Say why`);
  const label = document.createElement("span");
  label.textContent = flag.label;
  button.append(label);
  item.append(button);
  return item;
}

// Charts are drawn many times a second, and a style that is written is computed anew though it says the same.
function write(element, name, value) {
  if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
}

function tellMore(top, more) {
  const text = more ? `+${more}` : undefined;
  if (top.dataset.more === text) return;
  if (text) top.dataset.more = text;
  else delete top.dataset.more;
}

/** The flags of one chart; `list` is an empty list that lies over the plot. */
export class Flags {
  #list;
  #flags = [];

  constructor(list) {
    this.#list = list;
  }

  /** `[{at, label, title, why, fault}]`, earliest first. */
  show(flags) {
    const known = this.#flags.map((flag) => flag.why).join();
    if (known === flags.map((flag) => flag.why).join()) return;
    this.#flags = flags;
    this.#list.replaceChildren(...flags.map(makeFlag));
  }

  /** Put each where its instant is in `range`, in a plot `width` pixels wide and `height` high. */
  place([from, to], width, height) {
    write(this.#list, "--height", `${height}px`);
    const shown = [];
    this.#flags.forEach(({ at }, index) => {
      const item = this.#list.children[index];
      const isHidden = !(at >= from && at <= to);
      if (item.hidden !== isHidden) item.hidden = isHidden;
      if (!isHidden) shown.push(index);
    });
    const xs = shown.map((index) => placeOf([from, to], this.#flags[index].at, width));
    const places = arrange(xs, shown.map((index) => this.#flags[index].label), width);
    places.forEach(({ side, room, more, isCovered }, number) => {
      const item = this.#list.children[shown[number]];
      write(item, "--x", `${Math.round(xs[number])}px`);
      write(item, "--room", `${Math.max(0, Math.round(room) - 6)}px`);
      item.classList.toggle("left", side === "left");
      // What came at about the same time is counted, and can be reached by the keyboard.
      item.classList.toggle("covered", isCovered);
      item.classList.toggle("bare", !room && !isCovered);
      tellMore(item.firstElementChild, more);
    });
  }
}
