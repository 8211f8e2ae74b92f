"""Static pods: run by one kubelet from the manifests on its node, whatever the API server says.

For each the kubelet keeps a mirror pod in the API, so that it can be seen there. Only the manifest counts: a
mirror that is edited changes nothing, one that is deleted is made again, and a static pod ends when its
manifest is taken away. Its own identity is worked out from node and manifest; the mirror has another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

from ...api.server import ApiServer
from ...heart.errors import BadRequest
from ...kinds.defaults import apply_defaults
from ...kinds.validation import validate_create
from ...objects.condition import Condition
from ...objects.meta import ObjectMeta, StoredObject
from ...objects.pods.pod import PENDING, POD_KIND, RUNNING, Pod, PodSpec
from ...objects.pods.status import PodStatus
from ...objects.times import format_time
from ...rules.defaults.pods import fill
from ...rules.pods.grace import decide_deletion_grace_seconds
from ...rules.pods.qos import decide_qos_class
from ...rules.validation.words.refusal import raise_invalid
from ..parts import Kubelet, Parts
from ..state.pod_manager import decode_pod, encode_pod
from .mirrors import Mirrors

HASH, SOURCE, SEEN = "kubernetes.io/config.hash", "kubernetes.io/config.source", "kubernetes.io/config.seen"
_USE = (
    "staticPod: use {node, manifest} to put a manifest on a node, {node, remove, namespace?} to take it away"
)
_OF_THE_API = ("configMap", "secret", "persistentVolumeClaim")
_ALWAYS_STAYS = {"operator": "Exists", "effect": "NoExecute"}


class StaticPods:
    """The manifests on all nodes. The roster holds their pods as their kubelets know them."""

    __slots__ = ("_api", "_kubelet", "_mirrors", "_parts", "_statics", "_successors")

    def __init__(self, parts: Parts, api: ApiServer, mirrors: Mirrors, kubelet: Kubelet) -> None:
        self._parts = parts
        self._api = api
        self._mirrors = mirrors
        self._kubelet = kubelet
        self._statics = parts.pod_manager.statics
        # Changed manifests, by the uid of the pod that has to end before they can be run.
        self._successors: dict[str, Pod] = {}

    # --- manifests come and go --------------------------------------------------------------------------

    def run(self, payload: dict[str, Any]) -> tuple[int, StoredObject]:
        """The `staticPod` command: `{node, manifest}` or `{node, remove, namespace?}`. Raises ApiError."""
        node = self._parts.store.require("Node", "", str(payload.get("node") or "")).meta.name
        manifest, name = payload.get("manifest"), payload.get("remove")
        if (manifest is None) == (name is None):
            raise BadRequest(_USE)
        if manifest is not None:
            return self._put(self._read(manifest, node))
        full_name = f"{name}-{node}"
        found = self._find(str(payload.get("namespace") or "default"), full_name)
        if found is None or found.node_name != node:
            raise BadRequest(f'staticPod.remove: there is no manifest of a pod "{name}" on node {node}')
        self._successors.pop(found.meta.uid, None)
        self._end(found)
        return 200, found

    def _read(self, manifest: Any, node: str) -> Pod:
        features = self._parts.context.features
        if not isinstance(manifest, dict) or (manifest.get("apiVersion"), manifest.get("kind")) != (
            "v1",
            "Pod",
        ):
            raise BadRequest(
                "staticPod.manifest: use the manifest of a Pod, with apiVersion: v1 and kind: Pod"
            )
        manifest = self._api.decode(manifest)
        if not (manifest.get("metadata") or {}).get("name"):
            raise BadRequest("staticPod.manifest: metadata.name: is required: a node makes up no names")
        references = list(find_references(manifest.get("spec") or {}))
        if references:
            name = (manifest.get("metadata") or {}).get("name")
            raise BadRequest(
                f"Pod {name}: {references[0]}: a static pod may not refer to other objects of the API"
            )
        data = apply_defaults(with_toleration(manifest), features)
        # No admission gives it a priority: its mirror has that of its class.
        fill(data["spec"], priority=0, preemptionPolicy="PreemptLowerPriority")
        bound = {**data, "spec": {**data["spec"], "nodeName": node}}
        raise_invalid(data, validate_create(data, features) or validate_create(bound, features))
        self._parts.store.require("Namespace", "", data["metadata"].get("namespace") or "default")
        clock = self._parts.context.clock
        return make_static_pod(data, node, clock.now_ms, clock.epoch_ms)

    def _put(self, pod: Pod) -> tuple[int, StoredObject]:
        former = self._find(pod.meta.namespace, pod.meta.name)
        if former is None:
            self._start(pod)
            return 201, self._statics[pod.meta.uid]
        if former.meta.deletion_ms is None and former.meta.uid == pod.meta.uid:
            return 200, former
        # Never two runs of one pod: the new manifest waits until the former's containers have ended.
        self._successors[former.meta.uid] = pod
        self._end(former)
        return 200, pod

    def _find(self, namespace: str | None, name: str) -> Pod | None:
        return self._mirrors.find_static(namespace, name)

    def _start(self, pod: Pod) -> None:
        self._statics[pod.meta.uid] = pod
        if not self._parts.is_down(pod.node_name):
            self._kubelet.take(pod)

    def _end(self, pod: Pod) -> None:
        uid, meta = pod.meta.uid, pod.meta
        if meta.deletion_ms is not None:
            return
        seconds = decide_deletion_grace_seconds(
            None, pod.spec.termination_grace_seconds, is_bound=True, phase=RUNNING, has_options=True
        )
        now_ms = self._parts.context.clock.now_ms
        meta = meta.replace(deletion_ms=now_ms + (seconds or 0) * 1000, deletion_grace_seconds=seconds or 0)
        self._statics[uid] = pod.replace(meta=meta)
        worker = self._parts.pod_manager.workers.get(uid)
        if worker is None:
            self.forget(uid)
        else:
            self._parts.touch(worker)

    def forget(self, uid: str) -> None:
        """Nothing of a pod is left on its node. If it was a static one, its mirror goes with it."""
        pod = self._statics.pop(uid, None)
        if pod is None:
            return
        self._mirrors.enqueue(pod)
        successor = self._successors.pop(uid, None)
        if successor is not None:
            self._start(successor)

    def take_all(self, node: str) -> None:
        """A kubelet has started, or reaches the API server again: it reads its manifests, and shows them."""
        store = self._parts.store
        for uid, pod in list(self._statics.items()):
            if pod.node_name != node:
                continue
            if uid in self._parts.pod_manager.workers:
                self._mirrors.enqueue(pod)
            else:
                self._kubelet.take(pod)
        for found in map(store.pods.get, store.index.pods_by_node.get(node, ())):
            # It may show what is no longer there.
            if found is not None and found.is_mirror:
                self._mirrors.enqueue(found)

    # --- save and load ----------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Plain data of every manifest."""
        successors = {uid: encode_pod(pod) for uid, pod in self._successors.items()}
        return {
            "pods": [encode_pod(pod) for pod in self._statics.values()],
            "successors": successors,
        }

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from what `save` described."""
        pods = [decode_pod(entry) for entry in data["pods"]]
        self._statics.update({pod.meta.uid: pod for pod in pods})
        self._successors = {uid: decode_pod(entry) for uid, entry in data["successors"].items()}


def find_references(spec: Mapping[str, Any]) -> Iterator[str]:
    """The paths in a pod spec that name other objects of the API: a node alone cannot know these."""
    if spec.get("serviceAccountName"):
        yield "spec.serviceAccountName"
    for index, volume in enumerate(spec.get("volumes") or ()):
        sources = [volume, *((volume.get("projected") or {}).get("sources") or ())]
        yield from (f"spec.volumes[{index}].{name}" for one in sources for name in _OF_THE_API if name in one)
    for group in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(group) or ()):
            place = f"spec.{group}[{index}]"
            yield from (f"{place}.envFrom[{at}]" for at, _ in enumerate(container.get("envFrom") or ()))
            for at, entry in enumerate(container.get("env") or ()):
                if {"configMapKeyRef", "secretKeyRef"} & set(entry.get("valueFrom") or ()):
                    yield f"{place}.env[{at}].valueFrom"


def with_toleration(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with what every static pod tolerates: no taint of its node drives it away."""
    spec = manifest.get("spec") or {}
    return {**manifest, "spec": {**spec, "tolerations": [*(spec.get("tolerations") or ()), _ALWAYS_STAYS]}}


def make_static_pod(data: Mapping[str, Any], node: str, now_ms: int, epoch_ms: int) -> Pod:
    """The pod a kubelet makes of a manifest that it finds on its node: named after the node, bound to it."""
    meta = data["metadata"]
    text = json.dumps([node, data], sort_keys=True)
    uid = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    origin = {HASH: uid, SEEN: format_time(now_ms, epoch_ms), SOURCE: "file"}
    found = PodSpec.from_json(data["spec"])
    scheduled = Condition("PodScheduled", "True", "", "", now_ms, None, None, 1)
    return Pod(
        POD_KIND,
        ObjectMeta(
            f"{meta['name']}-{node}".lower(),
            meta.get("namespace") or "default",
            uid,
            meta.get("labels") or {},
            {**(meta.get("annotations") or {}), **origin},
            creation_ms=now_ms,
            generation=1,
        ),
        found,
        PodStatus(PENDING, (scheduled,), qos_class=decide_qos_class(found)),
        node_name=node,
    )
