// The ghost: the cluster's next minutes, as its engine works them out, drawn pale to the right of now.
const ASK_AFTER_MS = 800;
const FASTEST = 10;
const OPACITY = 0.35;
const KEPT = "ghost";

/** What is to come of a figure, as pale traces; what is no more to come by `nowMs` is left out, and what has no lane here. */
export function makeGhostTraces(ghost, nowMs, lanes) {
  const isHere = (lane) => !lanes || lanes.includes(lane);
  const made = ghost.bars ? [makeBars(ghost.bars)] : ghost.traces;
  return made.map((trace) => cut(trace, nowMs, isHere)).filter((trace) => trace.x.length);
}

/** The lanes on which something comes before `end`. */
export function findLanes(ghost, end) {
  const traces = ghost.bars ? [makeBars(ghost.bars)] : ghost.traces;
  return new Set(traces.flatMap(({ base, x, y }) => y.filter((_, index) => (base ?? x)[index] <= end)));
}

function makeBars(bars) {
  return {
    type: "bar",
    orientation: "h",
    name: "ahead",
    isAhead: true,
    y: bars.map((bar) => bar.lane),
    base: bars.map((bar) => bar.start),
    x: bars.map((bar) => bar.end - bar.start),
    offset: bars.map(() => -0.31),
    width: bars.map(() => 0.62),
    opacity: OPACITY,
    marker: { color: bars.map((bar) => bar.colour), line: { width: 0 } },
    hovertext: bars.map((bar) => `<b>${asText(bar.title)}</b><br>to come: ${asText(bar.when)}`),
  };
}

function cut(trace, nowMs, isHere) {
  if (trace.mode === "lines") return cutLine(trace, nowMs);
  const isBar = trace.type === "bar";
  const isKept = (at, index) => at > nowMs && isHere(trace.y[index]);
  const ends = isBar ? trace.base.map((start, index) => start + trace.x[index]) : trace.x;
  const kept = [...ends.keys()].filter((index) => isKept(ends[index], index));
  const picked = pick(trace, kept);
  if (!isBar) return picked;
  picked.base = picked.base.map((start) => Math.max(start, nowMs));
  return { ...picked, x: kept.map((index, place) => ends[index] - picked.base[place]) };
}

/** The steps after now, and at now what holds by then. */
function cutLine(trace, nowMs) {
  const first = trace.x.findIndex((at) => at > nowMs);
  if (first < 0) return { ...trace, x: [], y: [] };
  const picked = pick(trace, [...trace.x.keys()].slice(Math.max(0, first - 1)));
  picked.x[0] = Math.max(picked.x[0], nowMs);
  return picked;
}

function pick(trace, kept) {
  const choose = (values) => (Array.isArray(values) ? kept.map((index) => values[index]) : values);
  const chosen = Object.fromEntries(Object.entries(trace).map(([name, values]) => [name, choose(values)]));
  const marker = trace.marker && Object.fromEntries(Object.entries(trace.marker).map(([name, values]) => [name, choose(values)]));
  return marker ? { ...chosen, marker } : chosen;
}

// Plotly reads a little HTML.
function asText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export class Ghost {
  #button;
  #clock;
  #charts;
  #base;
  #waiting = null;
  #asked = null;
  #told = {};

  /** `button` switches it; of `charts` each has `showGhost(ghost)`, null for none, and `name`; `base` is the cluster's address. */
  constructor(button, clock, charts, base) {
    this.#button = button;
    this.#clock = clock;
    this.#charts = charts;
    this.#base = base;
    button.setAttribute("aria-pressed", String(this.#isOn));
    button.addEventListener("click", () => this.#switch());
  }

  get #isOn() {
    return localStorage.getItem(KEPT) !== "off";
  }

  #switch() {
    localStorage.setItem(KEPT, this.#isOn ? "off" : "on");
    this.#button.setAttribute("aria-pressed", String(this.#isOn));
    this.look();
  }

  /** The clock as told, and how many commands there were; another command makes another future. */
  hear({ paused, speed, fast, commands }) {
    const before = JSON.stringify(this.#told);
    this.#told = { paused, speed, fast, commands };
    if (JSON.stringify(this.#told) !== before || this.#clock.now() > this.#farAt()) this.look();
  }

  #farAt() {
    const { at_ms: from = 0, to_ms: to = Infinity } = this.#asked ?? {};
    return from + (to - from) / 2;
  }

  /** Nothing is heard any more: what comes is not known either. */
  leave() {
    this.#told = {};
    this.look();
  }

  /** Look anew, soon. */
  look() {
    clearTimeout(this.#waiting);
    this.#asked = null;
    for (const chart of this.#charts) chart.showGhost(null);
    const { paused, speed, fast } = this.#told;
    if (!this.#isOn || fast || !(paused || speed <= FASTEST)) return;
    this.#waiting = setTimeout(() => this.#ask(), ASK_AFTER_MS);
  }

  async #ask() {
    const asks = new URLSearchParams(this.#charts.map(({ name }) => ["figure", name]));
    const address = `${this.#base}ahead/?${asks}`;
    // Without a connection nothing is known of what comes; the page says so itself.
    const answer = await fetch(address).catch(() => null);
    if (!answer?.ok) return;
    const asked = await answer.json();
    if (!this.#isOn || this.#told.paused === undefined) return;
    this.#asked = asked;
    const { figures, note, to_ms } = asked;
    // What is said is of the whole cluster, and said once.
    this.#charts.forEach((chart, place) => {
      chart.showGhost({ to_ms, note: place ? "" : note, ...figures[chart.name] });
    });
  }
}
