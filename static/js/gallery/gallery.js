// The gallery's search: a story stays when each word begins one of its sentence, its name, its topic, or of
// Kubernetes' own words in it.
import { makeFinder } from "./beginnings.js";

const form = document.querySelector("[data-find-story]");
const box = form.querySelector("input");
const note = form.querySelector("[data-found]");
const topics = [...document.querySelectorAll("[data-topic]")].map((element) => ({
  element,
  stories: [...element.querySelectorAll("[data-story]")].map((story) => ({
    element: story,
    has: makeFinder(`${element.dataset.topic} ${story.textContent} ${story.dataset.story}`),
  })),
}));

function find() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const topic of topics) {
    let here = 0;
    for (const { element, has } of topic.stories) {
      element.hidden = !words.every(has);
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
