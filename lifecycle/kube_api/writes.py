"""Changes: each is a command in the cluster's inbox, and its answer what the engine says."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from lifecycle.engine.api.options import read_options, show_options
from lifecycle.engine.api.patching.patches import patch_object
from lifecycle.engine.heart.errors import ApiError
from lifecycle.engine.rules.validation.words.refusal import raise_invalid
from lifecycle.kube_api.access import escalation
from lifecycle.kube_api.access.authorization import read_attributes, require_allowed
from lifecycle.kube_api.admission import webhooks
from lifecycle.kube_api.asking import bodies, objects, patch_bodies
from lifecycle.kube_api.asking.asked import Answer, Asked
from lifecycle.kube_api.asking.bodies import Unreadable
from lifecycle.kube_api.asking.write_options import DeleteOptions, raise_invalid_object, read_delete_options
from lifecycle.kube_api.describing.conversions import to_served, to_stored
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.reading import heartbeats, lists, reads, standing, versions
from lifecycle.kube_api.status import Refusal, about, bad_request, not_found, unknown
from lifecycle.kube_api.unknown_programs import list_warnings
from lifecycle.kube_api.warnings import note, note_deletion
from lifecycle.kube_api.watching.places import key_of
from lifecycle.models import Cluster, Command
from lifecycle.runs import inbox
from lifecycle.runs.driving.clocks import wait_until_it_stands

Json = dict[str, Any]
WAIT_SECONDS = 30.0
_ADMITTED = ("create", "replace", "patch", "delete")
CHUNK, COLLECTION_SECONDS = 200, 60.0
"""Of what is deleted together so many are ordered at once, and no more after so long."""


@dataclass(slots=True)
class Result:
    """What came of a command: the object as it is stored, and what is warned of."""

    code: int
    data: Json
    warnings: Sequence[str] = field(default_factory=list)


def send(cluster: Cluster, user: Any, kind: str, payload: Json) -> Command:
    """Append a command to the inbox. Raises Refusal for what nobody takes."""
    with _telling_refusals():
        return inbox.append(cluster, kind, payload, user)


@contextmanager
def _telling_refusals() -> Iterator[None]:
    try:
        yield
    except inbox.Refused as problem:
        code = 400 if "NUL" in str(problem) else 503
        raise Refusal(code, str(problem), "BadRequest" if code == 400 else "ServiceUnavailable") from None


def wait(cluster: Cluster, command: Command) -> Result:
    """What came of a command. Raises Refusal, where it was refused or nobody answers.

    At speed `auto` time stands again by then: what is read next does not hang on how quick a client is.
    """
    result = inbox.wait_for_result(command, WAIT_SECONDS)
    if cluster.is_auto:
        wait_until_it_stands(cluster, WAIT_SECONDS)
    return _read_result(cluster, result)


def _read_result(cluster: Cluster, result: inbox.Result) -> Result:
    if result is None:
        message = (
            f"the cluster {cluster.name} has not answered within {WAIT_SECONDS:g} seconds: the request was"
            " taken and will be carried out when its worker is back"
        )
        raise Refusal(504, message, "Timeout", {})
    if result["status"] is not None:
        raise Refusal.of_status(result["status"], result.get("warnings") or ())
    return Result(result["code"], result["object"] or {}, result.get("warnings") or [])


def carry_out(asked: Asked, kind: str, payload: Json) -> Result:
    """The result of a command, where the one who asks may give what it gives, and no webhook is against it.

    What it warns of is noted. Raises Refusal.
    """
    payload = {**payload, "request": {**payload["request"], "userInfo": asked.caller.info.to_json()}}
    if kind in _ADMITTED and payload.get("subresource") != "scale" and webhooks.are_allowed():
        payload = webhooks.add_patches(payload, _ask_webhooks(asked, kind, payload))
    # Of what is written in the end, whoever wanted it so.
    if kind != "delete" and escalation.is_checked(asked):
        rehearsed = {**payload, "request": {**payload["request"], "dryRun": ["All"]}}
        made = _carry_out(asked, kind, rehearsed).data
        name = made["metadata"]["name"]
        old = reads.find(asked.cluster, asked.resource, asked.address.namespace, name)
        escalation.check_grant(asked, old, made)
    result = _carry_out(asked, kind, payload)
    note(asked.request, result.warnings)
    return result


def _ask_webhooks(asked: Asked, kind: str, payload: Json, old: Json | None = None) -> list[list[Any]]:
    """What admission webhooks patch of a command; `old`: what is there, if it is known. Raises Refusal."""
    address, request = asked.address, payload["request"]
    meta = (payload.get("object") or {}).get("metadata") or payload
    name = address.name or meta.get("name") or ""
    if old is None and kind != "create" and name:
        old = reads.find(asked.cluster, asked.resource, address.namespace, name)

    def rehearse(patches: Sequence[Any]) -> Json:
        rehearsed = {**payload, "request": {**request, "dryRun": ["All"]}}
        return _carry_out(asked, kind, webhooks.add_patches(rehearsed, patches)).data

    options = show_options(kind, payload)
    return webhooks.ask(asked, name, old, None if kind == "delete" else rehearse, options)


def _carry_out(asked: Asked, kind: str, payload: Json) -> Result:
    """What a command is about and stands unstored is stored first."""
    meta = (payload.get("object") or {}).get("metadata") or payload
    if isinstance(name := meta.get("name"), str) and _store_standing(asked, [name]) and "object" in payload:
        payload = {**payload, "object": standing.without_identity(payload["object"])}
    return wait(asked.cluster, send(asked.cluster, asked.user, kind, payload))


def _store_standing(asked: Asked, names: Sequence[str]) -> bool:
    """Have what every cluster has, and is not stored yet, stored: commands follow that change it.

    Whether there was any. So has a dry run: what is read stays the same.
    """
    every = standing.list_all(asked.cluster, asked.resource, asked.address.namespace)
    found = [standing.make_creation(one) for one in every if one["metadata"]["name"] in names]
    if found:
        with _telling_refusals():
            inbox.append_all(asked.cluster, found, None)
    return bool(found)


def answer(asked: Asked, result: Result, code: int | None = None, old: Json | None = None) -> Answer:
    """A result as the resource shows it; what is to be warned of is noted. `old`: as it was before."""
    # A rehearsal is no use of an image.
    if "dryRun" not in asked.options:
        note(asked.request, list_warnings(asked.cluster, old, result.data))
    data = heartbeats.show_all(asked.cluster, asked.resource, [result.data])[0]
    shown = to_served(asked.resource, data)
    return Answer(shown, code or result.code)


# --- create and update ------------------------------------------------------------------------------------


def create(asked: Asked) -> Answer:
    """POST to a collection."""
    resource = asked.resource
    data, problems = objects.read_sent(asked.request, resource, asked.address, asked.release)
    if versions.is_given(data) and "All" not in asked.options.every("dryRun"):
        raise unknown("resourceVersion should not be set on objects to be created")
    stored = to_stored(resource, data)
    check_form(resource, None, stored)
    payload = {"object": stored, "request": asked.told(problems)}
    return answer(asked, carry_out(asked, "create", payload), 201)


def check_form(resource: Resource, old: Json | None, stored: Json) -> None:
    """What this version of the kind asks beside the one that is stored. Raises Refusal (422)."""
    if resource.form.check is None:
        return
    try:
        raise_invalid(stored, resource.form.check(old, stored))
    except ApiError as problem:
        raise Refusal.of_status(problem.to_status()) from None


def update(asked: Asked) -> Answer:
    """PUT to an object or a part of one."""
    resource, address = asked.resource, asked.address
    data, problems = objects.read_sent(asked.request, resource, address, asked.release)
    objects.require_name(data, address.name)
    old = reads.find(asked.cluster, resource, address.namespace, address.name)
    told = asked.told(problems)
    if old is None:
        if address.subresource or not resource.served.is_created_by_update:
            raise not_found(resource, address.name)
        _require_creation(asked)
        meta = {name: value for name, value in data["metadata"].items() if name != "resourceVersion"}
        made = {"object": to_stored(resource, {**data, "metadata": meta}), "request": told}
        return answer(asked, carry_out(asked, "create", made), 201)
    _check_update(resource, data, old)
    stored = to_stored(resource, data)
    check_form(resource, old, stored)
    payload: Json = {"object": stored, "request": told}
    if address.subresource:
        payload["subresource"] = address.subresource
    return answer(asked, carry_out(asked, "replace", payload), 200, old)


def _require_creation(asked: Asked) -> None:
    """Who makes an object by an update or a patch has to be allowed to create it. Raises Refusal (403)."""
    require_allowed(asked.caller, read_attributes(asked.address, "create", asked.options))


def _check_update(resource: Resource, data: Json, old: Json) -> None:
    meta, kept = data["metadata"], old["metadata"]
    text, uid = meta.get("resourceVersion") or "", meta.get("uid")
    try:
        version = versions.parse(text)
    except versions.NotANumber as problem:
        raise unknown(str(problem)) from None
    if uid and uid != kept["uid"]:
        raise _other_uid(resource, meta["name"], kept, uid)
    if version == 0 and (resource.custom or resource.served.needs_version):
        # Kubernetes names the resource here, and not the kind.
        said, place = "must be specified for an update", "metadata.resourceVersion"
        raise_invalid_object(resource, meta["name"], place, 0, said, resource.qualified)


def _other_uid(resource: Resource, name: str, kept: Json, uid: str) -> Refusal:
    place = resource.served.registry_name or resource.name
    if resource.custom:
        place = f"{resource.group}/{place}"
    key = f"/registry/{place}/{key_of(kept.get('namespace'), name)}"
    said = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {kept['uid']}"
    message = (
        f'Operation cannot be fulfilled on {resource.qualified} "{name}": StorageError: invalid object,'
        f" Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {said}"
    )
    return Refusal(409, message, "Conflict", about(resource, name))


def patch(asked: Asked) -> Answer:
    """PATCH of an object or a part of one."""
    resource, address = asked.resource, asked.address
    how = patch_bodies.read_type(asked.request, resource, asked.release)
    is_apply = how == patch_bodies.APPLY
    _check_options(asked, how)
    old = reads.find(asked.cluster, resource, address.namespace, address.name)
    if old is None and not is_apply:
        raise not_found(resource, address.name)
    if old is None:
        _require_creation(asked)
    # Of what is not there the API server does not read the patch.
    value, problems = patch_bodies.read_patch(asked.request, how)
    told = asked.told(problems)
    if is_apply:
        value = patch_bodies.check_applied(value, resource, address)
    elif old is not None and resource.is_converted:
        return _patch_converted(asked, old, how, value, told)
    payload = {
        "apiVersion": resource.stored_version,
        "kind": resource.kind,
        "namespace": address.namespace or "",
        "name": address.name,
        "type": how,
        "patch": value,
        "request": told,
    }
    if address.subresource:
        payload["subresource"] = address.subresource
    return answer(asked, carry_out(asked, "patch", payload), old=old)


def _check_options(asked: Asked, how: str) -> None:
    """What is asked for beside the patch is looked at before the object. Raises Refusal (422)."""
    try:
        read_options("patch", {"type": how, "request": asked.told()})
    except ApiError as problem:
        raise Refusal.of_status(problem.to_status()) from None


def _patch_converted(asked: Asked, old: Json, how: str, value: Any, told: Json) -> Answer:
    """A patch of what is stored in another version: made here, of the version it was sent to."""
    resource, address = asked.resource, asked.address
    try:
        changed = patch_object(to_served(resource, old), value, how, release=asked.release)
    except ApiError as problem:
        raise Refusal.of_status(problem.to_status()) from None
    changed = objects.place(changed, address, resource)
    objects.require_name(changed, address.name)
    stored = to_stored(resource, changed)
    check_form(resource, old, stored)
    payload: Json = {"object": stored, "request": {**told, "verb": "patch"}}
    if address.subresource:
        payload["subresource"] = address.subresource
    return answer(asked, carry_out(asked, "replace", payload), old=old)


# --- delete -----------------------------------------------------------------------------------------------


def delete(asked: Asked) -> Answer:
    """DELETE of an object."""
    resource, address = asked.resource, asked.address
    options = read_options_of_delete(asked)
    if reads.find(asked.cluster, resource, address.namespace, address.name) is None:
        raise not_found(resource, address.name)
    note_deletion(asked.request, resource, options.propagation)
    result = carry_out(asked, "delete", _deletion(resource, address.namespace, address.name, options))
    gone = result.data["metadata"]
    if resource.served.is_shown_when_deleted or _is_held(gone):
        return answer(asked, result, 200)
    details = about(resource, address.name) | {"uid": gone.get("uid", "")}
    done = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
    return Answer(done)


def read_options_of_delete(asked: Asked) -> DeleteOptions:
    """The options of a deletion. Raises Refusal (400, 415, 422)."""
    try:
        body = bodies.read_body(asked.request)
    except Unreadable as problem:
        raise bad_request(f"couldn't get version/kind; json parse error: {problem}") from None
    return read_delete_options(asked.options, None if body.is_empty else body.value)


def _is_held(meta: Json) -> bool:
    return bool(meta.get("deletionTimestamp")) and bool(meta.get("finalizers"))


def _deletion(resource: Resource, namespace: str | None, name: str, options: DeleteOptions) -> Json:
    told: Json = {"apiVersion": resource.api_version}
    payload: Json = {
        "apiVersion": resource.stored_version,
        "kind": resource.kind,
        "namespace": namespace or "",
        "name": name,
        "options": {},
        "request": {**told, "dryRun": ["All"]} if options.is_dry_run else told,
    }
    if options.grace_seconds is not None:
        payload["gracePeriodSeconds"] = options.grace_seconds
    if options.propagation is not None:
        payload["propagationPolicy"] = options.propagation
    if options.preconditions:
        payload["preconditions"] = options.preconditions
    return payload


def delete_collection(asked: Asked) -> Answer:
    """DELETE of everything a selection takes: what was there is answered as a list."""
    resource = asked.resource
    options = read_options_of_delete(asked)
    note_deletion(asked.request, resource, options.propagation)
    selection = lists.select(resource, asked.address.namespace, "", asked.options)
    page = lists.read_page(asked.cluster, selection, asked.options)
    deadline = time.monotonic() + COLLECTION_SECONDS
    # Webhooks are asked of each, and may take their time.
    chunk = 1 if webhooks.are_allowed() else CHUNK
    for start in range(0, len(page.items), chunk):
        if start and time.monotonic() > deadline:
            raise _unfinished(resource, start, len(page.items))
        _delete_each(asked, page.items[start : start + chunk], options, is_begun=start > 0)
    if asked.cluster.is_auto:
        wait_until_it_stands(asked.cluster, WAIT_SECONDS)
    return Answer(page, 200)


def _delete_each(asked: Asked, items: list[Json], options: DeleteOptions, is_begun: bool) -> None:
    """Order the deletion of some objects together, and wait for all of them.

    `is_begun`: others of the same request were ordered before.
    """
    payloads = [
        _deletion(asked.resource, data["metadata"].get("namespace"), data["metadata"]["name"], options)
        for data in items
    ]
    _store_standing(asked, [data["metadata"]["name"] for data in items])
    for payload, data in zip(payloads, items, strict=True):
        payload["request"]["userInfo"] = asked.caller.info.to_json()
        if webhooks.are_allowed():
            _ask_webhooks(asked, "delete", payload, data)
    with _telling_refusals():
        commands = inbox.append_all(
            asked.cluster, [("delete", payload) for payload in payloads], asked.user, is_begun
        )
    for result in inbox.wait_for_results(commands, WAIT_SECONDS):
        try:
            note(asked.request, _read_result(asked.cluster, result).warnings)
        except Refusal as problem:
            # Somebody else was quicker.
            if problem.code != 404:
                raise


def _unfinished(resource: Resource, done: int, count: int) -> Refusal:
    message = (
        f"{done:,} of {count:,} {resource.qualified} were deleted within {COLLECTION_SECONDS:g} seconds, the"
        " most for one request: ask again for the others"
    )
    return Refusal(504, message, "Timeout", {})
