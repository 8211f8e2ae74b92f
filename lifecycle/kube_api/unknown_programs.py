"""What a write is warned of where nobody knows a program: what it is assumed to do, once for each image.

Once in a cluster: an image that another object has, or has had, was warned of before.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from lifecycle.engine.kinds.pod_specs import find_pod_metadata, find_pod_spec
from lifecycle.engine.kinds.registry import list_entries
from lifecycle.engine.objects.names import BEHAVIOR
from lifecycle.engine.programs.images.doubts import list_doubts
from lifecycle.engine.programs.told import is_task, list_api_callers
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.objects import list_profiles

Json = Mapping[str, Any]
_MOST_NAMED = 5
_MOST_REMEMBERED = 10_000
_WAYS_OUT = f"the annotation {BEHAVIOR} or a ContainerProfile says otherwise"


def list_warnings(cluster: Cluster, old: Json | None, new: Json) -> list[str]:
    """What to warn of, of an object as it was and as it is stored now; nothing of one that has no pods."""
    images = _list_unknown(new, ())
    if not images:
        return []
    images = _list_unknown(new, list_profiles(cluster)) - (_list_unknown(old, ()) if old else set())
    first = sorted(image for image in images if _is_first(cluster, image, new["metadata"].get("uid") or ""))
    if not first:
        return []
    named = ", ".join(first[:_MOST_NAMED])
    more = f" and {len(first) - _MOST_NAMED} more" if len(first) > _MOST_NAMED else ""
    does = "to end with code 0" if is_task(new) else "to answer on every port"
    said = f"nothing is known of {named}{more}: assumed to start and {does}; {_WAYS_OUT}"
    return [said, *list_api_callers([new], list_profiles(cluster))]


def _list_unknown(data: Json, profiles: Iterable[Json]) -> set[str]:
    spec = find_pod_spec(data)
    return (
        set(list_doubts([{"metadata": find_pod_metadata(data), "spec": spec}], profiles)) if spec else set()
    )


def _is_first(cluster: Cluster, image: str, uid: str) -> bool:
    """Whether no other object that somebody made has an image; asked once in each process."""
    if image in _seen_in(cluster.pk):
        return False
    if len(_seen_in(cluster.pk)) < _MOST_REMEMBERED:
        _seen_in(cluster.pk).add(image)
    kinds = {entry.kind.name for entry in list_entries() if entry.pod_spec_path}
    rows = StoredObject.objects.filter(cluster=cluster, kind__in=kinds, owner=None).exclude(uid=uid)
    return not rows.annotate(text=Cast("data", TextField())).filter(text__contains=f'"{image}"').exists()


@lru_cache(maxsize=1024)
def _seen_in(cluster_id: int) -> set[str]:
    return set()
