"""What the page of a disruption budget says: its sums in words, its pods, the evictions it was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dashboard.addresses import find_page
from dashboard.pages.ages import count_on
from dashboard.pages.states import list_selected
from dashboard.plots.theme import clock, duration
from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.selector import Selector
from lifecycle.engine.objects.workloads.disruption_budget import DISRUPTION_BUDGET_KIND
from lifecycle.engine.rules.columns.workloads import selector_text
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.recorded.living import is_none
from lifecycle.stored_kinds import of_kind

Json = dict[str, Any]
KIND = DISRUPTION_BUDGET_KIND.id
MOST_EVICTIONS = 100


@dataclass(slots=True)
class Asked:
    """An eviction that a budget was asked for: refused for a while, or accepted at once."""

    pod: str
    page: str
    seq: int
    asked_ms: int
    is_refused: bool
    answer: str = "asked for again"
    waited: str = ""

    @property
    def at(self) -> str:
        """When it was asked for first."""
        return clock(self.asked_ms)


def read_budget(cluster: Cluster, stored: StoredObject, at_ms: int) -> Json:
    """All that its page shows beside the evictions."""
    spec, status = stored.data.get("spec") or {}, stored.data.get("status") or {}
    columns = decide_columns(stored.data, at_ms, epoch_ms=cluster.epoch_ms)
    is_gone, selector = stored.deleted_ms is not None, Selector(spec.get("selector"))
    facts = {title: value for title, value in columns.items() if title != "NAME"}
    return {
        "budget": stored,
        "verdict": f"Deleted at {clock(stored.deleted_ms)}."
        if stored.deleted_ms is not None
        else tell(status),
        "facts": count_on(facts, cluster, stored, at_ms),
        "selector": selector_text(spec.get("selector")) or "every pod of its namespace",
        "policy": spec.get("unhealthyPodEvictionPolicy") or "IfHealthyBudget",
        "conditions": status.get("conditions") or [],
        "pods": [] if is_gone else list_selected(cluster, stored.namespace, selector),
    }


def tell(status: Json) -> str:
    """A budget's sums in a sentence."""
    healthy, needed = status.get("currentHealthy", 0), status.get("desiredHealthy", 0)
    expected, allowed = status.get("expectedPods", 0), status.get("disruptionsAllowed", 0)
    failed = next((one for one in status.get("conditions") or () if one.get("reason") == "SyncFailed"), None)
    if failed is not None:
        return f"Allows no eviction: what it needs cannot be reckoned ({failed.get('message', '')})."
    of = f"{healthy} of {expected} pods are healthy and {needed} must be"
    if not allowed:
        return f"Allows no eviction now: {of}."
    return f"Allows {allowed} eviction{'' if allowed == 1 else 's'} now: {of}."


def list_evictions(cluster: Cluster, stored: StoredObject, now_ms: int) -> list[Asked]:
    """The evictions that it refused or paid for, the latest first."""
    rows = Transition.objects.filter(
        of_kind(POD_KIND.id),
        cluster=cluster,
        namespace=stored.namespace,
        field="eviction",
        seq__lte=cluster.seq,
        at_ms__gte=stored.created_ms,
    )
    found: list[Asked] = []
    open_by_uid: dict[str, Asked] = {}
    for row in rows.order_by("-seq")[: MOST_EVICTIONS * 4][::-1]:
        known = open_by_uid.pop(row.uid, None)
        if known is not None and row.new != "refused":
            known.answer = f"accepted at {clock(row.at_ms)}" if row.new == "accepted" else "given up"
            known.waited = duration(row.at_ms - known.asked_ms)
            continue
        if stored.name not in (row.reason or "").split(", "):
            continue
        page = find_page(POD_KIND.id, row.namespace or "", row.name)
        asked = known or Asked(row.name, page, row.seq, row.at_ms, row.new == "refused")
        if known is None:
            found.append(asked)
        if row.new == "refused":
            open_by_uid[row.uid] = asked
        else:
            asked.answer = "accepted at once"
    for asked in open_by_uid.values():
        asked.waited = duration(max(0, now_ms - asked.asked_ms))
    return found[::-1][:MOST_EVICTIONS]


def list_budgets(cluster: Cluster) -> list[Json]:
    """Every budget there is, by namespace and name, in words."""
    if is_none(cluster, (KIND,)):
        return []
    rows = StoredObject.objects.filter(of_kind(KIND), cluster=cluster, deleted_ms__isnull=True)
    return [
        {
            "name": row.name,
            "namespace": row.namespace or "",
            "page": find_page(KIND, row.namespace or "", row.name),
            "told": tell(row.data.get("status") or {}),
        }
        for row in rows.order_by("namespace", "name")
    ]
