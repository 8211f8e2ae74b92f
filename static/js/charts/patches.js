// Bring a figure up to date with what the server says has changed.

/** `{traces: {number: {points: {field: {index: value}}, whole: {field: value}}}, layout: {key: value}}` */
export function applyPatch(figure, patch) {
  for (const [number, { points, whole }] of Object.entries(patch.traces)) {
    const trace = figure.data[number];
    Object.assign(trace, whole);
    for (const [field, values] of Object.entries(points)) {
      for (const [index, value] of Object.entries(values)) trace[field][index] = value;
    }
  }
  Object.assign(figure.layout, patch.layout);
}

/** Whether anything in a figure reaches to now. */
export function isGrowing({ data }) {
  return data.some(({ meta, x, customdata }) => (
    (meta?.grows === "bars" && customdata.includes(null)) || (meta?.grows === "line" && x.length > 0)
  ));
}

/** Bars without an end, and the last point of lines, reach to now. */
export function growFigure(figure, nowMs) {
  for (const trace of figure.data) {
    if (trace.meta?.grows === "bars") growBars(trace, nowMs);
    if (trace.meta?.grows === "line" && trace.x.length) {
      trace.x[trace.x.length - 1] = Math.max(nowMs, trace.x.at(-2) ?? 0);
    }
  }
}

function growBars(trace, nowMs) {
  trace.base.forEach((start, index) => {
    trace.x[index] = Math.max(0, (trace.customdata[index] ?? nowMs) - start);
  });
}
