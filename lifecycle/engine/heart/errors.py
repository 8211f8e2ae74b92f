"""What can go wrong, as the API server would say it.

EngineError
├── ApiError            an answer for the one who asked; becomes a Kubernetes Status
│   ├── BadRequest      400 the request cannot be read
│   ├── Forbidden       403 understood and refused
│   ├── NotFound        404 no such object
│   ├── AlreadyExists   409 the name is taken
│   ├── Conflict        409 the object has changed, or its state forbids this
│   ├── RequestEntityTooLarge  413 more than one request may hold
│   ├── UnsupportedMediaType   415 the body is of a form that this object does not take
│   ├── Invalid         422 the object breaks a rule; names every field
│   │   └── Unprocessable   422 the request does not fit the object
│   ├── TooManyRequests 429 not now: a disruption budget does not allow it
│   ├── ServiceUnavailable  503 nobody is there who could answer
│   ├── InternalError   500 the engine itself failed; never something that was asked for
│   └── Unknown         500 what Kubernetes answers where it has no reason for it
└── CheckpointError     a saved cluster that cannot be continued
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

NO_SERVER = "The connection to the server was refused - did you specify the right host or port?"
"""What kubectl says where no API server answers."""


class EngineError(Exception):
    """The root of everything the engine raises on purpose."""


class CheckpointError(EngineError):
    """Saved data that is damaged or of another engine version."""


class ApiError(EngineError):
    """An answer to a command, told as a Kubernetes Status: this is the one place that spells one."""

    code: ClassVar[int]
    reason: ClassVar[str]
    has_details = False
    """Whether there are details even when nothing is in them."""
    is_by_policy = False
    """Whether an admission policy refuses what would be right without it."""

    def __init_subclass__(cls, code: int, reason: str | None = None) -> None:
        """`reason`: the name of the class, unless it is given."""
        cls.code, cls.reason = code, cls.__name__ if reason is None else reason

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
        }
        if self.reason:
            status["reason"] = self.reason
        if details or self.has_details:
            status["details"] = details
        status["code"] = self.code
        return status


class BadRequest(ApiError, code=400):
    """The request cannot be read."""


class Unauthorized(ApiError, code=401):
    """Whoever asks is not let in."""


class Forbidden(ApiError, code=403):
    """Understood and refused."""


class NotFound(ApiError, code=404):
    """No such object."""


class AlreadyExists(ApiError, code=409):
    """The name is taken."""


class Conflict(ApiError, code=409):
    """The object changed meanwhile, or its state forbids this."""


class Invalid(ApiError, code=422):
    """The object breaks a rule."""


class InternalError(ApiError, code=500):
    """The engine itself failed: nobody asked for this. The one answer that a command does not earn."""


class Unprocessable(Invalid, code=422, reason="Invalid"):
    """The request does not fit the object. Kubernetes does not say why."""

    has_details = True

    def __init__(self) -> None:
        super().__init__("the server rejected our request due to an error in our request")


class RequestEntityTooLarge(ApiError, code=413):
    """More than one request may hold."""


class TooManyRequests(ApiError, code=429):
    """Not now; asked again it may be allowed. `retry_seconds`: when to ask, 0 where nobody can say."""

    has_details = True

    def __init__(self, message: str, causes: Sequence[dict[str, str]] = (), retry_seconds: int = 0) -> None:
        super().__init__(message, causes=causes)
        self.retry_seconds = retry_seconds

    def to_status(self) -> dict[str, Any]:
        """The error as a Kubernetes `Status` object, which says when to ask again."""
        status = super().to_status()
        if self.retry_seconds:
            status["details"]["retryAfterSeconds"] = self.retry_seconds
        return status


class ServiceUnavailable(ApiError, code=503):
    """Nobody is there who could answer."""


class UnsupportedMediaType(ApiError, code=415):
    """The body is of a form that this object does not take."""


class Unknown(ApiError, code=500, reason=""):
    """An error that Kubernetes passes on as it is, without a reason."""
