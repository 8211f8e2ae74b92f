// A chart as a picture to keep: what the page writes beside and over the plot is written into it. All but `save` is pure.
import { arrange } from "./flags.js";
import { ticks } from "../format.js";
import { LEFT, placeOf, TOP } from "./pick.js";

const [LABELS, HEAD, FOOT, SCALE] = [210, 40, 34, 2];
const MOST_LABEL = 30;
const [VERDICT_LINE, VERDICT_LETTER, MOST_VERDICT_LINES] = [16, 6.6, 4];
const MOST_HEIGHT = 4000;

// Plotly reads a little HTML.
const plain = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const cut = (text) => (text.length > MOST_LABEL ? `${text.slice(0, MOST_LABEL - 1)}…` : text);
const coloured = (colour, text) => (colour ? `<span style="color:${colour}">■</span> ${text}` : text);

/** `Not ready` of `notReady`. */
export function sayName(name) {
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A text in lines of so many letters, as many as there is room for. */
export function wrap(text, letters) {
  const lines = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= letters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.length > MOST_VERDICT_LINES ? [...lines.slice(0, MOST_VERDICT_LINES - 1), `${lines[MOST_VERDICT_LINES - 1]} …`] : lines;
}

/** `{data, layout}` for Plotly.toImage. `verdict` is written below the plot. `rows`: `{label, header, slots, colour}`; `look`: `{paper, ink, line}`, colours. */
export function makePicture({ traces, layout, range, width, rows, flags, title, verdict = "" }, look) {
  const { values, labels } = ticks(range, width);
  const text = { size: 12, color: look.ink };
  const said = wrap(verdict, Math.floor((width + LABELS) / VERDICT_LETTER));
  const foot = FOOT + said.length * VERDICT_LINE;
  return {
    data: traces,
    layout: {
      ...layout,
      width: width + LABELS,
      height: Math.min(MOST_HEIGHT, layout.height + HEAD + foot),
      margin: { l: LABELS + LEFT, r: layout.margin.r, t: TOP + HEAD, b: layout.margin.b + foot, pad: 0 },
      paper_bgcolor: look.paper,
      font: { ...layout.font, color: look.ink },
      title: { text: plain(title), x: 0, xanchor: "left", xref: "container", y: 1, yanchor: "top", pad: { l: 16, t: 14 }, font: { size: 15 } },
      xaxis: { ...layout.xaxis, range, tickvals: values, ticktext: labels, showticklabels: true, gridcolor: look.line, tickfont: { size: 11, color: look.ink } },
      yaxis: { ...layout.yaxis, gridcolor: look.line },
      shapes: [...(layout.shapes ?? []).map((shape) => withColour(shape, look)), ...flags.map((flag) => makeLine(flag, look))],
      annotations: [...(layout.annotations ?? []), ...labelRows(rows, layout, text), ...labelFlags(flags, range, width, look), ...explain(traces, layout, text), ...sayVerdict(said, text)],
    },
  };
}

const withColour = (shape, look) => ({ ...shape, line: { color: look.ink, ...shape.line } });

const makeLine = ({ at }, look) => (
  { type: "line", x0: at, x1: at, y0: 0, y1: 1, yref: "paper", line: { width: 1, dash: "dash", color: look.ink } }
);

const annotate = (more) => ({ showarrow: false, xref: "paper", yref: "paper", ...more });

/** The names of the rows, as they stand beside the plot. */
function labelRows(rows, { meta }, font) {
  let above = 0;
  return rows.map(({ label, header, slots = 1, colour }) => {
    const middle = (above + slots / 2) * meta.rowHeight;
    above += slots;
    const name = plain(cut(label));
    return annotate({
      x: 0, xshift: -LABELS + 8, xanchor: "left", y: 1, yshift: -middle, yanchor: "middle", align: "left",
      text: header ? `<b>${name}</b>` : coloured(colour, name), font: { ...font, size: Math.min(12, meta.rowHeight) },
    });
  });
}

function labelFlags(flags, range, width, look) {
  const xs = flags.map(({ at }) => placeOf(range, at, width));
  const places = arrange(xs, flags.map(({ label }) => label), width);
  const written = flags.map((flag, index) => ({ ...flag, ...places[index] })).filter(({ room }) => room);
  return written.map(({ at, label, side, room, more }) => annotate({
    xref: "x", x: at, y: 1, yshift: 24, yanchor: "bottom", xanchor: side === "left" ? "right" : "left",
    text: plain(label.slice(0, Math.floor(room / 6))) + (more ? ` +${more}` : ""), font: { size: 11, color: look.ink },
  }));
}

/** What the colours of lanes mean, of those that are drawn; beside lines stand their names. */
function explain(traces, layout, font) {
  if (!layout.yaxis.categoryarray) return [];
  const drawn = traces.filter(({ fillcolor, name, x }) => fillcolor && name && x.length && name !== "ahead");
  const names = new Map(drawn.map(({ name, fillcolor }) => [name, fillcolor]));
  const text = [...names].map(([name, colour]) => coloured(colour, plain(sayName(name)))).join("   ");
  return [annotate({ x: 0, xanchor: "left", y: 0, yshift: -FOOT + 4, yanchor: "bottom", text, font })];
}

/** How things stand, below all. */
function sayVerdict(lines, font) {
  if (!lines.length) return [];
  const text = lines.map(plain).join("<br>");
  return [annotate({ x: 0, xshift: -LABELS + 8, xanchor: "left", y: 0, yshift: -FOOT, yanchor: "top", align: "left", text, font })];
}

/** Draw it, and hand it over as a file. */
export async function save(picture, name) {
  const link = document.createElement("a");
  link.href = await Plotly.toImage(picture, { format: "png", width: picture.layout.width, height: picture.layout.height, scale: SCALE });
  link.download = `${name.replace(/[^\w.-]+/g, "-")}.png`;
  link.click();
}
