// A textarea as an editor of YAML: numbers, folds, search, faults at their lines, fields and values offered.
// Esc then Tab leaves it, as CodeMirror has it.
import {
  autocompletion,
  classHighlighter,
  codeFolding,
  completionKeymap,
  defaultKeymap,
  drawSelection,
  EditorState,
  EditorView,
  foldGutter,
  foldKeymap,
  highlightActiveLine,
  highlightSelectionMatches,
  history,
  historyKeymap,
  hoverTooltip,
  indentUnit,
  indentWithTab,
  keymap,
  lineNumbers,
  lintGutter,
  lintKeymap,
  search,
  searchKeymap,
  setDiagnostics,
  syntaxHighlighting,
  yaml,
} from "../../vendor/codemirror.min.js";
import { findField, makeSource, tellField } from "./completion.js";

export class Code {
  #view;

  /** `onField` is told of the field at the cursor in words, `onSubmit` of Ctrl+Enter, `onChange` of a new text. */
  constructor(text, schemas, { onField, onSubmit, onChange }) {
    const submit = {
      key: "Mod-Enter",
      run() {
        onSubmit();
        return true;
      },
    };
    this.#view = new EditorView({
      state: EditorState.create({
        doc: text.value,
        extensions: [
          lineNumbers(), foldGutter(), codeFolding(), lintGutter(), history(), drawSelection(), yaml(),
          highlightActiveLine(), highlightSelectionMatches(), search({ top: true }), indentUnit.of("  "),
          syntaxHighlighting(classHighlighter),
          autocompletion({ override: [makeSource(schemas)], icons: false }),
          hoverTooltip((view, position) => tellAt(schemas, view, position)),
          keymap.of([
            submit, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap,
            ...defaultKeymap, indentWithTab,
          ]),
          EditorView.contentAttributes.of({
            "aria-label": text.labels[0].textContent,
            "aria-describedby": "edit-keys",
            autocorrect: "off",
            tabindex: "0",
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) onChange(this.value);
            if (update.docChanged || update.selectionSet) onField(this.#tellField(schemas));
          }),
        ],
      }),
    });
    text.hidden = true;
    text.after(this.#view.dom);
    // Keys of the page are letters here.
    this.#view.dom.addEventListener("keydown", (event) => event.stopPropagation());
  }

  get value() {
    return this.#view.state.doc.toString();
  }

  /** Write another text; of what is alike nothing moves, and it can be undone. */
  set value(text) {
    const before = this.value;
    let from = 0;
    while (from < before.length && before[from] === text[from]) from += 1;
    let behind = 0;
    const most = Math.min(before.length, text.length) - from;
    while (behind < most && before.at(-1 - behind) === text.at(-1 - behind)) behind += 1;
    if (before === text) return;
    const changes = { from, to: before.length - behind, insert: text.slice(from, text.length - behind) };
    this.#view.dispatch({ changes, userEvent: "input" });
  }

  /** Faults: `{line, text}`; those without a line stand nowhere. */
  mark(faults) {
    const { doc } = this.#view.state;
    const marks = faults.filter(({ line }) => line > 0 && line <= doc.lines).map(({ line, text }) => {
      const { from, to, text: written } = doc.line(line);
      return { from: Math.min(to, from + written.search(/\S|$/)), to, severity: "error", message: text };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, marks));
  }

  goTo(line) {
    const { doc } = this.#view.state;
    const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)));
    this.#view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    this.focus();
  }

  focus() {
    this.#view.focus();
  }

  #tellField(schemas) {
    return tellField(schemas, findField(this.#view.state, this.#view.state.selection.main.head));
  }
}

function tellAt(schemas, view, position) {
  const line = view.state.doc.lineAt(position);
  const words = tellField(schemas, findField(view.state, position));
  if (!words || !line.text.trim()) return null;
  return {
    pos: line.from + line.text.search(/\S/),
    above: true,
    create: () => {
      const dom = document.createElement("div");
      dom.textContent = words;
      return { dom };
    },
  };
}
