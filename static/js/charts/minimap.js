// The whole run in a strip: where pods were in trouble, and the stretch that is shown, to be dragged.
const NAMESPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [1000, 26];
const LEAST_PX = 8;
const LOWEST = 3;

function make(name, values) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
  return element;
}

export class Minimap {
  #element;
  #clock;
  #view;
  #chart;
  #run = [];
  #bars = make("g", { class: "trouble" });
  #window = make("rect", { class: "window", y: 0.5, height: HEIGHT - 1, rx: 3 });
  #shown = 0;
  #drawn = "";
  #hold = null;

  constructor(element, clock, view, charts) {
    this.#element = element;
    this.#clock = clock;
    this.#view = view;
    this.#chart = charts.find((chart) => chart.plot.closest("[data-figure]").contains(element));
    const picture = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": "The whole run: pods in trouble over time, and what is shown of it" });
    picture.append(this.#bars, this.#window);
    element.append(picture);
    element.addEventListener("pointerdown", (event) => this.#grip(event));
    element.addEventListener("pointermove", (event) => this.#hold && this.#drag(event));
    for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => { this.#hold = null; });
    element.addEventListener("dblclick", () => view.follow());
    setInterval(() => this.#draw(), 250);
  }

  /** `[[from, in trouble, all]…]`, each until the next. */
  show(run) {
    this.#run = run;
    this.#shown += 1;
    this.#draw();
  }

  isIn(element) {
    return element === this.#element;
  }

  get #length() {
    return Math.max(this.#clock.now(), this.#chart?.range?.[1] ?? 0, 1000);
  }

  #draw() {
    const range = this.#chart?.range;
    // All of it in sight and nothing wrong: there is nothing to find.
    const isAll = range?.[0] <= 0 && range[1] >= this.#clock.now() && this.#run.every(([, trouble]) => !trouble);
    const hasPods = this.#run.some(([, , all]) => all);
    this.#element.hidden = !hasPods || !range || isAll;
    if (this.#element.hidden) return;
    const length = this.#length;
    const [from, to] = range.map((at) => (Math.max(0, at) / length) * WIDTH);
    this.#window.setAttribute("x", from);
    this.#window.setAttribute("width", Math.max(LEAST_PX, Math.min(WIDTH, to) - from));
    const drawn = `${this.#shown} ${Math.round(length / 1000)}`;
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#bars.replaceChildren(...this.#makeBars(length));
  }

  #makeBars(length) {
    const most = Math.max(...this.#run.map(([, trouble]) => trouble));
    return this.#run.flatMap(([from, trouble], index) => {
      if (!trouble) return [];
      const to = this.#run[index + 1]?.[0] ?? this.#clock.now();
      const height = Math.max(LOWEST, (trouble / most) * (HEIGHT - 4));
      const x = (from / length) * WIDTH;
      return [make("rect", { x, width: Math.max(1, ((to - from) / length) * WIDTH), y: HEIGHT - height, height })];
    });
  }

  #at(event) {
    const { left, width } = this.#element.getBoundingClientRect();
    return ((event.clientX - left) / width) * this.#length;
  }

  #grip(event) {
    const range = this.#chart?.range;
    if (!range) return;
    const at = this.#at(event);
    const isInside = at >= range[0] && at <= range[1];
    const span = range[1] - range[0];
    // Beside the window it comes to the pointer.
    this.#hold = { span, by: isInside ? at - range[0] : span / 2 };
    this.#element.setPointerCapture(event.pointerId);
    if (!isInside) this.#drag(event);
  }

  #drag(event) {
    const { span, by } = this.#hold;
    const from = Math.max(0, Math.min(this.#at(event) - by, this.#length - span));
    this.#view.look([from, from + span]);
  }
}
