// What is asked for and shown stands in the page's address, so that it can be sent, reloaded and gone back to.
const PAUSE_MS = 400;

export class Address {
  #waiting = null;

  /** `hear(values)` is called when somebody goes back or forward. */
  constructor(hear) {
    addEventListener("popstate", () => hear(this.read()));
  }

  /** `{q, range, sel, open, page, order}`; null where the address says nothing. */
  read() {
    const said = new URLSearchParams(location.search);
    const number = (name) => (/^\d{1,15}$/.test(said.get(name) ?? "") ? Number(said.get(name)) : null);
    const [from, to] = [number("from"), number("to")];
    return {
      q: said.get("q") ?? "",
      range: from !== null && to !== null && from < to ? [from, to] : null,
      sel: said.get("sel"),
      open: said.get("open"),
      page: number("page"),
      order: said.get("order"),
    };
  }

  /** Say so from now on; null takes a value out. What changes many times in a moment is one step back. */
  write(values) {
    const address = new URL(location.href);
    for (const [name, value] of Object.entries(values)) {
      if (value === null || value === "") address.searchParams.delete(name);
      else address.searchParams.set(name, value);
    }
    if (address.href === location.href) return;
    if (this.#waiting) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => { this.#waiting = null; }, PAUSE_MS);
  }
}
