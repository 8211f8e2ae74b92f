// How long ago something was, counted on by the page's clock: kubectl's own words, as lifecycle/engine/rules/columns/ages.py has them.
const PAUSE_MS = 1000;
const [MINUTE, HOUR] = [60, 3600];

const two = (big, unit, small, smallUnit) => `${big}${unit}${small ? `${small}${smallUnit}` : ""}`;

/** `40s`, `3m20s`, `2d9h`: at most two units, coarser the longer it is. */
export function age(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  const minutes = Math.floor(seconds / MINUTE);
  if (seconds < 10 * MINUTE) return two(minutes, "m", seconds % MINUTE, "s");
  if (seconds < 3 * HOUR) return `${minutes}m`;
  const hours = Math.floor(seconds / HOUR);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return two(days, "d", hours % 24, "h");
  if (days < 2 * 365) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 8 * 365 ? two(years, "y", days % 365, "d") : `${years}y`;
}

/** The ages of a page: elements that say since which instant, in virtual milliseconds. */
export class Ages {
  #page;
  #clock;

  constructor(page, clock) {
    this.#page = page;
    this.#clock = clock;
    setInterval(() => this.#write(), PAUSE_MS);
  }

  #write() {
    const now = this.#clock.now();
    for (const element of this.#page.querySelectorAll("[data-since]")) {
      const text = age(now - Number(element.dataset.since));
      if (element.textContent !== text) element.textContent = text;
    }
  }
}
