// What every page has: the theme toggle, textareas that submit with Ctrl+Enter, word of problems.
import "./keep.js";

const root = document.documentElement;

function toggleTheme() {
  const isDark = getComputedStyle(root).colorScheme === "dark"
    || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-theme-toggle]")) toggleTheme();
});

// A request that got no answer, or a broken one, is said aloud; it goes away with the next that works.
function sayProblem(text) {
  const toast = document.querySelector("[data-toast]");
  toast.textContent = text;
  toast.hidden = !text;
}

document.addEventListener("htmx:sendError", () => sayProblem("Podline does not answer. Is it still running?"));
document.addEventListener("htmx:responseError", (event) => {
  sayProblem(`Podline answered with an error (${event.detail.xhr.status}); its log says more.`);
});
document.addEventListener("htmx:afterOnLoad", () => sayProblem(""));

// An answer may stand far from what asked for it, or below what can be seen.
document.addEventListener("htmx:afterSettle", ({ target }) => {
  const answer = target.closest(".answer");
  if (!answer?.childElementCount) return;
  const { top, bottom } = answer.getBoundingClientRect();
  if (top >= 0 && bottom <= innerHeight) return;
  answer.scrollIntoView({ block: bottom - top > innerHeight ? "start" : "nearest" });
});

// At a past instant [ and ] go to the change before and the next one.
const NEIGHBOURS = { "[": "prev", "]": "next" };
document.addEventListener("keydown", (event) => {
  if (!(event.key in NEIGHBOURS) || event.target.closest("input, textarea, select")) return;
  document.querySelector(`[data-past] a[rel=${NEIGHBOURS[event.key]}]`)?.click();
});

// ? tells the keys; j and k lead to the table or the first chart, where they choose a row.
const keys = document.querySelector("[data-keys]");
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  if (event.key === "?") keys?.showModal();
  if (event.key !== "j" && event.key !== "k") return;
  const rows = [...document.querySelectorAll(".grid, .lanes .chart")].find((one) => one.checkVisibility());
  rows?.focus({ preventScroll: rows.matches(".grid") });
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-tell-keys]")) keys?.showModal();
});

// Where there is little room, what is seldom needed is folded.
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-unfold]");
  if (!button) return;
  const isOpen = button.parentElement.classList.toggle("unfolded");
  button.setAttribute("aria-expanded", String(isOpen));
  button.textContent = isOpen ? "Less" : "More";
});

document.addEventListener("keydown", (event) => {
  const isSubmit = event.key === "Enter" && (event.ctrlKey || event.metaKey);
  if (isSubmit && event.target.matches("textarea")) event.target.form?.requestSubmit();
});

// A form that was refused may stand far down a page.
document.querySelector("[aria-invalid=true]")?.focus();
