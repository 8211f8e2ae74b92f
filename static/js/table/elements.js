// Elements made of names and texts: what is said of them is never read as markup.
export function make(tag, values = {}, ...parts) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, value);
  element.append(...parts);
  return element;
}
