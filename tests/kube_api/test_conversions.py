"""Objects as they are shown and as they are read, where that differs from what is stored."""

from typing import Any

import pytest

from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.kube_api.describing.conversions import to_served, to_stored

PODS = list_built_in()["", "v1", "pods"]
STORED: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "default"},
    "spec": {
        "containers": [
            {
                "name": "app",
                "volumeMounts": [
                    {"name": "data", "mountPath": "/data", "subPath": "a"},
                    {"name": "token", "mountPath": "/token", "readOnly": True},
                    {"name": "deep", "mountPath": "/d", "readOnly": True, "recursiveReadOnly": "IfPossible"},
                ],
            },
            {"name": "bare"},
        ]
    },
    "status": {
        "conditions": [{"type": "Ready", "status": "False"}],
        "containerStatuses": [{"name": "app", "ready": True}, {"name": "bare", "ready": False}],
    },
}
MADE: dict[str, Any] = {
    **STORED,
    "status": {
        **STORED["status"],
        "containerStatuses": [
            {"name": "app", "containerID": "containerd://1", "resources": {"requests": {"cpu": "1"}}},
            {"name": "bare", "containerID": "containerd://2"},
        ],
    },
}


def test_a_containers_status_tells_its_mounts() -> None:
    """As a kubelet of v1.35.6 does (RecursiveReadOnlyMounts)."""
    told = to_served(PODS, STORED)["status"]["containerStatuses"]
    assert told == [
        {
            "name": "app",
            "ready": True,
            "volumeMounts": [
                {"name": "data", "mountPath": "/data"},
                {"name": "token", "mountPath": "/token", "readOnly": True, "recursiveReadOnly": "Disabled"},
                {"name": "deep", "mountPath": "/d", "readOnly": True, "recursiveReadOnly": "Enabled"},
            ],
        },
        {"name": "bare", "ready": False},
    ]


def test_a_container_that_was_made_tells_what_it_was_given_though_it_be_nothing() -> None:
    """As a kubelet of v1.35.6 does; of one that was not made yet it says nothing."""
    told = to_served(PODS, MADE)["status"]["containerStatuses"]
    assert [one.get("resources") for one in told] == [{"requests": {"cpu": "1"}}, {}]
    assert "resources" not in to_served(PODS, STORED)["status"]["containerStatuses"][1]


@pytest.mark.parametrize("stored", [STORED, MADE])
def test_what_is_only_shown_is_not_stored(stored: dict[str, Any]) -> None:
    sent = to_stored(PODS, to_served(PODS, stored))
    assert sent["status"]["containerStatuses"] == stored["status"]["containerStatuses"]
