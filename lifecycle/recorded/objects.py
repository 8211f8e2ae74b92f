"""Stored objects as several rooms ask for them: one by name, those of a kind, and whose they are."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from lifecycle.engine.kinds import references, registry
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pods.pod import MIRROR
from lifecycle.engine.objects.storage import STORAGE_CLASS
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.living import is_none
from lifecycle.recorded.once import once
from lifecycle.stored_kinds import kind_of_stored, of_kind

Json = dict[str, Any]
# A namespace and what stands in it: `Deployment/web`.
Key = tuple[str | None, str | None]


def find_object(cluster: Cluster, kind: str, namespace: str, name: str) -> StoredObject | None:
    """The latest object of that name, deleted or not."""
    where = Q(namespace=namespace) if namespace else Q(namespace__isnull=True) | Q(namespace="")
    named = StoredObject.objects.filter(of_kind(kind), where, cluster=cluster, name=name)
    return named.order_by("-rv").first()


def alive(cluster: Cluster, kind: str) -> QuerySet[StoredObject]:
    """What there is of a kind."""
    return StoredObject.objects.filter(of_kind(kind), cluster=cluster, deleted_ms__isnull=True)


@once
def list_there(cluster: Cluster) -> list[references.Reference]:
    """What the cluster has of all that may be missing."""
    there = StoredObject.objects.filter(of_kind(*references.KINDS), cluster=cluster, deleted_ms__isnull=True)
    names = there.values_list("kind", "group", "namespace", "name")
    return [(kind_id(group, kind), namespace or "", name) for kind, group, namespace, name in names]


def list_classes(cluster: Cluster) -> list[Any]:
    """The StorageClasses of a cluster, by their names."""
    stored = StoredObject.objects.filter(of_kind(STORAGE_CLASS), cluster=cluster, deleted_ms__isnull=True)
    return list(stored.order_by("name").values_list("data", flat=True))


@once
def list_profiles(cluster: Cluster) -> list[Any]:
    """The ContainerProfiles of a cluster, by their names."""
    if is_none(cluster, (CONTAINER_PROFILE.id,)):
        return []
    stored = StoredObject.objects.filter(
        of_kind(CONTAINER_PROFILE.id), cluster=cluster, deleted_ms__isnull=True
    )
    return list(stored.order_by("name").values_list("data", flat=True))


def name_owner(stored: StoredObject) -> str:
    """What the `owner` of an object says that it owns: `StatefulSet/web`."""
    return f"{kind_of_stored(stored)}/{stored.name}"


def list_between() -> list[str]:
    """The kinds whose pods may be those of a workload above them."""
    return [entry.kind.id for entry in registry.list_entries() if entry.stands_between]


@once
def read_parents(cluster: Cluster, is_gone_too: bool = False) -> dict[Key, str | None]:
    """Whose the owners of pods are: of a ReplicaSet its Deployment. `is_gone_too`: also of the deleted."""
    there = StoredObject.objects.filter(cluster=cluster)
    there = there if is_gone_too else there.filter(deleted_ms__isnull=True)
    between = there.filter(of_kind(*list_between()), owner__isnull=False)
    return {
        (namespace, f"{kind}/{name}"): owner
        for namespace, kind, name, owner in between.values_list("namespace", "kind", "name", "owner")
    }


def read_turns(cluster: Cluster, kind: str, namespace: str | None, owner: str) -> dict[str, int]:
    """Which of an owner's revisions an object was, from 0 on, by uid, the gone counted too.

    Their numbers change when a rollout is undone, and what was drawn of them must not.
    """
    owned = StoredObject.objects.filter(of_kind(kind), cluster=cluster, namespace=namespace, owner=owner)
    uids = owned.order_by("created_ms", "name").values_list("uid", flat=True)
    return {uid: turn for turn, uid in enumerate(uids)}


def event_uid(uid: str, annotations: Json | None) -> str:
    """Whom the events of a pod name: it, but for a mirror its static pod, as `kubectl describe` has it."""
    return (annotations or {}).get(MIRROR) or uid


def event_uid_of(pod: StoredObject) -> str:
    """The same, of a pod that was read whole."""
    return event_uid(pod.uid, (pod.data.get("metadata") or {}).get("annotations"))
