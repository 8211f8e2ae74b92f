"""How one node stands with a DaemonSet, by the pods on it."""

from typing import Any

import pytest

from lifecycle.engine.controllers.daemon_set.decide.node_state import Rules, decide_node_state
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.workloads.daemon_pods import Fit

RULES = Rules("new", None, 0, False)


def make_pod(name: str, phase: str, going: bool = False) -> Pod:
    meta: dict[str, Any] = {"name": name, "uid": name, "labels": {"controller-revision-hash": "new"}}
    if going:
        meta["deletionTimestamp"] = "1970-01-01T00:00:00Z"
    return Pod.from_json({"metadata": meta, "spec": {"nodeName": "node-1"}, "status": {"phase": phase}})


@pytest.mark.parametrize(
    "phases, fit, failed, succeeded, surplus",
    [
        pytest.param(["Failed"], Fit(True, True), ["0"], [], [], id="a failed pod goes"),
        pytest.param(
            ["Failed", "Failed"], Fit(True, True), ["0"], [], [], id="with the first the back-off begins"
        ),
        pytest.param(
            ["Succeeded", "Succeeded"], Fit(True, True), [], ["0", "1"], [], id="all that succeeded"
        ),
        pytest.param(
            ["Failed", "Failed"], Fit(False, False), [], [], ["0", "1"], id="all where none should be"
        ),
        pytest.param(
            ["Failed", "Running"], Fit(False, True), ["0"], [], [], id="also where none would be made"
        ),
    ],
)
def test_pods_that_have_ended(
    phases: list[str], fit: Fit, failed: list[str], succeeded: list[str], surplus: list[str]
):
    pods = [make_pod(str(number), phase) for number, phase in enumerate(phases)]
    node_state = decide_node_state(pods, fit, RULES, 0)
    assert node_state is not None
    assert (list(node_state.failed), list(node_state.succeeded), list(node_state.surplus)) == (
        failed,
        succeeded,
        surplus,
    )


def test_a_pod_that_goes_is_no_second_failed_one():
    pods = [make_pod("0", "Failed", going=True), make_pod("1", "Failed")]
    node_state = decide_node_state(pods, Fit(True, True), RULES, 0)
    assert node_state is not None and node_state.failed == ("1",)
