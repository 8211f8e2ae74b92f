"""Seeing nodes and their leases, and being there when a grace period is over."""

from __future__ import annotations

from typing import Any

from ...api.context import Context
from ...heart.saved import list_of, map_of
from ...heart.timing import parse_milliseconds
from ...objects.lease import LEASE_KIND, LEASE_NAMESPACE, silent_since_ms
from ...objects.meta import ObjectMeta, StoredObject
from ...objects.node import NODE_KIND, Node, NodeSpec, NodeStatus
from ...objects.pods.pod import Pod
from ...objects.times import format_time
from ...rules.nodes.health import (
    KEY_OF,
    NOT_READY_KEY,
    UNREACHABLE_KEY,
    Rates,
    drives_away,
    has_taint,
    opposite,
    ready_status,
)
from ..act import Act
from ..loop_controller import LoopController, Remembering
from ..owner.orphans import list_by_age
from .decide import SOURCE, decide_event, decide_lost, decide_reachable, decide_tainted
from .zones import Zones

DISRUPTION, TAINTING = "nodeDisruption", "nodeTainting"


class NodeLifecycleController(LoopController, Remembering):
    """Keys are names of nodes; under names of their own all zones together, and zones whose turn it is."""

    name, kind, source = "nodeLifecycle", NODE_KIND.id, SOURCE

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        manager = context.settings.manager
        self._grace_ms = parse_milliseconds(manager["nodeMonitorGracePeriod"])
        self._startup_ms = parse_milliseconds(manager["nodeStartupGracePeriod"])
        rates = Rates(
            float(manager["nodeEvictionRate"]),
            float(manager["secondaryNodeEvictionRate"]),
            int(manager["largeClusterSizeThreshold"]),
        )
        self._zones = Zones(rates, float(manager["unhealthyZoneThreshold"]))
        # Nodes that it is to tell of when it looks next: that they have come; that they have gone, by uid.
        self._new: dict[str, None] = {}
        self._gone: dict[str, str] = {}
        self._since_ms = 0
        context.loop.register(DISRUPTION, self._judge)
        context.loop.register(TAINTING, self._taint)
        context.store.listen(NODE_KIND.id, self._on_node)
        context.store.listen(LEASE_KIND.id, self._on_lease)

    # --- what happens -------------------------------------------------------------------------------------

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new or old
        assert some is not None, "a write has an old or a new object"
        name = some.meta.name
        if not isinstance(new, Node):
            self._zones.take(name, None)
            if self._new.pop(name, "known") == "known":
                self._gone[name] = some.meta.uid
            self._look_soon(self.name, name)
            self._look_soon(DISRUPTION)
            return
        # What is there at the cluster's beginning was registered long before.
        if old is None and self._now_ms > 0:
            self._new[name] = None
            self._look_soon(self.name, name)
        if self._zones.take(name, new):
            self._look_soon(DISRUPTION)
        if not _is_settled(new):
            self._look_soon(self.name, name)

    def _on_lease(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None or new.meta.namespace != LEASE_NAMESPACE:
            return
        silent_ms = silent_since_ms(new, self._context.clock.epoch_ms)
        if silent_ms is not None:
            # It has heard of the lease's last renewal at its first look after that.
            heard_ms = self._context.find_pass_ms("node_monitor", silent_ms)
            self._context.loop.enqueue_at(self.name, "", new.meta.name, heard_ms + self._grace_ms)

    def _look_soon(self, what: str, name: str = "") -> None:
        """At the next look at all nodes."""
        context = self._context
        context.loop.enqueue_at(what, "", name, context.find_pass_ms("node_monitor", context.clock.now_ms))

    # --- one node -----------------------------------------------------------------------------------------

    def _node(self, name: str) -> Node | None:
        found = self.find("", name)
        return found if isinstance(found, Node) else None

    def sync(self, _namespace: str, name: str) -> None:
        """Look at one node: is it heard of, and has it the taints that it should have?"""
        self._tell(name)
        node = self._node(name)
        if node is None:
            return
        due_ms = self._lost_ms(node)
        if due_ms is not None and due_ms <= self._now_ms:
            self._do(decide_lost(node, self._pods_on(name), self._now_ms))
        elif due_ms is not None:
            self._context.loop.enqueue_at(self.name, "", name, due_ms)
        self._follow(name)

    def _tell(self, name: str) -> None:
        if name in self._gone:
            gone = Node(
                NODE_KIND, ObjectMeta(name, uid=self._gone.pop(name)), NodeSpec({}), NodeStatus({}, ())
            )
            self._act(decide_event(gone, "RemovingNode", f"Removing Node {name} from Controller"))
        node = self._node(name)
        if node is not None and name in self._new:
            del self._new[name]
            self._act(decide_event(node, "RegisteredNode", f"Registered Node {name} in Controller"))

    def _lost_ms(self, node: Node) -> int | None:
        """When a node counts as lost if nothing is heard of it; None: it is heard of."""
        lease = self._store.get(LEASE_KIND.id, LEASE_NAMESPACE, node.meta.name)
        silent_ms = silent_since_ms(lease, self._context.clock.epoch_ms)
        if silent_ms is None:
            return None
        # To one that starts all nodes were heard of at that moment (updateNodeHealth: nodeHealth == nil).
        heard_ms = max(silent_ms, self._since_ms)
        return heard_ms + (self._grace_ms if ready_status(node) else self._startup_ms)

    def _pods_on(self, name: str) -> list[Pod]:
        return list_by_age(self._store.pods.get, self._store.index.pods_by_node.get(name, ()))

    def _follow(self, name: str) -> None:
        """The taint that drives pods away: at once where it takes the place of another, else in its turn."""
        node = self._node(name)
        assert node is not None, name
        key, waiting = KEY_OF.get(ready_status(node)), self._zones.of(node).waiting
        if key is None:
            waiting.pop(name, None)
            self._do(decide_reachable(node))
        elif has_taint(node, opposite(key)):
            self._do(decide_tainted(node, self._now))
        elif not drives_away(node):
            waiting[name] = None
            self._context.loop.enqueue(DISRUPTION, "", "")

    # --- zones --------------------------------------------------------------------------------------------

    def _judge(self, _namespace: str, _name: str) -> None:
        """How much of each zone is lost? Where all nodes are, nobody is driven away."""
        disruption = self._zones.judge(self._now_ms)
        if disruption.stops:
            for node in list(self._store.list(self.kind)):
                assert isinstance(node, Node), node.key
                self._do(decide_reachable(node))
        for node in list(self._store.list(self.kind)) if disruption.resumes else ():
            if isinstance(node, Node) and not _is_settled(node):
                self._look_soon(self.name, node.meta.name)
        taint_ms = self._context.find_pass_ms("node_taint", self._now_ms)
        for name, zone in self._zones.by_name.items():
            if zone.waiting and zone.limiter.rate > 0:
                self._context.loop.enqueue_at(TAINTING, "", name, max(zone.limiter.free_ms, taint_ms))

    def _taint(self, _namespace: str, name: str) -> None:
        """A zone's turn: one node, and the next as soon as its pace allows."""
        zone = self._zones.by_name[name]
        while zone.waiting and zone.limiter.is_free(self._now_ms):
            zone.limiter = zone.limiter.take(self._now_ms)
            first = next(iter(zone.waiting))
            del zone.waiting[first]
            node = self._node(first)
            if node is not None:
                self._do(decide_tainted(node, self._now))
        if zone.waiting and zone.limiter.rate > 0:
            self._context.loop.enqueue_at(TAINTING, "", name, zone.limiter.free_ms)

    @property
    def _now_ms(self) -> int:
        return self._context.clock.now_ms

    @property
    def _now(self) -> str:
        return format_time(self._now_ms, self._context.clock.epoch_ms)

    # --- save and load ------------------------------------------------------------------------------------

    def begin_anew(self) -> None:
        """It starts, and has heard of no node yet."""
        self._since_ms = self._now_ms

    def restore(self) -> None:
        """Count the nodes again."""
        for node in self._store.list(self.kind):
            assert isinstance(node, Node), node.key
            self._zones.take(node.meta.name, node)

    def save(self) -> Any:
        """Plain data."""
        saved = {"zones": self._zones.save(), "new": list(self._new), "gone": dict(self._gone)}
        return saved | ({"since": self._since_ms} if self._since_ms else {})

    def load(self, data: Any) -> None:
        """Go on from what `save` described; an older engine knew of no lost nodes."""
        self._zones.load(map_of(data, "zones"))
        self._new = dict.fromkeys(list_of(data, "new"))
        self._gone = dict(map_of(data, "gone"))
        self._since_ms = (data or {}).get("since", 0)
        if data is None:
            self._context.loop.enqueue(DISRUPTION, "", "")


def _is_settled(node: Node) -> bool:
    """Whether a node has the taints of lost nodes that it should have, and no others."""
    key = KEY_OF.get(ready_status(node))
    if key is None:
        return not (has_taint(node, NOT_READY_KEY) or has_taint(node, UNREACHABLE_KEY))
    return drives_away(node) and not has_taint(node, opposite(key))
