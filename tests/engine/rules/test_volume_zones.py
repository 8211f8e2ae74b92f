"""Volumes whose labels say where they are, as the scheduler's plugin VolumeZone reads them."""

from __future__ import annotations

import pytest

from lifecycle.engine.kinds.registry import read_object
from lifecycle.engine.objects.node import Node
from lifecycle.engine.rules.placement.volume_zones import is_in_zone, says_zone

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
OLD_ZONE, OLD_REGION = (f"failure-domain.beta.kubernetes.io/{one}" for one in ("zone", "region"))
HERE = {ZONE: "us-a", REGION: "us"}


@pytest.mark.parametrize(
    "volume, node, is_there",
    [
        pytest.param({}, HERE, True, id="a volume that says nothing"),
        pytest.param({ZONE: "us-a"}, {}, True, id="a node that says nothing"),
        pytest.param({ZONE: "us-a"}, HERE, True, id="the same zone"),
        pytest.param({ZONE: "us-b"}, HERE, False, id="another zone"),
        pytest.param({REGION: "us"}, HERE, True, id="the same region"),
        pytest.param({REGION: "eu", ZONE: "us-a"}, HERE, False, id="another region, the same zone"),
        pytest.param({ZONE: "us-b__us-a"}, HERE, True, id="one of several zones"),
        pytest.param({ZONE: "us-b__us-c"}, HERE, False, id="none of several zones"),
        pytest.param({ZONE: "us-b__"}, HERE, True, id="zones that cannot be read are not asked"),
        pytest.param({OLD_ZONE: "us-a"}, HERE, True, id="a label of old against one of today"),
        pytest.param({OLD_ZONE: "us-b"}, HERE, False, id="a label of old against another one of today"),
        pytest.param({OLD_ZONE: "us-a"}, {OLD_ZONE: "us-a"}, True, id="both of old"),
        pytest.param({ZONE: "us-a"}, {OLD_ZONE: "us-a"}, False, id="today's is not read from that of old"),
        pytest.param({OLD_REGION: "us"}, {ZONE: "us-a"}, False, id="a node that says only its zone"),
    ],
)
def test_a_node_is_where_a_volume_is(volume: dict[str, str], node: dict[str, str], is_there: bool):
    there = read_object(
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v", "labels": volume}}, 0
    )
    here = read_object({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": node}}, 0)
    assert isinstance(here, Node)
    assert is_in_zone(there, here) is is_there
    assert says_zone(there) is bool(volume)
