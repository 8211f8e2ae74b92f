"""Which preStop hooks a grace period can be seen to cut off."""

import json
from typing import Any

import pytest

from lifecycle.engine.programs.slow_hooks import list_slow_hooks
from tests.engine.kubelet.world import World

SHELL = ["sh", "-c"]


def pod(command: list[str], grace: int | None = None, takes: str | None = None) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "containers": [
            {"name": "app", "image": "busybox:1", "lifecycle": {"preStop": {"exec": {"command": command}}}}
        ]
    }
    if grace is not None:
        spec["terminationGracePeriodSeconds"] = grace
    behavior = {"podline.dev/behavior": json.dumps({"app": {"preStop": {"takes": takes}}})} if takes else {}
    meta = {"name": "web", "namespace": "default", "annotations": behavior}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


@pytest.mark.spec("PRESTOP-06")
@pytest.mark.parametrize(
    "command, grace, takes, warned",
    [
        pytest.param(["sleep", "31"], None, None, "takes 31s, longer than the grace", id="default"),
        pytest.param(["sleep", "30"], None, None, "", id="as long as the grace"),
        pytest.param([*SHELL, "sleep 20; sleep 0.5m"], 45, None, "takes 50s", id="one after another"),
        pytest.param([*SHELL, "nginx -s quit && /bin/sleep 9"], 5, None, "takes 9s", id="after a command"),
        pytest.param(["true"], 5, "6s", "takes 6s, longer than the grace period of 5s", id="as stated"),
        pytest.param(["sleep", "99"], 5, "4s", "", id="stated to be short"),
        pytest.param([*SHELL, "if test -f /x; then sleep 99; fi"], 5, None, "", id="perhaps"),
        pytest.param([*SHELL, "sleep 99 & true"], 5, None, "", id="beside"),
        pytest.param(["sleep", "99"], 0, None, "", id="never run"),
    ],
)
def test_a_hook_longer_than_the_grace_period_is_warned_of(
    command: list[str], grace: int | None, takes: str | None, warned: str
) -> None:
    found = list_slow_hooks(pod(command, grace, takes))
    assert len(found) == bool(warned)
    assert all(one.startswith("spec.containers[0].lifecycle.preStop: ") and warned in one for one in found)


def test_templates_are_looked_at_too_and_the_answer_to_a_command_says_so() -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod(["sleep", "40"])["spec"]}
    answer = World().create(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template},
        }
    )
    assert answer.ok
    (warning,) = answer.warnings
    assert warning.startswith("spec.template.spec.containers[0].lifecycle.preStop: takes 40s")
