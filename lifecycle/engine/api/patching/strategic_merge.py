"""Strategic merge patch: a patch has the shape of the object, and lists are merged entry by entry.

The tables name the merge key of each list; lists without one are replaced as a whole. Directives in a patch:

    $patch: replace | delete            of a mapping: replace it, empty it; of an entry: replace the list
                                        by the patch's other entries, remove the entry
    $deleteFromPrimitiveList/NAME       plain values that go from the list NAME
    $setElementOrder/NAME               the order of all entries of NAME, also of those not in the patch
    $retainKeys                         the fields of a mapping that stay

No directive is ever stored.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from ...heart.errors import BadRequest, Unknown
from ...schema.fields import ANY, Field
from ...schema.tables import ANY_FIELD, Fields, fields_within

Json = dict[str, Any]
DIRECTIVE, RETAIN_KEYS = "$patch", "$retainKeys"
DELETE_FROM, ELEMENT_ORDER = "$deleteFromPrimitiveList/", "$setElementOrder/"
REPLACE, DELETE, MERGE = "replace", "delete", "merge"


def strategic_merge_patch(target: Json, patch: Json, fields: Fields) -> Json:
    """A new mapping of these fields: the target with the patch in it.

    Raises Unknown and BadRequest for a patch that contradicts itself or names no entry.
    """
    if DIRECTIVE in patch:
        return _obey(patch)
    result = _retain(target, patch)
    for name in _list_names(patch):
        value = _merge_field(result.get(name), patch, name, field_of(fields, name))
        if value is None:
            result.pop(name, None)
        else:
            result[name] = value
    return result


def field_of(fields: Fields, name: str) -> Field:
    """What is known of a field by its name."""
    return fields.get(name) or fields.get(ANY_FIELD) or ANY


def key_of(entry: Any, field: Field) -> Any:
    """What tells an entry of a merged list from others.

    Raises Unknown where it is missing, BadRequest where it is no plain value: over that the API server falls.
    """
    key = field.merge_key
    if not key:
        value = entry
    elif not isinstance(entry, dict):
        raise Unknown(f"expected a map with {key}, but received {write_go(entry)}")
    elif entry.get(key) is None:
        raise Unknown(f"map: {write_go(entry)} does not contain declared merge key: {key}")
    else:
        value = entry[key]
    if isinstance(value, dict | list):
        raise BadRequest(f"{key or 'an entry'}: expected a plain value, but received {write_go(value)}")
    return value


def _obey(patch: Json) -> Json:
    directive = patch[DIRECTIVE]
    if directive == REPLACE:
        cleaned: Json = _clean({name: value for name, value in patch.items() if name != DIRECTIVE})
        return cleaned
    if directive == DELETE:
        return {}
    raise _unknown_directive(patch)


def _unknown_directive(patch: Json) -> Unknown:
    return Unknown(f"unknown patch type: {write_go(patch[DIRECTIVE])} in map: {write_go(patch)}")


def _retain(target: Json, patch: Json) -> Json:
    """A copy of the target, of the fields that stay."""
    if RETAIN_KEYS not in patch:
        return dict(target)
    given = {name for name, value in patch.items() if value is not None and not is_directive(name)}
    kept = _keep_plain(patch[RETAIN_KEYS])
    if kept is None or not given <= kept:
        raise BadRequest("invalid patch format of retainKeys")
    return {name: value for name, value in target.items() if name in kept}


def is_directive(name: str) -> bool:
    """Whether a name in a patch is no field, but says what to do with some."""
    return name in (DIRECTIVE, RETAIN_KEYS) or name.startswith((DELETE_FROM, ELEMENT_ORDER))


def _list_names(patch: Json) -> Iterable[str]:
    """The fields that a patch is about, by themselves or in a directive."""
    names = (name.removeprefix(DELETE_FROM).removeprefix(ELEMENT_ORDER) for name in patch)
    return dict.fromkeys(name for name in names if name != RETAIN_KEYS)


def _merge_field(old: Any, patch: Json, name: str, field: Field) -> Any:
    """The new value; None where there is to be none."""
    new = _merge_value(old, patch[name], field) if name in patch else old
    order, gone = patch.get(ELEMENT_ORDER + name), patch.get(DELETE_FROM + name)
    if order is not None and isinstance(new, list) and field.is_merged:
        new = _put_in_order(new, old, patch.get(name) or [], order, field)
    lost = _keep_plain(gone)
    if lost is None and gone is not None:
        raise BadRequest("invalid patch format of primitive list")
    if lost and isinstance(new, list):
        new = [entry for entry in new if isinstance(entry, dict | list) or entry not in lost]
    return new


def _keep_plain(entries: Any) -> set[Any] | None:
    """The plain values of a list; None for what is no list."""
    if not isinstance(entries, list):
        return None
    return {entry for entry in entries if not isinstance(entry, dict | list)}


def _merge_value(old: Any, value: Any, field: Field) -> Any:
    if isinstance(value, dict):
        if isinstance(old, dict) and REPLACE not in field.strategies:
            return strategic_merge_patch(old, value, fields_within(field))
        # A directive about what is not there.
        return None if DIRECTIVE in value else _clean(value)
    if isinstance(value, list) and isinstance(old, list) and field.is_merged:
        return _merge_list(old, value, field)
    return _clean(value)


def _merge_list(old: Sequence[Any], patch: Sequence[Any], field: Field) -> list[Any]:
    """New entries stand where the patch has them, before what it does not name (as recorded)."""
    if not field.merge_key:
        # The first of each counts.
        both = dict.fromkeys(key_of(entry, field) for entry in [*old, *patch])
        return _arrange(list(both), patch, old, field)
    kept, entries = _obey_in_list(old, patch, field)
    result = list(kept)
    places = _find_places([key_of(entry, field) for entry in kept])
    for entry in entries:
        index = places.setdefault(key_of(entry, field), len(result))
        if index == len(result):
            result.append(_clean(entry))
        else:
            result[index] = strategic_merge_patch(result[index], entry, _fields_of_entries(field))
    return _arrange(result, [key_of(entry, field) for entry in entries], kept, field)


def _find_places(keys: Sequence[Any]) -> dict[Any, int]:
    """Where each key stands first."""
    return {key: index for index, key in reversed(list(enumerate(keys)))}


def _fields_of_entries(field: Field) -> Fields:
    assert field.inner is not None, "a merged list is a list of something"
    return fields_within(field.inner)


def _obey_in_list(
    old: Sequence[Any], patch: Sequence[Any], field: Field
) -> tuple[Sequence[Any], Sequence[Any]]:
    """The live entries that stay, and the patch's entries that are no directives."""
    entries: list[Any] = []
    gone: set[Any] = set()
    is_replaced = False
    for entry in patch:
        if not isinstance(entry, dict) or DIRECTIVE not in entry:
            entries.append(entry)
        elif entry[DIRECTIVE] == DELETE:
            gone.add(key_of(entry, field))
        elif entry[DIRECTIVE] == REPLACE:
            is_replaced = True
        elif entry[DIRECTIVE] == MERGE:
            raise Unknown("merging lists cannot yet be specified in the patch")
        else:
            raise _unknown_directive(entry)
    if is_replaced:
        return [_clean(entry) for entry in entries], []
    return [entry for entry in old if key_of(entry, field) not in gone], entries


def need_order(patch: Sequence[Any], order: Sequence[Any], field: Field) -> None:
    """Raise Unknown where a patch has entries in another order than it asks for."""
    places = iter([key_of(entry, field) for entry in order])
    given = [key_of(one, field) for one in patch if not (isinstance(one, dict) and DIRECTIVE in one)]
    # Each is looked for behind the one before it.
    if order and not all(key in places for key in given):
        asked = f"$setElementOrder list:\n{write_go(order)}\n"
        raise Unknown(f"The order in patch list:\n{write_go(patch)}\n doesn't match {asked}")


def _put_in_order(new: list[Any], old: Any, patch: Any, order: Any, field: Field) -> list[Any]:
    if not isinstance(order, list) or not isinstance(patch, list):
        raise Unknown(
            f"expected a list, but received {write_go(patch if isinstance(order, list) else order)}"
        )
    need_order(patch, order, field)
    wanted = [key_of(entry, field) for entry in order]
    return _arrange(new, wanted, old if isinstance(old, list) else [], field)


def _arrange(entries: Sequence[Any], wanted: Sequence[Any], live: Sequence[Any], field: Field) -> list[Any]:
    """Entries in the wanted order; each other one before the first of those that it stood before.

    Of live [a, x, b], with c and b wanted: c is nowhere yet, so it comes first; a and x stood before b.
    """
    by_wanted = _find_places(wanted)
    by_live = _find_places([key_of(entry, field) for entry in live])
    named = [entry for entry in entries if key_of(entry, field) in by_wanted]
    named.sort(key=lambda entry: by_wanted[key_of(entry, field)])
    others = deque(entry for entry in entries if key_of(entry, field) not in by_wanted)
    result: list[Any] = []
    for entry in named:
        place = by_live.get(key_of(entry, field), -1)
        while others and by_live.get(key_of(others[0], field), place) < place:
            result.append(others.popleft())
        result.append(entry)
    return [*result, *others]


def _clean(value: Any) -> Any:
    """What a patch adds as it is: without directives and nulls."""
    if isinstance(value, dict):
        return {
            name: _clean(one)
            for name, one in value.items()
            if one is not None and not is_directive(name) and not _holds_directive(one)
        }
    if isinstance(value, list):
        return [_clean(one) for one in value if not _holds_directive(one)]
    return value


def _holds_directive(value: Any) -> bool:
    return isinstance(value, dict) and DIRECTIVE in value


def write_go(value: Any) -> str:
    """A value as the API server's errors have it, in the notation of Go: `map[image:nginx tty:true]`."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return str(value).lower()
        case dict():
            return f"map[{' '.join(f'{name}:{write_go(value[name])}' for name in sorted(value))}]"
        case list():
            return f"[{' '.join(map(write_go, value))}]"
        case _:
            return str(value)
