// Of more pods than rows: how many are not drawn, and the ways to every one of them, page after page.
const number = (count) => count.toLocaleString("en");

export class Rows {
  #element;

  /** `element` has `[data-rows-note]` and buttons of `[data-page]`; null where a figure has no such pages. */
  constructor(element) {
    this.#element = element;
  }

  /** `hidden`: so many are not drawn; `page`: which are, of how many. */
  show({ hidden, page }) {
    if (!this.#element) return;
    this.#element.hidden = !hidden && !page;
    this.#element.querySelector("[data-rows-note]").textContent = page
      ? `Pods ${number(page.first)} to ${number(page.last)} of ${number(page.count)}, by ${page.order}.`
      : `${number(hidden ?? 0)} more pods are counted, but not drawn: problems come first, then the latest.`;
    for (const button of this.#element.querySelectorAll("[data-page]")) this.#place(button, page);
  }

  #place(button, page) {
    const { go } = button.dataset;
    if (go === "before" || go === "next") {
      const to = (page?.number ?? 0) + (go === "next" ? 1 : -1);
      button.hidden = !page || (go === "next" ? page.last >= page.count : to < 0);
      button.dataset.page = to;
      button.dataset.order = page?.order ?? "name";
    } else if (go === "back") button.hidden = !page;
    else button.setAttribute("aria-pressed", String(page?.order === button.dataset.order));
  }
}
