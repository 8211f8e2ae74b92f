"""What somebody says of a pod: conditions with names, addresses that are some, its class for life."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words.addresses import check_address
from ..words.field_error import FieldError
from ..words.names import check_qualified, check_subdomain
from ..words.part import Part

_OF_KUBERNETES = ("PodScheduled", "Ready", "Initialized")
_NOT_BELOW_0 = "must be a non-negative integer"


def validate_pod_status(
    old: Mapping[str, Any], new: Mapping[str, Any], gates: Mapping[str, bool]
) -> list[FieldError]:
    """What is written to /status."""
    before, status = old.get("status") or {}, Part(new.get("status"), "status")
    for condition in status.parts("conditions"):
        if (condition["observedGeneration"] or 0) < 0:
            condition.refuse("observedGeneration", _NOT_BELOW_0)
        name = condition["type"] or ""
        if name not in _OF_KUBERNETES:
            # The API server does write it with a capital.
            condition.complain("Type", check_qualified(name), name)
    _validate_nomination(before, status, is_bound=bool((old.get("spec") or {}).get("nodeName")))
    if (status["observedGeneration"] or 0) < 0:
        status.refuse("observedGeneration", _NOT_BELOW_0)
    if (before.get("qosClass") or "") != (status["qosClass"] or ""):
        status.refuse("qosClass", "field is immutable", status["qosClass"] or "")
    addresses = [one.get("ip") or "" for one in status["podIPs"] or ()]
    if status["podIP"] and addresses[:1] != [status["podIP"]]:
        # The one address says more than the list, as it is older.
        addresses = [status["podIP"]]
    for index, address in enumerate(addresses):
        if address:
            status.errors += check_address(status.at(f"podIPs[{index}]"), address)
    return status.errors


def _validate_nomination(before: Mapping[str, Any], status: Part, is_bound: bool) -> None:
    """A node is named for a pod that has none yet."""
    node = status["nominatedNodeName"]
    if not node or node == before.get("nominatedNodeName"):
        return
    status.complain("nominatedNodeName", check_subdomain(node))
    if is_bound:
        status.forbid("nominatedNodeName", "may not be set on pods that are already bound to a node")
