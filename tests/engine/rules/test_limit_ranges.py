"""What LimitRanges give to containers and hold against them: the words are those of a v1.35.6 server."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from lifecycle.engine.rules.limits.limit_ranges import fill_limits, find_claim_excess, find_pod_excess

Json = dict[str, Any]


def limits(text: str) -> Json:
    found: Json = {"limits": yaml.safe_load(text)}
    return found


def pod(*resources: str, init: tuple[str, ...] = (), **spec: Any) -> Json:
    """Containers `a`, `b`, …; init containers `i`, `j`, …, those with `side: ` before them as sidecars."""
    return {
        "containers": [_container("abc"[at], text) for at, text in enumerate(resources)],
        "initContainers": [_container("ijk"[at], text) for at, text in enumerate(init)],
        **spec,
    }


def _container(name: str, text: str) -> Json:
    bare = text.removeprefix("side: ")
    always = {"restartPolicy": "Always"} if bare != text else {}
    return {"name": name, "resources": yaml.safe_load(bare or "{}"), **always}


USUAL = limits(
    "[{type: Container, default: {cpu: 500m, memory: 512Mi}, defaultRequest: {cpu: 100m, memory: 32Mi}}]"
)
PLUGIN = "LimitRanger plugin set: "


@pytest.mark.parametrize(
    "spec, expected, told",
    [
        pytest.param(
            pod(""),
            ["{limits: {cpu: 500m, memory: 512Mi}, requests: {cpu: 100m, memory: 32Mi}}"],
            PLUGIN + "cpu, memory request for container a; cpu, memory limit for container a",
            id="a container that says nothing",
        ),
        pytest.param(
            # The API server has made the request of the limit before.
            pod("{limits: {cpu: 250m}, requests: {cpu: 250m}}"),
            ["{limits: {cpu: 250m, memory: 512Mi}, requests: {cpu: 250m, memory: 32Mi}}"],
            PLUGIN + "memory request for container a; memory limit for container a",
            id="what it says stays",
        ),
        pytest.param(
            pod("{limits: {cpu: '1', memory: 1Gi}, requests: {cpu: '1', memory: 1Gi}}", init=("",)),
            [
                "{limits: {cpu: '1', memory: 1Gi}, requests: {cpu: '1', memory: 1Gi}}",
                "{limits: {cpu: 500m, memory: 512Mi}, requests: {cpu: 100m, memory: 32Mi}}",
            ],
            PLUGIN + "cpu, memory request for init container i; cpu, memory limit for init container i",
            id="an init container",
        ),
        pytest.param(
            pod("{limits: {cpu: '1', memory: 1Gi}, requests: {cpu: '1', memory: 1Gi}}"),
            ["{limits: {cpu: '1', memory: 1Gi}, requests: {cpu: '1', memory: 1Gi}}"],
            "",
            id="nothing to fill in",
        ),
    ],
)
def test_a_container_gets_what_it_does_not_say(spec: Json, expected: list[str], told: str) -> None:
    filled, text = fill_limits(spec, [USUAL])
    found = [one["resources"] for group in ("containers", "initContainers") for one in filled[group]]
    assert found == [yaml.safe_load(one) for one in expected]
    assert text == told


def test_the_first_limit_range_gives_and_the_last_that_gave_is_noted() -> None:
    second = limits("[{type: Container, default: {cpu: '9', ephemeral-storage: 1024Mi}}]")
    filled, told = fill_limits(pod(""), [USUAL, second, USUAL])
    assert filled["containers"][0]["resources"]["limits"] == {
        "cpu": "500m",
        "memory": "512Mi",
        "ephemeral-storage": "1Gi",
    }
    assert told == PLUGIN + "ephemeral-storage limit for container a"


BOUNDS = limits(
    """
    - {type: Container, max: {cpu: '1', memory: 512Mi}, min: {cpu: 50m}, maxLimitRequestRatio: {cpu: '5'}}
    - {type: Pod, max: {cpu: '2'}}
    """
)
WITHIN = "requests: {cpu: 500m, memory: 32Mi}, limits: {cpu: '1', memory: 512Mi}"


@pytest.mark.parametrize(
    "spec, expected",
    [
        pytest.param(pod(f"{{{WITHIN}}}"), "", id="within all bounds"),
        pytest.param(
            pod("{requests: {cpu: 10m, memory: 32Mi}, limits: {cpu: 500m, memory: 512Mi}}"),
            "[minimum cpu usage per Container is 50m, but request is 10m, cpu max limit to request ratio per"
            " Container is 5, but provided ratio is 50.000000]",
            id="too little, and too far apart",
        ),
        pytest.param(
            pod("{requests: {cpu: 500m}, limits: {cpu: 500m, memory: 1Gi}}"),
            "maximum memory usage per Container is 512Mi, but limit is 1Gi",
            id="a limit above the maximum",
        ),
        pytest.param(
            pod("{requests: {cpu: 100m}, limits: {cpu: '1', memory: 32Mi}}"),
            "cpu max limit to request ratio per Container is 5, but provided ratio is 10.000000",
            id="too far apart",
        ),
        pytest.param(
            pod(f"{{{WITHIN}}}", f"{{{WITHIN}}}", f"{{{WITHIN}}}"),
            "maximum cpu usage per Pod is 2, but limit is 3",
            id="the sum of a pod",
        ),
        pytest.param(
            pod(
                f"{{{WITHIN}}}",
                init=("{requests: {cpu: '4'}, limits: {cpu: '4', memory: 1Mi}}",),
            ),
            "[maximum cpu usage per Container is 1, but limit is 4, maximum cpu usage per Pod is 2, but limit"
            " is 4]",
            id="an init container",
        ),
        pytest.param(
            pod(f"{{{WITHIN}}}", init=(f"side: {{{WITHIN}}}", f"{{{WITHIN}}}")),
            "",
            id="a sidecar and an init",
        ),
        pytest.param(
            pod(f"{{{WITHIN}}}", f"{{{WITHIN}}}", init=(f"side: {{{WITHIN}}}",)),
            "maximum cpu usage per Pod is 2, but limit is 3",
            id="a sidecar runs beside the others",
        ),
        pytest.param(
            pod(f"{{{WITHIN}}}", resources={"limits": {"cpu": "2500m"}}),
            "maximum cpu usage per Pod is 2, but limit is 2500m",
            id="what the pod as a whole has stands for the sum",
        ),
        pytest.param(
            pod("{}"),
            "[minimum cpu usage per Container is 50m.  No request is specified, maximum cpu usage per"
            " Container is 1.  No limit is specified, maximum memory usage per Container is 512Mi.  No limit"
            " is specified, cpu max limit to request ratio per Container is 5, but no request is specified or"
            " request is 0, maximum cpu usage per Pod is 2.  No limit is specified]",
            id="nothing said at all",
        ),
        pytest.param(
            pod("{requests: {cpu: 50m}, limits: {memory: 1Mi}}"),
            "[maximum cpu usage per Container is 1.  No limit is specified, cpu max limit to request ratio"
            " per Container is 5, but no limit is specified or limit is 0, maximum cpu usage per Pod is 2. "
            " No limit is specified]",
            id="no limit",
        ),
    ],
)
def test_a_pod_stays_within_its_bounds(spec: Json, expected: str) -> None:
    assert find_pod_excess(spec, [BOUNDS]) == expected


def test_the_first_limit_range_that_refuses_speaks() -> None:
    first, second = (limits(f"[{{type: Pod, max: {{cpu: {most}}}}}]") for most in ("3", "2"))
    asks = pod("{limits: {cpu: '4'}}")
    assert find_pod_excess(asks, [first, second]) == "maximum cpu usage per Pod is 3, but limit is 4"


CLAIMS = limits("[{type: PersistentVolumeClaim, max: {storage: 5Gi}, min: {storage: 1Gi}}]")


@pytest.mark.parametrize(
    "requests, expected",
    [
        ({"storage": "2Gi"}, ""),
        ({"storage": "10Gi"}, "maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 10Gi"),
        ({"storage": "1Mi"}, "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi"),
        (
            {},
            "[minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified, maximum"
            " storage usage per PersistentVolumeClaim is 5Gi.  No request is specified]",
        ),
    ],
)
def test_a_claim_stays_within_its_bounds(requests: Json, expected: str) -> None:
    assert find_claim_excess({"resources": {"requests": requests}}, [CLAIMS]) == expected
