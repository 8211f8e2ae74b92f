"""The managers of an object's fields, as `metadata.managedFields` lists them.

A manager is known by its name, by whether it applies or updates, and by the subresource it wrote to; an
updating one by the version of the API it used too. Times are whole seconds, as texts of the API.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass
from lifecycle.lean_tuples import NamedTuple

from .paths import FieldSet, read_fields, write_fields

Json = dict[str, Any]
APPLY, UPDATE = "Apply", "Update"
FIELDS_TYPE = "FieldsV1"
MOST_UPDATERS = 10
"""So many entries of updates are kept; the oldest beyond that become one."""
ANCIENT = "ancient-changes"
UNKNOWN_MANAGER = "unknown"


class Manager(NamedTuple):
    """Who owns fields. `api_version` is "" for one that applies: it stays the same in all versions."""

    name: str
    operation: str
    api_version: str
    subresource: str


@dataclass(frozen=True, slots=True)
class Share:
    """What a manager owns, in which version of the API, and since when; "" for a time not known."""

    fields: FieldSet
    api_version: str
    time: str = ""


Managers = dict[Manager, Share]


def make_manager(name: str, operation: str, api_version: str, subresource: str) -> Manager:
    """The manager that a request names."""
    version = "" if operation == APPLY else api_version
    return Manager(name or UNKNOWN_MANAGER, operation, version, subresource)


# --- as JSON ----------------------------------------------------------------------------------------------


def is_reset(entries: Any) -> bool:
    """Whether a client forgets all managers so: an empty list, or one entry that says nothing."""
    return isinstance(entries, list) and (not entries or entries == [{}])


def read_managers(entries: Any) -> Managers:
    """What `metadata.managedFields` says. Raises ValueError for what it cannot say."""
    if not isinstance(entries, list):
        raise ValueError("managedFields: a list is wanted")
    return dict(map(_read_entry, entries))


def _read_entry(entry: Any) -> tuple[Manager, Share]:
    if not isinstance(entry, dict) or entry.get("operation") not in (APPLY, UPDATE):
        raise ValueError("operation must be `Apply` or `Update`")
    version = entry.get("apiVersion")
    if not version or not isinstance(version, str):
        raise ValueError("apiVersion must not be empty")
    if entry.get("fieldsType") != FIELDS_TYPE:
        raise ValueError("fieldsType must be FieldsV1")
    name, subresource, time = (str(entry.get(one) or "") for one in ("manager", "subresource", "time"))
    operation = entry["operation"]
    # The name is kept as it is written, also an empty one.
    manager = Manager(name, operation, "" if operation == APPLY else version, subresource)
    return manager, Share(read_fields(entry.get("fieldsV1") or {}), version, time)


def write_managers(managers: Mapping[Manager, Share]) -> list[Json]:
    """`metadata.managedFields`: who applies first, then by time, name, version and subresource."""
    return [_write_entry(manager, managers[manager]) for manager in sorted(managers, key=_order(managers))]


def _order(managers: Mapping[Manager, Share]) -> Any:
    def order(one: Manager) -> tuple[str, ...]:
        share = managers[one]
        return (one.operation, share.time, one.name, share.api_version, one.subresource)

    return order


def _write_entry(manager: Manager, share: Share) -> Json:
    entry = {"manager": manager.name, "operation": manager.operation, "apiVersion": share.api_version}
    if share.time:
        entry["time"] = share.time
    entry |= {"fieldsType": FIELDS_TYPE, "fieldsV1": write_fields(share.fields)}  # type: ignore[dict-item]
    if manager.subresource:
        entry["subresource"] = manager.subresource
    return entry


# --- too many ---------------------------------------------------------------------------------------------


def cap_updaters(managers: Managers) -> Managers:
    """At most MOST_UPDATERS that update: of the oldest, those of one version become one entry.

    The first of a version stays by itself until there is a second; both together are `ancient-changes`, with
    the time of the later.
    """
    updaters = [one for one in managers if one.operation == UPDATE]
    surplus = len(updaters) - MOST_UPDATERS
    if surplus <= 0:
        return managers
    kept, first_of = dict(managers), dict[str, Manager]()
    for manager in sorted(updaters, key=lambda one: (managers[one].time, one)):
        if surplus == 0:
            break
        share = kept[manager]
        version = share.api_version
        if version not in first_of:
            first_of[version] = manager
            continue
        bucket = Manager(ANCIENT, UPDATE, version, "")
        if bucket not in kept:
            kept[bucket] = kept.pop(first_of[version])
        if manager != bucket:
            del kept[manager]
        kept[bucket] = Share(share.fields | kept[bucket].fields, version, share.time)
        surplus -= 1
    return kept
