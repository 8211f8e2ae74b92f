"""Counts the placed pods by namespace, labels and affinity terms, for each node.

PodTopologySpread and InterPodAffinity look at a group of equal pods instead of each pod. Labels that differ
from pod to pod of one workload are ignored until a rule selects by them.
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
    """Is called when pods of a group are added to a node, begin to terminate, or are removed."""

    def on_change(self, group: Group, node_name: str, all_pods: int, not_terminating: int) -> None:
        """The number of pods on a node changed: of all, and of those that are not terminating."""

    def on_group(self, group: Group) -> None:
        """There is a new group, still without pods."""


class Group:
    """Pods of one namespace with equal labels and affinity terms, and their numbers by node.

    `labels` are those of one pod; no rule selects by a label that differs within the group.
    """

    __slots__ = ("key", "labels", "namespace", "not_terminating_by_node", "pods_by_node", "terms", "watchers")

    def __init__(self, key: Key, namespace: str, labels: Mapping[str, str], terms: PodTerms) -> None:
        self.key, self.namespace, self.labels, self.terms = key, namespace, labels, terms
        self.pods_by_node: dict[str, int] = {}
        self.not_terminating_by_node: dict[str, int] = {}
        self.watchers: list[Watcher] = []


def make_group(pod: Pod, key: Key = ()) -> Group:
    """The group that a pod belongs to, without any pods."""
    namespace, labels = pod.meta.namespace or "", pod.meta.labels
    return Group(key, namespace, labels, read_terms(pod.spec.affinity, namespace, labels))


class MatchingPods:
    """All pods that are assigned to a node and not finished, in groups.

    `ignored_labels`: labels by which no rule selects.
    """

    def __init__(self, ignored_labels: frozenset[str] = frozenset()) -> None:
        self.ignored_labels = ignored_labels
        self._groups: dict[Key, Group] = {}
        self.with_terms: dict[Key, Group] = {}
        self._by_namespace: dict[str, dict[Key, Group]] = {}
        # All watchers, and those that also count pods without terms.
        self._watchers: dict[Watcher, None] = {}
        self._watchers_of_all: dict[Watcher, None] = {}
        # The group of the last pod: pods of one template often follow each other.
        self._last: Group | None = None
        self._last_labels: Mapping[str, str] = {}
        self._last_affinity: Mapping[str, object] = {}

    def __iter__(self) -> Iterator[Group]:
        return iter(self._groups.values())

    def list_groups(self, namespaces: frozenset[str] | None) -> Iterator[Group]:
        """The groups of some namespaces (None: of all), and all with terms, as these may select any pod."""
        if namespaces is None:
            yield from self._groups.values()
            return
        for namespace in sorted(namespaces):
            yield from self._by_namespace.get(namespace, {}).values()
        for group in self.with_terms.values():
            if group.namespace not in namespaces:
                yield group

    def watch(self, watcher: Watcher, counts_plain_pods: bool) -> None:
        """Report new groups to a watcher: all, or without `counts_plain_pods` only those with terms."""
        self._watchers[watcher] = None
        if counts_plain_pods:
            self._watchers_of_all[watcher] = None

    def forget(self, watcher: Watcher) -> None:
        """Report no more groups to a watcher."""
        self._watchers.pop(watcher, None)
        self._watchers_of_all.pop(watcher, None)

    def identify(self, labels: Mapping[str, str]) -> Key:
        """The labels of a pod without the ignored ones."""
        aside = self.ignored_labels
        return tuple([pair for pair in labels.items() if pair[0] not in aside])

    def stop_ignoring(self, labels: frozenset[str]) -> None:
        """Regard some labels from now on. All counts are dropped; there must be no watchers."""
        assert not self._watchers, "those who counted groups have to begin anew"
        self.ignored_labels -= labels
        self._groups, self._by_namespace, self._last = {}, {}, None
        self.with_terms.clear()

    def add_pod(self, pod: Pod, node_name: str) -> None:
        """A pod is assigned to a node."""
        self._count(pod, node_name, 1, 1 if pod.meta.deletion_ms is None else 0)

    def mark_terminating(self, pod: Pod, node_name: str) -> None:
        """A pod on a node has a deletion timestamp now."""
        self._count(pod, node_name, 0, -1)

    def remove_pod(self, pod: Pod, node_name: str) -> None:
        """A pod is finished, or deleted from its node."""
        self._count(pod, node_name, -1, -1 if pod.meta.deletion_ms is None else 0)

    def _count(self, pod: Pod, node_name: str, all_pods: int, not_terminating: int) -> None:
        group = self._last
        if (
            group is None
            or self._last_labels is not pod.meta.labels
            or group.namespace != pod.meta.namespace
            or self._last_affinity is not pod.spec.affinity
        ):
            group = self._find_group(pod)
        if all_pods > 0 and not_terminating > 0:
            # The usual case.
            group.pods_by_node[node_name] = group.pods_by_node.get(node_name, 0) + all_pods
            group.not_terminating_by_node[node_name] = (
                group.not_terminating_by_node.get(node_name, 0) + not_terminating
            )
        else:
            _add(group.pods_by_node, node_name, all_pods)
            _add(group.not_terminating_by_node, node_name, not_terminating)
        for watcher in group.watchers:
            watcher.on_change(group, node_name, all_pods, not_terminating)
        if not group.pods_by_node:
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
        for watcher in list(self._watchers_of_all if group.terms is NO_TERMS else self._watchers):
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
