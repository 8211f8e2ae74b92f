// Which view of its pods the cluster page shows: the timeline, or the same pods as a table, which is loaded for that.
const TABLE = "table";

export class PodViews {
  #buttons;
  #timeline;
  #place;
  #makeTable;
  #table = null;
  #loading = null;
  #asked = { view: null, query: "", sort: "" };

  /** `page` has `[data-view]` buttons, the timeline's figure and `[data-table]`; `makeTable(Table, element)` makes the table. */
  constructor(page, makeTable) {
    this.#buttons = [...page.querySelectorAll("[data-view]")];
    this.#timeline = page.querySelector("[data-figure^=timeline]");
    this.#place = page.querySelector("[data-table]");
    this.#makeTable = makeTable;
  }

  /** Whether the page has these views. */
  get isThere() {
    return Boolean(this.#place);
  }

  get isTable() {
    return this.#asked.view === TABLE;
  }

  /** Show what the address says. */
  show({ view, query, sort }) {
    if (!this.#place) return;
    this.#asked = { view: view === TABLE ? TABLE : null, query, sort };
    for (const button of this.#buttons) button.setAttribute("aria-pressed", String((button.dataset.view === TABLE) === this.isTable));
    this.#timeline.hidden = this.isTable;
    this.#place.hidden = !this.isTable;
    if (this.isTable) this.#loading ??= import("./pod_table.js").then(({ PodTable }) => this.#made(PodTable));
    this.#follow();
  }

  hear(frame) {
    this.#table?.hear(frame);
  }

  #made(Table) {
    this.#table = this.#makeTable(Table, this.#place);
    this.#follow();
  }

  /** What was asked for last, as soon as there is a table. */
  #follow() {
    if (!this.#table) return;
    if (this.isTable) this.#table.show(this.#asked.query, this.#asked.sort);
    else this.#table.hide();
  }
}
