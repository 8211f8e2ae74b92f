"""`persistentVolumeClaimRetentionPolicy`: who owns a claim, so that it goes with its set or its pod.

    whenDeleted  whenScaled   owner of a claim
    Retain       Retain       nobody
    Retain       Delete       of a condemned pod: the pod
    Delete       Retain       the set
    Delete       Delete       the set; of a condemned pod: the pod in its place

A claim that another controller owns, or a set or pod of the same name that is gone, is left as it is.
"""

from __future__ import annotations

from ....objects.meta import OwnerReference, StoredObject, controller_reference
from ....objects.pods.pod import Pod
from ....objects.workloads.stateful_set import DELETE, RETAIN, StatefulSet
from .identity import split_name

References = tuple[OwnerReference, ...]


def _names(reference: OwnerReference, obj: StoredObject) -> bool:
    """Whether a reference is to an object of this kind and name, whatever its uid."""
    kind = obj.kind
    return (reference.api_version, reference.kind, reference.name) == (
        kind.api_version,
        kind.name,
        obj.meta.name,
    )


def _owns(claim: StoredObject, owner: StoredObject) -> bool:
    return any(one.uid == owner.meta.uid for one in claim.meta.owner_references)


def has_stale_owner(claim: StoredObject, owner: StoredObject) -> bool:
    """Whether a claim belongs to a former object of this kind and name."""
    named = next((one for one in claim.meta.owner_references if _names(one, owner)), None)
    return named is not None and named.uid != owner.meta.uid


def has_unexpected_controller(claim: StoredObject, owner: StatefulSet, pod: Pod) -> bool:
    """Whether somebody else controls a claim that the policy may delete."""
    if owner.spec.when_scaled == RETAIN and owner.spec.when_deleted == RETAIN:
        return False
    for reference in claim.meta.owner_references:
        ours = next((one for one in (owner, pod) if _names(reference, one)), None)
        if ours is not None and reference.uid != ours.meta.uid:
            return True
        if ours is None and reference.controller:
            return True
    return False


def has_non_controller_owner(claim: StoredObject, owner: StatefulSet, pod: Pod) -> bool:
    """Whether the set or the pod owns a claim without controlling it."""
    uids = (owner.meta.uid, pod.meta.uid)
    return any(one.uid in uids and not one.controller for one in claim.meta.owner_references)


def is_owner_up_to_date(claim: StoredObject, owner: StatefulSet, pod: Pod) -> bool:
    """Whether a claim's owners are as the policy has them, or not ours to change."""
    if has_stale_owner(claim, owner) or has_stale_owner(claim, pod):
        return True
    if has_unexpected_controller(claim, owner, pod):
        return not _owns(claim, owner) and not _owns(claim, pod)
    if has_non_controller_owner(claim, owner, pod):
        return False
    return (_owns(claim, owner), _owns(claim, pod)) == _wanted(owner, pod)


def _wanted(owner: StatefulSet, pod: Pod) -> tuple[bool, bool]:
    """Whether the set, and whether the pod, is to own the pod's claims."""
    spec = owner.spec
    is_condemned = not spec.is_in_range(split_name(pod.meta.name)[1])
    by_pod = spec.when_scaled == DELETE and is_condemned
    return spec.when_deleted == DELETE and not by_pod, by_pod


def make_owners(claim: StoredObject, owner: StatefulSet, pod: Pod) -> References:
    """The owners that the policy wants; beside another controller, none of ours."""
    others = tuple(
        one for one in claim.meta.owner_references if not _names(one, owner) and not _names(one, pod)
    )
    if has_unexpected_controller(claim, owner, pod):
        return others
    wanted = zip((owner, pod), _wanted(owner, pod), strict=True)
    uids = {one.uid for one in others}
    added = [controller_reference(one) for one, is_owner in wanted if is_owner and one.meta.uid not in uids]
    return (*others, *added)
