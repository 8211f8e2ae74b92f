// The tip: what is drawn at the pointer, or at the keyboard's cursor, in words. One for all charts of a page.
const BESIDE_PX = 14;
const EDGE_PX = 8;

function makeTip() {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  // Inside a landmark, as all that a page says.
  (document.querySelector("main") ?? document.body).append(tip);
  return tip;
}

function makeLine(text, index) {
  const line = document.createElement(index ? "span" : "strong");
  line.textContent = text;
  return line;
}

export class Tip {
  #element = null;
  #told = "";

  /** Write `lines` beside a place of the window, wherever there is room; it never leaves the window. */
  show(lines, x, y) {
    this.#element ??= makeTip();
    const told = lines.join("\n");
    if (told !== this.#told) this.#element.replaceChildren(...lines.map(makeLine));
    this.#told = told;
    this.#element.hidden = false;
    const { width, height } = this.#element.getBoundingClientRect();
    const isRight = x + BESIDE_PX + width + EDGE_PX <= innerWidth;
    const isBelow = y + BESIDE_PX + height + EDGE_PX <= innerHeight;
    const left = isRight ? x + BESIDE_PX : x - BESIDE_PX - width;
    const top = isBelow ? y + BESIDE_PX : y - BESIDE_PX - height;
    this.#element.style.setProperty("--x", `${Math.max(EDGE_PX, left)}px`);
    this.#element.style.setProperty("--y", `${Math.max(EDGE_PX, top)}px`);
  }

  hide() {
    if (this.#element) this.#element.hidden = true;
  }
}

export const tip = new Tip();
