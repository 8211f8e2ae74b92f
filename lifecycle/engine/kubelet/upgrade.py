"""Kubelets from a checkpoint of another engine version.

The nearest in Kubernetes is a restart of the kubelet. A pod whose saved state can be read completely goes
on as before. Any other pod is found as by a kubelet that has just started: with the containers that were
saved, or those in its status. A program that cannot be continued starts again in its container, and a
Warning event says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..heart.saved import fill_in, list_of, part_of
from ..objects.condition import find_condition
from ..objects.pods.container import RUNNING as STATE_RUNNING
from ..objects.pods.container import TERMINATED as STATE_ENDED
from ..objects.pods.container import ContainerStatus
from ..objects.pods.pod import Pod
from ..objects.pods.runtime import EXITED, RuntimeContainer, RuntimePod
from ..objects.pods.runtime import RUNNING as RUNTIME_RUNNING
from ..programs import Process, is_continuable, make_namespace, start_process
from ..rules.pods.image_names import full_name
from .eviction.evictor import PRESSURE_TIMERS
from .node.node_agents import NodeAgents
from .node.outages import Outages
from .parts import WARNING, Kubelet, Parts
from .state.container_run import RUNNING, ContainerRun
from .state.pod_manager import load_pods
from .state.worker import STAGES, SYNCING, TERMINATED, WAITING, PodWorker
from .static_pods.mirrors import read_mirror
from .static_pods.static_pods import StaticPods

PROGRAM_RESTARTED = "ProgramRestarted"
NOT_SAVED, OTHERWISE = "its state was not saved", "its state cannot be read by this version"
Lost = dict[str, str]
"""Containers whose programs are begun anew, and why."""


class Upgrade:
    """Takes up what another engine saved of the kubelets: `take_up` reads it, `go_on` begins anew."""

    def __init__(
        self, parts: Parts, agents: NodeAgents, static_pods: StaticPods, outages: Outages, kubelet: Kubelet
    ) -> None:
        self._parts = parts
        self._pod_manager = parts.pod_manager
        self._agents = agents
        self._static_pods = static_pods
        self._outages = outages
        self._kubelet = kubelet
        self._waiting: frozenset[int] = frozenset()
        self._is_same_engine = False
        # Pods that are found as by a kubelet that has just started, by uid.
        self._lost: dict[str, Lost] = {}
        self.begun_anew: list[str] = []
        """What was begun anew, in words."""

    # --- reading ----------------------------------------------------------------------------------------

    def take_up(self, saved: Any, is_same_engine: bool) -> None:
        """Read what was saved, as far as it goes; the store and the agenda are restored before."""
        parts, pod_manager = self._parts, self._pod_manager
        self._is_same_engine = is_same_engine
        self._waiting = frozenset(timer.sequence for timer in parts.context.agenda.timers())
        self._agents.take_up(part_of(saved, "nodes"), self._waiting.__contains__)
        self._take_others(saved)
        self._outages.restore()
        for entry in list_of(saved, "workers"):
            uid = part_of(entry, "uid")
            pod = self._find(uid) if isinstance(uid, str) else None
            if pod is not None and pod.node_name in parts.agents:
                self._take_worker(entry, pod)
        for uid, pod in [*parts.store.pods.items(), *pod_manager.statics.items()]:
            if pod.node_name in parts.agents and not pod.is_mirror and uid not in pod_manager.workers:
                self._take_stored(pod)
        parts.context.agenda.keep(lambda timer: not self._is_forgotten(timer.kind, timer.target))

    def _take_others(self, saved: Any) -> None:
        """Pods that the store does not hold, or not as their kubelets know them."""
        pod_manager = self._pod_manager
        none: dict[str, Any] = {"pods": [], "successors": {}}
        self._attempt(saved, "static", self._static_pods.load, none, "the static pods of all nodes")
        for pod in self._parts.store.pods.values():
            if pod.is_mirror and pod.kubelet_uid not in pod_manager.statics:
                pod_manager.statics[pod.kubelet_uid] = read_mirror(pod)
        self._attempt(saved, "gone", self._take_gone, [], "the pods that were deleted by force")
        self._attempt(saved, "last_heard", self._take_heard, [], "what cut-off nodes heard last")
        self._attempt(saved, "dns", self._take_dns, {}, "what cluster DNS remembered")
        self._attempt(saved, "disks", self._parts.context.volumes.load_files, {}, "what was on volumes")

    def _take_gone(self, saved: list[Any]) -> None:
        self._pod_manager.gone = load_pods(saved)

    def _take_heard(self, saved: list[Any]) -> None:
        self._pod_manager.heard = load_pods(saved)

    def _take_dns(self, saved: dict[str, int]) -> None:
        self._parts.dns.load({str(name): int(until) for name, until in saved.items()})

    def _attempt(
        self, saved: Any, name: str, load: Callable[[Any], None], nothing: Any, subject: str
    ) -> None:
        """Load a part; what cannot be read is as if there were nothing of it, and is told."""
        found = part_of(saved, name)
        try:
            load(nothing if found is None else found)
        except Exception:
            load(nothing)
            self.begun_anew.append(subject)

    def _find(self, uid: str) -> Pod | None:
        pod_manager = self._pod_manager
        stored = self._parts.store.pods.get(uid) or pod_manager.statics.get(uid)
        return pod_manager.heard.get(uid) or stored or pod_manager.gone.get(uid)

    def _is_forgotten(self, kind: str, target: str) -> bool:
        """Whether a timer is of a pod or node that is found anew, or is not found at all."""
        if not kind.startswith("kubelet."):
            return False
        agent = self._parts.agents.get(target)
        if agent is not None:
            return kind in PRESSURE_TIMERS and agent.pressure is None
        return target in self._lost or target not in self._pod_manager.workers

    # --- one pod ----------------------------------------------------------------------------------------

    def _take_worker(self, saved: dict[str, Any], pod: Pod) -> None:
        """A pod's worker as it was saved; else what can be read of it; else what its status says."""
        try:
            entry, lost = self._read(saved, pod)
            if lost or not all(number in self._waiting for number in _timers_of(entry)):
                self._lost[pod.meta.uid] = lost
                _forget_timers(entry)
            worker = PodWorker.load(entry, pod, self._parts.behavior)
            if worker.stage not in STAGES:
                raise ValueError(
                    f"pod {pod.meta.name}: stage: is {worker.stage!r}; use one of {', '.join(STAGES)}"
                )
        except Exception:
            self._take_stored(pod)
            return
        self._pod_manager.add(worker)

    def _read(self, saved: dict[str, Any], pod: Pod) -> tuple[dict[str, Any], Lost]:
        """The saved worker in today's layout, without the programs that cannot be continued."""
        fresh = PodWorker(pod)
        entry = fill_in(saved, fresh.save(), f"worker of {pod.meta.name}")
        runs, lost = dict[str, Any](), Lost()
        for name, found in entry["runs"].items():
            run = fresh.runs.get(name)
            if run is None:
                continue
            runs[name] = kept = fill_in(found, run.save(), f"container {name}")
            if "process" in kept and not self._is_readable(pod, run, kept):
                lost[name] = OTHERWISE
                runs[name] = {key: value for key, value in kept.items() if key not in _OF_A_PROGRAM}
        return {**entry, "runs": runs}, lost

    def _is_readable(self, pod: Pod, run: ContainerRun, saved: dict[str, Any]) -> bool:
        """Whether a run's program can be continued; what its data lacks is filled in."""
        try:
            new = Process(self._parts.behavior(pod, run), run.container, 0, 0)
            process = saved["process"] = fill_in(saved["process"], new.save(), run.container.name)
            if not (self._is_same_engine or is_continuable(process)):
                return False
            run.load(saved, lambda one: self._parts.behavior(pod, one))
            return True
        except Exception:
            return False

    def _take_stored(self, pod: Pod) -> None:
        """A pod as its status shows it: what runs is begun anew."""
        uid, status = pod.meta.uid, pod.status
        has_begun = status.start_ms is not None
        if not has_begun and not pod.is_finished:
            if not self._outages.is_deaf(pod.node_name):
                self._pod_manager.add(PodWorker(pod))
                self._lost[uid] = {}
            return
        worker = PodWorker(pod)
        worker.stage = TERMINATED if pod.is_finished else SYNCING
        worker.is_reported, worker.ip = True, status.pod_ip
        initialized = find_condition(status.conditions, "Initialized")
        worker.has_initialized = initialized is not None and initialized.status == "True"
        if status.pod_ip:
            spec = pod.spec
            worker.processes = make_namespace(spec.share_process_namespace, spec.host_pid)
            worker.runtime = RuntimePod(f"{uid}-0", not pod.is_finished, 0, status.pod_ip)
        for one in (*status.init_containers, *status.containers, *status.ephemeral_containers):
            run = worker.runs.get(one.name)
            if run is not None:
                _take_status(worker, run, one)
        self._pod_manager.add(worker)
        self._lost[uid] = {
            name: NOT_SAVED
            for name, record in worker.runtime.containers.items()
            if record.state == RUNTIME_RUNNING
        }

    # --- going on ---------------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Begin anew what could not be read, and have those pods looked at as by a kubelet that started."""
        lost, self._lost = self._lost, {}
        for uid, programs in lost.items():
            worker = self._pod_manager.workers.get(uid)
            if worker is not None:
                known = len(self.begun_anew)
                self._find_anew(worker, self._pod_manager.known(uid), programs)
                if worker.stage != TERMINATED and len(self.begun_anew) == known:
                    self.begun_anew.append(
                        f"what the kubelet was doing with pod {self._pod_manager.known(uid).meta.name}"
                    )

    def _find_anew(self, worker: PodWorker, pod: Pod, lost: Lost) -> None:
        parts = self._parts
        self._outages.suspend(worker)
        for run in list(worker.runs.values()):
            name = run.container.name
            record = worker.runtime.containers.get(name)
            if run.process is None and record is not None and record.state == RUNTIME_RUNNING:
                self._begin(worker, pod, run, lost.get(name, NOT_SAVED))
        if worker.stage != WAITING and not parts.is_left_alone(worker):
            self._outages.resume(worker)
        for run in list(worker.runs.values()):
            if run.process is not None:
                self._kubelet.on_exit(worker, run)
        parts.touch(worker)

    def _begin(self, worker: PodWorker, pod: Pod, run: ContainerRun, why: str) -> None:
        """The container runs on; its program is begun anew in it."""
        parts, name = self._parts, run.container.name
        now_ms = parts.context.clock.now_ms
        world = parts.world(worker, pod, run)
        run.stage, run.hook, run.process_start_ms = RUNNING, None, now_ms
        run.process = start_process(parts.behavior(pod, run), run.container, run.attempt, now_ms, world)
        parts.take_output(worker, run)
        text = f"Podline was upgraded: the program of container {name} was begun anew ({why})"
        parts.event(worker, run, WARNING, PROGRAM_RESTARTED, text)
        self.begun_anew.append(f"the program of container {name} in pod {pod.meta.name}")


_OF_A_PROGRAM = frozenset(("process", "hook"))


def _timers_of(entry: dict[str, Any]) -> list[int]:
    """The numbers of all timers that a saved worker waits for."""
    found = [entry[name] for name in _POD_TIMERS]
    found += entry["return_timer"][:1] if entry["return_timer"] else []
    for run in entry["runs"].values():
        found.append(run["kill_timer"])
        found += [run[name][0] for name in ("stage_timer", "wake_timer") if run[name]]
        found += [probe[6][0] for probe in run.get("probes", {}).values() if probe[6]]
    return [number for number in found if number is not None]


def _forget_timers(entry: dict[str, Any]) -> None:
    """A kubelet that has just started waits for nothing yet."""
    entry.update(dict.fromkeys((*_POD_TIMERS, "return_timer")))
    for run in entry["runs"].values():
        run.update(dict.fromkeys(("stage_timer", "wake_timer", "kill_timer")))
        probes = run.get("probes") or {}
        run["probes"] = {kind: [*probe[:6], None, None, None] for kind, probe in probes.items()}


_POD_TIMERS = ("stage_timer", "deadline_timer", "status_timer", "remount_timer")


def _take_status(worker: PodWorker, run: ContainerRun, status: ContainerStatus) -> None:
    """A container's newest run as its status tells it."""
    state = status.state
    run.restart_count = run.attempt = status.restart_count
    run.ready, run.started = status.ready, status.started
    if state is not None and state.type != STATE_RUNNING and state.type != STATE_ENDED:
        # It waits to run, for the first time or again.
        state = status.last_state
    if state is None:
        return
    asked = run.container.image
    record = RuntimeContainer(
        status.name,
        status.container_id,
        RUNTIME_RUNNING,
        created_ms=state.started_ms or 0,
        started_ms=state.started_ms or 0,
        # A status has the runtime's name of it; one that it knows by another name is another image.
        image=asked if full_name(status.image) == full_name(asked) else status.image,
        attempt=status.restart_count,
    )
    if state.type == STATE_ENDED:
        run.attempt += 1
        run.ended_ms = state.finished_ms or 0
        record = record.replace(
            state=EXITED,
            exit_code=state.exit_code or 0,
            reason=state.reason,
            message=state.message,
            signal=state.signal or 0,
            finished_ms=state.finished_ms or 0,
        )
    worker.runtime.containers[status.name] = record
