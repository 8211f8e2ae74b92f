"""What a ReplicaSet does next, from what was seen of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ....objects.condition import Condition, find_condition
from ....objects.meta import OwnerReference, StoredObject
from ....objects.pod import Pod
from ....objects.record import Record
from ....objects.replica_set import ReplicaSet, ReplicaSetStatus
from ....rules.actions import Action, CreatePod, DeletePod, Update
from .ranking import pods_to_delete

SOURCE = "replicaset-controller"
BURST_REPLICAS = 500
"""The most pods that one sync creates or deletes."""
REPLICA_FAILURE = "ReplicaFailure"
FAILED_CREATE = "FailedCreate"
FAILED_DELETE = "FailedDelete"


class Counts(Record):
    """A ReplicaSet's pods in numbers. `terminating` None: not counted (gate off)."""

    __slots__ = ("active", "available", "labeled", "ready", "terminating")

    def __init__(
        self, active: int, labeled: int, ready: int, available: int, terminating: int | None
    ) -> None:
        self.active = active
        self.labeled = labeled
        self.ready = ready
        self.available = available
        self.terminating = terminating


class Surplus(Record):
    """What the choice of pods to delete needs: candidates (at least the first of the ranking; all pods
    when in doubt), related active pods by node, and the gates."""

    __slots__ = ("candidates", "related_by_node", "use_cost", "use_logarithm")

    def __init__(
        self,
        candidates: Sequence[Pod],
        related_by_node: Mapping[str, int],
        use_cost: bool = True,
        use_logarithm: bool = True,
    ) -> None:
        self.candidates = candidates
        self.related_by_node = related_by_node
        self.use_cost = use_cost
        self.use_logarithm = use_logarithm


def owner_reference(owner: StoredObject) -> OwnerReference:
    """The controller reference that a dependent carries."""
    return OwnerReference(
        owner.kind.api_version, owner.kind.name, owner.meta.name, owner.meta.uid, True, True
    )


def can_adopt(replica_set: ReplicaSet, pod: Pod) -> bool:
    """Whether a pod without a controller is to be acquired: it matches, is active, in the namespace."""
    return (
        replica_set.meta.deletion_ms is None
        and pod.is_active
        and pod.meta.controller is None
        and pod.meta.namespace == replica_set.meta.namespace
        and replica_set.spec.selector.matches(pod.meta.labels)
    )


def decide_claims(replica_set: ReplicaSet, orphans: Sequence[Pod], strays: Sequence[Pod]) -> list[Action]:
    """Adopt matching pods without a controller, release owned pods that match no more.

    A ReplicaSet that is being deleted adopts nothing.
    """
    uid = replica_set.meta.uid
    actions: list[Action] = []
    for pod in orphans:
        if can_adopt(replica_set, pod):
            kept = tuple(entry for entry in pod.meta.owner_references if entry.uid != uid)
            references = (*kept, owner_reference(replica_set))
            actions.append(Update(pod.replace(meta=pod.meta.replace(owner_references=references))))
    for pod in strays:
        references = tuple(entry for entry in pod.meta.owner_references if entry.uid != uid)
        actions.append(Update(pod.replace(meta=pod.meta.replace(owner_references=references))))
    return actions


def count_missing(replica_set: ReplicaSet, active: int) -> int:
    """How many pods to create now (above 0) or delete now (below 0); a deleted set does neither."""
    if replica_set.meta.deletion_ms is not None:
        return 0
    missing = replica_set.spec.replicas - active
    return max(-BURST_REPLICAS, min(BURST_REPLICAS, missing))


def decide_creations(replica_set: ReplicaSet, count: int) -> list[CreatePod]:
    """Equal orders for `count` new pods; they share the template's one reading."""
    order = CreatePod(
        replica_set,
        replica_set.spec.template,
        owner_reference(replica_set),
        f"{replica_set.meta.name}-",
        SOURCE,
    )
    return [order] * count


def decide_deletions(replica_set: ReplicaSet, surplus: Surplus, count: int, now_ms: int) -> list[Action]:
    """Delete the first `count` pods of the ranking."""
    chosen = pods_to_delete(
        surplus.candidates,
        surplus.related_by_node,
        count,
        now_ms,
        surplus.use_cost,
        surplus.use_logarithm,
    )
    return [DeletePod(pod, replica_set, SOURCE) for pod in chosen]


def slow_start_batches(count: int, first: int = 1) -> Iterator[int]:
    """Sizes of the batches in which `count` calls are made: 1, 2, 4, … and what is left."""
    size = first
    while count > 0:
        batch = min(size, count)
        yield batch
        count -= batch
        size *= 2


def slow_start(count: int, call: Callable[[], bool], first: int = 1) -> tuple[int, int]:
    """(successes, calls made) of `count` calls in growing batches.

    A batch is made whole; after one with a failure no further batch is begun, so that a quota is not
    asked five hundred times.
    """
    successes = calls = 0
    for batch in slow_start_batches(count, first):
        passed = sum(call() for _ in range(batch))
        successes += passed
        calls += batch
        if passed < batch:
            break
    return successes, calls


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
