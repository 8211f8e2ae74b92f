"""User namespaces: which nodes can give a pod one, and which ids are still free."""

import pytest

from lifecycle.engine.rules.pods.user_namespaces import find_free_block, wants_one, why_not

BLOCK = 65_536
IDS = "podline.dev/subordinate-user-ids"


@pytest.mark.parametrize(
    "spec, expected", [({}, False), ({"hostUsers": True}, False), ({"hostUsers": False}, True)]
)
def test_a_pod_asks_for_one_by_its_spec(spec, expected):
    assert wants_one(spec) is expected


@pytest.mark.parametrize(
    "info, annotations, volumes, words",
    [
        pytest.param({}, {}, [], "", id="a node that says nothing can"),
        pytest.param(
            {"containerRuntimeVersion": "containerd://1.7.20"}, {}, [], "containerd 1.7.20", id="old"
        ),
        pytest.param({"containerRuntimeVersion": "containerd://2.0.0"}, {}, [], "", id="new"),
        pytest.param({"containerRuntimeVersion": "cri-o://1.24.9"}, {}, [], "CRI-O 1.24.9", id="old CRI-O"),
        pytest.param({"kernelVersion": "5.15.0-91"}, {}, [], "Linux 5.15.0-91", id="old kernel"),
        pytest.param({"kernelVersion": "6.3.0"}, {}, [], "", id="new kernel"),
        pytest.param({}, {"podline.dev/oci-runtime": "crun 1.8"}, [], "crun 1.8", id="old crun"),
        pytest.param({}, {"podline.dev/kubelet-file-system": "zfs"}, [], "is on zfs", id="no shifting"),
        pytest.param({}, {}, [{"name": "data", "nfs": {}}], "volume data is on nfs", id="a volume"),
    ],
)
def test_a_node_that_cannot_says_why(info, annotations, volumes, words):
    found = why_not({"nodeInfo": info}, annotations, volumes)
    assert words in found and bool(found) == bool(words)


@pytest.mark.parametrize(
    "configuration, taken, first",
    [
        pytest.param(None, set(), BLOCK, id="the first"),
        pytest.param(None, {BLOCK, 3 * BLOCK}, 2 * BLOCK, id="the first that is free"),
        pytest.param({"maxPods": 2}, {BLOCK, 2 * BLOCK}, 3 * BLOCK, id="however many pods there may be"),
        pytest.param(None, {*range(BLOCK, 1 << 32, BLOCK)}, None, id="none is left"),
        pytest.param(
            {"metadata": {"annotations": {IDS: f"kubelet:{10 * BLOCK}:{2 * BLOCK}"}}},
            {10 * BLOCK},
            11 * BLOCK,
            id="of the range that is set",
        ),
    ],
)
def test_no_two_pods_of_a_node_share_ids(configuration, taken, first):
    assert find_free_block(configuration, taken) == first
