"""Rows of a cluster's history, as the pictures read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from lifecycle.models import Cluster, Transition

Row = dict[str, Any]


def list_transitions(cluster: Cluster) -> QuerySet[Transition]:
    """All up to the cluster's cursor."""
    return Transition.objects.filter(cluster=cluster, seq__lte=cluster.seq)


def walk(source: Any, rows: QuerySet[Any]) -> Iterator[Row]:
    """Row by row, in order."""
    for page in source.walk(rows):
        yield from page
