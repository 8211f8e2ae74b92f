"""ClusterRoles that gather the rules of others: their rules follow those.

Models the cluster role aggregation controller. The roles that every API server makes stand beside those that
are stored; their own rules are kept where they are shown. What is seen is little: it stands here, as each
module costs every run a moment.
"""

from __future__ import annotations

from ...api.context import Context
from ...objects.meta import StoredObject
from ..act import Act
from ..loop_controller import LoopController

_ROLE = "ClusterRole"


class ClusterRoleController(LoopController):
    """There is one key: whatever changes may matter to any role, through others."""

    name, kind, source = "clusterRoles", _ROLE, "clusterrole-aggregation-controller"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        context.store.listen(_ROLE, self._on_role)

    def _on_role(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if any(_gathers(one) for one in self._store.list(_ROLE)):
            self._context.loop.enqueue(self.name, "", "")

    def sync(self, _namespace: str, _name: str) -> None:
        """Write the rules of all that gather."""
        from .decide import decide_rules

        self._do(decide_rules(list(self._store.list(_ROLE))))


def _gathers(role: StoredObject) -> bool:
    return (role.extra or {}).get("aggregationRule") is not None
