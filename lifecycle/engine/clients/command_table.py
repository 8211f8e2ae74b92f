"""Which kind of command is whose: a client's, or that of a part of the cluster that is asked directly."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..api.commands import VERSION, Command
from ..api.context import API_SERVER, Context
from ..api.options import WriteOptions, read_options
from ..api.payloads import PAYLOADS, check_payload
from ..api.server import ApiServer
from ..heart.errors import NO_SERVER, BadRequest, ServiceUnavailable
from . import verbs
from .apply import apply
from .client import Answer, Client, Payload
from .nodes import cordon, taint, uncordon

Handler = Callable[[Payload], Answer]

# What few runs ask for is loaded when it is asked for.


def _bind(client: Client, payload: Payload) -> Answer:
    from .bind import bind

    return bind(client, payload)


def _draw_from(client: Client, payload: Payload) -> Answer:
    """Only who compares futures asks for it."""
    from .chance import draw_from

    return draw_from(client, payload)


def _roll_out(client: Client, payload: Payload) -> Answer:
    from .rollout import rollout

    return rollout(client, payload)


def _set_image(client: Client, payload: Payload) -> Answer:
    from .set_image import set_image

    return set_image(client, payload)


_OF_CLIENTS: dict[str, Callable[[Client, Payload], Answer]] = {
    "create": verbs.create,
    "apply": apply,
    "replace": verbs.replace,
    "patch": verbs.patch,
    "delete": verbs.delete,
    "scale": verbs.scale,
    "setImage": _set_image,
    "rollout": _roll_out,
    "evict": verbs.evict,
    "bind": _bind,
    "cordon": cordon,
    "uncordon": uncordon,
    "taint": taint,
    "chance": _draw_from,
}

_UNHEARD = ("chance", "fault", "staticPod")
"""What reaches a cluster although no API server is there."""


class CommandTable:
    """Carries commands out. `others` are the handlers of those that no client sends to the API server."""

    __slots__ = ("_away", "_client", "_context", "_handlers", "_release", "_store")

    def __init__(self, context: Context, api: ApiServer, others: dict[str, Handler]) -> None:
        self._client = client = Client(context, api)
        self._context = context
        self._store, self._away, self._release = context.store, context.away, context.release
        own = {kind: partial(handler, client) for kind, handler in _OF_CLIENTS.items()}
        self._handlers: dict[str, Handler] = {**own, **others}
        assert self._handlers.keys() == PAYLOADS.keys(), "a command is either unread or not carried out"

    @property
    def warnings(self) -> list[str]:
        """What the last command was warned of while it was carried out."""
        return self._client.options.warnings

    def run(self, command: Command) -> Answer:
        """Carry a command out, or rehearse it where it is a dry run. Raises ApiError."""
        if command.version > VERSION:
            raise BadRequest(f"command version {command.version}: this engine reads up to {VERSION}")
        self._client.options = WriteOptions()
        check_payload(command.kind, command.payload, self._release)
        self._client.options = read_options(command.kind, command.payload)
        if API_SERVER in self._away and command.kind not in _UNHEARD:
            raise ServiceUnavailable(NO_SERVER)
        self._context.writer = self._client.options
        try:
            return self._carry_out(command)
        finally:
            self._context.writer = None

    def _carry_out(self, command: Command) -> Answer:
        handler = self._handlers[command.kind]
        if command.kind in _OF_CLIENTS and (command.payload.get("request") or {}).get("dryRun"):
            with self._store.rehearse():
                return handler(command.payload)
        return handler(command.payload)
