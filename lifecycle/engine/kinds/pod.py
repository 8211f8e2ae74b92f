"""Pod."""

from __future__ import annotations

from typing import Any

from ..objects.pods.container import ContainerState, ContainerStatus
from ..objects.pods.pod import POD_KIND, Pod, PodSpec
from ..objects.pods.status import PodStatus
from ..rules.columns.pods import FORMER_POD_COLUMNS, POD_COLUMNS, summarize_pod
from ..rules.defaults.pods import default_pod, keep_priority
from ..rules.pods.qos import decide_qos_class
from ..rules.serving.conversions import read_pod, show_pod
from ..rules.serving.fields import POD_FIELDS
from ..rules.validation.pods.updates import (
    validate_ephemeral_update,
    validate_new_pod,
    validate_pod_update,
    validate_resize,
)
from .entry import Gates, Json, KindEntry
from .late_checks import late
from .served import ALL, PROXY, STATUS, Form, Served, Subresource


def _qos_of(spec: Json) -> str:
    return decide_qos_class(PodSpec.from_json(dict(spec)))


def _validate_resize(old: Json, new: Json, gates: Gates) -> Any:
    return validate_resize(old, new, gates, _qos_of)


_STREAM = ("create", "get")
_PARTS = {
    "attach": Subresource(_STREAM, "PodAttachOptions"),
    "binding": Subresource(("create",), "Binding"),
    "ephemeralcontainers": Subresource(),
    "eviction": Subresource(("create",), "Eviction", "policy", "v1"),
    "exec": Subresource(_STREAM, "PodExecOptions"),
    "log": Subresource(("get",)),
    "portforward": Subresource(_STREAM, "PodPortForwardOptions"),
    "proxy": Subresource(PROXY, "PodProxyOptions"),
    "resize": Subresource(),
    "status": STATUS,
}

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
    validate_status=late("pods.status", "validate_pod_status"),
    subresources={"ephemeralcontainers": validate_ephemeral_update, "resize": _validate_resize},
    columns=POD_COLUMNS,
    former_columns={34: FORMER_POD_COLUMNS},
    summarize=summarize_pod,
    pod_spec_path=("spec",),
    served=Served(
        parts=_PARTS,
        categories=ALL,
        is_shown_when_deleted=True,
        form=Form(show=show_pod, read=read_pod, fields=POD_FIELDS),
    ),
)
