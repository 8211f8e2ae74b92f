// Keys of a row, as in k9s: what they open of the object that the row is about.

/** By key where on the object's page it stands; of what is no pod there are no logs. */
const PLACES = { e: "?edit", l: "#logs-title", y: "#yaml", d: "" };

/** The address that a key opens of the page `path` below `base`; null for none. */
export function addressOf(key, base, path) {
  if (!path || !Object.hasOwn(PLACES, key)) return null;
  if (key === "l" && !path.startsWith("pods/")) return null;
  return `${base}${path}${PLACES[key]}`;
}
