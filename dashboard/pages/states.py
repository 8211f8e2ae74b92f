"""Pods by their states, in the tones of the palette."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from dashboard.addresses import find_page
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.selector import Selector
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.living import count_living
from lifecycle.recorded.objects import alive
from lifecycle.recorded.once import recall
from lifecycle.simulation.reports.tones import STATES, TONES, Tone
from lifecycle.stored_kinds import of_kind

Json = dict[str, Any]
MOST_PODS = 200


@dataclass(frozen=True, slots=True)
class Share:
    """So many pods of one state, drawn after `start` others."""

    tone: Tone
    start: int
    count: int


def list_shares(states: Counter[str]) -> list[Share]:
    """So many of each state as there are, in the order of the palette."""
    shares: list[Share] = []
    for tone in STATES:
        if count := states[tone.name]:
            shares.append(Share(tone, sum(share.count for share in shares), count))
    return shares


def count_states(cluster: Cluster) -> list[tuple[Tone, int]]:
    """Living pods by state, in the order of the palette.

    Pods alone are counted where nobody has counted all kinds: a cluster may have very many other objects.
    """
    if (there := recall(count_living, cluster)) is None:
        pods = alive(cluster, POD_KIND.id).order_by().values_list("state")
        counts = dict(pods.annotate(Count("pk")))
    else:
        counts = {state: one.count for (kind, state), one in there.items() if kind == POD_KIND.id}
    return [(tone, counts.get(tone.name, 0)) for tone in STATES]


def tone_of(stored: StoredObject) -> Tone:
    """The palette's entry for a pod; a deleted one keeps its last state's."""
    return TONES.get(stored.state or "", TONES["unknown"])


def list_selected(cluster: Cluster, namespace: str | None, selector: Selector) -> list[Json]:
    """The living pods that something selects, those that are not ready first."""
    rows = StoredObject.objects.filter(
        of_kind(POD_KIND.id), cluster=cluster, namespace=namespace, deleted_ms__isnull=True
    )
    found = [
        one for one in rows.order_by("name") if selector.matches(one.data["metadata"].get("labels") or {})
    ]
    found.sort(key=lambda one: one.state == "ready")
    return [
        {
            "name": one.name,
            "page": find_page(POD_KIND.id, one.namespace or "", one.name),
            "tone": tone_of(one),
            "status": one.status or "",
            "restarts": one.restarts or 0,
            "node": one.node or "",
        }
        for one in found[:MOST_PODS]
    ]
