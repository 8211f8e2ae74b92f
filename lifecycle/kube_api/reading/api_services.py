"""APIServices: one for each group version that is served, as the aggregator registers them.

kube-apiserver/app/aggregator.go and controlplane/apiserver/aggregator.go have the priorities; those of
definitions come from crdregistration_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lifecycle.engine.objects.names import RBAC_GROUP
from lifecycle.engine.objects.times import format_time
from lifecycle.kube_api.describing import resources
from lifecycle.kube_api.describing.built_in import USAGE
from lifecycle.models import Cluster

Json = dict[str, Any]
KIND = "APIService"
_GROUPS = {
    "": 18000,
    "apps": 17800,
    "events.k8s.io": 17750,
    "authentication.k8s.io": 17700,
    "authorization.k8s.io": 17600,
    "autoscaling": 17500,
    "batch": 17400,
    "certificates.k8s.io": 17300,
    "networking.k8s.io": 17200,
    "policy": 17100,
    RBAC_GROUP: 17000,
    "storage.k8s.io": 16800,
    "apiextensions.k8s.io": 16700,
    "admissionregistration.k8s.io": 16700,
    "scheduling.k8s.io": 16600,
    "coordination.k8s.io": 16500,
    "node.k8s.io": 16300,
    "discovery.k8s.io": 16200,
    "resource.k8s.io": 16200,
    "flowcontrol.apiserver.k8s.io": 16100,
}
_VERSIONS = {
    ("", "v1"): 1,
    ("autoscaling", "v2"): 30,
    ("flowcontrol.apiserver.k8s.io", "v1"): 21,
    ("resource.k8s.io", "v1"): 21,
}
_USUAL_VERSION = 15
_DEFINED = {"groupPriorityMinimum": 1000, "versionPriority": 100}
_ADDED = {
    "service": {"name": "metrics-server", "namespace": "kube-system", "port": 443},
    "insecureSkipTLSVerify": True,
    "groupPriorityMinimum": 100,
    "versionPriority": 100,
}
"""A metrics server is somebody else's program, and is reached through a Service."""
_AUTOMANAGED = "kube-aggregator.kubernetes.io/automanaged"
_LOCAL = ("Local", "Local APIServices are always available")
_PASSED = ("Passed", "all checks passed")


def list_api_services(cluster: Cluster) -> Iterator[Json]:
    """One for each group version of a cluster. The registry of groups itself has none."""
    known = {(one.group, one.version) for one in resources.list_all(cluster)}
    for group, version in sorted(known):
        if group != "apiregistration.k8s.io":
            yield _make(cluster, group, version)


def _make(cluster: Cluster, group: str, version: str) -> Json:
    is_local = group != USAGE
    labels = {_AUTOMANAGED: "onstart" if group in _GROUPS else "true"} if is_local else {}
    reason, message = _LOCAL if is_local else _PASSED
    available = {
        "type": "Available",
        "status": "True",
        "reason": reason,
        "message": message,
        "lastTransitionTime": format_time(0, cluster.epoch_ms),
    }
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": KIND,
        "metadata": {"name": f"{version}.{group}"} | ({"labels": labels} if labels else {}),
        "spec": {"version": version} | ({"group": group} if group else {}) | _rank(group, version),
        "status": {"conditions": [available]},
    }


def _rank(group: str, version: str) -> Json:
    if group == USAGE:
        return _ADDED
    if group not in _GROUPS:
        return _DEFINED
    rank = _VERSIONS.get((group, version), _USUAL_VERSION)
    return {"groupPriorityMinimum": _GROUPS[group], "versionPriority": rank}
