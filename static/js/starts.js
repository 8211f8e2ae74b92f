// The list of events, folded: all that a start of a pod says is one line that opens, and an event that comes again
// takes the place of what it said before.
import { duration } from "./format.js";

const OF_STARTS = new Set(["Scheduled", "Pulling", "Pulled", "Created", "Started"]);

const isStart = ({ dataset }) => dataset.kind === "/Pod" && OF_STARTS.has(dataset.reason);

function listParts(item) {
  return item.parts ?? [item];
}

/** Whether a container that has started in `group` is begun with anew. */
function isAgain(group, { dataset: { reason, container } }) {
  const parts = listParts(group);
  const isKnown = parts.some(({ dataset }) => dataset.reason === reason && dataset.container === container);
  return isKnown || (reason === "Scheduled" && parts.length > 0);
}

/** `Scheduled, Pulling, Pulled, Created, Started within 4.2s`; of several containers each word once. */
function tellStart(parts) {
  const words = [...new Set(parts.map(({ dataset }) => dataset.reason))].join(", ");
  const took = Number(parts.at(-1).dataset.at) - Number(parts[0].dataset.at);
  return took ? `${words} within ${duration(took)}` : words;
}

function makeGroup(first) {
  const group = first.cloneNode(true);
  group.classList.add("start");
  group.parts = [];
  const [details, summary, list] = ["details", "summary", "ol"].map((name) => document.createElement(name));
  details.append(summary, list);
  group.querySelector("[data-message]").replaceWith(details);
  return group;
}

function addPart(group, item) {
  group.parts.push(item);
  Object.assign(group.dataset, item.dataset);
  group.querySelector("summary").textContent = tellStart(group.parts);
  group.querySelector("time").textContent = item.querySelector("time").textContent;
  const [told, said] = [group, item].map((one) => one.querySelector("[data-why]"));
  told.textContent = said.textContent;
  told.dataset.why = said.dataset.why;
  group.querySelector("details > ol").append(item);
}

/** Put the latest event at the head of `list`, with what it belongs to. */
export function addEvent(list, item) {
  const before = list.querySelector(`:scope > li[data-uid="${CSS.escape(item.dataset.uid)}"]`);
  if (before && isStart(item) && isStart(before) && !isAgain(before, item)) {
    const group = before.parts ? before : makeGroup(before);
    if (!before.parts) addPart(group, before);
    addPart(group, item);
    list.prepend(group);
    return;
  }
  const { event } = item.dataset;
  if (event && !isStart(item)) list.querySelector(`:scope > li[data-event="${CSS.escape(event)}"]`)?.remove();
  list.prepend(item);
}

/** Fold a list as the server gives it, newest first. */
export function foldEvents(list) {
  const others = [...list.children].filter((item) => !item.dataset.uid);
  const items = [...list.children].filter((item) => item.dataset.uid).flatMap((item) => listParts(item).toReversed());
  const opened = new Set([...list.querySelectorAll("details[open]")].map((one) => one.closest("li[data-uid]").parts[0]));
  list.replaceChildren(...others);
  for (const item of items.reverse()) addEvent(list, item);
  for (const item of list.children) if (opened.has(item.parts?.[0])) item.querySelector("details").open = true;
}
