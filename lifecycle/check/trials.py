"""From ordeals and what is there to trials: one ordeal befalling one thing, with the steps that do it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lifecycle.check.holes import HoleError, fill_steps
from lifecycle.check.new_images import make_new_image
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.settled import ZONE, Settled, Workload
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.engine.objects.workloads.stateful_set import STATEFUL_SET_KIND
from lifecycle.input.manifests import Document
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.scenario import API_VERSION, KIND, Expect, Scenario, read_scenario
from lifecycle.input.scenario_steps import Step
from lifecycle.lean_dataclasses import dataclass

Json = Mapping[str, Any]
ROLLING = (DEPLOYMENT_KIND.id, STATEFUL_SET_KIND.id, DAEMON_SET_KIND.id)


@dataclass(frozen=True, slots=True)
class Trial:
    """One ordeal of one thing. Steps count from the fork. `workloads`: those it is told of."""

    ordeal: Ordeal
    target: str
    workloads: tuple[Workload, ...]
    steps: tuple[Step, ...]
    expects: tuple[Expect, ...] = ()
    written: tuple[Json, ...] = ()
    """The steps as a Scenario has them."""

    @property
    def title(self) -> str:
        """`rollout-slow Deployment/shop/web`"""
        return f"{self.ordeal.name} {self.target}".rstrip()


def list_trials(settled: Settled, ordeals: Iterable[Ordeal]) -> list[Trial]:
    """Every ordeal of everything that it can befall. Raises ManifestError for one that cannot be read."""
    return [trial for ordeal in ordeals for trial in _list_of(settled, ordeal)]


def _list_of(settled: Settled, ordeal: Ordeal) -> Iterator[Trial]:
    lists = make_lists(settled)
    if not all(lists.get(need) for need in ordeal.needs):
        return
    for target, holes, workloads in _TARGETS[ordeal.each](settled, ordeal):
        for number, image in enumerate(ordeal.images):
            new = [{"newImage": make_new_image(one, image)} for one in workloads if one.containers]
            here = {**holes, **(new[0] if new and ordeal.each in ("workload", "container") else {})}
            named = f"{target} {number + 1}" if len(ordeal.images) > 1 else target
            yield _make(settled, ordeal, named, here, workloads, lists)


def _make(
    settled: Settled,
    ordeal: Ordeal,
    target: str,
    holes: Mapping[str, Any],
    workloads: Sequence[Workload],
    lists: Mapping[str, list[dict[str, Any]]],
) -> Trial:
    try:
        written = tuple(fill_steps(ordeal.steps, holes, lists))
        expects = [dict(one) for one in fill_steps(ordeal.expects, holes, lists)]
    except HoleError as error:
        raise ManifestError([Problem(str(error), subject=f"Ordeal {ordeal.name}")]) from None
    scenario = read_steps(ordeal.name, written, expects)
    return Trial(ordeal, target, tuple(workloads), scenario.steps, scenario.expects, written)


def read_steps(name: str, written: Sequence[Json], expects: Sequence[Json] = ()) -> Scenario:
    """Steps as a Scenario reads them. Raises ManifestError."""
    head = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": name}}
    return read_scenario(Document({**head, "spec": {"steps": list(written), "expect": list(expects)}}))


# --- what an ordeal can befall ------------------------------------------------------------------------------

Target = tuple[str, dict[str, Any], Sequence[Workload]]


def _name_workload(one: Workload) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "name": one.name,
        "namespace": one.namespace,
        "workload": f"{one.kind.lower()}/{one.name}",
        "replicas": (one.data.get("spec") or {}).get("replicas", 1),
    }


def _suits(one: Workload, ordeal: Ordeal) -> bool:
    return one.kind in (ordeal.kinds or ROLLING)


def _workloads(settled: Settled, ordeal: Ordeal) -> Iterator[Target]:
    for one in settled.workloads:
        if _suits(one, ordeal):
            yield one.title, _name_workload(one), [one]


def _containers(settled: Settled, ordeal: Ordeal) -> Iterator[Target]:
    for one in settled.workloads:
        pods = [pod for pod in settled.pods if pod["metadata"]["uid"] in one.pods]
        if not _suits(one, ordeal) or not pods:
            continue
        for container in one.containers:
            pod = {"pod": pods[0]["metadata"]["name"], "container": container["name"]}
            yield f"{one.title} {container['name']}", {**_name_workload(one), **pod}, [one]


def _nodes(settled: Settled, ordeal: Ordeal) -> Iterator[Target]:
    for node in settled.nodes:
        name = node["metadata"]["name"]
        on_it = _list_on(settled, {name})
        if on_it:
            yield name, {"node": name}, on_it


def _zones(settled: Settled, ordeal: Ordeal) -> Iterator[Target]:
    zones = settled.zones
    for zone in zones if len(zones) > 1 else ():
        names = [one["metadata"]["name"] for one in settled.nodes if _zone_of(one) == zone]
        yield f"zone {zone}", {"zone": zone, "zoneNodes": names}, _list_on(settled, set(names))


def _zone_of(node: Json) -> str | None:
    return (node["metadata"].get("labels") or {}).get(ZONE)


def _list_on(settled: Settled, nodes: set[str]) -> list[Workload]:
    """The workloads with pods on some nodes."""
    uids = {
        one["metadata"]["uid"] for one in settled.pods if (one.get("spec") or {}).get("nodeName") in nodes
    }
    return [one for one in settled.workloads if not uids.isdisjoint(one.pods)]


def _services(settled: Settled, ordeal: Ordeal) -> Iterator[Target]:
    for service in settled.services:
        meta = service["metadata"]
        place = meta["namespace"], meta["name"]
        behind = [one for one in settled.workloads if place in one.services]
        if behind:
            selector = service["spec"].get("selector") or {}
            holes = {"service": meta["name"], "namespace": meta["namespace"], "selector": selector}
            yield f"Service/{place[0]}/{place[1]}", holes, list(settled.workloads)


def _of_kind(kind: str) -> Any:
    def find(settled: Settled, ordeal: Ordeal) -> Iterator[Target]:
        for one in settled.workloads:
            if one.kind == kind:
                yield one.title, _name_workload(one), [one]

    return find


def _cluster(settled: Settled, ordeal: Ordeal) -> Iterator[Target]:
    found = [one for one in settled.workloads if not ordeal.kinds or one.kind in ordeal.kinds]
    if found:
        yield "", {}, found


_TARGETS = {
    "workload": _workloads,
    "container": _containers,
    "node": _nodes,
    "zone": _zones,
    "service": _services,
    "cronjob": _of_kind(CRON_JOB_KIND.id),
    "job": _of_kind(JOB_KIND.id),
    "cluster": _cluster,
}


def make_lists(settled: Settled) -> dict[str, list[dict[str, Any]]]:
    """What a step can be repeated for; what an ordeal can need."""
    return {
        "workloads": [_name_workload(one) for one in settled.workloads if one.kind in ROLLING],
        "nodes": [{"node": one["metadata"]["name"]} for one in settled.nodes],
    }
