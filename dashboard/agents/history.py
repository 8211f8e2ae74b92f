"""What is recorded of a cluster's past, as whoever prints kubectl's answers asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifecycle.models import Cluster, ContainerLog, Event
from lifecycle.reads import tell_rows

MOST_EVENTS = 5_000
"""So many rows are looked at, the latest: Kubernetes forgets events after an hour."""


class RecordedHistory:
    """The events and logs of a cluster up to its cursor; events are counted on to `now_ms`."""

    def __init__(self, cluster: Cluster, now_ms: int) -> None:
        self._cluster, self._now_ms = cluster, now_ms

    def list_events(self) -> Sequence[dict[str, Any]]:
        """The last row of each series, in order."""
        rows = Event.objects.filter(cluster=self._cluster, seq__lte=self._cluster.seq).order_by("-seq")
        last: dict[Any, Event] = {}
        for row in reversed(rows[:MOST_EVENTS]):
            last[row.event_id] = row
        told = tell_rows(self._cluster, last.values(), self._now_ms)
        return [
            {
                "seq": row.seq,
                "kind": row.kind,
                "namespace": row.namespace,
                "name": row.name,
                "uid": row.uid,
                "eventType": row.event_type,
                "reason": row.reason,
                "message": row.message,
                "count": row.count,
                "last_ms": row.last_ms,
            }
            for row in told
        ]

    def read_log(self, uid: str, container: str, attempt: int) -> Sequence[str]:
        """What is kept of the lines of a container's run."""
        chunks = ContainerLog.objects.filter(
            cluster=self._cluster, uid=uid, container=container, attempt=attempt
        )
        return "".join(chunks.order_by("number").values_list("text", flat=True)).splitlines()
