"""What a kubelet tells of its node: its lease, and the node's conditions.

Heartbeats are never ticked: a lease says that it is renewed, or when it was renewed last (objects/lease).
"""

from __future__ import annotations

from typing import Any

from ...api.server import ApiServer
from ...heart.chance import PART
from ...objects.condition import Condition, is_true
from ...objects.lease import LEASE_KIND, LEASE_NAMESPACE, RENEW_MS, make_lease, renewed, silent_since_ms
from ...objects.meta import StoredObject
from ...objects.node import NODE_KIND, Node
from ...rules.nodes.eviction import NODE_WORDS
from ...rules.nodes.status import tell_cordon, tell_pressures, tell_ready
from ..eviction.evictor import Evictor
from ..parts import SOURCE, WARNING, Parts
from ..state.node_agent import NodeAgent
from ..state.normal_events import tell_normal

LEASE, STATUS = "nodeLease", "nodeStatus"


class NodeReporter:
    """All kubelets' reports on their nodes. Keys are names of nodes: whose lease, or whose status."""

    __slots__ = ("_api", "_evictor", "_parts")

    def __init__(self, parts: Parts, api: ApiServer, evictor: Evictor) -> None:
        self._parts = parts
        self._api = api
        self._evictor = evictor
        loop = parts.context.loop
        loop.register(LEASE, self._renew)
        loop.register(STATUS, self._report)
        parts.store.listen(NODE_KIND.id, self._on_node)
        parts.store.listen(LEASE_KIND.id, self._on_lease)

    # --- what is heard --------------------------------------------------------------------------------

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not isinstance(new, Node):
            return
        context = self._parts.context
        if old is None:
            context.loop.enqueue(LEASE, "", new.meta.name)
        was_unschedulable = isinstance(old, Node) and old.spec.unschedulable
        if new.spec.unschedulable != was_unschedulable:
            due_ms = context.clock.now_ms + self._draw_ms("node_look", new.meta.name)
            context.loop.enqueue_at(STATUS, "", new.meta.name, due_ms)

    def _on_lease(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Somebody else has deleted the lease of a node, or changed it: its kubelet renews it in time."""
        lease = new or old
        assert lease is not None, "a write has an old or a new object"
        agent = self._parts.agents.get(lease.meta.name)
        if agent is None or agent.is_deaf or lease.meta.namespace != LEASE_NAMESPACE:
            return
        context = self._parts.context
        if new is None or silent_since_ms(new, context.clock.epoch_ms) is not None:
            due_ms = context.clock.now_ms + RENEW_MS
            context.loop.enqueue_at(LEASE, "", agent.name, due_ms, is_progress=False)

    def take_up(self) -> None:
        """An older engine had no leases."""
        for name in self._parts.agents:
            if self._parts.store.get(LEASE_KIND.id, LEASE_NAMESPACE, name) is None:
                self._parts.context.loop.enqueue(LEASE, "", name)

    # --- silence --------------------------------------------------------------------------------------

    def fall_silent(self, agent: NodeAgent) -> None:
        """The API server hears no more of a node: what it has heard last is a little old already."""
        lease = self._parts.store.get(LEASE_KIND.id, LEASE_NAMESPACE, agent.name)
        context = self._parts.context
        if lease is not None and silent_since_ms(lease, context.clock.epoch_ms) is None:
            last_ms = context.clock.now_ms - self._draw_ms("lease_age", agent.name)
            self._parts.store.update(lease, renewed(lease, last_ms, context.clock.epoch_ms))

    def speak(self, agent: NodeAgent, has_started: bool) -> None:
        """It hears of it again: of a kubelet that has started at once, else at the kubelet's next try."""
        context = self._parts.context
        due_ms = context.clock.now_ms + (0 if has_started else self._draw_ms("node_status", agent.name))
        for what in (LEASE, STATUS):
            context.loop.enqueue_at(what, "", agent.name, due_ms)

    def _draw_ms(self, latency: str, node: str) -> int:
        """A latency of a node, another one each time."""
        context = self._parts.context
        return context.draw_ms(latency, f"{node}{PART}{context.clock.now_ms}")

    # --- what is told ---------------------------------------------------------------------------------

    def introduce(self, agent: NodeAgent, node: Node, detail: dict[str, Any]) -> None:
        """A kubelet starts: it finds its node in order, whatever was said of it before."""
        agent.is_cordoned = False
        self._tell(agent, node, "Starting", "Starting kubelet.", detail)
        told = [("NodeAllocatableEnforced", "Updated Node Allocatable limit across pods")]
        told += [(one.ok_event, _say(agent.name, one.ok_event)) for one in NODE_WORDS.values()]
        for reason, text in told:
            self._tell(agent, node, reason, text)
        if agent.is_off:
            agent.is_off = False
            context = self._parts.context
            boot = context.chance.uid("boot", agent.name, context.clock.now_ms)
            info = {**(node.status.raw.get("nodeInfo") or {}), "bootID": boot}
            status = node.status.replace(raw={**node.status.raw, "nodeInfo": info})
            self._parts.store.update(node, node.replace(status=status))
            text = f"Node {agent.name} has been rebooted, boot id: {boot}"
            self._parts.trace.plain_event(node.subject, WARNING, "Rebooted", text, SOURCE)

    def _renew(self, _namespace: str, name: str) -> None:
        store, agent = self._parts.store, self._parts.agents.get(name)
        node = store.get(NODE_KIND.id, "", name)
        if agent is None or node is None:
            return
        lease, clock = store.get(LEASE_KIND.id, LEASE_NAMESPACE, name), self._parts.context.clock
        epoch_ms = clock.epoch_ms
        if lease is None:
            if store.get("Namespace", "", LEASE_NAMESPACE) is not None:
                # One that an older engine left silent has been so from now on.
                silent_ms = clock.now_ms if agent.is_deaf else None
                self._api.create(renewed(make_lease(node), silent_ms, epoch_ms))
        elif not agent.is_deaf and silent_since_ms(lease, epoch_ms) is not None:
            store.update(lease, renewed(lease, None, epoch_ms))

    def report_now(self, agent: NodeAgent) -> None:
        """Something has changed that a kubelet tells of at once."""
        self._report("", agent.name)

    def _report(self, _namespace: str, name: str) -> None:
        agent, node = self._parts.agents.get(name), self._parts.store.get(NODE_KIND.id, "", name)
        if agent is None or agent.is_deaf or not isinstance(node, Node):
            return
        now_ms = self._parts.context.clock.now_ms
        conditions = node.status.conditions
        # What was said before is said until the kubelet has looked again.
        still = [one for one, words in NODE_WORDS.items() if is_true(conditions, words.condition)]
        conditions, told = tell_pressures(conditions, [*still, *self._evictor.pressures(name)], now_ms)
        conditions, told_ready = tell_ready(conditions, agent.shutdown is not None, now_ms)
        if told or told_ready:
            self._write(agent, node, conditions, [*told, *told_ready])
        for reason in tell_cordon(agent.is_cordoned, node.spec.unschedulable):
            agent.is_cordoned = node.spec.unschedulable
            self._tell(agent, node, reason, _say(name, reason))

    def _write(
        self, agent: NodeAgent, node: Node, conditions: tuple[Condition, ...], reasons: list[str]
    ) -> None:
        self._parts.store.update(node, node.replace(status=node.status.replace(conditions=conditions)))
        self._parts.trace.cause = self._parts.trace.led
        for reason in reasons:
            self._tell(agent, node, reason, _say(agent.name, reason))
        # What others have said of its pods meanwhile it finds out when it compares.
        for worker in self._parts.pod_manager.workers_of(agent.name):
            self._parts.compare_later(worker)

    def _tell(
        self, agent: NodeAgent, node: Node, reason: str, text: str, detail: dict[str, Any] | None = None
    ) -> int:
        return tell_normal(self._parts.trace, agent, node.subject, reason, text, detail=detail)


def _say(name: str, reason: str) -> str:
    return f"Node {name} status is now: {reason}"
