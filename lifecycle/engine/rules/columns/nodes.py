"""What kubectl prints of nodes and of namespaces."""

from __future__ import annotations

from .column import AGE, NONE, UNKNOWN, Column, Fill, Row, wide

_ROLE, _OLD_ROLE = "node-role.kubernetes.io/", "kubernetes.io/role"


def _status(row: Row) -> str:
    ready = next((one for one in row.status.get("conditions") or () if one.get("type") == "Ready"), None)
    text = "Unknown" if ready is None else "Ready" if ready.get("status") == "True" else "NotReady"
    return f"{text},SchedulingDisabled" if row.spec.get("unschedulable") else text


def _roles(row: Row) -> str:
    labels = row.meta.get("labels") or {}
    roles = {name.removeprefix(_ROLE) for name in labels if name.startswith(_ROLE) and name != _ROLE}
    roles |= {labels[_OLD_ROLE]} if labels.get(_OLD_ROLE) else set()
    return ",".join(sorted(roles)) or NONE


def _address(type: str) -> Fill:
    """The first address of a type."""

    def fill(row: Row) -> str:
        found = [one.get("address") for one in row.status.get("addresses") or () if one.get("type") == type]
        return found[0] or NONE if found else NONE

    return fill


def _info(name: str, unknown: str = UNKNOWN) -> Fill:
    return lambda row: (row.status.get("nodeInfo") or {}).get(name) or unknown


def _kernel(row: Row) -> str:
    """With the machine's architecture, since v1.36 (kubernetes/kubernetes#132402)."""
    machine = _info("architecture", "")(row)
    return f"{_info('kernelVersion')(row)}{f' ({machine})' if machine else ''}"


NODE_COLUMNS = (
    Column("Status", _status),
    Column("Roles", _roles),
    AGE,
    Column("Version", _info("kubeletVersion", "")),
    wide("Internal-IP", _address("InternalIP")),
    wide("External-IP", _address("ExternalIP")),
    wide("OS-Image", _info("osImage")),
    wide("Kernel-Version", _info("kernelVersion")),
    wide("Container-Runtime", _info("containerRuntimeVersion")),
)
LATER_NODE_COLUMNS = tuple(
    wide(one.name, _kernel) if one.name == "Kernel-Version" else one for one in NODE_COLUMNS
)
NAMESPACE_COLUMNS = (Column("Status", lambda row: row.status.get("phase") or ""), AGE)
