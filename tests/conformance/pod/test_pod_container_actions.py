"""`pod_container_actions.json`: one sync of a pod, from what its runtime reports to what is done."""

from typing import Any

import pytest

from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.objects.pods.runtime import RuntimeContainer, RuntimePod
from lifecycle.engine.rules.pods.actions import decide_pod_actions
from tests.conformance.cases import Case, load_cases


def _runtime_pod(data: dict[str, Any], spec: PodSpec) -> RuntimePod:
    sandbox = data.get("sandbox") or {}
    containers = {}
    images = {
        one.name: one.image for one in (*spec.init_containers, *spec.containers, *spec.ephemeral_containers)
    }
    for one in data["containers"]:
        name = one["name"]
        image = "another" if one.get("specChanged") else images.get(name, "")
        containers[name] = RuntimeContainer(
            name, one["id"], one["state"], exit_code=one.get("exitCode", 0), image=image
        )
    exists = sandbox.get("exists", False)
    return RuntimePod(
        "sandbox" if exists else "",
        sandbox.get("ready", False),
        sandbox.get("attempt", 0),
        sandbox.get("ip", ""),
        containers,
    )


@pytest.mark.parametrize("case", load_cases("pod_container_actions"))
def test_pod_container_actions(case: Case) -> None:
    given = case["input"]
    spec = PodSpec.from_json(given["pod"]["spec"])
    runtime = _runtime_pod(given["runtime"], spec)
    actions = decide_pod_actions(spec, runtime, probe_results=given["runtime"].get("probeResults") or {})
    assert {
        "killPod": actions.kill_pod,
        "createSandbox": actions.create_sandbox,
        "sandboxAttempt": actions.sandbox_attempt,
        "initContainersToStart": actions.init_containers_to_start,
        "containersToStart": actions.containers_to_start,
        "containersToKill": sorted(one.name for one in actions.containers_to_kill),
        "ephemeralContainersToStart": actions.ephemeral_containers_to_start,
    } == {**case["expect"], "containersToKill": sorted(case["expect"]["containersToKill"])}
