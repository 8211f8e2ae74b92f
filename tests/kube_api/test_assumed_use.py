"""Samples as a metrics server takes them: of what has run for a window, on nodes that are ready."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.kube_api.reading.assumed_use import take_samples

Json = dict[str, Any]
NOW_MS = 100_000
MEBIBYTE = 1024 * 1024
READY = {"conditions": [{"type": "Ready", "status": "True"}]}
SILENT = {"conditions": [{"type": "Ready", "status": "Unknown"}]}


def node(name: str = "a", status: Json = READY) -> Json:
    return {"metadata": {"name": name}, "status": status}


def running(name: str, since: str = "1970-01-01T00:01:25Z") -> Json:
    return {"name": name, "state": {"running": {"startedAt": since}}}


def pod(*containers: Json, at: str = "a", **status: Any) -> Json:
    meta = {"name": "web", "namespace": "shop", "uid": "u"}
    return {"metadata": meta, "spec": {"nodeName": at}, "status": {"containerStatuses": containers, **status}}


def known(**uses: tuple[int, int]) -> Json:
    return {"pod": pod(), "at_ms": 90_000, "window_ms": 1_000, "containers": uses}


WAITING = {"name": "app", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}
ENDED = {"name": "app", "state": {"terminated": {"exitCode": 0}}}
A_LITTLE = (1, 8 * MEBIBYTE)


@pytest.mark.parametrize(
    "one, told, uses, assumed",
    [
        pytest.param(pod(running("app")), [], {"app": A_LITTLE}, "1m and 8Mi each of app", id="for a window"),
        pytest.param(pod(running("app", "1970-01-01T00:01:26Z")), [], None, "", id="not for a window yet"),
        pytest.param(pod(WAITING), [], None, "", id="waits"),
        pytest.param(pod(ENDED), [], None, "", id="has ended"),
        pytest.param(pod(running("app"), at="gone"), [], None, "", id="its node is not there"),
        pytest.param(pod({"name": "app", "state": {"running": {}}}), [], None, "", id="since nobody knows"),
        pytest.param(
            pod(WAITING, initContainerStatuses=[running("side")]),
            [],
            {"side": A_LITTLE},
            "1m and 8Mi each of side",
            id="a sidecar alone",
        ),
        pytest.param(pod(running("app")), [known(app=(5, 6))], {"app": (5, 6)}, "", id="known"),
        pytest.param(
            pod(running("app")),
            [known(app=(0, 0))],
            {"app": A_LITTLE},
            "1m and 8Mi each of app",
            id="a script that says of neither",
        ),
        pytest.param(
            pod(running("app"), running("more")),
            [known(app=(5, 6))],
            {"app": (5, 6), "more": A_LITTLE},
            "1m and 8Mi each of more",
            id="known of one container",
        ),
    ],
)
def test_a_pod_has_a_sample(one: Json, told: list[Json], uses: Any, assumed: str) -> None:
    pods = take_samples(told, [one], [node()], NOW_MS, 0).pods
    assert [(sample.uses, sample.assumed) for sample in pods] == ([(uses, assumed)] if uses else [])


def test_a_node_has_a_sample_as_long_as_its_kubelet_answers() -> None:
    nodes = [node(), node("b", SILENT), node("c", {})]
    samples = take_samples([], [pod(running("app"))], nodes, NOW_MS, 0).nodes
    assert [(one.meta["name"], one.total) for one in samples] == [("a", (101, 508 * MEBIBYTE))]
