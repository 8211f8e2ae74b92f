"""Finds the target of a scale reference and its /scale, with the errors that a client of the API gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_tuples import NamedTuple

from ..kinds.registry import entry_of
from ..objects.kinds import Kind, kind_for
from ..objects.meta import Key, StoredObject
from ..objects.selector import Selector
from ..rules.scaling.scales import Scale, UnreadableScaleError, read_scale
from .context import Context

NO_SUBRESOURCE = "the server could not find the requested resource"


class Target(NamedTuple):
    """What is scaled (None: nothing is), its /scale or why there is none, and whom it selects."""

    found: StoredObject | None
    scale: Scale | str
    selector: Selector | None = None


def kind_of_target(reference: Mapping[str, Any], version: str = "", kind: str = "") -> Kind:
    """The kind a reference names; `version` and `kind` are those of a reference that leaves them out."""
    return kind_for(str(reference.get("apiVersion") or version), str(reference.get("kind") or kind))


def target_key(reference: Mapping[str, Any], namespace: str | None) -> Key:
    """The key of what a reference names."""
    return kind_of_target(reference).id, namespace or "", str(reference.get("name") or "")


def find_target(context: Context, kind: Kind, namespace: str | None, name: str) -> Target:
    """An object and its /scale; a text where there is none."""
    paths = context.definitions.find_scale_paths(kind)
    if paths is None:
        if entry_of(kind).is_custom and context.definitions.find(kind.id) is None:
            return Target(None, f'no matches for kind "{kind.name}" in group "{kind.group}"')
        return Target(None, NO_SUBRESOURCE)
    kind = context.definitions.kind_of(kind)
    found = context.store.get(kind.id, namespace or "", name)
    if found is None:
        return Target(None, f'{kind.resource} "{name}" not found')
    try:
        return Target(found, *read_scale(found, paths))
    except UnreadableScaleError as problem:
        return Target(None, str(problem))
