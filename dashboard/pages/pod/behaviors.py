"""How containers are simulated, for pages: whence it is known, what is assumed or left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lifecycle.engine.programs.told import tell_behaviors
from lifecycle.models import Cluster, Event, StoredObject
from lifecycle.recorded.objects import event_uid_of, list_profiles

UNINTERPRETED = "UninterpretedBehavior"


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


def _warnings(cluster: Cluster, uid: str) -> dict[str, list[str]]:
    rows: Any = Event.objects.filter(cluster=cluster, uid=uid, reason=UNINTERPRETED, seq__lte=cluster.seq)
    found: dict[str, list[str]] = {}
    for path, message in rows.order_by("seq").values_list("field_path", "message"):
        # `spec.containers{app}` names the container.
        found.setdefault((path or "").partition("{")[2].rstrip("}"), []).append(message)
    return found
