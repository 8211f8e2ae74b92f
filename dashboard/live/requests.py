"""Which Services a figure tells of, and how the requests to them fare: read once, then followed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dashboard.plots.requests import SERVICE, ServedLane
from lifecycle.lost_requests import FIELD, Courses, find_per_second
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.objects import find_object
from lifecycle.recorded.requests import list_services, list_services_of, read_courses
from lifecycle.stored_kinds import kind_of_row

Row = dict[str, Any]


class RequestReader:
    """Of all Services of a cluster, or of those that select the pods of a workload (`shop/Deployment/web`).

    A subject that is a Service itself (`shop/Service/web`) is that one.
    """

    def __init__(self, cluster: Cluster, subject: str = "") -> None:
        self.namespace, self.kind, self.name = (*subject.split("/", 2), "", "")[:3]
        self.by_uid: dict[str, ServedLane] = {}
        self._refused: set[str] = set()
        found = self._list_asked(cluster)
        courses = read_courses(cluster, [one.uid for one in found])
        for one in found:
            if one.uid in courses:
                self._add(one, courses[one.uid])

    def follow(self, cluster: Cluster, rows: Iterable[Row]) -> None:
        """Take the rows of a frame; those of Services that were not known are looked up."""
        told = [row for row in rows if self._tells(row)]
        for uid in dict.fromkeys(row["uid"] for row in told):
            if uid not in self.by_uid and uid not in self._refused:
                self._meet(cluster, uid)
        self.take(told)

    def take(self, rows: Iterable[Row]) -> None:
        """The next rows of Services that are known; others say nothing here."""
        for row in rows:
            if row["uid"] in self.by_uid and self._tells(row):
                self.by_uid[row["uid"]].courses.feed(row)
                if row["field"] == "exists" and self.kind != SERVICE:
                    del self.by_uid[row["uid"]]

    @property
    def lanes(self) -> list[ServedLane]:
        """Those that are sent requests."""
        return list(self.by_uid.values())

    @staticmethod
    def _tells(row: Row) -> bool:
        is_told = row["field"].startswith(FIELD) or (row["field"] == "exists" and row["new"] == "deleted")
        return is_told and kind_of_row(row) == SERVICE

    def _meet(self, cluster: Cluster, uid: str) -> None:
        found = [one for one in self._list_asked(cluster) if one.uid == uid]
        self._refused |= set() if found else {uid}
        for one in found:
            self._add(one, Courses())

    def _add(self, stored: StoredObject, courses: Courses) -> None:
        namespace, per_second = stored.namespace or "", find_per_second(stored.data)
        self.by_uid[stored.uid] = ServedLane(namespace, stored.name, courses, per_second)

    def _list_asked(self, cluster: Cluster) -> list[StoredObject]:
        if not self.namespace:
            return list_services(cluster)
        found = find_object(cluster, self.kind, self.namespace, self.name)
        if found is None or self.kind == SERVICE:
            return [found] if found is not None else []
        return list_services_of(cluster, found)
