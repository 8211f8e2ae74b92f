// A page of one cluster: its socket feeds the clock, the charts, the events and the parts.
import { Address, atInstant } from "./address.js";
import { Ages } from "./ages.js";
import { Chart } from "./charts/charts.js";
import { Clock, ClockFace } from "./clock.js";
import { EventFeed, refreshEvents } from "./feed.js";
import { Finding } from "./finding.js";
import { Ghost } from "./charts/ghost.js";
import { Legend } from "./charts/legend.js";
import "./manifest.js";
import { Minimap } from "./charts/minimap.js";
import { refreshParts } from "./parts.js";
import { PodViews } from "./table/pod_views.js";
import { Socket } from "./socket.js";
import { View } from "./charts/view.js";
import { WhyPanel } from "./why.js";

const page = document.querySelector("[data-socket]");
const clock = new Clock();
// Until somebody tells, the page's own instant is what is known.
clock.hear(Number(page.dataset.at), 0);
const face = new ClockFace(page, clock);
new Ages(page, clock);
const view = new View();
const why = new WhyPanel(page.querySelector("[data-why-panel]"), view);
const askWhy = (seq) => why.ask(seq);
const charts = [...page.querySelectorAll("[data-figure]")].map((element) => new Chart(element, clock, view, askWhy));
const folders = JSON.parse(page.dataset.folders ?? "{}");
const base = page.querySelector("[data-why-panel]").dataset.base;
const feeds = [...page.querySelectorAll("[data-events]")].map((element) => new EventFeed(element, base, folders, clock));

const legends = [...page.querySelectorAll("[data-legend]")].map((element) => new Legend(element));

const pods = charts.find((chart) => chart.name.startsWith("timeline"));
// One future a page, of all its charts.
const switches = page.querySelector("[data-ghost]");
const ghost = switches ? new Ghost(switches, clock, charts, base) : null;

const maps = [...page.querySelectorAll("[data-minimap]")].map((element) => new Minimap(element, clock, view, charts));

function chartOf(name) {
  return charts.find((chart) => chart.name === name);
}

function showLayout(layout) {
  if (layout.meta?.counts) for (const legend of legends) legend.show(layout.meta.counts);
  if (layout.meta?.counts && pods) for (const legend of legends) legend.explain(pods.traces);
}

function showRun(name, { meta }) {
  const element = meta?.run && page.querySelector(`[data-figure="${CSS.escape(name)}"] [data-minimap]`);
  if (element) maps.find((map) => map.isIn(element))?.show(meta.run);
}

function showFigure(message) {
  chartOf(message.figure)?.show(message);
  tellLeftOut(message.figure, message.layout);
  showRun(message.figure, message.layout);
  showLayout(message.layout);
}

function patchFigure(message) {
  chartOf(message.patch)?.patch(message);
  tellLeftOut(message.patch, message.layout);
  showRun(message.patch, message.layout);
  showLayout(message.layout);
}

const tree = page.querySelector("[data-objects]");
let objects = null;

/** They are asked for by few, so that what draws them is read when somebody does. */
async function openObjects(open) {
  const { Objects } = await import("./charts/objects.js");
  objects ??= new Objects(tree, addChart, askObjects);
  if (open) objects.restore(open);
}

function addChart(element) {
  const chart = new Chart(element, clock, view, askWhy);
  charts.push(chart);
  return chart;
}

function askObjects(open) {
  address.write({ open });
  socket.ask("open", open);
  ghost?.look();
}

function tellLeftOut(name, { meta }) {
  if (meta && name.startsWith("objects:")) objects?.tellLeftOut(meta);
}

function followFrame(frame) {
  face.hear(frame);
  // Of very much that happened at once only that it did is told.
  if (frame.refetch) document.body.dispatchEvent(new CustomEvent("events-missed"));
  else for (const feed of feeds) feed.add(frame.events);
  views.hear(frame);
  if (frame.refetch || frame.transitions.length || frame.objects.length) refreshParts();
}

let commands = null;

/** More was asked of the cluster: what depends on what was given is read anew. */
function tellOfCommands(count) {
  if (commands !== null && count !== commands) document.body.dispatchEvent(new CustomEvent("commands-came"));
  commands = count;
}

const socket = new Socket(page.dataset.socket, {
  open: () => face.setConnection("live"),
  lost: (retryMs) => {
    face.setConnection("lost", retryMs);
    ghost?.leave();
  },
  clock: (message) => {
    face.hear(message.clock);
    // Of an address that was opened only now is known whether what it shows has been read.
    if (view.range) view.onFar(view.range[0]);
    ghost?.hear(message.clock);
    tellOfCommands(message.clock.commands);
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

const legendElements = [...page.querySelectorAll("[data-legend]")];
const box = page.querySelector("[data-find]");
const finding = box ? new Finding(box, legendElements, askFor) : null;
for (const feed of feeds) feed.isAsked = Boolean(finding?.query);

/** Other pods, and the events about them. */
function askFor(query) {
  address.write({ q: query, page: null, order: null });
  askRows(null, null);
  askQuery(query);
}

function askQuery(query) {
  pods?.wait();
  socket.ask("q", query || null);
  showView(address.read());
  tellStretch();
  // At a past instant other changes are the neighbours.
  if (page.querySelector("[data-past]")) htmx.ajax("GET", location.href, { target: "[data-past]", select: "[data-past] > *" });
  for (const feed of feeds) feed.isAsked = Boolean(query);
  refreshEvents(0);
}

/** A page of rows out of all there are; null: the overview. */
function askRows(number, order) {
  socket.ask("page", number);
  socket.ask("order", order);
}

/** The pods as the address says; what is asked for is in the box before it is in the address. */
function showView({ view, sort }) {
  views.show({ view, sort, query: finding?.query ?? "" });
}

const address = new Address((said) => {
  const { q, range, sel, open, page: number, order, stretch } = said;
  view.restoreChosen(stretch);
  if (finding?.restore(q)) askQuery(q);
  else {
    showView(said);
    tellStretch();
  }
  askRows(number, order);
  view.restore(range);
  if (objects) objects.restore(open);
  else if (open && tree) openObjects(open);
  if (sel) why.ask(sel);
  else why.close();
});
const place = page.querySelector("[data-stretch]");

/** The figures of a stretch, of the pods that are asked for. */
function tellStretch() {
  if (!place) return;
  place.hidden = view.chosen === null;
  if (place.hidden) return;
  const [from, to] = view.chosen;
  const values = { from, to, of: place.dataset.of ?? "", q: finding?.query ?? "" };
  htmx.ajax("GET", `${base}stretch/`, { target: place, values });
}

view.onChoose = (range) => {
  address.write({ stretch: range ? range.join("-") : null });
  tellStretch();
};
const views = new PodViews(page, (Table, element) => new Table(element, base, clock, address));
view.onRange = (range) => address.write({ from: range && Math.round(range[0]), to: range && Math.round(range[1]) });
why.onAsk = (seq) => address.write({ sel: seq });
view.onFar = (from) => {
  const isRead = view.windowMs === null || from >= clock.now() - view.windowMs;
  if (!isRead) pressWindow(page.querySelector("[data-window='']"));
};

page.querySelector("[data-try-now]").addEventListener("click", () => socket.tryNow());

function pressWindow(button) {
  for (const other of button.parentElement.children) other.setAttribute("aria-pressed", String(other === button));
  socket.ask("window_ms", showPast(button));
}

page.addEventListener("click", (event) => {
  const button = event.target.closest("[data-window], [data-page], [data-clear], [data-view], [data-close-stretch]");
  if (!button) return;
  if ("closeStretch" in button.dataset) return view.choose(null);
  if ("view" in button.dataset) {
    address.write({ view: button.dataset.view });
    return showView(address.read());
  }
  if ("clear" in button.dataset) finding.show("");
  else if ("window" in button.dataset) {
    pressWindow(button);
    view.follow();
  } else {
    const number = button.dataset.page === "" ? null : Number(button.dataset.page);
    address.write({ page: number, order: number === null ? null : button.dataset.order });
    askRows(number, button.dataset.order ?? null);
  }
});

for (const button of page.querySelectorAll("[data-window][aria-pressed=true]")) showPast(button);

/** From when until when the object of the page was there, as far as the page says so. */
function readLife() {
  const { lifeFrom, lifeUntil } = page.querySelector("[data-life-from]")?.dataset ?? {};
  view.showLife(lifeFrom ? Number(lifeFrom) : null, lifeUntil ? Number(lifeUntil) : null);
}

readLife();
page.addEventListener("htmx:afterSettle", readLife);

const opened = address.read();
showView(opened);
if (opened.stretch) {
  view.restoreChosen(opened.stretch);
  addEventListener("load", tellStretch);
}
if (opened.page !== null) askRows(opened.page, opened.order);
// What opens it has to be heard by htmx.
if (opened.open && tree) addEventListener("load", () => openObjects(opened.open));
tree?.addEventListener("toggle", () => openObjects(null), { once: true });
if (opened.range) view.restore(opened.range);
if (opened.sel) addEventListener("load", () => why.ask(opened.sel));

// Whatever is about to be used on a page of a past instant leads to the cluster's own pages, at that instant.
const past = page.querySelector("[data-past]");
for (const kind of past ? ["pointerover", "focusin"] : []) {
  page.addEventListener(kind, ({ target }) => {
    const link = target.closest("a[href]");
    const to = link && atInstant(link.href, past.dataset, Object.values(folders));
    if (to) link.href = to;
  });
}

// From one past instant to the next what is asked for stays.
page.addEventListener("click", (event) => {
  const link = event.target.closest("[data-past] a[rel]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const to = new URL(location.href);
  for (const name of ["from", "to", "sel", "page"]) to.searchParams.delete(name);
  to.searchParams.set("at", new URL(link.href).searchParams.get("at"));
  location.assign(to);
});

/** Show what a command asks for, where this page can. */
function showAsked({ q, view: asked, stretch }) {
  const isHere = (q === undefined || finding) && (asked === undefined || views.isThere) && (!stretch || place);
  if (!isHere) return false;
  if (asked !== undefined) address.write({ view: asked });
  if (q !== undefined) finding.show(q);
  if (asked !== undefined) showView(address.read());
  if (stretch) view.choose(stretch);
  return true;
}

let palette = null;

async function openPalette() {
  const [{ Palette }, { Actions }] = await Promise.all([import("./palette/palette.js"), import("./palette/actions.js")]);
  const mayChange = "editable" in page.dataset;
  const actions = new Actions({ base, mayChange, show: showAsked, query: () => finding?.query ?? "" });
  return new Palette(actions, mayChange);
}

document.addEventListener("keydown", (event) => {
  if (event.key !== ":" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  event.preventDefault();
  palette ??= openPalette();
  palette.then((opened) => opened.open());
});

// A key, or a link, that asks for the YAML of an object.
const yaml = page.querySelector("#yaml");
if (yaml && location.hash === "#yaml") addEventListener("load", () => {
  yaml.open = true;
  yaml.scrollIntoView({ block: "start" });
});
