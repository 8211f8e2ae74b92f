"""Resources that CustomResourceDefinitions give a cluster."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Max

from lifecycle.engine.kinds.served import SCALE, STATUS, Subresource
from lifecycle.engine.objects.names import DEFINITION
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.describing.version_order import order_versions
from lifecycle.kube_api.printing.custom_columns import read_columns
from lifecycle.models import Cluster, StoredObject

Json = dict[str, Any]
Key = tuple[str, str, str]
GROUP = "apiextensions.k8s.io"
_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
"""In the order in which discovery tells them of custom resources."""
_KEPT = 64
_known: dict[int, tuple[tuple[int, int], dict[Key, Resource]]] = {}
"""By cluster: its definitions' count and latest version, and the resources made of them."""


def of_cluster(cluster: Cluster) -> Mapping[Key, Resource]:
    """A cluster's custom resources by (group, version, plural). Definitions are read when they change."""
    rows = StoredObject.objects.filter(cluster=cluster, kind=DEFINITION, group=GROUP)
    found = rows.aggregate(count=Count("pk"), latest=Max("rv"))
    state = (found["count"], found["latest"] or 0)
    known = _known.get(cluster.pk)
    if known is None or known[0] != state:
        made: dict[Key, Resource] = {}
        if found["count"]:
            for data in rows.filter(deleted_ms=None).order_by("name").values_list("data", flat=True):
                made |= {(one.group, one.version, one.name): one for one in make_resources(data)}
        if len(_known) >= _KEPT:
            _known.clear()
        known = _known[cluster.pk] = (state, made)
    return known[1]


def make_resources(definition: Json) -> list[Resource]:
    """The resources of a definition, one for each version that is served."""
    spec = definition.get("spec") or {}
    names = spec.get("names") or {}
    versions = [one for one in spec.get("versions") or () if isinstance(one, dict)]
    stored = next((one["name"] for one in versions if one.get("storage")), "")
    group = spec.get("group") or ""
    return [
        Resource(
            group,
            version["name"],
            names.get("plural") or "",
            names.get("kind") or "",
            spec.get("scope") != "Cluster",
            tuple(names.get("shortNames") or ()),
            tuple(names.get("categories") or ()),
            parts=_make_parts(version),
            singular=names.get("singular") or "",
            list_kind=names.get("listKind") or "",
            custom=True,
            verbs=_VERBS,
            storage_version=f"{group}/{stored}",
            columns=read_columns(version.get("additionalPrinterColumns")),
            schema=(version.get("schema") or {}).get("openAPIV3Schema"),
            warning=_warn_of(version, spec),
            scale_paths=(version.get("subresources") or {}).get("scale"),
        )
        for version in versions
        if version.get("served")
    ]


def _warn_of(version: Json, spec: Json) -> str:
    """What answers in a deprecated version warn of: what it says, or which later one is none."""
    if not version.get("deprecated"):
        return ""
    if (given := version.get("deprecationWarning")) is not None:
        return str(given)
    group, kind, name = spec.get("group"), (spec.get("names") or {}).get("kind"), version["name"]
    kept = [one["name"] for one in spec["versions"] if one.get("served") and not one.get("deprecated")]
    ordered = order_versions([*kept, name])
    better = ordered[: ordered.index(name)]
    instead = f"; use {group}/{better[0]} {kind}" if better else ""
    return f"{group}/{name} {kind} is deprecated{instead}"


def _make_parts(version: Json) -> dict[str, Subresource]:
    given = version.get("subresources") or {}
    parts = {"status": STATUS} if given.get("status") is not None else {}
    return parts | ({"scale": SCALE} if given.get("scale") else {})
