"""The state of one node for a DaemonSet: what it adds to the status, which pods are to be created or deleted.

Models podsShouldBeOnNode, and the sorting of nodes in rollingUpdate.
"""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle.lean_dataclasses import dataclass

from ....objects.names import REVISION_LABEL
from ....objects.pods.pod import FAILED, SUCCEEDED, Pod
from ....objects.times import floor_to_second
from ....objects.workloads.daemon_set import GENERATION_LABEL
from ....rules.workloads.daemon_pods import Fit

# The role of a node in a rolling update, by its pods that are not terminating.
EMPTY, EXCESS, NEW_READY, NEW_WAITING, OLD_READY, OLD_LOST, BOTH_READY, BOTH_WAITING = (
    "no pod", "too many pods", "an available new pod", "a new pod", "an available old pod",
    "an old pod that is not available", "an old pod and an available new one", "an old pod and a new one",
)  # fmt: skip
# Whether a pod should run there, has a pod that should not run there, or no longer exists.
WANTED, UNWANTED, GONE = "wanted", "unwanted", "gone"

Hold = tuple[int, int]
"""(when a held failed pod may be deleted, when to look at it at the latest)"""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the state of every node depends on: the hash of the revision, the generation of the template, …"""

    digest: str
    generation: int | None
    min_ready_ms: int
    allows_surge: bool
    epoch_ms: int = 0

    def is_updated(self, pod: Pod) -> bool:
        """Whether a pod is of the present template: by its hash, or by the template's generation alone.

        Each set begins to count these with 1: so one takes what a former set has left behind for its own
        template's, if neither has changed, whatever it runs (daemonset_util.go, IsPodUpdated; DS-UPD-03).
        """
        labels = pod.meta.labels
        if labels.get(REVISION_LABEL) == self.digest:
            return True
        return self.generation is not None and labels.get(GENERATION_LABEL) == str(self.generation)


@dataclass(frozen=True, slots=True)
class NodeState:
    """One node. Pods are given by uid.

    `counts`: whether it counts as desired, current, misscheduled, ready, available, updated in the status.
    `is_served`: whether the old pod, or without one the new pod, is available. `ripe_ms`: when the state
    changes by time alone; `wake_ms`: when to sync for that at the latest.
    """

    place: str
    role: str
    counts: tuple[bool, ...]
    is_served: bool
    needs_pod: bool
    failed: tuple[str, ...] = ()
    succeeded: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()
    old: str = ""
    ripe_ms: int | None = None
    wake_ms: int | None = None


def decide_node_state(
    pods: Sequence[Pod], fit: Fit | None, rules: Rules, now_ms: int, hold: Hold | None = None
) -> NodeState | None:
    """The state of a node with these pods of the set; None if the set has no pod there and needs none.

    `fit` None: the node does not exist. `hold`: a failed pod on it must not be deleted yet.
    """
    there = sorted((pod for pod in pods if not is_done_with(pod)), key=lambda pod: _age(pod, rules.epoch_ms))
    if not there and (fit is None or not fit.should_run):
        return None
    live = [pod for pod in there if pod.meta.deletion_ms is None]
    ended = {phase: _name(live, phase) for phase in (FAILED, SUCCEEDED)}
    running = [pod for pod in live if pod.status.phase not in ended]
    needs_pod, surplus = _manage(there, live, running, fit, rules, now_ms)
    role, old, is_served = _decide_role(live, rules, now_ms)
    is_continued = fit is not None and fit.should_continue
    held = hold if is_continued and ended[FAILED] else None
    ripe_ms, wake_ms = _decide_times(there, rules, now_ms, held)
    return NodeState(
        GONE if fit is None else WANTED if fit.should_run else UNWANTED,
        role,
        _count(there, fit, rules, now_ms),
        is_served,
        needs_pod,
        # One at a time: its deletion begins the backoff of the node, which delays the next.
        ended[FAILED][:1] if is_continued and held is None else (),
        ended[SUCCEEDED] if is_continued else (),
        surplus,
        old,
        ripe_ms,
        wake_ms,
    )


def is_done_with(pod: Pod) -> bool:
    """Whether a pod is finished and terminating: then the node may get the next one."""
    return pod.is_finished and pod.meta.deletion_ms is not None


def is_available(pod: Pod, rules: Rules, now_ms: int) -> bool:
    """Whether a pod has been Ready for long enough, counted from the whole second."""
    condition = pod.ready_condition
    if condition is None or condition.status != "True":
        return False
    if not rules.min_ready_ms:
        return True
    since_ms = condition.last_transition_ms
    return since_ms is not None and _ripe_ms(since_ms, rules) <= now_ms


def _ripe_ms(since_ms: int, rules: Rules) -> int:
    """When a pod that is ready since an instant is available."""
    return floor_to_second(since_ms, rules.epoch_ms) + rules.min_ready_ms


def _age(pod: Pod, epoch_ms: int) -> tuple[bool, int, str]:
    """Bound pods first, then the oldest by its second of creation, then by name."""
    return (not pod.node_name, floor_to_second(pod.meta.creation_ms or 0, epoch_ms), pod.meta.name)


def _name(pods: Sequence[Pod], phase: str) -> tuple[str, ...]:
    return tuple(pod.meta.uid for pod in pods if pod.status.phase == phase)


# --- the status -------------------------------------------------------------------------------------------


def _count(there: Sequence[Pod], fit: Fit | None, rules: Rules, now_ms: int) -> tuple[bool, ...]:
    """What a node counts for; of its pods the first speaks for it, also while it is being deleted."""
    if fit is None:
        return (False,) * 6
    if not fit.should_run:
        return (False, False, bool(there), False, False, False)
    if not there:
        return (True,) + (False,) * 5
    first = there[0]
    available = is_available(first, rules, now_ms)
    return (True, True, False, first.is_ready, available, rules.is_updated(first))


# --- one pod a node, whatever the template ----------------------------------------------------------------


def _manage(
    there: Sequence[Pod],
    live: Sequence[Pod],
    running: Sequence[Pod],
    fit: Fit | None,
    rules: Rules,
    now_ms: int,
) -> tuple[bool, tuple[str, ...]]:
    """(whether a pod is to be made, uids of those to delete that have not ended)"""
    if fit is None:
        # No kubelet and no scheduler will ever see these.
        return False, tuple(pod.meta.uid for pod in live if not pod.node_name)
    if fit.should_run and not there:
        return True, ()
    if not fit.should_continue:
        return False, tuple(pod.meta.uid for pod in live)
    if not rules.allows_surge:
        return False, tuple(pod.meta.uid for pod in running[1:])
    if not running:
        return fit.should_run, ()
    return False, _find_surplus(running, rules, now_ms)


def _find_surplus(running: Sequence[Pod], rules: Rules, now_ms: int) -> tuple[str, ...]:
    """With a surge: all but the oldest new and the oldest old pod, and that one once the new one serves."""
    new = [pod for pod in running if pod.meta.labels.get(REVISION_LABEL) == rules.digest]
    old = [pod for pod in running if pod.meta.labels.get(REVISION_LABEL) != rules.digest]
    kept = [group[0].meta.uid for group in (new, old) if group]
    surplus = [pod.meta.uid for pod in running if pod.meta.uid not in kept]
    if new and old and (not old[0].is_ready or is_available(new[0], rules, now_ms)):
        surplus.append(old[0].meta.uid)
    return tuple(surplus)


# --- a rolling update -------------------------------------------------------------------------------------


def _decide_role(live: Sequence[Pod], rules: Rules, now_ms: int) -> tuple[str, str, bool]:
    """(role, uid of the old pod if there is one, whether the node is served)"""
    new = [pod for pod in live if rules.is_updated(pod)]
    old = [pod for pod in live if not rules.is_updated(pod)]
    if len(new) > 1 or len(old) > 1:
        return EXCESS, "", False
    serves = [bool(group) and is_available(group[0], rules, now_ms) for group in (new, old)]
    if old and new:
        return BOTH_READY if serves[0] else BOTH_WAITING, old[0].meta.uid, serves[1]
    if old:
        return OLD_READY if serves[1] else OLD_LOST, old[0].meta.uid, serves[1]
    if new:
        return NEW_READY if serves[0] else NEW_WAITING, "", serves[0]
    return EMPTY, "", False


# --- time -------------------------------------------------------------------------------------------------


def _decide_times(
    there: Sequence[Pod], rules: Rules, now_ms: int, hold: Hold | None
) -> tuple[int | None, int | None]:
    """When a pod becomes available or is held no more, and when the controller looks.

    It looks minReadySeconds after it saw the pod Ready, and a second later for a pod that does not speak for
    its node: of ready at 5.9 s with minReadySeconds 2 that is 7.9 s, though 7 s is enough.
    """
    ripe, wake = ([hold[0]], [hold[1]]) if hold is not None else ([], [])
    for pod in there if rules.min_ready_ms else ():
        condition = pod.ready_condition
        since_ms = condition.last_transition_ms if condition is not None and pod.is_ready else None
        if since_ms is not None and _ripe_ms(since_ms, rules) > now_ms:
            ripe.append(_ripe_ms(since_ms, rules))
            wake.append(since_ms + rules.min_ready_ms + (0 if pod is there[0] else 1000))
    return min(ripe, default=None), min(wake, default=None)
