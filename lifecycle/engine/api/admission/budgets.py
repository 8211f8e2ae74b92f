"""An index of PodDisruptionBudgets by the pods that they select, and whether they allow an eviction.

Updated by every write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.meta import StoredObject
from ...objects.pods.pod import Pod
from ...objects.workloads.disruption_budget import DISRUPTION_BUDGET_KIND, DisruptionBudget
from ...store.selectors import SelectorIndex
from ...store.store import Store

BUDGET = DISRUPTION_BUDGET_KIND.id


class BudgetDirectory:
    """Who protects whom. `refused`: what the last refused eviction of a pod was refused for, by its uid."""

    __slots__ = ("_store", "refused", "selectors")

    def __init__(self, store: Store) -> None:
        self._store = store
        self.selectors = SelectorIndex()
        self.refused: dict[str, str] = {}
        store.listen(BUDGET, self._on_budget)

    def save(self) -> dict[str, str]:
        """What was refused of pods that are still there, as plain data."""
        return {uid: names for uid, names in self.refused.items() if uid in self._store.pods}

    def restore(self, refused: Mapping[str, Any]) -> None:
        """File the budgets of a cluster that was loaded, and go on from what `save` told."""
        self.refused = {uid: str(names) for uid, names in refused.items()}
        for budget in self._store.list(BUDGET):
            self._on_budget(None, budget)

    def list_of(self, pod: Pod) -> list[DisruptionBudget]:
        """The budgets that select a pod, by name."""
        matching = self.selectors.matching(pod.meta.namespace or "", pod.meta.labels)
        found = [self._store.find(uid) for uid, _name in matching]
        return [one for one in found if isinstance(one, DisruptionBudget)]

    def _on_budget(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None:
            assert old is not None, "a write has an old or a new object"
            self.selectors.remove(old.meta.uid)
        elif old is None or old.spec is not new.spec:
            assert isinstance(new, DisruptionBudget), new.key
            meta = new.meta
            self.selectors.add(meta.uid, meta.namespace or "", meta.name, new.spec.selector)
