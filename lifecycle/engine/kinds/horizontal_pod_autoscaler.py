"""HorizontalPodAutoscaler."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.others import default_autoscaler
from ..rules.validation.autoscalers import validate_autoscaler, validate_new_autoscaler
from ..rules.workload_columns import decide_autoscaler_columns, summarize_end
from .entry import KindEntry

HORIZONTAL_POD_AUTOSCALER = KindEntry(
    kind=Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", True, "hpa"),
    default=default_autoscaler,
    validate_new=validate_new_autoscaler,
    validate_spec=lambda spec, gates: validate_autoscaler(spec),
    columns=decide_autoscaler_columns,
    summarize=summarize_end,
)
