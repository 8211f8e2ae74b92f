// What is drawn of bars: of each colour one outline around all of them, whatever their number. To draw a bar as an
// element of its own costs a thousand times as much.
const MARK = ["type", "mode", "name", "x", "cliponaxis", "marker"];

/** Plotly's traces of what is seen of a figure with rows; `ghost` is what is to come, or null. */
export function outline(seen, ghost, layout) {
  const places = new Map(layout.yaxis.categoryarray.map((key, row) => [key, row]));
  const bars = seen.filter((trace) => trace.type === "bar").map((trace) => outlineBars(trace, trace.marker, places));
  const marks = seen.filter((trace) => trace.type !== "bar" && trace.x.length).map((trace) => placeMarks(trace, places));
  return [...bars, ...(ghost ? outlineColours(ghost, places) : []), ...marks];
}

function outlineBars(trace, { color, opacity = 1, pattern }, places, isDrawn = () => true) {
  const [x, y] = [[], []];
  trace.y.forEach((lane, index) => {
    if (!isDrawn(index)) return;
    const [start, top] = [trace.base[index], places.get(lane) + trace.offset[index]];
    const [end, bottom] = [start + trace.x[index], top + trace.width[index]];
    x.push(start, end, end, start, null);
    y.push(top, top, bottom, bottom, null);
  });
  const fill = pattern ? { fillpattern: { ...pattern, fillmode: "replace", bgcolor: color } } : {};
  return {
    type: "scatter", mode: "none", fill: "toself", hoverinfo: "skip", name: trace.name, uid: `${trace.name}${color.replace(/\W/g, "-")}`,
    fillcolor: color, opacity, x, y, ...fill,
  };
}

/** What is to come is of one trace, each bar in its own colour. */
function outlineColours(trace, places) {
  const { color: colours, opacity } = trace.marker;
  return [...new Set(colours)].map((color) => (
    outlineBars(trace, { color, opacity }, places, (index) => colours[index] === color)
  ));
}

function placeMarks(trace, places) {
  const told = Object.fromEntries(MARK.filter((name) => name in trace).map((name) => [name, trace[name]]));
  return { ...told, hoverinfo: "skip", uid: trace.name, y: trace.y.map((lane) => places.get(lane)) };
}
