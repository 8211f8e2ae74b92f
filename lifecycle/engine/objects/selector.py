"""Label selectors: `matchLabels` and `matchExpressions`, compiled once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from .record import Reading, Record

IN, NOT_IN, EXISTS, DOES_NOT_EXIST = "In", "NotIn", "Exists", "DoesNotExist"
OPERATORS = (IN, NOT_IN, EXISTS, DOES_NOT_EXIST)


@dataclass(slots=True, eq=False)
class Requirement(Record):
    """One entry of `matchExpressions`."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels meet it. As in Kubernetes, NotIn also holds where the key is absent."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
        return False


class Selector(Reading):
    """A label selector. An absent one (`None`) selects nothing, an empty one (`{}`) everything."""

    __slots__ = ("expressions", "match_labels", "raw")

    def __init__(self, raw: Mapping[str, Any] | None) -> None:
        self.raw = raw
        self.match_labels: dict[str, str] = dict((raw or {}).get("matchLabels") or {})
        self.expressions: tuple[Requirement, ...] = tuple(
            Requirement(entry.get("key", ""), entry.get("operator", ""), tuple(entry.get("values") or ()))
            for entry in (raw or {}).get("matchExpressions") or ()
        )

    @classmethod
    def of_labels(cls, labels: Mapping[str, str] | None) -> Selector:
        """The selector of a kind that knows labels only (Service); no labels select nothing."""
        return cls({"matchLabels": dict(labels)} if labels else None)

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is selected."""
        if self.raw is None:
            return False
        for key, value in self.match_labels.items():
            if labels.get(key) != value:
                return False
        return not self.expressions or all(entry.matches(labels) for entry in self.expressions)

    @property
    def is_everything(self) -> bool:
        """Whether it selects every object of the namespace."""
        return self.raw is not None and not self.match_labels and not self.expressions

    @property
    def anchors(self) -> tuple[tuple[str, str], ...]:
        """(key, value) pairs of which a selected object has at least one; empty when there is no such pair.

        What an index files the selector under: the first equality, else the values of the first `In`.
        """
        if self.match_labels:
            return (min(self.match_labels.items()),)
        for entry in self.expressions:
            if entry.operator == IN:
                return tuple((entry.key, value) for value in sorted(set(entry.values)))
        return ()

    def with_label(self, key: str, value: str) -> Selector:
        """The selector narrowed by one more equality."""
        raw = dict(self.raw or {})
        raw["matchLabels"] = {**self.match_labels, key: value}
        return Selector(raw)
