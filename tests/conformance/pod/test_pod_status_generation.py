"""`pod_status_generation.json`: lost containers, terminal phases that stick, reason and message."""

from typing import Any

import pytest

from lifecycle.engine.objects.pods.container import ContainerStatus
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.pods.runtime import RuntimeContainer
from lifecycle.engine.objects.pods.status import PodStatus
from lifecycle.engine.rules.pods.conditions import decide_conditions
from lifecycle.engine.rules.pods.container_status import decide_container_status, decide_lost_status
from lifecycle.engine.rules.pods.qos import decide_qos_class
from lifecycle.engine.rules.pods.status import decide_phase
from tests.conformance.cases import Case, load_cases


def _container_statuses(
    pod: Pod, previous: PodStatus, seen: dict[str, RuntimeContainer]
) -> tuple[ContainerStatus, ...]:
    olds = {one.name: one for one in previous.containers}
    statuses = []
    for container in pod.spec.containers:
        old, run = olds.get(container.name), seen.get(container.name)
        if run is None:
            is_deleted = pod.meta.deletion_ms is not None
            statuses.append(decide_lost_status(container, pod.spec, old, is_deleted=is_deleted))
        else:
            is_running = run.state == "running"
            count = old.restart_count if old is not None else 0
            statuses.append(
                decide_container_status(
                    container, run, old, None, ready=is_running, started=is_running, restart_count=count
                )
            )
    return tuple(statuses)


def _runs(data: list[dict[str, Any]]) -> dict[str, RuntimeContainer]:
    return {
        one["name"]: RuntimeContainer(
            one["name"], one.get("id", "id"), one["state"], exit_code=one.get("exitCode", 0)
        )
        for one in data
    }


def _holds(wanted: Any, seen: Any) -> bool:
    """Whether `seen` says everything `wanted` says."""
    if isinstance(wanted, dict):
        return isinstance(seen, dict) and all(_holds(value, seen.get(key)) for key, value in wanted.items())
    if isinstance(wanted, list):
        return len(wanted) == len(seen) and all(map(_holds, wanted, seen))
    return bool(wanted == seen)


def _generate(given: dict[str, Any]) -> PodStatus:
    pod_data = {**given["pod"], "metadata": _dated(given["pod"].get("metadata") or {})}
    pod = Pod.from_json(pod_data)
    previous = (
        PodStatus.from_json(given["previousStatus"] or {}) if given.get("previousStatus") else pod.status
    )
    runs = _runs(given["runtimeContainers"])
    statuses = _container_statuses(pod, previous, runs)
    phases = [one for one in (previous.phase, pod.status.phase) if one in ("Succeeded", "Failed")]
    phase = decide_phase(
        pod.spec,
        (),
        statuses,
        is_terminal=given.get("isPodTerminal", False),
        has_initialized=bool(runs),
        current_phase=phases[0] if phases else "",
    )
    # Reason and message belong to a phase: they stay as long as it does.
    is_kept = previous.phase == phase
    own = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    foreign = tuple(one for one in previous.conditions if one.type not in own)
    conditions = decide_conditions(
        pod.spec,
        phase,
        (),
        statuses,
        foreign,
        sandbox_ready=given.get("sandboxReady", False),
        now_ms=0,
    )
    return PodStatus(
        phase,
        conditions,
        statuses,
        reason=(previous.reason or pod.status.reason) if is_kept else "",
        message=(previous.message or pod.status.message) if is_kept else "",
        qos_class=decide_qos_class(pod.spec),
    )


def _dated(metadata: dict[str, Any]) -> dict[str, Any]:
    # Only whether a time is set matters here.
    return {
        key: "2024-01-31T12:00:00Z" if key.endswith("Timestamp") else value
        for key, value in metadata.items()
        if value is not None
    }


@pytest.mark.parametrize("case", load_cases("pod_status_generation"))
def test_pod_status_generation(case: Case) -> None:
    expect = dict(case["expect"])
    seen = _generate(case["input"]).to_json()
    # PodScheduled is the scheduler's here, the kubelet only keeps it.
    wanted = [one for one in expect.pop("conditions", []) if one["type"] != "PodScheduled"]
    conditions = {one["type"]: one for one in seen.get("conditions") or []}
    for one in wanted:
        assert _holds(one, conditions.get(one["type"])), (one, conditions.get(one["type"]))
    assert _holds(expect, {"reason": "", "message": "", **seen}), seen
