// A textarea with its line numbers beside it, and lines that problems name. Only the lines in sight are numbered.
export class Editor {
  #text;
  #gutter;
  #marked = new Set();

  constructor(text, gutter) {
    this.#text = text;
    this.#gutter = gutter;
    for (const event of ["input", "scroll"]) text.addEventListener(event, () => this.draw());
    new ResizeObserver(() => this.draw()).observe(text);
  }

  /** The lines that are wrong, from 1 on. */
  mark(lines) {
    this.#marked = new Set(lines);
    this.draw();
  }

  /** Select a line and bring it into sight. */
  goTo(line) {
    const before = this.#text.value.split("\n", line - 1).join("\n");
    const start = line > 1 ? before.length + 1 : 0;
    const end = this.#text.value.indexOf("\n", start);
    this.#text.focus();
    this.#text.setSelectionRange(start, end < 0 ? this.#text.value.length : end);
    this.#text.scrollTop = (line - 1) * this.#lineHeight - this.#text.clientHeight / 3;
    this.#text.scrollLeft = 0;
    this.#text.scrollIntoView({ block: "nearest" });
  }

  get #lineHeight() {
    return Number.parseFloat(getComputedStyle(this.#text).lineHeight);
  }

  draw() {
    const text = this.#text;
    const height = this.#lineHeight;
    if (!height || !text.clientHeight) return;
    let count = 1;
    for (let at = text.value.indexOf("\n"); at >= 0; at = text.value.indexOf("\n", at + 1)) count += 1;
    const first = Math.floor(text.scrollTop / height);
    const last = Math.min(count, first + Math.ceil(text.clientHeight / height) + 1);
    const numbers = [];
    for (let line = first + 1; line <= last; line += 1) {
      const item = document.createElement("li");
      item.textContent = line;
      item.classList.toggle("bad", this.#marked.has(line));
      numbers.push(item);
    }
    this.#gutter.replaceChildren(...numbers);
    this.#gutter.style.setProperty("--digits", String(count).length);
    this.#gutter.style.setProperty("--shift", `${first * height - text.scrollTop}px`);
  }
}
