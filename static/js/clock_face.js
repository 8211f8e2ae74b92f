// The virtual clock as people see it: digits, speed, and whether we are still told.
import { clock as digits, speed as times } from "./format.js";

const WORDS = { live: "Live", lost: "Connection lost, trying again", idle: "Connecting" };

export class ClockFace {
  #clock;
  #digits;
  #speed;
  #connection;
  #told = {};

  constructor(page, clock) {
    this.#clock = clock;
    this.#digits = page.querySelector("[data-clock]");
    this.#speed = page.querySelector("[data-speed]");
    this.#connection = page.querySelector("[data-live]");
    setInterval(() => this.#write(), 100);
  }

  /** A frame or a clock message; what it does not say stays as it was. */
  hear(message) {
    const told = Object.assign(this.#told, message);
    const isStanding = told.paused || told.fast || told.stalled;
    const isSlower = told.achieved_speed && told.achieved_speed < told.speed * 0.9;
    this.#clock.hear(told.at_ms, isStanding ? 0 : isSlower ? told.achieved_speed : told.speed);
    this.#speed.textContent = this.#words(told, isSlower);
    this.#write();
    this.#checkControls(told.paused);
  }

  #words({ stalled, paused, fast, speed, achieved_speed: achieved }, isSlower) {
    if (stalled) return "waiting for an engine worker";
    if (paused) return "paused";
    if (fast) return "as fast as possible";
    return isSlower ? `${times(speed)} asked, ${times(achieved)} reached` : times(speed);
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
