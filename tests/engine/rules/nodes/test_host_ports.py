"""Ports of a node, by the scheduler's filter NodePorts."""

from __future__ import annotations

import pytest

from lifecycle.engine.objects.pods.pod import HostPort, PodSpec
from lifecycle.engine.rules.placement.host_ports import has_clash, list_host_ports


@pytest.mark.parametrize(
    "wanted, taken, expected",
    [
        pytest.param(("TCP", "0.0.0.0", 80), ("TCP", "0.0.0.0", 80), True, id="the same"),
        pytest.param(("TCP", "0.0.0.0", 80), ("UDP", "0.0.0.0", 80), False, id="another protocol"),
        pytest.param(("TCP", "0.0.0.0", 80), ("TCP", "0.0.0.0", 81), False, id="another port"),
        pytest.param(("TCP", "10.0.0.1", 80), ("TCP", "10.0.0.2", 80), False, id="another address"),
        pytest.param(("TCP", "10.0.0.1", 80), ("TCP", "0.0.0.0", 80), True, id="all addresses are taken"),
        pytest.param(("TCP", "0.0.0.0", 80), ("TCP", "10.0.0.1", 80), True, id="all addresses are wanted"),
    ],
)
def test_ports_clash(wanted: HostPort, taken: HostPort, expected: bool) -> None:
    assert has_clash([wanted], [taken]) is expected


def test_containers_and_sidecars_take_ports_and_init_containers_do_not() -> None:
    def container(name: str, port: int, **fields: str) -> dict[str, object]:
        return {"name": name, "image": "nginx", "ports": [{"containerPort": 80, "hostPort": port}], **fields}

    spec = PodSpec(
        {
            "initContainers": [container("init", 81), container("side", 82, restartPolicy="Always")],
            "containers": [container("app", 80), {"name": "b", "ports": [{"containerPort": 9}]}],
        }
    )
    assert list_host_ports(spec) == (("TCP", "0.0.0.0", 80), ("TCP", "0.0.0.0", 82))
