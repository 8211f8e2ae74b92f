// What is drawn of bars: of each colour one outline around all of them, whatever their number. To draw a bar as an
// element of its own costs a thousand times as much.
const MARK = ["type", "mode", "name", "x", "cliponaxis", "marker", "opacity"];

/** Plotly's traces of what is seen of a figure with rows; `ghost` are those of what is to come. */
export function outline(seen, ghost, layout) {
  const places = new Map(layout.yaxis.categoryarray.map((key, row) => [key, row]));
  const all = [...seen, ...ghost];
  const bars = all.filter((trace) => trace.type === "bar").flatMap((trace) => outlineColours(trace, places));
  const marks = all.filter((trace) => trace.type !== "bar" && trace.x.length).map((trace) => placeMarks(trace, places));
  return [...bars, ...marks];
}

/** One line around each bar, on to the next, and all the way back: of every gap in a line Plotly makes an element. */
function outlineBars(trace, { color, pattern }, places, isDrawn = () => true) {
  const [x, y, starts] = [[], [], []];
  trace.y.forEach((lane, index) => {
    if (!isDrawn(index)) return;
    const [start, top] = [trace.base[index], places.get(lane) + trace.offset[index]];
    const [end, bottom] = [start + trace.x[index], top + trace.width[index]];
    x.push(start, end, end, start, start);
    y.push(top, top, bottom, bottom, top);
    starts.push([start, top]);
  });
  // The ways there and back enclose nothing.
  for (const [start, top] of starts.reverse()) {
    x.push(start);
    y.push(top);
  }
  const fill = pattern ? { fillpattern: { ...pattern, fillmode: "replace", bgcolor: color } } : {};
  return {
    type: "scatter", mode: "none", fill: "toself", line: { simplify: false }, hoverinfo: "skip", name: trace.name, uid: `${idOf(trace)}${color.replace(/\W/g, "-")}`,
    fillcolor: color, opacity: trace.opacity ?? 1, x, y, ...fill,
  };
}

/** Bars of a trace may have colours of their own. */
function outlineColours(trace, places) {
  const { color: colours } = trace.marker;
  if (!Array.isArray(colours)) return [outlineBars(trace, trace.marker, places)];
  return [...new Set(colours)].map((color) => (
    outlineBars(trace, { color }, places, (index) => colours[index] === color)
  ));
}

function idOf(trace) {
  return trace.isAhead ? `ahead-${trace.name}` : trace.name;
}

function placeMarks(trace, places) {
  const told = Object.fromEntries(MARK.filter((name) => name in trace).map((name) => [name, trace[name]]));
  return { ...told, hoverinfo: "skip", uid: idOf(trace), y: trace.y.map((lane) => places.get(lane)) };
}
