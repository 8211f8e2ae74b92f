"""The admission webhook of the VerticalPodAutoscaler: it sets the requests of new pods."""

from __future__ import annotations

from collections.abc import Mapping

from lifecycle.lean_dataclasses import dataclass

from ...objects.pods.pod import PodSpec
from ...objects.selector import Selector
from ...rules.scaling.vertical_scaling import Recommended, apply_to_pod
from ...store.selectors import SelectorIndex

UPDATES, OBSERVED = "vpaUpdates", "vpaObservedContainers"


@dataclass(slots=True)
class Recommendation:
    """What one autoscaler recommends, by container; `turn` is another whenever that is."""

    name: str
    containers: Mapping[str, Recommended]
    only_requests: set[str]
    turn: int


class Recommendations:
    """Kept by the vertical autoscaler; asked when a pod is made."""

    def __init__(self) -> None:
        self._index = SelectorIndex()
        self._by_uid: dict[str, Recommendation] = {}
        self._turns = 0

    def put(
        self,
        uid: str,
        key: tuple[str, str],
        selector: Selector,
        found: Mapping[str, Recommended],
        only: set[str],
    ) -> None:
        """Have new pods that a selector selects get what is recommended; `key` is namespace and name."""
        self._turns += 1
        self._by_uid[uid] = Recommendation(key[1], found, only, self._turns)
        self._index.add(uid, *key, selector)

    def drop(self, uid: str) -> None:
        """Leave new pods as they are."""
        if self._by_uid.pop(uid, None) is not None:
            self._index.remove(uid)

    def apply(
        self, spec: PodSpec, namespace: str, labels: Mapping[str, str]
    ) -> tuple[PodSpec, Mapping[str, str]]:
        """The spec as a new pod is to have it, and annotations that say so."""
        if not self._by_uid:
            return spec, {}
        matching = self._index.matching(namespace, labels)
        if not matching:
            return spec, {}
        found = self._by_uid[matching[0][0]]
        known = spec.notes.recommended
        if known is None or known[0] != (matching[0][0], found.turn):
            raw, told = apply_to_pod(spec.raw, found.name, found.containers, found.only_requests)
            made = PodSpec.from_json(raw) if told else spec
            names = ", ".join(one.name for one in spec.containers)
            annotations = {UPDATES: told, OBSERVED: names} if told else {}
            known = spec.notes.recommended = ((matching[0][0], found.turn), made, annotations)
        return known[1], known[2]
