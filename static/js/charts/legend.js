// Legends: the key to the colours, with how many pods have each of them now; and the names of lines beside a chart.
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

/** Whether a line or area is what a row of the legend names. */
export function isNamed({ name }, { label, title }) {
  return name === label || name === title || name.startsWith(`${label} (`);
}

/** The lines that are drawn when the row `alone` is chosen; null: all. What no row names is drawn with all only. */
export function pickAlone(traces, alone) {
  return alone === null ? traces : traces.filter((trace) => isNamed(trace, alone));
}

/** A click on a name shows one line alone, another click all of them again. */
export class Isolation {
  #changed;
  #alone = null;

  /** `changed` is called when other lines are to be drawn. */
  constructor(changed) {
    this.#changed = changed;
  }

  /** Make buttons of the names in a list that was drawn from `rows`. */
  listen(list, rows) {
    if (!rows.some(({ key }) => key === this.#alone?.key)) this.#alone = null;
    for (const [index, item] of [...list.children].entries()) {
      const row = rows[index];
      const label = item.querySelector("span:not(.visually-hidden)");
      if (!row || !label) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain alone";
      button.textContent = label.textContent;
      button.title = `${label.title}: press to see it alone, again to see all`;
      button.setAttribute("aria-pressed", String(row.key === this.#alone?.key));
      button.dataset.key = row.key;
      button.addEventListener("click", () => this.#choose(row.key === this.#alone?.key ? null : row, list));
      label.replaceWith(button);
    }
  }

  /** All lines again. */
  reset(list) {
    if (this.#alone !== null) this.#choose(null, list);
  }

  pick(traces) {
    return pickAlone(traces, this.#alone);
  }

  #choose(row, list) {
    this.#alone = row;
    for (const button of list.querySelectorAll("button.alone")) {
      button.setAttribute("aria-pressed", String(button.dataset.key === row?.key));
    }
    this.#changed();
  }
}
