"""What a program may see of the cluster around it, and what it hands back. No program sees more than this.

The kubelet makes a `World` for a container and passes it with every call; programs keep no reference to it,
so that a program can be saved at any instant.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from .file_system import Mount
    from .process_namespace import ProcessNamespace


class PodFacts(NamedTuple):
    """The pod a program runs in, as its own process sees it."""

    name: str
    namespace: str
    uid: str
    ip: str
    node: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


class Limits(NamedTuple):
    """The container's limits; None where there is none. CPU in thousandths, memory in bytes."""

    cpu_milli: int | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """As whom the container's processes run, inside it. `capabilities`: without `CAP_`."""

    user: int = 0
    groups: tuple[int, ...] = (0,)
    user_name: str = "root"
    capabilities: tuple[str, ...] = ()
    has_user_namespace: bool = False


@dataclass(frozen=True, slots=True)
class ConnectResult:
    """One connection attempt: `connected`, or `refused` (nobody listens), or `timeout` (no answer at all).

    `takes_ms` is how long the attempt and the answer took; `status` and `body` are the HTTP answer, where the
    peer speaks HTTP. `is_assumed`: of the peer nothing is known, so that it is taken to answer on every port.
    """

    outcome: str
    takes_ms: int = 0
    status: int = 200
    body: str = ""
    is_assumed: bool = False

    @property
    def is_connected(self) -> bool:
        return self.outcome == "connected"

    @property
    def is_held(self) -> bool:
        """Whether somebody surely listens there, so that nobody else can."""
        return self.is_connected and not self.is_assumed


class World(Protocol):
    """Given by the kubelet, valid for one call at one instant."""

    @property
    def pod(self) -> PodFacts: ...

    @property
    def env(self) -> Mapping[str, str]:
        """The container's environment, references and downward API already resolved."""
        ...

    @property
    def limits(self) -> Limits: ...

    @property
    def identity(self) -> Identity: ...

    @property
    def kernel_files(self) -> Mapping[str, str]:
        """What the kernel tells the container about itself: text by absolute path."""
        ...

    @property
    def epoch_ms(self) -> int:
        """Unix time, in ms, of instant 0: what `date` shows is this plus the instant."""
        ...

    @property
    def volumes(self) -> Sequence["Mount"]:
        """The container's mounts. Layers are shared: what one container writes, the others see."""
        ...

    @property
    def processes(self) -> "ProcessNamespace | None":
        """The process ids shared with the pod's other containers; None where the container has its own."""
        ...

    def draw(self, purpose: str, *key: object) -> float:
        """Chance in [0, 1) by key; the pod and container are not added to the key here."""
        ...

    def resolve(self, host: str) -> str | None:
        """The address a name has in cluster DNS now; None when there is no such name."""
        ...

    def connect(self, host: str, port: int, now_ms: int) -> ConnectResult:
        """What a connection from this pod to that address would meet now."""
        ...


class ProbeSpec(Protocol):
    """The part of a probe that a program needs to answer it."""

    @property
    def kind(self) -> str: ...
    @property
    def handler(self) -> Mapping[str, Any]: ...
    @property
    def timeout_seconds(self) -> int: ...


class ContainerSpec(Protocol):
    """The part of a container that decides what it does."""

    @property
    def name(self) -> str: ...
    @property
    def image(self) -> str: ...
    @property
    def command(self) -> Sequence[str] | None: ...
    @property
    def args(self) -> Sequence[str] | None: ...
    @property
    def raw(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Exit:
    """The end of a process. `reason` None: the exit code says it (Completed or Error)."""

    at_ms: int
    code: int
    reason: str | None = None
    signal: int | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """What one check would see now.

    `takes_ms` is how long the check runs (the kubelet compares it with the probe's timeout). `until_ms` is
    the instant until which the answer surely stays the same; None is for ever, unless the process' `version`
    changes. An answer that rests on a volume others may write to (`sees_volumes`) is certain for now only.
    """

    result: str
    message: str = ""
    takes_ms: int = 0
    until_ms: int | None = None
    sees_volumes: bool = False


@dataclass(slots=True)
class HookRun:
    """A lifecycle hook under way. `finished_ms` None: not known yet; ask again after the process has run."""

    kind: str
    finished_ms: int | None
    exit_code: int = 0
    message: str = ""
    task: int | None = None
    """The process inside the container that runs it, while it runs."""
