// The list of recent events, newest first, made from a <template>.
import { clock } from "./format.js";

const MOST_SHOWN = 200;
const PAUSE_MS = 1000;
// Of a text that names a pod by its uid as well: who reads it knows which one is meant.
const UID = /\([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\)/g;

let waiting = null;

/** Read the events again soon. */
export function refreshEvents(afterMs = PAUSE_MS) {
  waiting ??= setTimeout(() => {
    waiting = null;
    document.body.dispatchEvent(new CustomEvent("events-missed"));
  }, afterMs);
}

export class EventFeed {
  #element;
  #template;
  #uid;
  isAsked = false;

  constructor(element) {
    this.#element = element;
    this.#template = element.querySelector("template");
    this.#uid = element.dataset.uid ?? "";
  }

  get #list() {
    return this.#element.querySelector("ol");
  }

  /** Rows of a frame, in order. Which of them are asked for where something is, the server knows. */
  add(events) {
    if (this.isAsked) {
      if (events.length) refreshEvents();
      return;
    }
    const shown = events.filter((row) => !this.#uid || row.uid === this.#uid);
    if (!shown.length) return;
    this.#element.querySelector("[data-no-events]")?.remove();
    this.#list.prepend(...shown.map((row) => this.#make(row)).reverse());
    while (this.#list.childElementCount > MOST_SHOWN) this.#list.lastElementChild.remove();
  }

  #make(row) {
    const item = this.#template.content.cloneNode(true).firstElementChild;
    item.classList.add(row.eventType === "Warning" ? "Warning" : "Normal");
    const write = (name, text) => { item.querySelector(`[data-${name}]`).textContent = text; };
    write("time", clock(row.at_ms));
    item.querySelector("[data-why]").dataset.why = row.seq;
    write("reason", row.count > 1 ? `${row.reason} ×${row.count}` : row.reason);
    write("subject", `${row.kind} ${row.namespace ? `${row.namespace}/` : ""}${row.name}`);
    write("message", row.message.replace(UID, ""));
    return item;
  }
}
