"""Decodes a request, and makes the object that it would store.

A write to /status changes only the status, a write to /scale only the number of replicas, and any other
write all but the status.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..heart.errors import BadRequest, Conflict, RequestEntityTooLarge, Unknown
from ..kinds.defaults import apply_defaults
from ..kinds.registry import convert, entry_of_json, kind_of_json, list_entries, read_object
from ..objects.meta import StoredObject
from ..objects.names import DEFINITION
from ..objects.shortened import shorten
from ..releases.release import Release
from ..rules.limits.sizes import REQUEST_MOST_BYTES, measure_bytes, require_storable
from ..rules.validation.pods.updates import keep_rest
from ..rules.validation.words.field_error import check_not_negative
from ..rules.validation.words.refusal import make_invalid
from ..schema.decode import as_stored_form
from ..schema.decode import decode as decode_fields
from ..schema.go_errors import find_unknown_fields, find_wrong_type
from .options import IGNORE, PLAIN, STRICT, WriteOptions
from .patching.patches import patch_object, refuse_patch
from .scales import SCALE_VERSION

Json = dict[str, Any]
OF_PODS = ("resize", "ephemeralcontainers")
FINALIZE = "finalize"
OF_FEW = (*OF_PODS, FINALIZE)
SCALE = "scale"
SUBRESOURCES = ("status", *OF_PODS, SCALE, FINALIZE)
_OF_A_STORED = ("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation")
_NOT_A_CLIENTS = ("uid", *_OF_A_STORED)


# --- read and decode --------------------------------------------------------------------------------------


def decode(data: Json, release: Release) -> Json:
    """An object as it was sent, read field by field. Raises BadRequest naming one of a wrong type.

    Raises RequestEntityTooLarge for what no request holds, and what etcd says where it cannot be stored.
    """
    size_bytes = measure_bytes(data)
    if size_bytes > REQUEST_MOST_BYTES:
        raise RequestEntityTooLarge(f"Request entity too large: limit is {REQUEST_MOST_BYTES}")
    require_storable(size_bytes)
    kind, version = data["kind"], data["apiVersion"]
    # What is done to an object later goes by its kind, so another version of it has the same fields.
    read_as = entry_of_json(data).kind.api_version
    try:
        decoded = decode_fields(data, release)
        return decoded if read_as == version else _decode_as(decoded, read_as, release)
    except ValueError as problem:
        meta = data.get("metadata")
        name = str(meta.get("name") or "") if isinstance(meta, dict) else ""
        raise BadRequest(f'{kind} "{name}": {problem}', kind, name) from None


def _decode_as(data: Json, version: str, release: Release) -> Json:
    return {**decode_fields({**data, "apiVersion": version}, release), "apiVersion": data["apiVersion"]}


def check_structure(data: Json, options: WriteOptions, release: Release) -> None:
    """Refuse or warn of what a client's text has beside the fields that it may have (`fieldValidation`).

    Raises BadRequest in the API server's words: for a field of a wrong type however it is asked for.
    """
    wrong = find_wrong_type(data, release)
    if wrong:
        raise _make_unhandled(data, wrong)
    refuse_unknown(data, [*options.problems, *find_unknown_fields(data, release)], options)


def refuse_unknown(data: Json, problems: Sequence[str], options: WriteOptions) -> None:
    """Refuse problems of a strict reading, or warn of them, as it was asked for. Raises BadRequest.

    What comes from Podline itself is read as kubectl has files read.
    """
    if problems and options.validation in (STRICT, ""):
        raise _make_unhandled(data, f"strict decoding error: {', '.join(problems)}")
    if options.validation != IGNORE:
        options.warn(problems)


def _make_unhandled(data: Json, why: str) -> BadRequest:
    kind, version = data["kind"], str(data["apiVersion"]).rpartition("/")[2]
    return BadRequest(f'{kind} in version "{version}" cannot be handled as a {kind}: {why}')


def read_new(data: Json, epoch_ms: int, like: StoredObject | None = None) -> StoredObject:
    """A new object, its uid its own, without what no client may say of one.

    `like`: one that was made of the same spec.
    """
    meta = {name: value for name, value in data["metadata"].items() if name not in _OF_A_STORED}
    data = {**data, "metadata": meta}
    if entry_of_json(data).drops_status:
        data.pop("status", None)
    return read_object(data, epoch_ms) if like is None else like.read_like(data, epoch_ms)


# --- what a change would leave ----------------------------------------------------------------------------


def check_address(current: Json, data: Json, subresource: str | None, replicas_path: tuple[str, ...]) -> None:
    """A change is one of this object, and goes where changes go. Raises BadRequest naming the object."""
    check_subresource(current, subresource, replicas_path)
    kind, name = current["kind"], current["metadata"]["name"]
    for field in ("apiVersion", "kind"):
        if data.get(field) != current[field]:
            raise BadRequest(
                f'{kind} "{name}": {field}: must stay {current[field]}, not {shorten(data.get(field))}'
            )


def check_subresource(current: Json, subresource: str | None, replicas_path: tuple[str, ...]) -> None:
    """Whether an object has this subresource. Raises BadRequest naming the object.

    `replicas_path`: where it has its size; () for one without.
    """
    kind, name = current["kind"], current["metadata"]["name"]
    if subresource and subresource not in SUBRESOURCES:
        raise BadRequest(
            f'{kind} "{name}": no subresource {shorten(subresource)}; use {", ".join(SUBRESOURCES)}'
        )
    entry = entry_of_json(current)
    if subresource == SCALE and not replicas_path:
        sized = ", ".join(one.kind.name for one in list_entries() if one.replicas_path)
        raise BadRequest(f"{kind} {name}: has no size; scale one of {sized}")
    if subresource in OF_FEW and subresource not in entry.subresources:
        having = " or ".join(one.kind.name for one in list_entries() if subresource in one.subresources)
        raise BadRequest(f"{kind} {name}: has no {subresource}; only a {having} has")


def require_fresh(old: StoredObject, data: Json) -> None:
    """Raise Conflict when a change was made from another version than the stored one. None: from any."""
    version = (data.get("metadata") or {}).get("resourceVersion")
    if isinstance(version, str) and version and not version.isdecimal():
        raise Unknown(f'strconv.ParseUint: parsing "{version[:60]}": invalid syntax')
    if version not in (None, "", str(old.resource_version)):
        raise Conflict(
            f'Operation cannot be fulfilled on {old.kind.resource} "{old.meta.name}": the object has been'
            " modified; please apply your changes to the latest version and try again",
            old.kind.plural,
            old.meta.name,
            group=old.kind.group,
        )


def as_stored(current: Json, data: Json, release: Release) -> Json:
    """What was sent, of the version that the stored object is of. Raises BadRequest as `decode` does."""
    version = data.get("apiVersion")
    is_convertible = entry_of_json(current).convert is not None and data.get("kind") == current["kind"]
    is_other = isinstance(version, str) and version != current["apiVersion"]
    return dict(convert(decode(data, release))) if is_convertible and is_other else data


def make_wanted(
    current: Json,
    data: Json,
    subresource: str | None,
    gates: Mapping[str, bool],
    replicas_path: tuple[str, ...],
    has_status: bool = True,
) -> Json:
    """The object the request would leave, defaults filled in. `replicas_path`: where it has its size.

    `has_status`: whether its status has an address of its own.
    """
    if subresource == "status":
        return _with_status(current, data)
    if subresource == SCALE:
        spec = data.get("spec")
        return _with_size(current, spec.get("replicas") if isinstance(spec, dict) else None, replicas_path)
    if subresource == FINALIZE:
        spec = {name: value for name, value in (current.get("spec") or {}).items() if name != "finalizers"}
        given = (data.get("spec") or {}).get("finalizers")
        return {**current, "spec": {**spec, "finalizers": given} if given else spec}
    wanted = apply_defaults(data, gates)
    if subresource in OF_PODS:
        return {
            **current,
            "spec": keep_rest(current.get("spec") or {}, wanted.get("spec") or {}, subresource, gates),
        }
    if has_status:
        wanted = _keep_status(current, wanted)
    wanted["metadata"] = _keep_metadata(current["metadata"], wanted.get("metadata") or {})
    carry_over = entry_of_json(current).carry_over
    if carry_over is not None:
        wanted["spec"] = carry_over(current.get("spec") or {}, wanted.get("spec") or {})
    return wanted


def _keep_status(current: Json, wanted: Json) -> Json:
    kept = {"status": current["status"]} if "status" in current else {}
    return {name: value for name, value in wanted.items() if name != "status"} | kept


def _with_status(current: Json, data: Json) -> Json:
    """A write to /status: beside the status it may change labels, annotations and finalizers, as recorded.

    Of custom resources it changes the status alone, and of Deployments not the labels.
    """
    wanted = {**current, "status": data.get("status")}
    entry, before = entry_of_json(current), current["metadata"]
    if entry.is_custom or entry.kind.id == DEFINITION or "metadata" not in data:
        return wanted
    after = {**data["metadata"], "ownerReferences": before.get("ownerReferences")}
    if entry.kind.id == "Deployment":
        after["labels"] = before.get("labels")
    return {**wanted, "metadata": _keep_metadata(before, after)}


def claim(wanted: Json, sent: Json, subresource: str | None) -> Json:
    """A changed object as its writer comes to own it: labels that /status does not change are its too."""
    if subresource != "status" or "metadata" not in sent:
        return wanted
    given = {name: one for name in ("labels", "annotations") if (one := sent["metadata"].get(name))}
    return {**wanted, "metadata": {**wanted["metadata"], **given}}


def _with_size(current: Json, replicas: Any, replicas_path: tuple[str, ...]) -> Json:
    replicas = 0 if replicas is None else replicas
    if isinstance(replicas, bool) or not isinstance(replicas, int):
        raise BadRequest(f"replicas {shorten(replicas)}: use a whole number, 0 or more")
    # A custom resource is held to its own schema.
    if not entry_of_json(current).is_custom and (errors := check_not_negative("spec.replicas", replicas)):
        raise make_invalid("Scale", current["metadata"]["name"], errors, SCALE_VERSION)
    return _with_value(current, replicas_path, replicas)


def _with_value(data: Json, path: tuple[str, ...], value: Any) -> Json:
    inner = _with_value(data.get(path[0]) or {}, path[1:], value) if len(path) > 1 else value
    return {**data, path[0]: inner}


def _keep_metadata(before: Json, after: Json) -> Json:
    """The metadata of a changed object, with what only the API server writes."""
    meta = dict(after)
    for name in (*_NOT_A_CLIENTS, "generateName"):
        if name in before:
            meta.setdefault(name, before[name])
    # When it was made is not for a client to say; what else it may not change it is told.
    if "creationTimestamp" in before:
        meta["creationTimestamp"] = before["creationTimestamp"]
    meta["resourceVersion"] = before["resourceVersion"]
    meta.pop("managedFields", None)
    for name in ("labels", "annotations", "finalizers", "ownerReferences"):
        if not meta.get(name):
            meta.pop(name, None)
    return meta


# --- patches ----------------------------------------------------------------------------------------------


def patched(
    current: Json,
    patch: Any,
    how: str,
    options: WriteOptions = PLAIN,
    find_dropped: Callable[[Json], Sequence[str]] = lambda changed: (),
    *,
    release: Release,
) -> Json:
    """The object with a patch on it. Raises ApiError as `patch_object` does.

    It is made from the present version unless the patch itself names another. `find_dropped`: what a strict
    reading says of fields that the object's definition does not have.
    """
    changed = patch_object(current, patch, how, options, release)
    if options.validation not in ("", IGNORE):
        problems = [*options.problems, *find_unknown_fields(changed, release), *find_dropped(changed)]
        if problems and options.validation == STRICT:
            raise refuse_patch(how, patch, changed, f"strict decoding error: {', '.join(problems)}")
        options.warn(problems)
    if options.is_request:
        changed = as_stored_form(changed, release)
    meta = _metadata_of(changed)
    _require_same_name(current["metadata"], meta)
    if namespace := current["metadata"].get("namespace"):
        meta = {**meta, "namespace": namespace}
    if "resourceVersion" not in _metadata_of(patch):
        meta = {name: value for name, value in meta.items() if name != "resourceVersion"}
    return {**changed, "metadata": meta}


def require_applied(old: StoredObject | None, target: Json, patch: Any) -> None:
    """Raise BadRequest or Conflict for a configuration that is not one of the object it is sent to."""
    if not isinstance(patch, dict):
        raise BadRequest("error decoding YAML: json: cannot unmarshal into Go value of type map[string]any")
    meta = _metadata_of(patch)
    name, uid = meta.get("name"), meta.get("uid")
    if isinstance(name, str):
        _require_same_name(target["metadata"], meta)
    if old is None and uid:
        kind = kind_of_json(target)
        raise Conflict(
            f'Operation cannot be fulfilled on {kind.resource} "{target["metadata"]["name"]}": uid mismatch:'
            f" the provided object specified uid {str(uid)[:60]}, and no existing object was found",
            kind.plural,
            target["metadata"]["name"],
            group=kind.group,
        )


def _require_same_name(before: Json, after: Json) -> None:
    """A patch is sent to the address of one object. Raises BadRequest, in the API server's words."""
    name, namespace = before["name"], before.get("namespace")
    wanted = after.get("name")
    if (after.get("namespace") or namespace) != namespace:
        sent = "the namespace sent on the request"
        raise BadRequest(f"the namespace of the provided object does not match {sent}")
    if not wanted:
        missing = "name must be provided"
        raise BadRequest(f"the name of the object ({name} based on URL) was undeterminable: {missing}")
    if wanted != name:
        raise BadRequest(f"the name of the object ({wanted}) does not match the name on the URL ({name})")


def _metadata_of(patch: Any) -> Json:
    meta = patch.get("metadata") if isinstance(patch, dict) else None
    return meta if isinstance(meta, dict) else {}
