"""Hooks of single kinds at a write that need the live cluster; rules on the object alone are in `kinds`."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

from ..heart.errors import BadRequest
from ..kinds.namespace import NAMESPACE
from ..kinds.plain import SERVICE_ACCOUNT
from ..kinds.registry import kind_of_json
from ..kinds.service import SERVICE
from ..objects.meta import StoredObject
from ..objects.names import DEFINITION, ROOT_CA
from ..objects.node import NODE_KIND
from ..objects.shortened import shorten
from ..objects.storage import CLAIM, VOLUME
from ..objects.times import format_time
from ..objects.workloads.daemon_set import DAEMON_SET_KIND, TEMPLATE_GENERATION, DaemonSet
from ..objects.workloads.job import JOB_KIND
from ..rules.custom_resources.definition import first_status, list_stored
from ..rules.defaults.nodes import OWN_NUMBERS, register_node
from ..rules.defaults.workloads import label_like_template
from .addresses import with_allocations, with_later_allocations
from .context import Context
from .storage import needed_class, prepare_claim, prepare_volume

Json = dict[str, Any]
_BUNDLE_IS_FOR = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as"
    " the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of"
    " Kubernetes clusters."
)
# Nobody checks it: it says that it is none.
_BUNDLE = f"-----BEGIN CERTIFICATE-----\n{b64encode(b'no certificate').decode()}\n-----END CERTIFICATE-----\n"

# --- stations ---------------------------------------------------------------------------------------------


def complete_new(context: Context, data: Json) -> Json:
    """A new object, valid as it is, with what only the cluster can fill in. Raises Invalid."""
    complete = _COMPLETE_NEW.get(kind_of_json(data).id)
    return data if complete is None else complete(context, data)


def complete_changed(context: Context, old: StoredObject, wanted: Json) -> Json:
    """As `complete_new`, for an object that is there already."""
    complete = _COMPLETE_CHANGED.get(old.kind.id)
    return wanted if complete is None else complete(context, old, wanted)


def list_companions(created: StoredObject) -> list[Json]:
    """Objects that come to be with one, as JSON to be created."""
    make = _COMPANIONS.get(created.kind.id)
    return [] if make is None else make(created)


def list_forerunners(context: Context, new: StoredObject) -> list[Json]:
    """Objects that have to be there before one comes, as JSON to be created."""
    return needed_class(context, new) if new.kind.id == CLAIM else []


def prepare_new(context: Context, new: StoredObject) -> None:
    """Complete an object that is about to be stored, whoever makes it."""
    prepare = _PREPARE.get(new.kind.id)
    if prepare is not None:
        prepare(context, new)


# --- what they ask ----------------------------------------------------------------------------------------


def _register_node(context: Context, data: Json) -> Json:
    now = format_time(context.clock.now_ms, context.clock.epoch_ms)
    name = data["metadata"]["name"]
    address = context.find_machine_address(name)
    machine = {one: context.chance.uid("machine", one, name) for one in OWN_NUMBERS}
    machine["machineID"] = machine["machineID"].replace("-", "")
    machine["kubeletVersion"] = context.release.version
    return register_node(data, context.settings.nodes, now, address, machine)


def _make_own_objects(namespace: StoredObject) -> list[Json]:
    """What every namespace has from its beginning: an account, and what the API server is known by."""
    name = namespace.meta.name
    bundle = {
        "name": ROOT_CA,
        "namespace": name,
        "annotations": {"kubernetes.io/description": _BUNDLE_IS_FOR},
    }
    return [
        {
            "apiVersion": "v1",
            "kind": SERVICE_ACCOUNT.name,
            "metadata": {"name": "default", "namespace": name},
        },
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": bundle, "data": {"ca.crt": _BUNDLE}},
    ]


def _count_template(context: Context, data: Json) -> Json:
    """A new DaemonSet's template is its first, or of the number its maker says. Raises BadRequest."""
    return _with_template_generation(data, max(_read_template_generation(data), 1))


def _count_changed_template(context: Context, old: StoredObject, wanted: Json) -> Json:
    """Every change of the template counts, whatever the writer says of the count. Raises BadRequest."""
    _read_template_generation(wanted)
    assert isinstance(old, DaemonSet), old.key
    current = old.to_json(context.clock.epoch_ms)
    is_changed = (wanted.get("spec") or {}).get("template") != current["spec"].get("template")
    return _with_template_generation(wanted, max(_read_template_generation(current), 1) + is_changed)


def _read_template_generation(data: Json) -> int:
    text = ((data.get("metadata") or {}).get("annotations") or {}).get(TEMPLATE_GENERATION)
    if text is None:
        return 0
    if not (text.isascii() and text.lstrip("-").isdigit() and len(text) <= _LONGEST_NUMBER):
        raise BadRequest(
            f'DaemonSet in version "v1" cannot be handled as a DaemonSet: metadata.annotations'
            f"[{TEMPLATE_GENERATION}]: parsing {shorten(text)}: invalid syntax"
        )
    return int(text)


def _with_template_generation(data: Json, number: int) -> Json:
    metadata = data.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), TEMPLATE_GENERATION: str(number)}
    return {**data, "metadata": {**metadata, "annotations": annotations}}


def _prepare_definition(context: Context, new: StoredObject) -> None:
    new.status = first_status(new.spec)


def _count_stored_versions(_context: Context, _old: StoredObject, wanted: Json) -> Json:
    """Objects may be stored in each version that was the stored one."""
    stored = list_stored(wanted.get("status"), wanted["spec"])
    return {**wanted, "status": {**(wanted.get("status") or {}), "storedVersions": stored}}


_LONGEST_NUMBER = 18
_COMPLETE_NEW: Mapping[str, Callable[[Context, Json], Json]] = {
    NODE_KIND.id: _register_node,
    SERVICE.kind.id: with_allocations,
    DAEMON_SET_KIND.id: _count_template,
    # Those of its template hold what was made of its uid.
    JOB_KIND.id: lambda context, data: label_like_template(data),
}
_COMPLETE_CHANGED: Mapping[str, Callable[[Context, StoredObject, Json], Json]] = {
    SERVICE.kind.id: with_later_allocations,
    DAEMON_SET_KIND.id: _count_changed_template,
    JOB_KIND.id: lambda context, old, wanted: label_like_template(wanted),
    DEFINITION: _count_stored_versions,
}
_PREPARE: Mapping[str, Callable[[Context, StoredObject], None]] = {
    CLAIM: prepare_claim,
    VOLUME: prepare_volume,
    DEFINITION: _prepare_definition,
}
_COMPANIONS: Mapping[str, Callable[[StoredObject], list[Json]]] = {NAMESPACE.kind.id: _make_own_objects}
