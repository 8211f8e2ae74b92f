"""The claim of a volume that a pod has of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.meta import ObjectMeta, PlainObject, StoredObject, controller_reference
from ...objects.pods.pod import Pod
from ...objects.storage import CLAIM_KIND
from ...rules.actions import Action, Create, RecordEvent

SOURCE = "ephemeral_volume"


def is_of_pod(claim: StoredObject, pod: Pod) -> bool:
    """Whether a claim was made for this very pod."""
    owner = claim.meta.controller
    return owner is not None and owner.uid == pod.meta.uid


def decide_claim(pod: Pod, volume: Mapping[str, Any], claim: StoredObject | None) -> list[Action]:
    """Make the claim of a volume, or say that another stands in its place."""
    name = f"{pod.meta.name}-{volume['name']}"
    if claim is None:
        template = volume["ephemeral"].get("volumeClaimTemplate") or {}
        given = template.get("metadata") or {}
        meta = ObjectMeta(
            name,
            pod.meta.namespace,
            labels=given.get("labels") or {},
            annotations=given.get("annotations") or {},
            owner_references=(controller_reference(pod),),
        )
        spec = {"volumeMode": "Filesystem", **(template.get("spec") or {})}
        return [Create(PlainObject(CLAIM_KIND, meta, spec))]
    return [] if is_of_pod(claim, pod) else [decide_refusal(pod, volume["name"], _why_not(pod, name))]


def decide_refusal(pod: Pod, volume: str, problem: str) -> Action:
    """Tell a pod that a volume of its own cannot be had."""
    return RecordEvent(pod, "Warning", "FailedBinding", f"ephemeral volume {volume}: {problem}", SOURCE)


def _why_not(pod: Pod, name: str) -> str:
    namespace = pod.meta.namespace
    return f"PVC {namespace}/{name} was not created for pod {namespace}/{pod.meta.name} (pod is not owner)"
