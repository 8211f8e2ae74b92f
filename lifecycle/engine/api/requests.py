"""What an update asks for: the object as it would be stored, made from the stored one and the request.

What a request may change depends on where it is sent: the status to /status, all else to the object.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..heart.errors import BadRequest
from ..rules.defaults import apply_defaults

Json = dict[str, Any]
SUBRESOURCES = ("status", "resize", "ephemeralcontainers", "scale")


def check_address(current: Json, data: Json, subresource: str | None) -> None:
    """A change is one of this object, and goes where changes go. Raises BadRequest naming the object."""
    kind, name = current["kind"], current["metadata"]["name"]
    if subresource and subresource not in SUBRESOURCES:
        raise BadRequest(f'{kind} "{name}": no subresource {subresource!r}; use {", ".join(SUBRESOURCES)}')
    for field in ("apiVersion", "kind"):
        if data.get(field) != current[field]:
            raise BadRequest(f'{kind} "{name}": {field}: must stay {current[field]}, not {data.get(field)!r}')


def make_wanted(current: Json, data: Json, subresource: str | None, gates: Mapping[str, bool]) -> Json:
    """The object the request would leave, defaults filled in."""
    if subresource == "status":
        return {**current, "status": data.get("status")}
    if subresource in ("resize", "ephemeralcontainers"):
        wanted = apply_defaults(current["kind"], data, gates)
        return {**current, "spec": wanted.get("spec")}
    wanted = apply_defaults(current["kind"], data, gates)
    if "status" in current:
        wanted["status"] = current["status"]
    else:
        wanted.pop("status", None)
    meta = dict(wanted.get("metadata") or {})
    for name in ("generation", "deletionTimestamp", "deletionGracePeriodSeconds", "generateName"):
        if name in current["metadata"]:
            meta.setdefault(name, current["metadata"][name])
    meta["resourceVersion"] = current["metadata"]["resourceVersion"]
    meta.pop("managedFields", None)
    for name in ("labels", "annotations", "finalizers", "ownerReferences"):
        if not meta.get(name):
            meta.pop(name, None)
    wanted["metadata"] = meta
    if current["kind"] == "Service":
        wanted["spec"] = _with_address(current.get("spec") or {}, wanted.get("spec") or {})
    return wanted


def _with_address(before: Json, after: Json) -> Json:
    """A Service keeps the address it was given, though who writes it may leave that out."""
    given = {name: before[name] for name in ("clusterIP", "clusterIPs") if before.get(name)}
    if after.get("type") == "ExternalName" or after.get("clusterIP"):
        return after
    return {**after, **given}
