"""What kubectl prints of configuration, events, leases, devices and components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .column import AGE, UNKNOWN, Column, Fill, Row, wide

Json = Mapping[str, Any]


def _sum_data(*names: str) -> Fill:
    return lambda row: sum(len(row.data.get(name) or ()) for name in names)


SECRET_COLUMNS = (
    Column("Type", lambda row: row.data.get("type", "")),
    Column("Data", _sum_data("data")),
    AGE,
)
FORMER_ACCOUNT_COLUMNS = (Column("Secrets", lambda row: len(row.data.get("secrets") or ())), AGE)
CONFIG_MAP_COLUMNS = (Column("Data", _sum_data("data", "binaryData")), AGE)
LEASE_COLUMNS = (Column("Holder", lambda row: row.spec.get("holderIdentity") or ""), AGE)

# --- events -----------------------------------------------------------------------------------------------


def _first_seen(row: Row) -> str:
    return row.ages.age_of(row.data.get("firstTimestamp") or row.data.get("eventTime")) or UNKNOWN


def _last_seen(row: Row) -> str:
    if row.data.get("series"):
        return row.ages.age_of(row.data["series"].get("lastObservedTime")) or UNKNOWN
    last = row.data.get("lastTimestamp")
    return row.ages.age_of(last) if last else _first_seen(row)


def _count(row: Row) -> int:
    series = row.data.get("series")
    return series.get("count") or 0 if series else row.data.get("count") or 1


def _about(row: Row) -> Json:
    return row.data.get("involvedObject") or {}


def _object(row: Row) -> str:
    kind, name = str(_about(row).get("kind") or "").lower(), _about(row).get("name")
    return f"{kind}/{name}" if name else kind


def _source(row: Row) -> str:
    source = row.data.get("source") or {}
    teller = source.get("component") or row.data.get("reportingComponent") or ""
    place = source.get("host") or row.data.get("reportingInstance") or ""
    return f"{teller}, {place}" if place else teller


EVENT_COLUMNS = (
    Column("Last Seen", _last_seen),
    Column("Type", lambda row: row.data.get("type") or ""),
    Column("Reason", lambda row: row.data.get("reason") or ""),
    Column("Object", _object),
    wide("Subobject", lambda row: _about(row).get("fieldPath") or ""),
    wide("Source", _source),
    Column("Message", lambda row: str(row.data.get("message") or "").strip()),
    wide("First Seen", _first_seen),
    wide("Count", _count),
    Column("Name", lambda row: row.meta.get("name", ""), format="name", priority=1),
)

# --- devices ----------------------------------------------------------------------------------------------


def _claim_state(row: Row) -> str:
    is_going = bool(row.meta.get("deletionTimestamp"))
    states = ["deleted"] if is_going else []
    if row.status.get("allocation"):
        states += ["allocated", *(["reserved"] if row.status.get("reservedFor") else [])]
    elif not is_going:
        states.append("pending")
    return ",".join(states)


RESOURCE_CLAIM_COLUMNS = (Column("State", _claim_state), AGE)
RESOURCE_SLICE_COLUMNS = (
    Column("Node", lambda row: row.spec.get("nodeName") or ""),
    Column("Driver", lambda row: row.spec.get("driver") or ""),
    Column("Pool", lambda row: (row.spec.get("pool") or {}).get("name") or ""),
    AGE,
)

# --- components -------------------------------------------------------------------------------------------


def _health(row: Row) -> Json | None:
    return next((one for one in row.data.get("conditions") or () if one.get("type") == "Healthy"), None)


def _health_text(row: Row) -> str:
    found = _health(row)
    if found is None:
        return "Unknown"
    return "Healthy" if found.get("status") == "True" else "Unhealthy"


COMPONENT_COLUMNS = (
    Column("Status", _health_text),
    Column("Message", lambda row: (_health(row) or {}).get("message", "")),
    Column("Error", lambda row: (_health(row) or {}).get("error", "")),
)

VERDICT_COLUMNS = (
    Column("Well", lambda row: str(bool(row.status.get("well")))),
    Column("Why", lambda row: row.status.get("why", "")),
)
"""Of what the judge says; a resource that Kubernetes does not have."""
