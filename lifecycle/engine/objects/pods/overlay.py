"""What one pod has of its own, over the template that it shares with its siblings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ..meta import ObjectMeta
from .pod import PodSpec

SPEC_FIELDS = ("affinity", "hostname", "subdomain", "volumes")
"""The fields of a spec that an overlay may set: nothing that is noted once per template depends on them."""


@dataclass(slots=True)
class PodOverlay:
    """Labels, annotations and finalizers beside the template's, and fields (JSON) in place of its spec's."""

    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    finalizers: tuple[str, ...] = ()
    spec: dict[str, Any] = field(default_factory=dict)


def overlay_meta(meta: ObjectMeta, overlay: PodOverlay) -> ObjectMeta:
    """The metadata of a pod of a template with what is its own."""
    added = tuple(one for one in overlay.finalizers if one not in meta.finalizers)
    return meta.replace(
        labels={**meta.labels, **overlay.labels},
        annotations={**meta.annotations, **overlay.annotations},
        finalizers=(*meta.finalizers, *added),
    )


def overlay_spec(base: PodSpec, fields: Mapping[str, Any]) -> PodSpec:
    """The reading of a spec with some fields set anew; containers, notes and all else stay the base's own.

    Raises ValueError for a field that what is noted of the template may depend on.
    """
    if not fields:
        return base
    for name in fields:
        if name not in SPEC_FIELDS:
            raise ValueError(f"spec.{name}: is of the template; one of {', '.join(SPEC_FIELDS)} may differ")
    new = object.__new__(PodSpec)
    vars(new).update(vars(base))
    new.base, new.overlay = base, dict(fields)
    new.raw = {**base.raw, **fields}
    new.read_own_fields()
    return new
