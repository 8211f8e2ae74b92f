"""What a node's container runtime reports of a pod: the observed side of the kubelet's decisions."""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass, field

from ..record import Record

CREATED, RUNNING, EXITED, UNKNOWN = "created", "running", "exited", "unknown"


@dataclass(slots=True, eq=False)
class RuntimeContainer(Record):
    """The newest run of one container. Instants in ms. `attempt` counts earlier runs in this pod."""

    name: str
    id: str = ""
    state: str = CREATED
    exit_code: int = 0
    reason: str = ""
    message: str = ""
    signal: int = 0
    created_ms: int = 0
    started_ms: int = 0
    finished_ms: int = 0
    image: str = ""
    attempt: int = 0

    def ended(self, code: int, reason: str, signal: int, finished_ms: int) -> RuntimeContainer:
        """The record of the run once it has ended."""
        return RuntimeContainer(
            self.name,
            self.id,
            EXITED,
            code,
            reason,
            self.message,
            signal,
            self.created_ms,
            self.started_ms,
            finished_ms,
            self.image,
            self.attempt,
        )


@dataclass(slots=True, eq=False)
class RuntimePod(Record):
    """A pod's sandbox and the newest run of each of its containers, by name."""

    sandbox_id: str = ""
    sandbox_ready: bool = False
    sandbox_attempt: int = 0
    sandbox_ip: str = ""
    containers: dict[str, RuntimeContainer] = field(default_factory=dict)

    def torn_down(self) -> RuntimePod:
        """The same with a sandbox that is there no more."""
        return RuntimePod(self.sandbox_id, False, self.sandbox_attempt, self.sandbox_ip, self.containers)
