"""The pods that autoscalers look at, found by their labels without walking a namespace at every look."""

from __future__ import annotations

from collections.abc import Iterable

from ...objects.pods.pod import Pod
from ...objects.selector import Selector
from ...store.store import Store

_Pair = tuple[str, str, str]


class PodsByLabel:
    """uids of pods by namespace and label, for the labels that somebody's selector asks for."""

    __slots__ = ("_shelves", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._shelves: dict[_Pair, dict[str, None]] = {}

    def list(self, namespace: str, selector: Selector) -> list[Pod]:
        """The pods that a selector selects, in the order in which they came."""
        anchors = selector.anchors
        uids: Iterable[str] = self._store.index.pods_by_namespace.get(namespace, ())
        if anchors:
            uids = [uid for anchor in anchors for uid in self._shelf((namespace, *anchor))]
        pods = map(self._store.pods.__getitem__, uids)
        return [pod for pod in pods if selector.matches(pod.meta.labels)]

    def _shelf(self, pair: _Pair) -> dict[str, None]:
        shelf = self._shelves.get(pair)
        if shelf is None:
            shelf = self._shelves[pair] = {}
            for uid in self._store.index.pods_by_namespace.get(pair[0], ()):
                if self._store.pods[uid].meta.labels.get(pair[1]) == pair[2]:
                    shelf[uid] = None
        return shelf

    def follow(self, old: Pod | None, new: Pod | None) -> None:
        """Take in a write to a pod."""
        if not self._shelves or (old is not None and new is not None and old.meta is new.meta):
            return
        for pod, is_there in ((old, False), (new, True)):
            if pod is None:
                continue
            for pair in pod.meta.labels.items():
                shelf = self._shelves.get((pod.meta.namespace or "", *pair))
                if shelf is None:
                    continue
                if is_there:
                    shelf[pod.meta.uid] = None
                elif new is None or new.meta.labels.get(pair[0]) != pair[1]:
                    shelf.pop(pod.meta.uid, None)
