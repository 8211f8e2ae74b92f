// Lanes of all objects: which branches are open is asked of the server, which draws them below the pods.
const number = (count) => count.toLocaleString("en");

export class Objects {
  #element;
  #open = [];
  #chart = null;
  #makeChart;
  #onOpen;

  /**
   * `element` is where the tree and the place for the lanes come to be. `makeChart(element)` makes the chart;
   * `onOpen` is called with the branches that are open, `Deployment/shop,Node/`; null for none.
   */
  constructor(element, makeChart, onOpen) {
    this.#element = element;
    this.#makeChart = makeChart;
    this.#onOpen = onOpen;
    element.addEventListener("change", (event) => this.#change(event));
    element.addEventListener("htmx:afterSettle", () => this.#came());
    this.#came();
  }

  /** As the address says: these, and no others; null for none. */
  restore(text) {
    this.#open = text ? text.split(",") : [];
    if (this.#open.length) this.#element.open = true;
    this.#came();
    this.#show();
  }

  /** Of what was drawn: how many have no lane. */
  tellLeftOut({ left_out: count }) {
    const note = this.#element.querySelector("[data-left-out]");
    note.hidden = !count;
    note.textContent = count ? `${number(count)} more objects are not drawn: open fewer branches to see them.` : "";
  }

  #change({ target }) {
    const { branch } = target.dataset;
    if (!branch) return;
    this.#open = this.#open.filter((one) => one !== branch);
    if (target.checked) this.#open.push(branch);
    this.#show();
  }

  /** The tree was written, or is there already. */
  #came() {
    const place = this.#element.querySelector("[data-figure]");
    if (!place) return;
    if (!this.#chart) {
      this.#chart = this.#makeChart(place);
      this.#show();
    }
    for (const box of this.#element.querySelectorAll("[data-branch]")) {
      box.checked = this.#open.includes(box.dataset.branch);
      if (box.checked) box.closest("[data-kind]")?.setAttribute("open", "");
    }
  }

  #show() {
    if (!this.#chart) return;
    const text = this.#open.join(",");
    this.#element.querySelector("[data-figure]").dataset.figure = `objects:${text}`;
    this.#element.querySelector("[data-opened]").hidden = !text;
    this.#onOpen(text || null);
  }
}
