// The panel that says why: the chain of what led to a bar, a mark or an event, each of its links a way there.
export class WhyPanel {
  #element;
  #base;
  #view;
  #opener = null;

  constructor(element, view) {
    this.#element = element;
    this.#base = element.dataset.base;
    this.#view = view;
    document.addEventListener("click", (event) => this.#click(event));
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    element.addEventListener("htmx:afterSwap", () => this.#show());
  }

  /** Called with the row that is asked about, null when the panel is closed. */
  onAsk = () => {};

  /** Ask for the chain that ends with this row of the history. */
  ask(seq) {
    this.#opener = document.activeElement;
    this.onAsk(String(seq));
    htmx.ajax("GET", `${this.#base}why/${seq}/`, { target: this.#element });
  }

  close() {
    if (this.#element.hidden) return;
    this.#element.hidden = true;
    this.onAsk(null);
    this.#view.showChain([]);
    this.#view.mark(null);
    this.#opener?.focus?.();
  }

  #show() {
    this.#element.hidden = false;
    const links = [...this.#element.querySelectorAll("[data-at][data-lane]")];
    this.#view.showChain(links.map(({ dataset }) => ({ at: Number(dataset.at), lane: dataset.lane })));
    this.#element.querySelector(".chain li:last-child")?.scrollIntoView({ block: "nearest" });
    this.#element.focus();
  }

  #click(event) {
    const asked = event.target.closest("[data-why]");
    if (asked) this.ask(asked.dataset.why);
    if (event.target.closest("[data-close-why]")) this.close();
    const link = event.target.closest("[data-at]");
    if (link && this.#element.contains(link)) this.#view.mark(Number(link.dataset.at));
  }
}
