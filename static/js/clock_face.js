// The virtual clock as people see it: digits, speed, and whether we are still told.
import { clock as digits, speed as times } from "./format.js";

const WORDS = { live: "Live", lost: "Connection lost, trying again", idle: "Connecting" };

export class ClockFace {
  #clock;
  #digits;
  #speed;
  #connection;

  constructor(page, clock) {
    this.#clock = clock;
    this.#digits = page.querySelector("[data-clock]");
    this.#speed = page.querySelector("[data-speed]");
    this.#connection = page.querySelector("[data-live]");
    setInterval(() => this.#write(), 100);
  }

  /** A frame or a clock message: instant, speed, whether time stands. */
  hear({ at_ms: atMs, speed, paused, achieved_speed: achieved, fast, stalled }) {
    this.#clock.hear(atMs, paused || fast || stalled ? 0 : speed);
    const isSlower = achieved && achieved < speed * 0.9;
    const asked = fast ? "as fast as possible" : times(speed);
    this.#speed.textContent = stalled ? "waiting for an engine worker"
      : paused ? "paused" : isSlower ? `${asked} asked, ${times(achieved)} reached` : asked;
    this.#write();
    this.#checkControls(paused);
  }

  setConnection(state) {
    this.#connection.dataset.state = state;
    this.#connection.textContent = WORDS[state];
  }

  // A run that reached its end pauses by itself, and others may pause it too: the buttons follow.
  #checkControls(isPaused) {
    const controls = document.querySelector("[data-paused]");
    const isStale = controls && controls.dataset.paused !== String(isPaused);
    if (isStale && !controls.querySelector(":focus[name=until]")) {
      document.body.dispatchEvent(new CustomEvent("clock-changed"));
    }
  }

  #write() {
    const text = digits(this.#clock.now());
    if (this.#digits.textContent !== text) this.#digits.textContent = text;
  }
}
