"""From the YAML parser's events to plain data, by way of nodes that know their lines.

Bounded on purpose: depth, what aliases expand to, and for strangers' texts the number of values. A hostile
text is an error, never a crash.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, TypeAlias

from lifecycle.lean_dataclasses import dataclass, field
from lifecycle.lean_yaml import yaml

from ..rules.limits.json_bounds import MOST_LEVELS
from .yaml_values import YAML_TAG, UnreadableValue, resolve_plain, resolve_tagged

_MERGE_TAGS = (None, f"{YAML_TAG}merge")
"""Of the key `<<`: none, or the one that Go's yaml writes before it."""

DEPTH_LIMIT = MOST_LEVELS
ALIAS_NODE_LIMIT = 50_000
ALIAS_TEXT_LIMIT = 3 * 1024 * 1024
"""Characters: as much as a request to an API server may hold."""
MOST_LETTERS_OF_ANNOTATIONS = 256 * 1024
TEMPLATE_REMEDY = "is this a template ({{ ... }})? Then render it first (helm template)"


class UnreadableYaml(ValueError):
    """What keeps a text from being read: what is wrong, what would be right, and where."""

    def __init__(self, message: str, remedy: str = "", document: int = 1, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.document = document
        self.line = line


@dataclass(slots=True, eq=False)
class ScalarNode:
    """`tag` None: written without quotes and without a tag, so that its text decides what it is."""

    line: int
    text: str
    tag: str | None


@dataclass(slots=True, eq=False)
class ListNode:
    """A sequence."""

    line: int
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class MappingNode:
    """A mapping: keys and values as they are written, keys given twice too."""

    line: int
    pairs: list[tuple[Node, Node]] = field(default_factory=list)


Node: TypeAlias = ScalarNode | ListNode | MappingNode


@dataclass(slots=True)
class Budget:
    """How many values may be read, of all texts together that are read with it."""

    most: int
    used: int = 0


def compose(text: str, budget: Budget | None = None) -> Iterator[Node]:
    """The node tree of each document. An explicit stack: a hostile depth must not overflow the machine's.

    Raises UnreadableYaml, and YAMLError where the text is none.
    """
    composer = _Composer(budget or Budget(sys.maxsize))
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        root = composer.take(event)
        if root is not None:
            yield root


class _Composer:
    """Builds nodes from the parser's events; an alias becomes the very node its anchor names."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.number = 0
        self.anchors: dict[str, Node] = {}
        self.open: list[ListNode | MappingNode] = []
        self.keys: list[Node | None] = []

    def take(self, event: Any) -> Node | None:
        """One event; the document's root node once it is complete."""
        # The most frequent come first.
        match event:
            case yaml.ScalarEvent():
                tag = None if event.tag is None and event.implicit[0] else event.tag or ""
                scalar = ScalarNode(_line(event), event.value, tag)
                self._count(event)
                self._name(event, scalar)
                return self._place(scalar)
            case yaml.MappingStartEvent():
                self._begin(event, MappingNode(_line(event)))
            case yaml.CollectionEndEvent():
                self.keys.pop()
                return self._place(self.open.pop())
            case yaml.SequenceStartEvent():
                self._begin(event, ListNode(_line(event)))
            case yaml.AliasEvent():
                return self._place(self._find_named(event))
            case yaml.DocumentStartEvent():
                self.anchors.clear()
                self.number += 1
        return None

    def _count(self, event: Any) -> None:
        self.budget.used += 1
        if self.budget.used > self.budget.most:
            message = f"more than {self.budget.most:,} values are too many to be read at once"
            raise self._unreadable(event, message, "give them in parts, or to `manage.py simulate`")

    def _begin(self, event: Any, node: ListNode | MappingNode) -> None:
        self._count(event)
        if len(self.open) >= DEPTH_LIMIT:
            raise self._unreadable(event, f"nested more than {DEPTH_LIMIT} levels deep", "write it flatter")
        self._name(event, node)
        self.open.append(node)
        self.keys.append(None)

    def _name(self, event: Any, node: Node) -> None:
        if event.anchor is not None:
            self.anchors[event.anchor] = node

    def _find_named(self, event: Any) -> Node:
        node = self.anchors.get(event.anchor)
        if node is None:
            raise self._unreadable(
                event, f"no anchor is named {event.anchor}", f"define it first: &{event.anchor}"
            )
        if any(node is parent for parent in self.open):
            raise self._unreadable(
                event, f"*{event.anchor} stands inside what it names", "write the value out"
            )
        return node

    def _place(self, node: Node) -> Node | None:
        """Put a complete node into the collection around it; without one it is the root."""
        if not self.open:
            return node
        parent, key = self.open[-1], self.keys[-1]
        if isinstance(parent, ListNode):
            parent.items.append(node)
        elif key is None:
            self.keys[-1] = node
        else:
            parent.pairs.append((key, node))
            self.keys[-1] = None
        return None

    def _unreadable(self, event: Any, message: str, remedy: str) -> UnreadableYaml:
        return UnreadableYaml(message, remedy, self.number, _line(event))


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


class Converter:
    """Turns one composed document into plain data, counting what aliases make of it.

    A key given twice is refused, unless there are `repeats` to note it in: then its last value counts.
    """

    def __init__(self, number: int = 1, repeats: list[tuple[int, str]] | None = None) -> None:
        self.number = number
        self.repeats = repeats
        self.seen: set[Node] = set()
        self.repeated = 0
        self.repeated_text = 0
        self.depth = 0

    def convert(self, node: Node) -> Any:
        """A node as JSON has it. Raises UnreadableYaml."""
        self._count(node)
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        # Aliases can be stacked, so that the data is deeper than the text.
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise self._unreadable(node, f"nested more than {DEPTH_LIMIT} levels deep", "write it flatter")
        value: Any
        if isinstance(node, ListNode):
            value = [self.convert(item) for item in node.items]
        else:
            value = self._mapping(node)
        self.depth -= 1
        return value

    def _count(self, node: Node) -> None:
        """A node met again came through an alias; ten aliases of ten aliases of ten ... are a bomb."""
        if node not in self.seen:
            self.seen.add(node)
            return
        self.repeated += 1
        if isinstance(node, ScalarNode):
            self.repeated_text += len(node.text)
        if self.repeated > ALIAS_NODE_LIMIT or self.repeated_text > ALIAS_TEXT_LIMIT:
            most = f"{ALIAS_NODE_LIMIT:,} values"
            if self.repeated <= ALIAS_NODE_LIMIT:
                most = f"{ALIAS_TEXT_LIMIT:,} characters"
            remedy = "write the values out, or use fewer aliases"
            raise self._unreadable(node, f"aliases expand to more than {most}", remedy)

    def _scalar(self, node: ScalarNode) -> Any:
        try:
            return resolve_plain(node.text) if node.tag is None else resolve_tagged(node.text, node.tag)
        except UnreadableValue as error:
            raise self._unreadable(node, str(error), error.remedy) from None

    def _mapping(self, node: MappingNode) -> dict[str, Any]:
        found: dict[str, Any] = {}
        lines: dict[str, int] = {}
        merged: list[dict[str, Any]] = []
        for key_node, value_node in node.pairs:
            if isinstance(key_node, ScalarNode) and key_node.tag in _MERGE_TAGS and key_node.text == "<<":
                merged += self._merge(value_node)
                continue
            key = self._key(key_node)
            if key in found and self.repeats is not None:
                self.repeats.append((key_node.line, key))
            elif key in found:
                message = f'the key "{key}" is given twice, first on line {lines[key]}'
                raise self._unreadable(key_node, message, "give it once")
            found[key] = self.convert(value_node)
            lines[key] = key_node.line
        # What stands in the mapping itself wins; among merged mappings the first one wins.
        for mapping in merged:
            for key, value in mapping.items():
                found.setdefault(key, value)
        return found

    def _key(self, node: Node) -> str:
        """Kubernetes turns keys into text: `8080:` is "8080", `yes:` is "true"."""
        value = self._scalar(node) if isinstance(node, ScalarNode) else None
        match value:
            case str():
                return value
            case bool():
                return str(value).lower()
            case int() | float():
                return str(value)
        remedy = TEMPLATE_REMEDY if isinstance(node, MappingNode) else "give the key a name"
        raise self._unreadable(node, "a key must be text", remedy)

    def _merge(self, node: Node) -> list[dict[str, Any]]:
        sources = node.items if isinstance(node, ListNode) else [node]
        if not all(isinstance(source, MappingNode) for source in sources):
            raise self._unreadable(node, "`<<` must name a mapping or a list of mappings")
        return [self.convert(source) for source in sources]

    def _unreadable(self, node: Node, message: str, remedy: str = "") -> UnreadableYaml:
        return UnreadableYaml(message, remedy, self.number, node.line)


def read_text(text: str) -> Any:
    """What the one YAML document of a text says; without any, an empty mapping. Raises ValueError."""
    if len(text) > MOST_LETTERS_OF_ANNOTATIONS:
        raise ValueError(
            f"more than {MOST_LETTERS_OF_ANNOTATIONS:,} letters are more than all annotations of an object"
            " may have"
        )
    try:
        parsed = [Converter(number).convert(node) for number, node in enumerate(compose(text), 1)]
    except UnreadableYaml as error:
        remedy = f"; {error.remedy}" if error.remedy else ""
        raise ValueError(f"{error.message} (line {error.line}){remedy}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {_first_line(error)}") from None
    if len(parsed) > 1:
        raise ValueError("two documents; give all containers in one")
    return parsed[0] if parsed and parsed[0] is not None else {}


def _first_line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{what} (line {mark.line + 1})" if mark else str(what)
