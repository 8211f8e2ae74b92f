// Many marks: of those that would lie on one another only the last is drawn, and none that is out of sight.
const MOST_DRAWN_ALL = 1000;
const APART_PX = 3;

/** A trace as it is to be drawn in `width` pixels of the stretch `from` to `to`; the trace itself keeps all. */
export function thinMarks(trace, [from, to], width) {
  if (trace.mode !== "markers" || trace.x.length <= MOST_DRAWN_ALL) return trace;
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
