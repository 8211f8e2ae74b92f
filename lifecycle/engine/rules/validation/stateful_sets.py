"""StatefulSets: claims and names that its pods get, order, strategy, selector and template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .claims import validate_claim_spec
from .field_error import FieldError, forbidden
from .go_structs import show_struct
from .names import check_label
from .part import Part, gathers
from .selectors import validate_int_or_percent
from .workloads import Gates, is_zero, validate_selected_template

_MUTABLE = (
    "replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
)  # fmt: skip


@gathers("spec")
def validate_stateful_set(spec: Part, gates: Gates) -> None:
    """What is looked at in new and in changed ones."""
    if spec["podManagementPolicy"] not in (None, "", "OrderedReady", "Parallel"):
        spec.refuse("podManagementPolicy", "must be 'OrderedReady' or 'Parallel'")
    _validate_strategy(spec.part("updateStrategy"))
    for field in ("whenDeleted", "whenScaled"):
        spec.part("persistentVolumeClaimRetentionPolicy").choice(field, ("Retain", "Delete"))
    spec.counts("replicas", "minReadySeconds")
    spec.part("ordinals").counts("start")
    spec.data = _with_claims(spec.data)
    validate_selected_template(spec, gates, "statefulset")


@gathers("spec")
def _validate_for_life(spec: Part) -> None:
    for claim in spec.parts("volumeClaimTemplates"):
        validate_claim_spec(claim.part("spec"))
    spec.text("serviceName", check_label)


def validate_new_stateful_set(data: Mapping[str, Any]) -> list[FieldError]:
    """What stays for life: the claims, and the Service that names its pods."""
    return _validate_for_life(data.get("spec") or {})


def validate_stateful_set_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldError]:
    """Most of a StatefulSet's spec stays for life."""
    fields = sorted({*before, *after} - set(_MUTABLE))
    if all(before.get(field) == after.get(field) for field in fields):
        return []
    names = ", ".join(f"'{field}'" for field in _MUTABLE[:-1])
    allowed = f"{names} and '{_MUTABLE[-1]}'"
    return [forbidden("spec", f"updates to statefulset spec for fields other than {allowed} are forbidden")]


def validate_stateful_set_status(
    old: Mapping[str, Any], new: Mapping[str, Any], gates: Gates
) -> list[FieldError]:
    """Counts that can be: no part is greater than the whole, and collisions are not taken back."""
    return _validate_status(new.get("status") or {}, (old.get("status") or {}).get("collisionCount") or 0)


@gathers("status")
def _validate_status(status: Part, collisions: int) -> None:
    parts = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    status.counts("replicas", *parts, "observedGeneration", "collisionCount")
    for field in parts:
        if (status[field] or 0) > (status["replicas"] or 0):
            status.refuse(field, "cannot be greater than status.replicas")
    if (status["availableReplicas"] or 0) > (status["readyReplicas"] or 0):
        status.refuse("availableReplicas", "cannot be greater than status.readyReplicas")
    if (status["collisionCount"] or 0) < collisions:
        status.refuse("collisionCount", "cannot be decremented", status["collisionCount"] or 0)


def _with_claims(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """The spec whose template is that of the pods it makes: its claims are volumes, each pod's name its own.

    A claim takes the place of a volume of its name. Claims stand first, as in the API server's check.
    """
    template = spec.get("template")
    if template is None:
        return spec
    # The controller gives each pod its own.
    pod = {**(template.get("spec") or {}), "hostname": None, "subdomain": None}
    claimed = spec.get("volumeClaimTemplates") or ()
    names = dict.fromkeys((claim.get("metadata") or {}).get("name") or "" for claim in claimed)
    claims = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
    own = [volume for volume in pod.get("volumes") or () if volume.get("name") not in names]
    return {**spec, "template": {**template, "spec": {**pod, "volumes": claims + own}}}


def _validate_strategy(strategy: Part) -> None:
    if strategy["type"] not in (None, "OnDelete", "RollingUpdate"):
        shown = show_struct("StatefulSetUpdateStrategy", strategy.data)
        strategy.refuse("", "must be 'RollingUpdate' or 'OnDelete'", shown)
    elif strategy["rollingUpdate"] is not None:
        _validate_rolling(strategy)


def _validate_rolling(strategy: Part) -> None:
    rolling = strategy.part("rollingUpdate")
    if strategy["type"] == "OnDelete":
        shown = show_struct("RollingUpdateStatefulSet", rolling.data)
        rolling.refuse("", "only allowed for updateStrategy 'RollingUpdate'", shown)
        return
    rolling.counts("partition")
    rolling.apply("maxUnavailable", validate_int_or_percent)
    if rolling["maxUnavailable"] is not None and is_zero(rolling["maxUnavailable"]):
        rolling.refuse("maxUnavailable", "cannot be 0")
