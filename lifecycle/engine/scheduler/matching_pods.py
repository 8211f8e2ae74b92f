"""How many pods of the same namespace, labels and terms are on each node, and who wants to know of changes.

Whatever counts pods by their labels looks at one group where it would else look at every pod of a template.
Labels that differ from pod to pod of one workload are left aside until a rule is about them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Protocol

from ..objects.pods.pod import Pod
from ..rules.placement.terms import APART, NEAR, NO_TERMS, PodTerms, has_terms, read_terms

Key = tuple[object, ...]
OF_ONE_POD = frozenset(
    (
        "statefulset.kubernetes.io/pod-name",
        "apps.kubernetes.io/pod-index",
        "batch.kubernetes.io/job-completion-index",
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-name",
        "controller-uid",
        "job-name",
    )
)
"""Labels that differ from pod to pod of one workload, or from Job to Job of one CronJob."""


class Watcher(Protocol):
    """Who is told of pods of a group that come to a node, begin to end, or go."""

    def on_change(self, group: Group, node_name: str, here: int, staying: int) -> None:
        """So many more (or fewer) are on the node, and so many more of those that are not ending."""

    def on_group(self, group: Group) -> None:
        """There is a group that was not there before; nobody of it is anywhere yet."""


class Group:
    """Pods of one namespace with equal labels and terms. `here` and `staying`: how many, by node.

    `labels` are those of one of them: no rule tells the others' from these.
    """

    __slots__ = ("here", "key", "labels", "namespace", "staying", "terms", "watchers")

    def __init__(self, key: Key, namespace: str, labels: Mapping[str, str], terms: PodTerms) -> None:
        self.key, self.namespace, self.labels, self.terms = key, namespace, labels, terms
        self.here: dict[str, int] = {}
        self.staying: dict[str, int] = {}
        self.watchers: list[Watcher] = []


def make_group(pod: Pod, key: Key = ()) -> Group:
    """A group that a pod is of, with nobody in it."""
    namespace, labels = pod.meta.namespace or "", pod.meta.labels
    return Group(key, namespace, labels, read_terms(pod.spec.affinity, namespace, labels))


class Census:
    """All pods that have a node and are not finished, by group.

    `left_aside`: the labels that no rule is about.
    """

    def __init__(self, left_aside: frozenset[str] = frozenset()) -> None:
        self.left_aside = left_aside
        self._groups: dict[Key, Group] = {}
        self.with_terms: dict[Key, Group] = {}
        self._by_namespace: dict[str, dict[Key, Group]] = {}
        # All, and those who mind pods that have no terms.
        self._watchers: dict[Watcher, None] = {}
        self._curious: dict[Watcher, None] = {}
        # Whom the last pod was of: those of one template come one after the other.
        self._last: Group | None = None
        self._last_labels: Mapping[str, str] = {}
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

    def identify(self, labels: Mapping[str, str]) -> Key:
        """The labels by which pods are told apart."""
        aside = self.left_aside
        return tuple([pair for pair in labels.items() if pair[0] not in aside])

    def tell_apart(self, labels: frozenset[str]) -> None:
        """Leave some labels aside no more. Nobody watches; all pods are to come again."""
        assert not self._watchers, "those who counted groups have to begin anew"
        self.left_aside -= labels
        self._groups, self._by_namespace, self._last = {}, {}, None
        self.with_terms.clear()

    def come(self, pod: Pod, node_name: str) -> None:
        """A pod is on a node."""
        self._count(pod, node_name, 1, 1 if pod.meta.deletion_ms is None else 0)

    def begin_to_end(self, pod: Pod, node_name: str) -> None:
        """A pod that is on a node stays no longer than it has to."""
        self._count(pod, node_name, 0, -1)

    def go(self, pod: Pod, node_name: str) -> None:
        """It is there no more."""
        self._count(pod, node_name, -1, -1 if pod.meta.deletion_ms is None else 0)

    def _count(self, pod: Pod, node_name: str, here: int, staying: int) -> None:
        group = self._last
        if (
            group is None
            or self._last_labels is not pod.meta.labels
            or group.namespace != pod.meta.namespace
            or self._last_affinity is not pod.spec.affinity
        ):
            group = self._find_group(pod)
        if here > 0 and staying > 0:
            # The usual case.
            group.here[node_name] = group.here.get(node_name, 0) + here
            group.staying[node_name] = group.staying.get(node_name, 0) + staying
        else:
            _add(group.here, node_name, here)
            _add(group.staying, node_name, staying)
        for watcher in group.watchers:
            watcher.on_change(group, node_name, here, staying)
        if not group.here:
            self._close(group)

    def _find_group(self, pod: Pod) -> Group:
        meta, affinity = pod.meta, pod.spec.affinity
        key: Key = (meta.namespace, *self.identify(meta.labels))
        if affinity and has_terms(affinity):
            key = (json.dumps([affinity.get(NEAR), affinity.get(APART)], sort_keys=True), *key)
        group = self._last = self._groups.get(key) or self._open(make_group(pod, key))
        self._last_labels, self._last_affinity = meta.labels, affinity
        return group

    def _open(self, group: Group) -> Group:
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


def _add(counts: dict[str, int], name: str, by: int) -> None:
    count = counts.get(name, 0) + by
    if count:
        counts[name] = count
    elif by:
        del counts[name]
