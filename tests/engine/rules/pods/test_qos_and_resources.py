"""QoS classes (S33) and what a pod asks of a node as a whole."""

from typing import Any

import pytest

from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.rules.pods.qos import decide_qos_class
from lifecycle.engine.rules.pods.resources import (
    decide_pod_cgroup,
    effective_limits,
    effective_requests,
    weighed_request,
)
from tests.engine.rules.build import make_spec

FULL = {"cpu": "500m", "memory": "128Mi"}


def sized(name: str, requests: Any = None, limits: Any = None, **fields: Any) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": requests or {}, "limits": limits or {}}, **fields}


@pytest.mark.parametrize(
    "apps, init, expected",
    [
        pytest.param([sized("a", FULL, FULL)], [], "Guaranteed", marks=pytest.mark.spec("QOS-02")),
        pytest.param([sized("a", {"cpu": "250m"})], [], "Burstable", marks=pytest.mark.spec("QOS-03")),
        pytest.param([sized("a", FULL, FULL), sized("b")], [], "Burstable", marks=pytest.mark.spec("QOS-12")),
        pytest.param(
            [sized("a", FULL, FULL)], [sized("i")], "Burstable", marks=pytest.mark.spec("QOS-06", "INIT-32")
        ),
        pytest.param(
            [sized("a", FULL, FULL)],
            [sized("s", restartPolicy="Always")],
            "Burstable",
            marks=pytest.mark.spec("QOS-06", "SIDECAR-18"),
        ),
        pytest.param(
            [sized("a", {}, {"memory": "128Mi"})], [], "Burstable", marks=pytest.mark.spec("QOS-03")
        ),
        pytest.param([sized("a")], [], "BestEffort", marks=pytest.mark.spec("QOS-04")),
        pytest.param(
            [sized("a", {"ephemeral-storage": "1Gi"})], [], "BestEffort", marks=pytest.mark.spec("QOS-04")
        ),
    ],
)
def test_qos_class(apps: list[Any], init: list[Any], expected: str) -> None:
    assert decide_qos_class(make_spec(*apps, init=tuple(init))) == expected


@pytest.mark.parametrize(
    "resources, is_of_pod, expected",
    [
        pytest.param(None, True, "Guaranteed", id="nothing for the pod as a whole"),
        pytest.param({}, True, "BestEffort", id="nothing, and that is said"),
        pytest.param({"limits": {"hugepages-2Mi": "2Mi"}}, True, "BestEffort", id="something else alone"),
        pytest.param({"requests": {"cpu": "1"}}, True, "Burstable", id="one of both"),
        pytest.param({"requests": {"cpu": "1"}}, False, "Guaranteed", id="behind a gate"),
    ],
)
def test_resources_of_the_pod_as_a_whole_decide_alone(resources: Any, is_of_pod: bool, expected: str) -> None:
    spec = make_spec(sized("a", FULL, FULL), **({} if resources is None else {"resources": resources}))
    assert decide_qos_class(spec, is_of_pod) == expected


ASKS = {"containers": [{"name": "a", "resources": {"requests": {"memory": "64"}}}]}
ASKS_NOTHING = {"containers": [{"name": "a"}]}


@pytest.mark.parametrize(
    "spec, weighed, effective",
    [
        pytest.param(ASKS, 64, 64, id="containers"),
        pytest.param({**ASKS, "overhead": {"memory": "8"}}, 72, 72, id="and overhead"),
        pytest.param({**ASKS_NOTHING, "overhead": {"memory": "8"}}, 0, 8, id="overhead alone"),
        pytest.param(
            {**ASKS, "resources": {"requests": {"memory": "128"}}, "overhead": {"memory": "8"}},
            136,
            136,
            id="the pod as a whole",
        ),
        pytest.param({**ASKS, "resources": {"requests": {"cpu": "1"}}}, 0, 64, id="which names another"),
        pytest.param({**ASKS, "resources": {"limits": {"cpu": "1"}}}, 0, 64, id="which limits another"),
    ],
)
def test_what_usage_is_weighed_against_under_pressure(spec: Any, weighed: int, effective: int) -> None:
    assert weighed_request(PodSpec(spec), "memory") == weighed
    assert effective_requests(PodSpec(spec)).get("memory", 0) == effective


CPU = [
    pytest.param([100, 200], [], 300, id="apps add up", marks=pytest.mark.spec("QOS-17", "INIT-28")),
    pytest.param([100], [("i", 300), ("j", 50)], 300, id="highest init", marks=pytest.mark.spec("INIT-27")),
    pytest.param(
        [100], [("s*", 100)], 200, id="sidecar joins the apps", marks=pytest.mark.spec("SIDECAR-17")
    ),
    pytest.param(
        [150], [("s*", 100), ("i", 300)], 400, id="sidecar before init", marks=pytest.mark.spec("SIDECAR-17")
    ),
    pytest.param(
        [150], [("i", 300), ("s*", 100)], 300, id="sidecar after init", marks=pytest.mark.spec("SIDECAR-17")
    ),
]


@pytest.mark.parametrize("apps, init, expected", CPU)
def test_effective_requests(apps: list[int], init: list[tuple[str, int]], expected: int) -> None:
    containers = [sized(f"a{index}", {"cpu": f"{milli}m"}) for index, milli in enumerate(apps)]
    inits = [
        sized(name.rstrip("*"), {"cpu": f"{milli}m"}, **({"restartPolicy": "Always"} if "*" in name else {}))
        for name, milli in init
    ]
    spec = make_spec(*containers, init=tuple(inits))
    assert effective_requests(spec) == {"cpu": expected}
    assert effective_requests(spec) is effective_requests(spec)


def test_overhead_and_pod_level_resources() -> None:
    spec = make_spec(
        sized("a", {"cpu": "100m", "memory": "1Gi"}),
        overhead={"cpu": "10m"},
        resources={"requests": {"cpu": "500m"}},
    )
    assert effective_requests(spec) == {"cpu": 510, "memory": 1 << 30}


@pytest.mark.spec("INIT-27")
def test_an_init_container_without_a_limit_has_the_highest_limit() -> None:
    spec = make_spec(sized("a", {}, FULL), init=(sized("i", {}, {"cpu": "1"}),))
    assert effective_limits(spec) == {"cpu": 1000}


def asking(cpu: str, memory: str, limits: dict[str, str] | None = None) -> dict[str, Any]:
    return {"requests": {"cpu": cpu, "memory": memory}, **({"limits": limits} if limits else {})}


LIMITS = {"cpu": "1", "memory": "128Mi"}


@pytest.mark.spec("INIT-31", "SIDECAR-18")
@pytest.mark.parametrize(
    "init, apps, expected",
    [
        pytest.param([], [{}], {"cpu.shares": 2}, id="nothing asked for"),
        pytest.param([], [asking("250m", "64Mi")], {"cpu.shares": 256}, id="no limits"),
        pytest.param(
            [("", asking("1500m", "32Mi", {"cpu": "2", "memory": "64Mi"}))],
            [asking("250m", "64Mi", LIMITS), asking("250m", "64Mi", LIMITS)],
            # Requests: max(1500, 500); limits: max(2, 1 + 1) CPU, max(64, 256) MiB.
            {"cpu.shares": 1536, "cpu.cfs_quota_us": 200_000, "memory.limit_in_bytes": 256 << 20},
            id="init asks for more CPU",
        ),
        pytest.param(
            [("Always", asking("100m", "32Mi", LIMITS))],
            [asking("250m", "64Mi", LIMITS)],
            {"cpu.shares": 358, "cpu.cfs_quota_us": 200_000, "memory.limit_in_bytes": 256 << 20},
            id="a sidecar adds to the app",
        ),
        pytest.param([("", {})], [asking("250m", "64Mi", LIMITS)], {"cpu.shares": 256}, id="unlimited init"),
    ],
)
def test_the_cgroup_of_a_pod_is_sized_by_what_it_needs_in_effect(
    init: list[tuple[str, dict[str, Any]]], apps: list[dict[str, Any]], expected: dict[str, int]
) -> None:
    spec = PodSpec.from_json(
        {
            "initContainers": [
                {
                    "name": f"init-{number}",
                    "image": "i",
                    "resources": one,
                    **({"restartPolicy": policy} if policy else {}),
                }
                for number, (policy, one) in enumerate(init)
            ],
            "containers": [
                {"name": f"app-{number}", "image": "i", "resources": one} for number, one in enumerate(apps)
            ],
        }
    )
    assert decide_pod_cgroup(spec) == expected
