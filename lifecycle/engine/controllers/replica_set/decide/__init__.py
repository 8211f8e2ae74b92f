"""What a ReplicaSet does next, from what was seen of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lifecycle.lean_dataclasses import dataclass, field

from ....objects.condition import Condition, find_condition
from ....objects.meta import controller_reference
from ....objects.names import FAILED_CREATE, REPLICA_FAILURE
from ....objects.pods.pod import Pod
from ....objects.workloads.replica_set import ReplicaSet, ReplicaSetStatus
from ....rules.actions import Action, CreatePod, Decision, DeletePod, Tried, Update
from .ranking import pods_to_delete

SOURCE = "replicaset-controller"
BURST_REPLICAS = 500
"""The most pods that one sync creates or deletes."""
FAILED_DELETE = "FailedDelete"


@dataclass(slots=True)
class Counts:
    """A ReplicaSet's pods in numbers. `terminating` None: not counted (gate off)."""

    active: int
    labeled: int
    ready: int
    available: int
    terminating: int | None


@dataclass(slots=True)
class Surplus:
    """What the choice of pods to delete needs: candidates (at least the first of the ranking; all pods
    when in doubt), related active pods by node, the gates, and since when pods are too new to have a node."""

    candidates: Sequence[Pod]
    related_by_node: Mapping[str, int]
    use_cost: bool = True
    use_logarithm: bool = True
    new_since_ms: int | None = None
    epoch_ms: int = 0


@dataclass(slots=True)
class Seen:
    """What a ReplicaSet's decision needs.

    `surplus` is there when there are too many pods and none was deleted in this look; `due_ms` is when the
    next ready pod becomes available; `tried` is what this look has done so far;
    `source` is whose events these are.
    """

    replica_set: ReplicaSet
    counts: Counts
    surplus: Surplus | None = None
    due_ms: int | None = None
    tried: Tried = field(default_factory=Tried)
    source: str = SOURCE


def decide(seen: Seen, now_ms: int) -> Decision:
    """The next batch of pods to make, or all that are to go; when the number is right, the status."""
    actions = decide_pods(seen, now_ms)
    if actions:
        return Decision(actions, goes_on=True)
    tried, active = seen.tried, seen.counts.active
    # Nothing can be made in a namespace that goes: that is no failure, and trying on would be in vain.
    is_ending = any(one.is_ending for one in tried.refusals)
    failure = tried.refusals[0].message if tried.refusals and not is_ending else None
    replica_set = seen.replica_set
    status = calculate_status(replica_set, seen.counts, failure, now_ms)
    is_same = is_same_status(replica_set.status, status)
    return Decision(
        () if is_same else (Update(replica_set.with_status(status)),),
        recheck_at_ms=seen.due_ms,
        is_failure=failure is not None,
        # More was missing than one look makes or deletes.
        is_unfinished=tried.calls > 0 and not is_ending and count_missing(replica_set, active) != 0,
    )


def decide_pods(seen: Seen, now_ms: int) -> Sequence[Action]:
    """The pods to make or delete now; nothing when the number is right, or a look can do no more."""
    replica_set, calls = seen.replica_set, seen.tried.calls
    missing = count_missing(replica_set, seen.counts.active)
    if missing < 0 and seen.surplus is not None:
        return decide_deletions(replica_set, seen.surplus, -missing, now_ms, seen.source)
    if missing <= 0:
        return ()
    count = min(calls + missing, BURST_REPLICAS)
    batch = decide_batch_size(count, calls, bool(seen.tried.refusals))
    return decide_creations(replica_set, batch, seen.source)


def count_missing(replica_set: ReplicaSet, active: int) -> int:
    """How many pods to create now (above 0) or delete now (below 0); a deleted set does neither."""
    if replica_set.meta.deletion_ms is not None:
        return 0
    missing = replica_set.spec.replicas - active
    return max(-BURST_REPLICAS, min(BURST_REPLICAS, missing))


def decide_creations(replica_set: ReplicaSet, count: int, source: str) -> list[CreatePod]:
    """Equal orders for `count` new pods; they share the template's one reading."""
    order = CreatePod(
        replica_set,
        replica_set.spec.template,
        controller_reference(replica_set),
        f"{replica_set.meta.name}-",
        source,
    )
    return [order] * count


def decide_deletions(
    replica_set: ReplicaSet, surplus: Surplus, count: int, now_ms: int, source: str
) -> list[Action]:
    """Delete the first `count` pods of the ranking."""
    chosen = pods_to_delete(
        surplus.candidates,
        surplus.related_by_node,
        count,
        now_ms,
        surplus.use_cost,
        surplus.use_logarithm,
        surplus.new_since_ms,
        surplus.epoch_ms,
    )
    return [DeletePod(pod, replica_set, source) for pod in chosen]


def decide_batch_size(count: int, calls: int, was_refused: bool, first: int = 1) -> int:
    """How many of `count` calls to make next, after so many: 1, 2, 4, … and what is left.

    After a batch with a refusal no further batch is begun, so that a quota is not asked five hundred times.
    """
    return 0 if was_refused else min(calls + first, count - calls)


def calculate_status(
    replica_set: ReplicaSet, counts: Counts, failure: str | None, now_ms: int
) -> ReplicaSetStatus:
    """The status after a sync. `failure` is the message of the first refused create or delete."""
    old = replica_set.status
    return ReplicaSetStatus(
        counts.active,
        counts.labeled,
        counts.ready,
        counts.available,
        counts.terminating,
        replica_set.meta.generation,
        _failure_conditions(replica_set, counts.active, failure, now_ms),
        old.extra,
    )


def _failure_conditions(
    replica_set: ReplicaSet, active: int, failure: str | None, now_ms: int
) -> tuple[Condition, ...]:
    conditions = replica_set.status.conditions
    known = find_condition(conditions, REPLICA_FAILURE)
    if failure is None:
        if known is None:
            return conditions
        return tuple(condition for condition in conditions if condition is not known)
    # A failure that goes on keeps its first message and time.
    if known is not None:
        return conditions
    reason = FAILED_CREATE if active <= replica_set.spec.replicas else FAILED_DELETE
    return (*conditions, Condition(REPLICA_FAILURE, "True", reason, failure, now_ms))


def is_same_status(old: ReplicaSetStatus, new: ReplicaSetStatus) -> bool:
    """Whether writing it would change nothing."""
    return (
        old.ready_replicas == new.ready_replicas
        and old.available_replicas == new.available_replicas
        and old.replicas == new.replicas
        and old.terminating_replicas == new.terminating_replicas
        and old.fully_labeled_replicas == new.fully_labeled_replicas
        and old.observed_generation == new.observed_generation
        and (old.conditions is new.conditions or old.conditions == new.conditions)
    )
