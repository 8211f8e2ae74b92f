"""How much work an expression can be at most, and how much it can build: known before it is begun.

The library for CEL counts rounds of loops and no bytes, and is not to be stopped. So the tree is walked with
the sizes of its variables in place of their values, as apiserver, pkg/cel/library/cost.go estimates costs.
Where the size of a value depends on what another is, the largest is taken: an estimate is never too low.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from . import trees
from .trees import Node

MOST_ROUNDS = 10_000
"""After so many rounds of its loops together the library ends an evaluation."""
_MOST = 1 << 62
_ENTRY, _NUMBER, _STEP, _CALL = 32, 8, 64, 512
"""Bytes of an entry beside what it holds, and of a number; those that a step, and that a call, stand for."""
_LARGE, _MOST_HELD = 1 << 10, 1 << 25
"""Bytes above which a value is not looked through twice, and of all that is held for that from one evaluation
to the next; what is in a value counts once more in it."""
_TEXTS, _HOLDING = (str, bytes), (dict, list, Mapping)
_GROWTH, _LEAST, _VERB = 4, 64, 1_400
"""How much longer than all it is given a call makes its result, and what `format` makes of one number."""


class Level(NamedTuple):
    """Of all values at one depth: the most bytes of one with all below it, its entries, a text's letters."""

    size: int
    entries: int
    letters: int = 0


Extent = tuple[Level, ...]
"""What is known of a value: its own level, that of its entries, that of theirs."""
_Amounts = tuple[tuple[int, int, int], ...]
"""The same without names, which are dear to make."""
_NONE = Level(0, 0)
_SCALAR: Extent = (Level(_NUMBER, 0),)
_NOTHING: Extent = (_NONE,)


class Estimate(NamedTuple):
    """`work`: bytes that an evaluation touches at most; `built`: those it makes. `value`: what it gives."""

    work: int
    built: int
    value: Extent


def estimate(tree: Node, variables: Mapping[str, Any], extents: Extents) -> Estimate:
    """What an evaluation over these variables, plain data, comes to at most."""
    walk = _Walk(variables, extents)
    value = walk.reckon(tree)
    # What an expression gives is handed out as a copy.
    walk.build(value[0].size)
    return Estimate(walk.work, walk.built, value)


def settle(node: Node) -> Node:
    """The same tree, with each part that takes the same of all data reckoned once and for all.

    A comparison with a constant looks at no more than the constant, however large the other side is.
    """
    node = node._replace(parts=tuple(map(settle, node.parts)))
    known = [part for part in node.parts if part.form in _KNOWN]
    paths = [part for part in node.parts if part.form == trees.PATH]
    if node.form != trees.CALL or len(known) + len(paths) < len(node.parts):
        return node
    work = sum(_STEP + part.work for part in node.parts)
    if node.name in _COMPARING and known:
        work += 2 * min(
            (_count(part.name) if part.form == trees.CONSTANT else 0) or _NUMBER for part in known
        )
    elif node.name not in _FREE:
        return node
    names = dict.fromkeys(
        (*(part.names[0] for part in paths), *(name for part in known for name in part.names))
    )
    return Node(trees.SETTLED, names=tuple(names), work=work)


class Extents:
    """The extents of plain data: what is large is looked through once, whatever is asked of it and below it.

    It is known by where it is in memory, and held, so that nothing else comes to be there.
    """

    __slots__ = ("_held", "_known")

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, _Amounts]] = {}
        self._held = 0

    def measure(self, value: Any) -> Extent:
        """The extent of one value."""
        if isinstance(value, _TEXTS):
            return _text(_count(value))
        return tuple(map(Level._make, self._survey(value))) if isinstance(value, _HOLDING) else _SCALAR

    def forget(self) -> None:
        """Let go of what was measured, once it is much."""
        if self._held > _MOST_HELD:
            self._known, self._held = {}, 0

    def _survey(self, value: Any) -> _Amounts:
        """Of a list or a map, whose keys count as its values do."""
        if (known := self._known.get(id(value))) is not None:
            return known[1]
        parts, size, below = value, _ENTRY * len(value), dict[_Amounts, None]()
        if not isinstance(value, list):
            parts, size = (*map(str, value), *value.values()), 2 * size
        # Of the texts and numbers among its parts: the most bytes, the most letters.
        largest, letters = -1, 0
        for part in parts:
            if isinstance(part, _TEXTS):
                count = len(part) if part.isascii() else _count(part)
                if count > letters:
                    letters = count
            elif isinstance(part, _HOLDING):
                amounts = self._survey(part)
                below[amounts] = None
                size += amounts[0][0]
                continue
            else:
                count = _NUMBER
            size += count
            if count > largest:
                largest = count
        first: _Amounts = ((largest, 0, letters),) if largest >= 0 else ()
        made: _Amounts = ((size, len(value), 0), *(_merge(first, below) if below else first))
        if size > _LARGE:
            self._known[id(value)] = value, made
            self._held += size
        return made


def _merge(first: _Amounts, below: Iterable[_Amounts]) -> _Amounts:
    """What is no smaller than any of them."""
    levels = [*map(list, first)]
    for amounts in below:
        for level, (size, entries, most) in zip(levels, amounts, strict=False):
            if size > level[0]:
                level[0] = size
            if entries > level[1]:
                level[1] = entries
            if most > level[2]:
                level[2] = most
        levels += map(list, amounts[len(levels) :])
    return tuple((size, entries, most) for size, entries, most in levels)


# --- extents ----------------------------------------------------------------------------------------------


def _gather(parts: list[Extent], entries: int) -> Extent:
    """A list or a map of these."""
    return (Level(sum(part[0].size + _ENTRY for part in parts), entries), *_join(*parts))


def _join(*extents: Extent) -> Extent:
    """What is no smaller than any of them."""
    deepest = max(extents, key=len, default=())
    return tuple(
        Level(*map(max, *(extent[depth] for extent in extents if len(extent) > depth), _NONE))
        for depth in range(len(deepest))
    )


def _below(extent: Extent) -> Extent:
    """An entry or a field of it."""
    return extent[1:] or _SCALAR


def _count(text: str | bytes) -> int:
    """Its bytes, at most four for each letter."""
    return len(text) if text.isascii() or isinstance(text, bytes) else 4 * len(text)


def _text(letters: int) -> Extent:
    letters = min(letters, _MOST)
    return (Level(letters, 0, letters),)


def _add(*given: Extent) -> Extent:
    """A sum of numbers, or texts or lists one after the other."""
    own = Level(*map(sum, zip(*(one[0] for one in given), strict=True)))
    if not own.entries and not own.letters:
        return _SCALAR
    return (own, *_join(*(one[1:] for one in given)))


def _repeat(extent: Extent, rounds: int) -> Extent:
    return (Level(*(min(amount * rounds, _MOST) for amount in extent[0])), *extent[1:])


def _replace(text: Extent, _old: Extent, new: Extent, *_most: Extent) -> Extent:
    letters = text[0].letters
    return _text(letters + (letters + 1) * new[0].letters)


def _split(text: Extent, *_given: Extent) -> Extent:
    letters = text[0].letters
    return (Level(letters + _ENTRY * (letters + 1), letters + 1), *_text(letters))


def _put_together(given: Extent, *between: Extent) -> Extent:
    return _text(given[0].size + given[0].entries * sum(one[0].letters for one in between))


def _format(text: Extent, given: Extent) -> Extent:
    verbs = min(given[0].entries, text[0].letters // 2)
    return _text(text[0].letters + _GROWTH * given[0].size + _VERB * verbs)


def _flatten(given: Extent, *_depth: Extent) -> Extent:
    inner = [given[depth:] for depth in range(1, len(given))]
    return (Level(given[0].size, given[0].size // _ENTRY), *_join(*inner))


def _first(given: Extent, *_others: Extent) -> Extent:
    return given


def _transform(*given: Extent) -> Extent:
    """What a call may give of which nothing more is said here: a text, a list, a map of lists."""
    most = min(_GROWTH * sum(one[0].size for one in given) + _LEAST, _MOST)
    return (Level(most, most, most),) * 3


_FREE = frozenset(
    "_||_ _&&_ !_ -_ _-_ _*_ _/_ _%_ size hasValue @not_strictly_false __not_strictly_false__".split()
)
"""They touch none of what they are given, and give a number or a bool."""
_COMPARING = frozenset("_==_ _!=_ _<_ _<=_ _>_ _>=_".split())
_HANDING_ON = frozenset("optional.of optional.ofNonZeroValue optional.none value orValue or dyn".split())
_KNOWN = (trees.CONSTANT, trees.NUMBER, trees.SETTLED)
_READING = frozenset(("_[_]", "_[?_]", "_?._"))
_BUILDING: Mapping[str, Callable[..., Extent]] = {
    "replace": _replace,
    "split": _split,
    "findAll": _split,
    "join": _put_together,
    "format": _format,
    "flatten": _flatten,
    **dict.fromkeys("sort distinct slice substring charAt trim lowerAscii upperAscii find".split(), _first),
}
_CHOICE, _SUM, _RANGE, _MATCHES = "_?_:_", "_+_", "lists.range", "matches"
_STATES = 16
"""Letters of a pattern with which each letter of a text is looked at once more."""


# --- the walk ---------------------------------------------------------------------------------------------


class _Walk:
    """One walk of a tree. `scope`: what folds give names to. `rounds`: how often its place is come to."""

    def __init__(self, variables: Mapping[str, Any], extents: Extents) -> None:
        self.variables, self.extents, self.scope = variables, extents, dict[str, Extent]()
        # By name and fields: an expression may say the same a thousand times.
        self.known: dict[tuple[str, ...], Extent] = {}
        self.rounds, self.work, self.built = 1, 0, 0

    def reckon(self, node: Node) -> Extent:
        """The extent of what a place of the tree gives; its work is counted."""
        self._touch(_STEP)
        match node.form:
            case trees.PATH:
                return self._read(node.names)
            case trees.CALL:
                return self._call(node)
            case trees.SETTLED:
                self._touch(node.work)
                for name in node.names:
                    self._read((name,))
            case trees.CONSTANT:
                return _text(_count(node.name)) if node.name else _SCALAR
            case trees.SELECT:
                return _below(self.reckon(node.parts[0]))
            case trees.LIST | trees.MAP:
                return self._hold(_gather([self.reckon(part) for part in node.parts], len(node.parts)))
            case trees.FOLD:
                return self._fold(node)
        return _SCALAR

    def _read(self, path: tuple[str, ...]) -> Extent:
        """A variable or a field: of what is given itself, what it really is."""
        root = path[0]
        if root in self.scope:
            return self.scope[root][len(path) - 1 :] or _SCALAR
        if path in self.known:
            return self.known[path]
        value = self.variables.get(root)
        if (root,) not in self.known:
            # The library takes a variable in when it is first named, and whole.
            whole = self.known[root,] = self.extents.measure(value)
            self.work += whole[0].size
        for name in path[1:]:
            value = value.get(name) if isinstance(value, Mapping) else None
        found = self.known[path] = self.extents.measure(value)
        return found

    def _touch(self, size: int) -> None:
        """So many bytes are read, each time the place is come to."""
        self.work += self.rounds * size

    def build(self, size: int) -> None:
        """So many bytes are made, each time the place is come to."""
        self._touch(size)
        self.built += self.rounds * size

    def _hold(self, extent: Extent) -> Extent:
        """A text is made, or a list or a map, which holds its entries and does not copy them."""
        self.build(extent[0].letters + _ENTRY * extent[0].entries)
        return extent

    def _fold(self, node: Node) -> Extent:
        """A loop, which only macros write: it gathers a list, a number, or whether something holds.

        One without entries has no rounds: so the library gives a name to a value.
        """
        over, first, condition, step, result = node.parts
        given, start = self.reckon(over), self.reckon(first)
        name, second, gathered = node.names
        scope, before = self.scope, self.rounds
        rounds, end = min(given[0].entries, MOST_ROUNDS), start
        if rounds:
            self.rounds = min(before * rounds, MOST_ROUNDS)
            self.scope = {**scope, name: _below(given), second: _below(given), gathered: _NOTHING}
            self.reckon(condition)
            end = _join(start, _repeat(self.reckon(step), rounds))
            self.rounds = before
        self.scope = {**scope, gathered: end}
        last = self.reckon(result)
        self.scope = scope
        return last

    def _call(self, node: Node) -> Extent:
        given, name = [self.reckon(part) for part in node.parts], node.name
        if name in _FREE:
            return _SCALAR
        if name in _COMPARING:
            (one, *_), (other, *_) = given
            self._touch(2 * min(one.size, other.size))
            return _SCALAR
        if name == _CHOICE:
            return _join(*given[1:])
        if name in _READING:
            return _below(given[0])
        if name in _HANDING_ON:
            return _join(_NOTHING, *given)
        self._touch(_CALL + sum(one[0].size for one in given))
        if name == _SUM:
            return self._hold(_add(*given))
        if name == _MATCHES:
            self._touch(given[0][0].size * (given[-1][0].size // _STATES))
            return _SCALAR
        # Lists and maps are handed in and out as copies.
        self.build(sum(one[0].size for one in given if one[0].entries))
        if name == _RANGE:
            end = node.parts[-1]
            most = min(int(end.name), MOST_ROUNDS) if end.form == trees.NUMBER else MOST_ROUNDS
            made = _repeat(_gather([_SCALAR], 1), most)
        else:
            made = _BUILDING.get(name, _transform)(*given)
        self.build(made[0].size)
        return made
