"""How many pods live, by state and owner: all of them, however few are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from dashboard.plots.density import Density, Held, Owner
from lifecycle.pod_judge import FAILED, UNWELL

Row = Mapping[str, Any]

PROBLEMS = (*UNWELL, *FAILED)
"""The states of pods that somebody has to look at."""
NOT_READY = "notReady"
TROUBLED = (*PROBLEMS, NOT_READY)
"""Those, and the one of pods that run and get no traffic."""


class LivingPods:
    """Begun from what is stored of pods, then fed with their transitions."""

    def __init__(self) -> None:
        self.by_owner: dict[Owner, Counter[str]] = {}
        self._known: dict[str, Held] = {}
        # Told of every change from now on.
        self.densities: list[Density] = []

    def begin(self, stored: Iterable[tuple[str, str | None, str | None, str | None]]) -> None:
        """Uid, namespace, owner and state of every pod there is."""
        self.by_owner, self._known = {}, {}
        for uid, namespace, owner, state in stored:
            self._put(uid, (namespace or "", owner), state or "unknown")

    def feed(self, row: Row) -> None:
        """Take a pod's next transition."""
        uid, owner = row["uid"], (row["namespace"] or "", row["owner"])
        before = self._known.get(uid)
        if row["field"] == "exists":
            self._remove(uid)
            if row["new"] != "deleted":
                self._put(uid, owner, "unknown")
        elif uid in self._known:  # not another row of the write that removed it
            state = row["new"] if row["field"] == "state" else self._known[uid][1]
            self._put(uid, owner, state)
        for density in self.densities:
            density.change(row["at_ms"], before, self._known.get(uid))

    def __contains__(self, uid: str) -> bool:
        return uid in self._known

    def count_by_workload(self, workloads: Mapping[str, str]) -> dict[tuple[str, str], Counter[str]]:
        """By namespace and workload; `workloads` says whose the owners of pods are."""
        counts: dict[tuple[str, str], Counter[str]] = {}
        for owner, states in self.by_owner.items():
            counts.setdefault(find_group(owner, workloads), Counter()).update(states)
        return counts

    def _put(self, uid: str, owner: Owner, state: str) -> None:
        if self._known.get(uid) != (owner, state):
            self._remove(uid)
            self._known[uid] = owner, state
            self.by_owner.setdefault(owner, Counter())[state] += 1

    def _remove(self, uid: str) -> None:
        if known := self._known.pop(uid, None):
            owner, state = known
            states = self.by_owner[owner]
            states[state] -= 1
            if not states[state]:
                del states[state]
            if not states:
                del self.by_owner[owner]


def find_group(owner: Owner, workloads: Mapping[str, str]) -> tuple[str, str]:
    """Namespace and workload of an owner of pods; `Pod` for none."""
    namespace, name = owner
    return namespace, workloads.get(f"{namespace}/{name}", name or "Pod")
