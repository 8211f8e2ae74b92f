"""What a container does: the plans a kubelet follows, as immutable data.

`Declared` is one source's wish list, where None means "not given here": an annotation, a profile, a known
image. `Behavior` is the complete answer, made by laying sources over each other (`resolve.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from lifecycle.lean_dataclasses import dataclass, field, fields

from .durations import NOTHING, Duration
from .script import Script

SUCCESS = "success"
FAILURE = "failure"
UNKNOWN = "unknown"
PROBE_TYPES = ("readiness", "liveness", "startup")


@dataclass(frozen=True, slots=True)
class PullPlan:
    """The image pull: how long it takes (None: the timing table decides), or how often it fails first."""

    takes: Duration | None = None
    error: str | None = None
    times: int | None = None

    def has_error(self, tries_before: int) -> bool:
        """Whether the next try fails, after so many tries; without `times` every try fails."""
        return self.error is not None and (self.times is None or tries_before < self.times)


@dataclass(frozen=True, slots=True)
class StartPlan(PullPlan):
    """Creating and starting the container: how long it takes, or how often it fails first."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """One run of the main process. `for_` None is for ever; `reason` None lets the exit code decide."""

    for_: Duration | None = None
    exit: int = 0
    reason: str | None = None
    says: str = ""
    """A line of its log."""


FOREVER = RunPlan()


@dataclass(frozen=True, slots=True)
class TermPlan:
    """What the main process does on its stop signal: ends after `takes` with `exit`, or ignores it.

    From the signal on it takes no new connections, unless it `accepts` them to its end; requests that are
    under way it `finishes` while it lives, or drops at once. One that `waits` for them is known to end when
    they are done: `takes` is then what it takes without any.
    """

    takes: Duration = NOTHING
    exit: int = 0
    ignore: bool = False
    accepts: bool = False
    finishes: bool = True
    waits: bool = False


EXITS_AT_ONCE = TermPlan()
IGNORES = TermPlan(ignore=True)


@dataclass(frozen=True, slots=True)
class ProbePoint:
    """From `at` (counted from the container's start) on, a probe of this type sees `result`."""

    at: Duration
    result: str
    message: str | None = None


@dataclass(frozen=True, slots=True)
class HookPlan:
    """A lifecycle hook: how long it takes and with what it ends (0 is success)."""

    takes: Duration = NOTHING
    exit: int = 0


@dataclass(frozen=True, slots=True)
class UsagePoint:
    """From `at` on, the container uses this much; None leaves what held before."""

    at: Duration
    cpu_milli: int | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """From `at_ms` after the start on, HTTP requests are answered with `status`."""

    at_ms: int
    status: int


@dataclass(frozen=True, slots=True)
class Declared:
    """What one source says of one container; None where it says nothing."""

    pull: PullPlan | None = None
    start: StartPlan | None = None
    runs: tuple[RunPlan, ...] | None = None
    on_term: TermPlan | None = None
    probes: Mapping[str, tuple[ProbePoint, ...]] | None = None
    pre_stop: HookPlan | None = None
    post_start: HookPlan | None = None
    usage: tuple[UsagePoint, ...] | None = None
    listens_after: Duration | None = None
    creates: tuple[str, ...] | None = None

    def over(self, lower: Declared) -> Declared:
        """This source laid over a weaker one: each part given here wins, probes type by type."""
        mine = {name: getattr(self, name) for name in fields(self)}
        merged = {name: getattr(lower, name) if value is None else value for name, value in mine.items()}
        if self.probes is not None and lower.probes is not None:
            merged["probes"] = {**lower.probes, **self.probes}
        return Declared(**merged)


@dataclass(frozen=True, slots=True)
class Behavior:
    """All that is known of what one container does. Shared between the pods of a template: never changed."""

    pull: PullPlan = PullPlan()
    start: StartPlan = StartPlan()
    runs: tuple[RunPlan, ...] = (FOREVER,)
    on_term: TermPlan | None = None
    """None: the script decides."""
    probes: Mapping[str, tuple[ProbePoint, ...]] = field(default_factory=dict)
    pre_stop: HookPlan | None = None
    post_start: HookPlan | None = None
    usage: tuple[UsagePoint, ...] = ()
    creates: tuple[str, ...] = ()
    """Objects, as JSON, that its program makes through the API when it ends with 0."""
    script: Script | None = None
    """What the main process runs. None: `runs` says how the process lives."""
    missing_program: str = ""
    """What is to be run, where the image surely has no such program: the runtime then cannot start it."""
    stop_signal: str | None = None
    """The image's own stop signal; a container's `lifecycle.stopSignal` beats it."""
    ports: tuple[int, ...] = ()
    """Ports the program listens on once ready; empty: every port answers."""
    binds: tuple[int, ...] = ()
    """Ports that another container of the pod may hold already: the program then ends with an error."""
    paths: tuple[str, ...] = ()
    """HTTP paths that answer; empty: all do. Others give 404."""
    answers: tuple[Answer, ...] = (Answer(0, 200),)
    speaks_grpc: bool = True
    """Whether its ports answer a gRPC health check, too."""
    plain_http: tuple[int, ...] = ()
    """Ports of which it is known that they speak HTTP, and no TLS."""
    ready_after: Duration | None = None
    """From the start until the program listens; None: at once."""
    is_opaque: bool = True
    """Nothing is known of the files inside: exec checks that need them are taken as the program's health."""
    is_silent: bool = False
    """It is known to open no port."""
    taken_as: str = ""
    """What its image is taken to be by a guess, and what follows."""
    is_assumed: bool = False
    """Nothing is known of its program: it is taken to start, to go on running and to answer on every port."""
    may_call_api: bool = False
    """Nothing is known of a program that is there to end and has the token of an account of its own."""
    unread: str = ""
    """What a script that cannot be read to its end is taken to do, and what of it cannot be."""
    assumptions: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """What could not be interpreted, with its fallback: a Warning event each."""

    @property
    def may_not_start(self) -> bool:
        """Whether the runtime may find its program to be none."""
        return bool(self.missing_program) or (self.script is not None and self.script.is_in_volume)

    def run_plan(self, attempt: int) -> RunPlan:
        """The plan of the run numbered `attempt` from 0; the last one repeats."""
        return self.runs[min(attempt, len(self.runs) - 1)]
