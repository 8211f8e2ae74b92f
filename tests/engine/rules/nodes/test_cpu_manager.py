"""Exclusive CPUs: who gets some, which are kept back, and how a set of CPUs is written."""

import pytest

from lifecycle.engine.objects.pods.container import Container
from lifecycle.engine.rules.nodes.cpu_manager import (
    count_exclusive,
    find_free,
    find_problem,
    find_reserved,
    format_cpus,
    is_static,
    read_cpus,
)


@pytest.mark.parametrize(
    "cpu, qos_class, section, restarts, count",
    [
        pytest.param("2", "Guaranteed", "containers", None, 2, id="whole CPUs"),
        pytest.param("1500m", "Guaranteed", "containers", None, 0, id="a part of one"),
        pytest.param("2", "Burstable", "containers", None, 0, id="not guaranteed"),
        pytest.param("2", "Guaranteed", "initContainers", None, 0, id="an init container"),
        pytest.param("2", "Guaranteed", "initContainers", "Always", 2, id="a sidecar"),
        pytest.param(None, "Guaranteed", "containers", None, 0, id="nothing asked for"),
    ],
)
def test_whole_cpus_of_a_guaranteed_pod_are_its_own(cpu, qos_class, section, restarts, count):
    raw = {"name": "app", "restartPolicy": restarts}
    if cpu is not None:
        raw["resources"] = {"requests": {"cpu": cpu}}
    assert count_exclusive(Container(raw, section), qos_class) == count


@pytest.mark.parametrize(
    "configuration, reserved",
    [
        (None, ()),
        ({"systemReserved": {"cpu": "500m"}}, (0,)),
        ({"systemReserved": {"cpu": "1"}, "kubeReserved": {"cpu": "100m"}}, (0, 1)),
        ({"reservedSystemCPUs": "0,6-7", "systemReserved": {"cpu": "1"}}, (0, 6, 7)),
    ],
)
def test_cpus_are_kept_for_the_system(configuration, reserved):
    assert find_reserved(configuration) == reserved


def test_free_is_what_nobody_has():
    assert find_free(5, {0, 3}) == (1, 2, 4)


@pytest.mark.parametrize("text, cpus", [("0", (0,)), ("0-2,5", (0, 1, 2, 5)), ("3,7-8", (3, 7, 8))])
def test_a_set_of_cpus_reads_as_it_is_written(text, cpus):
    assert (read_cpus(text), format_cpus(cpus)) == (cpus, text)


@pytest.mark.parametrize("text", ["", "a", "3-1", "0-", "-1", "8192"])
def test_what_is_no_range_is_refused(text):
    with pytest.raises(ValueError):
        read_cpus(text)


@pytest.mark.parametrize(
    "configuration, field",
    [
        ({}, None),
        ({"cpuManagerPolicy": "static", "kubeReserved": {"cpu": "1"}}, None),
        ({"cpuManagerPolicy": "static"}, "cpuManagerPolicy"),
        ({"cpuManagerPolicy": "dynamic"}, "cpuManagerPolicy"),
        ({"kubeReserved": {"cpu": "much"}}, "kubeReserved[cpu]"),
        ({"reservedSystemCPUs": "5-1"}, "reservedSystemCPUs"),
    ],
)
def test_a_policy_that_cannot_be_names_its_field(configuration, field):
    problem = find_problem(configuration)
    assert (problem[0] if problem else None) == field


@pytest.mark.parametrize("policy, expected", [("static", True), ("none", False), (None, False)])
def test_only_the_static_policy_hands_out_cpus(policy, expected):
    assert is_static({"cpuManagerPolicy": policy}) is expected
