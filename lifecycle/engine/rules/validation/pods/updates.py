"""What may change on a living pod: by the plain update and by its subresources (VALID-12 to VALID-15)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....objects.pods.container import ALWAYS
from ....objects.pods.pod import MIRROR
from ....releases.gates import is_enabled
from ..words.field_error import FieldError, forbidden, invalid
from ..words.part import Part, gathers
from .containers import RESIZABLE_INIT_GATE, validate_image_text
from .pods import (
    LONGEST_DEADLINE,
    validate_pod_annotations,
    validate_pod_spec,
)

UPDATABLE = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
RESIZABLE = ("cpu", "memory")
RESIZABLE_WHOLE_GATE = "InPlacePodLevelResourcesVerticalScaling"
_GROUPS = ("containers", "initContainers")
_NO_RESIZE_OF_PODS = (
    "resize of pods with pod-level resources is forbidden when"
    " InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled"
)
_RESIZED = ("resources", "resizePolicy")
MIRROR_PATH = f"metadata.annotations[{MIRROR}]"


def validate_pod_update(
    old: Mapping[str, Any], new: Mapping[str, Any], gates: Mapping[str, bool]
) -> list[FieldError]:
    """A plain update of the spec."""
    from ..words.shown_changes import show_change
    from .gates import validate_direction, validate_fewer_gates

    before, after = old.get("spec") or {}, new.get("spec") or {}
    if errors := _validate_mirror(old, new):
        return errors
    errors = validate_pod(new, gates)
    for group in ("containers", "initContainers"):
        if len(before.get(group) or ()) != len(after.get(group) or ()):
            return [*errors, forbidden(f"spec.{group}", "pod updates may not add or remove containers")]
    errors += _validate_deadline(before.get("activeDeadlineSeconds"), after.get("activeDeadlineSeconds"))
    errors += _validate_more_tolerations(before.get("tolerations") or (), after.get("tolerations") or ())
    errors += validate_fewer_gates(before, after)
    is_gated = bool(before.get("schedulingGates"))
    if is_gated:
        errors += validate_direction(before, after)
    changed = [
        field
        for field in sorted({*before, *after})
        if _fixed(before, field, is_gated) != _fixed(after, field, is_gated)
    ]
    if changed:
        errors.append(forbidden("spec", f"{UPDATABLE}\n{show_change(before, after, changed)}"))
    return errors


def _validate_mirror(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FieldError]:
    """A pod is a mirror for life, and of one static pod, or never."""
    former = _shown_by(old)
    if former == _shown_by(new):
        return []
    detail = "may not add mirror pod annotation"
    if former is not None:
        detail = "may not remove or update mirror pod annotation"
    return [forbidden(MIRROR_PATH, detail)]


def _shown_by(pod: Mapping[str, Any]) -> str | None:
    """The static pod that a mirror shows."""
    found: str | None = ((pod.get("metadata") or {}).get("annotations") or {}).get(MIRROR)
    return found


def _fixed(spec: Mapping[str, Any], field: str, is_gated: bool) -> Any:
    """A field without what may change in it; what is left must stay. `is_gated`: before the update."""
    value = spec.get(field)
    match field:
        case "containers" | "initContainers":
            return [{**container, "image": ""} for container in value or ()]
        case "activeDeadlineSeconds" | "tolerations" | "schedulingGates":
            return None
        case "terminationGracePeriodSeconds" if value is not None and value < 0:
            # Only a negative value may be mended, and only to 1.
            return 1
        case "nodeSelector" if is_gated:
            # While gates hold the pod back it has not been looked at: it may still be directed (SGATE).
            return None
        case "affinity" if is_gated:
            return {name: part for name, part in (value or {}).items() if name != "nodeAffinity"} or None
    return value or None


def _validate_deadline(old: int | None, new: int | None) -> list[FieldError]:
    """From unset to positive, or downwards (POD-OBJ-16)."""
    path = "spec.activeDeadlineSeconds"
    if new is None:
        if old is None:
            return []
        return [invalid(path, None, "must not update from a positive integer to nil value")]
    if not 0 <= new <= LONGEST_DEADLINE:
        return [invalid(path, new, f"must be between 0 and {LONGEST_DEADLINE}, inclusive")]
    if old is not None and new > old:
        return [invalid(path, new, "must be less than or equal to previous value")]
    return []


def _validate_more_tolerations(old: Sequence[Any], new: Sequence[Any]) -> list[FieldError]:
    """Tolerations may only be added (POD-OBJ-15)."""
    kept = [_without_seconds(toleration) for toleration in new]
    if any(_without_seconds(toleration) not in kept for toleration in old):
        detail = "existing toleration can not be modified except its tolerationSeconds"
        return [forbidden("spec.tolerations", detail)]
    return []


def _without_seconds(toleration: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in toleration.items() if name != "tolerationSeconds" and value}


def validate_ephemeral_update(
    old: Mapping[str, Any], new: Mapping[str, Any], gates: Mapping[str, bool]
) -> list[FieldError]:
    """The subresource `ephemeralcontainers`: add, but never change or remove (EPHEM-07, EPHEM-10)."""
    from .differences import show_difference

    before, after = old.get("spec") or {}, new.get("spec") or {}
    errors = validate_pod(new, gates)
    kept = {container.get("name"): container for container in after.get("ephemeralContainers") or ()}
    for container in before.get("ephemeralContainers") or ():
        name = container.get("name")
        if name not in kept:
            detail = f'existing ephemeral containers "{name}" may not be removed\n'
            errors.append(forbidden("spec.ephemeralContainers", detail))
        elif kept[name] != container:
            difference = show_difference(container, kept[name])
            detail = f'existing ephemeral containers "{name}" may not be changed\n{difference}'
            errors.append(forbidden("spec.ephemeralContainers", detail))
    return errors


def keep_rest(
    old: Mapping[str, Any], new: Mapping[str, Any], subresource: str, gates: Mapping[str, bool]
) -> dict[str, Any]:
    """The spec of a pod with what a subresource may change of it; what else was given is dropped in silence.

    Containers that a resize adds, takes away or names otherwise stay, for the validation to refuse
    (dropNonResizeUpdates).
    """
    if subresource == "ephemeralcontainers":
        kept = {name: value for name, value in old.items() if name != "ephemeralContainers"}
        added = new.get("ephemeralContainers")
        return {**kept, "ephemeralContainers": added} if added else kept
    groups = {group: (old.get(group) or [], new.get(group) or []) for group in _GROUPS}
    if any(len(before) != len(after) for before, after in groups.values()):
        return dict(new)
    resized = {group: _keep_resized(*pair) for group, pair in groups.items() if group in old}
    kept = {**old, **resized}
    if not is_enabled(gates, RESIZABLE_WHOLE_GATE):
        return kept
    kept.pop("resources", None)
    return {**kept, "resources": new["resources"]} if new.get("resources") else kept


def _keep_resized(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> list[Any]:
    if [one.get("name") for one in before] != [one.get("name") for one in after]:
        return list(after)
    return [
        {name: value for name, value in was.items() if name not in _RESIZED}
        | {name: wanted[name] for name in _RESIZED if name in wanted}
        for was, wanted in zip(before, after, strict=True)
    ]


def validate_resize(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    gates: Mapping[str, bool],
    decide_qos: Callable[[Mapping[str, Any]], str],
) -> list[FieldError]:
    """The subresource `resize`: CPU and memory only, within the same QoS class (RESIZE-04, -05, VALID-15).

    `decide_qos` gives the class of a pod spec; it is the kubelet's rule, handed in from above.
    """
    before, after = Part(old.get("spec"), "spec"), Part(new.get("spec"), "spec")
    after.errors += validate_pod(new, gates)
    if decide_qos(before.data) != decide_qos(after.data):
        former = (old.get("status") or {}).get("qosClass")
        after.refuse("", "Pod QOS Class may not change as a result of resizing", former)
    is_of_pod = before["resources"] or after["resources"]
    if is_of_pod and not is_enabled(gates, RESIZABLE_WHOLE_GATE):
        # A path without a name is written like an empty list.
        after.errors.append(forbidden("[]", _NO_RESIZE_OF_PODS))
        return after.errors
    if is_of_pod:
        _forbid_resize_of_whole(before, after)
    if _is_reordered(before, after):
        return after.errors
    has_init = is_enabled(gates, RESIZABLE_INIT_GATE)
    for group in reversed(_GROUPS):
        for was, wanted in zip(before.parts(group), after.parts(group), strict=True):
            if group == "containers" or has_init or _is_sidecar(was):
                _forbid_removal(was.part("resources"), wanted.part("resources"))
    for group in _GROUPS:
        for was, wanted in zip(before.parts(group), after.parts(group), strict=True):
            if group == "initContainers" and has_init:
                _forbid_changed_init(was, wanted)
            elif detail := _find_immutable(group, was, wanted):
                after.forbid("", detail)
    return after.errors


def _forbid_resize_of_whole(before: Part, after: Part) -> None:
    """What of its resources as a whole a pod may not change (validatePodLevelResourcesResize)."""
    was, wanted = before["resources"], after["resources"]
    if was and not wanted:
        after.forbid("resources", "pod-level resources cannot be removed")
        return
    for group in ("requests", "limits"):
        if set((was or {}).get(group) or ()) - set((wanted or {}).get(group) or ()):
            after.part("resources").forbid(group, f"pod-level resource {group} cannot be removed")
    if _without_resizable(was or {}) != _without_resizable(wanted or {}):
        after.forbid("", "only cpu and memory resources are mutable at pod-level")


def _forbid_changed_init(was: Part, wanted: Part) -> None:
    """What of an init container's resources may not be changed, where any may."""
    former, now = was["resources"] or {}, wanted["resources"] or {}
    has_same_policy = was["resizePolicy"] == wanted["resizePolicy"]
    if not has_same_policy or _without_resizable(former) != _without_resizable(now):
        wanted.forbid("", "only cpu and memory resources for init or sidecar containers are mutable")
    if (former == now and has_same_policy) or _is_sidecar(was):
        return
    for policy in was["resizePolicy"] or ():
        if policy.get("restartPolicy") == "RestartContainer":
            text = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"
            wanted.forbid("", text)


def _is_reordered(before: Part, after: Part) -> bool:
    count = len(after.errors)
    for group in _GROUPS:
        was, wanted = before.parts(group), after.parts(group)
        if len(was) != len(wanted):
            after.forbid(group, f"{group} may not be added or removed on resize")
            continue
        for former, one in zip(was, wanted, strict=True):
            if former["name"] != one["name"]:
                one.forbid("name", f"{group} may not be renamed or reordered on resize")
    return len(after.errors) > count


def _is_sidecar(container: Part) -> bool:
    return bool(container["restartPolicy"] == ALWAYS)


def _forbid_removal(was: Part, wanted: Part) -> None:
    for group in ("requests", "limits"):
        if set(was[group] or ()) - set(wanted[group] or ()):
            wanted.forbid(group, f"resource {group} cannot be removed")


def _find_immutable(group: str, was: Part, wanted: Part) -> str:
    """What of a container's resources a resize may not change, and does."""
    former, now = was["resources"] or {}, wanted["resources"] or {}
    has_same_policy = was["resizePolicy"] == wanted["resizePolicy"]
    if group == "initContainers" and not _is_sidecar(was):
        is_same = former == now and has_same_policy
        return "" if is_same else "resources for non-sidecar init containers are immutable"
    if has_same_policy and _without_resizable(former) == _without_resizable(now):
        return ""
    whose = "resources for sidecar containers" if group == "initContainers" else "resources"
    return f"only cpu and memory {whose} are mutable"


def _without_resizable(resources: Mapping[str, Any]) -> dict[str, Any]:
    amounts = {
        group: {name: value for name, value in (resources.get(group) or {}).items() if name not in RESIZABLE}
        for group in ("limits", "requests")
    }
    return {name: value for name, value in {**resources, **amounts}.items() if value}


def _validate_pod(data: Part, gates: Mapping[str, bool]) -> None:
    """What every pod is held to, a new one and a changed one."""
    spec, metadata = data.part("spec"), data.part("metadata")
    data.errors += validate_pod_annotations(metadata["annotations"], metadata.at("annotations"), gates)
    validate_pod_spec(spec, gates)
    for group in ("containers", "initContainers"):
        for container in spec.parts(group):
            validate_image_text(container)


validate_pod = gathers("")(_validate_pod)


@gathers("")
def validate_new_pod(data: Part, gates: Mapping[str, bool]) -> None:
    """The spec of a pod at its creation."""
    _validate_pod(data, gates)
    spec = data.part("spec")
    if spec["ephemeralContainers"]:
        spec.forbid("ephemeralContainers", "cannot be set on create")
    if spec["schedulingGates"] and spec["nodeName"]:
        spec.forbid("nodeName", "cannot be set until all schedulingGates have been cleared")
    shown = _shown_by(data.data)
    if shown is not None and not spec["nodeName"]:
        data.refuse(MIRROR_PATH, "must set spec.nodeName if mirror pod annotation is set", shown)
