"""What is said of objects that are only stored: once for each kind, those that matter most first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from lifecycle.engine.kinds.registry import entry_of_id, entry_of_json, list_entries
from lifecycle.engine.objects.names import DEFINITION, RBAC_GROUP
from lifecycle.engine.rules.custom_resources.definition import defined_kind_of
from lifecycle.engine.schema.tables import is_known_kind


def list_stored_only(objects: Iterable[Mapping[str, Any]]) -> list[str]:
    """One line for each thing that is to be said, naming the kinds of which it holds."""
    counts = Counter[str]()
    unattended: dict[str, str] = {}
    custom: dict[str, None] = {}
    passive: dict[str, None] = {}
    defined: set[str] = set()
    for data in objects:
        entry, kind = entry_of_json(data), str(data.get("kind"))
        id_ = entry.kind.id
        counts[id_] += 1
        if entry.unattended:
            unattended[id_] = entry.unattended
        elif not is_known_kind(str(data.get("apiVersion")), kind):
            custom[id_] = None
        elif entry.is_passive:
            passive[id_] = None
        if id_ == DEFINITION:
            defined.add(defined_kind_of(data))

    def name(ids: Iterable[str]) -> str:
        # An id's first word is the kind; the group matters only for custom ones.
        return ", ".join(f"{id_ if id_ in custom else id_.partition('.')[0]} ({counts[id_]})" for id_ in ids)

    lines = []
    for why in dict.fromkeys(entry.unattended for entry in list_entries() if entry.unattended):
        ids = [entry.kind.id for entry in list_entries() if unattended.get(entry.kind.id) == why]
        if ids:
            lines.append(f"{name(ids)}: stored, but their controllers are not there yet: {why}")
    undefined = [id_ for id_ in custom if id_ not in defined]
    if undefined:
        lines.append(f"{name(undefined)}: stored unchecked; no CustomResourceDefinition of them is given")
    if ids := [id_ for id_ in custom if id_ in defined and entry_of_id(id_).is_passive]:
        lines.append(f"{name(ids)}: custom resources, held to their schemas; nothing acts on them")
    if roles := [id_ for id_ in passive if entry_of_id(id_).kind.api_version.startswith(RBAC_GROUP)]:
        lines.append(f"{name(roles)}: say who may do what through the API; controllers are held to none")
    if idle := [id_ for id_ in passive if id_ not in roles]:
        lines.append(f"{name(idle)}: stored, but nothing in the model acts on them")
    return lines
