// Virtual now: the last instant the server told, carried on at the cluster's speed until the next; and how people see it.
import { clock as digits, speed as times } from "./format.js";

const FORGIVEN_MS = 1500;
const WORDS = { live: "Live", lost: "Connection lost", idle: "Connecting" };

export class Clock {
  #atMs = 0;
  #heardAt = performance.now();
  #speed = 0;

  /** `at_ms` was true just now; `speed` is 0 while time stands. */
  hear(atMs, speed) {
    const shown = this.now();
    // A frame is a little older than what is shown: rather than jump back, go slower until it is true again.
    const isLate = atMs < shown && shown - atMs < FORGIVEN_MS * speed;
    this.#atMs = isLate ? shown : atMs;
    this.#speed = isLate ? speed * 0.8 : speed;
    this.#heardAt = performance.now();
  }

  /** Nobody tells any more: what is shown last stays. */
  stand() {
    this.#atMs = this.now();
    this.#speed = 0;
  }

  now() {
    return Math.round(this.#atMs + (performance.now() - this.#heardAt) * this.#speed);
  }

  get isRunning() {
    return this.#speed > 0;
  }
}

/** Digits, speed, and whether we are still told. */
export class ClockFace {
  #clock;
  #digits;
  #speed;
  #connection;
  #page;
  #lost;
  #retryAt = 0;
  #told = {};

  constructor(page, clock) {
    this.#clock = clock;
    this.#page = page;
    this.#lost = page.querySelector("[data-lost]");
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

  /** `live` or `lost`; then nothing moves until somebody tells again, in `retryMs` at the earliest. */
  setConnection(state, retryMs = 0) {
    this.#connection.dataset.state = state;
    this.#connection.textContent = WORDS[state];
    const isLost = state === "lost";
    if (isLost) this.#clock.stand();
    this.#retryAt = performance.now() + retryMs;
    this.#page.toggleAttribute("data-stale", isLost);
    this.#lost.hidden = !isLost;
    for (const controls of this.#page.querySelectorAll(".controls")) controls.inert = isLost;
    this.#write();
  }

  // A run that reached its end pauses by itself, and others may pause it too: the buttons follow.
  #checkControls(isPaused) {
    const controls = document.querySelector("[data-paused]");
    const isStale = controls && controls.dataset.paused !== String(isPaused);
    if (isStale && !controls.querySelector(":focus[name=until]:not(:placeholder-shown)")) {
      document.body.dispatchEvent(new CustomEvent("clock-changed"));
    }
  }

  #write() {
    const text = digits(this.#clock.now());
    if (this.#digits.textContent !== text) this.#digits.textContent = text;
    if (!this.#lost.hidden) this.#writeLost(text);
  }

  #writeLost(at) {
    const seconds = Math.max(0, Math.ceil((this.#retryAt - performance.now()) / 1000));
    const next = seconds ? `Trying again in ${seconds} s.` : "Trying again.";
    const words = `Connection lost. What you see is of ${at}. ${next}`;
    const text = this.#lost.querySelector("span");
    if (text.textContent !== words) text.textContent = words;
  }
}
