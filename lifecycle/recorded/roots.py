"""Back along the causes of a recorded row, to the command that it goes back to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import Q

from lifecycle.models import Cluster, Command, Event, Transition

Row = Transition | Event
MOST_LINKS = 500
"""A chain that is longer is not followed to its root."""


def walk_back(cluster: Cluster, seq: int) -> Iterator[Row | Command]:
    """A row, what led to it, what led to that, as far as it is kept; at last the command."""
    cause: Any = seq
    while isinstance(cause, int):
        row = _find_row(cluster, cause)
        if row is None:
            return
        yield row
        # A chain goes strictly back; whatever says otherwise ends it.
        cause = row.cause if not isinstance(row.cause, int) or row.cause < cause else None
    if isinstance(cause, str) and (command := _find_command(cluster, cause)):
        yield command


def find_root(cluster: Cluster, seq: int) -> Command | None:
    """The command that led to a row; None where none did, or the way to it is not kept or too long."""
    chain = islice(walk_back(cluster, seq), MOST_LINKS)
    return next((one for one in chain if isinstance(one, Command)), None)


def _find_row(cluster: Cluster, seq: int) -> Row | None:
    if seq > cluster.seq:
        return None
    for model in (Transition, Event):
        if found := model.objects.filter(cluster=cluster, seq=seq).first():
            return found
    return None


def _find_command(cluster: Cluster, cause: str) -> Command | None:
    try:
        uuid = UUID(cause.removeprefix("command:"))
    except ValueError:
        return None
    asked = Command.objects.filter(Q(pk=uuid) | Q(source=uuid), cluster=cluster)
    return asked.select_related("user").first()
