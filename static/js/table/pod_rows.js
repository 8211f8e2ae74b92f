// The rows of the table: what the server told, changed by what frames say of pods, in the order that is asked for.
// Everything here is pure but for the rows themselves.

/** Of a summary in a frame, whether it is of a pod. */
export const isPod = ({ kind, group }) => kind === "Pod" && !group;

// Those whose values are no text, and how they are ordered.
const NUMBERS = {
  ready: ({ ready }) => {
    const [is, of] = (ready ?? "").split("/").map(Number);
    return of ? is / of : 0;
  },
  restarts: ({ restarts }) => restarts ?? 0,
  // The youngest is the least.
  created_ms: ({ created_ms: created }) => -created,
};

const order = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

function byName(one, other) {
  return order(one.namespace, other.namespace) || order(one.name, other.name);
}

/** `restarts` is upwards by that column, `-restarts` downwards; "" and what is no column: the gravest state first. */
export function makeOrder(sort, columns, states) {
  const key = sort.replace(/^-/, "");
  if (!columns.includes(key)) {
    const gravity = new Map(states.map((name, index) => [name, index]));
    const of = ({ state }) => gravity.get(state) ?? states.length;
    return (one, other) => of(one) - of(other) || byName(one, other);
  }
  const sign = sort.startsWith("-") ? -1 : 1;
  const value = NUMBERS[key] ?? ((row) => row[key] ?? "");
  return (one, other) => sign * order(value(one), value(other)) || byName(one, other);
}

export class PodRows {
  #byUid = new Map();
  #order = () => 0;
  #isChanged = false;
  #isSorted = false;
  #columns = [];
  #states = [];
  /** In order, as of the last `settle()`. */
  list = [];

  /** What the server told: `{columns, states, rows}`. */
  read({ columns, states, rows }) {
    this.#columns = columns.map(([key]) => key);
    this.#states = states;
    const keys = ["uid", ...this.#columns, "state", "rv"];
    this.#byUid = new Map(rows.map((values) => {
      const row = {};
      for (let index = 0; index < keys.length; index++) row[keys[index]] = values[index];
      return [row.uid, row];
    }));
    this.#isChanged = true;
  }

  /** Take the summaries of a frame; says whether any was of a pod that changed. */
  take(summaries) {
    let isOther = false;
    for (const one of summaries) {
      if (!isPod(one)) continue;
      const known = this.#byUid.get(one.uid);
      if (known && known.rv >= one.rv) continue;
      if (one.deleted_ms !== null) {
        if (!this.#byUid.delete(one.uid)) continue;
        this.#isChanged = true;
      } else if (known) Object.assign(known, one);
      else {
        this.#byUid.set(one.uid, { ...one });
        this.#isChanged = true;
      }
      isOther = true;
    }
    this.#isSorted &&= !isOther;
    return isOther;
  }

  sort(sort) {
    this.#order = makeOrder(sort, this.#columns, this.#states);
    this.#isSorted = false;
  }

  /** Bring the list up to date. A list that is nearly in order is sorted in a moment. */
  settle() {
    if (this.#isChanged) this.#renew();
    if (!this.#isSorted) this.list.sort(this.#order);
    this.#isSorted = true;
  }

  /** Those that stay keep their places, what is new comes after them. */
  #renew() {
    const kept = this.list.filter(({ uid }) => this.#byUid.has(uid)).map(({ uid }) => this.#byUid.get(uid));
    const known = new Set(kept);
    for (const row of this.#byUid.values()) if (!known.has(row)) kept.push(row);
    this.list = kept;
    [this.#isChanged, this.#isSorted] = [false, false];
  }

  find(uid) {
    return this.list.findIndex((row) => row.uid === uid);
  }
}
