// What a command of the palette does: it goes somewhere, asks the page, or asks the server as the page's buttons do.
import { instant } from "../format.js";
import { changeNamespace, listCommands, namesWorkload, readName, readStretch } from "./commands.js";

const REFUSED = "You may look at this cluster, and not change it.";

const name = ({ namespace, name: own }) => (namespace ? `${namespace}/${own}` : own);

/** What an answer of the server's says, without its markup. */
function readSaid(html) {
  const said = [...new DOMParser().parseFromString(html, "text/html").querySelectorAll(".said")];
  return said.map((one) => one.textContent.trim().replace(/\s+/g, " ")).filter(Boolean);
}

export class Actions {
  #base;
  #mayChange;
  #show;
  #query;

  /**
   * `base` is the cluster's address; `show({q, view, stretch})` shows that on this page, and says whether it could;
   * `query()` is what the filter box asks for.
   */
  constructor({ base, mayChange, show, query }) {
    this.#base = base;
    this.#mayChange = mayChange;
    this.#show = show;
    this.#query = query;
  }

  /** Names like what is typed: `[{kind, namespace, name, page}]`. */
  async find(of, asked) {
    const answer = await fetch(`${this.#base}names/?${new URLSearchParams({ of, ...asked })}`);
    if (!answer.ok) throw new Error(`Podline answered with an error (${answer.status}).`);
    return (await answer.json()).names;
  }

  /** Do it. `{lines}` to tell, `{ask, go}` to be asked first, or nothing: the page has changed. */
  run({ command, words }) {
    return this[`_${command.name}`](words);
  }

  _help() {
    return { lines: listCommands(this.#mayChange).map(({ shape, told }) => `${shape}: ${told}`) };
  }

  _table = () => this.#go({ view: "table" });
  _timeline = () => this.#go({ view: null });
  _pods = (words) => this.#go({ view: "table", q: words.join(" ") });

  async _ns([namespace]) {
    const isAll = !namespace || namespace === "all";
    if (!isAll && !(await this.find("namespace", { named: namespace })).length) return { problem: `There is no namespace ${namespace}.` };
    return this.#go({ q: changeNamespace(this.#query(), isAll ? null : namespace) });
  }

  _stretch = (words) => this.#go({ stretch: readStretch(words) });

  _at([text]) {
    const address = new URL(location.href);
    address.searchParams.set("at", `${instant(text)}ms`);
    location.assign(address);
  }

  #go(values) {
    if (this.#show(values)) return;
    const address = new URL(this.#base, location.href);
    const { stretch, ...rest } = values;
    for (const [key, value] of Object.entries({ ...rest, stretch: stretch?.join("-") })) if (value) address.searchParams.set(key, value);
    location.assign(address);
  }

  _node = ([word]) => this.#open("node", word);
  _pod = ([word]) => this.#open("pod", word);
  _workload = ([word]) => this.#open("workload", word);

  async #open(of, word) {
    const { found, problem } = await this.#findOne(of, word);
    if (problem) return { problem };
    location.assign(this.#base + found.page);
  }

  /** The one thing of that name, or what is the matter with it. */
  async #findOne(of, word) {
    const asked = readName(word);
    if (!asked) return { problem: `${word} is no name.` };
    const all = await this.find(of, { named: asked.name, ...(asked.namespace !== null && { namespace: asked.namespace }) });
    // A node has none, whatever is typed before its name.
    const found = asked.namespace === null ? all : all.filter(({ namespace }) => namespace === asked.namespace);
    if (!found.length) return { problem: `There is no ${of} ${name(asked)}.` };
    if (found.length > 1) return { problem: `There are several: say ${found.map((one) => name(one)).join(" or ")}.`, several: found };
    return { found: found[0] };
  }

  _pause = () => this.#control({ kind: "pause" });
  _resume = () => this.#control({ kind: "resume" });
  _step = () => this.#control({ kind: "step" });
  _speed = ([factor]) => this.#control({ kind: "speed", speed: factor });

  async _until(words) {
    let until = words.join(" ");
    if (namesWorkload(words)) {
      const { found, problem, several } = await this.#findOne("workload", words[0]);
      if (several) return { problem: `There are several: say ${several.map((one) => `${reference(one)} ${words.slice(1).join(" ")}`).join(" or ")}.` };
      if (problem) return { problem };
      until = [reference(found), ...words.slice(1)].join(" ");
    }
    return this.#control({ kind: "run", until });
  }

  async #control(form) {
    const told = await this.#post("control/", form);
    document.body.dispatchEvent(new CustomEvent("clock-changed"));
    return told;
  }

  // As the form of a node's page is at first.
  _drain = ([word]) => this.#changeNode(word, { action: "drain", daemons: "on" });
  _cordon = ([word]) => this.#changeNode(word, { action: "cordon" });
  _uncordon = ([word]) => this.#changeNode(word, { action: "uncordon" });

  async #changeNode(word, form) {
    const { found, problem } = await this.#findOne("node", word);
    return problem ? { problem } : this.#post(`${found.page}change/`, form);
  }

  async _delete([word]) {
    const { found, problem } = await this.#findOne("pod", word);
    if (problem) return { problem };
    return { ask: `Delete the pod ${name(found)}? Enter deletes it, Escape does not.`, go: () => this.#post(`${found.page}delete/`, {}) };
  }

  /** Ask the server as a form of a page does. */
  async #post(path, form) {
    const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
    const body = new URLSearchParams({ ...form, csrfmiddlewaretoken: token });
    const answer = await fetch(this.#base + path, { method: "POST", body, headers: { "HX-Request": "true" } });
    const away = answer.headers.get("HX-Redirect");
    if (away) return location.assign(away);
    const lines = readSaid(await answer.text());
    if (answer.ok) return { lines: lines.length ? lines : ["Done."] };
    const problem = lines.join(" ") || (answer.status === 403 ? REFUSED : `Podline answered with an error (${answer.status}).`);
    return { problem };
  }
}

/** As a condition names it: `deployment/web -n shop`. */
function reference({ kind, namespace, name: own }) {
  return `${kind.toLowerCase()}/${own}${namespace && namespace !== "default" ? ` -n ${namespace}` : ""}`;
}
