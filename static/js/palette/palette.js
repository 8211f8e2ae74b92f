// A line for commands, opened by a colon: what is typed is completed, done, and answered in words.
import { make } from "../table/elements.js";
import { listCommands, parse, readTyped, spell } from "./commands.js";

const PAUSE_MS = 120;
const MOST_SHOWN = 20;

export class Palette {
  #actions;
  #mayChange;
  #asked = null;
  #turn = 0;
  #options = [];
  #chosen = -1;
  #waiting = null;
  #input = make("input", {
    type: "text", role: "combobox", "aria-label": "Command", "aria-expanded": "false", "aria-controls": "palette-options", "aria-autocomplete": "list",
    autocomplete: "off", spellcheck: "false", maxlength: 300, placeholder: "drain node-1",
  });
  #list = make("ul", { role: "listbox", id: "palette-options", "aria-label": "What can be typed", class: "palette-options" });
  #said = make("div", { role: "status", class: "palette-said" });
  #dialog = make("dialog", { class: "card palette", "aria-label": "Commands" });

  constructor(actions, mayChange) {
    this.#actions = actions;
    this.#mayChange = mayChange;
    const line = make("form", { class: "palette-line" }, make("span", { "aria-hidden": "true" }, ":"), this.#input);
    this.#dialog.append(line, this.#list, this.#said);
    document.querySelector("main").append(this.#dialog);
    line.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#enter();
    });
    this.#input.addEventListener("input", () => this.#typed());
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#list.addEventListener("click", (event) => this.#pick(event));
    // A press beside it closes it.
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
  }

  open() {
    if (this.#dialog.open) return;
    this.#input.value = "";
    this.#say([]);
    this.#dialog.showModal();
    this.#input.focus();
    this.#typed();
  }

  #typed() {
    this.#asked = null;
    this.#say([]);
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.#complete(), PAUSE_MS);
  }

  /** Offer what may be meant. Only the last question's answer counts. */
  async #complete() {
    const turn = ++this.#turn;
    const typed = readTyped(this.#input.value, this.#mayChange);
    if (!typed?.command) {
      const names = typed ? listCommands(this.#mayChange).filter(({ name }) => name.startsWith(typed.name)) : [];
      return this.#offer(names.map((one) => ({ text: one.of || one.shape.includes(" ") ? `${one.name} ` : one.name, shown: one.shape, told: one.told })));
    }
    try {
      const found = await this.#actions.find(typed.command.of, { like: typed.like });
      if (turn === this.#turn) this.#offer(found.map((one) => ({ text: spell(typed.command, one), shown: spell(typed.command, one), told: one.namespace || one.kind })));
    } catch (problem) {
      if (turn === this.#turn) this.#say([problem.message], true);
    }
  }

  #offer(options) {
    this.#options = options.slice(0, MOST_SHOWN);
    this.#chosen = -1;
    this.#list.replaceChildren(...this.#options.map(({ shown, told }, index) => (
      make("li", { role: "option", id: `palette-${index}`, "aria-selected": "false" }, make("code", {}, shown), make("small", {}, told))
    )));
    this.#list.hidden = !this.#options.length;
    this.#input.setAttribute("aria-expanded", String(Boolean(this.#options.length)));
    this.#input.removeAttribute("aria-activedescendant");
  }

  #choose(index) {
    if (!this.#options.length) return;
    this.#chosen = (index + this.#options.length) % this.#options.length;
    for (const [at, item] of [...this.#list.children].entries()) item.setAttribute("aria-selected", String(at === this.#chosen));
    this.#input.setAttribute("aria-activedescendant", `palette-${this.#chosen}`);
    this.#list.children[this.#chosen].scrollIntoView({ block: "nearest" });
  }

  #take(index) {
    this.#input.value = this.#options[index].text;
    this.#typed();
  }

  #key(event) {
    const { key } = event;
    if (key === "ArrowDown") this.#choose(this.#chosen + 1);
    else if (key === "ArrowUp") this.#choose(this.#chosen < 0 ? -1 : this.#chosen - 1);
    else if (key === "Tab" && !event.shiftKey && this.#options.length) this.#take(Math.max(0, this.#chosen));
    else return;
    event.preventDefault();
  }

  #pick(event) {
    const index = [...this.#list.children].indexOf(event.target.closest("li"));
    if (index < 0) return;
    this.#take(index);
    this.#input.focus();
  }

  #enter() {
    if (this.#asked) return this.#do(this.#asked);
    // What is chosen of the list is what is meant; a word that needs another waits for it.
    if (this.#chosen >= 0) {
      this.#take(this.#chosen);
      if (this.#input.value.endsWith(" ")) return;
    }
    const { problem, ...asked } = parse(this.#input.value, this.#mayChange);
    if (problem) this.#say([problem], true);
    else this.#do(() => this.#actions.run(asked));
  }

  async #do(work) {
    clearTimeout(this.#waiting);
    this.#turn += 1;
    this.#asked = null;
    this.#offer([]);
    this.#say(["…"]);
    try {
      const told = await work();
      if (!told) return this.#dialog.close();
      this.#asked = told.go ?? null;
      this.#say(told.problem ? [told.problem] : told.lines ?? [told.ask], Boolean(told.problem));
      if (told.lines) this.#input.select();
    } catch (problem) {
      this.#say([`Podline does not answer: ${problem.message}`], true);
    }
  }

  #say(lines, isBad = false) {
    this.#said.classList.toggle("bad", isBad);
    this.#said.replaceChildren(...lines.map((line) => make("p", {}, line)));
  }
}
