// What can be typed after a colon, as in k9s. Everything here is pure.
import { instant } from "../format.js";

/** `of`: what the words after it name; `changes`: only for who may change the cluster. */
export const COMMANDS = [
  { name: "pods", shape: "pods [filter]", told: "the table of pods, all or those of a filter" },
  { name: "table", shape: "table", told: "the pods as a table" },
  { name: "timeline", shape: "timeline", told: "the pods over time" },
  { name: "ns", shape: "ns NAMESPACE", of: "namespace", told: "only the pods of a namespace; ns all: of every one" },
  { name: "node", shape: "node NODE", of: "node", told: "the page of a node" },
  { name: "pod", shape: "pod POD", of: "pod", told: "the page of a pod" },
  { name: "workload", shape: "workload NAME", of: "workload", told: "the page of a workload" },
  { name: "at", shape: "at INSTANT", told: "the page as it was then: at 17m42s" },
  { name: "stretch", shape: "stretch FROM TO", told: "what became of the pods in between: stretch 17m 18m" },
  { name: "pause", shape: "pause", changes: true, told: "stop the clock" },
  { name: "resume", shape: "resume", changes: true, told: "let it run" },
  { name: "step", shape: "step", changes: true, told: "to the next instant at which anything happens" },
  { name: "speed", shape: "speed FACTOR", changes: true, told: "how fast time goes: speed 10, speed auto" },
  { name: "until", shape: "until WHEN", of: "workload", changes: true, told: "run until then: until web Available, until idle, until 10m" },
  { name: "drain", shape: "drain NODE", of: "node", changes: true, told: "cordon a node and evict its pods, but those of DaemonSets" },
  { name: "cordon", shape: "cordon NODE", of: "node", changes: true, told: "no new pods on a node" },
  { name: "uncordon", shape: "uncordon NODE", of: "node", changes: true, told: "new pods again" },
  { name: "delete", shape: "delete pod/POD", of: "pod", changes: true, told: "delete a pod; it asks first" },
  { name: "help", shape: "help", told: "what can be typed here" },
];

const MOST_LETTERS = 300;
// A part of a name, or a namespace and a name.
const NAME = /^(?:pod\/)?(?:([a-z0-9.-]{1,63})\/)?([a-zA-Z0-9.:-]{1,253})$/;
const TIME = /^\+?(?:\d|idle$)/;

/** The commands that somebody may use. */
export function listCommands(mayChange) {
  return COMMANDS.filter(({ changes }) => mayChange || !changes);
}

const fail = (problem) => ({ problem });

/** `{command, words}` of what was typed, or `{problem}`. */
export function parse(text, mayChange) {
  if (text.length > MOST_LETTERS) return fail(`That is more than ${MOST_LETTERS} letters.`);
  const [name, ...words] = text.trim().replace(/^:/, "").trim().split(/\s+/);
  if (!name) return fail("Type a command; help says which there are.");
  const command = COMMANDS.find((one) => one.name === name);
  if (!command) {
    const like = listCommands(mayChange).filter((one) => one.name.startsWith(name) || name.startsWith(one.name));
    return fail(`There is no command ${name}${like.length ? `: ${like.map((one) => one.name).join(" or ")}?` : "; help says which there are."}`);
  }
  if (command.changes && !mayChange) return fail(`You may look here, and not change anything: ${name} changes the cluster.`);
  const problem = checkWords(command, words);
  return problem ? fail(problem) : { command, words };
}

function checkWords({ name, shape }, words) {
  const most = name === "pods" || name === "until" ? Infinity : shape.split(" ").length - 1;
  const least = name === "pods" || name === "ns" ? 0 : Math.min(1, most);
  if (words.length < least || words.length > most) return `Say ${shape}.`;
  if (name === "speed" && words[0] !== "auto" && !(Number(words[0]) > 0)) return "Say speed and a number above 0, as in speed 10, or speed auto.";
  if (name === "at" && instant(words[0]) === null) return "Say at and an instant: 17m42s, or 00:17:42.";
  if (name === "stretch" && readStretch(words) === null) return "Say stretch and two instants: stretch 17m 18m.";
  if (["node", "drain", "cordon", "uncordon", "pod", "delete"].includes(name) && !readName(words[0])) return `Say ${shape}: ${words[0]} is no name.`;
  return null;
}

/** `[from, to]` of two instants, in order; null where there are not two. */
export function readStretch(words) {
  const ends = words.map(instant);
  if (ends.length !== 2 || ends.includes(null) || ends[0] === ends[1]) return null;
  return ends.sort((one, other) => one - other);
}

/** `{namespace, name}` of `web-0`, `shop/web-0` or `pod/shop/web-0`; namespace null where none is said. */
export function readName(word) {
  const [found, namespace, name] = word.match(NAME) ?? [];
  return found ? { namespace: namespace ?? null, name } : null;
}

/** What is asked of a filter: the words of another namespace, or of none, beside the rest. */
export function changeNamespace(query, namespace) {
  const rest = query.split(/\s+/).filter((word) => word && !word.toLowerCase().startsWith("ns:"));
  return [...(namespace ? [`ns:${namespace}`] : []), ...rest].join(" ");
}

/** Whether `until` waits for a workload that is only named: `web Available`. */
export function namesWorkload(words) {
  return words.length > 1 && !words[0].includes("/") && !TIME.test(words[0]);
}

/** What is being typed: `{name}` of a command, or `{command, like}` of what it names; null where nothing completes. */
export function readTyped(text, mayChange) {
  const typed = text.replace(/^\s*:?\s*/, "");
  if (!typed.includes(" ")) return { name: typed };
  const [name, ...words] = typed.split(/\s+/);
  const command = listCommands(mayChange).find((one) => one.name === name);
  if (!command?.of || words.length !== 1) return null;
  return { command, like: words[0].replace(/^pod\//, "").split("/").at(-1) };
}

/** How a name that was found is typed. */
export function spell(command, { namespace, name }) {
  const whole = command.of === "pod" && namespace ? `${namespace}/${name}` : name;
  return `${command.name} ${command.name === "delete" ? "pod/" : ""}${whole}`;
}
