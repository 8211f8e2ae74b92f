"""Indexes, so that no part ever scans the cluster: by owner, by node, orphans by namespace.

Each holds uids in order of arrival; the store has the objects.
"""

from __future__ import annotations

from ..objects.meta import StoredObject
from ..objects.pod import Pod

Uids = dict[str, None]


class Index:
    """Kept by the store at every write."""

    __slots__ = ("children", "orphan_pods", "pods_by_namespace", "pods_by_node")

    def __init__(self) -> None:
        self.children: dict[str, Uids] = {}
        """uids of dependents by owner uid, every owner reference counted"""
        self.pods_by_node: dict[str, Uids] = {}
        """uids of bound pods by node name"""
        self.orphan_pods: dict[str, Uids] = {}
        """uids of pods without a controlling owner, by namespace"""
        self.pods_by_namespace: dict[str, Uids] = {}
        """uids of all pods by namespace"""

    def add(self, pod: Pod) -> None:
        """A pod that is new: what `change` does, in fewer steps."""
        meta = pod.meta
        uid, namespace = meta.uid, meta.namespace or ""
        for reference in meta.owner_references:
            self.children.setdefault(reference.uid, {})[uid] = None
        self.pods_by_namespace.setdefault(namespace, {})[uid] = None
        if meta.controller is None:
            self.orphan_pods.setdefault(namespace, {})[uid] = None
        if pod.node_name:
            self.pods_by_node.setdefault(pod.node_name, {})[uid] = None

    def change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Follow one write."""
        if old is None or new is None or old.meta is not new.meta:
            self._change_owners(old, new)
        if isinstance(new, Pod) or isinstance(old, Pod):
            before = old.node_name if isinstance(old, Pod) else ""
            after = new.node_name if isinstance(new, Pod) else ""
            if before != after:
                _move(self.pods_by_node, (old or new).meta.uid, before, after)  # type: ignore[union-attr]

    def _change_owners(self, old: StoredObject | None, new: StoredObject | None) -> None:
        before = old.meta.owner_references if old is not None else ()
        after = new.meta.owner_references if new is not None else ()
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        uid = some.meta.uid
        if before is not after or old is None or new is None:
            for reference in before:
                _move(self.children, uid, reference.uid, "")
            for reference in after:
                _move(self.children, uid, "", reference.uid)
        if isinstance(some, Pod):
            namespace = some.meta.namespace or ""
            if old is None or new is None:
                _move(
                    self.pods_by_namespace,
                    uid,
                    namespace if old is not None else "",
                    namespace if new is not None else "",
                )
            was = namespace if old is not None and old.meta.controller is None else ""
            is_now = namespace if new is not None and new.meta.controller is None else ""
            if was != is_now:
                _move(self.orphan_pods, uid, was, is_now)


def _move(index: dict[str, Uids], uid: str, before: str, after: str) -> None:
    if before:
        members = index.get(before)
        if members is not None:
            members.pop(uid, None)
            if not members:
                del index[before]
    if after:
        index.setdefault(after, {})[uid] = None
