"""The patch that `kubectl apply` sends of a kind without merge keys, such as a custom resource.

Models CreateThreeWayJSONMergePatch of jsonmergepatch, with the rules of its library: of the difference to the
live object all but what is to go, of that to the last applied manifest what is to go alone. So a null takes
away what is there when it is first applied, and not again. Lists are whole.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def make_three_way_json_patch(former: Json, wanted: Json, live: Json) -> Json:
    """A JSON merge patch for the live object."""
    return _join(_keep_deletions(_compare(former, wanted)), _drop_nulls(_compare(live, wanted)))


def _compare(old: Json, new: Json) -> Json:
    """What makes the new mapping of the old one (CreateMergePatch)."""
    patch: Json = {name: None for name in old if name not in new}
    for name, value in new.items():
        if isinstance(value, dict) and isinstance(old.get(name), dict):
            within = _compare(old[name], value)
            if within:
                patch[name] = within
        elif name not in old or not _is_same(old[name], value):
            patch[name] = value
    return patch


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are one in JSON: true is no number."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _keep_deletions(patch: Json) -> Json:
    """What a patch takes away."""
    found: Json = {}
    for name, value in patch.items():
        within = _keep_deletions(value) if isinstance(value, dict) else None
        if value is None or within:
            found[name] = within
    return found


def _drop_nulls(patch: Json) -> Json:
    """What a patch adds or changes; an empty mapping is a value."""
    found: Json = {}
    for name, value in patch.items():
        if isinstance(value, dict) and value:
            within = _drop_nulls(value)
            if within:
                found[name] = within
        elif value is not None:
            found[name] = _prune(value)
    return found


def _prune(value: Any) -> Any:
    """A value without the nulls of mappings in its lists (pruneNils)."""
    if isinstance(value, list):
        return [_prune(one) for one in value]
    if isinstance(value, dict):
        return {name: _prune(one) for name, one in value.items() if one is not None}
    return value


def _join(dropped: Json, added: Json) -> Json:
    """Both in one: where they meet, what is added counts."""
    joined = dict(dropped)
    for name, value in added.items():
        former = joined.get(name)
        if isinstance(value, dict) and isinstance(former, dict):
            value = _join(former, value)
        joined[name] = value
    return joined
