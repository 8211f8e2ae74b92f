"""What the kernel tells a container of its ids and of its control group."""

import pytest

from lifecycle.engine.objects.pods.container import Container
from lifecycle.engine.rules.pods.kernel_files import control_group_files, decide_memory_qos, id_files

MEBI = 1 << 20


def app(requests: dict, limits: dict) -> Container:
    return Container({"name": "app", "resources": {"requests": requests, "limits": limits}})


@pytest.mark.parametrize(
    "first_host_id, row", [(None, "0 0 4294967295"), (131_072, "0 131072 65536")], ids=["host", "own"]
)
def test_the_map_of_ids_says_whose_they_are_on_the_node(first_host_id, row):
    found = id_files(first_host_id, 65_536)
    assert found["/proc/self/uid_map"].split() == found["/proc/1/gid_map"].split() == row.split()


@pytest.mark.parametrize(
    "limits, memory, cpu",
    [
        ({}, "max", "max 100000"),
        ({"memory": "64Mi", "cpu": "500m"}, str(64 * MEBI), "50000 100000"),
        ({"cpu": "1m"}, "max", "1000 100000"),
    ],
    ids=["none", "both", "the least quota"],
)
def test_limits_stand_in_the_control_group(limits, memory, cpu):
    found = control_group_files(app({}, limits), "Burstable", 0, False)
    assert (found["/sys/fs/cgroup/memory.max"], found["/sys/fs/cgroup/cpu.max"]) == (
        f"{memory}\n",
        f"{cpu}\n",
    )


@pytest.mark.parametrize(
    "asked, limit, qos_class, low, high",
    [
        pytest.param("100Mi", "200Mi", "Burstable", 100, 190, id="nine tenths of the way"),
        pytest.param("100Mi", None, "Burstable", 100, 910, id="up to the node's memory"),
        pytest.param("100Mi", "100Mi", "Guaranteed", 100, None, id="guaranteed"),
    ],
)
def test_memory_is_protected_and_throttled(asked, limit, qos_class, low, high):
    container = app({"memory": asked}, {"memory": limit} if limit else {})
    found = decide_memory_qos(container, qos_class, 1000 * MEBI)
    assert found == (low * MEBI, high * MEBI if high is not None else None)
