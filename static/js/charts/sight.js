// Of a figure with many bars or marks only those that can be seen are drawn. The figure itself keeps all.
const MOST_BARS_ALL = 200;
const MOST_MARKS_ALL = 1000;
const APART_PX = 3;
const NARROW_PX = 2;
// In a row there are fewer places for narrow bars than this.
const MOST_STEPS = 10_000;
// Of bars too narrow to be told apart the gravest is seen.
const GRAVEST = ["crashing", "stuck", "failed", "unknown", "notReady", "False"];

function rankOf(trace) {
  const place = GRAVEST.indexOf(trace.name);
  return place < 0 ? 0 : GRAVEST.length - place;
}

/** The traces with the bars of the stretch `from` to `to` in `width` pixels, and of the rows `first` to `last`. */
export function pickSeen({ data, layout }, [from, to], width, { first, last }) {
  const bars = data.filter((trace) => trace.type === "bar");
  const count = bars.reduce((sum, trace) => sum + trace.y.length, 0);
  if (count <= MOST_BARS_ALL) return data;
  const places = new Map(layout.yaxis.categoryarray.map((key, index) => [key, index]));
  const narrow = new Map();
  const narrowMs = ((to - from) / width) * NARROW_PX;
  const step = Math.floor(from / narrowMs) - 1;
  const picked = new Map(bars.map((trace) => [trace, []]));
  for (const trace of bars) {
    const kept = picked.get(trace);
    trace.y.forEach((key, index) => {
      const [start, length] = [trace.base[index], trace.x[index]];
      const top = places.get(key) + trace.offset[index];
      const isSeen = start <= to && start + length >= from && top <= last && top + trace.width[index] >= first;
      if (!isSeen) return;
      if (length >= narrowMs) kept.push(index);
      else keepGravest(narrow, Math.round(top * 100) * MOST_STEPS + Math.floor(start / narrowMs) - step, trace, index);
    });
  }
  const isJoined = new Map(bars.map((trace) => [trace, new Set()]));
  for (const { trace, index, joined } of narrow.values()) {
    picked.get(trace).push(index);
    if (joined) isJoined.get(trace).add(index);
  }
  const drawn = bars.map((trace) => take(trace, picked.get(trace), isJoined.get(trace), narrowMs));
  const isDrawn = (trace) => trace.type !== "bar" || trace.y.length > 0;
  return data.map((trace) => drawn[bars.indexOf(trace)] ?? trace).filter(isDrawn);
}

function keepGravest(narrow, place, trace, index) {
  const known = narrow.get(place);
  if (known) known.joined = true;
  if (!known || isGraver(trace, index, known)) narrow.set(place, { trace, index, joined: Boolean(known) });
}

function isGraver(trace, index, known) {
  const more = rankOf(trace) - rankOf(known.trace);
  return more > 0 || (more === 0 && trace.x[index] > known.trace.x[known.index]);
}

function take(trace, indexes, joined, narrowMs) {
  const isWhole = indexes.length === trace.y.length && !joined.size;
  if (isWhole) return trace;
  const pick = (values) => indexes.map((index) => values[index]);
  const lists = Object.entries(trace).filter(([, values]) => Array.isArray(values));
  const picked = { ...trace, ...Object.fromEntries(lists.map(([name, values]) => [name, pick(values)])) };
  indexes.forEach((index, place) => {
    if (!joined.has(index)) return;
    picked.base[place] = Math.floor(picked.base[place] / narrowMs) * narrowMs;
    picked.x[place] = narrowMs;
  });
  return picked;
}

/** A trace of marks as it is to be drawn in `width` pixels: of those that would lie on one another the last, none out of sight. */
export function thinMarks(trace, [from, to], width) {
  if (trace.mode !== "markers" || trace.x.length <= MOST_MARKS_ALL) return trace;
  const last = new Map();
  trace.x.forEach((at, index) => {
    const place = Math.floor(((at - from) / (to - from)) * (width / APART_PX));
    if (at >= from && at <= to) last.set(`${trace.y[index]} ${place}`, index);
  });
  const kept = [...last.values()];
  const pick = (values) => (Array.isArray(values) ? kept.map((index) => values[index]) : values);
  const { symbol, color } = trace.marker;
  return {
    ...trace,
    x: pick(trace.x),
    y: pick(trace.y),
    seqs: pick(trace.seqs),
    hovertext: pick(trace.hovertext),
    marker: { ...trace.marker, symbol: pick(symbol), color: pick(color) },
  };
}
