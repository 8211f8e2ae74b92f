// The list of recent events, newest first, made from a <template>.
import { clock } from "./format.js";

const MOST_SHOWN = 200;

export class EventFeed {
  #element;
  #template;
  #uid;

  constructor(element) {
    this.#element = element;
    this.#template = element.querySelector("template");
    this.#uid = element.dataset.uid ?? "";
  }

  get #list() {
    return this.#element.querySelector("ol");
  }

  /** Rows of a frame, in order. */
  add(events) {
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
    write("message", row.message);
    return item;
  }
}
