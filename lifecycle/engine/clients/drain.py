"""`kubectl drain`: cordon a node, evict its pods, wait until they are gone.

Each pod is tried by itself, as kubectl does: a refused eviction every 5 s, an accepted one until the pod is
found gone at one of the looks a second apart. Nobody polls: a pod that is refused waits until its budgets or
itself have changed, and is then tried at the next instant at which kubectl would try it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from lifecycle.lean_dataclasses import asdict

from ..api.admission.budgets import BUDGET
from ..api.context import Context
from ..api.server import ApiServer
from ..heart.agenda import Timer
from ..heart.errors import NO_SERVER, ApiError, BadRequest, Conflict
from ..heart.timing import read_duration_ms
from ..objects.meta import StoredObject
from ..objects.node import NODE_KIND
from ..objects.pods.pod import POD_KIND, Pod
from ..objects.shortened import shorten
from ..objects.workloads.daemon_set import DAEMON_SET_KIND
from ..releases.switches import DRAIN_SAYS_IT_TWICE
from ..rules.nodes.drains import (
    BLOCKED,
    CANCELLED,
    DONE,
    DRAIN,
    FAILED,
    LOOK_MS,
    STARTED,
    TIMED_OUT,
    Chosen,
    choose_pods,
    next_tick_ms,
    read_options,
    tell_blocked,
    tell_cancelled,
    tell_failure,
    tell_overdue,
)
from .client import Answer, Client, Payload
from .drain_pods import DrainedPods
from .drain_state import NodeDrain, PodDrain, read_drains
from .nodes import cordon, uncordon

if TYPE_CHECKING:
    from .upgrade import Upgrades


class Drains:
    """The drains that go on, by their numbers. A timer is a pod's (its key), or for the whole (None)."""

    def __init__(self, context: Context, api: ApiServer, make_upgrades: Callable[[], Upgrades]) -> None:
        self._context, self._make_upgrades = context, make_upgrades
        self._store = context.store
        self._client, self._pods = Client(context, api), DrainedPods(context, api)
        self._running: dict[str, NodeDrain] = {}
        self._count = 0
        self._listens = False
        context.loop.on_timer(DRAIN, self._on_timer)

    # --- a command --------------------------------------------------------------------------------------

    def run(self, payload: Payload) -> Answer:
        """Begin to drain a node, or several one after another. The answer shows the first.

        Raises BadRequest for what cannot be read, NotFound for a node, Conflict in kubectl's words where
        pods forbid the drain: then the node is cordoned all the same.
        """
        from ..objects.selector_text import read_selector

        if payload.get("cancel"):
            return self._cancel(self._client.find_node(payload).meta.name)
        names = payload.get("nodes") or [self._client.find_node(payload).meta.name]
        for name in names:
            self._store.require(NODE_KIND.id, "", name)
        upgrade = payload.get("upgrade") or ""
        if upgrade:
            self._make_upgrades().check_kubelets(names, upgrade)
        durations = [_read_duration(payload, field) for field in ("timeout", "uncordonAfter")]
        options = read_options(payload, durations[0])
        try:
            read_selector(payload.get("podSelector") or "")
        except ValueError as problem:
            raise BadRequest(f"drain.podSelector: {problem}") from None
        self._count += 1
        cause = str(self._context.trace.cause or "").removeprefix("command:")
        selector = payload.get("podSelector") or ""
        drain = NodeDrain(str(self._count), cause, names[0], names[1:], asdict(options), selector)
        drain.uncordon_after_ms, drain.upgrade = durations[1], upgrade
        self._begin(drain)
        return 200, self._store.require(NODE_KIND.id, "", names[0])

    def is_draining(self, node: str) -> bool:
        """Whether a drain of this node goes on, or is to begin after that of another one."""
        drains = self._running.values()
        return any(node in one.rest or (node == one.node and one.said != DONE) for one in drains)

    def _cancel(self, node: str) -> Answer:
        """Stop asking, as when kubectl is stopped: who is leaving leaves, and the cordon stays.

        A drain of several nodes is stopped as a whole. Raises Conflict where no drain goes on.
        """
        found = [drain for drain in self._running.values() if node in (drain.node, *drain.rest)]
        if not found:
            raise Conflict(f'node "{node}": no drain of it goes on', NODE_KIND.plural, node)
        for drain in found:
            leaving = sum(one.is_leaving for one in drain.pods.values())
            message = tell_cancelled(len(drain.pods) - leaving, leaving, drain.rest)
            for key in list(drain.pods):
                self._pods.give_up(drain, key)
            if drain.timer is not None:
                self._context.agenda.cancel(drain.timer)
            self._tell(drain, CANCELLED, None, message)
            del self._running[drain.id]
        return 200, self._store.require(NODE_KIND.id, "", node)

    def give_up(self) -> None:
        """The API server does not answer any more: kubectl ends with an error."""
        for drain in list(self._running.values()):
            for key in list(drain.pods):
                self._pods.give_up(drain, key)
            if drain.timer is not None:
                self._context.agenda.cancel(drain.timer)
            if drain.said != DONE:
                self._tell(drain, FAILED, None, tell_failure(drain.node, [NO_SERVER]))
        self._running.clear()

    def _begin(self, drain: NodeDrain) -> None:
        """Cordon the drain's node and evict its pods. Raises Conflict where they forbid it."""
        self._listen()
        trace, options = self._context.trace, drain.read_options()
        node = self._store.require(NODE_KIND.id, "", drain.node)
        if not (node.spec_json() or {}).get("unschedulable"):
            cordon(self._client, {"node": drain.node})
        chosen = choose_pods(self._list_pods(drain), options, self._has_daemon_set)
        errors = chosen.list_errors(self._context.switches[DRAIN_SAYS_IT_TWICE])
        if errors:
            raise Conflict(tell_failure(drain.node, errors), NODE_KIND.plural, drain.node)
        now_ms = self._context.now_ms
        drain.started_ms = now_ms
        drain.deadline_ms = None if options.timeout_ms is None else now_ms + options.timeout_ms
        drain.pods = {f"{one.meta.namespace}/{one.meta.name}": _follow(one) for one in chosen.pods}
        self._running[drain.id] = drain
        outer = trace.cause
        self._tell(drain, STARTED, None, _tell_beginning(chosen))
        trace.cause = drain.cause
        if drain.deadline_ms is not None:
            drain.timer = self._context.later(drain.deadline_ms - now_ms, DRAIN, drain.id)
        for key in list(drain.pods):
            self._pods.try_one(drain, key, options)
        self._go_on(drain)
        trace.cause = outer

    def _list_pods(self, drain: NodeDrain) -> Iterable[Pod]:
        """The selected pods of a node, as an API server lists them."""
        from ..objects.selector_text import read_selector

        selector = read_selector(drain.pod_selector)
        uids = self._store.index.pods_by_node.get(drain.node, ())
        pods = [one for one in map(self._store.pods.get, uids) if one is not None]
        found = [one for one in pods if selector.matches(one.meta.labels)]
        return sorted(found, key=lambda one: (one.meta.namespace or "", one.meta.name))

    def _has_daemon_set(self, pod: Pod, owner: Any) -> bool:
        return self._store.get(DAEMON_SET_KIND.id, pod.meta.namespace, owner.name) is not None

    # --- what changes -----------------------------------------------------------------------------------

    def _listen(self) -> None:
        """From the first drain on: before, no pod concerns anybody here."""
        if not self._listens:
            self._listens = True
            self._store.listen_to_shape(POD_KIND.id, self._on_pod)
            self._store.listen(BUDGET, self._on_budget)

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        if not self._running or old is None:
            return
        key = f"{old.meta.namespace}/{old.meta.name}"
        for drain in self._running.values():
            found = drain.pods.get(key)
            if found is None:
                continue
            if found.is_refused:
                self._pods.wake(drain, key)
            elif new is None and found.is_leaving and found.uid == old.meta.uid:
                self._pods.try_at(drain, key, next_tick_ms(found.since_ms, LOOK_MS, self._context.now_ms))

    def _on_budget(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        for drain in self._running.values():
            for key, found in drain.pods.items():
                if found.is_refused and found.namespace == some.meta.namespace:
                    self._pods.wake(drain, key)

    def _on_timer(self, timer: Timer) -> None:
        drain = self._running.get(timer.target)
        if drain is None:
            return
        key = timer.payload
        if key is None:
            self._on_time(drain)
            return
        found = drain.pods.get(key)
        if found is None:
            return
        found.timer = None
        if found.is_leaving:
            self._pods.finish(drain, key)
        else:
            self._pods.try_one(drain, key, drain.read_options())
        self._go_on(drain)

    def _on_time(self, drain: NodeDrain) -> None:
        """The time is over for those that are leaving; or the node is to be uncordoned."""
        drain.timer = None
        if drain.said == DONE:
            self._take_next(drain)
            return
        is_by_eviction = drain.read_options().uses_eviction
        for key, found in list(drain.pods.items()):
            if found.is_leaving:
                overdue = tell_overdue(found.namespace, found.name)
                self._pods.finish(drain, key, overdue if is_by_eviction else "context deadline exceeded")
        self._go_on(drain)

    # --- the whole --------------------------------------------------------------------------------------

    def _go_on(self, drain: NodeDrain) -> None:
        """Tell how the drain stands; end it when no pod is left to it."""
        if drain.pods:
            refused = {key: found for key, found in drain.pods.items() if found.is_refused}
            budgets = sorted({found.budgets for found in refused.values()} - {""})
            message = tell_blocked(list(refused)) if refused else None
            self._tell(drain, BLOCKED if refused else STARTED, ", ".join(budgets) or None, message)
            return
        if drain.timer is not None:
            self._context.agenda.cancel(drain.timer)
            drain.timer = None
        is_late = drain.deadline_ms is not None and self._context.now_ms >= drain.deadline_ms
        if drain.errors:
            message = tell_failure(drain.node, drain.errors)
            self._tell(drain, TIMED_OUT if is_late else FAILED, None, message)
        else:
            self._tell(drain, DONE, None, None)
            self._upgrade(drain)
            if drain.said == DONE and (drain.uncordon_after_ms is not None or drain.rest):
                self._context.trace.cause = drain.cause
                drain.timer = self._context.later(drain.uncordon_after_ms or 0, DRAIN, drain.id)
                return
        del self._running[drain.id]

    def _upgrade(self, drain: NodeDrain) -> None:
        """Give a drained node the kubelet that it is to have; where that cannot be, go no further."""
        if not drain.upgrade or self._store.get(NODE_KIND.id, "", drain.node) is None:
            return
        self._context.trace.cause = drain.cause
        try:
            self._make_upgrades().upgrade_node(drain.node, drain.upgrade, "drain.upgrade")
        except ApiError as refusal:
            self._tell(drain, FAILED, None, refusal.message)

    def _take_next(self, drain: NodeDrain) -> None:
        """The node is drained: it may be used again, and the next one's turn comes."""
        del self._running[drain.id]
        node = self._store.get(NODE_KIND.id, "", drain.node)
        if drain.uncordon_after_ms is not None and node is not None:
            uncordon(self._client, {"node": drain.node})
        if not drain.rest:
            return
        name, *rest = drain.rest
        following = NodeDrain(drain.id, drain.command, name, rest, drain.options, drain.pod_selector)
        following.uncordon_after_ms, following.upgrade = drain.uncordon_after_ms, drain.upgrade
        following.cause = drain.cause
        if self._store.get(NODE_KIND.id, "", name) is None:
            self._take_next(following)
            return
        try:
            self._begin(following)
        except ApiError as refusal:
            self._tell(following, FAILED, None, refusal.message)

    def _tell(self, drain: NodeDrain, said: str, reason: str | None, message: str | None) -> None:
        """A row of the node, where that is news."""
        node = self._store.get(NODE_KIND.id, "", drain.node)
        if (said, reason) == (drain.said, drain.reason) or node is None:
            drain.said, drain.reason = said, reason
            return
        trace = self._context.trace
        detail = {"command": drain.command, "left": list(drain.rest)}
        drain.cause = trace.transition(node.subject, DRAIN, drain.said, said, reason, message, detail)
        drain.said, drain.reason = said, reason

    # --- save and load ----------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Plain data; their timers are in the agenda."""
        return {"count": self._count, "running": [asdict(drain) for drain in self._running.values()]}

    def load(self, saved: Any) -> None:
        """Go on from what `save` described; None: from nothing."""
        self._count, found = read_drains(saved)
        self._running = {drain.id: drain for drain in found}
        if self._running:
            self._listen()

    def go_on(self) -> None:
        """Set anew the timers that were lost on the way to another engine, for drains that cannot wait."""
        agenda, trace, now_ms = self._context.agenda, self._context.trace, self._context.now_ms
        living = {timer.sequence for timer in agenda.timers() if timer.kind == DRAIN}
        outer = trace.cause
        for drain in self._running.values():
            trace.cause = drain.cause
            for key, found in drain.pods.items():
                if found.timer not in living:
                    self._pods.take_up(drain, key)
            if drain.timer not in living:
                due_ms = now_ms + (drain.uncordon_after_ms or 0) if drain.said == DONE else drain.deadline_ms
                drain.timer = None
                if due_ms is not None:
                    drain.timer = self._context.later(max(due_ms - now_ms, 0), DRAIN, drain.id)
        trace.cause = outer


def _follow(pod: Pod) -> PodDrain:
    return PodDrain(pod.meta.namespace or "", pod.meta.name, pod.meta.uid)


def _tell_beginning(chosen: Chosen) -> str:
    count = len(chosen.pods)
    text = f"{count} {'pod' if count == 1 else 'pods'} to evict"
    warning = chosen.warn()
    return f"{text}; {warning}" if warning else text


def _read_duration(payload: Payload, field: str) -> int | None:
    """A duration of the payload in ms. Raises BadRequest."""
    value = payload.get(field)
    if value is None:
        return None
    found = read_duration_ms(value)
    if found is None or found < 0:
        raise BadRequest(f"drain.{field} {shorten(value)}: use a duration such as 10m")
    return found
