"""Objects as they are shown and as they are read, where that differs from what is stored."""

from typing import Any

from lifecycle.kube_api.built_in import list_built_in
from lifecycle.kube_api.conversions import to_served, to_stored

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


def test_what_is_shown_of_mounts_is_not_stored() -> None:
    sent = to_stored(PODS, to_served(PODS, STORED))
    assert sent["status"]["containerStatuses"] == STORED["status"]["containerStatuses"]
