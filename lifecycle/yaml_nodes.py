"""From the YAML parser's events to plain data, by way of nodes that know their lines.

Bounded on purpose: depth, and what aliases expand to. A hostile text is an error, never a crash.
"""

from collections.abc import Iterator
from typing import Any, NoReturn

import yaml

from lifecycle.problems import refuse
from lifecycle.yaml_values import UnreadableValue, resolve_plain, resolve_tagged

DEPTH_LIMIT = 100
ALIAS_NODE_LIMIT = 50_000
# The tag of a scalar written without quotes and without a tag: its text decides what it is.
PLAIN = "plain"


def compose(text: str, source: str) -> Iterator[yaml.Node]:
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
        self.anchors: dict[str, yaml.Node] = {}
        self.open: list[yaml.CollectionNode] = []
        self.keys: list[yaml.Node | None] = []

    def take(self, event: yaml.Event) -> yaml.Node | None:
        """One event; the document's root node once it is complete."""
        match event:
            case yaml.DocumentStartEvent():
                self.anchors.clear()
                self.number += 1
            case yaml.AliasEvent():
                return self._place(self._named(event))
            case yaml.ScalarEvent():
                tag = PLAIN if event.tag is None and event.implicit[0] else event.tag or ""
                node = yaml.ScalarNode(tag, event.value, event.start_mark, event.end_mark)
                self._name(event, node)
                return self._place(node)
            case yaml.SequenceStartEvent():
                self._begin(event, yaml.SequenceNode("", [], event.start_mark, event.end_mark))
            case yaml.MappingStartEvent():
                self._begin(event, yaml.MappingNode("", [], event.start_mark, event.end_mark))
            case yaml.CollectionEndEvent():
                self.keys.pop()
                return self._place(self.open.pop())
        return None

    def _begin(self, event: yaml.CollectionStartEvent, node: yaml.CollectionNode) -> None:
        if len(self.open) >= DEPTH_LIMIT:
            self._refuse(event, f"nested more than {DEPTH_LIMIT} levels deep", "write it flatter")
        self._name(event, node)
        self.open.append(node)
        self.keys.append(None)

    def _name(self, event: yaml.NodeEvent, node: yaml.Node) -> None:
        if event.anchor is not None:
            self.anchors[event.anchor] = node

    def _named(self, event: yaml.AliasEvent) -> yaml.Node:
        node = self.anchors.get(event.anchor)
        if node is None:
            self._refuse(event, f"no anchor is named {event.anchor}", f"define it first: &{event.anchor}")
        if any(node is parent for parent in self.open):
            self._refuse(event, f"*{event.anchor} stands inside what it names", "write the value out")
        return node

    def _place(self, node: yaml.Node) -> yaml.Node | None:
        """Put a complete node into the collection around it; without one it is the root."""
        if not self.open:
            return node
        parent = self.open[-1]
        if isinstance(parent, yaml.SequenceNode):
            parent.value.append(node)
        elif self.keys[-1] is None:
            self.keys[-1] = node
        else:
            parent.value.append((self.keys[-1], node))
            self.keys[-1] = None
        return None

    def _refuse(self, event: yaml.Event, message: str, remedy: str) -> NoReturn:
        refuse(self.source, message, remedy, document=self.number, line=event.start_mark.line + 1)


class Converter:
    """Turns one composed document into plain data, counting what aliases make of it."""

    def __init__(self, source: str, number: int) -> None:
        self.source = source
        self.number = number
        self.seen: set[int] = set()
        self.repeated = 0
        self.depth = 0

    def convert(self, node: yaml.Node) -> Any:
        self._count(node)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        # Aliases can be stacked, so that the data is deeper than the text.
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            self._refuse(node, f"nested more than {DEPTH_LIMIT} levels deep", "write it flatter")
        if isinstance(node, yaml.MappingNode):
            value = self._mapping(node)
        else:
            value = [self.convert(item) for item in node.value]
        self.depth -= 1
        return value

    def _count(self, node: yaml.Node) -> None:
        """A node met again came through an alias; ten aliases of ten aliases of ten ... are a bomb."""
        if id(node) in self.seen:
            self.repeated += 1
        self.seen.add(id(node))
        if self.repeated > ALIAS_NODE_LIMIT:
            message = f"aliases expand to more than {ALIAS_NODE_LIMIT:,} values"
            self._refuse(node, message, "write the values out, or use fewer aliases")

    def _scalar(self, node: yaml.Node) -> Any:
        try:
            return resolve_plain(node.value) if node.tag == PLAIN else resolve_tagged(node.value, node.tag)
        except UnreadableValue as error:
            self._refuse(node, str(error), error.remedy)

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        found: dict[str, Any] = {}
        lines: dict[str, int] = {}
        merged: list[dict[str, Any]] = []
        for key_node, value_node in node.value:
            if key_node.tag == PLAIN and key_node.value == "<<":
                merged += self._merge(value_node)
                continue
            key = self._key(key_node)
            if key in found:
                message = f'the key "{key}" is given twice, first on line {lines[key]}'
                self._refuse(key_node, message, "give it once")
            found[key] = self.convert(value_node)
            lines[key] = key_node.start_mark.line + 1
        # What stands in the mapping itself wins; among merged mappings the first one wins.
        for mapping in merged:
            for key, value in mapping.items():
                found.setdefault(key, value)
        return found

    def _key(self, node: yaml.Node) -> str:
        """Kubernetes turns keys into text: `8080:` is "8080", `yes:` is "true"."""
        value = self._scalar(node) if isinstance(node, yaml.ScalarNode) else node
        match value:
            case str():
                return value
            case bool():
                return str(value).lower()
            case int() | float():
                return str(value)
        template = "is this a template ({{ ... }})? Then render it first (helm template)"
        is_template = isinstance(node, yaml.MappingNode)
        self._refuse(node, "a key must be text", template if is_template else "give the key a name")

    def _merge(self, node: yaml.Node) -> list[dict[str, Any]]:
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        if not all(isinstance(source, yaml.MappingNode) for source in sources):
            self._refuse(node, "`<<` must name a mapping or a list of mappings")
        return [self.convert(source) for source in sources]

    def _refuse(self, node: yaml.Node, message: str, remedy: str = "") -> NoReturn:
        refuse(self.source, message, remedy, document=self.number, line=node.start_mark.line + 1)
