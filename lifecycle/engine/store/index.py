"""Indexes, so that no part ever scans the cluster: by owner, by node, orphans by namespace.

Each holds uids in order of arrival; the store has the objects.
"""

from __future__ import annotations

from ..objects.meta import StoredObject
from ..objects.pods.pod import Pod

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

    def add(self, new: StoredObject) -> None:
        """An object that is there now."""
        meta = new.meta
        uid = meta.uid
        for reference in meta.owner_references:
            self.children.setdefault(reference.uid, {})[uid] = None
        if isinstance(new, Pod):
            namespace = meta.namespace or ""
            self.pods_by_namespace.setdefault(namespace, {})[uid] = None
            if meta.controller is None:
                self.orphan_pods.setdefault(namespace, {})[uid] = None
            if new.node_name:
                self.pods_by_node.setdefault(new.node_name, {})[uid] = None

    def bind(self, uid: str, node_name: str) -> None:
        """A pod that was on no node is on one."""
        members = self.pods_by_node.get(node_name)
        if members is None:
            self.pods_by_node[node_name] = {uid: None}
        else:
            members[uid] = None

    def remove(self, old: StoredObject) -> None:
        """An object that is gone."""
        meta = old.meta
        uid = meta.uid
        for reference in meta.owner_references:
            _drop(self.children, reference.uid, uid)
        if isinstance(old, Pod):
            namespace = meta.namespace or ""
            _drop(self.pods_by_namespace, namespace, uid)
            if meta.controller is None:
                _drop(self.orphan_pods, namespace, uid)
            if old.node_name:
                _drop(self.pods_by_node, old.node_name, uid)

    def change(self, old: StoredObject, new: StoredObject) -> None:
        """An object whose metadata or node has changed; its uid and namespace stay."""
        uid, namespace = new.meta.uid, new.meta.namespace or ""
        if old.meta.owner_references is not new.meta.owner_references:
            for reference in old.meta.owner_references:
                _drop(self.children, reference.uid, uid)
            for reference in new.meta.owner_references:
                self.children.setdefault(reference.uid, {})[uid] = None
        if not isinstance(new, Pod) or not isinstance(old, Pod):
            return
        if (old.meta.controller is None) != (new.meta.controller is None):
            if new.meta.controller is None:
                self.orphan_pods.setdefault(namespace, {})[uid] = None
            else:
                _drop(self.orphan_pods, namespace, uid)
        if old.node_name != new.node_name:
            if old.node_name:
                _drop(self.pods_by_node, old.node_name, uid)
            if new.node_name:
                self.pods_by_node.setdefault(new.node_name, {})[uid] = None


def _drop(index: dict[str, Uids], key: str, uid: str) -> None:
    members = index.get(key)
    if members is not None:
        members.pop(uid, None)
        if not members:
            del index[key]
