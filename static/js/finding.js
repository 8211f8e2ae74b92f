// The filter box, and the chips of the legend that write into it.
const PAUSE_MS = 250;

export class Finding {
  #form;
  #input;
  #legends;
  #hear;
  #told;
  #waiting = null;

  /** `form` has the box; `hear(query)` is called when something else is asked for. */
  constructor(form, legends, hear) {
    this.#form = form;
    this.#input = form.querySelector("input");
    this.#legends = legends;
    this.#hear = hear;
    this.#told = this.query;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#tell();
    });
    this.#input.addEventListener("input", () => {
      clearTimeout(this.#waiting);
      this.#waiting = setTimeout(() => this.#tell(), PAUSE_MS);
    });
    for (const legend of legends) legend.addEventListener("click", (event) => this.#toggle(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#mark();
  }

  get query() {
    return this.#input.value.trim();
  }

  /** Ask for this. */
  show(query) {
    this.#input.value = query;
    this.#tell();
  }

  /** As somebody went back to it, who knows; says whether that is something else. */
  restore(query) {
    this.#input.value = query;
    const isNew = this.query !== this.#told;
    this.#told = this.query;
    this.#mark();
    return isNew;
  }

  #tell() {
    clearTimeout(this.#waiting);
    if (this.query === this.#told) return;
    this.#told = this.query;
    this.#mark();
    this.#hear(this.query);
  }

  #toggle(event) {
    const chip = event.target.closest("[data-tone]");
    if (!chip) return;
    const word = `status:${chip.dataset.tone}`;
    const words = this.query.split(/\s+/).filter(Boolean);
    this.show((words.includes(word) ? words.filter((other) => other !== word) : [...words, word]).join(" "));
  }

  #mark() {
    const words = this.query.toLowerCase().split(/\s+/);
    for (const chip of this.#legends.flatMap((legend) => [...legend.querySelectorAll("[data-tone]")])) {
      const isAsked = words.includes(`status:${chip.dataset.tone.toLowerCase()}`);
      chip.querySelector("button").setAttribute("aria-pressed", String(isAsked));
    }
    this.#form.querySelector("[data-clear]").hidden = !this.query;
  }

  #key(event) {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    this.#input.focus();
    this.#input.select();
  }
}
