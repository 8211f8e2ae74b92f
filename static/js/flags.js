// Flags over a chart: thin lines where somebody asked something of the cluster, each with a button that asks why.
import { placeOf } from "./pick.js";

// A label that would lie upon its neighbour is not written; its line and its button stay.
const LABEL_WIDTH = 118;
const MOST_WIDTH = 400;
const LEAST_WIDTH = 12;

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
    let [free, top, more] = [Infinity, null, 0];
    for (let index = this.#flags.length - 1; index >= 0; index--) {
      const share = (this.#flags[index].at - from) / (to - from);
      const item = this.#list.children[index];
      const isHidden = !(share >= 0 && share <= 1);
      if (item.hidden !== isHidden) item.hidden = isHidden;
      if (isHidden) continue;
      const x = placeOf([from, to], this.#flags[index].at, width);
      const room = Math.min(free, width) - x;
      write(item, "--x", `${Math.round(x)}px`);
      // What came at about the same time lies below, is counted, and can be reached by the keyboard.
      const isCovered = top !== null && room < LEAST_WIDTH;
      item.classList.toggle("covered", isCovered);
      if (isCovered) {
        more += 1;
        continue;
      }
      if (top) tellMore(top, more);
      item.classList.toggle("bare", room < LABEL_WIDTH);
      write(item, "--room", `${Math.round(Math.min(room, MOST_WIDTH)) - 6}px`);
      [free, top, more] = [x, item.firstElementChild, 0];
    }
    if (top) tellMore(top, more);
  }
}
