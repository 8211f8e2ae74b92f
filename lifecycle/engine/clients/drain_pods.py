"""One pod of a drain: asked for as kubectl does, refused for now, leaving, gone."""

from __future__ import annotations

from ..api.admission.namespaces import is_namespace_ending
from ..api.context import Context
from ..api.server import ApiServer
from ..heart.chance import PART
from ..heart.errors import ApiError, NotFound, TooManyRequests
from ..objects.pods.pod import POD_KIND, Pod
from ..rules.nodes.drains import CONFLICT_MS, DRAIN, RETRY_MS, DrainOptions, next_tick_ms, tell_refused
from ..rules.workloads.disruption_budgets import is_exempt, is_spare
from .drain_state import NodeDrain

_HOUR_MS = 3_600_000


class DrainedPods:
    """Asks for the pods of drains. A timer's payload is the pod's key."""

    def __init__(self, context: Context, api: ApiServer) -> None:
        self._context, self._store, self._api = context, context.store, api
        # At which instant a budget was last charged here, by its uid: who comes at once with that conflicts.
        self._charged: dict[str, int] = {}

    def try_one(self, drain: NodeDrain, key: str, options: DrainOptions) -> None:
        """Ask for a pod's eviction, as long as there is time."""
        found, now_ms = drain.pods[key], self._context.now_ms
        if drain.deadline_ms is not None and now_ms >= drain.deadline_ms and options.uses_eviction:
            why = f"global timeout reached: {options.timeout_text}"
            self.finish(drain, key, tell_refused(found.namespace, found.name, why))
            return
        pod = self._store.get(POD_KIND.id, found.namespace, found.name)
        if not isinstance(pod, Pod):
            self.finish(drain, key)
            return
        # As kubectl's, its requests go by name: whoever bears it now is meant.
        found.uid = pod.meta.uid
        charged = self._find_charged(pod) if options.uses_eviction else ""
        if charged:
            # Who conflicts together comes again together, and conflicts again: so it was recorded.
            low_ms, high_ms = CONFLICT_MS
            if self._context.timing.is_instant:
                high_ms = low_ms
            delay_ms = self._context.chance.draw_ms("evict", f"{charged}{PART}{now_ms}", low_ms, high_ms)
            found.timer = self._context.later(delay_ms, DRAIN, drain.id, key)
            return
        try:
            self._request(pod, options)
        except NotFound:
            self.finish(drain, key)
        except TooManyRequests:
            self._park(drain, key, self._context.budgets.refused.get(pod.meta.uid, ""))
        except ApiError as problem:
            if not is_namespace_ending(problem):
                self.finish(drain, key, tell_refused(found.namespace, found.name, problem.message))
            elif pod.meta.deletion_ms is None:
                self._park(drain, key, "")
            else:
                self._wait(drain, key)
        else:
            self._wait(drain, key)

    def _find_charged(self, pod: Pod) -> str:
        """The uid of the pod's budget, if its eviction would be a second write to it at once; else ""."""
        budgets = self._context.budgets.list_of(pod)
        if len(budgets) != 1 or is_exempt(pod) or is_spare(pod, budgets[0]):
            return ""
        uid = budgets[0].meta.uid
        return uid if self._charged.get(uid) == self._context.now_ms else ""

    def _request(self, pod: Pod, options: DrainOptions) -> None:
        if not options.uses_eviction:
            self._api.delete_pod(pod, options.grace_seconds)
            return
        budgets = self._context.budgets.list_of(pod)
        self._api.evict(pod, options.grace_seconds)
        for budget in budgets:
            if self._store.find(budget.meta.uid) is not budget:
                self._charged[budget.meta.uid] = self._context.now_ms

    def _park(self, drain: NodeDrain, key: str, budgets: str) -> None:
        """Refused: it is tried again when something has changed, or the time is over."""
        found = drain.pods[key]
        found.is_refused, found.budgets, found.since_ms = True, budgets, self._context.now_ms
        latest_ms = found.since_ms + _HOUR_MS
        if drain.deadline_ms is not None:
            latest_ms = min(latest_ms, drain.deadline_ms)
        self.try_at(drain, key, next_tick_ms(found.since_ms, RETRY_MS, latest_ms))

    def try_at(self, drain: NodeDrain, key: str, due_ms: int) -> None:
        """Come back to a pod at an instant, and at no other."""
        found = drain.pods[key]
        if found.timer is not None:
            self._context.agenda.cancel(found.timer)
        found.timer = self._context.later(due_ms - self._context.now_ms, DRAIN, drain.id, key)
        found.due_ms = due_ms

    def _wait(self, drain: NodeDrain, key: str) -> None:
        """Accepted: the pod is being deleted, or gone at once."""
        found = drain.pods[key]
        found.is_refused, found.is_leaving, found.since_ms = False, True, self._context.now_ms
        if found.uid not in self._store.pods:
            self.finish(drain, key)

    def finish(self, drain: NodeDrain, key: str, error: str = "") -> None:
        """Nothing more is asked of a pod: it is gone, or there is an error."""
        from ..api.evictions import withdraw

        found = drain.pods.pop(key)
        if found.timer is not None:
            self._context.agenda.cancel(found.timer)
        if error:
            drain.errors.append(error)
            withdraw(self._context, found.uid)

    def give_up(self, drain: NodeDrain, key: str) -> None:
        """Ask for a pod no more, whatever it does."""
        from ..api.evictions import withdraw

        uid = drain.pods[key].uid
        self.finish(drain, key)
        withdraw(self._context, uid)

    def take_up(self, drain: NodeDrain, key: str) -> None:
        """Go on with a pod whose timer was lost; one that is leaving needs none until it is gone."""
        found, now_ms = drain.pods[key], self._context.now_ms
        found.timer = None
        if found.is_refused:
            self.try_at(drain, key, next_tick_ms(found.since_ms, RETRY_MS, now_ms))
        elif not found.is_leaving or found.uid not in self._store.pods:
            self.try_at(drain, key, now_ms)

    def wake(self, drain: NodeDrain, key: str) -> None:
        """Something has changed for a pod that was refused: it is tried when kubectl tries next."""
        found = drain.pods[key]
        due_ms = next_tick_ms(found.since_ms, RETRY_MS, self._context.now_ms)
        if due_ms < found.due_ms:
            self.try_at(drain, key, due_ms)
