"""Pod."""

from __future__ import annotations

from typing import Any

from ..objects.pods.container import ContainerState, ContainerStatus
from ..objects.pods.pod import POD_KIND, Pod, PodSpec
from ..objects.pods.status import PodStatus
from ..rules.columns.ages import Ages
from ..rules.columns.pods import decide_pod_columns, decide_wide_pod_columns, summarize_pod
from ..rules.defaults.pods import default_pod, keep_priority
from ..rules.pods.qos import decide_qos_class
from ..rules.validation.pods.status import validate_pod_status
from ..rules.validation.pods.updates import (
    validate_ephemeral_update,
    validate_new_pod,
    validate_pod_update,
    validate_resize,
)
from .entry import Gates, Json, KindEntry


def _qos_of(spec: Json) -> str:
    return decide_qos_class(PodSpec.from_json(dict(spec)))


def _read(meta: Json, spec: Json, status: Json, ages: Ages) -> Pod:
    return Pod.from_json({"metadata": meta, "spec": spec, "status": status}, ages.epoch_ms)


def _columns(meta: Json, spec: Json, status: Json, ages: Ages) -> dict[str, Any]:
    return {**decide_pod_columns(_read(meta, spec, status, ages), ages.now_ms)}


def _wide_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> dict[str, Any]:
    return {**decide_wide_pod_columns(_read(meta, spec, status, ages))}


def _validate_resize(old: Json, new: Json, gates: Gates) -> Any:
    return validate_resize(old, new, gates, _qos_of)


POD = KindEntry(
    kind=POD_KIND,
    metadata_looks=2,
    typed=Pod,
    records=(PodStatus, ContainerStatus, ContainerState),
    default_spec=default_pod,
    carry_over=keep_priority,
    drops_status=True,
    is_host_name="the Pod's hostname",
    validate=validate_new_pod,
    validate_update=validate_pod_update,
    validate_status=validate_pod_status,
    subresources={"ephemeralcontainers": validate_ephemeral_update, "resize": _validate_resize},
    columns=_columns,
    wide_columns=_wide_columns,
    summarize=summarize_pod,
    pod_spec_path=("spec",),
)
