"""What a kubelet does next for one pod: which containers to start or kill, and whether the sandbox stands.

Models one sync of a pod. The crash-loop delay is not asked here: it holds back a start that was decided.
"""

from __future__ import annotations

from collections.abc import Mapping

from lifecycle.lean_dataclasses import dataclass, field

from ...objects.pods.container import NEVER, ON_FAILURE, Container
from ...objects.pods.pod import PodSpec
from ...objects.pods.runtime import CREATED, EXITED, RUNNING, RuntimeContainer, RuntimePod
from ...objects.record import Record
from .grace import LIVENESS_PROBE, STARTUP_PROBE
from .probe_rules import FAILURE, SUCCESS
from .restart_rules import (
    RESTART_ALL,
    effective_policy,
    may_restart_all,
    should_restart,
    should_restart_after_kill,
    should_restart_all,
    should_start,
)

ProbeResults = Mapping[str, Mapping[str, str]]
"""Results by probe kind by container name: `{"app": {"liveness": "Failure"}}`."""

SPEC_CHANGED, STATE_UNKNOWN = "SpecChanged", "Unknown"

_NO_RESULTS: ProbeResults = {}


@dataclass(slots=True, eq=False)
class ContainerToKill(Record):
    """A run to end before the rest goes on. `reason` is also what the grace arithmetic asks for."""

    name: str
    id: str
    reason: str
    message: str


@dataclass(slots=True, eq=False)
class PodActions(Record):
    """Containers by name, in the order they are to be started.

    `kill_pod`: stop everything first (before a new sandbox, or for good). `restart_all`: the container whose
    exit restarts the whole pod in place, "" for none; then everything running is in `containers_to_kill`.
    """

    kill_pod: bool = False
    create_sandbox: bool = False
    sandbox_attempt: int = 0
    init_containers_to_start: list[str] = field(default_factory=list)
    containers_to_start: list[str] = field(default_factory=list)
    containers_to_kill: list[ContainerToKill] = field(default_factory=list)
    ephemeral_containers_to_start: list[str] = field(default_factory=list)
    restart_all: str = ""


def decide_pod_actions(
    spec: PodSpec,
    runtime: RuntimePod,
    *,
    probe_results: ProbeResults = _NO_RESULTS,
    is_terminating: bool = False,
) -> PodActions:
    """What to do for a pod, given what its runtime reports.

    `is_terminating`: the pod is being deleted, evicted or past its deadline; nothing starts any more.
    """
    if is_terminating:
        return PodActions(kill_pod=True, sandbox_attempt=runtime.sandbox_attempt)
    if not runtime.containers and runtime.sandbox_ready and runtime.sandbox_ip:
        # Nothing has run yet: what begins is the same for all pods of a template.
        known = spec.notes.first_actions
        if not isinstance(known, PodActions) or known.sandbox_attempt != runtime.sandbox_attempt:
            known = spec.notes.first_actions = _decide(spec, runtime, probe_results)
        return known
    return _decide(spec, runtime, probe_results)


def _decide(spec: PodSpec, runtime: RuntimePod, probe_results: ProbeResults) -> PodActions:
    is_lost = needs_sandbox(spec, runtime)
    attempt = runtime.sandbox_attempt + 1 if is_lost and runtime.sandbox_id else runtime.sandbox_attempt
    actions = PodActions(is_lost, is_lost, attempt)
    if is_lost:
        _begin_again(spec, runtime, actions)
        return actions
    trigger = find_restart_all(spec, runtime)
    if trigger:
        actions.restart_all = trigger
        _kill_running(runtime, actions)
        return actions
    for container in spec.ephemeral_containers:
        # Never restarted: one record of it is enough to leave it alone.
        if container.name not in runtime.containers:
            actions.ephemeral_containers_to_start.append(container.name)
    if spec.init_containers:
        initialized = _decide_init(spec, runtime, probe_results, actions)
        if actions.kill_pod or not initialized:
            return actions
    _decide_apps(spec, runtime, probe_results, actions)
    return actions


def needs_sandbox(spec: PodSpec, runtime: RuntimePod) -> bool:
    """Whether the pod has no sandbox with a configured network."""
    if not runtime.sandbox_id or not runtime.sandbox_ready:
        return True
    return not runtime.sandbox_ip and not spec.host_network


def find_restart_all(spec: PodSpec, runtime: RuntimePod) -> str:
    """The first container, in spec order, whose exit restarts the whole pod in place; "" if none."""
    notes = spec.notes
    if notes.may_restart_all is None:
        notes.may_restart_all = may_restart_all(spec)
    if not notes.may_restart_all:
        return ""
    for container in (*spec.init_containers, *spec.containers):
        seen = runtime.containers.get(container.name)
        if seen is not None and seen.state == EXITED and should_restart_all(container, seen.exit_code):
            return container.name
    return ""


def _kill_running(runtime: RuntimePod, actions: PodActions) -> None:
    for name, seen in runtime.containers.items():
        if seen.state == RUNNING:
            message = "Container is stopped because all containers are restarted in place"
            actions.containers_to_kill.append(ContainerToKill(name, seen.id, RESTART_ALL, message))


# --- a new sandbox ----------------------------------------------------------------------------------


def _begin_again(spec: PodSpec, runtime: RuntimePod, actions: PodActions) -> None:
    # A pod that already ran and restarts nothing is finished, not begun again. Without any record of a
    # container it has never got that far, so the sandbox is tried again.
    if actions.sandbox_attempt and runtime.containers and spec.restart_policy == NEVER:
        actions.create_sandbox = False
        return
    to_start = [one.name for one in spec.containers if not _is_done(one, spec, runtime)]
    if not to_start and _has_app_created(spec, runtime):
        # Initialization was over when its containers came to be, whatever is still known of it.
        actions.create_sandbox = False
    elif spec.init_containers:
        actions.init_containers_to_start.append(spec.init_containers[0].name)
    else:
        actions.containers_to_start = to_start


def _is_done(container: Container, spec: PodSpec, runtime: RuntimePod) -> bool:
    """What has succeeded and runs once; a container's rules, or its Never, are not asked (v1.35)."""
    seen = runtime.containers.get(container.name)
    if seen is None or seen.state != EXITED or seen.exit_code:
        return False
    return effective_policy(container, spec) == ON_FAILURE


def comes_back_in_vain(spec: PodSpec, runtime: RuntimePod) -> bool:
    """Whether rules bring back a container that has ended with its sandbox, which a Never pod gets no more.

    Such a pod stays as it is: neither over nor running anything (v1.35, computePodActions and getPhase).
    """
    if spec.restart_policy != NEVER:
        return False
    for container in spec.containers:
        seen = runtime.containers.get(container.name)
        if container.restart_policy is None or seen is None:
            continue
        if seen.state == EXITED and should_restart(container, spec, seen.exit_code):
            return True
    return False


def _has_app_created(spec: PodSpec, runtime: RuntimePod) -> bool:
    return any(_state(runtime, one.name) in (CREATED, RUNNING, EXITED) for one in spec.containers)


def _state(runtime: RuntimePod, name: str) -> str:
    seen = runtime.containers.get(name)
    return seen.state if seen is not None else ""


# --- init containers and sidecars -------------------------------------------------------------------


def _decide_init(
    spec: PodSpec, runtime: RuntimePod, probe_results: ProbeResults, actions: PodActions
) -> bool:
    """Add what init containers need; returns whether the pod is initialized.

    Walked from the last to the first: records of finished init containers may be gone, so the last known one
    tells how far initialization came. Before it, only sidecars matter.
    """
    initialized = any(_state(runtime, one.name) in (CREATED, RUNNING) for one in spec.containers)
    is_past = initialized
    to_start: list[int] = []
    for index in range(len(spec.init_containers) - 1, -1, -1):
        container = spec.init_containers[index]
        seen = runtime.containers.get(container.name)
        if seen is None:
            if is_past and container.is_sidecar:
                to_start.append(index)
            continue
        if is_past and not container.is_sidecar:
            continue
        verdict = _decide_one_init(container, seen, spec, probe_results, actions)
        if verdict == _GIVE_UP:
            actions.kill_pod = True
            return False
        if verdict & _DONE:
            if index == len(spec.init_containers) - 1:
                initialized = True
            elif not is_past:
                to_start.append(index + 1)
        if verdict & _START:
            to_start.append(index)
        is_past = True
    if not is_past:
        to_start.append(0)
    actions.init_containers_to_start = [spec.init_containers[index].name for index in sorted(to_start)]
    return initialized


_NOTHING, _START, _DONE, _GIVE_UP = 0, 1, 2, -1


def _decide_one_init(
    container: Container,
    seen: RuntimeContainer,
    spec: PodSpec,
    probe_results: ProbeResults,
    actions: PodActions,
) -> int:
    if seen.state == CREATED:
        # Created but never started: the runtime failed to start it, so try again.
        return _START
    if container.is_sidecar:
        return _decide_sidecar(container, seen, probe_results, actions)
    if seen.state == RUNNING:
        return _NOTHING
    if seen.state == EXITED:
        if seen.exit_code == 0:
            return _DONE
        return _START if should_restart(container, spec, seen.exit_code) else _GIVE_UP
    if not should_restart_after_kill(container, spec):
        return _GIVE_UP
    _kill(seen, STATE_UNKNOWN, _unknown_message("Init container"), actions)
    return _START


def _decide_sidecar(
    container: Container, seen: RuntimeContainer, probe_results: ProbeResults, actions: PodActions
) -> int:
    if seen.state == EXITED:
        return _START
    if seen.state != RUNNING:
        _kill(seen, STATE_UNKNOWN, _unknown_message("Init container"), actions)
        return _START
    results = probe_results.get(container.name, {})
    label = f"Init container {container.name}"
    if container.startup_probe is not None and results.get("startup") != SUCCESS:
        if results.get("startup") != FAILURE:
            return _NOTHING
        _kill(seen, STARTUP_PROBE, f"{label} failed startup probe", actions)
        return _START
    # It has started, so the next one may, even if this run is about to be replaced.
    if has_spec_changed(container, seen):
        _kill(seen, SPEC_CHANGED, f"{label} definition changed", actions)
        return _START | _DONE
    if container.liveness_probe is not None and results.get("liveness") == FAILURE:
        _kill(seen, LIVENESS_PROBE, f"{label} failed liveness probe", actions)
        return _START | _DONE
    return _DONE


def has_spec_changed(container: Container, seen: RuntimeContainer) -> bool:
    """Whether the run was started from another image than the spec now names (POD-OBJ-18)."""
    return bool(seen.image) and seen.image != container.image


def _unknown_message(label: str) -> str:
    return f'{label} is in "unknown" state, try killing it before restart'


def _kill(seen: RuntimeContainer, reason: str, message: str, actions: PodActions) -> None:
    actions.containers_to_kill.append(ContainerToKill(seen.name, seen.id, reason, message))


# --- app containers ---------------------------------------------------------------------------------


def _decide_apps(
    spec: PodSpec, runtime: RuntimePod, probe_results: ProbeResults, actions: PodActions
) -> None:
    kept = 0
    for container in spec.containers:
        seen = runtime.containers.get(container.name)
        if seen is None or seen.state != RUNNING:
            if should_start(container, spec, seen):
                actions.containers_to_start.append(container.name)
                if seen is not None and seen.state not in (CREATED, EXITED):
                    # Perhaps it still runs: never two runs of one container at a time.
                    _kill(seen, STATE_UNKNOWN, _unknown_message("Container"), actions)
            continue
        reason, message, restart = _reason_to_kill(container, seen, spec, probe_results)
        if not reason:
            kept += 1
            continue
        if restart:
            message += ", will be restarted"
            actions.containers_to_start.append(container.name)
        _kill(seen, reason, message, actions)
    if not kept and not actions.containers_to_start:
        # All app containers ended for good; sidecars must not keep the pod alive.
        actions.kill_pod = True
        actions.init_containers_to_start = []


def _reason_to_kill(
    container: Container, seen: RuntimeContainer, spec: PodSpec, probe_results: ProbeResults
) -> tuple[str, str, bool]:
    label = f"Container {container.name}"
    if has_spec_changed(container, seen):
        # Restarted under any policy: it did not end, it was replaced.
        return SPEC_CHANGED, f"{label} definition changed", True
    results = probe_results.get(container.name)
    if results is not None:
        for kind, reason in (("liveness", LIVENESS_PROBE), ("startup", STARTUP_PROBE)):
            if results.get(kind) == FAILURE:
                restart = should_restart_after_kill(container, spec)
                return reason, f"{label} failed {kind} probe", restart
    return "", "", False
