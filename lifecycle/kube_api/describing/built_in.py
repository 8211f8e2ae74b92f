"""Kubernetes' own resources: what the registry of kinds says, and what only a surface knows of them."""

from collections.abc import Mapping
from functools import cache

from lifecycle.engine.kinds.registry import list_entries
from lifecycle.kube_api.describing.resource import ALL_VERBS, Part, Resource

_STATUS = Part()
_SCALE = Part(kind="Scale", group="autoscaling", version="v1")
_STREAM = ("create", "get")
_PROXY = ("create", "delete", "get", "patch", "update")
_PARTS: dict[str, dict[str, Part]] = {
    "namespaces": {"finalize": Part(("update",)), "status": _STATUS},
    "nodes": {"proxy": Part(_PROXY, "NodeProxyOptions"), "status": _STATUS},
    "pods": {
        "attach": Part(_STREAM, "PodAttachOptions"),
        "binding": Part(("create",), "Binding"),
        "ephemeralcontainers": Part(),
        "eviction": Part(("create",), "Eviction", "policy", "v1"),
        "exec": Part(_STREAM, "PodExecOptions"),
        "log": Part(("get",)),
        "portforward": Part(_STREAM, "PodPortForwardOptions"),
        "proxy": Part(_PROXY, "PodProxyOptions"),
        "resize": Part(),
        "status": _STATUS,
    },
    "serviceaccounts": {"token": Part(("create",), "TokenRequest", "authentication.k8s.io", "v1")},
    "services": {"proxy": Part(_PROXY, "ServiceProxyOptions"), "status": _STATUS},
    "certificatesigningrequests": {"approval": Part(), "status": _STATUS},
    **{
        name: {"scale": _SCALE, "status": _STATUS}
        for name in ("deployments", "replicasets", "replicationcontrollers", "statefulsets")
    },
    **{
        name: {"status": _STATUS}
        for name in (
            "apiservices",
            "cronjobs",
            "customresourcedefinitions",
            "daemonsets",
            "flowschemas",
            "horizontalpodautoscalers",
            "ingresses",
            "jobs",
            "persistentvolumeclaims",
            "persistentvolumes",
            "poddisruptionbudgets",
            "prioritylevelconfigurations",
            "resourceclaims",
            "resourcequotas",
            "servicecidrs",
            "validatingadmissionpolicies",
            "volumeattachments",
        )
    },
}
_IN_ALL = frozenset(
    "pods replicationcontrollers services daemonsets deployments replicasets statefulsets cronjobs jobs"
    " horizontalpodautoscalers".split()
)
_CATEGORIES = {
    **dict.fromkeys(_IN_ALL, ("all",)),
    "customresourcedefinitions": ("api-extensions",),
    **dict.fromkeys(
        (
            "apiservices",
            "mutatingwebhookconfigurations",
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
            "validatingwebhookconfigurations",
        ),
        ("api-extensions",),
    ),
}
# Never sent to an API server: a node reads it from a file.
_OF_FILES = {"KubeletConfiguration"}
USAGE = "metrics.k8s.io"
"""The group of what a metrics server tells."""
SCALE = Resource("autoscaling", "v1", "scales", "Scale", True, verbs=())
"""The size of an object, which is a part of it: no path leads to it alone."""
# Answered at once and not stored, or only read.
_ON_DEMAND = (
    Resource(USAGE, "v1beta1", "nodes", "NodeMetrics", False, verbs=("get", "list")),
    Resource(USAGE, "v1beta1", "pods", "PodMetrics", True, verbs=("get", "list")),
    Resource("", "v1", "bindings", "Binding", True, verbs=("create",), singular="binding"),
    Resource(
        "",
        "v1",
        "componentstatuses",
        "ComponentStatus",
        False,
        ("cs",),
        verbs=("get", "list"),
        singular="componentstatus",
        warning="v1 ComponentStatus is deprecated in v1.19+",
    ),
    *(
        Resource(
            "authorization.k8s.io",
            "v1",
            f"{kind.lower()}s",
            kind,
            is_namespaced,
            verbs=("create",),
            singular=kind.lower(),
        )
        for kind, is_namespaced in (
            ("LocalSubjectAccessReview", True),
            ("SelfSubjectAccessReview", False),
            ("SelfSubjectRulesReview", False),
            ("SubjectAccessReview", False),
        )
    ),
    *(
        Resource(
            "authentication.k8s.io",
            "v1",
            f"{kind.lower()}s",
            kind,
            False,
            verbs=("create",),
            singular=kind.lower(),
        )
        for kind in ("SelfSubjectReview", "TokenReview")
    ),
)
# Further versions in which a stored kind is served: (group, version) by plural.
_ALSO = {"horizontalpodautoscalers": (("autoscaling", "v1"),), "events": (("events.k8s.io", "v1"),)}
# Groups in the order in which discovery tells of them; others come behind.
GROUPS = (
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
)
Key = tuple[str, str, str]


@cache
def list_built_in() -> Mapping[Key, Resource]:
    """Resources of Kubernetes' own kinds by (group, version, plural)."""
    found = [*_ON_DEMAND]
    for entry in list_entries():
        kind = entry.kind
        if kind.name in _OF_FILES:
            continue
        version = kind.api_version.rpartition("/")[2]
        names = [(kind.group, version), *_ALSO.get(kind.plural, ())]
        verbs = tuple(verb for verb in ALL_VERBS if (kind.plural, verb) != ("namespaces", "deletecollection"))
        found += [
            Resource(
                group,
                served,
                kind.plural,
                kind.name,
                kind.namespaced,
                kind.short_names,
                _CATEGORIES.get(kind.plural, ()),
                verbs,
                _PARTS.get(kind.plural, {}),
                kind.name.lower(),
                storage_version=kind.api_version,
                warning=entry.warning,
            )
            for group, served in names
        ]
    return {(one.group, one.version, one.name): one for one in found}
