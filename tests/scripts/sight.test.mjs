// Of many bars, only what can be seen is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";

import { pickSeen } from "../../static/js/charts/sight.js";

/** Row, start and number of bars that begin every 10 ms, in each row. */
function manyBars(rows, bars) {
  const numbers = (count) => [...Array(count).keys()];
  return numbers(rows).flatMap((row) => numbers(bars).map((bar) => [`row-${row}`, bar * 10, row * bars + bar]));
}

/** What is drawn of bars of two states, as [number, start, length] by the name of the state. */
function draw(rows, range, inSight) {
  const trace = (name, length) => ({
    type: "bar",
    name,
    y: rows.map((row) => row[0]),
    base: rows.map((row) => row[1]),
    x: rows.map(() => length),
    offset: rows.map(() => -0.3),
    width: rows.map(() => 0.6),
    seqs: rows.map((row) => row[2]),
  });
  const layout = { yaxis: { categoryarray: [...new Set(rows.map((row) => row[0]))] } };
  const seen = pickSeen({ data: [trace("ready", 5), trace("crashing", 3)], layout }, range, 1000, inSight);
  const bars = ({ seqs, base, x }) => seqs.map((seq, index) => [seq, base[index], x[index]]);
  return Object.fromEntries(seen.map((one) => [one.name, bars(one)]));
}

test("those out of sight are not drawn", () => {
  const seen = draw(manyBars(20, 10), [30, 60], { first: 3, last: 4 });
  const inSight = [3, 4].flatMap((row) => [3, 4, 5, 6].map((bar) => row * 10 + bar));
  assert.deepEqual(Object.keys(seen), ["ready", "crashing"]);
  for (const bars of Object.values(seen)) assert.deepEqual(bars.map(([seq]) => seq), inSight);
});

test("of those too narrow to be told apart the gravest is drawn", () => {
  const seen = draw(manyBars(1, 1000), [0, 10_000], { first: 0, last: 9 });
  // A bar is half a pixel wide, and so one stands for all of two pixels.
  assert.deepEqual(Object.keys(seen), ["crashing"]);
  const pairs = seen.crashing.map(([, start, length]) => [start, length]);
  assert.deepEqual(pairs, [...Array(500).keys()].map((bar) => [bar * 20, 20]));
});

test("few bars are all drawn", () => {
  const seen = draw(manyBars(10, 10), [30, 60], { first: 3, last: 4 });
  assert.deepEqual(Object.values(seen).map((bars) => bars.length), [100, 100]);
});
