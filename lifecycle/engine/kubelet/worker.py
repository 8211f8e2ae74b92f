"""What a kubelet keeps of one pod: plain data, savable at any drained instant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..objects.codec import decode, encode
from ..objects.container import Container, ContainerState
from ..objects.pod import Pod, PodSpec
from ..objects.pod_status import PodStatus
from ..objects.runtime import RuntimeContainer, RuntimePod
from ..programs import Behavior, FileLayer, HookRun, Process, ProcessNamespace
from ..rules.probe_rules import ProbeState

# Stages of a pod.
WAITING, SYNCING, TERMINATING, TERMINATED = "waiting", "syncing", "terminating", "terminated"
STAGES = (WAITING, SYNCING, TERMINATING, TERMINATED)
# Stages of a container. IDLE: nothing under way; its newest run, if any, is in the runtime's record.
IDLE, PULLING, STARTING, POST_START, RUNNING, PRE_STOP, STOPPING = (
    "",
    "pulling",
    "starting",
    "postStart",
    "running",
    "preStop",
    "stopping",
)
# Stages of a resize: asked for, held back, being applied, waiting for containers that restart for it.
ASKED, DEFERRED, INFEASIBLE, APPLYING, FINISHING = "Asked", "Deferred", "Infeasible", "Applying", "Finishing"
NO_CPUS: Mapping[str, tuple[int, ...]] = {}


class ProbeRun:
    """One probe of one run: its verdict, the grid of its checks and what the last check saw."""

    __slots__ = ("due_ms", "first_ms", "last_ms", "outcome", "state", "timer", "until_ms", "version")

    def __init__(self, state: ProbeState, first_ms: int) -> None:
        self.state = state
        self.first_ms = first_ms
        self.last_ms: int | None = None
        self.outcome = ""
        self.until_ms: int | None = None
        self.version = -1
        # The next check that matters: its timer, and when it is due.
        self.timer: tuple[int, bool] | None = None
        self.due_ms: int | None = None

    def save(self) -> list[Any]:
        state = self.state
        return [
            [state.result, state.last_outcome, state.run, state.on_hold],
            self.first_ms,
            self.last_ms,
            self.outcome,
            self.until_ms,
            self.version,
            self.timer,
            self.due_ms,
        ]

    @classmethod
    def load(cls, data: list[Any]) -> ProbeRun:
        run = cls(ProbeState(*data[0]), data[1])
        run.last_ms, run.outcome, run.until_ms, run.version = data[2:6]
        run.timer = (data[6][0], data[6][1]) if data[6] else None
        run.due_ms = data[7] if len(data) > 7 else None
        return run


_RUN_DATA = (
    "stage attempt waiting restart_count ready started delay_ms due_ms pull_tries pull_delay_ms start_tries"
    " killed_with kill_reason grace_seconds override_seconds waited_ms hook_start_ms"
    " stage_timer wake_timer kill_timer process_start_ms told_problems must_restart ended_ms is_lost"
).split()


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
        "stage",
        "stage_timer",
        "start_tries",
        "started",
        "told_problems",
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
        # The runtime has no record any more of the run it last had.
        self.is_lost = False

    @property
    def is_new(self) -> bool:
        """Whether nothing has happened to it yet."""
        return self.waiting is None and not (self.attempt or self.restart_count or self.ready or self.is_lost)

    def save(self) -> dict[str, Any]:
        data: dict[str, Any] = {name: getattr(self, name) for name in _RUN_DATA}
        data["image"] = self.container.image
        if self.env is not None:
            data["env"] = self.env
        if self.process is not None:
            data["process"] = self.process.save()
        if self.hook is not None:
            hook = self.hook
            data["hook"] = [hook.kind, hook.finished_ms, hook.exit_code, hook.message, hook.task]
        if self.probes:
            data["probes"] = {kind: probe.save() for kind, probe in self.probes.items()}
        return data

    def load(self, data: dict[str, Any], resolve: Callable[[ContainerRun], Behavior]) -> None:
        for name in _RUN_DATA:
            value = data[name]
            setattr(self, name, tuple(value) if isinstance(value, list) else value)
        self.env = data.get("env")
        if "process" in data:
            self.behavior = resolve(self)
            self.process = Process.load(data["process"], self.behavior, self.container)
        if "hook" in data:
            shared = self.process.hooks.get(data["hook"][0]) if self.process is not None else None
            self.hook = shared if shared is not None else HookRun(*data["hook"])
        if "probes" in data:
            self.probes = {kind: ProbeRun.load(entry) for kind, entry in data["probes"].items()}


class PodWorker:
    """One pod on its node."""

    __slots__ = (
        "deadline_timer",
        "evicted",
        "exclusive_cpus",
        "first_host_id",
        "grace_end_timer",
        "grace_seconds",
        "has_changed",
        "has_initialized",
        "ip",
        "is_renewing",
        "is_reported",
        "must_act",
        "node",
        "processes",
        "resize",
        "runs",
        "runtime",
        "sandbox_failed_ms",
        "spec",
        "stage",
        "stage_timer",
        "stop_reason",
        "stop_started_ms",
        "told",
        "uid",
        "untold_ends",
        "volumes",
    )

    def __init__(self, pod: Pod) -> None:
        self.uid = pod.meta.uid
        self.node = pod.node_name
        self.spec: PodSpec = pod.spec
        self.stage = WAITING
        self.runtime = RuntimePod()
        self.runs: dict[str, ContainerRun] = {}
        for container in pod.spec.all_containers:
            self.runs[container.name] = ContainerRun(container)
        self.stage_timer: int | None = None
        self.ip = ""
        self.is_reported = False
        # The status it reported last and the facts that made it, while these are those of a first start.
        self.told: tuple[PodStatus, tuple[bool, bool, bool, bool | None]] | None = None
        # What the next look has to do: tell a changed status, decide what to start or stop.
        self.has_changed = True
        self.must_act = True
        self.has_initialized = False
        self.stop_started_ms = 0
        self.stop_reason = ""
        self.grace_seconds = 0
        self.grace_end_timer: int | None = None
        self.deadline_timer: int | None = None
        # Why it is ended by its kubelet: reason, message, and the grace it is given if not its own.
        self.evicted: tuple[str, str, int | None] | None = None
        # Numbers of the CPUs that containers have for themselves, by container.
        self.exclusive_cpus: Mapping[str, tuple[int, ...]] = NO_CPUS
        # Where its block of ids on the node begins, if it has a user namespace.
        self.first_host_id: int | None = None
        # The sandbox was lost and what ran in it is being stopped; since when none could be made.
        self.is_renewing = False
        self.resize = ""
        self.sandbox_failed_ms: int | None = None
        self.volumes: dict[str, FileLayer] | None = None
        # The last two ends of each container that a cut-off kubelet has yet to tell.
        self.untold_ends: dict[str, tuple[ContainerState, ...]] | None = None
        # The process ids its containers share, where they do, for the life of a sandbox.
        self.processes: ProcessNamespace | None = None

    def keep_untold(self, name: str, end: ContainerState) -> None:
        """A run has ended that the API server cannot hear of now."""
        ends = self.untold_ends = self.untold_ends or {}
        ends[name] = (*ends.get(name, ())[-1:], end)

    def forget_told(self) -> None:
        """The status has been told; of a container in its postStart hook it is told when that is over."""
        ends = (self.untold_ends or {}).items()
        self.untold_ends = {name: end for name, end in ends if self.runs[name].stage == POST_START} or None

    def drop_timers(self, cancel: Callable[[int], None]) -> None:
        """Cancel the timers of the pod as a whole."""
        for number in (self.stage_timer, self.grace_end_timer, self.deadline_timer):
            if number is not None:
                cancel(number)
        self.stage_timer = self.grace_end_timer = self.deadline_timer = None

    def follow_spec(self, spec: PodSpec) -> None:
        """Take a changed spec: new images, added ephemeral containers."""
        self.spec, self.told = spec, None
        for container in spec.all_containers:
            run = self.runs.get(container.name)
            if run is None:
                self.runs[container.name] = ContainerRun(container)
                continue
            if self.resize or run.container.raw.get("resources") != container.raw.get("resources"):
                self.resize = ASKED
            self.take_container(run)

    def take_container(self, run: ContainerRun) -> None:
        """Have a container that does not run go by what the spec says now, but for amounts it has not yet."""
        if run.process is not None:
            return
        spec = self.spec
        for container in spec.all_containers:
            if container.name == run.container.name and container is not run.container:
                if self.resize and self.resize != FINISHING:
                    container = with_resources(container, run.container.raw.get("resources"))
                run.container, run.behavior = container, None

    def save(self) -> dict[str, Any]:
        """Plain data."""
        runtime = self.runtime
        return {
            "uid": self.uid,
            "stage": self.stage,
            "stage_timer": self.stage_timer,
            "ip": self.ip,
            "is_reported": self.is_reported,
            "has_initialized": self.has_initialized,
            "stop_started_ms": self.stop_started_ms,
            "stop_reason": self.stop_reason,
            "grace_seconds": self.grace_seconds,
            "grace_end_timer": self.grace_end_timer,
            "deadline_timer": self.deadline_timer,
            "evicted": self.evicted,
            "exclusive_cpus": self.exclusive_cpus,
            "first_host_id": self.first_host_id,
            "is_renewing": self.is_renewing,
            "resize": self.resize,
            "allotted": {name: run.container.raw.get("resources") for name, run in self.runs.items()}
            if self.resize
            else None,
            "sandbox_failed_ms": self.sandbox_failed_ms,
            "sandbox": [
                runtime.sandbox_id,
                runtime.sandbox_ready,
                runtime.sandbox_attempt,
                runtime.sandbox_ip,
            ],
            "containers": [
                [getattr(entry, name) for name in RuntimeContainer._fields]
                for entry in runtime.containers.values()
            ],
            "runs": {name: run.save() for name, run in self.runs.items()},
            "untold_ends": {name: encode(ends) for name, ends in (self.untold_ends or {}).items()} or None,
            "volumes": {name: layer.save() for name, layer in self.volumes.items()} if self.volumes else None,
            "processes": self.processes.save() if self.processes is not None else None,
        }

    @classmethod
    def load(
        cls, data: dict[str, Any], pod: Pod, resolve: Callable[[Pod, ContainerRun], Behavior]
    ) -> PodWorker:
        """The worker that `save` described."""
        worker = cls(pod)
        for name in (
            "stage stage_timer ip is_reported has_initialized stop_started_ms stop_reason grace_seconds"
            " grace_end_timer deadline_timer is_renewing sandbox_failed_ms first_host_id"
            " resize"
        ).split():
            setattr(worker, name, data[name])
        worker.evicted = tuple(data["evicted"]) if data["evicted"] else None
        worker.exclusive_cpus = {name: tuple(cpus) for name, cpus in data["exclusive_cpus"].items()}
        sandbox = data["sandbox"]
        containers = {}
        for row in data["containers"]:
            entry = RuntimeContainer("")
            for name, value in zip(RuntimeContainer._fields, row, strict=True):
                setattr(entry, name, value)
            containers[entry.name] = entry
        worker.runtime = RuntimePod(sandbox[0], sandbox[1], sandbox[2], sandbox[3], containers)
        if data["untold_ends"]:
            worker.untold_ends = {name: decode(ends) for name, ends in data["untold_ends"].items()}
        if data["volumes"]:
            worker.volumes = {name: FileLayer.load(entry) for name, entry in data["volumes"].items()}
        if data["processes"]:
            worker.processes = ProcessNamespace.load(data["processes"])
        for name, saved in data["runs"].items():
            run = worker.runs.get(name)
            if run is not None:
                if saved["image"] != run.container.image:
                    run.container = Container(
                        {**run.container.raw, "image": saved["image"]}, run.container.section
                    )
                if data["allotted"] and data["allotted"][name] != run.container.raw.get("resources"):
                    run.container = with_resources(run.container, data["allotted"][name])
                run.load(saved, lambda one: resolve(pod, one))
        return worker


def with_resources(container: Container, resources: dict[str, Any] | None) -> Container:
    """A container as it is, but for what it asks of its node."""
    return Container({**container.raw, "resources": resources}, container.section)
