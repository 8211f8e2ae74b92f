// Lanes of several runs on one axis: one cursor through all of them, moved by pointer, keys or touch.
import { clock } from "./format.js";

/** All figures of the page that have one axis move together. */
function listAlike(figure) {
  const { begin, end } = figure.dataset;
  return document.querySelectorAll(`[data-beside][data-begin="${begin}"][data-end="${end}"]`);
}

function tellState(lane, atMs) {
  const bar = [...lane.querySelectorAll("[data-from]")]
    .find((one) => Number(one.dataset.from) <= atMs && atMs < Number(one.dataset.to));
  return bar ? bar.dataset.word : "–";
}

function show(figure, atMs) {
  const track = figure.querySelector("[data-track]");
  const line = figure.querySelector("[data-line]");
  const slider = figure.querySelector("[data-cursor]");
  slider.value = atMs;
  slider.setAttribute("aria-valuetext", clock(atMs));
  figure.querySelector("[data-at]").textContent = clock(atMs);
  for (const now of figure.querySelectorAll("[data-now]")) {
    now.textContent = tellState(now.closest(".beside-lane"), atMs);
  }
  if (!track) return;
  const frame = figure.getBoundingClientRect();
  const box = track.getBoundingClientRect();
  const share = (atMs - Number(figure.dataset.begin)) / (figure.dataset.end - figure.dataset.begin);
  line.style.left = `${box.left - frame.left + share * box.width}px`;
  line.hidden = false;
}

function showAll(figure, atMs) {
  for (const one of listAlike(figure)) show(one, atMs);
}

document.addEventListener("input", (event) => {
  const slider = event.target.closest("[data-cursor]");
  if (slider) showAll(slider.closest("[data-beside]"), Number(slider.value));
});

document.addEventListener("pointermove", (event) => {
  const track = event.target.closest?.("[data-track]");
  if (!track) return;
  const figure = track.closest("[data-beside]");
  const begin = Number(figure.dataset.begin);
  const box = track.getBoundingClientRect();
  const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  showAll(figure, Math.round(begin + share * (figure.dataset.end - begin)));
});
