"""Probes as a container's spec gives them, defaults filled in as the API server does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ..record import Record

EXEC, HTTP, TCP, GRPC = "exec", "http", "tcp", "grpc"
LIVENESS, READINESS, STARTUP = "liveness", "readiness", "startup"
_HANDLERS = (("exec", EXEC), ("httpGet", HTTP), ("tcpSocket", TCP), ("grpc", GRPC))


@dataclass(slots=True, eq=False)
class Probe(Record):
    """One probe. Every field in whole seconds is named so; `handler` is the raw JSON of its mechanism."""

    kind: str
    handler: dict[str, Any]
    initial_delay_seconds: int = 0
    timeout_seconds: int = 1
    period_seconds: int = 10
    success_threshold: int = 1
    failure_threshold: int = 3
    termination_grace_seconds: int | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None) -> Probe | None:
        """Read a probe; None for an absent one. Zero and absent numbers take the API's defaults."""
        if data is None:
            return None
        kind, handler = "", {}
        for field, name in _HANDLERS:
            if data.get(field) is not None:
                kind, handler = name, data[field]
        return cls(
            kind,
            handler,
            data.get("initialDelaySeconds") or 0,
            data.get("timeoutSeconds") or 1,
            data.get("periodSeconds") or 10,
            data.get("successThreshold") or 1,
            data.get("failureThreshold") or 3,
            data.get("terminationGracePeriodSeconds"),
        )
