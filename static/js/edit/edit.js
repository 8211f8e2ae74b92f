// The editor of an object: the text, what the cluster said of it, and the small forms that write into it.
// This module stays when another editor is opened on the page: each is begun when it comes.
import { Code } from "./code.js";
import { Schemas } from "./schemas.js";
import { SmallForms } from "./small_forms.js";

let isDirty = false;

async function readSchemas(address) {
  try {
    const answer = await fetch(address);
    return new Schemas(answer.ok ? await answer.json() : {});
  } catch {
    // Without it nothing is offered, and all else is as ever.
    return new Schemas({});
  }
}

async function begin(form) {
  form.dataset.begun = "";
  const text = form.elements.text;
  const part = (name) => form.querySelector(`[data-${name}]`);
  const schemas = await readSchemas(form.dataset.schema);
  if (!form.isConnected) return;
  const code = new Code(text, schemas, {
    onField(words) {
      part("field").textContent = words;
      part("field").hidden = !words;
    },
    onSubmit: () => form.querySelector("[value=apply]").click(),
    onChange(value) {
      text.value = value;
      isDirty = true;
      forms.read(value);
    },
  });
  const forms = new SmallForms(form, (value) => { code.value = value; });
  forms.read(code.value);
  part("code-keys").hidden = false;
  code.focus();
  form.scrollIntoView({ block: "nearest" });

  form.addEventListener("htmx:configRequest", (event) => {
    const over = event.detail.triggeringEvent?.submitter?.dataset.over;
    if (over) event.detail.formData.set("seen", over);
  });
  form.addEventListener("htmx:beforeOnLoad", ({ detail: { xhr } }) => {
    // What was written goes along to where the two are compared, not to where one signs in again.
    const to = xhr.getResponseHeader("HX-Redirect");
    if (to && new URL(to, location.href).pathname.includes("/compare/")) isDirty = false;
  });
  form.addEventListener("htmx:afterSwap", () => {
    const merged = part("merged");
    if (merged) code.value = merged.value;
    merged?.remove();
    if (part("applied")) isDirty = false;
    const faults = listFaults(form);
    code.mark(faults);
    forms.mark(faults);
  });
  form.addEventListener("click", (event) => {
    const place = event.target.closest("[data-line]");
    if (place) code.goTo(Number(place.dataset.line));
    if (event.target.closest("[data-close]")) close(form);
  });
}

/** Each fault that was said, with its line and its field. */
function listFaults(form) {
  return [...form.querySelectorAll(".answer > .said.bad")].map((said) => {
    const words = said.cloneNode(true);
    for (const one of words.querySelectorAll("strong, .place, .path")) one.remove();
    return {
      line: Number(said.querySelector("[data-line]")?.dataset.line),
      path: said.querySelector(".path")?.textContent ?? "",
      text: words.textContent.trim(),
    };
  });
}

/** The button is there again; what was written is given up only if that is wanted. */
function close(form) {
  if (isDirty && !confirm("Leave what you wrote?")) return;
  isDirty = false;
  const section = form.closest("#edit");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "waits";
  button.textContent = "Edit YAML";
  for (const [name, value] of [["get", "edit/"], ["target", "#edit"]]) button.setAttribute(`hx-${name}`, value);
  section.replaceChildren(button);
  window.htmx.process(button);
  button.focus();
}

function beginAll() {
  for (const form of document.querySelectorAll("[data-edit]:not([data-begun])")) {
    isDirty = false;
    begin(form);
  }
}

document.addEventListener("htmx:afterSettle", beginAll);
addEventListener("beforeunload", (event) => {
  if (isDirty) event.preventDefault();
});
beginAll();
