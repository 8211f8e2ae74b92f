"""The downward API: what a container may be told of its own pod, as environment or files.

Models the kubelet's reading of `fieldRef` and `resourceFieldRef`. Where a container sets no limit for CPU or
memory, the node's allocatable amount stands in. Amounts are divided by the divisor and rounded up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass, field

from ..objects.quantity import parse_quantity

_SUBSCRIPT = late_pattern(r"metadata\.(labels|annotations)\['(.*)'\]\Z")


@dataclass(frozen=True, slots=True)
class PodFields:
    """What the kubelet knows of a pod, its containers (JSON by name) and its node (amounts as quantities)."""

    name: str = ""
    namespace: str = "default"
    uid: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    node_name: str = ""
    service_account_name: str = "default"
    pod_ips: Sequence[str] = ()
    host_ips: Sequence[str] = ()
    allocatable: Mapping[str, str] = field(default_factory=dict)
    containers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def field_value(path: str, fields: PodFields) -> str:
    """The value of a `fieldPath`. Raises KeyError for a path that is none of the documented ones."""
    subscript = _SUBSCRIPT.match(path)
    if subscript is not None:
        values = fields.labels if subscript[1] == "labels" else fields.annotations
        return values.get(subscript[2], "")
    return {
        "metadata.name": fields.name,
        "metadata.namespace": fields.namespace,
        "metadata.uid": fields.uid,
        "metadata.labels": format_map(fields.labels),
        "metadata.annotations": format_map(fields.annotations),
        "spec.nodeName": fields.node_name,
        "spec.serviceAccountName": fields.service_account_name,
        "status.podIP": "".join(fields.pod_ips[:1]),
        "status.podIPs": ",".join(fields.pod_ips),
        "status.hostIP": "".join(fields.host_ips[:1]),
        "status.hostIPs": ",".join(fields.host_ips),
    }[path]


def format_map(values: Mapping[str, str]) -> str:
    """One `key="escaped value"` a line, sorted by key, as the file of a downward API volume."""
    return "\n".join(f"{key}={json.dumps(values[key], ensure_ascii=False)}" for key in sorted(values))


def resource_value(reference: Mapping[str, Any], own: Mapping[str, Any], fields: PodFields) -> str:
    """The value of a `resourceFieldRef` in units of its divisor, rounded up.

    Of the container it names, else of the one that asks, by its JSON.
    """
    container = fields.containers.get(str(reference.get("containerName") or ""), own)
    kind, _, resource = str(reference.get("resource", "")).partition(".")
    divisor = parse_quantity(reference.get("divisor") or "1") or Fraction(1)
    amounts = (container.get("resources") or {}).get(kind) or {}
    amount = amounts.get(resource)
    if amount is None and kind == "requests":
        # A request that is not given is the limit, as the API server's default has it.
        amount = ((container.get("resources") or {}).get("limits") or {}).get(resource, 0)
    elif amount is None:
        amount = fields.allocatable.get(resource, 0)
    value = parse_quantity(amount) / divisor
    return str(-(-value.numerator // value.denominator))
