"""What exec probes cost a node."""

from fractions import Fraction
from typing import Any

import pytest

from lifecycle.engine.rules.pods.probe_load import count_exec_checks, cpu_milli_of
from tests.engine.rules.build import make_pod, make_spec, status

EXEC, HTTP = {"exec": {"command": ["true"]}}, {"httpGet": {"port": 80}}


def a_pod(state: str, started: bool, **probes: Any) -> Any:
    seen = status("app", state, started=started)
    return make_pod(make_spec({"name": "app", **probes}), containers=(seen,))


@pytest.mark.parametrize(
    "state, started, probes, checks",
    [
        pytest.param("running", True, {"livenessProbe": EXEC}, Fraction(1, 10), id="one every ten seconds"),
        pytest.param("running", True, {"livenessProbe": HTTP}, 0, id="requests cost nothing"),
        pytest.param("ContainerCreating", False, {"livenessProbe": EXEC}, 0, id="not running"),
        pytest.param(
            "running",
            False,
            {"startupProbe": {**EXEC, "periodSeconds": 2}, "livenessProbe": EXEC},
            Fraction(1, 2),
            id="starting",
        ),
        pytest.param(
            "running",
            True,
            {"livenessProbe": EXEC, "readinessProbe": {**EXEC, "periodSeconds": 5}},
            Fraction(3, 10),
            id="both",
        ),
    ],
)
def test_checks_a_second_of_a_node(state, started, probes, checks):
    assert count_exec_checks([a_pod(state, started, **probes)]).get("node-1", 0) == checks


@pytest.mark.spec("PROBE-09")
def test_a_hundred_checks_a_second_keep_one_cpu_busy():
    assert cpu_milli_of(Fraction(100)) == 1000
