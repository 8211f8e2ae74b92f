// What the pages' editor takes from CodeMirror, and what reads and writes YAML with its comments: `npm run vendor`
// makes one file of it, static/vendor/codemirror.min.js.
export { acceptCompletion, autocompletion, completionKeymap, startCompletion } from "@codemirror/autocomplete";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { yaml } from "@codemirror/lang-yaml";
export { codeFolding, foldGutter, foldKeymap, indentUnit, syntaxHighlighting } from "@codemirror/language";
export { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
export { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
export { EditorState } from "@codemirror/state";
export { drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
export { classHighlighter } from "@lezer/highlight";
export { isCollection, isMap, parseDocument, visit } from "yaml";
