"""What a StatefulSet does next, from what was seen of it."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from itertools import islice

from ....heart.timing import WRITES_A_LOOK
from ....objects.int_or_percent import IntOrPercent, resolve
from ....objects.workloads.stateful_set import ON_DELETE
from ....rules.actions import Action, Decision, DeletePod
from .replicas import Step, decide_replicas, delete_pod, set_owners
from .revisions import Plan, decide_cleanup, decide_revisions
from .seen import Seen, say
from .status import decide_status
from .waiting import find_highest_unavailable


def decide(seen: Seen) -> Decision:
    """The next actions in this order: history, pods in range, pods beyond it, updates; at last the status."""
    if seen.tried.calls >= WRITES_A_LOOK:
        # The rest of a very large set comes with the looks that follow, before anything is told of it.
        return Decision(is_unfinished=True)
    plan = decide_revisions(seen)
    if plan.actions and seen.tried.refusals:
        return Decision(is_failure=not _is_ending(seen))
    if plan.actions:
        return Decision(plan.actions, goes_on=True)
    if seen.owner.meta.deletion_ms is not None:
        # Its pods are the garbage collector's; its history and its status are kept to the end.
        return _report(seen, plan, Step())
    step = decide_replicas(seen, plan)
    actions: Sequence[Action] = step.actions
    if not actions and not step.is_blocked:
        spec = seen.owner.spec
        has_condemned = seen.members.present.first_outside(spec.start, spec.end) is not None
        actions = decide_scale_down(seen) if has_condemned else ()
        # Scaling goes before updating: in order nothing is updated before the last condemned pod is gone.
        may_update = not actions and (spec.is_parallel or not has_condemned)
        outdated = decide_update(seen, plan) if may_update else ()
        if outdated:
            return _replace(seen, plan, outdated)
    if not actions:
        return _report(seen, plan, step)
    if any(isinstance(one, DeletePod) for one in actions):
        # What is deleted may be gone at once; it is missing from the next look on.
        told = _tell_twice_deleted(seen, plan, actions) if seen.owner.spec.is_parallel else ()
        return Decision((*actions, *told, *decide_status(seen, plan)), is_unfinished=True)
    return Decision(actions, goes_on=True)


def _replace(seen: Seen, plan: Plan, ordinals: Sequence[int]) -> Decision:
    """Delete outdated pods. Those that nothing has to end are gone at once; who is bound tells of its end."""
    pods = [seen.pod(ordinal) for ordinal in ordinals]
    actions = [action for pod in pods for action in delete_pod(seen, pod)]
    may_be_gone = any(not pod.node_name or pod.spec.termination_grace_seconds == 0 for pod in pods)
    return Decision((*actions, *decide_status(seen, plan, len(pods))), is_unfinished=may_be_gone)


def _tell_twice_deleted(seen: Seen, plan: Plan, actions: Sequence[Action]) -> list[Action]:
    """An update takes pods that have just been deleted, as they have ended, for those that it is to delete.

    Only in parallel does a look go on to its update after that.
    """
    gone = {one.pod.meta.name for one in actions if isinstance(one, DeletePod) and one.pod.is_finished}
    found = (seen.pod(ordinal).meta.name for ordinal in decide_update(seen, plan)) if gone else ()
    return [say(seen, "Delete", name, f'pods "{name}" not found') for name in found if name in gone]


def _is_ending(seen: Seen) -> bool:
    """Whether what was refused is in vain, as the namespace goes."""
    return any(one.is_ending for one in seen.tried.refusals)


def _report(seen: Seen, plan: Plan, step: Step) -> Decision:
    status = decide_status(seen, plan)
    return Decision(
        (*step.failures, *status, *decide_cleanup(seen, plan)),
        recheck_at_ms=seen.members.next_due_ms,
        is_failure=step.has_failed and not _is_ending(seen),
        # An update that has come to its end leaves revisions that nobody needs any more.
        is_unfinished=bool(status) and seen.members.count_of(plan.current.meta.name) == 0,
    )


def decide_scale_down(seen: Seen) -> list[Action]:
    """What is condemned: first its claims get their owners, then it goes, in order from the highest down."""
    members, owner = seen.members, seen.owner
    low, high = owner.spec.start, owner.spec.end
    claims = [
        action
        for ordinal in members.mismatched.outside(low, high)
        for action in set_owners(seen, ordinal, seen.pod(ordinal))
    ]
    if claims:
        return claims
    if owner.spec.is_parallel:
        going = (ordinal for one in members.by_revision.values() for ordinal in one.outside(low, high))
        return [
            action
            for ordinal in nlargest(WRITES_A_LOOK, going)
            for action in delete_pod(seen, seen.pod(ordinal))
        ]
    return _delete_highest(seen)


def _delete_highest(seen: Seen) -> list[Action]:
    """One after the other. One that is not well waits for those below it that are not well either."""
    members, owner = seen.members, seen.owner
    low, high = owner.spec.start, owner.spec.end
    top = members.present.last_outside(low, high)
    assert top is not None, "some pod is condemned"
    first_unwell = members.unsettled.first_outside(low, high)
    if members[top].is_terminating or (top in members.unsettled and top != first_unwell):
        return []
    return delete_pod(seen, seen.pod(top))


def decide_update(seen: Seen, plan: Plan) -> Sequence[int]:
    """The ordinals whose outdated pods are to be replaced now, highest first (STS-UPD-03, STS-MAXU-02)."""
    owner, members = seen.owner, seen.members
    spec, revision = owner.spec, plan.update.meta.name
    if spec.strategy_type == ON_DELETE:
        return ()
    low = spec.start + (spec.partition or 0)
    outdated = members.outdated(revision, low, spec.end)
    if not seen.options.has_max_unavailable:
        first = next(outdated, None)
        if first is None or first < _highest_unavailable(seen, low):
            return ()
        return (first,)
    present = members.present.count_within(spec.start, spec.end)
    unavailable = spec.replicas - present + members.unsettled.count_within(spec.start, spec.end)
    most = count_unavailable(spec.max_unavailable, spec.replicas, seen.options.rounds_up)
    return list(islice(outdated, max(0, most - unavailable)))


def _highest_unavailable(seen: Seen, low: int) -> int:
    """The highest ordinal of which no pod is available; -1 where there is none from `low` on."""
    members = seen.members
    return find_highest_unavailable(members.present, members.unsettled, low, seen.owner.spec.end)


def count_unavailable(given: IntOrPercent | None, replicas: int, rounds_up: bool) -> int:
    """How many pods an update may have unavailable at once: never less than one.

    30 % of 5 is 2 rounded up, 1 rounded down.
    """
    return max(1, resolve(1 if given is None else given, replicas, rounds_up))
