"""The patch that `kubectl apply` sends: what differs from the live object, and what is given no more.

Models kubectl's patcher (strategicpatch, CreateThreeWayMergePatch). Two comparisons are made: of the live
object with the manifest, whose deletions do not count, and of the last applied manifest with the new one, of
which nothing else counts; the first is then merged into the second. Entries of lists are paired in the order
of their merge keys: where a key is there twice, they are paired as kubectl pairs them, right or wrong.
Left out: the order of entries of equal keys in lists of more than twelve, which Go's sort leaves to chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...heart.errors import Unknown
from ...schema.fields import Field
from ...schema.tables import Fields, fields_within
from .strategic_merge import (
    DELETE,
    DELETE_FROM,
    DIRECTIVE,
    ELEMENT_ORDER,
    REPLACE,
    RETAIN_KEYS,
    field_of,
    is_directive,
    key_of,
    need_order,
    write_go,
)

Json = dict[str, Any]
RETAINS = "retainKeys"


def make_three_way_patch(former: Json, wanted: Json, live: Json, fields: Fields) -> Json:
    """A strategic merge patch for the live object. Raises Unknown for an entry that nothing tells apart."""
    added = _compare(live, wanted, fields, is_of_deletions=False)
    dropped = _compare(former, wanted, fields, is_of_deletions=True)
    return _join(dropped, added, fields)


def _compare(old: Json, new: Json, fields: Fields, is_of_deletions: bool, is_retaining: bool = False) -> Json:
    """What makes the new mapping of the old one: its deletions alone, or all but these."""
    patch: Json = {}
    for name, value in new.items():
        field = field_of(fields, name)
        if name in old and type(old[name]) is type(value) and isinstance(value, dict | list):
            patch |= _compare_within(name, old[name], value, field, is_of_deletions)
        elif not (is_of_deletions or (name in old and _is_same(old[name], value))):
            patch[name] = value
    if is_of_deletions:
        patch |= {name: None for name in old if name not in new}
    kept = sorted(name for name, value in new.items() if value is not None)
    has_more = any(value is not None and name not in new for name, value in old.items())
    if is_retaining and kept and (patch or has_more):
        patch[RETAIN_KEYS] = kept
    return patch


def _is_same(one: Any, other: Any) -> bool:
    """1 is neither 1.0 nor true."""
    return type(one) is type(other) and bool(one == other)


def _compare_within(name: str, old: Any, new: Any, field: Field, is_of_deletions: bool) -> Json:
    """A mapping or a list that was one before."""
    if isinstance(new, list) and field.is_merged:
        return _compare_lists(name, old, new, field, is_of_deletions)
    if isinstance(new, dict) and REPLACE not in field.strategies:
        is_retaining = RETAINS in field.strategies
        patch = _compare(old, new, fields_within(field), is_of_deletions, is_retaining)
        return {name: patch} if patch else {}
    is_as_before = isinstance(new, list) and old == new
    return {} if is_of_deletions or is_as_before else {name: new}


def _compare_lists(
    name: str, old: Sequence[Any], new: Sequence[Any], field: Field, is_of_deletions: bool
) -> Json:
    if not old:
        return {} if is_of_deletions or not new else {name: new}
    _need_one_type([*old, *new])
    if not isinstance(old[0], dict):
        return _compare_values(name, old, new, is_of_deletions)
    entries, gone = _compare_entries(old, new, field, is_of_deletions)
    places = _find_places(new, field)
    entries.sort(key=lambda entry: places[write_go(key_of(entry, field))])
    keys = [key_of(entry, field) for entry in new]
    has_moved = not is_of_deletions and [key_of(entry, field) for entry in old] != keys
    patch: Json = {}
    if entries or gone:
        patch[name] = entries + gone
    if keys and (patch or has_moved):
        patch[ELEMENT_ORDER + name] = [{field.merge_key: key} for key in keys]
    return patch


def _need_one_type(entries: Sequence[Any]) -> None:
    if any(isinstance(entry, list) for entry in entries):
        raise Unknown("lists of lists are not supported")
    if len({type(entry) for entry in entries}) > 1:
        raise Unknown(f"list element types are not identical: {write_go(list(entries))}")


def _compare_values(name: str, old: Sequence[Any], new: Sequence[Any], is_of_deletions: bool) -> Json:
    """Plain values: each counts as often as it is there."""
    before, now = sorted(old, key=write_go), sorted(new, key=write_go)
    if is_of_deletions:
        gone = list(dict.fromkeys(_take_off(before, now)))
        return (
            {DELETE_FROM + name: gone, **({ELEMENT_ORDER + name: list(new)} if new else {})} if gone else {}
        )
    more = _take_off(now, before)
    patch: Json = {name: sorted(more, key=new.index)} if more else {}
    # It is the sorted list that is compared: an order alone is put right only where it is not that.
    if new and before != list(new):
        patch[ELEMENT_ORDER + name] = list(new)
    return patch


def _take_off(entries: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """The entries that are left when each of the others has taken one away."""
    rest, left = list(others), []
    for entry in entries:
        if entry in rest:
            rest.remove(entry)
        else:
            left.append(entry)
    return left


def _compare_entries(
    old: Sequence[Any], new: Sequence[Any], field: Field, is_of_deletions: bool
) -> tuple[list[Json], list[Json]]:
    """The entries that change or are new, and directives for those that are to go."""
    fields = fields_within(field.inner) if field.inner is not None else {}
    is_retaining = RETAINS in field.strategies
    entries: list[Json] = []
    gone: list[Json] = []
    before, now = _sort_by_key(old, field), _sort_by_key(new, field)
    while before or now:
        if before and now and before[0][0] == now[0][0]:
            patch = _compare(before.pop(0)[1], now[0][1], fields, is_of_deletions, is_retaining)
            entry = now.pop(0)[1]
            if patch:
                entries.append({**patch, field.merge_key: entry[field.merge_key]})
        elif not before or (now and before[0][0] > now[0][0]):
            entry = now.pop(0)[1]
            if not is_of_deletions:
                entries.append(entry)
        else:
            entry = before.pop(0)[1]
            if is_of_deletions:
                gone.append({field.merge_key: entry[field.merge_key], DIRECTIVE: DELETE})
    return entries, gone


def _sort_by_key(entries: Sequence[Any], field: Field) -> list[tuple[str, Any]]:
    """By the key as a text; kubectl's sort takes equal ones for out of order, and so turns them around."""
    keyed = [(write_go(key_of(entry, field)), entry) for entry in reversed(entries)]
    return sorted(keyed, key=lambda one: one[0])


def _find_places(entries: Sequence[Any], field: Field) -> dict[str, int]:
    """Where each key is first."""
    keys = [write_go(key_of(entry, field)) for entry in entries]
    return {key: place for place, key in reversed(list(enumerate(keys)))}


def _join(dropped: Json, added: Json, fields: Fields) -> Json:
    """One patch of two: what is added is merged into what is dropped, whose directives stay."""
    joined = dict(dropped)
    for name, value in added.items():
        known: Any = joined.get(name)
        field = field_of(fields, name)
        if name.startswith(ELEMENT_ORDER):
            # Where a key is there twice, kubectl may be unable to say what it wants, and gives up.
            whole = name.removeprefix(ELEMENT_ORDER)
            need_order(added.get(whole) or (), value, field_of(fields, whole))
        if is_directive(name) or type(known) is not type(value):
            joined[name] = value
        elif isinstance(value, dict) and REPLACE not in field.strategies:
            joined[name] = _join(known, value, fields_within(field))
        elif isinstance(value, list) and field.is_merged and field.inner is not None:
            order = added.get(ELEMENT_ORDER + name) or dropped.get(ELEMENT_ORDER + name) or ()
            joined[name] = _join_entries(known, value, order, field)
        else:
            joined[name] = value
    return joined


def _join_entries(
    dropped: Sequence[Json], added: Sequence[Json], order: Sequence[Json], field: Field
) -> list[Json]:
    """In the order of the manifest; what is only dropped comes last."""
    assert field.inner is not None, "a merged list is a list of something"
    fields, joined = fields_within(field.inner), list(dropped)
    for entry in added:
        key, keys = key_of(entry, field), [key_of(one, field) for one in joined]
        if key in keys:
            joined[keys.index(key)] = _join(joined[keys.index(key)], entry, fields)
        else:
            joined.append(entry)
    places = _find_places(order, field)
    return sorted(joined, key=lambda one: places.get(write_go(key_of(one, field)), len(places)))
