"""The eviction manager: compares the node with the eviction thresholds, sets conditions, and evicts pods.

A threshold is crossed because of a fault, as long as it lasts; or, for memory, because the pods use more
than the node has. The manager synchronizes every 10 s, counted from the start of the cluster; rounds that
would find nothing new are skipped. A pod over a limit of its own local storage is evicted first. Each round
evicts at most one pod, and there is no round while that pod terminates. On a full disk unused images are
deleted first. Left out: the space that this frees, and dead containers.
"""

from __future__ import annotations

from ...heart.agenda import Timer
from ...heart.chance import PART
from ...objects.node import Node
from ...objects.pods.container import read_resources
from ...objects.pods.pod import Pod
from ...rules.nodes.eviction import (
    EVICTED,
    NODE_WORDS,
    Candidate,
    decide_message,
    decide_refusal,
    is_critical,
    rank,
    sort_thresholds,
)
from ...rules.nodes.eviction_settings import CHECK_MS, DISK, MEMORY, PROCESSES, Threshold
from ...rules.nodes.status import tell_pressures
from ...rules.pods.grace import (
    HARD,
    decide_eviction_grace_seconds,
    decide_eviction_override_seconds,
    decide_eviction_wait_seconds,
)
from ...rules.pods.image_names import full_name
from ...rules.pods.resources import weighed_request
from ...rules.pods.usage import User, memory_of, next_crossing_ms, sum_usage
from ...rules.volumes.local_storage import has_storage_limits
from ..parts import SOURCE, WARNING, Parts
from ..state.container_run import ContainerRun
from ..state.node_agent import NodeAgent
from ..state.node_pressure import NodePressure
from ..state.normal_events import tell_normal
from ..state.worker import SYNCING, TERMINATING, PodWorker, allotted_spec
from .storage import find_overflow

CHECK, EASED, WAITED = "kubelet.pressureCheck", "kubelet.pressureEased", "kubelet.evictionWaited"
PRESSURE_TIMERS = (CHECK, EASED, WAITED)
PROCESS_LIMIT = 32_768
"""How many processes a node can have; no Node object says it."""
_ASKED_AS = {MEMORY: "memory", DISK: "ephemeral-storage", PROCESSES: "pids"}


class Evictor:
    """All kubelets' eviction managers."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        loop = parts.context.loop
        loop.on_timer(CHECK, self._on_check)
        loop.on_timer(EASED, lambda timer: self.ease(timer.target, timer.payload))
        loop.on_timer(WAITED, self._on_waited)

    # --- what makes it synchronize --------------------------------------------------------------------

    def press(self, node: str, resource: str, available: int, for_ms: int | None) -> None:
        """A fault: so much is left of a resource from now on, for a while or for ever."""
        agent = self._parts.agents[node]
        state = agent.pressure = agent.pressure or NodePressure()
        former = state.shortages.get(resource)
        if former is not None and former[1] is not None:
            self._parts.context.agenda.cancel(former[1])
        timer = self._parts.context.later(for_ms, EASED, node, resource) if for_ms is not None else None
        state.shortages[resource] = (available, timer)
        self.synchronize(node)

    def ease(self, node: str, resource: str) -> None:
        """The fault is over."""
        state = self._parts.agents[node].pressure
        assert state is not None, node
        del state.shortages[resource]
        self.synchronize(node)

    def synchronize(self, node: str) -> None:
        """Something has changed: a fault, a use of memory that is known, or the kubelet is back."""
        agent, wanted_ms = self._parts.agents[node], self._now_ms
        if agent.pressure is not None and agent.pressure.victim:
            # The kubelet waits for the end of the pod it evicts.
            return
        if agent.pressure is None:
            crossing_ms = self._next_crossing_ms(agent)
            if crossing_ms is None:
                return
            agent.pressure, wanted_ms = NodePressure(), crossing_ms
        self._look_at(agent, agent.pressure, wanted_ms)

    def on_written(self, worker: PodWorker) -> None:
        """A program has run: is its pod beyond a limit of its storage now?"""
        if not has_storage_limits(worker.spec) or worker.is_ending or not find_overflow(worker):
            return
        agent = self._parts.agents[worker.node]
        state = agent.pressure = agent.pressure or NodePressure()
        if not state.victim:
            self._look_at(agent, state, self._next_count_ms(worker))

    def _next_count_ms(self, worker: PodWorker) -> int:
        """When a kubelet knows what a pod has written: of its volumes when it measures them next."""
        draw_ms, now_ms, uid = self._parts.context.draw_ms, self._now_ms, worker.uid
        if find_overflow(worker, has_volumes=False):
            return now_ms
        due_ms = (self._parts.pod_manager.known(uid).status.start_ms or 0) + draw_ms("volume_count", uid)
        while due_ms < now_ms:
            due_ms += draw_ms("volume_recount", f"{uid}{PART}{due_ms}") or now_ms - due_ms
        return due_ms

    def on_stopped(self, worker: PodWorker) -> None:
        """A pod has ended: was it the one that was waited for?"""
        state = self._parts.agents[worker.node].pressure
        if state is None or state.victim != worker.uid:
            return
        if state.wait is not None:
            self._parts.context.agenda.cancel(state.wait)
        state.victim, state.wait = "", None
        # Pods over their limits in one round are evicted one after the other.
        if not self._evict_beyond_limit(self._parts.agents[worker.node], state):
            self.synchronize(worker.node)

    def _on_waited(self, timer: Timer) -> None:
        """The wait for a pod's end is over before its end is (GRACE-29); the next one may be evicted."""
        state = self._parts.agents[timer.target].pressure
        assert state is not None, timer.target
        worker = self._parts.pod_manager.workers.get(state.victim)
        state.victim, state.wait = "", None
        if worker is not None:
            text = "Container runtime did not kill the pod within specified grace period."
            self._parts.event(worker, None, WARNING, "ExceededGracePeriod", text)
        self.synchronize(timer.target)

    def _look_at(self, agent: NodeAgent, state: NodePressure, wanted_ms: int) -> None:
        """Look at the first instant of the grid from then on; an earlier look stays as it is."""
        context = self._parts.context
        due_ms = max(-(-wanted_ms // CHECK_MS) * CHECK_MS, state.checked_ms + CHECK_MS)
        if state.check is not None:
            if state.check[0] <= due_ms:
                return
            context.agenda.cancel(state.check[1])
        state.check = (due_ms, context.later(due_ms - context.clock.now_ms, CHECK, agent.name))

    # --- one round ------------------------------------------------------------------------------------

    def _on_check(self, timer: Timer) -> None:
        agent = self._parts.agents[timer.target]
        state = agent.pressure
        assert state is not None, agent.name
        state.check = None
        if self._parts.is_down(agent.name) or self._node(agent.name) is None:
            # It synchronizes again when the kubelet is back, or its Node is.
            return
        now_ms = state.checked_ms = self._now_ms
        met = [one for one in agent.eviction.thresholds if self._is_met(agent, one)]
        state.first_met = {one.key: state.first_met.get(one.key, now_ms) for one in met}
        self._hold(agent, state, [one.resource for one in met])
        if self._evict_beyond_limit(agent, state):
            return
        due = [one for one in met if now_ms - state.first_met[one.key] >= one.grace_ms]
        if not due or not self._evict_one(agent, state, sort_thresholds(due)[0]):
            self._plan(agent, state, met)

    def _is_met(self, agent: NodeAgent, threshold: Threshold) -> bool:
        if not threshold.resource:
            return False
        capacity = self._capacity(agent.name, threshold.resource)
        return self._available(agent, threshold.resource) < threshold.amount(capacity)

    def _plan(self, agent: NodeAgent, state: NodePressure, met: list[Threshold]) -> None:
        """When the next look finds something new, as far as that is known."""
        now_ms, instants = self._now_ms, []
        for one in met:
            if now_ms - state.first_met[one.key] < one.grace_ms:
                instants.append(state.first_met[one.key] + one.grace_ms)
        for seen_ms in state.held.values():
            if seen_ms is not None:
                instants.append(seen_ms + agent.eviction.transition_ms)
        crossing_ms = self._next_crossing_ms(agent)
        if crossing_ms is not None:
            instants.append(crossing_ms)
        if instants:
            self._look_at(agent, state, min(instants))
        elif not (state.shortages or state.held or state.victim or self._parts.is_cut_off(agent.name)):
            agent.pressure = None

    # --- conditions of the node -----------------------------------------------------------------------

    def pressures(self, node: str) -> list[str]:
        """What a node tells that it is short of."""
        state = self._parts.agents[node].pressure
        return [one for one in NODE_WORDS if one in state.held] if state is not None else []

    def _hold(self, agent: NodeAgent, state: NodePressure, short: list[str]) -> None:
        """A condition is kept for a while after it was last seen, so that it does not flap."""
        now_ms = self._now_ms
        for resource in NODE_WORDS:
            if resource in short:
                state.held[resource] = None
            elif resource in state.held:
                seen_ms = state.held[resource]
                # It was short at every round up to this one.
                state.held[resource] = seen_ms = now_ms - CHECK_MS if seen_ms is None else seen_ms
                if now_ms - seen_ms >= agent.eviction.transition_ms:
                    del state.held[resource]
        if not self._parts.is_cut_off(agent.name):
            self._tell(agent, state)

    def _tell(self, agent: NodeAgent, state: NodePressure) -> None:
        node = self._node(agent.name)
        assert node is not None, "nobody looks at a node that is gone"
        conditions, told = tell_pressures(node.status.conditions, state.held, self._now_ms)
        if not told:
            return
        changed = node.replace(status=node.status.replace(conditions=conditions))
        self._parts.store.update(node, changed)
        self._parts.trace.cause = self._parts.trace.led
        for reason in told:
            text = f"Node {agent.name} status is now: {reason}"
            tell_normal(self._parts.trace, agent, changed.subject, reason, text)

    # --- one pod --------------------------------------------------------------------------------------

    def _evict_one(self, agent: NodeAgent, state: NodePressure, threshold: Threshold) -> bool:
        """Evict who is first, if there is anybody; the next look is when that pod has ended."""
        if threshold.resource == DISK:
            self._drop_unused_images(agent)
        candidates = self._candidates(agent.name, threshold.resource)
        node = self._node(agent.name)
        if not candidates or node is None:
            return False
        if not self._parts.is_cut_off(agent.name):
            text = f"Attempting to reclaim {threshold.told_as}"
            self._parts.trace.event(node.subject, WARNING, "EvictionThresholdMet", text, SOURCE)
        victim = rank(candidates, threshold.resource)[0]
        worker = self._parts.pod_manager.workers[victim.uid]
        amount = threshold.amount(self._capacity(agent.name, threshold.resource))
        available = self._available(agent, threshold.resource)
        message = decide_message(threshold, amount, available, victim)
        self._evict(agent, state, worker, threshold.kind, message)
        return True

    def _drop_unused_images(self, agent: NodeAgent) -> None:
        """A full disk loses the images that no container of the node was made from, before any pod goes."""
        workers = self._parts.pod_manager.workers_of(agent.name)
        used = {
            full_name(run.container.image)
            for one in workers
            for run in one.runs.values()
            if run.attempt or run.process
        }
        for image in [one for one in agent.images if one not in used]:
            del agent.images[image]

    def _evict_beyond_limit(self, agent: NodeAgent, state: NodePressure) -> bool:
        """Evict the oldest pod that has written more than it may, if there is one (localStorageEviction)."""
        for worker in self._workers(agent.name):
            if not has_storage_limits(worker.spec) or not self._may_evict(worker):
                continue
            if message := find_overflow(worker):
                worker.exceeds_limit = True
                self._evict(agent, state, worker, HARD, message)
                return True
        return False

    def _evict(
        self, agent: NodeAgent, state: NodePressure, worker: PodWorker, kind: str, message: str
    ) -> None:
        """The pod is stopped, in the time its kubelet gives it (GRACE-31)."""
        own = worker.spec.termination_grace_seconds
        ignores_pod = self._parts.agents[worker.node].rules.evictions_ignore_pod_grace
        override = decide_eviction_override_seconds(
            kind, agent.eviction.max_pod_grace_seconds, own, ignores_pod=ignores_pod
        )
        wait = decide_eviction_wait_seconds(decide_eviction_grace_seconds(override, own))
        state.victim = worker.uid
        state.wait = self._parts.context.later(wait * 1000, WAITED, agent.name)
        worker.evicted = (EVICTED, message, override)
        if worker.stage == SYNCING:
            worker.stop_reason = EVICTED
        told = self._parts.event(worker, None, WARNING, EVICTED, message)
        if told:
            self._parts.trace.cause = told
        self._parts.touch(worker)

    def _workers(self, node: str) -> list[PodWorker]:
        """Of a node's pods that have begun and not ended, the oldest first."""
        pod_manager = self._parts.pod_manager
        alive = (one for one in pod_manager.workers_on(node) if one.stage in (SYNCING, TERMINATING))
        return sorted(alive, key=lambda one: _age(pod_manager.known(one.uid)))

    def _may_evict(self, worker: PodWorker) -> bool:
        # A pod that is ending anyway uses what it uses until it has ended, and is evicted like any other.
        if worker.evicted is not None:
            return False
        pod = self._parts.pod_manager.known(worker.uid)
        return not is_critical(pod.spec, pod.meta.annotations) and not self._parts.is_left_alone(worker)

    def _candidates(self, node: str, resource: str) -> list[Candidate]:
        found, asked_as = [], _ASKED_AS[resource]
        for number, worker in enumerate(self._workers(node)):
            pod = self._parts.pod_manager.known(worker.uid)
            if not self._may_evict(worker):
                continue
            used = [
                (
                    run.container.name,
                    self._used(run, resource),
                    run.container.requests.get(asked_as, 0),
                )
                for run in worker.runs.values()
                if run.process is not None
            ]
            found.append(
                Candidate(
                    worker.uid,
                    pod.spec.priority,
                    sum(amount for _, amount, _ in used),
                    weighed_request(allotted_spec(worker), asked_as),
                    number,
                    tuple(used),
                )
            )
        return found

    def refusal(self, pod: Pod) -> str:
        """Why the node of a pod does not let it in; "" when it does."""
        pressures = self.pressures(pod.node_name)
        if not pressures or is_critical(pod.spec, pod.meta.annotations):
            return ""
        return decide_refusal(pod.spec, pod.status.qos_class, pressures)

    # --- amounts --------------------------------------------------------------------------------------

    def _used(self, run: ContainerRun, resource: str) -> int:
        # Of disk and processes nothing is known.
        return memory_of(_user(run), self._now_ms) if resource == MEMORY else 0

    def _node(self, name: str) -> Node | None:
        found = self._parts.store.get("Node", "", name)
        return found if isinstance(found, Node) else None

    def _capacity(self, node: str, resource: str) -> int:
        found = self._node(node)
        if resource == PROCESSES:
            return PROCESS_LIMIT
        if found is None or not resource:
            return 0
        capacity = read_resources(found.status.raw.get("capacity"))
        return capacity.get(_ASKED_AS[resource], found.status.allocatable.get(_ASKED_AS[resource], 0))

    def _available(self, agent: NodeAgent, resource: str) -> int:
        """What is left: what a fault says, or what the pods leave of the memory."""
        state = agent.pressure
        shortage = state.shortages.get(resource) if state is not None else None
        if shortage is not None:
            return shortage[0]
        capacity = self._capacity(agent.name, resource)
        if resource != MEMORY:
            return capacity
        return max(capacity - sum(memory_of(user, self._now_ms) for user in self._users(agent.name)), 0)

    def _users(self, node: str) -> list[User]:
        return [
            _user(run) for worker in self._parts.pod_manager.workers_on(node) for run in worker.runs.values()
        ]

    def _next_crossing_ms(self, agent: NodeAgent) -> int | None:
        """When the pods' use of memory next makes a difference to a threshold, as far as it is known."""
        state = agent.pressure
        if self._node(agent.name) is None or (state is not None and MEMORY in state.shortages):
            return None
        capacity = self._capacity(agent.name, MEMORY)
        thresholds = [one for one in agent.eviction.thresholds if one.resource == MEMORY]
        found = state.first_met if state is not None else {}
        series = sum_usage(self._users(agent.name), self._now_ms, memory_of)
        amounts = [one.amount(capacity) for one in thresholds]
        return next_crossing_ms(series, capacity, amounts, [one.key in found for one in thresholds])

    @property
    def _now_ms(self) -> int:
        return self._parts.context.clock.now_ms


def _age(pod: Pod) -> tuple[int, str, str]:
    # Among equals the oldest goes first; Kubernetes promises no order.
    return pod.meta.creation_ms or 0, pod.meta.namespace or "", pod.meta.name


def _user(run: ContainerRun) -> User:
    return run.process, run.container.limits
