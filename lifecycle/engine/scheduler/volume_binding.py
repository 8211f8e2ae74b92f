"""VolumeBinding, VolumeZone and VolumeRestrictions: the nodes and volumes that the claims of a pod allow.

Left out: NodeVolumeLimits, and volumes of a pod that are not claims.
"""

from __future__ import annotations

from collections.abc import Callable

from lifecycle.lean_dataclasses import dataclass, field

from ..api.volumes import Volumes
from ..objects.meta import StoredObject
from ..objects.node import Node
from ..objects.pods.pod import Pod
from ..objects.storage import BOUND_BY_CONTROLLER, LOST, ONE_POD, SELECTED_NODE
from ..rules.placement.volume_zones import NO_ZONE, is_in_zone, says_zone
from ..rules.volumes.claims import (
    bytes_wanted,
    class_of,
    is_bound,
    is_made_by_hand,
    list_claims,
    modes_of,
    phase_of,
    reaches,
    refer_to_claim,
    spec_of,
    suits_topology,
    volume_name,
    waits_for_pod,
)

UNBOUND = "pod has unbound immediate PersistentVolumeClaims"
IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by"
    " another pod"
)
ELSEWHERE = "node(s) didn't match PersistentVolume's node affinity"
NO_VOLUME = "node(s) didn't find available persistent volumes to bind"
NO_SUCH_VOLUME = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"

Choice = tuple[StoredObject, StoredObject | None]
"""A claim and the volume chosen for it; None if a volume is to be provisioned."""


@dataclass(slots=True)
class PodVolumes:
    """The claims of one pod. `problem`: why PreFilter rejects the pod, or "".

    `bound`: the volumes that claims are bound to, None for a deleted volume. `delayed`: unbound claims with
    WaitForFirstConsumer, the smallest request first. `is_in_use`: another pod uses a ReadWriteOncePod claim.
    """

    volumes: Volumes
    problem: str = ""
    bound: list[StoredObject | None] = field(default_factory=list)
    delayed: list[StoredObject] = field(default_factory=list)
    is_in_use: bool = False

    @property
    def is_alike_everywhere(self) -> bool:
        """Whether the volumes restrict no node."""
        if self.is_in_use or any(one is None or spec_of(one).get("nodeAffinity") for one in self.bound):
            return False
        if any(says_zone(one) for one in self.bound if one is not None):
            return False
        return all(self._can_be_made_anywhere(claim) for claim in self.delayed)

    def _can_be_made_anywhere(self, claim: StoredObject) -> bool:
        found = self.volumes.storage_class(class_of(claim))
        if found is None or is_made_by_hand(found) or (found.extra or {}).get("allowedTopologies"):
            return False
        is_chosen = SELECTED_NODE in claim.meta.annotations or self.volumes.reserved(claim) is not None
        return not is_chosen and self.volumes.find_best(claim) is None

    def why_not(self, node: Node) -> list[str]:
        """The messages of the plugins that reject a node; empty if none does."""
        reasons = []
        there = [one for one in self.bound if one is not None]
        if not all(reaches(one, node) for one in there):
            reasons.append(ELSEWHERE)
        if self.choose(node) is None:
            reasons.append(NO_VOLUME)
        if len(there) < len(self.bound):
            reasons.append(NO_SUCH_VOLUME)
        if not reasons and not all(is_in_zone(one, node) for one in there):
            reasons.append(NO_ZONE)
        return reasons

    def suits(self, node: Node) -> bool:
        """Whether the volumes of the pod can be used on a node."""
        return not self.is_in_use and not self.why_not(node)

    def choose(self, node: Node) -> list[Choice] | None:
        """A volume on a node for each claim with WaitForFirstConsumer; None if a claim finds no volume."""
        found: list[Choice] = []
        taken: set[str] = set()
        for claim in self.delayed:
            chosen = claim.meta.annotations.get(SELECTED_NODE)
            volume = None if chosen else self._match(claim, node, taken)
            if volume is not None:
                taken.add(volume.meta.name)
            elif chosen not in (None, node.meta.name) or not self._can_be_made(claim, node):
                return None
            found.append((claim, volume))
        return found

    def _match(self, claim: StoredObject, node: Node, taken: set[str]) -> StoredObject | None:
        reserved = self.volumes.reserved(claim)
        if reserved is not None:
            return reserved if reaches(reserved, node) else None
        return self.volumes.find_best(claim, node, taken)

    def _can_be_made(self, claim: StoredObject, node: Node) -> bool:
        found = self.volumes.storage_class(class_of(claim))
        return found is not None and not is_made_by_hand(found) and suits_topology(found, node)


def see_volumes(volumes: Volumes, pod: Pod, is_placed: Callable[[Pod], bool]) -> PodVolumes | None:
    """What the claims of a pod require; None without claims. `is_placed`: whether a pod has a node."""
    found: PodVolumes | None = None
    claims = []
    for volume, name in list_claims(pod):
        found = found or PodVolumes(volumes)
        claim = volumes.claim(pod.meta.namespace, name)
        problem = _find_problem(pod, volume, name, claim)
        if claim is None or problem:
            found.problem = problem
            return found
        claims.append(claim)
    if found is None:
        return None
    for claim in claims:
        if is_bound(claim) and volume_name(claim):
            found.bound.append(volumes.volume(volume_name(claim)))
        elif volume_name(claim) or not waits_for_pod(volumes.storage_class(class_of(claim))):
            found.problem = UNBOUND
            return found
        else:
            found.delayed.append(claim)
        if ONE_POD in modes_of(claim):
            users = volumes.users(claim.meta.namespace, claim.meta.name)
            found.is_in_use |= any(one is not pod and is_placed(one) for one in users)
    found.delayed.sort(key=bytes_wanted)
    return found


def _find_problem(pod: Pod, volume: str, name: str, claim: StoredObject | None) -> str:
    own = any(one.get("name") == volume and one.get("ephemeral") is not None for one in pod.spec.volumes)
    if claim is None:
        waited = "waiting for ephemeral volume controller to create the "
        return (
            f'{waited}persistentvolumeclaim "{name}"' if own else f'persistentvolumeclaim "{name}" not found'
        )
    if phase_of(claim) == LOST:
        return f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{volume_name(claim)}"'
    if claim.meta.deletion_ms is not None:
        return f'persistentvolumeclaim "{name}" is being deleted'
    if own and (claim.meta.controller is None or claim.meta.controller.uid != pod.meta.uid):
        namespace = pod.meta.namespace
        made_for = f"{namespace}/{pod.meta.name}"
        return f"PVC {namespace}/{name} was not created for pod {made_for} (pod is not owner)"
    return ""


def are_all_bound(volumes: Volumes, pod: Pod) -> bool:
    """Whether every claim of a pod exists and is bound."""
    claims = [volumes.claim(pod.meta.namespace, name) for _volume, name in list_claims(pod)]
    return all(claim is not None and is_bound(claim) for claim in claims)


def write_choice(claim: StoredObject, volume: StoredObject | None, node: Node) -> StoredObject:
    """What the scheduler writes of its choice: into the volume whose it is, or into the claim where it goes.

    The volume's controller does the rest.
    """
    if volume is None:
        annotations = {**claim.meta.annotations, SELECTED_NODE: node.meta.name}
        return claim.replace(meta=claim.meta.replace(annotations=annotations))
    is_promised = bool(spec_of(volume).get("claimRef"))
    added = {} if is_promised else {BOUND_BY_CONTROLLER: "yes"}
    return volume.replace(
        meta=volume.meta.replace(annotations={**volume.meta.annotations, **added}),
        spec={**spec_of(volume), "claimRef": refer_to_claim(claim)},
    )


def is_as_ready(old: StoredObject, new: StoredObject) -> bool:
    """Whether phase and binding of a claim are unchanged."""
    return (phase_of(old), is_bound(old)) == (phase_of(new), is_bound(new))
