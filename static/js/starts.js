// The list of events, folded: all that a start of a pod says is one line that opens, and an event that comes again
// takes the place of what it said before.
import { duration } from "./format.js";

const OF_STARTS = new Set(["Scheduled", "Pulling", "Pulled", "Created", "Started"]);

const isStart = ({ dataset }) => dataset.kind === "/Pod" && OF_STARTS.has(dataset.reason);

function listParts(item) {
  return item.parts ?? [item];
}

const isSame = (one, other) => Boolean(one.dataset.event) && one.dataset.event === other.dataset.event;

/** `Scheduled, Pulling, Pulled, Created, Started within 4.2s`; of several containers each word once. */
function tellStart(parts) {
  const words = [...new Set(parts.map(({ dataset }) => dataset.reason))].join(", ");
  const isFirst = parts.every((part) => part.querySelector("[data-why]").textContent === part.dataset.reason);
  const took = Number(parts.at(-1).dataset.at) - Number(parts[0].dataset.at);
  return took && isFirst ? `${words} within ${duration(took)}` : words;
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
  const again = group.parts.find((part) => isSame(part, item));
  again?.remove();
  group.parts = [...group.parts.filter((part) => part !== again), item];
  Object.assign(group.dataset, item.dataset);
  group.querySelector("summary").textContent = tellStart(group.parts);
  group.querySelector("time").textContent = item.querySelector("time").textContent;
  const [told, said] = [group, item].map((one) => one.querySelector("[data-why]"));
  told.textContent = said.textContent;
  told.dataset.why = said.dataset.why;
  group.querySelector("details > ol").append(item);
}

/** The starts of a pod that are told: those of the last line about it, or those that say the same as `item`. */
function findStarts(list, item) {
  const ofPod = [...list.querySelectorAll(`:scope > li[data-uid="${CSS.escape(item.dataset.uid)}"]`)];
  const known = ofPod.find((one) => isStart(one) && listParts(one).some((part) => isSame(part, item)));
  return known ?? ofPod.find(isStart);
}

/** Put the latest event at the head of `list`, with what it belongs to: what comes again stands in one place. */
export function addEvent(list, item) {
  const before = isStart(item) ? findStarts(list, item) : null;
  if (before) {
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
