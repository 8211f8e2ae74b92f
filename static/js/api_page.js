// The forms of the REST API's page: what stands in a path goes there, and what is left empty is not asked for.
function makeAddress(form) {
  const data = new FormData(form);
  const path = form.dataset.apiPath.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(data.get(name)));
  const isAsked = ([name, value]) => value !== "" && !form.dataset.apiPath.includes(`{${name}}`);
  const query = new URLSearchParams([...data].filter(isAsked));
  return query.size ? `${path}?${query}` : path;
}

document.addEventListener("submit", (event) => {
  if (!event.target.dataset.apiPath) return;
  event.preventDefault();
  location.assign(makeAddress(event.target));
});
