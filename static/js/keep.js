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

/** The clipboard is there for pages of this machine and by HTTPS only. */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

async function copyPage(button) {
  const note = button.parentElement.querySelector("[data-copied]");
  const answer = await fetch(fileOf(button.dataset.copy));
  if (!answer.ok) {
    note.textContent = `Not copied: ${(await answer.text()).slice(0, 200)}`;
    return;
  }
  await copy(await answer.text());
  note.textContent = "Copied.";
}

document.addEventListener("click", (event) => {
  const file = event.target.closest("a[data-as]");
  if (file) file.href = fileOf(file.dataset.as);
  const page = event.target.closest("[data-copy]");
  if (page) copyPage(page);
  const table = event.target.closest("[data-copy-address]");
  if (table) copy(document.querySelector(table.dataset.copyAddress).href).then(() => { table.textContent = "Copied"; });
  const text = event.target.closest("[data-copy-text]");
  if (text) copy(document.querySelector(text.dataset.copyText).value).then(() => { text.textContent = "Copied"; });
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
