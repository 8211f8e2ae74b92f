"""An object of each foreign kind, and one of Kubernetes' own kind of the same name."""

from __future__ import annotations

from typing import Any

FOREIGN = [
    ("serving.knative.dev/v1", "Service", "serving.knative.dev"),
    ("batch.volcano.sh/v1alpha1", "Job", "batch.volcano.sh"),
    ("apps.kruise.io/v1beta1", "StatefulSet", "apps.kruise.io"),
    ("crd.projectcalico.org/v1", "NetworkPolicy", "crd.projectcalico.org"),
    ("crd.projectcalico.org/v1", "Node", "crd.projectcalico.org"),
]
TWO_GATEWAYS = ("gateway.networking.k8s.io/v1", "networking.istio.io/v1")

POD_SPEC = {"containers": [{"name": "app", "image": "nginx:1"}]}
TEMPLATE = {"metadata": {"labels": {"app": "a"}}, "spec": POD_SPEC}
SELECTED = {"selector": {"matchLabels": {"app": "a"}}, "template": TEMPLATE}
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "Service": ("v1", {"ports": [{"port": 80}]}),
    "Job": ("batch/v1", {"template": {"spec": {**POD_SPEC, "restartPolicy": "Never"}}}),
    "StatefulSet": ("apps/v1", SELECTED),
    "NetworkPolicy": ("networking.k8s.io/v1", {"podSelector": {}}),
    "Node": ("v1", {}),
}


def make_foreign(api_version: str, kind: str) -> dict[str, Any]:
    """One that ours of this name would never pass as: no ports, no selector, no template."""
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "same"},
        "spec": {"minAvailable": 3, "tasks": [{"replicas": 2}], "suspend": True},
        "status": {"phase": "Theirs", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def make_ours(kind: str) -> dict[str, Any]:
    """Kubernetes' own, as small as it may be."""
    api_version, spec = OURS[kind]
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "same"}, "spec": spec}
