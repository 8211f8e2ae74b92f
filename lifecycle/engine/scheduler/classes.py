"""Finds the class of a pod: pods of one template in one namespace share their Filter and Score results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from lifecycle.lean_tuples import NamedTuple

from ..kinds.namespace import NAMESPACE
from ..kinds.service import SERVICE
from ..objects.meta import OwnerReference, StoredObject
from ..objects.pods.pod import Pod, PodSpec
from ..objects.selector import Selector
from ..objects.workloads.replica_set import REPLICA_SET_KIND
from ..objects.workloads.replication_controller import REPLICATION_CONTROLLER_KIND
from ..objects.workloads.stateful_set import STATEFUL_SET_KIND
from ..rules.placement.terms import has_terms
from ..store.store import Store
from .matching_pods import Key, MatchingPods
from .pod_class import PodClass
from .pre_filter import PreFilterState
from .snapshot import Snapshot

Content = tuple[object, ...]
_MOST_PLACES = 2_000_000
"""The number of nodes that all classes together follow; the least recently used classes are dropped."""
_LEAST_CLASSES, _MOST_CLASSES = 16, 128
"""Each new group of pods is matched with every class, so their number is limited."""
# The fields of a pod spec that decide on the node, beside fields of its containers.
_PARTS = (
    "nodeSelector",
    "affinity",
    "tolerations",
    "topologySpreadConstraints",
    "overhead",
    "resources",
    "hostNetwork",
)
_PARTS_OF_CONTAINERS = ("resources", "image", "ports", "restartPolicy")


class Known(NamedTuple):
    """The class of a pod with this spec and these labels. `identity`: the labels that are not ignored."""

    spec: PodSpec
    labels: Mapping[str, str]
    identity: Key
    pod_class: PodClass


class PodClasses:
    """The classes of the pods of a cluster, made when first needed."""

    def __init__(self, store: Store, snapshot: Snapshot, matching_pods: MatchingPods) -> None:
        self._store, self._snapshot, self._matching_pods = store, snapshot, matching_pods
        self._by_template: dict[tuple[int, str], Known] = {}
        # The last one found, and the controller of the pod.
        self._last: tuple[Known, OwnerReference | None] | None = None
        self._by_content: dict[Content, PodClass] = {}
        store.listen(SERVICE.kind.id, self._on_service)
        store.listen(NAMESPACE.kind.id, self._on_namespace)

    def find(self, pod: Pod, spec: PodSpec) -> PodClass:
        """The class of a pod, with all changes followed. `spec`: of `deciding_spec`."""
        meta, last = pod.meta, self._last
        owner = meta.controller
        if last is not None and last[1] is owner:
            found_spec, labels, _identity, pod_class = last[0]
            if found_spec is spec and labels is meta.labels:
                pod_class.follow()
                return pod_class
        key = (id(spec), owner.uid if owner is not None else "")
        known = self._by_template.get(key)
        if known is None or known.labels is not meta.labels or known.spec is not spec:
            known = self._by_template[key] = self._recognize(pod, spec, known)
        self._last = (known, owner)
        known.pod_class.follow()
        return known.pod_class

    def _recognize(self, pod: Pod, spec: PodSpec, known: Known | None) -> Known:
        """`known`: of the last pod that seems to have the same template."""
        labels = pod.meta.labels
        if (
            known is not None
            and known.spec is spec
            and known.identity == self._matching_pods.identify(labels)
        ):
            return Known(spec, labels, known.identity, known.pod_class)
        if len(self._by_template) > 4 * _MOST_CLASSES:
            self._by_template.clear()
        found = self._find_by_content(pod, spec)
        return Known(spec, labels, self._matching_pods.identify(labels), found)

    def _find_by_content(self, pod: Pod, spec: PodSpec) -> PodClass:
        content = self._read_content(pod, spec)
        found = self._by_content.pop(content, None)
        if found is None:
            most = max(_MOST_PLACES // max(len(self._snapshot.by_name), 1), _LEAST_CLASSES)
            most = min(most, _MOST_CLASSES)
            while len(self._by_content) >= most:
                self._drop(next(iter(self._by_content)))
            found = PodClass(self.read(pod, spec), self._snapshot, self._matching_pods)
            # Its rules may be the first that select by an ignored label.
            content = self._read_content(pod, spec)
        # The most recently used class is dropped last.
        self._by_content[content] = found
        return found

    def _read_content(self, pod: Pod, spec: PodSpec) -> Content:
        meta, owner = pod.meta, pod.meta.controller
        # The pods of other owners, as of all Jobs of one CronJob, are in one class.
        keeper_uid = owner.uid if owner is not None and owner.kind_id in _KEEPERS else ""
        return (meta.namespace, keeper_uid, _describe(spec), *self._matching_pods.identify(meta.labels))

    def read(self, pod: Pod, spec: PodSpec) -> PreFilterState:
        """The PreFilter state of a pod."""
        services = list(self._store.list(SERVICE.kind.id, pod.meta.namespace))
        has_own = bool(spec.topology_spread_constraints)
        selectors = () if has_own else list_selectors(pod, services, self._find_owner(pod))
        self._stop_ignoring(f"{[[*_read_service(one)] for one in services]} {[one.raw for one in selectors]}")
        self.note_rules(spec)
        return PreFilterState(pod, spec, selectors, self.labels_of)

    def note_rules(self, spec: PodSpec) -> None:
        """Stop ignoring the labels that the rules of this spec select by."""
        if self._matching_pods.ignored_labels and (
            spec.topology_spread_constraints or has_terms(spec.affinity)
        ):
            self._stop_ignoring(_describe(deciding_spec(spec)))

    def _stop_ignoring(self, rules: str) -> None:
        """Count all pods anew if rules, as text, name ignored labels."""
        named = frozenset([label for label in self._matching_pods.ignored_labels if label in rules])
        if not named:
            return
        self._drop_all()
        self._matching_pods.stop_ignoring(named)
        for name, node_info in self._snapshot.by_name.items():
            for uid in node_info.uids:
                self._matching_pods.add_pod(self._store.pods[uid], name)

    def labels_of(self, namespace: str) -> Mapping[str, str]:
        """The labels of a namespace; empty if it does not exist."""
        found = self._store.get(NAMESPACE.kind.id, "", namespace)
        return found.meta.labels if found is not None else {}

    def _find_owner(self, pod: Pod) -> StoredObject | None:
        owner = pod.meta.controller
        return self._store.get(owner.kind_id, pod.meta.namespace, owner.name) if owner is not None else None

    def _drop(self, content: Content) -> None:
        gone = self._by_content.pop(content)
        gone.close()
        self._last = None
        for key in [key for key, one in self._by_template.items() if one.pod_class is gone]:
            del self._by_template[key]

    def _drop_all(self, namespace: str | None = None) -> None:
        for content in [one for one in self._by_content if namespace in (None, one[0])]:
            self._drop(content)

    def _on_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if _read_service(old) != _read_service(new):
            found = new or old
            assert found is not None, "one of both is there"
            self._drop_all(found.meta.namespace)

    def _on_namespace(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None and new is not None and old.meta.labels != new.meta.labels:
            self._drop_all()


def list_selectors(
    pod: Pod, services: Iterable[StoredObject], owner: StoredObject | None
) -> Sequence[Selector]:
    """DefaultSelector: the selectors of the Services of a pod and of its owner.

    Owners that count: ReplicaSet, ReplicationController and StatefulSet.
    """
    labels = dict[str, str]()
    for service in services:
        selector = _read_service(service)
        if selector and Selector.of_labels(selector).matches(pod.meta.labels):
            labels.update(selector)
    found = [Selector.of_labels(labels)] if labels else []
    if owner is not None and owner.kind.id in _KEEPERS:
        found.append(owner.spec.selector)
    return found


_KEEPERS = (REPLICA_SET_KIND.id, REPLICATION_CONTROLLER_KIND.id, STATEFUL_SET_KIND.id)


def _read_service(service: StoredObject | None) -> Mapping[str, str]:
    return (service.spec or {}).get("selector") or {} if service is not None else {}


def deciding_spec(spec: PodSpec) -> PodSpec:
    """The spec that decides on the node: the template's, if the pod differs from it only elsewhere."""
    return spec if spec.base is None or spec.affinity != spec.base.affinity else spec.base


def _describe(spec: PodSpec) -> str:
    """The fields of a spec that decide on the node, as text; written once per template."""
    notes = spec.notes
    if notes.placement is None or spec.base is not None:
        raw = spec.raw
        told: list[object] = [{part: raw.get(part) for part in _PARTS}]
        for section in ("containers", "initContainers"):
            containers = raw.get(section) or ()
            told.append([{part: one.get(part) for part in _PARTS_OF_CONTAINERS} for one in containers])
        text = json.dumps(told, sort_keys=True)
        if spec.base is not None:
            return text
        notes.placement = text
    return notes.placement
