// Virtual now: the last instant the server told, carried on at the cluster's speed until the next.
export class Clock {
  #atMs = 0;
  #heardAt = performance.now();
  #speed = 0;

  /** `at_ms` was true just now; `speed` is 0 while time stands. */
  hear(atMs, speed) {
    const shown = this.now();
    // A frame is a little older than what is shown: never jump back by less than a second and a half of wall time.
    const isLate = atMs < shown && shown - atMs < 1500 * speed;
    this.#atMs = isLate ? shown : atMs;
    this.#speed = speed;
    this.#heardAt = performance.now();
  }

  /** What was known is no longer true. */
  forget() {
    this.#atMs = 0;
    this.#speed = 0;
  }

  now() {
    return Math.round(this.#atMs + (performance.now() - this.#heardAt) * this.#speed);
  }

  get isRunning() {
    return this.#speed > 0;
  }
}
