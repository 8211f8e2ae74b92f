"""Reads densities: one grouped question each, however many pods and changes there are."""

from __future__ import annotations

from typing import Any

import orjson
from django.db.models import BigIntegerField, Count, ExpressionWrapper, F, TextField
from django.db.models.functions import Cast

from dashboard.plots.density import Density
from dashboard.plots.stories import STATE
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.stored_kinds import of_kind


def read_density(cluster: Cluster, since_ms: int) -> Density:
    """All that is recorded from an instant on."""
    density = Density(since_ms, cluster.instant_ms)
    changed = Transition.objects.filter(of_kind(POD_KIND.id), cluster=cluster, field=STATE)
    changed = changed.filter(seq__lte=cluster.seq, at_ms__gte=since_ms)
    changed = changed.annotate(was=Cast("old", TextField()), now=Cast("new", TextField()))
    for namespace, owner, was, now, stretch, count in _group(density, changed, "at_ms", "was", "now"):
        for state, by in ((was, -count), (now, count)):
            if state and (name := orjson.loads(state)):
                density.add((namespace or "", owner), stretch, name, by)
    gone = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster)
    gone = gone.filter(deleted_ms__gte=since_ms, deleted_ms__lte=cluster.instant_ms)
    for namespace, owner, state, stretch, count in _group(density, gone, "deleted_ms", "state"):
        density.add((namespace or "", owner), stretch, state or "unknown", -count)
    return density


def _group(density: Density, rows: Any, instant: str, *columns: str) -> Any:
    stretch = ExpressionWrapper(F(instant) / density.size_ms, output_field=BigIntegerField())
    asked = rows.annotate(stretch=stretch).order_by().values_list("namespace", "owner", *columns, "stretch")
    return asked.annotate(count=Count("uid"))
