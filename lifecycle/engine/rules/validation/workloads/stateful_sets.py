"""StatefulSets: claims and names that its pods get, order, strategy, selector and template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..claims import validate_claim_spec
from ..words.field_error import FieldError, forbidden
from ..words.go_structs import show_struct
from ..words.names import check_label
from ..words.part import Part, gathers
from ..words.selectors import validate_int_or_percent
from .workloads import Gates, is_zero, validate_selected_template

_MUTABLE = (
    "replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
)  # fmt: skip


def validate_stateful_set(data: Mapping[str, Any], gates: Gates) -> list[FieldError]:
    """A new one, with what stays for life: the claims, and the Service that names its pods."""
    return _validate(data.get("spec") or {}, gates, is_new=True)


def validate_stateful_set_update(
    old: Mapping[str, Any], new: Mapping[str, Any], gates: Gates
) -> list[FieldError]:
    """A changed one: what it became, then what may not change."""
    before, after = old.get("spec") or {}, new.get("spec") or {}
    return _validate(after, gates, is_new=False) + _validate_change(before, after)


@gathers("spec")
def _validate(spec: Part, gates: Gates, is_new: bool) -> None:
    """In the API server's order."""
    if spec["podManagementPolicy"] not in (None, "", "OrderedReady", "Parallel"):
        spec.refuse("podManagementPolicy", "must be 'OrderedReady' or 'Parallel'")
    _validate_strategy(spec.part("updateStrategy"))
    for field in ("whenDeleted", "whenScaled"):
        spec.part("persistentVolumeClaimRetentionPolicy").choice(field, ("Retain", "Delete"))
    for claim in spec.parts("volumeClaimTemplates") if is_new else ():
        validate_claim_spec(claim.part("spec"))
    spec.counts("replicas", "minReadySeconds")
    spec.part("ordinals").counts("start")
    if is_new:
        spec.text("serviceName", check_label)
    spec.data = _with_claims(spec.data)
    validate_selected_template(spec, gates, "statefulset")


def _validate_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldError]:
    """Most of a StatefulSet's spec stays for life."""
    fields = sorted({*before, *after} - set(_MUTABLE))
    if all(before.get(field) == after.get(field) for field in fields):
        return []
    names = ", ".join(f"'{field}'" for field in _MUTABLE[:-1])
    allowed = f"{names} and '{_MUTABLE[-1]}'"
    return [forbidden("spec", f"updates to statefulset spec for fields other than {allowed} are forbidden")]


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
        shown = show_struct("RollingUpdateStatefulSetStrategy", rolling.data)
        rolling.refuse("", "only allowed for updateStrategy 'RollingUpdate'", shown)
        return
    rolling.counts("partition")
    rolling.apply("maxUnavailable", validate_int_or_percent)
    if rolling["maxUnavailable"] is not None and is_zero(rolling["maxUnavailable"]):
        rolling.refuse("maxUnavailable", "cannot be 0")
