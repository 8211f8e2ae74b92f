// Short texts over a chart: labels of its axis, words on its bars. Drawn many times a second: what stays is not written.
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
