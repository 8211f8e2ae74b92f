// Small forms over a YAML text: filled from it, and what is chosen is written into it. Comments stay, and so does each
// value as it is written: all of them are texts here, and what is to be one for Kubernetes is put in quotes.
import { isCollection, isMap, parseDocument, visit } from "../../vendor/codemirror.min.js";

const READ = { schema: "failsafe" };
const WRITTEN = { lineWidth: 0, indentSeq: false, flowCollectionPadding: false };
const PLAIN = /^[/.]?[A-Za-z][\w./-]*$/;
const NO_TEXT = /^(y|n|yes|no|on|off|true|false|null)$/i;
const EMPTY = /^(|~|null)$/i;
const WHOLE = /^\d{1,10}$/;
const SHARE = /^(\d{1,10}|\d{1,4}%)$/;
const MOST = 2 ** 31 - 1;

export class SmallForms {
  #forms;
  #write;
  #document = null;

  /** `write` is given the text that follows from what was chosen. */
  constructor(editor, write) {
    this.#forms = [...editor.querySelectorAll("[data-form]")];
    this.#write = write;
    for (const form of this.#forms) {
      form.addEventListener("change", (event) => this.#change(form, event.target));
      // What stands in a small field is no part of what is sent, and Enter in it sends nothing.
      form.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && event.target.matches("input")) {
          event.preventDefault();
          this.#change(form, event.target);
        }
      });
      form.addEventListener("toggle", () => this.#show(form));
    }
  }

  /** The text as it is now. It is read when a form is open that shows it. */
  read(text) {
    this.text = text;
    this.#document = null;
    for (const form of this.#forms) this.#show(form);
  }

  /** What was said of fields, at those fields. */
  mark(faults) {
    for (const form of this.#forms) {
      for (const field of form.querySelectorAll("[data-small]")) {
        const path = tellPath(this.#pathOf(form, field));
        const fault = faults.find((one) => one.path === path);
        if (fault) form.open = true;
        sayWrong(field, fault?.text ?? "");
      }
    }
  }

  get #read() {
    this.#document ??= parseDocument(this.text, READ);
    return this.#document;
  }

  #show(form) {
    if (!form.open) return;
    const [fault] = this.#read.errors;
    const isRead = !fault && isMap(this.#read.contents);
    const problem = form.querySelector("[data-form-problem]");
    problem.hidden = isRead;
    problem.textContent = isRead ? "" : `The text cannot be read as YAML: ${fault?.message.split("\n")[0] ?? "it is no object"}`;
    for (const one of form.querySelectorAll("input, select, textarea")) one.disabled = !isRead;
    if (!isRead) return;
    this.#showContainers(form);
    for (const field of form.querySelectorAll("[data-small]")) this.#showField(form, field);
  }

  #showContainers(form) {
    const choice = form.querySelector("[data-container]");
    if (!choice) return;
    const containers = this.#get(form.dataset.containers.split("."));
    const names = isCollection(containers) ? containers.items.map((one, place) => String(one.get?.("name") ?? place)) : [];
    const shown = [...choice.options].map((one) => one.text);
    if (names.join("\n") === shown.join("\n")) return;
    const place = Math.max(0, choice.selectedIndex);
    choice.replaceChildren(...names.map((name, index) => new Option(name, String(index))));
    choice.selectedIndex = Math.min(place, names.length - 1);
  }

  #showField(form, field) {
    const { kind, within, unless, unlessIs } = field.dataset;
    const isThere = !within || this.#get(this.#fullPath(form, field, within)) !== undefined;
    field.hidden = !isThere || Boolean(unless && this.#get(unless.split(".")) === unlessIs);
    const entry = entryOf(field);
    if (entry === document.activeElement && field.hasAttribute("data-is-wrong")) return;
    sayWrong(field, "");
    const found = this.#get(this.#pathOf(form, field));
    if (kind === "handler") {
      entry.value = isMap(found) ? Object.keys(JSON.parse(field.dataset.starts)).find((one) => found.has(one)) ?? "" : "";
    } else if (kind === "lines") {
      entry.value = isCollection(found) ? found.items.map((one) => String(one.value ?? one)).join("\n") : "";
    } else {
      entry.value = found === undefined || found === null || isCollection(found) ? "" : String(found);
    }
  }

  #change(form, entry) {
    if (entry.matches("[data-container]")) {
      this.#show(form);
      return;
    }
    const field = entry.closest("[data-small]");
    const wrong = findWrong(field.dataset.kind, entry);
    sayWrong(field, wrong);
    if (wrong) return;
    try {
      this.#set(form, field, entry.value.trim());
    } catch (problem) {
      sayWrong(field, `The text has something else there: ${problem.message}`);
      return;
    }
    this.#write(this.#read.toString(WRITTEN));
  }

  #set(form, field, value) {
    const { kind, instead, starts } = field.dataset;
    const path = this.#pathOf(form, field);
    if (kind === "handler") {
      this.#setHandler(path, value, JSON.parse(starts));
    } else if (value === "") {
      this.#delete(path);
    } else {
      this.#put(path, readValue(kind, value));
      if (instead) this.#delete(instead.split("."));
    }
    for (const one of form.querySelectorAll("[data-unless]")) {
      if (this.#get(one.dataset.unless.split(".")) === one.dataset.unlessIs) this.#delete(one.dataset.path.split("."));
    }
  }

  /** One handler in the place of another, beginning with a port that the container has; times stay. */
  #setHandler(path, chosen, starts) {
    for (const name of Object.keys(starts)) {
      if (name !== chosen && this.#read.hasIn([...path, name])) this.#read.deleteIn([...path, name]);
    }
    if (!chosen) {
      this.#delete(path);
      return;
    }
    const begun = { ...starts[chosen] };
    const port = this.#get([...path.slice(0, path.findIndex((step) => typeof step === "number") + 1), "ports", 0, "containerPort"]);
    if ("port" in begun && WHOLE.test(port)) begun.port = port;
    if (!this.#read.hasIn([...path, chosen])) this.#put([...path, chosen], begun);
  }

  #put(path, value) {
    for (let length = 1; length < path.length; length += 1) {
      // What is written without a value, such as `strategy:`, is a place for one.
      const found = this.#get(path.slice(0, length));
      if (typeof found === "string" && EMPTY.test(found)) this.#read.deleteIn(path.slice(0, length));
    }
    this.#read.setIn(path, this.#make(value));
  }

  /** A node of a value: a text that Kubernetes could take for something else stands in quotes. */
  #make(value) {
    const node = this.#read.createNode(value, (_key, one) => (typeof one === "number" ? String(one) : one));
    visit(node, {
      Scalar(_key, one) {
        if (!WHOLE.test(one.value) && !SHARE.test(one.value) && !isPlain(one.value)) one.type = "QUOTE_DOUBLE";
      },
      Seq(_key, list) {
        for (const one of list.items) if (!isPlain(one.value)) one.type = "QUOTE_DOUBLE";
      },
    });
    return node;
  }

  /** With what is left empty around it, below the containers and the spec. */
  #delete(path) {
    if (!this.#read.hasIn(path)) return;
    this.#read.deleteIn(path);
    for (let above = path.slice(0, -1); above.length > 1 && typeof above.at(-1) !== "number"; above = above.slice(0, -1)) {
      const found = this.#get(above);
      if (!isMap(found) || found.items.length) return;
      this.#read.deleteIn(above);
    }
  }

  #get(path) {
    return this.#read.getIn(path);
  }

  #pathOf(form, field) {
    return this.#fullPath(form, field, field.dataset.path);
  }

  #fullPath(form, field, path) {
    const inside = path.split(".");
    if (!field.hasAttribute("data-of-container")) return inside;
    const place = Math.max(0, form.querySelector("[data-container]").selectedIndex);
    return [...form.dataset.containers.split("."), place, ...inside];
  }
}

function entryOf(field) {
  return field.querySelector("input, select, textarea");
}

function sayWrong(field, text) {
  const said = field.querySelector("[data-wrong]");
  said.textContent = text;
  said.hidden = !text;
  field.toggleAttribute("data-is-wrong", Boolean(text));
  entryOf(field).setAttribute("aria-invalid", String(Boolean(text)));
}

/** As the API server writes it: `spec.containers[0].image`. */
export function tellPath(path) {
  return path.reduce((told, step) => (typeof step === "number" ? `${told}[${step}]` : told ? `${told}.${step}` : step), "");
}

function findWrong(kind, entry) {
  const value = entry.value.trim();
  if (!value) return "";
  const low = Number(entry.dataset.low ?? 0);
  if (kind === "whole" && !(WHOLE.test(value) && Number(value) >= low && Number(value) <= MOST)) {
    return `A whole number is needed, ${low} or more`;
  }
  if (kind === "share" && !(SHARE.test(value) && Number.parseInt(value, 10) <= MOST)) {
    return "A whole number is needed, or a share such as 25%";
  }
  return "";
}

function readValue(kind, value) {
  return kind === "lines" ? value.split("\n").map((one) => one.trim()).filter(Boolean) : value;
}

function isPlain(text) {
  return PLAIN.test(text) && !NO_TEXT.test(text);
}
