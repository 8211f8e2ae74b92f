"""Objects that were written out of a cluster (`kubectl get -o yaml`), made manifests again.

What the server wrote is left out, and so is what a controller will make again from what is given beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Address
from typing import Any

from lifecycle.engine.api.addresses import SERVICE_RANGE
from lifecycle.engine.kinds.job import JOB
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.kinds.service import SERVICE
from lifecycle.engine.objects.kinds import kind_for
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.input.manifests import Document
from lifecycle.input.problems import Skipped, list_names
from lifecycle.lean_dataclasses import replace

OF_SERVER = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "managedFields",
)
"""What of an object's metadata only the API server writes."""
# What an older version of a Deployment or a bound claim is known by, written by the control plane.
_ANNOTATIONS = ("deployment.kubernetes.io/", "pv.kubernetes.io/", "volume.kubernetes.io/")
# What is handed out at creation, by kind, and what ties an object to one of another kind.
_ALLOCATED = {
    "Service": ("clusterIP", "clusterIPs", "healthCheckNodePort"),
    "Job": ("selector",),
    "PersistentVolume": ("claimRef",),
    "Namespace": ("finalizers",),
}
_TIES = {
    "Pod": ("nodeName", NODE_KIND.id),
    "PersistentVolumeClaim": ("volumeName", "PersistentVolume"),
}
_JOB_LABELS = (
    "controller-uid",
    "job-name",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
)
# What a kubelet tells anew, and the taints that a control plane makes of it.
_OF_KUBELET = ("conditions", "volumesInUse", "volumesAttached")
_TAINTS = tuple(
    f"node.kubernetes.io/{name}"
    for name in "not-ready unreachable memory-pressure disk-pressure pid-pressure network-unavailable".split()
)
_TOLD = "Event"
Address = tuple[str, str, str]


def is_export(data: Mapping[str, Any]) -> bool:
    """Whether a server gave this object its uid: nobody writes one."""
    return bool(_metadata_of(data).get("uid"))


def clean(documents: Sequence[Document]) -> tuple[list[Document], list[Skipped], list[str]]:
    """The objects as manifests, those that are left to their owners, and what is assumed of the others."""
    documents, assumed = _leave_addresses(documents)
    exports = [document for document in documents if is_export(document.data)]
    if not exports:
        return list(documents), [], assumed
    given = {_address_of(document.data) for document in documents}
    kept: list[Document] = []
    skipped: list[Skipped] = []
    orphans: list[str] = []
    for document in documents:
        data = document.data
        if not is_export(data):
            kept.append(document)
        elif why := _find_maker(data, given):
            skipped.append(Skipped(document.subject, why))
        else:
            kept.append(replace(document, data=_as_manifest(data, given)))
            if _metadata_of(data).get("ownerReferences"):
                orphans.append(document.subject)
    assumed += [
        f"{_count(exports)} of a cluster: what its server wrote in them is left out"
        " (uid, resourceVersion, managedFields, status, …)"
    ]
    if orphans:
        assumed.append(f"{list_names(orphans)}: the owner is not given, so that they stand alone")
    return kept, skipped, assumed


def _leave_addresses(documents: Sequence[Document]) -> tuple[list[Document], list[str]]:
    """Services without addresses of another cluster's range: they stay in exports that people clean."""
    kept, subjects = [], []
    for document in documents:
        spec = document.data.get("spec")
        is_service = kind_of_json(document.data).id == SERVICE.kind.id and not is_export(document.data)
        if is_service and isinstance(spec, Mapping) and _is_foreign(spec.get("clusterIP")):
            spec = {name: value for name, value in spec.items() if name not in ("clusterIP", "clusterIPs")}
            document = replace(document, data={**document.data, "spec": spec})
            subjects.append(document.subject)
        kept.append(document)
    if not subjects:
        return kept, []
    return kept, [f"{list_names(subjects)}: given another clusterIP, as theirs is not of {SERVICE_RANGE}"]


def _is_foreign(address: Any) -> bool:
    """Whether this is an address, and none that a Service can have here."""
    try:
        return IPv4Address(str(address)) not in SERVICE_RANGE
    except ValueError:
        return False


def _count(exports: Sequence[Document]) -> str:
    return "1 object is an export" if len(exports) == 1 else f"{len(exports)} objects are exports"


def _find_maker(data: Mapping[str, Any], given: set[Address]) -> str:
    """Who will make this object again, or why nobody needs it; "" for one that is to be applied."""
    kind, namespace, name = _address_of(data)
    if kind == _TOLD:
        return "told what happened in another cluster"
    if kind == "Endpoints" and ("Service", namespace, name) in given:
        return f"its Service {name} is given, and makes it"
    for owner, reference in _list_owners(data):
        if reference.get("controller") and owner in given:
            return f"its owner {reference['kind']} {reference['name']} is given, and makes it"
    return ""


def _list_owners(data: Mapping[str, Any]) -> Iterator[tuple[Address, Mapping[str, Any]]]:
    namespace = _address_of(data)[1]
    references = _metadata_of(data).get("ownerReferences")
    for reference in references if isinstance(references, list) else ():
        if not isinstance(reference, Mapping):
            continue
        kind = kind_for(str(reference.get("apiVersion") or ""), str(reference.get("kind") or ""))
        yield (kind.id, namespace if kind.namespaced else "", str(reference.get("name"))), reference


def _as_manifest(data: Mapping[str, Any], given: set[Address]) -> dict[str, Any]:
    """The object without what its server, and the control plane beside it, wrote."""
    kind = kind_of_json(data)
    metadata = {name: value for name, value in _metadata_of(data).items() if name not in OF_SERVER}
    # Their uids are those of another cluster.
    metadata.pop("ownerReferences", None)
    annotations = metadata.get("annotations")
    if isinstance(annotations, Mapping):
        metadata["annotations"] = {
            name: value for name, value in annotations.items() if not name.startswith(_ANNOTATIONS)
        }
    if kind.id == JOB.kind.id:
        metadata = _without_job_labels(metadata)
    found = {**data, "metadata": metadata}
    status = found.pop("status", None)
    if kind.id == NODE_KIND.id:
        found |= _read_node(found.get("spec"), status)
    if isinstance(found.get("spec"), Mapping):
        found["spec"] = _without_allocated(kind.id, found["spec"], given)
    return found


def _read_node(spec: Any, status: Any) -> dict[str, Any]:
    """Its size stands in its status; how it did, and the taints that say so, are of another kubelet."""
    found = {}
    if isinstance(status, Mapping):
        found["status"] = {name: value for name, value in status.items() if name not in _OF_KUBELET}
    if isinstance(spec, Mapping) and isinstance(spec.get("taints"), list):
        taints = [
            one for one in spec["taints"] if not (isinstance(one, Mapping) and one.get("key") in _TAINTS)
        ]
        found["spec"] = {**spec, "taints": taints}
    return found


def _without_allocated(kind: str, spec: Mapping[str, Any], given: set[Address]) -> dict[str, Any]:
    """The spec without what ties the object to its own uid, or to others that are not given."""
    found = dict(spec)
    field, other = _TIES.get(kind, ("", ""))
    if (other, "", str(spec.get(field))) not in given:
        found.pop(field, None)
    # `None` is asked for; an address is given, and a Job's selector names its uid unless its author says so.
    is_wanted = spec.get("clusterIP") == "None" or spec.get("manualSelector")
    for name in () if is_wanted else _ALLOCATED.get(kind, ()):
        found.pop(name, None)
    template = found.get("template")
    if kind == JOB.kind.id and not is_wanted and isinstance(template, Mapping):
        found["template"] = {**template, "metadata": _without_job_labels(_metadata_of(template))}
    return found


def _without_job_labels(metadata: Mapping[str, Any]) -> dict[str, Any]:
    labels = metadata.get("labels")
    if not isinstance(labels, Mapping):
        return dict(metadata)
    return {**metadata, "labels": {name: labels[name] for name in labels if name not in _JOB_LABELS}}


def _metadata_of(data: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = data.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def _address_of(data: Mapping[str, Any]) -> Address:
    kind, metadata = kind_of_json(data), _metadata_of(data)
    namespace = str(metadata.get("namespace") or "default") if kind.namespaced else ""
    return kind.id, namespace, str(metadata.get("name") or "")
