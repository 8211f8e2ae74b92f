// The ghost: the cluster's next minutes, as its engine works them out, drawn pale to the right of now.
const ASK_AFTER_MS = 800;
const FASTEST = 10;
const OPACITY = 0.35;
const KEPT = "ghost";

/** A pale trace for a figure; what is no more to come by `nowMs` is left out, and what has no lane here. */
export function makeGhostTrace(ghost, nowMs, lanes) {
  const bars = ghost.bars.filter((bar) => bar.end > nowMs && lanes.includes(bar.lane));
  const starts = bars.map((bar) => Math.max(bar.start, nowMs));
  return {
    type: "bar",
    orientation: "h",
    name: "ahead",
    y: bars.map((bar) => bar.lane),
    base: starts,
    x: bars.map((bar, index) => bar.end - starts[index]),
    offset: bars.map(() => -0.31),
    width: bars.map(() => 0.62),
    marker: { color: bars.map((bar) => bar.colour), opacity: OPACITY, line: { width: 0 } },
    hovertext: bars.map((bar) => `<b>${asText(bar.title)}</b><br>to come: ${asText(bar.when)}`),
  };
}

// Plotly reads a little HTML.
function asText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export class Ghost {
  #button;
  #clock;
  #chart;
  #waiting = null;
  #asked = null;
  #told = {};

  /** `button` switches it; `chart` has `showGhost(ghost)`, null for none, and `name`. */
  constructor(button, clock, chart) {
    this.#button = button;
    this.#clock = clock;
    this.#chart = chart;
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
  hear(told) {
    const before = JSON.stringify(this.#told);
    const { paused, speed, fast, flags = this.#told.flags } = { ...this.#told, ...told };
    this.#told = { paused, speed, fast, flags };
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
    this.#chart.showGhost(null);
    const { paused, speed, fast } = this.#told;
    if (!this.#isOn || fast || !(paused || speed <= FASTEST)) return;
    this.#waiting = setTimeout(() => this.#ask(), ASK_AFTER_MS);
  }

  async #ask() {
    const address = `${this.#chart.base}ahead/?figure=${encodeURIComponent(this.#chart.name)}`;
    // Without a connection nothing is known of what comes; the page says so itself.
    const answer = await fetch(address).catch(() => null);
    if (!answer?.ok) return;
    const asked = await answer.json();
    if (!this.#isOn || this.#told.paused === undefined) return;
    this.#asked = asked;
    this.#chart.showGhost(this.#asked);
  }
}
