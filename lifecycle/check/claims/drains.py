"""`drain-ends`: every drain comes to its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle.check.scene import CRITICAL, End, Scene, Violation
from lifecycle.engine.heart.trace import Row
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.rules.nodes.drains import DONE
from lifecycle.engine.rules.telling.verdicts import tell_span
from lifecycle.simulation.disruptions import Disruptions, Eviction

CLAIM = "drain-ends"


class DrainEnds:
    """A drain that is held up to its end is held up for ever: nothing else is about to happen."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._drains = Disruptions()
        self._drains.know(scene.settled.pods)

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """What drains say."""
        for row in rows:
            self._drains.take(row)

    def finish(self, end: End) -> Iterable[Violation]:
        """A violation for each drain that did not end well, at who holds it up."""
        for drain in self._drains.drains:
            if drain.said == DONE:
                continue
            drain.tell(drain.said, end.now_ms)
            held = [one for one in drain.evictions if not one.is_accepted and one.budget]
            one = held[0] if held else None
            owner = self._find(one.name) if one is not None else ""
            span = tell_span((drain.ended_ms or end.now_ms) - drain.started_ms)
            why = f": {_tell_why(one)}" if one is not None else ""
            at_ms = one.asked_ms if one is not None else drain.started_ms
            text = f"the drain of {drain.node} has not ended after {span}{why}"
            yield Violation(CLAIM, owner or f"Node/{drain.node}", CRITICAL, at_ms, text)

    def _find(self, pod: str) -> str:
        """The workload of a pod by `namespace/name`, also of one that came later."""
        namespace, _, name = pod.partition("/")
        found = self._scene.cluster.get(POD_KIND.id, namespace, name)
        owner = self._scene.owners.get(found["metadata"]["uid"]) if found is not None else None
        return owner.title if owner is not None else f"Pod/{pod}"


def _tell_why(one: Eviction) -> str:
    """Why a pod stays. Of several budgets none is asked: the eviction API refuses (eviction.go)."""
    if "," in one.budget:
        return f"{one.name} stays, for several budgets select it ({one.budget}), and no eviction serves them"
    return f"{one.name} stays, refused for budget {one.budget}"
