"""Volumes of claims: the pod waits until the claims are bound and the volumes attached to the node.

Models how the volume manager treats claims. No event says that a volume is not attached yet; errors come
from the attach-detach controller.
"""

from __future__ import annotations

from collections.abc import Collection

from ...api.volumes import Volumes
from ...objects.meta import StoredObject
from ...objects.pods.pod import Pod
from ...rules.volumes.claims import (
    attached_node,
    is_attached,
    is_bound,
    list_claims,
    mode_of,
    spec_of,
    volume_name,
)
from ...rules.volumes.plugins import find_mode_problem, find_plugin_problem


def find_claim_problem(volumes: Volumes, pod: Pod, mounted: Collection[str]) -> str:
    """Why volumes cannot even be waited for, in the kubelet's words; "" when they can.

    `mounted`: the names of those that a container mounts.
    """
    namespace = pod.meta.namespace
    problems = {
        str(volume.get("name")): problem
        for volume in pod.spec.volumes
        if volume.get("name") in mounted and (problem := find_plugin_problem(volume, str(volume.get("name"))))
    }
    for name, claim_name in list_claims(pod):
        if name not in mounted:
            continue
        claim = volumes.claim(namespace, claim_name)
        if problem := _find_problem(claim, claim_name):
            problems[name] = f"error processing PVC {namespace}/{claim_name}: {problem}"
        elif claim is not None and (problem := _find_use_problem(volumes, pod, name, claim)):
            problems[name] = problem
    if not problems:
        return ""
    names = f"[{' '.join(sorted(problems))}]"
    return (
        f"Unable to attach or mount volumes: unmounted volumes={names}, unattached volumes=[],"
        f" failed to process volumes={names}: {'; '.join(problems.values())}"
    )


def _find_problem(claim: StoredObject | None, name: str) -> str:
    if claim is None:
        return f'failed to fetch PVC from API server: persistentvolumeclaims "{name}" not found'
    if claim.meta.deletion_ms is not None:
        return "PVC is being deleted"
    return "" if is_bound(claim) else "PVC is not bound"


def _find_use_problem(volumes: Volumes, pod: Pod, name: str, claim: StoredObject) -> str:
    """Why a bound claim's volume is of no use for the pod."""
    mounts, devices = (_list_names(pod, field) for field in ("volumeMounts", "volumeDevices"))
    volume = volumes.volume(volume_name(claim))
    return find_mode_problem(name, mode_of(claim), name in mounts, name in devices) or (
        find_plugin_problem(spec_of(volume), volume.meta.name) if volume is not None else ""
    )


def _list_names(pod: Pod, field: str) -> set[str]:
    sections = ("containers", "initContainers", "ephemeralContainers")
    containers = [one for section in sections for one in pod.spec.raw.get(section) or ()]
    return {str(use.get("name")) for container in containers for use in container.get(field) or ()}


def is_waiting_for_volume(volumes: Volumes, pod: Pod, node: str, mounted: Collection[str]) -> bool:
    """Whether a volume of the pod that a container mounts has yet to be attached to its node."""
    for name, claim_name in list_claims(pod):
        if name not in mounted:
            continue
        claim = volumes.claim(pod.meta.namespace, claim_name)
        volume = volumes.volume(volume_name(claim)) if claim is not None else None
        if volume is None or not volumes.must_be_attached(volume):
            continue
        there = volumes.attachments(volume.meta.name)
        if not any(attached_node(one) == node and is_attached(one) for one in there):
            return True
    return False
