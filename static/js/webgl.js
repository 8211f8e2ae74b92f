// Plotly's WebGL markers under a policy without eval: hand regl the code it would otherwise generate and evaluate.
let allowed = null;

async function fillTable() {
  const { scattergl } = await import("../vendor/plotly-webgl.js");
  // A drawn plot is the only way to the module whose table regl looks into; an empty one needs no WebGL yet.
  const plot = document.createElement("div");
  await Plotly.newPlot(plot, [{ type: "scattergl", visible: false }]);
  Object.assign(plot._fullData[0]._module.plot.reglPrecompiled, scattergl);
  Plotly.purge(plot);
}

/** Whether a figure has traces that need WebGL. */
export function needsWebgl(figure) {
  return figure.data.some((trace) => trace.type === "scattergl");
}

/** To be awaited before the first WebGL trace is drawn. */
export function allowWebgl() {
  allowed ??= fillTable();
  return allowed;
}
