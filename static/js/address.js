// What is asked for and shown stands in the page's address, so that it can be sent, reloaded and gone back to.
const PAUSE_MS = 400;
/** By key of a row where on the object's page it leads to; of what is no pod there are no logs. */
const PLACES = { e: "?edit", l: "#logs-title", y: "#yaml", d: "" };

/** `[from, to]` of `17000-18000`, in virtual milliseconds; null for none. */
function readStretch(text) {
  const [, from, to] = text.match(/^(\d{1,15})-(\d{1,15})$/)?.map(Number) ?? [];
  return from < to ? [from, to] : null;
}

export class Address {
  #waiting = null;

  /** `hear(values)` is called when somebody goes back or forward. */
  constructor(hear) {
    addEventListener("popstate", () => hear(this.read()));
  }

  /** `{q, range, sel, open, page, order, view, sort, stretch}`; null where the address says nothing. */
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
      view: said.get("view"),
      sort: said.get("sort") ?? "",
      stretch: readStretch(said.get("stretch") ?? ""),
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

/** The address that a key of a row opens, as in k9s, of the object's page `path` below `base`; null for none. */
export function addressOf(key, base, path) {
  if (!path || !Object.hasOwn(PLACES, key)) return null;
  if (key === "l" && !path.startsWith("pods/")) return null;
  return `${base}${path}${PLACES[key]}`;
}

/**
 * Where a link of a page at a past instant is to lead: to that page of the cluster itself at that instant, whose address
 * lasts as long as the history. Null for all else. `folders`: below which objects have pages.
 */
export function atInstant(href, { look, own, instant }, folders) {
  const to = new URL(href, location.href);
  if (to.origin !== location.origin || !to.pathname.startsWith(look) || to.searchParams.has("as")) return null;
  const rest = to.pathname.slice(look.length);
  const [folder, ...names] = rest.split("/");
  const isObject = folders.includes(folder) && names.at(-1) === "" && (names.length === 2 || names.length === 3);
  if (rest && !isObject) return null;
  to.pathname = own + rest;
  to.searchParams.set("at", `${instant}ms`);
  return to.href;
}
