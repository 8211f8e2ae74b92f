"""What an ordeal can befall, and what fills its holes there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from lifecycle.check.holes.callers import list_callers
from lifecycle.check.holes.loads import has_load, make_load
from lifecycle.check.holes.new_images import NewImage, make_new_image, make_old_image
from lifecycle.check.holes.rooms import ByNode, list_fillers, list_intruders, make_quota, map_free
from lifecycle.check.holes.runs import (
    list_soon_runs,
    rehearse,
    tell_after_next_run,
    tell_fifth_run,
    tell_run_after,
)
from lifecycle.check.ordeals import Ordeal, Variant
from lifecycle.check.settled import PROFILE, Settled, Workload, zone_of
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.engine.objects.workloads.stateful_set import STATEFUL_SET_KIND
from lifecycle.engine.releases.known import find_next_release
from lifecycle.lean_tuples import NamedTuple

Json = Mapping[str, Any]
ROLLING = (DEPLOYMENT_KIND.id, STATEFUL_SET_KIND.id, DAEMON_SET_KIND.id)
KINDS = (*ROLLING, CRON_JOB_KIND.id, JOB_KIND.id)


class Target(NamedTuple):
    """One thing that an ordeal befalls. `workloads`: those it is told of."""

    name: str
    holes: Mapping[str, Any]
    workloads: Sequence[Workload]


def list_targets(settled: Settled, ordeal: Ordeal, variant: Variant) -> Iterator[Target]:
    """All that an ordeal can befall in this way."""
    kinds = variant.kinds or ordeal.kinds
    common = list_common(settled)
    for one in _FIND[ordeal.each](settled, kinds or ROLLING):
        yield one._replace(holes={**common, **one.holes, **variant.holes})


def list_common(settled: Settled) -> dict[str, Any]:
    """The holes, and the lists, that are filled whatever an ordeal befalls."""
    nodes = [one["metadata"]["name"] for one in settled.nodes]
    zones = settled.zones
    rolling = [one for one in settled.workloads if one.kind in ROLLING]
    return {
        "nodeNames": nodes,
        "nodes": [{"node": one} for one in nodes],
        "zones": [{"zone": one} for one in zones] if len(zones) > 1 else [],
        "workloads": lambda: [name_workload(one) for one in rolling],
        "nextReleases": partial(_list_next_releases, settled),
        "fillers": cache(partial(list_fillers, settled)),
    }


def _list_next_releases(settled: Settled) -> list[dict[str, Any]]:
    release = find_next_release(settled.plan.settings.release)
    return [{"nextRelease": release}] if release else []


def name_workload(one: Workload) -> dict[str, Any]:
    """The holes that a workload fills."""
    return {
        "kind": one.kind,
        "name": one.name,
        "namespace": one.namespace,
        "workload": f"{one.kind.lower()}/{one.name}",
        "replicas": (one.data.get("spec") or {}).get("replicas", 1),
    }


def renew(settled: Settled, target: Target, image: Json) -> NewImage | None:
    """New images of what is befallen, where that is one workload."""
    if len(target.workloads) != 1 or not target.workloads[0].containers:
        return None
    return make_new_image(target.workloads[0], image, settled.others[PROFILE])


# --- by what is befallen ------------------------------------------------------------------------------------

Find = Callable[[Settled, Sequence[str]], Iterator[Target]]


def _workloads(settled: Settled, kinds: Sequence[str]) -> Iterator[Target]:
    free = cache(partial(map_free, settled))
    for one in settled.workloads:
        if one.kind in kinds:
            yield Target(one.title, {**name_workload(one), **_surround(settled, one, free)}, [one])


def _surround(settled: Settled, one: Workload, free: Callable[[], ByNode]) -> dict[str, Any]:
    """What is around a workload. `free`: see `map_free`."""
    own = [pod for pod in settled.pods if pod["metadata"]["uid"] in one.pods]
    nodes = sorted({node for pod in own if (node := (pod.get("spec") or {}).get("nodeName"))})
    return {
        "oldImage": partial(make_old_image, one),
        "metQuota": partial(make_quota, settled, one.namespace),
        "intruders": cache(lambda: list_intruders(settled, one, free())),
        **_time(settled, one),
        "podNodes": [{"node": node} for node in nodes],
        "podNode": nodes[0] if nodes else "",
    }


def _time(settled: Settled, one: Workload) -> dict[str, Any]:
    """When a CronJob runs, and what a Job does when it is run again."""
    if one.kind not in (CRON_JOB_KIND.id, JOB_KIND.id):
        return {}
    return {
        "soonRuns": partial(list_soon_runs, settled, one),
        "afterNextRun": partial(tell_after_next_run, settled, one),
        "fifthRun": partial(tell_fifth_run, settled, one),
        "runAfterEightHours": partial(tell_run_after, settled, one, 8 * 3_600_000),
        "reruns": cache(partial(_list_reruns, settled, one)),
    }


def _list_reruns(settled: Settled, one: Workload) -> list[dict[str, Any]]:
    found = rehearse(settled, one)
    if found is None:
        return []
    return [{"rerun": found.job, "rerunPod": found.pod, "rerunLost": f"{found.lost_ms}ms"}]


def _containers(settled: Settled, kinds: Sequence[str]) -> Iterator[Target]:
    pods = {one["metadata"]["uid"]: one["metadata"]["name"] for one in settled.pods}
    for one in settled.workloads:
        names = [pods[uid] for uid in one.pods if uid in pods]
        if one.kind not in kinds or not names:
            continue
        for container in one.containers:
            holes = {**name_workload(one), "pod": names[-1], "container": container["name"]}
            yield Target(f"{one.title} {container['name']}", holes, [one])


def _nodes(settled: Settled, kinds: Sequence[str]) -> Iterator[Target]:
    for node in settled.nodes:
        name = node["metadata"]["name"]
        if on_it := list_on(settled, {name}):
            yield Target(name, {"node": name}, on_it)


def _zones(settled: Settled, kinds: Sequence[str]) -> Iterator[Target]:
    zones = settled.zones
    for zone in zones if len(zones) > 1 else ():
        names = [one["metadata"]["name"] for one in settled.nodes if zone_of(one) == zone]
        holes = {"zone": zone, "zoneNodes": [{"node": one} for one in names]}
        if on_it := list_on(settled, set(names)):
            yield Target(f"zone {zone}", holes, on_it)


def list_on(settled: Settled, nodes: set[str]) -> list[Workload]:
    """The workloads with pods on some nodes."""
    uids = {
        one["metadata"]["uid"] for one in settled.pods if (one.get("spec") or {}).get("nodeName") in nodes
    }
    return [one for one in settled.workloads if uids.intersection(one.pods)]


def _services(settled: Settled, kinds: Sequence[str]) -> Iterator[Target]:
    for service in settled.services:
        namespace, name = service["metadata"]["namespace"], service["metadata"]["name"]
        behind = [one for one in settled.workloads if (namespace, name) in one.services]
        if behind:
            yield Target(f"Service/{namespace}/{name}", _name_service(service), behind)


def _name_service(service: Json) -> dict[str, Any]:
    """The holes that a Service fills."""
    loads = {"noLoad": 0, "presentLoad": 1, "doubleLoad": 2, "tenfoldLoad": 10}
    meta = service["metadata"]
    return {
        "service": meta["name"],
        "namespace": meta["namespace"],
        **{hole: partial(make_load, service, factor) for hole, factor in loads.items()},
    }


def _dependencies(settled: Settled, kinds: Sequence[str]) -> Iterator[Target]:
    for one in _services(settled, kinds):
        callers = list_callers(settled, one.holes["namespace"], one.holes["service"])
        if callers:
            yield one._replace(workloads=callers)


def _loads(settled: Settled, kinds: Sequence[str]) -> Iterator[Target]:
    told = [one["metadata"] for one in settled.services if has_load(one)]
    places = {(one["namespace"], one["name"]) for one in told}
    for one in _services(settled, kinds):
        if (one.holes["namespace"], one.holes["service"]) in places:
            yield one


def _cluster(settled: Settled, kinds: Sequence[str]) -> Iterator[Target]:
    found = [one for one in settled.workloads if one.kind in kinds]
    if found:
        yield Target("", {}, found)


_FIND: Mapping[str, Find] = {
    "workload": _workloads,
    "container": _containers,
    "node": _nodes,
    "zone": _zones,
    "service": _services,
    "dependency": _dependencies,
    "load": _loads,
    "cluster": _cluster,
}
EACH = tuple(_FIND)
