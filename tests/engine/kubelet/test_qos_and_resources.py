"""QoS classes (S33) and what a pod asks of a node as a whole."""

from typing import Any

import pytest

from lifecycle.engine.kubelet.pod_resources import effective_limits, effective_requests
from lifecycle.engine.kubelet.qos import decide_qos_class

from .build import make_spec

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
