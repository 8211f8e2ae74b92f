"""HorizontalPodAutoscaler."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..releases.gates import is_enabled
from ..rules.columns.workloads import AUTOSCALER_COLUMNS, summarize_end
from ..rules.defaults.others import convert_autoscaler, default_autoscaler, drop_tolerance
from ..rules.serving.autoscalers import to_first, to_second
from ..rules.validation.workloads.autoscalers import (
    validate_autoscaler,
    validate_autoscaler_status,
    validate_autoscaler_update,
)
from .entry import KindEntry
from .served import ALL, STATUS_ONLY, Form, Served

HORIZONTAL_POD_AUTOSCALER = KindEntry(
    kind=Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", True, "hpa"),
    convert=convert_autoscaler,
    default=default_autoscaler,
    default_spec=drop_tolerance,
    drops_status=True,
    validate_spec=lambda spec, gates: validate_autoscaler(spec, is_enabled(gates, "HPAScaleToZero")),
    validate_update=lambda old, new, gates: validate_autoscaler_update(
        old, new, is_enabled(gates, "HPAScaleToZero")
    ),
    validate_status=lambda old, new, gates: validate_autoscaler_status(new.get("status") or {}),
    columns=AUTOSCALER_COLUMNS,
    summarize=summarize_end,
    served=Served(
        parts=STATUS_ONLY,
        categories=ALL,
        form=Form(show=to_second),
        also={("autoscaling", "v1"): Form(show=to_first, read=to_second)},
    ),
)
