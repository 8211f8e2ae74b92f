// The change of an image: another container, another image to begin from.
document.addEventListener("change", ({ target }) => {
  const images = target.matches("select") && target.closest("[data-images]");
  if (images) images.querySelector("input").value = target.selectedOptions[0].dataset.image;
});
