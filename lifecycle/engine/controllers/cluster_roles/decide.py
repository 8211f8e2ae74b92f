"""Which rules ClusterRoles that gather come to have."""

from __future__ import annotations

from collections.abc import Sequence

from ...objects.meta import StoredObject
from ...rules.access.aggregation import is_same, settle_rules
from ...rules.access.bootstrap import add_bootstrap, list_cluster_roles
from ...rules.actions import Action, Update


def decide_rules(roles: Sequence[StoredObject]) -> list[Action]:
    """Write those that are not as they should be. What is stored stands for what the API server makes."""
    settled = settle_rules(add_bootstrap([one.to_json() for one in roles], list_cluster_roles()))
    actions: list[Action] = []
    for role in roles:
        extra, rules = role.extra or {}, settled.get(role.meta.name)
        if rules is not None and not is_same(rules, extra.get("rules") or ()):
            actions.append(Update(role.replace(extra={**extra, "rules": rules})))
    return actions
