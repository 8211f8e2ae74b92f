"""A request to watch: what it asks for is checked, and its watch begun."""

from collections.abc import Callable
from typing import Any

import orjson

from lifecycle.engine.rules.validation.words.field_error import FieldError, forbidden, not_supported
from lifecycle.kube_api import rendering
from lifecycle.kube_api.access.authentication import Right
from lifecycle.kube_api.asking.asked import Asked, Stream
from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.asking.write_options import raise_invalid
from lifecycle.kube_api.describing.conversions import is_as_stored, to_served
from lifecycle.kube_api.printing import tables
from lifecycle.kube_api.reading import heartbeats, lists, standing, versions
from lifecycle.kube_api.status import unknown
from lifecycle.kube_api.watching.feed import feed_of
from lifecycle.kube_api.watching.records import Held
from lifecycle.kube_api.watching.stream import Watch, Wish
from lifecycle.kube_api.watching.watcher import Encoding, Selection, Watcher

Json = dict[str, Any]
NOT_OLDER = lists.NOT_OLDER


def start(asked: Asked) -> Stream:
    """The stream of a watch. Raises Refusal (400, 422, 500)."""
    options, resource = asked.options, asked.resource
    selection = lists.select(resource, asked.address.namespace, asked.address.name, options)
    wish = read_wish(options)
    matches: Callable[[Json], bool] | None = None
    if not selection.is_all:
        matches = lambda stored: selection.takes(to_served(resource, stored))  # noqa: E731
    watch = Watch(
        asked.cluster,
        (resource.stored_group, resource.kind),
        wish,
        Watcher(Selection(asked.address.namespace, matches), _make_encoding(asked)),
        lambda rv, annotations: make_bookmark(asked, rv, annotations),
        Right.of(asked.request, asked.cluster, asked.user),
        [_hold(one) for one in standing.list_all(asked.cluster, resource, asked.address.namespace)],
    )
    return Stream(watch.respond)


def _hold(data: Json) -> Held:
    meta = data["metadata"]
    version, namespace = int(meta["resourceVersion"]), meta.get("namespace")
    return Held(version, namespace, meta["name"], orjson.dumps(data))


def read_wish(options: Options) -> Wish:
    """What is asked of a watch. Raises Refusal (400, 422, 500)."""
    text, seconds = options.get("resourceVersion", ""), options.whole("timeoutSeconds")
    options.whole("limit")
    _check(options, text)
    try:
        rv = versions.parse(text)
    except versions.NotANumber as problem:
        raise unknown(versions.complain(text, problem)) from None
    is_any = text in ("", "0")
    return Wish(
        rv if text else None,
        options.flag("sendInitialEvents") if "sendInitialEvents" in options else is_any,
        options.flag("allowWatchBookmarks"),
        float(seconds) if seconds and seconds > 0 else None,
    )


def _check(options: Options, version: str) -> None:
    match, sends = options.get("resourceVersionMatch", ""), "sendInitialEvents" in options
    if not (match or sends) and version in ("", "0"):
        # What is there comes first then, as if it had been asked for.
        match, sends = NOT_OLDER, True
    path, errors = "resourceVersionMatch", list[FieldError]()
    if sends and match != NOT_OLDER:
        errors.append(forbidden(path, f"sendInitialEvents requires setting {path} to {NOT_OLDER}"))
    if match:
        if not sends:
            errors.append(
                forbidden(path, f"{path} is forbidden for watch unless sendInitialEvents is provided")
            )
        if match != NOT_OLDER:
            errors.append(not_supported(path, match, (NOT_OLDER,)))
        if options.get("continue"):
            errors.append(forbidden(path, f"{path} is forbidden when continue is provided"))
    raise_invalid("ListOptions", errors)


def _make_encoding(asked: Asked) -> Encoding:
    resource, form = asked.resource, asked.form
    shown = rendering.check_table(asked) if form.kind == "Table" else ""
    key = (resource.group, resource.version, form.kind, form.version, shown)
    beats = heartbeats.load(asked.cluster, resource) if heartbeats.have(resource) and not form.kind else None

    def make(stored: Json, is_first: bool) -> bytes:
        now_ms = feed_of(asked.cluster).now_ms()
        served = to_served(resource, stored if beats is None else beats.show(stored, now_ms))
        return encode(asked, served, now_ms, is_first)

    return Encoding(key, make, is_stored=not (form.kind or beats) and is_as_stored(resource))


def encode(asked: Asked, served: Json, now_ms: int, is_first: bool) -> bytes:
    """An object as a watch's event has it, in the form asked for. Only a first Table tells its columns."""
    if asked.form.kind == "Table":
        table = rendering.make_table(asked, served, now_ms)
        return orjson.dumps(table if is_first else table | {"columnDefinitions": None})
    if asked.form.kind:
        return orjson.dumps(tables.partial(served, asked.form.api_version))
    return orjson.dumps(rendering.head_first(asked, served))


def make_bookmark(asked: Asked, rv: int, annotations: dict[str, str]) -> bytes:
    """The object of a bookmark."""
    resource, form = asked.resource, asked.form
    metadata: Json = {"resourceVersion": str(rv)}
    if annotations:
        metadata["annotations"] = annotations
    kind, api_version = resource.kind, resource.api_version
    if form.kind:
        kind, api_version = form.kind, form.api_version
    found: Json = {"kind": kind, "apiVersion": api_version, "metadata": metadata}
    if form.kind == "Table":
        found |= {"columnDefinitions": None, "rows": []}
    return orjson.dumps(found)
