"""Manifests as text: YAML and JSON read as Kubernetes reads them.

Kubernetes turns YAML into JSON with the rules of YAML 1.1 as Go's library knows them: `yes`, `no`, `on`,
`off` are booleans, `0644` is octal, dates and `1:30` stay text, and keys that are not text become text.
Stricter than Kubernetes on purpose: a key given twice is refused, and so are aliases that never end.
Nothing here knows what a manifest means; `lifecycle.engine.schema` does.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from lifecycle.engine.rules.limits.json_bounds import count_values, find_excess
from lifecycle.engine.schema.paths import Path, format_path
from lifecycle.engine.schema.scalars import describe
from lifecycle.engine.schema.yaml_nodes import (
    Budget,
    Converter,
    ListNode,
    MappingNode,
    Node,
    ScalarNode,
    UnreadableYaml,
    compose,
)
from lifecycle.engine.schema.yaml_values import UnreadableValue, json_number
from lifecycle.input.problems import ManifestError, Problem, refuse
from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass, field
from lifecycle.lean_yaml import yaml

FILE_LIMIT_BYTES = 32 * 1024 * 1024
_MEBIBYTE = 1024 * 1024
_SPACE = late_pattern(r"\s*")
_MARK = late_pattern("^\ufeff", re.MULTILINE)
# The rest of a text in double quotes, and an apostrophe in it that Go's YAML may have escaped.
_QUOTED = late_pattern(r'(?:\\.|[^"\\])*', re.DOTALL)
_ESCAPED = late_pattern(r"\\(.)", re.DOTALL)
_MOST_AGAIN = 4 * 1024 * 1024
"""So many letters are parsed again, at most, for the sake of such apostrophes."""


@dataclass(frozen=True, slots=True)
class Document:
    """One object of the input, with enough of the text kept to say where a field stands."""

    data: dict[str, Any]
    number: int = 1
    source: str = ""
    node: Node | None = field(default=None, repr=False, compare=False)
    prefix: Path = ()

    @property
    def subject(self) -> str:
        """The object as people name it: `Deployment shop/web`; what is missing is left out."""
        return name_object(self.data)

    def line_of(self, path: Path) -> int | None:
        """The line a field stands on, or of the closest parent that is written down; None for JSON."""
        lines = [written.line for written, _ in _walk(self.node, self.prefix + path)]
        return lines[-1] if lines else None

    def text_at(self, path: Path) -> str | None:
        """A scalar exactly as it was written (`1.10`, not 1.1), or None."""
        found = [value for _, value in _walk(self.node, self.prefix + path)]
        last = found[-1] if len(found) == len(self.prefix + path) + 1 else None
        return last.text if isinstance(last, ScalarNode) else None

    def problem(self, path: Path, message: str, remedy: str = "") -> Problem:
        return Problem(
            message, remedy, format_path(path), self.subject, self.source, self.number, self.line_of(path)
        )


def read_documents(
    text: str | bytes,
    source: str = "",
    limit_bytes: int = FILE_LIMIT_BYTES,
    budget: Budget | None = None,
) -> list[Document]:
    """Every object of a text, in order; lists (`kind: List`) are unpacked, empty documents skipped.

    Raises ManifestError when the text is too large, is no YAML or JSON, or holds what is no object.
    """
    decoded = _decode(text, source, limit_bytes)
    documents = _read_json(decoded, source, budget)
    if documents is None:
        documents = _read_yaml(decoded, source, budget)
    return [item for document in documents for item in _unpack(document)]


def name_object(data: dict[str, Any]) -> str:
    """`Kind namespace/name`, as far as the object says."""
    metadata = data.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    name = metadata.get("name") or metadata.get("generateName") or ""
    namespace = metadata.get("namespace")
    full_name = f"{namespace}/{name}" if namespace and name else str(name)
    return f"{data.get('kind') or 'object'} {full_name}".strip()


def _decode(text: str | bytes, source: str, limit_bytes: int) -> str:
    try:
        size = len(text) if isinstance(text, bytes) else len(text.encode())
    except UnicodeEncodeError as error:
        refuse(source, f"character {error.start + 1} is half a character", "write the character itself")
    if size > limit_bytes:
        remedy = "split it into several files"
        if limit_bytes < FILE_LIMIT_BYTES:
            remedy += f"; `manage.py simulate` takes {FILE_LIMIT_BYTES // _MEBIBYTE} MiB each"
        limit = f"{limit_bytes / _MEBIBYTE:g} MiB"
        refuse(source, f"{size:,} bytes are more than the limit of {limit}", remedy)
    if isinstance(text, str):
        return _without_marks(text)
    encoding = "utf-16" if text[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return _without_marks(text.decode(encoding))
    except UnicodeDecodeError as error:
        refuse(source, f"byte {error.start + 1} is not valid UTF-8", "save the file as UTF-8")


def _without_marks(text: str) -> str:
    """Files that were joined keep their byte order marks: each begins a line."""
    return _MARK.sub("", text) if "\ufeff" in text else text


def _unpack(document: Document) -> Iterator[Document]:
    """The items of a List (any kind ending in `List` that has items), or the document itself."""
    data = document.data
    kind, items = data.get("kind"), data.get("items")
    if (data.get("apiVersion"), kind, items) == ("v1", "List", None):
        return
    if not (isinstance(kind, str) and kind.endswith("List") and isinstance(items, list)):
        yield document
        return
    for index, item in enumerate(items):
        path = ("items", index)
        if not isinstance(item, dict):
            raise ManifestError([document.problem(path, f"must be an object, not {describe(item)}")])
        prefix = document.prefix + path
        # The items of a typed list such as DeploymentList need not repeat their kind.
        implied = {} if kind == "List" else {"apiVersion": data.get("apiVersion"), "kind": kind[:-4]}
        unpacked = Document(implied | item, document.number, document.source, document.node, prefix)
        yield from _unpack(unpacked)


def _read_json(text: str, source: str, budget: Budget | None) -> list[Document] | None:
    """JSON objects, one after another; None when the text is not JSON (it may still be YAML)."""
    if not text.lstrip().startswith("{"):
        return None
    if budget is not None:
        _charge(text, source, budget)
    decoder = json.JSONDecoder(
        object_pairs_hook=_unique_pairs,
        parse_float=json_number,
        parse_int=json_number,
        parse_constant=_refuse_constant,
    )
    documents: list[Document] = []
    position = _skip_space(text, 0)
    try:
        while position < len(text):
            data, position = decoder.raw_decode(text, position)
            if not isinstance(data, dict):
                return None
            documents.append(Document(data, len(documents) + 1, source))
            position = _skip_space(text, position)
        if "\\ud" in text.lower():
            # Escapes can spell half a character, which no UTF-8 can hold.
            json.dumps([document.data for document in documents], ensure_ascii=False).encode()
    except (json.JSONDecodeError, RecursionError):
        return None
    except UnreadableValue as error:
        refuse(source, str(error), error.remedy, document=len(documents) + 1)
    except UnicodeEncodeError:
        refuse(source, "a \\u escape stands for half a character", "write the character itself")
    return documents


def _charge(text: str, source: str, budget: Budget) -> None:
    """Count what a stranger's JSON says before it is read. Raises ManifestError for too much."""
    message, _, remedy = find_excess(text).partition("; ")
    budget.used += 0 if message else count_values(text)
    if budget.used > budget.most:
        message = f"more than {budget.most:,} values are too many to be read at once"
        remedy = "give them in parts, or to `manage.py simulate`"
    if message:
        refuse(source, message, remedy)


def _refuse_constant(text: str) -> NoReturn:
    raise UnreadableValue(f"{text} is not a number JSON can hold", "write a finite number")


def _skip_space(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise UnreadableValue(f'the key "{key}" is given twice', "give it once")
        found[key] = value
    return found


def _read_yaml(text: str, source: str, budget: Budget | None) -> list[Document]:
    letters_left = _MOST_AGAIN
    while True:
        documents: list[Document] = []
        try:
            for document in _parse_yaml(text, source, budget):
                documents.append(document)
            return documents
        except UnreadableYaml as error:
            refuse(source, error.message, error.remedy, document=error.document, line=error.line)
        except yaml.YAMLError as error:
            mended, letters = _mend_escapes(text, error)
            letters_left -= letters
            if mended is None or letters_left < 0:
                raise ManifestError([_syntax_problem(error, text, source, len(documents) + 1)]) from None
            text = mended


def _parse_yaml(text: str, source: str, budget: Budget | None) -> Iterator[Document]:
    for number, node in enumerate(compose(text, budget), 1):
        data = Converter(number).convert(node)
        if isinstance(data, dict):
            yield Document(data, number, source, node)
        elif data is not None:
            message = f"a manifest is a mapping with apiVersion, kind and metadata, not {describe(data)}"
            refuse(source, message, document=number, line=node.line)


def _mend_escapes(text: str, error: yaml.YAMLError) -> tuple[str | None, int]:
    """The text without `\\'` where the parser stumbled over it in double quotes, and how far it had come.

    None for another error.
    """
    mark = getattr(error, "problem_mark", None)
    start = mark.index if mark else len(text)
    if text[start : start + 2] != "\\'":
        return None, start
    rest = _QUOTED.match(text, start)
    assert rest is not None, "it matches the empty text"
    mended = _ESCAPED.sub(lambda found: "'" if found[1] == "'" else found[0], rest[0])
    return text[:start] + mended + text[rest.end() :], start


def _syntax_problem(error: yaml.YAMLError, text: str, source: str, document: int) -> Problem:
    """The parser's complaint in one line, and the usual cure."""
    message = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error).strip()
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark else None
    lines = text.splitlines()
    # It may only be noticed at the end, below the last line.
    written = lines[mark.line] if mark and mark.line < len(lines) else ""
    if "{{" in written:
        remedy = "this looks like a template: render it first (helm template) and give the result"
    elif "\t" in written:
        remedy = "indent with spaces, not with tabs"
    else:
        remedy = "check the indentation, the colons and the quotes of this line and the one above"
    return Problem(f"not valid YAML: {message}", remedy, source=source, document=document, line=line)


def _walk(node: Node | None, path: Path) -> Iterator[tuple[Node, Node]]:
    """The nodes from the top down to a path: (where it is written, its value), as far as they are written."""
    if node is None:
        return
    yield node, node
    for part in path:
        step = _child(node, part)
        if step is None:
            return
        yield step
        node = step[1]


def _child(node: Node, part: str | int) -> tuple[Node, Node] | None:
    if isinstance(part, int):
        items = node.items if isinstance(node, ListNode) else []
        return (items[part], items[part]) if part < len(items) else None
    pairs = node.pairs if isinstance(node, MappingNode) else []
    return next((pair for pair in pairs if isinstance(pair[0], ScalarNode) and pair[0].text == part), None)
