// Virtual now: the last instant the server told, carried on at the cluster's speed until the next.
const FORGIVEN_MS = 1500;

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
