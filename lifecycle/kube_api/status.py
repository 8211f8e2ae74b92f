"""Refusals as the API server words them: each is an exception, and told as a Kubernetes `Status`."""

from collections.abc import Sequence
from typing import Any

from lifecycle.kube_api.describing.resource import Resource
from lifecycle.limits import Exceeded

Json = dict[str, Any]


class Refusal(Exception):
    """An answer that is no object: its code, and the Status that says why."""

    def __init__(self, code: int, message: str, reason: str = "", details: Json | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.reason, self.details = code, message, reason, details
        self.headers: dict[str, str] = {}
        self.metadata: Json = {}
        self.warnings: Sequence[str] = ()

    @classmethod
    def of_status(cls, status: Json, warnings: Sequence[str] = ()) -> "Refusal":
        """What the engine refused, as it says it, and what it had warned of by then."""
        refusal = cls(status["code"], status["message"], status.get("reason", ""), status.get("details"))
        refusal.warnings = warnings
        seconds = (refusal.details or {}).get("retryAfterSeconds")
        if seconds:
            refusal.headers["Retry-After"] = str(seconds)
        return refusal

    def to_status(self) -> Json:
        """The Status, its keys in the order in which the API server writes them."""
        status: Json = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": self.metadata,
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if self.details is not None:
            status["details"] = self.details
        return status | {"code": self.code}


class NoSuchPath(Exception):
    """Not of the API at all: answered in plain text, as by the server's mux."""


def bad_request(message: str) -> Refusal:
    return Refusal(400, message, "BadRequest")


def unauthorized() -> Refusal:
    return Refusal(401, "Unauthorized", "Unauthorized")


def forbidden(message: str, details: Json | None = None) -> Refusal:
    return Refusal(403, message, "Forbidden", details or {})


def no_such_resource() -> Refusal:
    return Refusal(404, "the server could not find the requested resource", "NotFound", {})


def method_not_allowed() -> Refusal:
    message = "the server does not allow this method on the requested resource"
    return Refusal(405, message, "MethodNotAllowed", {})


def not_found(resource: Resource, name: str) -> Refusal:
    return Refusal(404, f'{resource.qualified} "{name}" not found', "NotFound", about(resource, name))


def about(resource: Resource, name: str) -> Json:
    """The details that say which object a Status is about; `kind` is the resource's name."""
    details = {"name": name} if name else {}
    if resource.group:
        details["group"] = resource.group
    return {**details, "kind": resource.name}


def exceeded(excess: Exceeded) -> Refusal:
    """More than one user may have, as a quota says it, or send, as a server that is busy: again later."""
    if excess.code == 403:
        return forbidden(str(excess))
    details = {"retryAfterSeconds": excess.seconds}
    refusal = Refusal(429, str(excess), "TooManyRequests", details)
    refusal.headers["Retry-After"] = str(excess.seconds)
    return refusal


def internal_error(message: str) -> Refusal:
    """What the API server cannot read of its own objects, in its words: `Internal error occurred: …`."""
    cause = message.removeprefix("Internal error occurred: ")
    return Refusal(500, message, "InternalError", {"causes": [{"message": cause}]})


def unknown(message: str) -> Refusal:
    """What the API server passes on without a reason of its own."""
    return Refusal(500, message)
