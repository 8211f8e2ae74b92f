"""The images of living pods of which nobody says how they behave."""

from __future__ import annotations

from typing import Any

from django.db.models import Min

from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.programs.images.doubts import list_doubts
from lifecycle.engine.programs.told import list_assumed_images
from lifecycle.models import Cluster
from lifecycle.recorded.living import is_none_alone
from lifecycle.recorded.objects import alive, list_profiles
from lifecycle.recorded.once import once

MOST = 200
"""So many pods of different owners are looked at, and so many that nobody owns: a page is not to wait."""


def list_assumed(cluster: Cluster) -> list[str]:
    """The images of living pods that are assumed to start and answer: one pod of each owner is looked at."""
    return list_assumed_images(_choose_pods(cluster), list_profiles(cluster))


def list_doubted(cluster: Cluster) -> list[str]:
    """The images of living pods that nobody knows: likewise."""
    return list_doubts(_choose_pods(cluster), list_profiles(cluster))


@once
def _choose_pods(cluster: Cluster) -> list[Any]:
    pods = alive(cluster, POD_KIND.id)
    first = pods.filter(owner__isnull=False).values("namespace", "owner").annotate(first=Min("pk"))
    owned = pods.filter(pk__in=first.values("first")).order_by("pk")
    chosen = list(owned.values_list("data", flat=True)[:MOST])
    if not is_none_alone(cluster, POD_KIND.id):
        alone = pods.filter(owner__isnull=True).order_by("created_ms", "name")
        chosen += alone.values_list("data", flat=True)[:MOST]
    return chosen
