"""A pod's `state`: what people see of it in one word, and why it is not ready.

Decided from the pod alone. What its status does not show is left out: a pod whose volumes cannot be mounted
says ContainerCreating, as one does whose image is being pulled, and is `starting`; its events tell more.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...objects.condition import Condition, find_condition
from ...objects.pods.container import TERMINATED, WAITING, ContainerState, ContainerStatus
from ...objects.pods.pod import FAILED, RUNNING, SUCCEEDED, UNKNOWN, Pod
from ...objects.pods.status import PodStatus
from ...objects.shown import State
from ..nodes.eviction import DISRUPTION_TARGET
from ..reasons import CRASHING, STARTING, STUCK, find_meaning
from .backoff import is_held_back
from .conditions import POD_SCHEDULED, READY
from .container_status import default_waiting_reason
from .restart_rules import will_restart

UNSCHEDULABLE = "Unschedulable"
"""No node takes the pod: none has room, none is allowed, or a claim of its is unbound or missing."""
NODE_LOST = "NodeLost"

_READY, _SUCCEEDED, _PENDING = State("ready"), State("succeeded"), State("pending")


def decide_state(pod: Pod) -> State:
    """A pod's state with the reason and message that say most of why it is not ready."""
    status = pod.status
    # An end is an end, even while the object waits for its removal.
    if status.phase == SUCCEEDED:
        return _SUCCEEDED
    if status.phase == FAILED:
        return _failed(status)
    if status.phase == UNKNOWN or status.reason == NODE_LOST:
        return State("unknown", status.reason or None, status.message or None)
    if pod.meta.deletion_ms is not None:
        target = find_condition(status.conditions, DISRUPTION_TARGET)
        return _because("terminating", target if target is not None and target.status == "True" else None)
    if not pod.node_name:
        return _unbound(find_condition(status.conditions, POD_SCHEDULED))
    ready = find_condition(status.conditions, READY)
    if ready is not None and ready.status == "True":
        return _READY
    return _unready(pod, ready)


def _failed(status: PodStatus) -> State:
    if status.reason:
        return State("failed", status.reason, status.message or None)
    for one in (*status.init_containers, *status.containers):
        state = one.state
        if state is not None and state.type == TERMINATED and state.exit_code:
            return _because("failed", state)
    return State("failed")


def _unbound(scheduled: Condition | None) -> State:
    if scheduled is None or scheduled.status == "True":
        return _PENDING
    # A gate is somebody's wish to wait; only a pod that no node takes is stuck.
    return _because(STUCK if scheduled.reason == UNSCHEDULABLE else "pending", scheduled)


def _unready(pod: Pod, ready: Condition | None) -> State:
    """Of a bound pod: what holds it up, the worst first, else the first container that is not ready."""
    status = pod.status
    stuck = unready = None
    for container, one in _list_unready(status):
        meaning = find_meaning(one.reason).state if one.type == WAITING else ""
        # Until its kubelet says a reason, a container that failed shows how it ended.
        if one.type == TERMINATED and _crashes(pod, container, one):
            meaning = CRASHING
        if meaning == CRASHING:
            return _because(CRASHING, one)
        if meaning == STUCK:
            stuck = stuck or one
        if one.reason:
            unready = unready or one
    if stuck is not None:
        return _because(STUCK, stuck)
    name = "notReady" if status.phase == RUNNING else STARTING
    if unready is not None or ready is not None:
        return _because(name, unready or ready)
    # Its kubelet has said nothing of it yet; this is what it will say first.
    return State(name, default_waiting_reason(pod.spec))


def _list_unready(status: PodStatus) -> Sequence[tuple[ContainerStatus, ContainerState]]:
    statuses: Sequence[ContainerStatus] = status.containers
    if status.init_containers:
        statuses = (*status.init_containers, *statuses)
    return [(one, one.state) for one in statuses if not one.ready and one.state is not None]


def _crashes(pod: Pod, status: ContainerStatus, end: ContainerState) -> bool:
    """Whether a container that ended is started again for a failure, or held back after an end that was none.

    Exit 0 counts for the back-off too (doBackOff in pkg/kubelet/kuberuntime/kuberuntime_manager.go).
    """
    return bool(end.exit_code or is_held_back(status)) and is_started_again(pod, status)


def is_started_again(pod: Pod, status: ContainerStatus) -> bool:
    """Whether a container that has ended has another run to come."""
    container = next((one for one in pod.spec.all_containers if one.name == status.name), None)
    if container is None or not will_restart(container, pod.spec, status):
        return False
    # Sidecars are not started again once all that they serve is over.
    return not (container.is_init and has_run_its_course(pod))


def has_run_its_course(pod: Pod) -> bool:
    """Whether all its own containers have ended for good: what else runs is being stopped."""
    containers = {one.name: one for one in pod.spec.containers}
    known = [(containers[one.name], one) for one in pod.status.containers if one.name in containers]
    return bool(known) and not any(
        one.state is None or one.state.type != TERMINATED or will_restart(container, pod.spec, one)
        for container, one in known
    )


def _because(name: str, why: Condition | ContainerState | None) -> State:
    if why is None:
        return State(name)
    return State(name, why.reason or None, why.message or None)


def is_news_to_kubelet(old: Pod, new: Pod) -> bool:
    """Whether a kubelet takes a pod for changed: it does not look at owners and finalizers.

    Models podsDifferSemantically (pkg/kubelet/config). A status that others wrote it compares with its own.
    """
    was, now = old.meta, new.meta
    # Whoever writes to the API writes instants in whole seconds.
    told, wanted = ({(one.type, one.status) for one in pod.status.conditions} for pod in (old, new))
    if old.status.phase != new.status.phase or told != wanted:
        return True
    before = (was.deletion_ms, was.deletion_grace_seconds, was.labels, was.annotations)
    return before != (now.deletion_ms, now.deletion_grace_seconds, now.labels, now.annotations)
