"""Services, configuration and budgets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .field_error import (
    FieldError,
    check_choice,
    check_range,
    duplicate,
    each_invalid,
    invalid,
    required,
    too_long,
)
from .go_structs import show_struct
from .metadata import validate_labels
from .names import check_config_key, check_label
from .probes import validate_port
from .selectors import check_at_most_whole, validate_int_or_percent, validate_selector

CONFIG_MOST_BYTES = 1024 * 1024
SERVICE_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")


def validate_service(spec: Mapping[str, Any]) -> list[FieldError]:
    """Ports that can be told apart, labels that can be selected."""
    errors = check_choice("spec.type", spec.get("type"), SERVICE_TYPES)
    errors += check_choice("spec.sessionAffinity", spec.get("sessionAffinity"), ("ClientIP", "None"))
    errors += validate_labels(spec.get("selector"), "spec.selector")
    ports = spec.get("ports") or ()
    if spec.get("type") == "ExternalName":
        if not spec.get("externalName"):
            errors.append(required("spec.externalName"))
    elif not ports and spec.get("clusterIP") != "None":
        errors.append(required("spec.ports"))
    names = set()
    for index, port in enumerate(ports):
        place = f"spec.ports[{index}]"
        errors += _validate_service_port(port, place, needs_name=len(ports) > 1)
        name = port.get("name")
        if name and name in names:
            errors.append(duplicate(f"{place}.name", name))
        names.add(name)
    return errors


def validate_address_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldError]:
    """A Service keeps the address that it was given."""
    was, wanted = before.get("clusterIP"), after.get("clusterIP")
    if was and wanted and was != wanted:
        return [invalid("spec.clusterIPs[0]", [wanted], "may not change once set")]
    return []


def _validate_service_port(port: Mapping[str, Any], path: str, needs_name: bool) -> list[FieldError]:
    errors = []
    name = port.get("name")
    if name:
        errors += each_invalid(f"{path}.name", name, check_label(name))
    elif needs_name:
        errors.append(required(f"{path}.name"))
    errors += check_range(f"{path}.port", port.get("port") or 0, 1, 65535)
    errors += check_choice(f"{path}.protocol", port.get("protocol"), ("SCTP", "TCP", "UDP"))
    if port.get("targetPort") is not None:
        errors += validate_port(port["targetPort"], f"{path}.targetPort")
    return errors


def validate_config(data: Mapping[str, Any], fields: tuple[str, ...]) -> list[FieldError]:
    """ConfigMap and Secret: keys that can be file names, at most 1 MiB in all."""
    errors = []
    size_bytes = 0
    for field in fields:
        for key, value in sorted((data.get(field) or {}).items()):
            errors += each_invalid(f"{field}[{key}]", key, check_config_key(key))
            size_bytes += len(str(value).encode())
    if size_bytes > CONFIG_MOST_BYTES:
        errors.append(too_long(fields[0], CONFIG_MOST_BYTES))
    return errors


def validate_budget(spec: Mapping[str, Any]) -> list[FieldError]:
    """A PodDisruptionBudget says how many must stay or how many may go, not both."""
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    errors = []
    if least is not None and most is not None:
        shown = show_struct("PodDisruptionBudgetSpec", spec)
        errors.append(invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set"))
    for field in ("minAvailable", "maxUnavailable"):
        errors += validate_int_or_percent(spec.get(field), f"spec.{field}")
        errors += check_at_most_whole(spec.get(field), f"spec.{field}")
    errors += validate_selector(spec.get("selector"), "spec.selector")
    policies = ("AlwaysAllow", "IfHealthyBudget")
    policy = spec.get("unhealthyPodEvictionPolicy")
    return errors + check_choice("spec.unhealthyPodEvictionPolicy", policy, policies)
