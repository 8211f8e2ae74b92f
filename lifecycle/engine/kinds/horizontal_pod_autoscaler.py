"""HorizontalPodAutoscaler."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..releases.gates import is_enabled
from ..rules.columns.workloads import AUTOSCALER_COLUMNS, summarize_end
from ..rules.defaults.others import convert_autoscaler, default_autoscaler, drop_tolerance
from ..rules.serving.autoscalers import show_first, show_second, to_second
from .entry import KindEntry
from .late_checks import late
from .served import ALL, STATUS_ONLY, Form, Served

_validate_autoscaler = late("workloads.autoscalers", "validate_autoscaler")
_validate_autoscaler_status = late("workloads.autoscalers", "validate_autoscaler_status")
_validate_autoscaler_update = late("workloads.autoscalers", "validate_autoscaler_update")
HORIZONTAL_POD_AUTOSCALER = KindEntry(
    kind=Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", True, "hpa"),
    convert=convert_autoscaler,
    default=default_autoscaler,
    default_spec=drop_tolerance,
    drops_status=True,
    validate_spec=lambda spec, gates: _validate_autoscaler(spec, is_enabled(gates, "HPAScaleToZero")),
    validate_update=lambda old, new, gates: _validate_autoscaler_update(
        old, new, is_enabled(gates, "HPAScaleToZero")
    ),
    validate_status=lambda old, new, gates: _validate_autoscaler_status(new.get("status") or {}),
    columns=AUTOSCALER_COLUMNS,
    summarize=summarize_end,
    served=Served(
        parts=STATUS_ONLY,
        categories=ALL,
        form=Form(show=show_second),
        also={("autoscaling", "v1"): Form(show=show_first, read=to_second)},
    ),
)
