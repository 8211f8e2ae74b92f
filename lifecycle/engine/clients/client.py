"""What every command works with: how it finds an object, and how it changes one as kubectl does."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol

from ..api.context import Context
from ..api.options import WriteOptions
from ..api.server import ApiServer
from ..heart.errors import BadRequest
from ..kinds.registry import kind_of_json, name_kind
from ..objects.kinds import Kind
from ..objects.meta import StoredObject
from ..objects.node import NODE_KIND

Payload = dict[str, Any]


class Shown(Protocol):
    """What an answer shows: most often an object of the store."""

    def to_json(self, epoch_ms: int) -> dict[str, Any]:
        """Its JSON."""


Answer = tuple[int, Shown]
"""The HTTP code, and the object the answer shows."""
DEFAULT_NAMESPACE = "default"


class Client:
    """The API server of a cluster, as a client sees it."""

    __slots__ = ("api", "chance", "clock", "options", "release", "store")

    def __init__(self, context: Context, api: ApiServer) -> None:
        self.api = api
        # Of the command that is being carried out.
        self.options = WriteOptions()
        self.clock = context.clock
        self.release = context.release
        self.chance = context.chance
        self.store = context.store

    def find(self, payload: Payload, kind: Kind | None = None) -> StoredObject:
        """The object a payload names, of the payload's kind unless another is given.

        Raises NotFound, and BadRequest where several kinds have that name.
        """
        kind = kind or self.kind_of(payload)
        return self.store.require(kind.id, _namespace_of(kind, payload), payload["name"])

    def kind_of(self, payload: Payload) -> Kind:
        """The kind a payload names. Raises BadRequest where several have that name."""
        return self.api.kind_of(name_kind(payload, self.store.kinds()))

    def find_node(self, payload: Payload) -> StoredObject:
        """The node a payload names. Raises BadRequest, NotFound."""
        name = payload.get("node") or payload.get("name")
        if not name:
            raise BadRequest("node: is required: use the name of a node, such as node-1")
        return self.store.require(NODE_KIND.id, "", name)

    def find_stored(self, data: Payload) -> StoredObject | None:
        """The object that a manifest is about, None when there is none yet."""
        meta, kind = data.get("metadata") or {}, self.api.kind_of(kind_of_json(data))
        return self.store.get(kind.id, _namespace_of(kind, meta), meta.get("name") or "")

    def to_json(self, obj: StoredObject) -> Payload:
        """An object as the API server shows it."""
        return obj.to_json(self.clock.epoch_ms)

    def change(self, old: StoredObject, change: Callable[[Payload], None]) -> Answer:
        """Have `change` edit an object's JSON, and write it back."""
        data = json.loads(json.dumps(self.to_json(old)))
        data["metadata"].pop("resourceVersion", None)
        change(data)
        return 200, self.api.update_json(old, data, options=self.options)


def _namespace_of(kind: Kind, named: Payload) -> str:
    return (named.get("namespace") or DEFAULT_NAMESPACE) if kind.namespaced else ""
