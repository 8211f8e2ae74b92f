"""Rows of a cluster's history, as the pictures read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from lifecycle.engine.heart.trace import Version
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.models import Cluster, Transition

Row = dict[str, Any]


def list_transitions(cluster: Cluster) -> QuerySet[Transition]:
    """All up to the cluster's cursor."""
    return Transition.objects.filter(cluster=cluster, seq__lte=cluster.seq)


def walk(source: Any, rows: QuerySet[Any]) -> Iterator[Row]:
    """Row by row, in order."""
    for page in source.walk(rows):
        yield from page


def list_of(versions: Iterable[Version], kind: str, namespace: str, name: str) -> Iterator[Version]:
    """Of an engine's versions those of one object."""
    for version in versions:
        subject = version.new.subject
        is_named = (subject.name, subject.namespace or "") == (name, namespace)
        if is_named and kind_id(subject.group, subject.kind) == kind:
            yield version
