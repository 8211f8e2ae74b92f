// Instants and durations as people write them. Everything here is pure.
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500,
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 30, 90, 365].map((count) => count * DAY),
];

const two = (number) => String(number).padStart(2, "0");

/** `1h 02m`, `3m 07s`, `12.3s`: two units at most. */
export function duration(ms) {
  if (ms < SECOND) return ms === 0 ? "0s" : `${ms}ms`;
  if (ms < MINUTE) return `${Number((ms / SECOND).toFixed(3))}s`;
  const [hours, minutes, seconds] = [Math.floor(ms / HOUR), Math.floor(ms / MINUTE) % 60, Math.floor(ms / SECOND) % 60];
  if (ms < HOUR) return seconds ? `${minutes}m ${two(seconds)}s` : `${minutes}m`;
  if (ms < DAY) return minutes ? `${hours}h ${two(minutes)}m` : `${hours}h`;
  const days = Math.floor(ms / DAY);
  return hours % 24 ? `${days}d ${two(hours % 24)}h` : `${days}d`;
}

/** `00:03:07.4`, with days in front when there are any. */
export function clock(ms) {
  const days = Math.floor(ms / DAY);
  const [hours, minutes, seconds] = [Math.floor(ms / HOUR) % 24, Math.floor(ms / MINUTE) % 60, Math.floor(ms / SECOND) % 60];
  const time = `${two(hours)}:${two(minutes)}:${two(seconds)}.${Math.floor(ms / 100) % 10}`;
  return days ? `${days}d ${time}` : time;
}

const UNITS = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY };
const CLOCK = /^(?:(\d{1,6})d)?(\d{1,2}):([0-5]\d):([0-5]\d)(?:\.(\d{1,3}))?$/;

/** The instant that somebody typed, in virtual milliseconds: `17m42s`, `90s`, `00:17:42.5`; null for none. */
export function instant(text) {
  const [isClock, days, hours, minutes, seconds, rest] = text.match(CLOCK) ?? [];
  if (isClock) return (((days ?? 0) * 24 + Number(hours)) * 60 + Number(minutes)) * MINUTE + seconds * SECOND + Number((rest ?? "0").padEnd(3, "0"));
  if (!/^\+?(?:\d{1,12}(?:\.\d{1,3})?(?:ms|s|m|h|d))+$/.test(text)) return null;
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h|d)/g)];
  return Math.round(parts.reduce((sum, [, count, unit]) => sum + count * UNITS[unit], 0));
}

/** `10×`, `0.5×`. */
export function speed(factor) {
  return `${Number(factor.toPrecision(3)).toLocaleString("en")}×`;
}

/** A tick's label tells it from its neighbours: a duration of two units, or a clock where these are too few. */
function label(ms, step) {
  const isTold = ms < HOUR || (ms < DAY ? step >= MINUTE : step >= HOUR);
  if (isTold) return duration(ms);
  const time = clock(ms % DAY).slice(0, step < SECOND ? 10 : step < MINUTE ? 8 : 5);
  return ms < DAY ? time : `${Math.floor(ms / DAY)}d ${time}`;
}

/** Round instants inside a range, at most one for every `spacing` pixels, with their labels. */
export function ticks([from, to], width, spacing = 84) {
  const wanted = Math.max(2, width / spacing);
  const step = STEPS.find((size) => (to - from) / size <= wanted) ?? STEPS.at(-1);
  const values = [];
  for (let at = Math.ceil(Math.max(0, from) / step) * step; at <= to; at += step) values.push(at);
  return { values, labels: values.map((at) => label(at, step)) };
}
