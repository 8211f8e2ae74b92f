"""The pod worker: the state that a kubelet keeps for one pod, as plain data that can be saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...objects.codec import decode, encode
from ...objects.pods.container import Container, ContainerState
from ...objects.pods.pod import Pod, PodSpec
from ...objects.pods.runtime import RuntimeContainer, RuntimePod
from ...objects.pods.status import PodStatus
from ...programs import Behavior, FileLayer, Process, ProcessNamespace
from .container_run import POST_START, PULLING, STARTING, ContainerRun, begin_back_off_anew, with_resources
from .normal_events import Few, load_few
from .saving import load_map, load_row, save_map, save_row

# Stages of a pod.
WAITING, SYNCING, TERMINATING, TERMINATED = "waiting", "syncing", "terminating", "terminated"
STAGES = (WAITING, SYNCING, TERMINATING, TERMINATED)
# What a sync that is not finished does: it kills containers, or starts them.
KILLING, BEGINNING = "killing", "beginning"
# Stages of a resize: asked for, held back, being applied, refused by what is in use, waiting for containers
# that restart for it.
ASKED, DEFERRED, INFEASIBLE = "Asked", "Deferred", "Infeasible"
APPLYING, REFUSED, FINISHING = "Applying", "Refused", "Finishing"
ALLOTTED = (REFUSED, FINISHING)
"""Stages in which a container that is begun anew has what was asked for."""
NO_NAMES: tuple[str, ...] = ()
NO_CPUS: Mapping[str, tuple[int, ...]] = {}
_POD_DATA = (
    "stage stage_timer ip is_reported has_initialized stop_started_ms stop_reason grace_seconds"
    " deadline_timer evicted exclusive_cpus first_host_id is_renewing resize"
    " sandbox_failed_ms return_timer has_unsaid is_done has_untold return_row under_way"
    " mounting_ms exceeds_limit status_timer remount_timer has_changed must_act blind_until_ms has_unseen"
    " to_start"
).split()
_SANDBOX_DATA = "sandbox_id sandbox_ready sandbox_attempt sandbox_ip".split()
_RECORD_DATA = (
    "attempt created_ms exit_code finished_ms id image message name reason signal started_ms state".split()
)


class PodWorker:
    """One pod on its node. `whole`: its resources as a whole, while those of its spec are only asked for."""

    __slots__ = (
        "blind_until_ms",
        "deadline_timer",
        "evicted",
        "exceeds_limit",
        "exclusive_cpus",
        "few",
        "first_host_id",
        "grace_seconds",
        "has_changed",
        "has_initialized",
        "has_unsaid",
        "has_unseen",
        "has_untold",
        "ip",
        "is_being_stopped",
        "is_done",
        "is_renewing",
        "is_reported",
        "mounting_ms",
        "must_act",
        "node",
        "number",
        "processes",
        "remount_timer",
        "resize",
        "return_row",
        "return_timer",
        "runs",
        "runtime",
        "sandbox_failed_ms",
        "spec",
        "stage",
        "stage_timer",
        "status_timer",
        "stop_reason",
        "stop_started_ms",
        "to_start",
        "told",
        "uid",
        "under_way",
        "untold_ends",
        "volumes",
        "whole",
    )

    def __init__(self, pod: Pod) -> None:
        self.uid, self.node = pod.meta.uid, pod.node_name
        # Its place in the order in which workers came.
        self.number = 0
        self.spec: PodSpec = pod.spec
        self.stage, self.runtime = WAITING, RuntimePod()
        self.runs = {one.name: ContainerRun(one) for one in pod.spec.all_containers}
        self.whole: dict[str, Any] | None = None
        self.stage_timer: int | None = None
        # Since when its volumes could not be mounted.
        self.mounting_ms: int | None = None
        # The timer of the next sync after a failed one: number, instant, whether that is progress.
        self.return_timer: tuple[int, int, bool] | None = None
        # The row that told why, where it was written after the timer was set.
        self.return_row = 0
        self.ip = self.stop_reason = ""
        # Whether its containers have come to their end, by what was told last; and whether who stops them is
        # at it at this very moment, and sees to those that end at once.
        self.is_done = self.is_being_stopped = False
        # The status it reported last and the Step that made it (known_steps), in the course of a first run.
        self.told: tuple[PodStatus, Any] | None = None
        # What the next sync has to do: report a changed status, decide what to start or stop.
        self.has_changed = self.must_act = True
        # Whether it is evicted for a limit of its own, which is no disruption.
        self.is_reported = self.has_initialized = self.exceeds_limit = False
        # Whether a container has a reason that the next sync reports, or a run not reported, or not seen yet.
        self.has_unsaid = self.has_untold = self.has_unseen = False
        # What the present sync waits for, what it has yet to start, and when the next sync may be.
        self.under_way, self.to_start, self.blind_until_ms = "", NO_NAMES, 0
        self.stop_started_ms = self.grace_seconds = 0
        # The normal events told about the pod, while they are few (normal_events).
        self.few: Few | None = {}
        self.deadline_timer: int | None = None
        # When its kubelet next sees what others have made of its status, or of what its files are mounted of.
        self.status_timer: int | None = None
        self.remount_timer: int | None = None
        # Why it is ended by its kubelet: reason, message, and the grace it is given if not its own.
        self.evicted: tuple[str, str, int | None] | None = None
        # Numbers of the CPUs that containers have for themselves, by container.
        self.exclusive_cpus: Mapping[str, tuple[int, ...]] = NO_CPUS
        # Where its block of ids on the node begins, if it has a user namespace.
        self.first_host_id: int | None = None
        # The sandbox was lost and what ran in it is being stopped; since when none could be made.
        self.is_renewing, self.resize = False, ""
        self.sandbox_failed_ms: int | None = None
        self.volumes: dict[str, FileLayer] | None = None
        # The last two ends of each container that a cut-off kubelet has yet to tell.
        self.untold_ends: dict[str, tuple[ContainerState, ...]] | None = None
        # The process ids its containers share, where they do, for the life of a sandbox.
        self.processes: ProcessNamespace | None = None

    def keep_untold(self, name: str, end: ContainerState) -> None:
        """Keep the end of a run that cannot be reported to the API server now."""
        ends = self.untold_ends = self.untold_ends or {}
        ends[name] = (*ends.get(name, ())[-1:], end)

    def forget_told(self) -> None:
        """Drop the reported ends; a container in its postStart hook is reported when that is over."""
        ends = (self.untold_ends or {}).items()
        self.untold_ends = {name: end for name, end in ends if self.runs[name].stage == POST_START} or None

    def list_others(self, run: ContainerRun) -> list[Process]:
        """The programs of the other containers, which share the pod's network."""
        others = (one.process for one in self.runs.values() if one is not run)
        return [process for process in others if process is not None]

    def find_awaited(self) -> ContainerRun | None:
        """The container that the present sync waits for."""
        is_starting = self.under_way == BEGINNING
        for run in self.runs.values():
            if run.is_awaited or (is_starting and run.stage in (PULLING, STARTING)):
                return run
        return None

    @property
    def is_busy(self) -> bool:
        """Whether a sync is not finished: until then no other begins and nothing is reported (SyncPod)."""
        if not self.under_way:
            return False
        return self.under_way == KILLING or self.find_awaited() is not None

    def drop_timers(self, cancel: Callable[..., None]) -> None:
        """Cancel the timers of the pod as a whole."""
        for number in (self.stage_timer, self.deadline_timer, self.status_timer, self.remount_timer):
            if number is not None:
                cancel(number)
        self.stage_timer = self.deadline_timer = self.status_timer = self.remount_timer = None
        self.mounting_ms = None
        if self.return_timer is not None:
            cancel(self.return_timer[0], self.return_timer[2])
            self.return_timer = None

    def follow_spec(self, spec: PodSpec, first_delay_ms: int) -> None:
        """Take a changed spec: new images, added ephemeral containers.

        `first_delay_ms`: the first of its node's delays after crashes.
        """
        before = {one.name: one.raw.get("resources") for one in self.spec.all_containers}
        if spec.resources != self.spec.resources:
            self.whole = self.spec.resources if self.whole is None else self.whole
            self.resize = ASKED
        self.spec, self.told = spec, None
        for container in spec.all_containers:
            run = self.runs.get(container.name)
            if run is None:
                self.runs[container.name] = ContainerRun(container)
                continue
            # What was refused is tried again as it is, until something else is asked for.
            known = before[container.name] if self.resize == REFUSED else run.container.raw.get("resources")
            if known != container.raw.get("resources") or self.resize not in ("", REFUSED):
                self.resize = ASKED
            self.take_container(run, first_delay_ms)

    def take_container(self, run: ContainerRun, next_delay_ms: int = 0) -> None:
        """Have a container that does not run go by what the spec says now, but for amounts it has not yet.

        `next_delay_ms`: what its back-off grows to with a start that follows an end known of.
        """
        if run.process is not None:
            return
        spec = self.spec
        for container in spec.all_containers:
            if container.name == run.container.name and container is not run.container:
                if self.resize not in ("", *ALLOTTED):
                    container = with_resources(container, run.container.raw.get("resources"))
                begin_back_off_anew(run, container, next_delay_ms)
                run.container, run.behavior = container, None

    def is_at_rest(self, pod: Pod) -> bool:
        """Whether nothing is to be done for a pod: it has ended, and nobody has asked for its deletion."""
        return self.stage == TERMINATED and pod.meta.deletion_ms is None and not self.has_changed

    @property
    def is_running(self) -> bool:
        """Whether any of its containers has a process."""
        return any(run.process is not None for run in self.runs.values())

    @property
    def is_ending(self) -> bool:
        """Whether its kubelet stops it, or has."""
        return self.stage in (TERMINATING, TERMINATED)

    def save(self) -> dict[str, Any]:
        """Plain data."""
        runs = self.runs.items()
        # What containers have, where that is not what the spec asks for.
        allotted = {name: run.container.raw.get("resources") for name, run in runs} if self.resize else None
        return {
            **save_map(self, _POD_DATA),
            "uid": self.uid,
            "few": None if self.few is None else dict(self.few),
            "allotted": allotted,
            **({} if self.whole is None else {"whole": self.whole}),
            "sandbox": save_row(self.runtime, _SANDBOX_DATA),
            "containers": [save_row(one, _RECORD_DATA) for one in self.runtime.containers.values()],
            "runs": {name: run.save() for name, run in runs},
            "untold_ends": {name: encode(ends) for name, ends in (self.untold_ends or {}).items()} or None,
            "volumes": self._save_volumes(),
            "processes": self.processes.save() if self.processes is not None else None,
        }

    def _save_volumes(self) -> dict[str, Any] | None:
        """The files of its own volumes; those of claims are saved with these."""
        claimed = {
            one.get("name")
            for one in self.spec.volumes
            if "persistentVolumeClaim" in one or "ephemeral" in one
        }
        own = {name: layer for name, layer in (self.volumes or {}).items() if name not in claimed}
        return {name: layer.save() for name, layer in own.items()} or None

    @classmethod
    def load(
        cls, data: dict[str, Any], pod: Pod, resolve: Callable[[Pod, ContainerRun], Behavior]
    ) -> PodWorker:
        """The worker that `save` described."""
        worker = cls(pod)
        load_map(worker, data, _POD_DATA)
        worker.few, worker.whole = load_few(data["few"]), data.get("whole")
        worker.exclusive_cpus = {name: tuple(cpus) for name, cpus in data["exclusive_cpus"].items()}
        load_row(worker.runtime, data["sandbox"], _SANDBOX_DATA)
        for row in data["containers"]:
            record = RuntimeContainer("")
            load_row(record, row, _RECORD_DATA)
            worker.runtime.containers[record.name] = record
        worker.untold_ends = {
            name: decode(ends) for name, ends in (data["untold_ends"] or {}).items()
        } or None
        worker.volumes = {name: FileLayer.load(one) for name, one in (data["volumes"] or {}).items()} or None
        if data["processes"] is not None:
            worker.processes = ProcessNamespace.load(data["processes"])
        for name, run in worker.runs.items():
            if name in data["runs"]:
                run.container = _as_it_is(run.container, name, data)
                run.load(data["runs"][name], lambda one: resolve(pod, one))
        return worker


def _as_it_is(container: Container, name: str, data: dict[str, Any]) -> Container:
    """What runs may still be of an earlier image, and have other amounts than the spec says now."""
    image = data["runs"][name]["image"]
    if image != container.image:
        container = Container({**container.raw, "image": image}, container.section)
    if data["allotted"] and data["allotted"][name] != container.raw.get("resources"):
        container = with_resources(container, data["allotted"][name])
    return container


def allotted_spec(worker: PodWorker) -> PodSpec:
    """The spec; during a resize with what its containers have now in the place of what is asked for."""
    if not worker.resize:
        return worker.spec
    raw: dict[str, Any] = dict(worker.spec.raw)
    for part in ("containers", "initContainers"):
        raw[part] = [worker.runs[one["name"]].container.raw for one in raw.get(part) or ()]
    if worker.whole is not None:
        raw["resources"] = worker.whole
    return PodSpec(raw)
