"""The cluster's clock as an object: `clocks.podline.dev`, name `cluster`, for whoever speaks Kubernetes.

It can be read, patched, watched and waited for, and is stored nowhere; `runs/driving/clocks.py` has its
fields. A resource that Kubernetes does not have, as Kubernetes has no clock that anybody could turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid5

from django.core.exceptions import ValidationError
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

from lifecycle.access import Verb, may
from lifecycle.engine.api.patching.patches import patch_object
from lifecycle.engine.heart.errors import ApiError
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.objects.times import format_time
from lifecycle.kube_api.access.authentication import Right
from lifecycle.kube_api.asking import objects, patch_bodies
from lifecycle.kube_api.asking.asked import Answer, Asked, Stream
from lifecycle.kube_api.reading import lists, watches
from lifecycle.kube_api.reading.lists import Page, Selection
from lifecycle.kube_api.status import Refusal, about, forbidden, not_found
from lifecycle.kube_api.warnings import note
from lifecycle.kube_api.watching.changes import ADDED, MODIFIED
from lifecycle.kube_api.watching.stream import END_OF_INITIAL, LEAST_SECONDS, Wish, release_thread
from lifecycle.kube_api.watching.watcher import make_event
from lifecycle.models import Cluster
from lifecycle.runs.driving import clocks
from lifecycle.threads import reading as in_thread

Json = dict[str, Any]
NAME = "cluster"
LOOK_SECONDS = 0.2
NOT_KEPT = "nothing but the spec of a clock is kept: its labels and annotations are not"


def answer(asked: Asked) -> Answer | Stream:
    """Whatever is asked of clocks. Raises Refusal."""
    address = asked.address
    if address.name not in ("", NAME) and asked.verb != "watch":
        raise not_found(asked.resource, address.name)
    match asked.verb:
        case "get":
            return Answer(_show(asked.cluster))
        case "list":
            return Answer(_list(asked))
        case "watch":
            return _watch(asked)
    return _write(asked)


def _show(cluster: Cluster) -> Json:
    controls = cluster.run_controls.filter(applied_at__isnull=False).count()
    # Whatever of it has changed, one of these has grown.
    version = cluster.seq + cluster.rv + cluster.instant_ms + controls + 1
    return {
        "kind": "Clock",
        "apiVersion": CONTAINER_PROFILE.api_version,
        "metadata": {
            "name": NAME,
            "uid": str(uuid5(cluster.uuid, "Clock")),
            "resourceVersion": str(version),
            "creationTimestamp": format_time(0, cluster.epoch_ms),
        },
        "spec": clocks.read_spec(cluster),
        "status": clocks.read_status(cluster),
    }


def _list(asked: Asked) -> Page:
    found = _show(asked.cluster)
    items = [found] if _select(asked).takes(found) else []
    return Page(items, found["metadata"]["resourceVersion"])


def _select(asked: Asked) -> Selection:
    return lists.select(asked.resource, None, asked.address.name, asked.options)


# --- writes -----------------------------------------------------------------------------------------------


def _write(asked: Asked) -> Answer:
    """PUT or PATCH: of the spec that comes of it what differs is done."""
    if not may(asked.user, asked.cluster, Verb.RUN):
        raise forbidden("you may look at this cluster, and not turn its clock", about(asked.resource, NAME))
    before = _show(asked.cluster)
    after = _read_update(asked) if asked.verb == "update" else _read_patched(asked, before)
    spec = after.get("spec")
    if spec is not None and not isinstance(spec, dict):
        raise _invalid({"spec": ["use an object: speed, paused and runUntil"]})
    # By their texts: in Python true is 1.
    wanted = {name: one for name, one in (spec or {}).items() if repr(before["spec"].get(name)) != repr(one)}
    try:
        if "All" in asked.options.every("dryRun"):
            clocks.decide_controls(before["spec"], wanted, before["status"]["atMs"])
            return Answer({**before, "spec": {**before["spec"], **wanted}})
        clocks.change(asked.cluster, asked.user, wanted)
    except ValidationError as problem:
        told: Any = problem.message_dict if hasattr(problem, "error_dict") else {"": problem.messages}
        raise _invalid({f"spec.{name}".rstrip("."): messages for name, messages in told.items()}) from None
    meta = after.get("metadata") or {}
    if any(meta.get(name) for name in ("labels", "annotations")):
        note(asked.request, [NOT_KEPT])
    return Answer(_show(asked.cluster))


def _read_update(asked: Asked) -> Json:
    data, _ = objects.read_object(asked.request, asked.resource.kind, asked.resource.api_version)
    data = objects.place(data, asked.address, asked.resource)
    objects.require_name(data, asked.address.name)
    return data


def _read_patched(asked: Asked, before: Json) -> Json:
    how = patch_bodies.read_type(asked.request, asked.resource, asked.release)
    value, _ = patch_bodies.read_patch(asked.request, how)
    if how == patch_bodies.APPLY:
        applied: Json = patch_bodies.check_applied(value, asked.resource, asked.address)
        return applied
    try:
        return patch_object(before, value, how)
    except ApiError as problem:
        raise Refusal.of_status(problem.to_status()) from None


def _invalid(told: dict[str, list[str]]) -> Refusal:
    causes = [
        {"reason": "FieldValueInvalid", "message": text, "field": field}
        for field, messages in told.items()
        for text in messages
    ]
    said = "; ".join(f"{one['field']}: {one['message']}" for one in causes)
    details = {"name": NAME, "group": CONTAINER_PROFILE.group, "kind": "Clock", "causes": causes}
    return Refusal(422, f'Clock.{CONTAINER_PROFILE.group} "{NAME}" is invalid: {said}', "Invalid", details)


# --- watches ----------------------------------------------------------------------------------------------


def _watch(asked: Asked) -> Stream:
    wish, selection = watches.read_wish(asked.options), _select(asked)
    right = Right.of(asked.request, asked.cluster, asked.user)

    async def respond() -> HttpResponseBase:
        parts = _run(asked, wish, selection, right)
        headers = {"Cache-Control": "no-cache, private"}
        return StreamingHttpResponse(parts, content_type="application/json", headers=headers)

    return Stream(respond)


async def _run(asked: Asked, wish: Wish, selection: Selection, right: Right) -> AsyncIterator[bytes]:
    """The clock as it is, and whenever it is otherwise: while time passes its hands alone are no change."""
    await release_thread()
    loop, told = asyncio.get_running_loop(), None
    deadline = loop.time() + (wish.seconds or LEAST_SECONDS)
    kind = ADDED if wish.sends_initial or not wish.rv else MODIFIED
    while loop.time() < deadline:
        found = await in_thread(_look)(asked.cluster.pk, right)
        if found is None:
            return
        state = [found["spec"], {**found["status"], "now": "", "atMs": 0}, _stands_at(found)]
        if state != told:
            if selection.takes(found):
                shown = watches.encode(asked, found, found["status"]["atMs"], is_first=told is None)
                yield make_event(kind, shown)
            if told is None and wish.sends_initial and wish.wants_bookmarks:
                rv = int(found["metadata"]["resourceVersion"])
                yield make_event("BOOKMARK", watches.make_bookmark(asked, rv, END_OF_INITIAL))
            told, kind = state, MODIFIED
        await asyncio.sleep(min(LOOK_SECONDS, max(deadline - loop.time(), 0)))


def _stands_at(found: Json) -> int | None:
    at_ms: int = found["status"]["atMs"]
    return at_ms if found["status"]["paused"] else None


def _look(pk: int, right: Right) -> Json | None:
    cluster = Cluster.objects.filter(pk=pk).first()
    return None if cluster is None or not right() else _show(cluster)
