"""What is done about the pods that are to be there: made, made again, waited for, kept as they should be.

`OrderedReady` goes from the lowest ordinal up and stops at the first that is not there, Running, Ready and
available. `Parallel` waits for nobody; what it makes comes in batches, which stop at a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import groupby

from lifecycle.lean_dataclasses import dataclass, field

from ....objects.meta import StoredObject, controller_reference
from ....objects.pods.pod import PENDING, Pod
from ....objects.workloads.stateful_set import RETAIN, ROLLING_UPDATE, StatefulSet
from ....rules.actions import Action, CreateJson, CreatePod, DeletePod, RecordEvent, Update
from ....rules.event_sources import STATEFUL_SET as SOURCE
from ....rules.validation.pods.updates import validate_pod_update
from ....rules.validation.words.refusal import make_invalid
from .identity import (
    POD_INDEX_LABEL,
    POD_NAME_LABEL,
    list_volumes,
    make_claim,
    make_overlay,
    name_claim,
    name_pod,
)
from .retention import has_unexpected_controller, is_owner_up_to_date, make_owners
from .revisions import Plan, template_of
from .seen import Seen, say, words_of_claim, words_of_pod

MOST_AT_ONCE = 500
"""The largest batch of what is made in parallel."""
_WHILE_DOUBLING = 511
"""So many are in the batches before the first of that size."""


@dataclass(slots=True)
class Step:
    """`actions` to be done now. `failures`: what is said at the end of the look, which is tried again.

    `is_blocked`: whether nothing that comes later may be done in this look.
    """

    actions: list[Action] = field(default_factory=list)
    failures: list[RecordEvent] = field(default_factory=list)
    has_failed: bool = False
    is_blocked: bool = False


def decide_replicas(seen: Seen, plan: Plan) -> Step:
    """The next actions for the ordinals in range."""
    spec, step = seen.owner.spec, Step()
    last = spec.end
    for ordinal in _list_work(seen):
        if ordinal > last:
            break
        one = _decide_replica(seen, plan, ordinal)
        step.actions += one.actions
        step.failures += one.failures
        step.has_failed |= one.has_failed
        if not spec.is_parallel and one.is_blocked:
            step.is_blocked = True
            break
        if spec.is_parallel and (one.actions or one.has_failed):
            last = min(last, spec.start + end_batch(ordinal - spec.start))
    step.is_blocked |= step.has_failed
    return step


def end_batch(index: int) -> int:
    """The last of the batch that an index is in: 0, then 1 and 2, then 3 to 6, up to 500 at once."""
    if index < _WHILE_DOUBLING:
        return (1 << (index + 1).bit_length()) - 2
    return index + MOST_AT_ONCE - 1 - (index - _WHILE_DOUBLING) % MOST_AT_ONCE


def _list_work(seen: Seen) -> Iterator[int]:
    """The ordinals in range of which something may have to be done or waited for, lowest first."""
    members, spec = seen.members, seen.owner.spec
    low, high = spec.start, spec.end
    unwell = members.finished if spec.is_parallel else members.unsettled
    unfit = (unwell, members.mismatched, members.misnamed, members.unstored)
    found = [one.within(low, high) for one in unfit if one]
    if members.present.count_within(low, high) < spec.replicas:
        found.append(members.present.gaps(low, high))
    if len(found) < 2:
        return iter(()) if not found else found[0]
    return (ordinal for ordinal, _ in groupby(merge(*found)))


def _decide_replica(seen: Seen, plan: Plan, ordinal: int) -> Step:
    members, owner = seen.members, seen.owner
    if ordinal not in members:
        return _decide_creation(seen, plan, ordinal)
    member, pod = members[ordinal], seen.pod(ordinal)
    if member.is_finished:
        # It comes again under its name, once this one is gone.
        return Step([] if member.is_terminating else delete_pod(seen, pod), is_blocked=True)
    warnings: list[RecordEvent] = []
    if member.phase == PENDING and ordinal in members.mismatched:
        actions, problems = complete_claims(seen, ordinal, pod)
        if actions or problems:
            return Step(actions, has_failed=bool(problems), is_blocked=True)
        # What else controls its claims is told of with every look at a pod that is Pending.
        warnings = [
            one for claim in list_claims(seen, ordinal) for one in _warn_of_controller(owner, claim, pod)
        ]
    if not owner.spec.is_parallel and ordinal in members.unsettled:
        return Step(failures=warnings, is_blocked=True)
    step = _enforce(seen, ordinal, pod) if member.is_stored else _try_storage(seen, ordinal, pod)
    step.failures = [*warnings, *step.failures]
    return step


def delete_pod(seen: Seen, pod: Pod) -> list[Action]:
    """Delete a pod, and say so."""
    return [DeletePod(pod), say(seen, "Delete", pod.meta.name)]


# --- pods that are missing --------------------------------------------------------------------------------


def _decide_creation(seen: Seen, plan: Plan, ordinal: int) -> Step:
    """The claims first; when all are there, the pod."""
    owner, name = seen.owner, name_pod(seen.owner, ordinal)
    if name in seen.refused:
        return Step(has_failed=True, is_blocked=True)
    if _has_stale_claim(seen, name, ordinal):
        # It goes with the former pod of this name; a new one can only be made after it.
        return Step(is_blocked=True)
    actions, problems = make_missing_claims(seen, ordinal)
    if actions:
        return Step(actions, is_blocked=True)
    if problems:
        return _fail(seen, "Create", name, problems)
    revision = plan.current if is_of_current(owner, ordinal) else plan.update
    template = template_of(owner, revision)
    volumes = template.spec.raw.get("volumes")
    pod = CreatePod(
        owner,
        template,
        controller_reference(owner),
        f"{owner.meta.name}-",
        SOURCE,
        name,
        make_overlay(owner, volumes, ordinal, revision.meta.name),
        words_of_pod(seen, name),
    )
    return Step([pod], is_blocked=True)


def _fail(seen: Seen, verb: str, name: str, problems: Sequence[str]) -> Step:
    text = problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
    return Step(failures=[say(seen, verb, name, text)], has_failed=True, is_blocked=True)


def is_of_current(owner: StatefulSet, ordinal: int) -> bool:
    """Whether a pod that is made now is of the former revision: one below the partition (STS-PART-02)."""
    spec = owner.spec
    if spec.partition is not None:
        return ordinal < spec.start + spec.partition
    former = owner.status.current_replicas if spec.strategy_type == ROLLING_UPDATE else 0
    return ordinal < spec.start + former


def _has_stale_claim(seen: Seen, pod_name: str, ordinal: int) -> bool:
    """Whether a claim goes with a former pod of this name: it was condemned, and its pod is gone."""
    if seen.owner.spec.when_scaled == RETAIN:
        return False
    found = (seen.find_claim(name, ordinal) for name in seen.owner.spec.claim_names)
    return any(
        (one.api_version, one.kind, one.name) == ("v1", "Pod", pod_name)
        for claim in found
        if claim is not None
        for one in claim.meta.owner_references
    )


# --- claims -----------------------------------------------------------------------------------------------


def make_missing_claims(seen: Seen, ordinal: int) -> tuple[list[Action], list[str]]:
    """Claims to be made for a pod, and what is in the way of others."""
    owner, refused = seen.owner, seen.refused
    actions: list[Action] = []
    problems = []
    for number, template in enumerate(owner.spec.claim_names):
        claim, name = seen.find_claim(template, ordinal), name_claim(owner, template, ordinal)
        if claim is not None and claim.meta.deletion_ms is not None:
            problems.append(f"pvc {name} is being deleted")
        elif claim is None and name in refused:
            problems.append(f"failed to create PVC {name}: {refused[name]}")
        elif claim is None:
            words = words_of_claim(seen, name, name_pod(owner, ordinal))
            actions.append(CreateJson(make_claim(owner, number, ordinal), owner, SOURCE, words))
    return actions, problems


def complete_claims(seen: Seen, ordinal: int, pod: Pod) -> tuple[list[Action], list[str]]:
    """For a pod that is Pending still: claims that are missing, then their owners."""
    actions, problems = make_missing_claims(seen, ordinal)
    return (actions, problems) if actions or problems else (set_owners(seen, ordinal, pod), [])


def list_claims(seen: Seen, ordinal: int) -> list[StoredObject]:
    """A pod's claims that are there, in the order of their templates."""
    found = (seen.find_claim(name, ordinal) for name in seen.owner.spec.claim_names)
    return [one for one in found if one is not None]


def set_owners(seen: Seen, ordinal: int, pod: Pod) -> list[Action]:
    """Put right who owns a pod's claims; where that is wrong of one, all are looked at."""
    owner, claims = seen.owner, list_claims(seen, ordinal)
    if not any(_is_mismatched(one, owner, pod) for one in claims):
        return []
    actions: list[Action] = []
    for claim in claims:
        actions += _warn_of_controller(owner, claim, pod)
        if _is_mismatched(claim, owner, pod):
            owners = make_owners(claim, owner, pod)
            actions.append(Update(claim.replace(meta=claim.meta.replace(owner_references=owners))))
    return actions


def _is_mismatched(claim: StoredObject, owner: StatefulSet, pod: Pod) -> bool:
    """Whether a claim's owners are not as the policy has them, and writing them changes something."""
    if is_owner_up_to_date(claim, owner, pod):
        return False
    # A reference by our uid under another name is nothing that the controller takes away.
    return make_owners(claim, owner, pod) != claim.meta.owner_references


def _warn_of_controller(owner: StatefulSet, claim: StoredObject, pod: Pod) -> list[RecordEvent]:
    if not has_unexpected_controller(claim, owner, pod):
        return []
    message = (
        f"PersistentVolumeClaim {claim.meta.name} has a conflicting OwnerReference that acts as a manging"
        " controller, the retention policy is ignored for this claim"
    )
    return [RecordEvent(owner, "Warning", "ConflictingController", message, SOURCE)]


def needs_claims(seen: Seen, ordinal: int) -> bool:
    """Whether something is to be done about the claims of a pod, if it is there."""
    members = seen.members
    if ordinal not in members:
        return False
    pod = seen.pod(ordinal)
    found, owner = list_claims(seen, ordinal), seen.owner
    if any(_is_mismatched(one, owner, pod) for one in found):
        return True
    if members[ordinal].phase != PENDING or not owner.spec.is_in_range(ordinal):
        return False
    is_whole = len(found) == len(owner.spec.claim_names)
    return not is_whole or any(
        one.meta.deletion_ms is not None or has_unexpected_controller(one, owner, pod) for one in found
    )


# --- pods that are well -----------------------------------------------------------------------------------


def _enforce(seen: Seen, ordinal: int, pod: Pod) -> Step:
    """A pod keeps its name in its label, and its claims their owners."""
    actions = set_owners(seen, ordinal, pod) if ordinal in seen.members.mismatched else []
    if not seen.members[ordinal].is_named:
        name = pod.meta.name
        labels = {**pod.meta.labels, POD_NAME_LABEL: name, POD_INDEX_LABEL: str(ordinal)}
        actions.append(Update(pod.replace(meta=pod.meta.replace(labels=labels))))
    return Step([*actions, say(seen, "Update", pod.meta.name)] if actions else [])


def _try_storage(seen: Seen, ordinal: int, pod: Pod) -> Step:
    """A pod that was adopted has no volumes for its claims. They are made, but volumes stay for life."""
    actions, problems = make_missing_claims(seen, ordinal)
    if actions:
        return Step(actions, is_blocked=True)
    if not problems:
        old = pod.to_json()
        volumes = list_volumes(seen.owner, old["spec"].get("volumes") or (), ordinal)
        errors = validate_pod_update(old, {**old, "spec": {**old["spec"], "volumes": volumes}}, {})
        problems = [make_invalid("Pod", pod.meta.name, errors, "v1").message]
    return _fail(seen, "Update", pod.meta.name, problems)
