"""What happened in a cluster from one instant until another, object by object."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from lifecycle.engine.objects.kinds import kind_id
from lifecycle.models import Cluster, Transition

MOST_ROWS = 40_000
"""So many changes of each cluster are compared, the earliest first."""
Subject = tuple[str, str, str]
"""Kind, namespace and name."""
Change = tuple[int, str, Any, int, Any]
"""Instant, field, new value, the row's number, and the value before."""


def name_subject(subject: Subject) -> str:
    """`Deployment shop/web`."""
    kind, namespace, name = subject
    return f"{kind.partition('.')[0]} {f'{namespace}/' if namespace else ''}{name}"


@dataclass(slots=True)
class History:
    """What happened in one of the two: by object its changes in order, by owner the restarts of its pods."""

    changes: dict[Subject, list[Change]] = field(default_factory=dict)
    restarts: Counter[tuple[str, str]] = field(default_factory=Counter)
    is_cut: bool = False


def read_history(cluster: Cluster, since_ms: int, until_ms: int) -> History:
    """The changes of a cluster from one instant until another."""
    history = History()
    columns = ("kind", "group", "namespace", "name", "owner", "at_ms", "field", "new", "seq", "old")
    rows = _rows(cluster, since_ms, until_ms).values_list(*columns)[: MOST_ROWS + 1]
    for number, (kind, group, namespace, name, owner, at_ms, what, new, seq, old) in enumerate(
        rows.iterator()
    ):
        if number == MOST_ROWS:
            history.is_cut = True
            break
        subject = kind_id(group, kind), namespace or "", name
        history.changes.setdefault(subject, []).append((at_ms, what, new, seq, old))
        if what.endswith(".restartCount"):
            history.restarts[(namespace or "", owner or f"{kind}/{name}")] += 1
    return history


def _rows(cluster: Cluster, since_ms: int, until_ms: int) -> QuerySet[Transition]:
    rows = Transition.objects.filter(cluster=cluster, seq__lte=cluster.seq)
    # Of the indexed rows one before leads there: later rows have higher numbers.
    before = rows.filter(field="state", at_ms__lt=since_ms).order_by("-at_ms").values_list("seq", flat=True)
    rows = rows.filter(seq__gt=before.first() or 0)
    return rows.filter(at_ms__gte=since_ms, at_ms__lte=until_ms).order_by("seq")
