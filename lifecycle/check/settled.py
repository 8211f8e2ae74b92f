"""The state that all futures begin with: all was applied, came up, and stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.engine import Changes, Cluster
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.kinds.pod_disruption_budget import POD_DISRUPTION_BUDGET
from lifecycle.engine.kinds.pod_specs import find_pod_spec
from lifecycle.engine.kinds.registry import kind_of_json, list_workloads
from lifecycle.engine.objects.codec import share_readings
from lifecycle.engine.objects.names import ZONE
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.selector import Selector
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.input import exports
from lifecycle.input.manifests import Document
from lifecycle.input.scenario import READY, Until
from lifecycle.lean_dataclasses import dataclass, field, replace
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.assumed import describe_assumed
from lifecycle.simulation.lost_requests import SERVICE, selects_pods_of
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.readiness import Readiness
from lifecycle.simulation.run import Driver, Outcome
from lifecycle.simulation.seen import controller_of, map_pods

Json = Mapping[str, Any]
STANDS_MS = 60_000
"""So long all is left alone once it is well: controllers and autoscalers come to rest."""
BUDGET = POD_DISRUPTION_BUDGET.kind.id
PROFILE = CONTAINER_PROFILE.id
CONFIG_MAP, SECRET = "ConfigMap", "Secret"
AS_IT_STANDS = "as it stands"
"""Why a cluster that is there already begins as it does."""
OTHERS = (PROFILE, CONFIG_MAP, SECRET)
"""Kinds of which ordeals ask, beside those that have a place of their own."""


class Workload(NamedTuple):
    """A workload that nobody controls, as it stands, and what is around it."""

    kind: str
    namespace: str
    name: str
    data: Json
    services: tuple[tuple[str, str], ...] = ()
    """(namespace, name) of those that select its pods."""
    budgets: tuple[tuple[str, str], ...] = ()
    pods: tuple[str, ...] = ()
    """The uids of its pods."""

    @property
    def place(self) -> tuple[str, str, str]:
        """(kind, namespace, name)"""
        return self.kind, self.namespace, self.name

    @property
    def title(self) -> str:
        """`Deployment/shop/web`"""
        return f"{self.kind}/{self.namespace}/{self.name}"

    @property
    def containers(self) -> Sequence[Json]:
        """Those of its pods, init containers aside."""
        found: Sequence[Json] = find_pod_spec(self.data).get("containers") or ()
        return found


@dataclass(frozen=True, slots=True)
class Settled:
    """A saved cluster, with what is in it. `outcome`: how it came up."""

    plan: Plan
    saved: dict[str, Any]
    """To be loaded: what clusters can share of it is read."""
    now_ms: int
    outcome: Outcome
    workloads: tuple[Workload, ...]
    nodes: tuple[Json, ...]
    services: tuple[Json, ...]
    budgets: tuple[Json, ...]
    pods: tuple[Json, ...]
    others: Mapping[str, tuple[Json, ...]]
    """By kind, those of `OTHERS`."""
    assumed: tuple[str, ...] = ()
    """A line each of what is assumed, because nobody has said otherwise."""
    faults: frozenset[tuple[str, str]] = frozenset()
    """(claim, object) of what does not hold before anything is done: no ordeal is to blame for it."""
    unwell: Mapping[str, int] = field(default_factory=dict)
    """How many pods are available of the workloads that are not well before anything is done, by title."""

    @property
    def zones(self) -> list[str]:
        """The zones that nodes are in."""
        return sorted({zone for one in self.nodes if (zone := zone_of(one))})


class _Forget:
    """Nothing of how all came up is looked at."""

    def take(self, changes: Changes) -> None:
        """Let it go."""


def settle(plan: Plan) -> Settled:
    """Apply all there is, wait until it is well, an hour at most, and a while longer.

    Nobody waits for a Job: what befalls it is to befall it while it works.
    """
    alone = replace(plan, steps=(), untils=(Until(READY),), expects=(), sequences=())
    driver = Driver(alone, _Forget())
    driver.readiness = Readiness(False, (JOB_KIND.id,))
    outcome, cluster = driver.run(), driver.cluster
    cluster.run_until(cluster.now_ms + STANDS_MS, stop=lambda engine: bool(engine.take_changes()) and False)
    cluster.take_changes()
    return look(cluster, plan, outcome)


def look(cluster: Cluster, plan: Plan, outcome: Outcome) -> Settled:
    """What a cluster holds as it stands; its changes are taken."""
    services, budgets = cluster.list(SERVICE), cluster.list(BUDGET)
    pods = cluster.list(POD_KIND.id)
    owners = map_pods(cluster)
    workloads = [
        Workload(
            entry.kind.id,
            data["metadata"]["namespace"],
            data["metadata"]["name"],
            data,
            tuple(_place(one) for one in services if find_pod_spec(data) and selects_pods_of(one, data)),
            tuple(_place(one) for one in budgets if _covers(one, data)),
            tuple(pod["metadata"]["uid"] for pod in owners.get(data["metadata"]["uid"], ())),
        )
        for entry in list_workloads()
        for data in cluster.list(entry.kind.id)
        if controller_of(data) is None
    ]
    nodes = cluster.list(NODE_KIND.id)
    others = {kind: tuple(cluster.list(kind)) for kind in OTHERS}
    kept = tuple(workloads), tuple(nodes), tuple(services), tuple(budgets), tuple(pods), others
    assumed = tuple(describe_assumed(cluster))
    return Settled(plan, share_readings(cluster.save()), cluster.now_ms, outcome, *kept, assumed)


def plan_again(cluster: Cluster, seed: int) -> Plan:
    """What would make such a cluster again: its objects as manifests, but for those that others make."""
    documents = [Document(data) for kind in sorted(cluster.kinds()) for data in cluster.list(kind)]
    given, _, _ = exports.clean(documents)
    return Plan(
        tuple(one.data for one in given),
        cluster.settings,
        seed,
        cluster.epoch_ms,
        is_epoch_given=True,
        subjects=tuple(one.subject for one in given),
    )


def zone_of(node: Json) -> str | None:
    """The zone that a node is in."""
    return (node["metadata"].get("labels") or {}).get(ZONE)


def _place(data: Json) -> tuple[str, str]:
    return data["metadata"]["namespace"], data["metadata"]["name"]


def _covers(budget: Json, workload: Json) -> bool:
    if budget["metadata"]["namespace"] != workload["metadata"]["namespace"]:
        return False
    template = (workload.get("spec") or {}).get("template") or {}
    labels = (template.get("metadata") or {}).get("labels") or {}
    selector = (budget.get("spec") or {}).get("selector")
    return selector is not None and Selector(selector).matches(labels)


def name_object(data: Json) -> str:
    """`Deployment/shop/web`; what names no namespace is in `default`."""
    kind, meta = kind_of_json(data), data["metadata"]
    namespace = (meta.get("namespace") or "default") if kind.namespaced else ""
    return "/".join(filter(None, (kind.id, namespace, meta["name"])))
