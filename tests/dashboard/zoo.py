"""One object of every kind that has a page, in one cluster; a kind that is missing here fails the tests."""

from __future__ import annotations

from typing import Any

from dashboard.addresses import find_page
from lifecycle.engine.kinds import registry
from tests.engine.controllers.door import Door

Json = dict[str, Any]
NAMES = {"Node": "node-1"}
WITH_PAGE = [entry.kind.id for entry in registry.list_entries() if find_page(entry.kind.id, "default", "web")]
"""From the registry: of a kind that gets a page everything here is asked as well."""
WORKLOADS = [entry.kind.id for entry in registry.list_workloads()]
_ENDING = ("Job", "CronJob")
LASTING = [kind for kind in WORKLOADS if kind not in _ENDING]
"""The workloads whose pods are to go on for ever."""
SERVER: Json = {"containers": [{"name": "app", "image": "nginx:1"}]}


def page_of(kind: str) -> str:
    """The address of the page of its object here, below that of its cluster."""
    return find_page(kind, "default", NAMES.get(kind, "web"))


def make_manifest(kind: str, pod: Json | None = None, replicas: int = 2, labels: Json | None = None) -> Json:
    """`web` of a kind; of one with pods they are as `pod` says."""
    labels, pod = labels or {"app": kind.lower()}, pod or SERVER
    template = {"metadata": {"labels": labels}, "spec": pod}
    selector: Json = {"matchLabels": labels}
    specs: dict[str, Json] = {
        "Deployment": {"replicas": replicas, "selector": selector, "template": template},
        "StatefulSet": {
            "replicas": replicas,
            "selector": selector,
            "template": template,
            "serviceName": "web",
            "podManagementPolicy": "Parallel",
        },
        "DaemonSet": {"selector": selector, "template": template},
        "ReplicaSet": {"replicas": replicas, "selector": selector, "template": template},
        "ReplicationController": {"replicas": replicas, "selector": labels, "template": template},
        "Job": {
            "parallelism": replicas,
            "completions": replicas,
            "backoffLimit": 100,
            "template": {"spec": {**pod, "restartPolicy": "OnFailure"}},
        },
        "CronJob": {
            "schedule": "* * * * *",
            "jobTemplate": {"spec": {"template": {"spec": {**pod, "restartPolicy": "OnFailure"}}}},
        },
        "Pod": pod,
        "HorizontalPodAutoscaler": {
            "maxReplicas": 3,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        },
        "PodDisruptionBudget": {"minAvailable": 1, "selector": {"matchLabels": {"app": "deployment"}}},
        "Service": {"selector": {"app": "deployment"}, "ports": [{"port": 80}]},
    }
    group = registry.entry_of_id(kind).kind.api_version
    metadata: Json = {"name": "web", "labels": labels}
    return {"apiVersion": group, "kind": registry.entry_of_id(kind).kind.name, "metadata": metadata} | {
        "spec": specs[kind]
    }


def fill(door: Door, pod: Json | None = None) -> Door:
    """One of each; nodes are there."""
    for kind in WITH_PAGE:
        if kind not in NAMES:
            door.apply(make_manifest(kind, pod))
    return door
