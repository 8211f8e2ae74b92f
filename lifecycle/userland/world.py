"""What a program may see of the world around its container, and how it ends. No program sees more than this.

Whoever runs a container makes a `World` for it and passes it with every call; programs keep no reference to
it, so that a program can be saved at any instant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass
from lifecycle.lean_tuples import NamedTuple

from .crowd import Crowd
from .file_layers import FileLayer, Mount
from .process_namespace import ProcessNamespace
from .rights import Rights
from .saved import Saved

_ADDRESS = late_pattern(r"\d+\.\d+\.\d+\.\d+|\[?[0-9a-fA-F:]+:[0-9a-fA-F:]*\]?")


class PodFacts(NamedTuple):
    """The pod a program runs in, as its own process sees it."""

    name: str
    namespace: str
    uid: str
    ip: str
    node: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    host_name: str = ""
    domain: str = ""
    node_ip: str = ""

    @property
    def host(self) -> str:
        """What its system calls itself: the pod's name unless it has been given another."""
        return self.host_name or self.name

    @property
    def full_host(self) -> str:
        """The same with its domain, if it stands in one."""
        is_full = not self.domain or self.host.endswith(f".{self.domain}")
        return self.host if is_full else f"{self.host}.{self.domain}"


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
        """Whether somebody answered."""
        return self.outcome == "connected"

    @property
    def is_held(self) -> bool:
        """Whether somebody surely listens there, so that nobody else can."""
        return self.is_connected and not self.is_assumed


class World(Protocol):
    """Valid for one call at one instant."""

    @property
    def pod(self) -> PodFacts:
        """The pod the container is of."""

    @property
    def pod_uid(self) -> str:
        """Its uid alone: what chance is keyed by."""

    @property
    def env(self) -> Mapping[str, str]:
        """The container's environment, references and downward API already resolved."""

    @property
    def given_env(self) -> Mapping[str, str]:
        """The part of it that is not the image's own."""

    @property
    def limits(self) -> Limits:
        """What the container may use at most."""

    @property
    def identity(self) -> Identity:
        """As whom its processes run."""

    @property
    def message_path(self) -> str:
        """The file for its last words, which anybody may write."""

    @property
    def crowd(self) -> Crowd:
        """The work of all containers of its cluster."""

    @property
    def runtime_files(self) -> Mapping[str, str]:
        """What was put into the container before it started: text by absolute path."""

    @property
    def kernel_files(self) -> Mapping[str, str]:
        """What the kernel tells the container about itself: text by absolute path."""

    @property
    def image_files(self) -> FileLayer:
        """What the image holds, shared by all its containers: never written to."""

    @property
    def epoch_ms(self) -> int:
        """Unix time, in ms, of instant 0: what `date` shows is this plus the instant."""

    @property
    def volumes(self) -> Sequence[Mount]:
        """The container's mounts. Layers are shared: what one container writes, the others see."""

    @property
    def is_root_read_only(self) -> bool:
        """Whether nothing can be written outside of the mounts."""

    @property
    def processes(self) -> ProcessNamespace | None:
        """The process ids shared with the pod's other containers; None where the container has its own."""

    def lacks(self, command: str) -> bool:
        """Whether the image surely has no such program: a word, or a path."""

    def draw(self, purpose: str, *key: object) -> float:
        """Chance in [0, 1) by key; the pod and container are not added to the key here."""

    def resolve(self, host: str) -> str | None:
        """The first address a name has in cluster DNS now; None when there is no such name."""

    def resolve_all(self, host: str) -> Sequence[str]:
        """All of them."""

    def find_services(self, name: str) -> Sequence[tuple[str, int]]:
        """Hosts and ports of a name of the form `_http._tcp.web`: its SRV records."""

    def connect(self, host: str, port: int, now_ms: int) -> ConnectResult:
        """What a connection from this pod to that address would meet now."""


def rights_of(world: World) -> Rights:
    """What the container's processes may do with files."""
    return Rights(world.identity.user, world.identity.groups, world.message_path)


def is_address(host: str) -> bool:
    """Whether this is an address, which nobody looks up."""
    return host == "localhost" or _ADDRESS.fullmatch(host) is not None


def is_own_host(world: World, host: str) -> bool:
    """Whether a host is the pod itself."""
    pod = world.pod
    own = (pod.ip, pod.name, pod.host, pod.full_host)
    return host in ("localhost", "127.0.0.1", "[::1]", "::1", *own)


OOM_KILLED = "OOMKilled"
"""Why a process ended that used more memory than it may."""


@dataclass(frozen=True, slots=True)
class Exit(Saved):
    """The end of a process. `reason` None: the exit code says it (Completed or Error)."""

    at_ms: int
    code: int
    reason: str | None = None
    signal: int | None = None
