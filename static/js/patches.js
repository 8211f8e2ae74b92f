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

/** Bars without an end, and the last point of lines, reach to now. Says whether anything grows. */
export function growFigure(figure, nowMs) {
  let grows = false;
  for (const trace of figure.data) {
    if (trace.meta?.grows === "bars") grows = growBars(trace, nowMs) || grows;
    if (trace.meta?.grows === "line" && trace.x.length) {
      trace.x[trace.x.length - 1] = Math.max(nowMs, trace.x.at(-2) ?? 0);
      grows = true;
    }
  }
  return grows;
}

function growBars(trace, nowMs) {
  let grows = false;
  trace.base.forEach((start, index) => {
    const end = trace.customdata[index];
    trace.x[index] = Math.max(0, (end ?? nowMs) - start);
    grows ||= end === null;
  });
  return grows;
}
