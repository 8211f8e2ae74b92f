"""What differs between two values of one shape, as sets of fields."""

from __future__ import annotations

from typing import Any

from ...rules.managed_fields.paths import Comparison, Path, element_of_field
from ..fields import LIST, MAP
from .shapes import UNTYPED, Shape, resolve
from .values import entries_by_element

ABSENT: Any = object()
"""In the place of a value: there is none. Null is a value."""


def compare(old: Any, new: Any, shape: Shape) -> Comparison:
    """What of `new` was not in `old`, is another value, or is gone.

    A mapping that is new is added with all that is in it; what is owned as a whole counts as one field.
    """
    walk = _Walk()
    walk.visit(old, new, shape, ())
    sets = (walk.removed, walk.modified, walk.added)
    return Comparison(*(frozenset(one - {()}) for one in sets))


class _Walk:
    def __init__(self) -> None:
        self.removed: set[Path] = set()
        self.modified: set[Path] = set()
        self.added: set[Path] = set()

    def visit(self, old: Any, new: Any, shape: Shape, path: Path) -> None:
        if old is new and shape.form != UNTYPED:
            return
        before, after = resolve(shape, old), resolve(shape, new)
        if new is ABSENT or new is None:
            self._walk_as(before if old is not ABSENT else after, old, new, path)
        elif old is ABSENT or old is None or before is after:
            self._walk_as(after, old, new, path)
        else:
            self._walk_as(before, old, ABSENT, path)
            self._walk_as(after, ABSENT, new, path)
            self._turn_into(path)
        if not self._is_leaf(after if new is not ABSENT else before, old, new):
            self._note_presence(old, new, path)

    def _turn_into(self, path: Path) -> None:
        """A value of another form in its place: the field itself was changed."""
        self.removed.discard(path)
        self.added.discard(path)
        self.modified.add(path)

    def _walk_as(self, shape: Shape, old: Any, new: Any, path: Path) -> None:
        if self._is_leaf(shape, old, new):
            self._compare_leaf(old, new, path)
        elif shape.form == MAP:
            self._visit_map(_as_map(old), _as_map(new), shape, path)
        else:
            self._visit_list(_as_list(old), _as_list(new), shape, path)

    @staticmethod
    def _is_leaf(shape: Shape, old: Any, new: Any) -> bool:
        """Whether a value has no parts: it is plain, owned as a whole, or empty before and after."""
        if shape.form not in (MAP, LIST) or shape.is_atomic:
            return True
        form = dict if shape.form == MAP else list
        return not any(isinstance(one, form) and one for one in (old, new))

    def _compare_leaf(self, old: Any, new: Any, path: Path) -> None:
        if old is ABSENT or new is ABSENT:
            self._note_presence(old, new, path)
        elif not is_equal(old, new):
            self.modified.add(path)

    def _note_presence(self, old: Any, new: Any, path: Path) -> None:
        if old is ABSENT and new is not ABSENT:
            self.added.add(path)
        elif new is ABSENT and old is not ABSENT:
            self.removed.add(path)

    def _visit_map(self, old: dict[str, Any], new: dict[str, Any], shape: Shape, path: Path) -> None:
        for name in dict.fromkeys((*old, *new)):
            field = shape.find(name)
            if field is not None:
                values = old.get(name, ABSENT), new.get(name, ABSENT)
                self.visit(*values, field, (*path, element_of_field(name)))

    def _visit_list(self, old: list[Any], new: list[Any], shape: Shape, path: Path) -> None:
        assert shape.inner is not None, "a list is a list of something"
        before, after = entries_by_element(shape, old), entries_by_element(shape, new)
        for element in dict.fromkeys((*before, *after)):
            were, are = before.get(element, []), after.get(element, [])
            self._visit_entries(were, are, shape.inner, (*path, element))

    def _visit_entries(self, were: list[Any], are: list[Any], shape: Shape, path: Path) -> None:
        """Entries of one key; where there are several they are one field."""
        if len(were) <= 1 and len(are) <= 1:
            self.visit(were[0] if were else ABSENT, are[0] if are else ABSENT, shape, path)
        elif len(were) > 1 and len(are) > 1:
            if not is_equal(were, are):
                self.modified.add(path)
        elif len(were) > 1:
            if are:
                self.visit(ABSENT, are[0], shape, path)
            self.removed.add(path)
        else:
            if were:
                self.visit(were[0], ABSENT, shape, path)
            self.added.add(path)


def _as_map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def is_equal(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON: true is not 1, but 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_equal(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_equal, one, other))
    return bool(one == other)
