// The list of recent events, newest first, made from a <template>.
import { clock, duration } from "./format.js";
import { isOpen, tellAt } from "./series.js";
import { addEvent, foldEvents } from "./starts.js";

const MOST_SHOWN = 200;
const PAUSE_MS = 1000;
// Of a text that names a pod by its uid as well: who reads it knows which one is meant.
const UID = /\([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\)/g;

let waiting = null;

/** Read the events again soon. */
export function refreshEvents(afterMs = PAUSE_MS) {
  if (waiting) return;
  waiting = setTimeout(() => {
    waiting = null;
    document.body.dispatchEvent(new CustomEvent("events-missed"));
  }, afterMs);
}

/** `Unhealthy ×4 over 15s`. */
function sayReason(reason, row, nowMs) {
  const { count, lastMs } = tellAt(row, nowMs);
  if (count <= 1) return reason;
  const seconds = Math.floor((lastMs - row.first_ms) / 1000);
  return `${reason} ×${count}${seconds ? ` over ${duration(seconds * 1000)}` : ""}`;
}

export class EventFeed {
  #element;
  #clock;
  #template;
  #uid;
  #base;
  #folders;
  isAsked = false;

  /**
   * `base` is the cluster's address, `folders` by group and kind where pages of such objects stand below it; `clock`
   * says up to when series that are open have been told.
   */
  constructor(element, base = "", folders = {}, clock = { now: () => 0 }) {
    this.#element = element;
    this.#clock = clock;
    this.#base = base;
    this.#folders = folders;
    this.#template = element.querySelector("template");
    this.#uid = element.dataset.uid ?? "";
    foldEvents(this.#list);
    element.addEventListener("htmx:afterSettle", () => foldEvents(this.#list));
    setInterval(() => this.#count(), PAUSE_MS);
  }

  /** What repeats is counted on, by the page's clock. */
  #count() {
    for (const item of this.#list.querySelectorAll("li[data-series]")) {
      const text = sayReason(item.dataset.reason, JSON.parse(item.dataset.series), this.#clock.now());
      const reason = item.querySelector("[data-why]");
      if (reason.textContent !== text) reason.textContent = text;
    }
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
    const shown = events.filter((row) => !this.#uid || row.uid === this.#uid).slice(-MOST_SHOWN);
    if (!shown.length) return;
    this.#element.querySelector("[data-no-events]")?.remove();
    const list = this.#list;
    for (const row of shown) addEvent(list, this.#make(row));
    this.#trim(list);
  }

  /** What leaves the end of the list is older than what the button below it would read. */
  #trim(list) {
    const more = list.querySelector(":scope > .older");
    const items = [...list.children].filter((item) => item !== more);
    if (items.length <= MOST_SHOWN) return;
    for (const item of items.slice(MOST_SHOWN)) item.remove();
    const first = items[MOST_SHOWN - 1];
    if (more) more.querySelector("button").value = (first.parts?.[0] ?? first).dataset.seq;
  }

  #make(row) {
    const item = this.#template.content.cloneNode(true).firstElementChild;
    item.classList.add(row.eventType === "Warning" ? "Warning" : "Normal");
    Object.assign(item.dataset, {
      seq: row.seq, at: row.at_ms, uid: row.uid, kind: `${row.group}/${row.kind}`,
      reason: row.reason, container: row.fieldPath ?? "", event: row.eventId ?? "",
    });
    const write = (name, text) => { item.querySelector(`[data-${name}]`).textContent = text; };
    write("time", clock(row.at_ms));
    item.querySelector("[data-why]").dataset.why = row.seq;
    write("reason", sayReason(row.reason, row, this.#clock.now()));
    if (isOpen(row.detail)) {
      const { count, first_ms, last_ms, detail } = row;
      item.dataset.series = JSON.stringify({ count, first_ms, last_ms, detail });
    }
    write("message", row.message.replace(UID, ""));
    this.#writeSubject(item.querySelector("[data-subject]"), row);
    return item;
  }

  #writeSubject(subject, { group, kind, namespace, name }) {
    if (!subject) return;
    const path = `${namespace ? `${namespace}/` : ""}${name}`;
    subject.textContent = `${kind} ${path}`;
    const folder = this.#folders[`${group}/${kind}`];
    if (folder) subject.href = `${this.#base}${folder}/${path}/`;
  }
}
