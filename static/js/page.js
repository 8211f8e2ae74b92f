// What every page has: the theme toggle, textareas that submit with Ctrl+Enter, examples that fill them.
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

document.addEventListener("keydown", (event) => {
  const isSubmit = event.key === "Enter" && (event.ctrlKey || event.metaKey);
  if (isSubmit && event.target.matches("textarea")) event.target.form?.requestSubmit();
});

document.addEventListener("change", (event) => {
  const text = event.target.matches("[data-example]") && event.target.selectedOptions[0].dataset.text;
  if (text) event.target.form.querySelector("textarea").value = text;
});
