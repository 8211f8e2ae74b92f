"""All kinds there are. Everything generic asks here what is particular to an object's kind.

A new kind is a file beside this one and a line here; one with next to nothing of its own stands in `plain`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ..heart.errors import BadRequest
from ..objects.codec import register_classes
from ..objects.kinds import Kind, kind_for, kind_of_id, register_kind
from ..objects.meta import StoredObject
from ..objects.shortened import shorten
from ..rules.columns.column import AGE
from .addons import ADDONS
from .controller_revision import CONTROLLER_REVISION
from .cron_job import CRON_JOB
from .daemon_set import DAEMON_SET
from .deployment import DEPLOYMENT
from .entry import KindEntry
from .horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from .job import JOB
from .limit_range import LIMIT_RANGE
from .namespace import NAMESPACE
from .node import NODE
from .passive import PASSIVE
from .plain import PLAIN
from .pod import POD
from .pod_disruption_budget import POD_DISRUPTION_BUDGET
from .replica_set import REPLICA_SET
from .replication_controller import REPLICATION_CONTROLLER
from .served import Form
from .service import SERVICE
from .stateful_set import STATEFUL_SET
from .storage import STORAGE

_entries: dict[str, KindEntry] = {}


def register(entry: KindEntry) -> None:
    """Make a kind known."""
    register_kind(entry.kind)
    register_classes((entry.typed, *entry.records), entry.spec_class)
    _entries[entry.kind.id] = entry


# Workloads come first, in the order in which summaries tell of them.
for _entry in (
    DEPLOYMENT,
    STATEFUL_SET,
    DAEMON_SET,
    REPLICA_SET,
    REPLICATION_CONTROLLER,
    JOB,
    CRON_JOB,
    POD,
    NODE,
    NAMESPACE,
    SERVICE,
    LIMIT_RANGE,
    HORIZONTAL_POD_AUTOSCALER,
    POD_DISRUPTION_BUDGET,
    *STORAGE,
    CONTROLLER_REVISION,
    *PLAIN,
    *PASSIVE,
    *ADDONS,
):
    register(_entry)


# --- entries ----------------------------------------------------------------------------------------------


def list_entries() -> list[KindEntry]:
    """All registered kinds, workloads first."""
    return list(_entries.values())


def list_workloads() -> list[KindEntry]:
    """The kinds that are there for their pods."""
    return [entry for entry in _entries.values() if entry.is_workload]


def entry_of(kind: Kind) -> KindEntry:
    """What is particular to a kind; to one that is not registered, nothing."""
    return _entries.get(kind.id) or KindEntry(kind=kind, is_passive=True, is_custom=True, columns=(AGE,))


def entry_of_id(kind_id: str) -> KindEntry:
    """The same, by a kind's id."""
    return _entries.get(kind_id) or entry_of(kind_of_id(kind_id))


def entry_of_json(data: Mapping[str, Any]) -> KindEntry:
    """The same, by `apiVersion` and `kind` of an object. Without `apiVersion`: the registered kind."""
    return entry_of(kind_of_json(data))


def list_forms(kind: Kind) -> Mapping[str, Form]:
    """The versions of its group in which a kind is served, and how each shows its objects."""
    served = entry_of(kind).served
    return {} if served is None else served.list_forms(kind.api_version)


# --- kinds by what they are called ------------------------------------------------------------------------


def kind_of_json(data: Mapping[str, Any]) -> Kind:
    """The kind of an object."""
    return _kind_for(str(data.get("apiVersion") or ""), str(data.get("kind") or ""))


_kind_for = lru_cache(maxsize=1024)(kind_for)


def find_kind(word: str) -> Kind | None:
    """A kind by its name, plural or short name, as kubectl takes them, with or without a group after a dot.

    A kind that is not registered is spelled in full: `Gateway.networking.istio.io`.
    """
    stem, _, group = word.partition(".")
    for entry in _entries.values():
        if stem.lower() in entry.kind.words and group in ("", entry.kind.group):
            return entry.kind
    return kind_of_id(word) if group and stem[:1].isupper() else None


def name_kind(named: Mapping[str, Any], stored: Iterable[str]) -> Kind:
    """The kind that a command names by `kind`, and by `apiVersion` or `group` where it says one.

    Without those a registered kind is meant, or the only one of that name among the ids of those `stored`.
    Raises BadRequest when there are several.
    """
    name, group = str(named.get("kind") or ""), named.get("group")
    if named.get("apiVersion"):
        return kind_of_json(named)
    if isinstance(group, str):
        return kind_for(f"{group}/v1" if group else "v1", name)
    if name in _entries or "." in name:
        return kind_of_id(name)
    found = [one for one in stored if one.partition(".")[0] == name]
    if len(found) > 1:
        raise BadRequest(
            f"kind {shorten(name)} may be {' or '.join(sorted(found))}: say which by its apiVersion"
        )
    return kind_of_id(found[0] if found else name)


def convert(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """An object of whatever version its kind is served in, as one of the version that is stored."""
    entry = entry_of_json(data)
    is_other = entry.convert is not None and data.get("apiVersion") != entry.kind.api_version
    return entry.convert(data) if is_other and entry.convert is not None else data


def read_object(data: dict[str, Any], epoch_ms: int) -> StoredObject:
    """The typed reading of an object's JSON."""
    return entry_of_json(data).typed.from_json(data, epoch_ms)
