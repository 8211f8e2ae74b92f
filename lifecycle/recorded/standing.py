"""What the latest rows say of a cluster: drains that cannot go on, evictions that were refused."""

from __future__ import annotations

from collections.abc import Iterable

from lifecycle.engine.api.evictions import REFUSED
from lifecycle.engine.kinds.pod_disruption_budget import POD_DISRUPTION_BUDGET
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.disruption_budget import DisruptionBudget
from lifecycle.engine.rules.nodes.drains import BLOCKED, DRAIN
from lifecycle.engine.rules.telling.drains import Held, find_drain_hold
from lifecycle.engine.rules.telling.losses import WINDOW_MS
from lifecycle.engine.rules.telling.verdicts import tell_instant
from lifecycle.models import Cluster, Transition
from lifecycle.recorded.latest import LATEST_FIRST
from lifecycle.recorded.living import is_none
from lifecycle.recorded.objects import alive

MOST_ASKED = 500
"""Of so many nodes and pods it is read what was asked of them."""
MOST_ROWS = 5_000


def list_blocked_drains(cluster: Cluster, now_ms: int) -> dict[str, Held]:
    """By node what holds up the drain that goes on there, where budgets do."""
    nodes = dict(alive(cluster, NODE_KIND.id).order_by("name").values_list("uid", "name")[:MOST_ASKED])
    since, budgets = dict[str, int](), dict[str, list[str]]()
    for uid, at_ms, new, reason in _list_said(cluster, nodes, DRAIN, 0):
        name = nodes[uid]
        if new == BLOCKED:
            since.setdefault(name, at_ms)
            budgets[name] = [one for one in (reason or "").split(", ") if one]
        else:
            since.pop(name, None)
    if not since:
        return {}
    found = _read_budgets(cluster, {one for name in since for one in budgets[name]})
    return {
        name: find_drain_hold(at_ms, [one for one in found if one.meta.name in budgets[name]], now_ms)
        for name, at_ms in since.items()
    }


def _read_budgets(cluster: Cluster, names: Iterable[str]) -> list[DisruptionBudget]:
    """Those of these names that let none go now: the ones of other namespaces that do were not meant."""
    rows = alive(cluster, POD_DISRUPTION_BUDGET.kind.id).filter(name__in=list(names)).order_by("namespace")
    read = [
        DisruptionBudget.from_json(data, cluster.epoch_ms) for data in rows.values_list("data", flat=True)
    ]
    return [one for one in read if not one.status.disruptions_allowed]


def list_refused_evictions(
    cluster: Cluster, drained: Iterable[str], now_ms: int
) -> list[tuple[str, str, str]]:
    """Namespace and name of pods whose eviction a budget refused lately, and what is said of that.

    Those on nodes that are `drained` are told with the drain.
    """
    if is_none(cluster, (POD_DISRUPTION_BUDGET.kind.id,)):
        return []
    budgets = alive(cluster, POD_DISRUPTION_BUDGET.kind.id)
    strict = budgets.filter(data__status__disruptionsAllowed=0).values_list("namespace", flat=True)
    pods = alive(cluster, POD_KIND.id).filter(namespace__in=list(strict)).exclude(node__in=list(drained))
    named = {
        uid: (space, name) for uid, space, name in pods.values_list("uid", "namespace", "name")[:MOST_ASKED]
    }
    told = dict[str, str]()
    for uid, at_ms, new, reason in _list_said(cluster, named, "eviction", now_ms - WINDOW_MS):
        if new == REFUSED:
            budget = f" by budget {reason}" if reason else ""
            told[uid] = f"its eviction was refused at {tell_instant(at_ms)}{budget}"
        else:
            told.pop(uid, None)
    return [(named[uid][0] or "", named[uid][1], why) for uid, why in told.items()]


def _list_said(
    cluster: Cluster, uids: Iterable[str], field: str, from_ms: int
) -> Iterable[tuple[str, int, str | None, str | None]]:
    """Whose row, when, what and why, in order."""
    rows = Transition.objects.filter(cluster=cluster, uid__in=list(uids), field=field, seq__lte=cluster.seq)
    latest = rows.filter(at_ms__gte=from_ms).order_by(LATEST_FIRST)
    return reversed(latest.values_list("uid", "at_ms", "new", "reason")[:MOST_ROWS])
