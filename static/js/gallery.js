// The gallery's search: a story stays when every word stands in its sentence, its name, its kinds, or its topic.
const form = document.querySelector("[data-find-story]");
const box = form.querySelector("input");
const note = form.querySelector("[data-found]");
const topics = [...document.querySelectorAll("[data-topic]")].map((element) => ({
  element,
  stories: [...element.querySelectorAll("[data-story]")].map((story) => ({
    element: story,
    text: `${element.dataset.topic} ${story.textContent} ${story.dataset.story}`.toLowerCase(),
  })),
}));

function find() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const topic of topics) {
    let here = 0;
    for (const { element, text } of topic.stories) {
      element.hidden = !words.every((word) => text.includes(word));
      here += Number(!element.hidden);
    }
    topic.element.hidden = !here;
    count += here;
  }
  note.textContent = words.length ? `${count} found` : "";
}

form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
box.addEventListener("input", find);
find();
