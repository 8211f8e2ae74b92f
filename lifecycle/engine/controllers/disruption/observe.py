"""Seeing the pods of a budget and how many of them there should be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...api.admission.budgets import BUDGET
from ...api.context import Context
from ...objects.meta import StoredObject
from ...objects.pods.pod import Pod
from ...objects.workloads.disruption_budget import DisruptionBudget
from ...rules.workloads.disruption_budgets import needs_scale
from ..act import Act
from ..loop_controller import LoopController
from .decide import SOURCE, Seen, decide, describe_several

if TYPE_CHECKING:
    from .members import Members


class DisruptionController(LoopController):
    """Keys are PodDisruptionBudgets."""

    name, kind, source = BUDGET.lower(), BUDGET, SOURCE

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        self._selectors = context.budgets.selectors
        self._members: dict[str, Members] = {}
        self._hears_of_pods = False
        context.store.listen(self.kind, self._on_budget)

    def restore(self) -> None:
        """Count the pods of every budget again."""
        for budget in self._store.list(self.kind):
            assert isinstance(budget, DisruptionBudget), budget.key
            self._count(budget)

    # --- what has changed -------------------------------------------------------------------------------

    def _on_budget(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None, "a write has an old or a new object"
            self._members.pop(old.meta.uid, None)
            return
        assert isinstance(new, DisruptionBudget), new.key
        if old is None or old.spec is not new.spec:
            self._count(new)
        # Its own writes have it look again, as in Kubernetes.
        self._enqueue_object(new)

    def _count(self, budget: DisruptionBudget) -> None:
        from .members import Members

        if not self._hears_of_pods:
            # Where there is no budget, no pod concerns anybody here.
            self._hears_of_pods = True
            self._store.listen_to_shape("Pod", self._on_pod)
        members = self._members[budget.meta.uid] = Members()
        selector = budget.spec.selector
        for uid in self._store.index.pods_by_namespace.get(budget.meta.namespace or "", ()):
            pod = self._store.pods[uid]
            if selector.matches(pod.meta.labels):
                members.put(pod)

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        namespace, uid = some.meta.namespace or "", some.meta.uid
        found = self._selectors.matching(namespace, some.meta.labels)
        if old is not None and old.meta.labels != some.meta.labels:
            for budget_uid, _name in self._selectors.matching(namespace, old.meta.labels):
                self._members[budget_uid].drop(uid)
        for budget_uid, _name in found:
            members = self._members[budget_uid]
            if new is None:
                members.drop(uid)
            else:
                members.put(new)
        if found:
            # Of several budgets one is looked at, which is told (getPdbForPod).
            self._context.loop.enqueue(self.name, namespace, found[0][1])
        if len(found) > 1:
            self._act(describe_several(some, [name for _uid, name in found]))

    # --- a look -----------------------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """Tell what the budget allows now."""
        budget = self.find(namespace, name)
        if not isinstance(budget, DisruptionBudget):
            return
        decision = decide(self._see(budget), self._context.clock.now_ms)
        self._do(decision.actions)
        if decision.recheck_at_ms is not None:
            self._context.loop.enqueue_at(self.name, namespace, name, decision.recheck_at_ms)

    def _see(self, budget: DisruptionBudget) -> Seen:
        from .members import NOBODY
        from .scales import NoScaleError

        members = self._members[budget.meta.uid]
        namespace = budget.meta.namespace or ""
        named = {name: self._store.get("Pod", namespace, name) for name in budget.status.disrupted_pods}
        disrupted = {
            name: pod if isinstance(pod, Pod) and pod.meta.uid in members.owners else None
            for name, pod in named.items()
        }
        has_unmanaged = NOBODY in members.by_owner
        seen = Seen(budget, members.count, members.healthy, has_unmanaged, disrupted=disrupted)
        if needs_scale(budget.spec):
            try:
                seen.scale = self._sum_scales(namespace, members)
            except NoScaleError as problem:
                seen.problem = str(problem)
        return seen

    def _sum_scales(self, namespace: str, members: Members) -> int:
        """What the controllers of its pods want together. Raises NoScaleError where one cannot be asked."""
        from .members import NOBODY
        from .scales import NoScaleError, find_scale

        scales: dict[str, int] = {}
        for owner_uid, pods in members.by_owner.items():
            if owner_uid == NOBODY:
                continue
            pod = self._store.pods[next(iter(pods))]
            owner = pod.meta.controller
            assert owner is not None, "they are filed by their controller"
            found = find_scale(self._context, namespace, owner)
            if found is None:
                raise NoScaleError(f'found no controllers for pod "{pod.meta.name}"')
            scales[found[0]] = found[1]
        return sum(scales.values())
