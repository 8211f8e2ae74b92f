"""What can go wrong, as the API server would say it.

EngineError
├── ApiError            an answer for the one who asked; becomes a Kubernetes Status
│   ├── BadRequest      400 the request cannot be read
│   ├── Forbidden       403 understood and refused
│   ├── NotFound        404 no such object
│   ├── AlreadyExists   409 the name is taken
│   ├── Conflict        409 the object has changed, or its state forbids this
│   ├── Invalid         422 the object breaks a rule; names every field
│   └── InternalError   500 the engine itself failed; never something that was asked for
└── CheckpointError     a saved cluster that cannot be continued
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class EngineError(Exception):
    """The root of everything the engine raises on purpose."""


class CheckpointError(EngineError):
    """Saved data that is damaged or of another engine version."""


class ApiError(EngineError):
    """An answer to a command, told as a Kubernetes Status: this is the one place that spells one."""

    code = 500
    reason = "InternalError"

    def __init__(
        self,
        message: str,
        kind: str = "",
        name: str = "",
        causes: Sequence[dict[str, str]] = (),
        group: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.name = name
        self.group = group
        self.causes = list(causes)

    def to_status(self) -> dict[str, Any]:
        """The error as a Kubernetes `Status` object."""
        details: dict[str, Any] = {}
        for field, value in (("name", self.name), ("group", self.group), ("kind", self.kind)):
            if value:
                details[field] = value
        if self.causes:
            details["causes"] = self.causes
        status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
        }
        if details:
            status["details"] = details
        status["code"] = self.code
        return status


class BadRequest(ApiError):
    """The request cannot be read."""

    code = 400
    reason = "BadRequest"


class Forbidden(ApiError):
    """Understood and refused."""

    code = 403
    reason = "Forbidden"


class NotFound(ApiError):
    """No such object."""

    code = 404
    reason = "NotFound"


class AlreadyExists(ApiError):
    """The name is taken."""

    code = 409
    reason = "AlreadyExists"


class Conflict(ApiError):
    """The object changed meanwhile, or its state forbids this."""

    code = 409
    reason = "Conflict"


class Invalid(ApiError):
    """The object breaks a rule."""

    code = 422
    reason = "Invalid"


class InternalError(ApiError):
    """The engine itself failed: nobody asked for this. The one answer that a command does not earn."""
