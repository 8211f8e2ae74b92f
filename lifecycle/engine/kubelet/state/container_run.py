"""The state that a kubelet keeps for one container of a pod, as plain data that can be saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...objects.pods.container import Container
from ...objects.pods.probe import Probe
from ...programs import Behavior, HookRun, Process
from ...rules.pods.probe_rules import ProbeState
from .saving import load_map, load_row, save_map, save_row

# Stages of a container. IDLE: nothing under way; its newest run, if any, is in the runtime's record. HELD: a
# sidecar that is to stop when others have.
IDLE, PULLING, STARTING, POST_START, RUNNING, PRE_STOP, HELD, STOPPING = (
    "",
    "pulling",
    "starting",
    "postStart",
    "running",
    "preStop",
    "held",
    "stopping",
)
STILL_WAITS = -1
"""In place of how long a sidecar waited for its turn to stop: that is not over."""
UNTOLD = -1
"""The row of a run that has begun, but is not told of yet."""
FAILED_POST_START_HOOK = "FailedPostStartHook"
_PROBE_DATA = "first_ms last_ms outcome until_ms version timer due_ms seen".split()
_STATE_DATA = "result last_outcome run on_hold".split()
_HOOK_DATA = "kind finished_ms exit_code message task".split()
_RUN_DATA = (
    "stage attempt waiting restart_count ready started delay_ms due_ms pull_tries pull_delay_ms start_tries"
    " killed_with kill_reason grace_seconds override_seconds waited_ms hook_start_ms"
    " stage_timer wake_timer kill_timer process_start_ms told_problems must_restart ended_ms is_lost unsaid"
    " row is_unseen"
).split()


class ProbeRun:
    """One probe of one run: its verdict, the grid of its checks and what the last check saw."""

    __slots__ = (
        "due_ms",
        "first_ms",
        "is_singular",
        "kind",
        "last_ms",
        "outcome",
        "probe",
        "seen",
        "state",
        "timer",
        "until_ms",
        "version",
    )

    def __init__(self, kind: str, probe: Probe, state: ProbeState, first_ms: int) -> None:
        self.kind = kind
        self.probe = probe
        self.state = state
        self.first_ms = first_ms
        self.last_ms: int | None = None
        self.outcome = ""
        self.until_ms: int | None = None
        self.version = -1
        # What it said last no other check says.
        self.is_singular = False
        # The next check that matters: its timer, and when it is due.
        self.timer: tuple[int, bool] | None = None
        self.due_ms: int | None = None
        # What the check under way will have found at its end, and when it began: outcome, message, instant.
        self.seen: tuple[str, str, int] | None = None

    def save(self) -> list[Any]:
        """Plain data."""
        return [save_row(self.state, _STATE_DATA), *save_row(self, _PROBE_DATA)]

    @classmethod
    def load(cls, data: list[Any], kind: str, container: Container) -> ProbeRun:
        """The probe of a kind that `save` described."""
        probe = container.probe(kind)
        assert probe is not None, (container.name, kind)
        run = cls(kind, probe, ProbeState(*data[0]), data[1])
        # Early checkpoints do not say when a check is due, or what it is about to find.
        load_row(run, [*data[1:], None, None][: len(_PROBE_DATA)], _PROBE_DATA)
        return run


class ContainerRun:
    """One container of a pod on its node. Instants and delays in ms."""

    __slots__ = (
        "attempt",
        "behavior",
        "container",
        "delay_ms",
        "due_ms",
        "ended_ms",
        "env",
        "grace_seconds",
        "hook",
        "hook_start_ms",
        "is_lost",
        "is_unseen",
        "kill_reason",
        "kill_timer",
        "killed_with",
        "must_restart",
        "override_seconds",
        "probes",
        "process",
        "process_start_ms",
        "pull_delay_ms",
        "pull_tries",
        "ready",
        "restart_count",
        "row",
        "stage",
        "stage_timer",
        "start_tries",
        "started",
        "told_problems",
        "unsaid",
        "waited_ms",
        "waiting",
        "wake_timer",
    )

    def __init__(self, container: Container) -> None:
        self.container = container
        self.behavior: Behavior | None = None
        self.process: Process | None = None
        self.hook: HookRun | None = None
        self.probes: dict[str, ProbeRun] | None = None
        self.stage = IDLE
        self.attempt = 0
        self.waiting: tuple[str, str] | None = None
        # Why the last sync did not start it: the next sync reports that, and none before
        # (kubelet, reasonCache).
        self.unsaid: tuple[str, str] | None = None
        self.restart_count = 0
        self.ready = False
        self.started: bool | None = False
        self.delay_ms = 0
        self.due_ms = 0
        self.ended_ms = 0
        self.pull_tries = 0
        self.pull_delay_ms = 0
        self.start_tries = 0
        self.killed_with = ""
        self.kill_reason = ""
        self.grace_seconds = 0
        self.override_seconds: int | None = None
        self.waited_ms = 0
        # Since when its hook runs, or it waits for its turn to stop.
        self.hook_start_ms = 0
        self.stage_timer: tuple[int, bool] | None = None
        self.wake_timer: tuple[int, int, bool] | None = None
        self.kill_timer: int | None = None
        self.process_start_ms = 0
        self.told_problems = False
        # Being killed to be started again, whatever its exit code will be.
        self.must_restart = False
        # The environment its process was started with, where others are to be.
        self.env: dict[str, str] | None = None
        # What its process last followed from: the row that told of its start, a hook, a verdict or a signal.
        self.row = 0
        # The runtime has no record any more of the run it last had.
        self.is_lost = False
        # It runs, and its kubelet has not looked at its runtime since it does.
        self.is_unseen = False

    @property
    def is_new(self) -> bool:
        """Whether nothing has happened to it yet."""
        return self.waiting is None and not (self.attempt or self.restart_count or self.ready or self.is_lost)

    @property
    def is_beginning(self) -> bool:
        """Whether its start is under way: until its hook is over, or has failed and it has ended."""
        if self.kill_reason == FAILED_POST_START_HOOK and self.process is not None:
            return True
        return self.stage in (PULLING, STARTING, POST_START)

    @property
    def is_awaited(self) -> bool:
        """Whether a look that has come to it goes no further: it is killed, started again, or in its hook."""
        if self.container.post_start is not None and self.is_beginning:
            return True
        return self.stage in (PRE_STOP, STOPPING) or (self.must_restart and self.stage in (PULLING, STARTING))

    def save(self) -> dict[str, Any]:
        """Plain data."""
        data = {**save_map(self, _RUN_DATA), "image": self.container.image}
        if self.env is not None:
            data["env"] = self.env
        if self.process is not None:
            data["process"] = self.process.save()
        if self.hook is not None:
            data["hook"] = save_row(self.hook, _HOOK_DATA)
        if self.probes:
            data["probes"] = {kind: probed.save() for kind, probed in self.probes.items()}
        return data

    def load(self, data: dict[str, Any], resolve: Callable[[ContainerRun], Behavior]) -> None:
        """Go on from what `save` described; `resolve` tells what the container does."""
        load_map(self, data, _RUN_DATA)
        self.env = data.get("env")
        if "process" in data:
            self.behavior = resolve(self)
            self.process = Process.load(data["process"], self.behavior, self.container)
        if "hook" in data:
            shared = self.process.hooks.get(data["hook"][0]) if self.process is not None else None
            self.hook = shared if shared is not None else HookRun(*data["hook"])
        probes = data.get("probes", {}).items()
        self.probes = {kind: ProbeRun.load(one, kind, self.container) for kind, one in probes} or None


def with_resources(container: Container, resources: dict[str, Any] | None) -> Container:
    """A container as it is, but for what it asks of its node."""
    return Container({**container.raw, "resources": resources}, container.section)


def begin_back_off_anew(run: ContainerRun, changed: Container, next_delay_ms: int) -> None:
    """A back-off is that of one image and what it asks for (GetBackoffKey); that of a pull is its image's."""
    former = run.container
    is_other_image = changed.image != former.image
    if not is_other_image and changed.raw.get("resources") == former.raw.get("resources"):
        return
    if is_other_image or not run.pull_delay_ms:
        run.due_ms = run.pull_delay_ms = run.pull_tries = 0
    run.delay_ms = next_delay_ms if run.attempt else 0
