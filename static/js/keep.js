// The menus of a page that hand it on: as a file, as Markdown, by a link. What is shown now is what is handed on.
const RANGE = ["from", "to"];

/** The page's own address, with the stretch of time that its charts show. */
function address() {
  const here = new URL(location.href);
  const range = document.querySelector(".lanes:not([hidden]) .chart")?.layout?.xaxis?.range;
  if (range && !RANGE.every((name) => here.searchParams.has(name))) {
    for (const [index, name] of RANGE.entries()) here.searchParams.set(name, Math.max(0, Math.round(range[index])));
  }
  return here;
}

function fileOf(kind) {
  const here = address();
  here.searchParams.set("as", kind);
  here.hash = "";
  return here;
}

/** Whether it is copied. The clipboard is there for pages of this machine and by HTTPS only, and may be denied. */
async function copy(text) {
  const isDone = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  if (isDone) return true;
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}

async function copyBy(button, text) {
  button.textContent = (await copy(text)) ? "Copied" : "Not copied";
}

async function copyPage(button) {
  const note = button.parentElement.querySelector("[data-copied]");
  const answer = await fetch(fileOf(button.dataset.copy));
  if (!answer.ok) {
    note.textContent = `Not copied: ${(await answer.text()).slice(0, 200)}`;
    return;
  }
  note.textContent = (await copy(await answer.text())) ? "Copied." : "Not copied: the browser does not allow it.";
}

document.addEventListener("click", (event) => {
  const file = event.target.closest("a[data-as]");
  if (file) file.href = fileOf(file.dataset.as);
  const page = event.target.closest("[data-copy]");
  if (page) copyPage(page);
  const table = event.target.closest("[data-copy-address]");
  if (table) copyBy(table, document.querySelector(table.dataset.copyAddress).href);
  const text = event.target.closest("[data-copy-text]");
  if (text) copyBy(text, document.querySelector(text.dataset.copyText).value);
  for (const menu of document.querySelectorAll("[data-menu][open]")) if (!menu.contains(event.target)) menu.open = false;
});

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest("[data-menu][open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// What is shared is what the address says when the link is made, not when the page was.
document.addEventListener("htmx:configRequest", ({ target, detail }) => {
  if (target.matches("[data-share]")) detail.parameters.page = location.pathname + location.search;
});
