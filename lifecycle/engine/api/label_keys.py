"""`matchLabelKeys`: merges label values of a pod into its selectors, once for all pods of a template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..objects.pods.overlay import PodOverlay, overlay_spec
from ..objects.pods.pod import PodSpec
from ..rules.placement.label_keys import list_label_keys, merge_into_affinity, merge_label_keys


def complete_selectors(data: dict[str, Any]) -> dict[str, Any]:
    """A new pod's JSON, with its `matchLabelKeys` and `mismatchLabelKeys` in its selectors."""
    spec = data.get("spec") or {}
    if not list_label_keys(spec):
        return data
    return {**data, "spec": merge_label_keys(spec, data["metadata"].get("labels") or {})}


def with_label_keys(spec: PodSpec, labels: Mapping[str, str]) -> PodSpec:
    """The same for a pod of a template."""
    notes = spec.notes
    if notes.label_keys is None:
        notes.label_keys = list_label_keys(spec.raw)
    if not notes.label_keys:
        return spec
    values = tuple(labels.get(key) for key in notes.label_keys)
    if notes.narrowed is None or notes.narrowed[0] != values:
        notes.narrowed = values, PodSpec.from_json(merge_label_keys(spec.raw, labels))
    return notes.narrowed[1]


def overlay_narrowed(spec: PodSpec, overlay: PodOverlay, labels: Mapping[str, str]) -> PodSpec:
    """A spec with what is one pod's own, whose affinity takes the place of the template's."""
    own, base = overlay.spec, with_label_keys(spec, labels)
    if base is not spec and "affinity" in own:
        own = {**own, "affinity": merge_into_affinity(own["affinity"], labels)}
    return overlay_spec(base, own)
