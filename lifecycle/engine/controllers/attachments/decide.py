"""Where a volume is to be attached, where it no longer is, and who is told that it cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from ...objects.condition import find_condition
from ...objects.meta import ObjectMeta, PlainObject, StoredObject
from ...objects.names import OUT_OF_SERVICE
from ...objects.node import Node
from ...objects.pods.pod import Pod
from ...objects.storage import ATTACHMENT_KIND
from ...rules.actions import Action, Create, RecordEvent, Update
from ...rules.volumes.claims import attached_node, attached_volume, attacher_of, may_be_on_many_nodes, spec_of

SOURCE = "attachdetach-controller"
LOST_NODE_MS = 360_000
"""So long a node that is not ready may still write to a volume (maxWaitForUnmountDuration)."""


def needs_volumes(pod: Pod) -> bool:
    """Whether a pod has its volumes on its node: it is on one, and has not finished."""
    return bool(pod.node_name) and not pod.is_finished


def decide_attaching(
    volume: StoredObject, nodes: Iterable[str], attachments: Sequence[StoredObject]
) -> list[Action]:
    """Attach a volume to the nodes that want it and have it not; one that may be on one, to one."""
    there = {attached_node(one) for one in attachments}
    missing = [node for node in dict.fromkeys(nodes) if node not in there]
    if not may_be_on_many_nodes(volume):
        missing = [] if there else missing[:1]
    return [_attach(volume, node) for node in missing]


def _attach(volume: StoredObject, node: str) -> Action:
    driver, spec = attacher_of(volume), spec_of(volume)
    handle = (spec.get("csi") or {}).get("volumeHandle") or volume.meta.name
    name = f"csi-{sha256(f'{handle}{driver}{node}'.encode('utf-8', 'surrogatepass')).hexdigest()}"
    wanted: dict[str, Any] = {
        "attacher": driver,
        "nodeName": node,
        "source": {"persistentVolumeName": volume.meta.name},
    }
    return Create(PlainObject(ATTACHMENT_KIND, ObjectMeta(name), wanted, {"attached": False}))


def decide_attached(attachment: StoredObject, pods: Iterable[Pod]) -> list[Action]:
    """It has come to its node, and the pods there are told."""
    text = f'AttachVolume.Attach succeeded for volume "{attached_volume(attachment)}" '
    told = [
        RecordEvent(pod, "Normal", "SuccessfulAttachVolume", text, SOURCE)
        for pod in pods
        if pod.node_name == attached_node(attachment) and needs_volumes(pod)
    ]
    return [Update(attachment.replace(status={"attached": True})), *told]


def decide_wait_ms(node: StoredObject | None, latency_ms: int) -> int:
    """How long until a volume is off a node that needs it no more: a lost one may still be using it."""
    if not isinstance(node, Node):
        return LOST_NODE_MS
    if any(taint.key == OUT_OF_SERVICE for taint in node.spec.taints):
        return latency_ms
    ready = find_condition(node.status.conditions, "Ready")
    return latency_ms if ready is not None and ready.status == "True" else LOST_NODE_MS


def decide_refusals(
    pod: Pod, others: Mapping[str, Sequence[Pod]], volumes: Mapping[str, StoredObject]
) -> list[Action]:
    """Tell a pod which of its volumes are on another node and may not be on two.

    `others`: by volume, the pods that use it on the nodes where it is.
    """
    told: list[Action] = []
    for name, using in others.items():
        if may_be_on_many_nodes(volumes[name]):
            continue
        text = f'Multi-Attach error for volume "{name}" {_name_users(pod, using)}'
        told.append(RecordEvent(pod, "Warning", "FailedAttachVolume", text, SOURCE))
    return told


def _name_users(pod: Pod, using: Sequence[Pod]) -> str:
    if not using:
        return "Volume is already exclusively attached to one node and can't be attached to another"
    near = [one.meta.name for one in using if one.meta.namespace == pod.meta.namespace]
    far = len(using) - len(near)
    if not near:
        return f"Volume is already used by {far} pod(s) in different namespaces"
    tail = f" and {far} pod(s) in different namespaces" if far else ""
    return f"Volume is already used by pod(s) {', '.join(near)}{tail}"
