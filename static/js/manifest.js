// The form for manifests: a text, an example that becomes it, or files that take its place and are read at once.
import { Editor } from "./editor.js";
import { PickedFiles } from "./picked_files.js";

const form = document.querySelector("[data-manifest]");
const part = (name) => form.querySelector(`[data-${name}]`);
const editor = form && new Editor(form.elements.manifest, part("gutter"));
let picked = null;

function show() {
  part("text").hidden = Boolean(picked);
  part("picked").hidden = !picked;
  part("submit").textContent = picked ? "Read again" : form.dataset.word;
  // The report has a button of its own.
  part("submit").hidden = Boolean(picked && form.querySelector(".report"));
  if (!picked) return;
  part("picked-name").textContent = picked.name;
  part("picked-size").textContent = `${picked.count} ${picked.count === 1 ? "file" : "files"}, ${sizeOf(picked.bytes)}`;
}

function sizeOf(bytes) {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

function say(problem) {
  part("picked-problem").textContent = problem;
  part("picked-problem").hidden = !problem;
}

function forget() {
  form.querySelector("#answer").replaceChildren();
  editor.mark([]);
  say("");
}

/** `fill` puts files into what is then read. */
async function pick(fill) {
  forget();
  const { suffixes, mostBytes, mostFiles } = form.dataset;
  const limits = { suffixes: suffixes.split(" "), bytes: Number(mostBytes), files: Number(mostFiles) };
  const files = new PickedFiles({ ...limits, renders: "renders" in form.dataset });
  try {
    await fill(files);
  } catch (problem) {
    say(problem.message);
    return;
  }
  if (!files.count) return;
  picked = files;
  show();
  form.scrollIntoView({ block: "nearest" });
  form.requestSubmit(part("submit"));
}

function putAway() {
  picked = null;
  forget();
  show();
}

form?.addEventListener("change", (event) => {
  if (event.target.matches("[data-pick]")) {
    const files = [...event.target.files];
    event.target.value = "";
    pick((found) => found.addFiles(files));
  }
  const text = event.target.matches("[data-example]") && event.target.selectedOptions[0].dataset.text;
  if (text) {
    putAway();
    form.elements.manifest.value = text;
    editor.draw();
  }
});

// A report is of the text as it was.
form?.addEventListener("input", (event) => {
  if (event.target === form.elements.manifest) forget();
});

form?.addEventListener("click", (event) => {
  const place = event.target.closest("[data-line]");
  if (place) editor.goTo(Number(place.dataset.line));
  if (!event.target.closest("[data-put-away]")) return;
  putAway();
  form.elements.manifest.focus();
});

/** What happens to files that are dragged over the page; a text that is dragged is left to the browser. */
function onFiles(type, act) {
  document.addEventListener(type, (event) => {
    if (!form || !event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    act(event);
  });
}

onFiles("dragover", () => form.toggleAttribute("data-over", true));
onFiles("dragleave", (event) => form.toggleAttribute("data-over", Boolean(event.relatedTarget)));
onFiles("drop", (event) => {
  form.removeAttribute("data-over");
  pick((found) => found.addDrop(event.dataTransfer));
});

form?.addEventListener("htmx:configRequest", (event) => {
  const sent = event.detail.formData;
  // Only the report's own button says that it was seen.
  if (event.detail.triggeringEvent?.submitter?.name !== "seen") sent.delete("seen");
  if (!picked) return;
  sent.delete("manifest");
  // Browsers send a file's name without its folder.
  sent.set("paths", JSON.stringify(picked.sent.map(([path]) => path)));
  sent.set("named", JSON.stringify(picked.named));
  for (const [number, [, content]] of picked.sent.entries()) sent.append("file", content, String(number));
});

form?.addEventListener("htmx:afterSwap", () => {
  // Once applied, the files have done their work.
  if (!form.querySelector(".report")) picked = null;
  editor.mark([...form.querySelectorAll("[data-line]")].map(({ dataset }) => Number(dataset.line)));
  show();
});
