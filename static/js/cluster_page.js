// A page of one cluster: its socket feeds the clock, the charts, the events and the parts.
import { Chart } from "./charts.js";
import { Clock } from "./clock.js";
import { ClockFace } from "./clock_face.js";
import { EventFeed } from "./feed.js";
import { Ghost } from "./ghost.js";
import { Legend } from "./legend.js";
import "./manifest.js";
import { refreshParts } from "./parts.js";
import { Socket } from "./socket.js";
import { View } from "./view.js";
import { WhyPanel } from "./why.js";

const page = document.querySelector("[data-socket]");
const clock = new Clock();
const face = new ClockFace(page, clock);
const view = new View();
const why = new WhyPanel(page.querySelector("[data-why-panel]"), view);
const askWhy = (seq) => why.ask(seq);
const charts = [...page.querySelectorAll("[data-figure]")].map((element) => new Chart(element, clock, view, askWhy));
const feeds = [...page.querySelectorAll("[data-events]")].map((element) => new EventFeed(element));

const legends = [...page.querySelectorAll("[data-legend]")].map((element) => new Legend(element));

// One future a page: that of its pods.
const pods = charts.find((chart) => chart.name.startsWith("timeline"));
const switches = page.querySelector("[data-ghost]");
const ghost = pods && switches ? new Ghost(switches, clock, pods) : null;

function chartOf(name) {
  return charts.find((chart) => chart.name === name);
}

function showLayout(layout) {
  if (layout.meta?.counts) for (const legend of legends) legend.show(layout.meta.counts);
  if (layout.meta?.flags) ghost?.hear({ flags: layout.meta.flags.length });
}

function showFigure(message) {
  chartOf(message.figure)?.show(message);
  showLayout(message.layout);
}

function patchFigure(message) {
  chartOf(message.patch)?.patch(message);
  showLayout(message.layout);
}

function followFrame(frame) {
  face.hear(frame);
  // Of very much that happened at once only that it did is told.
  if (frame.refetch) document.body.dispatchEvent(new CustomEvent("events-missed"));
  else for (const feed of feeds) feed.add(frame.events);
  if (frame.refetch || frame.transitions.length || frame.objects.length) refreshParts();
}

const socket = new Socket(page.dataset.socket, {
  open: () => face.setConnection("live"),
  lost: (retryMs) => face.setConnection("lost", retryMs),
  clock: (message) => {
    face.hear(message.clock);
    ghost?.hear(message.clock);
  },
  frame: followFrame,
  figure: showFigure,
  patch: patchFigure,
});

/** How much of the past a button shows; all of it (null) when it says no number. */
function showPast(button) {
  const windowMs = button.dataset.window ? Number(button.dataset.window) : null;
  view.showPast(windowMs);
  return windowMs;
}

page.querySelector("[data-try-now]").addEventListener("click", () => socket.tryNow());

page.addEventListener("click", (event) => {
  const button = event.target.closest("[data-window]");
  if (!button) return;
  for (const other of button.parentElement.children) other.setAttribute("aria-pressed", String(other === button));
  socket.ask("window_ms", showPast(button));
});

for (const button of page.querySelectorAll("[data-window][aria-pressed=true]")) showPast(button);
