"""Fields of manifests that two clusters have otherwise, object by object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lifecycle.input.differences import (
    MADE_BY_PARTS,
    Field,
    Json,
    Key,
    list_fields,
    map_manifests,
    name_key,
)
from lifecycle.models import Cluster, StoredObject

MOST_OBJECTS, MOST_CHANGED, MOST_FIELDS = 500, 20, 20
OF_ENDINGS = ("lifecycle", "terminationGracePeriodSeconds")
OF_ROLLOUTS = ("spec.strategy", "spec.updateStrategy", "spec.minReadySeconds")
OLD_TEMPLATE = (
    "Pods that were there before end by their old template: what is new of how a pod ends counts from the"
    " next rollout on."
)


@dataclass(frozen=True, slots=True)
class Changed:
    """An object that the two do not have alike. `more`: so many further fields."""

    key: Key
    fields: Sequence[Field] = ()
    more: int = 0
    only: str = ""

    @property
    def name(self) -> str:
        """`Deployment shop/web`"""
        return name_key(self.key)

    @property
    def is_of_rollouts(self) -> bool:
        """Whether it differs in how a rollout goes: then one has to come for it to show."""
        return any(one.path.startswith(OF_ROLLOUTS) for one in self.fields)

    @property
    def note(self) -> str:
        """What people are to know of such a change."""
        of_template = (one.path for one in self.fields if ".template.spec" in one.path)
        is_ending = any(
            name in path.rpartition("template.spec")[2] for path in of_template for name in OF_ENDINGS
        )
        return OLD_TEMPLATE if is_ending else ""


def list_changed(left: Cluster, right: Cluster) -> tuple[list[Changed], int]:
    """The first of them, by kind and name, and how many there are besides."""
    ours, theirs = _read_manifests(left), _read_manifests(right)
    changed = [
        _compare_objects(key, ours.get(key), theirs.get(key), (left, right))
        for key in sorted({**ours, **theirs})
        if ours.get(key) != theirs.get(key)
    ]
    return changed[:MOST_CHANGED], max(0, len(changed) - MOST_CHANGED)


def _read_manifests(cluster: Cluster) -> dict[Key, Json]:
    """What would be applied to make its objects again, by kind, namespace and name."""
    rows = StoredObject.objects.filter(cluster=cluster, owner__isnull=True, deleted_ms__isnull=True)
    rows = rows.exclude(kind__in=MADE_BY_PARTS).order_by("kind", "namespace", "name")
    return map_manifests(data for data in rows.values_list("data", flat=True)[:MOST_OBJECTS] if data)


def _compare_objects(
    key: Key, one: Json | None, other: Json | None, sides: tuple[Cluster, Cluster]
) -> Changed:
    if one is None or other is None:
        only = sides[0 if other is None else 1].address
        return Changed(key, only=only)
    fields = list(list_fields(one, other))
    return Changed(key, fields[:MOST_FIELDS], max(0, len(fields) - MOST_FIELDS))
