// Before the first paint: the theme someone chose wins over the system's. A classic script, so that it blocks.
(() => {
  const chosen = localStorage.getItem("theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
})();
