"""Kubernetes' own resources: what the registry of kinds says, and what is stored nowhere."""

from collections.abc import Mapping
from functools import cache

from lifecycle.engine.kinds.entry import KindEntry
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.kinds.registry import list_entries
from lifecycle.engine.kinds.served import Served
from lifecycle.engine.objects.names import RBAC_GROUP
from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.engine.releases.release import Release
from lifecycle.engine.rules.columns.others import COMPONENT_COLUMNS, VERDICT_COLUMNS
from lifecycle.engine.rules.columns.workloads import SCALE_COLUMNS
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.lean_dataclasses import replace

USAGE = "metrics.k8s.io"
"""The group of what a metrics server tells."""
VERDICTS = "verdicts"
"""What the judge says of workloads and of pods by themselves: `kubectl get why`."""
SCALE = Resource("autoscaling", "v1", "scales", "Scale", True, verbs=(), columns=SCALE_COLUMNS)
"""The size of an object, which is a part of it: no path leads to it alone."""
# Answered at once and not stored, or only read.
_ON_DEMAND = (
    Resource(USAGE, "v1beta1", "nodes", "NodeMetrics", False, verbs=("get", "list")),
    Resource(USAGE, "v1beta1", "pods", "PodMetrics", True, verbs=("get", "list")),
    Resource(
        CONTAINER_PROFILE.group,
        "v1alpha1",
        VERDICTS,
        "Verdict",
        True,
        ("why",),
        verbs=("get", "list"),
        singular="verdict",
        columns=VERDICT_COLUMNS,
    ),
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
        columns=COMPONENT_COLUMNS,
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
    RBAC_GROUP,
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
def list_built_in(release: Release = DEFAULT_RELEASE) -> Mapping[Key, Resource]:
    """Resources of Kubernetes' own kinds that a release serves, by (group, version, plural)."""
    found, minor = [*_ON_DEMAND], release.served_minor
    for entry in list_entries():
        if entry.served is not None and entry.first_minor <= minor:
            found += _list_versions(entry, entry.served, minor)
    return {(one.group, one.version, one.name): one for one in found}


def _list_versions(entry: KindEntry, served: Served, minor: int) -> list[Resource]:
    """The resources of a kind, one for each version that it is served in."""
    kind = entry.kind
    if served.kept_until and served.kept_until < minor:
        served = replace(served, kept_as="")
    own = (kind.group, kind.api_version.rpartition("/")[2])
    return [
        Resource(
            group,
            version,
            kind.plural,
            kind.name,
            kind.namespaced,
            kind.short_names,
            served.categories,
            served.verbs,
            served.parts,
            kind.name.lower(),
            storage_version=kind.api_version,
            columns=entry.find_columns(minor),
            warning=entry.warning,
            served=served,
            form=form,
        )
        for (group, version), form in ((own, served.form), *served.also.items())
    ]
