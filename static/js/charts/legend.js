// The key to the colours, with how many pods have each of them now.
export class Legend {
  #items;

  constructor(element) {
    this.#items = [...element.querySelectorAll("[data-tone]")];
  }

  /** `counts`: state to living pods. */
  show(counts) {
    for (const item of this.#items) {
      const count = counts[item.dataset.tone] ?? 0;
      item.dataset.count = count;
      item.querySelector("b").textContent = count;
    }
  }

  /** `traces`: what is drawn now. A colour that is in the picture is explained, also where nothing has it any more. */
  explain(traces) {
    const drawn = new Set(traces.filter((trace) => trace.y.length).map((trace) => trace.name));
    for (const item of this.#items) item.toggleAttribute("data-drawn", drawn.has(item.dataset.tone));
  }
}
