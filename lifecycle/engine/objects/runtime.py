"""What a node's container runtime reports of a pod: the observed side of the kubelet's decisions."""

from __future__ import annotations

from .record import Record

CREATED, RUNNING, EXITED, UNKNOWN = "created", "running", "exited", "unknown"


class RuntimeContainer(Record):
    """The newest run of one container. Instants in ms. `attempt` counts earlier runs in this pod."""

    __slots__ = (
        "attempt",
        "created_ms",
        "exit_code",
        "finished_ms",
        "id",
        "image",
        "message",
        "name",
        "reason",
        "signal",
        "started_ms",
        "state",
    )

    def __init__(
        self,
        name: str,
        id: str = "",
        state: str = CREATED,
        exit_code: int = 0,
        reason: str = "",
        message: str = "",
        signal: int = 0,
        created_ms: int = 0,
        started_ms: int = 0,
        finished_ms: int = 0,
        image: str = "",
        attempt: int = 0,
    ) -> None:
        self.name = name
        self.id = id
        self.state = state
        self.exit_code = exit_code
        self.reason = reason
        self.message = message
        self.signal = signal
        self.created_ms = created_ms
        self.started_ms = started_ms
        self.finished_ms = finished_ms
        self.image = image
        self.attempt = attempt


class RuntimePod(Record):
    """A pod's sandbox and the newest run of each of its containers, by name."""

    __slots__ = ("containers", "sandbox_attempt", "sandbox_id", "sandbox_ip", "sandbox_ready")

    def __init__(
        self,
        sandbox_id: str = "",
        sandbox_ready: bool = False,
        sandbox_attempt: int = 0,
        sandbox_ip: str = "",
        containers: dict[str, RuntimeContainer] | None = None,
    ) -> None:
        self.sandbox_id = sandbox_id
        self.sandbox_ready = sandbox_ready
        self.sandbox_attempt = sandbox_attempt
        self.sandbox_ip = sandbox_ip
        self.containers = containers if containers is not None else {}
