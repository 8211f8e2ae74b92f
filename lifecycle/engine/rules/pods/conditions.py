"""The kubelet's own conditions of a pod, from its phase and container statuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...objects.condition import Condition
from ...objects.names import RESTART_ALL_GATE
from ...objects.pods.container import WAITING, ContainerStatus
from ...objects.pods.pod import FAILED, SUCCEEDED, PodSpec
from ...releases.gates import is_enabled
from .restart_rules import status_of

POD_COMPLETED, POD_FAILED = "PodCompleted", "PodFailed"
CONTAINERS_NOT_READY = "ContainersNotReady"
CONTAINERS_NOT_INITIALIZED = "ContainersNotInitialized"
READINESS_GATES_NOT_READY = "ReadinessGatesNotReady"
UNKNOWN_STATUSES = "UnknownContainerStatuses"

POD_SCHEDULED = "PodScheduled"
READY_TO_START = "PodReadyToStartContainers"
INITIALIZED = "Initialized"
CONTAINERS_READY = "ContainersReady"
READY = "Ready"
RESTART_IN_PLACE = "PodRestartInPlace"
"""Named as the newest documentation does; the API constant is AllContainersRestarting (RALL-13)."""

RESTART_ALL_STARTED = "RestartAllContainersStarted"
READY_TO_START_GATE = "PodReadyToStartContainersCondition"

_NO_FEATURES: Mapping[str, bool] = {}
_Verdict = tuple[str, str, str]
_Verdicts = tuple[tuple[str, _Verdict], ...]
_YES: _Verdict = ("True", "", "")
_NO: _Verdict = ("False", "", "")
_RESTARTING: _Verdict = ("True", RESTART_ALL_STARTED, "container exited with restart policy rule")


def decide_conditions(
    spec: PodSpec,
    phase: str,
    init_statuses: Sequence[ContainerStatus] | None,
    statuses: Sequence[ContainerStatus] | None,
    old: tuple[Condition, ...],
    *,
    sandbox_ready: bool,
    now_ms: int,
    generation: int = 0,
    features: Mapping[str, bool] = _NO_FEATURES,
    restarting: bool | None = None,
) -> tuple[Condition, ...]:
    """The pod's conditions with the kubelet's own brought up to date; `old` itself if none changed.

    Foreign conditions and PodScheduled stay as they are (COND-22). `lastTransitionTime` moves only with the
    status (COND-04). Statuses None: nothing is known of the containers. `restarting`: whether all containers
    are being restarted in place; None leaves that condition alone.
    """
    verdicts = _work_out(spec, phase, init_statuses, statuses, old, sandbox_ready, features)
    if restarting is not None and (restarting or any(one.type == RESTART_IN_PLACE for one in old)):
        verdicts = (*verdicts, (RESTART_IN_PLACE, _RESTARTING if restarting else _NO))
    return _merge(old, verdicts, now_ms, generation or None)


def _work_out(
    spec: PodSpec,
    phase: str,
    init_statuses: Sequence[ContainerStatus] | None,
    statuses: Sequence[ContainerStatus] | None,
    old: tuple[Condition, ...],
    sandbox_ready: bool,
    features: Mapping[str, bool],
) -> _Verdicts:
    containers_ready = decide_containers_ready(spec, phase, init_statuses, statuses)
    verdicts = [
        (INITIALIZED, decide_initialized(spec, phase, init_statuses, statuses, old, features)),
        (CONTAINERS_READY, containers_ready),
        (READY, decide_ready(spec, containers_ready, old)),
    ]
    if is_enabled(features, READY_TO_START_GATE):
        # In the order in which a pod reaches them.
        verdicts.insert(0 if spec.init_containers else 1, (READY_TO_START, _YES if sandbox_ready else _NO))
    return tuple(verdicts)


def _merge(
    old: tuple[Condition, ...], verdicts: _Verdicts, now_ms: int, generation: int | None
) -> tuple[Condition, ...]:
    place = 1 if old and old[0].type == POD_SCHEDULED else 0
    if len(old) == place:
        # The first report.
        return (
            *old,
            *[
                Condition(type_, status, reason, message, now_ms, None, None, generation)
                for type_, (status, reason, message) in verdicts
            ],
        )
    changed: list[Condition] | None = None
    for type_, verdict in verdicts:
        # They stand in the order of the verdicts, so the next one is mostly right behind.
        index = place if place < len(old) and old[place].type == type_ else _find(old, type_)
        place = index + 1
        before = old[index] if index < len(old) else None
        status, reason, message = verdict
        if before is None or before.status != status:
            moved_ms: int | None = now_ms
        elif (
            before.reason == reason and before.message == message and before.observed_generation == generation
        ):
            continue
        else:
            moved_ms = before.last_transition_ms if before.last_transition_ms is not None else now_ms
        new = Condition(type_, status, reason, message, moved_ms, None, None, generation)
        if changed is None:
            changed = list(old)
        if before is None:
            changed.append(new)
        else:
            changed[index] = new
    return old if changed is None else tuple(changed)


def _find(conditions: tuple[Condition, ...], type_: str) -> int:
    return next((at for at, one in enumerate(conditions) if one.type == type_), len(conditions))


def decide_containers_ready(
    spec: PodSpec,
    phase: str,
    init_statuses: Sequence[ContainerStatus] | None,
    statuses: Sequence[ContainerStatus] | None,
) -> tuple[str, str, str]:
    """Status, reason and message of ContainersReady: all app containers and sidecars are ready."""
    if statuses is None:
        return ("False", UNKNOWN_STATUSES, "")
    unknown: list[str] | None = None
    unready: list[str] | None = None
    if spec.init_containers:
        for container in spec.init_containers:
            if container.is_sidecar:
                status = status_of(init_statuses or (), container.name)
                if status is None:
                    unknown = [*(unknown or ()), container.name]
                elif not status.ready:
                    unready = [*(unready or ()), container.name]
    for container in spec.containers:
        status = status_of(statuses, container.name)
        if status is None:
            unknown = [*(unknown or ()), container.name]
        elif not status.ready:
            unready = [*(unready or ()), container.name]
    if phase == FAILED:
        return ("False", POD_FAILED, "")
    if phase == SUCCEEDED and unknown is None:
        return ("False", POD_COMPLETED, "")
    if unknown is None and unready is None:
        return _YES
    return ("False", CONTAINERS_NOT_READY, _list_message(unknown, unready, "unready"))


def decide_ready(
    spec: PodSpec, containers_ready: tuple[str, str, str], conditions: Sequence[Condition]
) -> tuple[str, str, str]:
    """Status, reason and message of Ready: containers ready and every readiness gate True (RGATE-03)."""
    if containers_ready[0] != "True" or not spec.readiness_gates:
        return containers_ready
    failing: list[str] = []
    for gate in spec.readiness_gates:
        found = next((one for one in conditions if one.type == gate), None)
        if found is None:
            failing.append(f'corresponding condition of pod readiness gate "{gate}" does not exist.')
        elif found.status != "True":
            failing.append(f'the status of pod readiness gate "{gate}" is not "True", but {found.status}')
    return ("False", READINESS_GATES_NOT_READY, ", ".join(failing)) if failing else _YES


def decide_initialized(
    spec: PodSpec,
    phase: str,
    init_statuses: Sequence[ContainerStatus] | None,
    statuses: Sequence[ContainerStatus] | None,
    old: Sequence[Condition] = (),
    features: Mapping[str, bool] = _NO_FEATURES,
) -> tuple[str, str, str]:
    """Status, reason and message of Initialized.

    Regular init containers count when ready (they succeeded), sidecars when started. While an app container
    runs or has ended the pod stays initialized, whatever its sidecars do; one that waits for its next start
    says nothing.
    """
    if not spec.init_containers:
        return ("True", POD_COMPLETED, "") if phase == SUCCEEDED else _YES
    if init_statuses is None:
        return ("False", UNKNOWN_STATUSES, "")
    unknown: list[str] | None = None
    incomplete: list[str] | None = None
    for container in spec.init_containers:
        status = status_of(init_statuses, container.name)
        if status is None:
            unknown = [*(unknown or ()), container.name]
        elif not (status.started if container.is_sidecar else status.ready):
            incomplete = [*(incomplete or ()), container.name]
    if phase == SUCCEEDED and unknown is None:
        return ("True", POD_COMPLETED, "")
    if (unknown is None and incomplete is None) or _has_app_run(spec, statuses or ()):
        return _YES
    # What was initialized once stays so through an in-place restart (RALL-12).
    if is_enabled(features, RESTART_ALL_GATE) and any(
        one.type == INITIALIZED and one.status == "True" for one in old
    ):
        return _YES
    return ("False", CONTAINERS_NOT_INITIALIZED, _list_message(unknown, incomplete, "incomplete"))


def _has_app_run(spec: PodSpec, statuses: Sequence[ContainerStatus]) -> bool:
    names = [container.name for container in spec.containers]
    return any(one.name in names and one.state is not None and one.state.type != WAITING for one in statuses)


def _list_message(unknown: list[str] | None, others: list[str] | None, word: str) -> str:
    # The kubelet prints its lists without commas: [a b].
    parts = []
    if unknown:
        parts.append(f"containers with unknown status: [{' '.join(unknown)}]")
    if others:
        parts.append(f"containers with {word} status: [{' '.join(others)}]")
    return ", ".join(parts)
