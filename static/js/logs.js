// The log on a pod's page: stays at its end while it is followed, and where somebody reads otherwise.
const form = document.querySelector("[data-log]");
const log = document.querySelector("#log");
const follow = form.querySelector("[data-follow-log]");
// How near its end somebody must scroll to follow it again, in pixels.
const NEAR = 8;
const runs = form.elements.run;
let fromEnd = null;

const toEnd = () => log.scrollHeight - log.clientHeight - log.scrollTop;

log.addEventListener("scroll", () => {
  follow.checked = toEnd() < NEAR;
});

follow.addEventListener("change", (event) => {
  // It asks the server for nothing.
  event.stopPropagation();
  if (follow.checked) log.scrollTop = log.scrollHeight;
});

log.addEventListener("click", (event) => {
  const button = event.target.closest("[data-more]");
  if (!button) return;
  form.elements.lines.value = button.dataset.more;
  // Older lines come above: what is read stays where it is.
  fromEnd = log.scrollHeight - log.scrollTop;
  form.requestSubmit();
});

form.querySelector("[data-download]").addEventListener("click", (event) => {
  const asked = new URLSearchParams(new FormData(form));
  for (const name of ["find", "lines"]) asked.delete(name);
  asked.set("download", "yes");
  event.currentTarget.href = `${form.getAttribute("action")}?${asked}`;
});

/** The runs that there are, as the server lists them; what is chosen stays, if it is still one of them. */
function listRuns() {
  const told = log.querySelector("[data-runs]");
  if (!told || told.textContent === runs.textContent) return;
  const chosen = runs.value;
  runs.replaceChildren(...[...told.options].map((option) => option.cloneNode(true)));
  runs.value = chosen;
  if (runs.selectedIndex < 0) runs.value = "";
}

form.elements.container.addEventListener("change", () => { runs.value = ""; });

log.addEventListener("htmx:afterSwap", () => {
  listRuns();
  if (fromEnd !== null) log.scrollTop = log.scrollHeight - fromEnd;
  else if (follow.checked) log.scrollTop = log.scrollHeight;
  fromEnd = null;
});
