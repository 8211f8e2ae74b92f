// The keyboard on a chart: arrows move through time, plus and minus zoom, Home follows now, Enter asks why, s tells figures.
const STEP = 0.2;
const MOVES = {
  ArrowLeft: ([from, to]) => shift(from, to, -STEP),
  ArrowRight: ([from, to]) => shift(from, to, STEP),
  "+": ([from, to]) => [from + (to - from) * STEP, to - (to - from) * STEP],
  "-": ([from, to]) => [from - (to - from) * STEP, to + (to - from) * STEP],
};

function shift(from, to, share) {
  const by = Math.max((to - from) * share, -from);
  return [from + by, to + by];
}

/** `chart` has `range`, `look(range)`, `follow()`, `askWhy()` and `choose()`; `element` takes the focus. */
export function listenToKeys(element, chart) {
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Home") chart.follow();
    else if (event.key === "Enter") chart.askWhy();
    else if (event.key === "s") chart.choose();
    else if (event.key in MOVES && chart.range) chart.look(MOVES[event.key](chart.range));
    else return;
    event.preventDefault();
  });
}
