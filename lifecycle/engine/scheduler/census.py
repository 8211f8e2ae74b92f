"""How many pods of the same namespace, labels and terms are on each node, and who wants to know of changes.

Whatever counts pods by their labels looks at one group where it would else look at every pod of a template.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from ..objects.pod import Pod
from ..rules.placement.terms import APART, NEAR, NO_TERMS, PodTerms, has_terms, read_terms

Key = tuple[object, ...]


class Watcher(Protocol):
    """Who is told of pods of a group that come to a node, begin to end, or go."""

    def on_change(self, group: Group, node_name: str, here: int, staying: int) -> None:
        """So many more (or fewer) are on the node, and so many more of those that are not ending."""

    def on_group(self, group: Group) -> None:
        """There is a group that was not there before; nobody of it is anywhere yet."""


class Group:
    """Pods of one namespace with equal labels and terms. `here` and `staying`: how many, by node."""

    __slots__ = ("here", "key", "labels", "namespace", "staying", "terms", "watchers")

    def __init__(self, key: Key, namespace: str, labels: Mapping[str, str], terms: PodTerms) -> None:
        self.key, self.namespace, self.labels, self.terms = key, namespace, labels, terms
        self.here: dict[str, int] = {}
        self.staying: dict[str, int] = {}
        self.watchers: list[Watcher] = []


def key_of(pod: Pod) -> Key:
    """What pods of one group have in common."""
    meta, affinity = pod.meta, pod.spec.affinity
    if affinity and has_terms(affinity):
        terms = json.dumps([affinity.get(NEAR), affinity.get(APART)], sort_keys=True)
        return (meta.namespace, terms, *meta.labels.items())
    return (meta.namespace, *meta.labels.items())


def make_group(pod: Pod) -> Group:
    """The group that a pod is of, with nobody in it."""
    namespace, labels = pod.meta.namespace or "", pod.meta.labels
    terms = read_terms(pod.spec.affinity, namespace, labels)
    return Group(key_of(pod), namespace, labels, terms)


class Census:
    """All pods that have a node and are not finished, by group."""

    def __init__(self) -> None:
        self._groups: dict[Key, Group] = {}
        self.with_terms: dict[Key, Group] = {}
        self._by_namespace: dict[str, dict[Key, Group]] = {}
        # All, and those who mind pods that have no terms.
        self._watchers: dict[Watcher, None] = {}
        self._curious: dict[Watcher, None] = {}
        # Whom the last pod was of: those of one template come one after the other.
        self._last: Group | None = None
        self._last_affinity: Mapping[str, object] = {}

    def __iter__(self) -> Iterator[Group]:
        return iter(self._groups.values())

    def list_of(self, namespaces: frozenset[str] | None) -> Iterator[Group]:
        """The groups of some namespaces, or of all, and those with terms, which may be about anybody."""
        if namespaces is None:
            yield from self._groups.values()
            return
        for namespace in sorted(namespaces):
            yield from self._by_namespace.get(namespace, {}).values()
        for group in self.with_terms.values():
            if group.namespace not in namespaces:
                yield group

    def watch(self, watcher: Watcher, is_about_others: bool) -> None:
        """Have somebody told of new groups; unless it `is_about_others`, of those with terms alone."""
        self._watchers[watcher] = None
        if is_about_others:
            self._curious[watcher] = None

    def forget(self, watcher: Watcher) -> None:
        """Tell somebody of new groups no more."""
        self._watchers.pop(watcher, None)
        self._curious.pop(watcher, None)

    def come(self, pod: Pod, node_name: str) -> None:
        """A pod is on a node."""
        self._count(pod, node_name, 1, 1 if pod.meta.deletion_ms is None else 0)

    def go(self, pod: Pod, node_name: str) -> None:
        """It is there no more."""
        self._count(pod, node_name, -1, -1 if pod.meta.deletion_ms is None else 0)

    def _count(self, pod: Pod, node_name: str, here: int, staying: int) -> None:
        group = self._group_of(pod)
        for counts, by in ((group.here, here), (group.staying, staying)):
            count = counts.get(node_name, 0) + by
            if count:
                counts[node_name] = count
            elif by:
                del counts[node_name]
        for watcher in group.watchers:
            watcher.on_change(group, node_name, here, staying)
        if not group.here:
            self._close(group)

    def _group_of(self, pod: Pod) -> Group:
        meta, group = pod.meta, self._last
        if (
            group is None
            or group.labels is not meta.labels
            or group.namespace != meta.namespace
            or self._last_affinity is not pod.spec.affinity
        ):
            group = self._last = self._groups.get(key_of(pod)) or self._open(pod)
            self._last_affinity = pod.spec.affinity
        return group

    def _open(self, pod: Pod) -> Group:
        group = make_group(pod)
        self._groups[group.key] = group
        self._by_namespace.setdefault(group.namespace, {})[group.key] = group
        if group.terms is not NO_TERMS:
            self.with_terms[group.key] = group
        for watcher in list(self._curious if group.terms is NO_TERMS else self._watchers):
            watcher.on_group(group)
        return group

    def _close(self, group: Group) -> None:
        self._last = None
        del self._groups[group.key], self._by_namespace[group.namespace][group.key]
        self.with_terms.pop(group.key, None)


NamespaceLabels = Callable[[str], Mapping[str, str]]
