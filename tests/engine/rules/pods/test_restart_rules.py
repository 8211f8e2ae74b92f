"""Which ends lead to another run."""

from typing import Any

import pytest

from lifecycle.engine.rules.pods.restart_rules import matching_rule, should_restart, should_restart_all
from tests.engine.rules.build import make_spec


def rule(action: str, operator: str, *values: int) -> dict[str, Any]:
    return {"action": action, "exitCodes": {"operator": operator, "values": list(values)}}


@pytest.mark.parametrize(
    "policy, exit_code, expected",
    [
        pytest.param("Always", 0, True, marks=pytest.mark.spec("RPOL-03")),
        pytest.param("Always", 1, True, marks=pytest.mark.spec("RPOL-03")),
        pytest.param("OnFailure", 0, False, marks=pytest.mark.spec("RPOL-04")),
        pytest.param("OnFailure", 1, True, marks=pytest.mark.spec("RPOL-04")),
        pytest.param("Never", 0, False, marks=pytest.mark.spec("RPOL-05")),
        pytest.param("Never", 1, False, marks=pytest.mark.spec("RPOL-05")),
    ],
)
def test_the_pods_policy(policy: str, exit_code: int, expected: bool) -> None:
    spec = make_spec(policy=policy)
    assert should_restart(spec.containers[0], spec, exit_code) is expected


@pytest.mark.parametrize(
    "own, policy, exit_code, expected",
    [("Always", "Never", 0, True), ("OnFailure", "Never", 1, True), ("Never", "Always", 1, False)],
)
@pytest.mark.spec("CRULE-01", "CRULE-02")
def test_the_containers_own_policy_wins(own: str, policy: str, exit_code: int, expected: bool) -> None:
    spec = make_spec({"name": "app", "restartPolicy": own}, policy=policy)
    assert should_restart(spec.containers[0], spec, exit_code) is expected


@pytest.mark.parametrize(
    "exit_code, expected",
    [
        pytest.param(0, False, marks=pytest.mark.spec("RPOL-07", "INIT-10")),
        pytest.param(1, True, marks=pytest.mark.spec("RPOL-06")),
    ],
)
def test_init_containers_of_an_always_pod_run_to_success_once(exit_code: int, expected: bool) -> None:
    spec = make_spec("app", init=("init",))
    assert should_restart(spec.init_containers[0], spec, exit_code) is expected


@pytest.mark.parametrize("exit_code", [0, 1])
@pytest.mark.spec("RPOL-02", "SIDECAR-08", "CRULE-12")
def test_a_sidecar_always_restarts(exit_code: int) -> None:
    spec = make_spec("app", init=("side*",), policy="Never")
    assert should_restart(spec.init_containers[0], spec, exit_code)


@pytest.mark.parametrize(
    "exit_code, index, restarts",
    [(42, 0, True), (7, 1, True), (43, 1, True), (0, None, False)],
)
@pytest.mark.spec("CRULE-06")
def test_the_first_matching_rule_decides(exit_code: int, index: int | None, restarts: bool) -> None:
    rules = [rule("Restart", "In", 42), rule("RestartAllContainers", "NotIn", 0, 42)]
    spec = make_spec({"name": "app", "restartPolicy": "Never", "restartPolicyRules": rules})
    app = spec.containers[0]
    assert matching_rule(app, exit_code) == index
    assert should_restart(app, spec, exit_code) is restarts
    assert should_restart_all(app, exit_code) is (index == 1)
