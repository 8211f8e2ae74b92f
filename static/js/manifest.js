// The box for manifests: an example, or a file dropped on it, becomes its text.
const form = document.querySelector("[data-manifest]");

async function fill(file) {
  form.elements.manifest.value = await file.text();
  form.elements.manifest.focus();
}

form?.addEventListener("change", (event) => {
  const text = event.target.matches("[data-example]") && event.target.selectedOptions[0].dataset.text;
  if (text) form.elements.manifest.value = text;
});

form?.addEventListener("dragover", (event) => event.preventDefault());

form?.addEventListener("drop", (event) => {
  const [file] = event.dataTransfer.files;
  if (!file) return;
  event.preventDefault();
  fill(file);
});
