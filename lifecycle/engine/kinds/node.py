"""Node."""

from __future__ import annotations

from typing import Any

from ..objects.node import NODE_KIND, Node, NodeSpec, NodeStatus, Taint
from ..rules.columns.nodes import LATER_NODE_COLUMNS, NODE_COLUMNS
from ..rules.columns.pods import summarize_node
from ..rules.serving.fields import read_at
from ..rules.validation.nodes import validate_kept_node, validate_node, validate_node_status
from ..rules.validation.words.field_error import FieldError
from .entry import Gates, Json, KindEntry
from .served import PROXY, STATUS, Form, Served, Subresource


def _validate(data: Json, gates: Gates) -> list[FieldError]:
    return validate_node(data)


def _validate_status(_old: Json, new: Json, gates: Gates) -> list[FieldError]:
    return _validate(new, gates) or validate_node_status(new.get("status") or {})


def _list_rows(spec: Json) -> dict[str, Any]:
    taints = ",".join(
        f"{taint.get('key')}={taint.get('value', '')}:{taint.get('effect')}"
        for taint in spec.get("taints") or ()
    )
    return {"unschedulable": bool(spec.get("unschedulable")), "taints": taints or None}


NODE = KindEntry(
    kind=NODE_KIND,
    metadata_looks=2,
    typed=Node,
    records=(NodeSpec, NodeStatus, Taint),
    validate=_validate,
    validate_fixed=validate_kept_node,
    validate_status=_validate_status,
    list_rows=_list_rows,
    summarize=summarize_node,
    columns=NODE_COLUMNS,
    later_columns={36: LATER_NODE_COLUMNS},
    served=Served(
        parts={"proxy": Subresource(PROXY, "NodeProxyOptions"), "status": STATUS},
        registry_name="minions",
        form=Form(fields={"spec.unschedulable": read_at("spec.unschedulable", "false")}),
    ),
)
