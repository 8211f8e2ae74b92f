"""From the YAML parser's events to plain data, by way of nodes that know their lines.

Bounded on purpose: depth, and what aliases expand to. A hostile text is an error, never a crash.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

import yaml

from lifecycle.input.problems import refuse
from lifecycle.input.yaml_values import UnreadableValue, resolve_plain, resolve_tagged

DEPTH_LIMIT = 100
ALIAS_NODE_LIMIT = 50_000
TEMPLATE_REMEDY = "is this a template ({{ ... }})? Then render it first (helm template)"


@dataclass(slots=True, eq=False)
class ScalarNode:
    """`tag` None: written without quotes and without a tag, so that its text decides what it is."""

    line: int
    text: str
    tag: str | None


@dataclass(slots=True, eq=False)
class ListNode:
    line: int
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class MappingNode:
    line: int
    pairs: list[tuple[Node, Node]] = field(default_factory=list)


Node: TypeAlias = ScalarNode | ListNode | MappingNode


def compose(text: str, source: str) -> Iterator[Node]:
    """The node tree of each document. An explicit stack: a hostile depth must not overflow the machine's."""
    composer = _Composer(source)
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        root = composer.take(event)
        if root is not None:
            yield root


class _Composer:
    """Builds nodes from the parser's events; an alias becomes the very node its anchor names."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.number = 0
        self.anchors: dict[str, Node] = {}
        self.open: list[ListNode | MappingNode] = []
        self.keys: list[Node | None] = []

    def take(self, event: Any) -> Node | None:
        """One event; the document's root node once it is complete."""
        match event:
            case yaml.DocumentStartEvent():
                self.anchors.clear()
                self.number += 1
            case yaml.AliasEvent():
                return self._place(self._find_named(event))
            case yaml.ScalarEvent():
                tag = None if event.tag is None and event.implicit[0] else event.tag or ""
                scalar = ScalarNode(_line(event), event.value, tag)
                self._name(event, scalar)
                return self._place(scalar)
            case yaml.SequenceStartEvent():
                self._begin(event, ListNode(_line(event)))
            case yaml.MappingStartEvent():
                self._begin(event, MappingNode(_line(event)))
            case yaml.CollectionEndEvent():
                self.keys.pop()
                return self._place(self.open.pop())
        return None

    def _begin(self, event: Any, node: ListNode | MappingNode) -> None:
        if len(self.open) >= DEPTH_LIMIT:
            self._refuse(event, f"nested more than {DEPTH_LIMIT} levels deep", "write it flatter")
        self._name(event, node)
        self.open.append(node)
        self.keys.append(None)

    def _name(self, event: Any, node: Node) -> None:
        if event.anchor is not None:
            self.anchors[event.anchor] = node

    def _find_named(self, event: Any) -> Node:
        node = self.anchors.get(event.anchor)
        if node is None:
            self._refuse(event, f"no anchor is named {event.anchor}", f"define it first: &{event.anchor}")
        if any(node is parent for parent in self.open):
            self._refuse(event, f"*{event.anchor} stands inside what it names", "write the value out")
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

    def _refuse(self, event: Any, message: str, remedy: str) -> NoReturn:
        refuse(self.source, message, remedy, document=self.number, line=_line(event))


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


class Converter:
    """Turns one composed document into plain data, counting what aliases make of it."""

    def __init__(self, source: str, number: int) -> None:
        self.source = source
        self.number = number
        self.seen: set[int] = set()
        self.repeated = 0
        self.depth = 0

    def convert(self, node: Node) -> Any:
        self._count(node)
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        # Aliases can be stacked, so that the data is deeper than the text.
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            self._refuse(node, f"nested more than {DEPTH_LIMIT} levels deep", "write it flatter")
        value: Any
        if isinstance(node, ListNode):
            value = [self.convert(item) for item in node.items]
        else:
            value = self._mapping(node)
        self.depth -= 1
        return value

    def _count(self, node: Node) -> None:
        """A node met again came through an alias; ten aliases of ten aliases of ten ... are a bomb."""
        if id(node) in self.seen:
            self.repeated += 1
        self.seen.add(id(node))
        if self.repeated > ALIAS_NODE_LIMIT:
            message = f"aliases expand to more than {ALIAS_NODE_LIMIT:,} values"
            self._refuse(node, message, "write the values out, or use fewer aliases")

    def _scalar(self, node: ScalarNode) -> Any:
        try:
            return resolve_plain(node.text) if node.tag is None else resolve_tagged(node.text, node.tag)
        except UnreadableValue as error:
            self._refuse(node, str(error), error.remedy)

    def _mapping(self, node: MappingNode) -> dict[str, Any]:
        found: dict[str, Any] = {}
        lines: dict[str, int] = {}
        merged: list[dict[str, Any]] = []
        for key_node, value_node in node.pairs:
            if isinstance(key_node, ScalarNode) and key_node.tag is None and key_node.text == "<<":
                merged += self._merge(value_node)
                continue
            key = self._key(key_node)
            if key in found:
                message = f'the key "{key}" is given twice, first on line {lines[key]}'
                self._refuse(key_node, message, "give it once")
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
        self._refuse(node, "a key must be text", remedy)

    def _merge(self, node: Node) -> list[dict[str, Any]]:
        sources = node.items if isinstance(node, ListNode) else [node]
        if not all(isinstance(source, MappingNode) for source in sources):
            self._refuse(node, "`<<` must name a mapping or a list of mappings")
        return [self.convert(source) for source in sources]

    def _refuse(self, node: Node, message: str, remedy: str = "") -> NoReturn:
        refuse(self.source, message, remedy, document=self.number, line=node.line)
