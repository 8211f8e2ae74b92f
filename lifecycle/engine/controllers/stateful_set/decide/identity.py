"""Who a pod of a StatefulSet is: its name, labels, volumes and claims, by its ordinal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifecycle.late_patterns import late_pattern

from ....objects.names import REVISION_LABEL
from ....objects.pods.overlay import PodOverlay
from ....objects.pods.pod import Pod
from ....objects.workloads.stateful_set import StatefulSet

POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name"
POD_INDEX_LABEL = "apps.kubernetes.io/pod-index"
HIGHEST_ORDINAL = 2**31 - 1
_NAME = late_pattern(r"(.*)-([0-9]+)")
_MOST_DIGITS = len(str(HIGHEST_ORDINAL))


def split_name(name: str) -> tuple[str, int]:
    """The set that a pod's name tells of, and the ordinal: `web-1` is (web, 1). ("", -1): of none."""
    found = _NAME.fullmatch(name)
    if found is None:
        return "", -1
    digits = found[2].lstrip("0") or "0"
    ordinal = int(digits) if len(digits) <= 10 else HIGHEST_ORDINAL + 1
    return found[1], ordinal if ordinal <= HIGHEST_ORDINAL else -1


def ordinal_of(set_name: str, pod_name: str) -> int | None:
    """The ordinal of a set's member; None for a pod that the set would never have made under that name."""
    stem, _, digits = pod_name.rpartition("-")
    if stem != set_name or not (digits.isascii() and digits.isdecimal()) or len(digits) > _MOST_DIGITS:
        return None
    ordinal = int(digits)
    is_its_spelling = digits[0] != "0" or digits == "0"
    return ordinal if is_its_spelling and ordinal <= HIGHEST_ORDINAL else None


def name_pod(owner: StatefulSet, ordinal: int) -> str:
    """`web-1`"""
    return f"{owner.meta.name}-{ordinal}"


def name_claim(owner: StatefulSet, template: str, ordinal: int) -> str:
    """`www-web-1`"""
    return f"{template}-{owner.meta.name}-{ordinal}"


def make_claim(owner: StatefulSet, number: int, ordinal: int) -> dict[str, Any]:
    """The claim of one pod by a claim template: the template's own, and the labels of the set's selector."""
    spec = owner.spec
    template = spec.claim_templates[number]
    metadata = dict(template.get("metadata") or {})
    labels = {**(metadata.pop("labels", None) or {}), **spec.selector.match_labels}
    metadata |= {
        "name": name_claim(owner, spec.claim_names[number], ordinal),
        "namespace": owner.meta.namespace,
    }
    if labels:
        metadata["labels"] = labels
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": template.get("spec") or {},
    }


def make_overlay(owner: StatefulSet, template_volumes: Any, ordinal: int, revision: str) -> PodOverlay:
    """What a pod has beside its template: who it is, which revision it is of, and its own claims."""
    name = name_pod(owner, ordinal)
    labels = {POD_NAME_LABEL: name, POD_INDEX_LABEL: str(ordinal), REVISION_LABEL: revision}
    fields: dict[str, Any] = {"hostname": name}
    if owner.spec.service_name:
        fields["subdomain"] = owner.spec.service_name
    if owner.spec.claim_names:
        fields["volumes"] = list_volumes(owner, template_volumes or (), ordinal)
    return PodOverlay(labels=labels, spec=fields)


def list_volumes(owner: StatefulSet, template_volumes: Any, ordinal: int) -> list[dict[str, Any]]:
    """The volumes of a pod: a claim takes the place of a volume of its name."""
    names = dict.fromkeys(owner.spec.claim_names)
    claims = [
        {"name": name, "persistentVolumeClaim": {"claimName": name_claim(owner, name, ordinal)}}
        for name in names
    ]
    return claims + [one for one in template_volumes if one.get("name") not in names]


def has_volumes(pod: Pod, set_name: str, templates: Sequence[str], ordinal: int) -> bool:
    """Whether a pod's volumes are those of its claims; `templates`: the set's, by name."""
    claims = {
        volume.get("name"): (volume.get("persistentVolumeClaim") or {}).get("claimName")
        for volume in pod.spec.volumes
    }
    return all(claims.get(name) == f"{name}-{set_name}-{ordinal}" for name in templates)
