"""`one-writer`: nobody's data is claimed twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle.check.claims.alone import is_claim_for_one, list_claims
from lifecycle.check.scene import CRITICAL, End, Scene, Violation
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.objects.pods.pod import POD_KIND

CLAIM = "one-writer"


class OneWriter:
    """Counts the pods that run with a claim that is meant for one."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._running: dict[tuple[str, str], set[str]] = {}
        self._claims: dict[str, list[tuple[str, str]]] = {}
        self._found: dict[tuple[str, str], tuple[Row, str]] = {}
        for pod in scene.settled.pods:
            for claim in self._list_claims(pod):
                self._running.setdefault(claim, set()).add(pod["metadata"]["uid"])

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """Containers that run, and those that have ended."""
        for row in rows:
            if not isinstance(row, Transition) or row.subject.kind != POD_KIND.name:
                continue
            if row.field.startswith("container.") and row.field.endswith(".state") and row.new == "Running":
                self._begin(row)
            elif (row.field == "exists" and row.new == "deleted") or (
                row.field == "phase" and row.new in ("Succeeded", "Failed")
            ):
                for pods in self._running.values():
                    pods.discard(row.subject.uid)

    def _begin(self, row: Transition) -> None:
        owner = self._scene.find_workload(row)
        if owner is None:
            return
        pod = self._scene.cluster.get(POD_KIND.id, row.subject.namespace, row.subject.name)
        for claim in self._list_claims(pod) if pod is not None else ():
            pods = self._running.setdefault(claim, set())
            pods.add(row.subject.uid)
            if len(pods) > 1:
                self._found.setdefault(claim, (row, owner.title))

    def _list_claims(self, pod: object) -> list[tuple[str, str]]:
        meta = pod["metadata"]  # type: ignore[index]
        if meta["uid"] not in self._claims:
            places = [(meta["namespace"], name) for name in list_claims(pod.get("spec") or {})]  # type: ignore[attr-defined]
            cluster = self._scene.cluster
            self._claims[meta["uid"]] = [one for one in places if is_claim_for_one(one, cluster)]
        return self._claims[meta["uid"]]

    def finish(self, end: End) -> Iterable[Violation]:
        """A violation for each claim that several pods ran with."""
        for (_, name), (row, title) in self._found.items():
            text = f"two pods ran with claim {name} at once, which is meant for one"
            yield Violation(CLAIM, title, CRITICAL, row.at_ms, text, row.seq)
