// How often an event that repeats has been told at an instant: the engine's own sum (lifecycle/engine/heart/series.py).
const COST_MS = 300_000;
const MOST_OWED_MS = 25 * COST_MS;
const FREE_MS = MOST_OWED_MS - COST_MS;
const MOST_ROUNDS = 10_000;

export const isOpen = (detail) => Number.isInteger(detail?.paid_ms);

/** `{count, lastMs}` by the latest row about an event. */
export function tellAt({ count, last_ms: lastMs, detail }, nowMs) {
  if (!isOpen(detail)) return { count, lastMs };
  const turn = detail.turn ?? 0;
  const series = [...(detail.beside ?? [])];
  series.splice(turn, 0, [lastMs, detail.period_ms]);
  const told = countRepeats(detail.paid_ms, series, nowMs)[turn];
  return { count: count + told, lastMs: lastMs + told * detail.period_ms };
}

function countRepeats(paidMs, series, untilMs) {
  const told = series.map(() => 0);
  const numbers = series.map(() => 1);
  let owedUntil = paidMs;
  for (;;) {
    const [atMs, first] = findFirst(series, numbers);
    if (atMs > untilMs) return told;
    const dueMs = Math.max(owedUntil, atMs) + COST_MS;
    if (dueMs <= atMs + MOST_OWED_MS) {
      owedUntil = dueMs;
      told[first] = numbers[first]++;
      continue;
    }
    const freeMs = owedUntil - FREE_MS;
    if (Math.min(...series.map(([, period]) => period)) <= COST_MS) return countRounds(told, freeMs, series, untilMs);
    listNumbers(series, freeMs).forEach((number, place) => { numbers[place] = number; });
  }
}

// From now on, for ever: each time that one more is paid off, whoever is first then is told of.
function countRounds(told, freeMs, series, untilMs) {
  const startOf = (round) => listNumbers(series, freeMs + round * COST_MS);
  let latest = Math.floor((untilMs - freeMs) / COST_MS);
  if (latest >= 0 && findFirst(series, startOf(latest))[0] > untilMs) latest -= 1;
  const missing = new Set(series.keys());
  for (let round = latest; round >= Math.max(latest - MOST_ROUNDS + 1, 0) && missing.size; round--) {
    const numbers = startOf(round);
    const first = findFirst(series, numbers)[1];
    if (missing.delete(first)) told[first] = numbers[first];
  }
  return told;
}

function findFirst(series, numbers) {
  let found = [Infinity, 0];
  series.forEach(([lastMs, period], place) => {
    const atMs = lastMs + numbers[place] * period;
    if (atMs < found[0]) found = [atMs, place];
  });
  return found;
}

const listNumbers = (series, fromMs) =>
  series.map(([lastMs, period]) => Math.max(1, Math.ceil((fromMs - lastMs) / period)));
