"""How containers are simulated, for pages: whence it is known, what is assumed or left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Min

from dashboard.reading.objects import event_uid_of, list_profiles
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.programs.images.doubts import list_doubts
from lifecycle.engine.programs.told import list_assumed_images, tell_behaviors
from lifecycle.models import Cluster, Event, StoredObject
from lifecycle.stored_kinds import of_kind

UNINTERPRETED = "UninterpretedBehavior"
MOST = 200
"""So many pods of different owners are looked at, and so many that nobody owns: a page is not to wait."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """One container's line on the page."""

    container: str
    source: str
    assumptions: list[str]
    fallbacks: list[str]


def list_conduct(cluster: Cluster, pod: StoredObject) -> list[Conduct]:
    """Containers in the order they start, with the Warning events that named what was not interpreted."""
    told = tell_behaviors(pod.data, list_profiles(cluster))
    warned = _warnings(cluster, event_uid_of(pod))
    return [
        Conduct(
            one.container,
            one.source,
            list(one.assumptions),
            [
                text.removeprefix("cannot interpret ")
                for text in dict.fromkeys([*one.problems, *warned.get(one.container, ())])
            ],
        )
        for one in told
    ]


def list_assumed(cluster: Cluster) -> list[str]:
    """The images of living pods that are assumed to start and answer: one pod of each owner is looked at."""
    return list_assumed_images(_choose_pods(cluster), list_profiles(cluster))


def list_doubted(cluster: Cluster) -> list[str]:
    """The images of living pods that nobody knows: likewise."""
    return list_doubts(_choose_pods(cluster), list_profiles(cluster))


def _choose_pods(cluster: Cluster) -> list[Any]:
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster, deleted_ms__isnull=True)
    first = pods.filter(owner__isnull=False).values("namespace", "owner").annotate(first=Min("pk"))
    alone = pods.filter(owner__isnull=True).order_by("pk")[:MOST]
    chosen = [*pods.filter(pk__in=first.values("first")).order_by("pk")[:MOST], *alone]
    return [pod.data for pod in chosen]


def _warnings(cluster: Cluster, uid: str) -> dict[str, list[str]]:
    rows: Any = Event.objects.filter(cluster=cluster, uid=uid, reason=UNINTERPRETED, seq__lte=cluster.seq)
    found: dict[str, list[str]] = {}
    for path, message in rows.order_by("seq").values_list("field_path", "message"):
        # `spec.containers{app}` names the container.
        found.setdefault((path or "").partition("{")[2].rstrip("}"), []).append(message)
    return found
