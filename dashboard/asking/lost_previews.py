"""What requests a change would lose: followed while a cluster is run ahead with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lifecycle.engine import Changes
from lifecycle.engine.heart.trace import Transition, row_to_json
from lifecycle.lost_requests import FIELD, Courses, find_per_second, tell_lost, tell_now
from lifecycle.models import Cluster
from lifecycle.recorded.requests import SERVICE, read_courses
from lifecycle.runs.ahead import Ahead

Json = Mapping[str, Any]
MOST_TOLD = 3


class RequestWatch:
    """`take` is given to `run_ahead` as what watches."""

    def __init__(self) -> None:
        self._rows: list[Transition] = []

    def take(self, changes: Changes) -> None:
        """Keep the rows that tell of requests, those that are not recorded yet as well."""
        for row in changes.rows:
            if isinstance(row, Transition) and row.field.startswith(FIELD):
                self._rows.append(row)

    def list_lost(self, cluster: Cluster, ahead: Ahead, is_asked: Callable[[Json], bool]) -> list[str]:
        """`Service web lost …` of each Service that is asked for and loses any from now on."""
        told = list[str]()
        for service, courses in self._find_courses(cluster, ahead, is_asked):
            lost = tell_lost(courses, ahead.from_ms, ahead.to_ms, find_per_second(service))
            name = f"Service {service['metadata']['name']}"
            told += [f"{name} {one}." for one in lost]
            # What goes on where nothing moves any more goes on for ever.
            told += [f"In the end requests to {name} are lost: {one}." for one in tell_now(courses)]
        hidden = len(told) - MOST_TOLD
        return [*told[:MOST_TOLD], *([f"And {hidden} more."] if hidden > 0 else [])]

    def tell_none(self, cluster: Cluster, ahead: Ahead, is_asked: Callable[[Json], bool]) -> list[str]:
        """That none is lost, for when none is; nothing where nobody sends any."""
        return ["No request is lost."] if self._find_courses(cluster, ahead, is_asked) else []

    def _find_courses(
        self, cluster: Cluster, ahead: Ahead, is_asked: Callable[[Json], bool]
    ) -> list[tuple[Json, Courses]]:
        """What is recorded, and what came since."""
        services = {one["metadata"]["uid"]: one for one in ahead.engine.list(SERVICE) if is_asked(one)}
        courses = read_courses(cluster, services)
        for row in self._rows:
            if row.seq > cluster.seq and row.subject.uid in services:
                courses.setdefault(row.subject.uid, Courses()).feed(row_to_json(row))
        return [(one, courses[uid]) for uid, one in services.items() if uid in courses]
