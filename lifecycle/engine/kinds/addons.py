"""Kinds of add-ons that scale: they act once their CustomResourceDefinition is there."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.columns.addons import SCALED_OBJECT_COLUMNS, VERTICAL_COLUMNS
from ..rules.validation import addons
from ..rules.validation.addons import check_shape
from .entry import Change, Json, KindEntry


def _check_status(shape: Json) -> Change:
    return lambda old, new, gates: check_shape(new.get("status") or {}, shape, "status")


SCALED_OBJECT = KindEntry(
    kind=Kind("keda.sh/v1alpha1", "ScaledObject", "scaledobjects", True, "so"),
    is_custom=True,
    drops_status=True,
    validate=lambda data, gates: check_shape(data.get("spec"), addons.SCALED_OBJECT),
    validate_status=_check_status(addons.SCALED_OBJECT_STATUS),
    columns=SCALED_OBJECT_COLUMNS,
)
VERTICAL_POD_AUTOSCALER = KindEntry(
    kind=Kind("autoscaling.k8s.io/v1", "VerticalPodAutoscaler", "verticalpodautoscalers", True, "vpa"),
    is_custom=True,
    drops_status=True,
    validate=lambda data, gates: check_shape(data.get("spec"), addons.VERTICAL_POD_AUTOSCALER),
    validate_status=_check_status(addons.VERTICAL_POD_AUTOSCALER_STATUS),
    columns=VERTICAL_COLUMNS,
)
ADDONS = (SCALED_OBJECT, VERTICAL_POD_AUTOSCALER)


def definition_of(entry: KindEntry) -> str:
    """The name of the CustomResourceDefinition that an add-on comes with."""
    return f"{entry.kind.plural}.{entry.kind.group}"
