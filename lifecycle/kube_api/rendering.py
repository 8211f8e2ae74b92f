"""Answers in the form that was asked for: objects, lists, tables, metadata alone."""

from typing import Any

from lifecycle.kube_api.asking.asked import Asked
from lifecycle.kube_api.describing.built_in import SCALE
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.printing import tables
from lifecycle.kube_api.reading.lists import Page
from lifecycle.kube_api.status import Refusal, bad_request
from lifecycle.reads import virtual_now_ms

Json = dict[str, Any]
_SHOWN = ("", tables.METADATA, tables.OBJECT, tables.NOTHING)


def render(asked: Asked, value: Any) -> Any:
    """A value as the request wants it. Raises Refusal (400, 406) where it cannot be shown so."""
    is_list = isinstance(value, Page)
    if not is_list and value.get("kind") == "Status":
        return value
    match asked.form.kind:
        case "Table":
            return make_table(asked, value, virtual_now_ms(asked.cluster))
        case "PartialObjectMetadata":
            if is_list:
                raise _unfitting(asked, "a list")
            return tables.partial(value, asked.form.api_version)
        case "PartialObjectMetadataList":
            if not is_list:
                raise _unfitting(asked, "not a list")
            version = asked.form.api_version
            items = [tables.partial(data, version) for data in value.items]
            return {**_head(asked.form.kind, version, value), "items": items or None}
    return make_list(asked.resource, value) if is_list else head_first(asked, value)


def head_first(asked: Asked, data: Json) -> Json:
    """An object with its kind before all else."""
    return {"kind": asked.resource.kind, "apiVersion": asked.resource.api_version, **data}


def make_list(resource: Resource, page: Page) -> Json:
    """A list, whose items do not repeat what kind they are of; those of custom resources do."""
    items = page.items
    if not resource.custom:
        items = [
            {name: one for name, one in data.items() if name not in ("kind", "apiVersion")} for data in items
        ]
    head = _head(resource.kind_of_list, resource.api_version, page)
    if resource.custom:
        head["metadata"].setdefault("continue", "")
    return {**head, "items": items}


def _head(kind: str, api_version: str, page: Page) -> Json:
    meta: Json = {"resourceVersion": page.version} if page.version else {}
    if page.token:
        meta["continue"] = page.token
    if page.remaining is not None:
        meta["remainingItemCount"] = page.remaining
    return {"kind": kind, "apiVersion": api_version, "metadata": meta}


def check_table(asked: Asked) -> str:
    """What is to stand beside the cells of a table. Raises Refusal (400)."""
    shown = asked.options.get("includeObject", "")
    if shown not in _SHOWN:
        said = f"includeObject: Invalid value: \"{shown}\": must be 'Metadata', 'Object', 'None', or empty"
        raise bad_request(f"Unable to convert to Table as requested: {said}")
    return shown or tables.METADATA


def make_table(asked: Asked, value: Any, now_ms: int) -> Json:
    """An object or a page of a list as a table at virtual now. Raises Refusal (400)."""
    is_list = isinstance(value, Page)
    table = tables.make_table(
        asked.resource if is_list or value.get("kind") != SCALE.kind else SCALE,
        value.items if is_list else [value],
        now_ms,
        asked.cluster.epoch_ms,
        asked.form.version,
        check_table(asked),
    )
    if is_list:
        table["metadata"] = _head("", "", value)["metadata"]
    elif value["metadata"].get("resourceVersion"):
        table["metadata"] = {"resourceVersion": value["metadata"]["resourceVersion"]}
    return table


def _unfitting(asked: Asked, what: str) -> Refusal:
    kind = asked.resource.kind_of_list if what == "a list" else asked.resource.kind
    package = asked.resource.group.partition(".")[0] or "core"
    message = f"you requested {asked.form.kind}, but the requested object is {what} (*{package}.{kind})"
    return Refusal(406, message, "NotAcceptable")
