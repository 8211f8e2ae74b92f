"""What the manifests say that a failed claim hangs on, in plain words: the first part of its causes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lifecycle.check.settled import Settled, Workload
from lifecycle.engine.kinds.pod_specs import find_pod_spec
from lifecycle.engine.objects.names import REQUIRED, ZONE
from lifecycle.engine.objects.selector import Selector
from lifecycle.lost_requests import selects

Json = Mapping[str, Any]
_GRACE_SECONDS = 30
_CHECKS = ("httpGet", "tcpSocket", "exec", "grpc")


def list_facts(claim: str, name: str, settled: Settled) -> list[str]:
    """Of the workload at fault, or of those behind a Service that is; [] of what nothing is known."""
    titles = list_about(name, settled)
    found = [one for one in settled.workloads if one.title in titles]
    told = [fact for one in found for tell in _OF_CLAIM.get(claim, ()) for fact in tell(one, settled)]
    return list(dict.fromkeys(told))


def list_about(name: str, settled: Settled) -> list[str]:
    """The workloads that something is about: itself, those behind a Service, those of a budget."""
    return [one.title for one in settled.workloads if name in (one.title, *_name_around(one))]


def _name_around(one: Workload) -> Iterator[str]:
    for namespace, name in one.services:
        yield f"Service/{namespace}/{name}"
    for namespace, name in one.budgets:
        yield f"PodDisruptionBudget/{namespace}/{name}"


def _tell_readiness(one: Workload, settled: Settled) -> Iterator[str]:
    if not one.services:
        return
    for container in one.containers:
        if not container.get("readinessProbe") and (container.get("ports") or len(one.containers) == 1):
            yield f"container {container['name']} has no readinessProbe: it counts as ready once it runs"


def _tell_stop(one: Workload, settled: Settled) -> Iterator[str]:
    if not one.services:
        return
    for container in one.containers:
        hook = (container.get("lifecycle") or {}).get("preStop")
        if not hook and (container.get("ports") or len(one.containers) == 1):
            yield (
                f"container {container['name']} has no preStop: it gets its stop signal (SIGTERM, where its"
                " image names no other) while proxies still send it requests; later ones are refused"
            )


def _tell_strategy(one: Workload, settled: Settled) -> Iterator[str]:
    spec = one.data.get("spec") or {}
    strategy = spec.get("strategy") or spec.get("updateStrategy") or {}
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate") or {}
    if kind == "Recreate":
        yield "strategy Recreate: all old pods end before the first new one begins, so there are no endpoints"
    elif "maxUnavailable" in rolling or "maxSurge" in rolling:
        told = [f"{name} {rolling[name]}" for name in ("maxUnavailable", "maxSurge") if name in rolling]
        yield f"strategy {kind}: {', '.join(told)}"
    elif kind:
        yield f"strategy {kind}"
    if spec.get("podManagementPolicy"):
        policy = spec["podManagementPolicy"]
        waits = (
            ": a pod that is not ready holds up all others until it is deleted"
            if policy == "OrderedReady"
            else ""
        )
        yield f"podManagementPolicy {policy}{waits}"


def _tell_size(one: Workload, settled: Settled) -> Iterator[str]:
    replicas = (one.data.get("spec") or {}).get("replicas")
    if replicas is not None:
        yield f"replicas {replicas}"


def _tell_budgets(one: Workload, settled: Settled) -> Iterator[str]:
    for budget in settled.budgets:
        meta, spec, status = budget["metadata"], budget.get("spec") or {}, budget.get("status") or {}
        if (meta["namespace"], meta["name"]) in one.budgets:
            rule = next(
                (f"{key} {spec[key]}" for key in ("minAvailable", "maxUnavailable") if key in spec), ""
            )
            allowed, expected = status.get("disruptionsAllowed"), status.get("expectedPods")
            now = f"of {expected} pods {allowed} may be evicted now"
            yield f"PodDisruptionBudget {meta['name']}: {rule}; {now}"
        elif meta["namespace"] == one.namespace and not one.budgets and not _selects_any(budget, settled):
            labels = (spec.get("selector") or {}).get("matchLabels") or {}
            told = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
            nobody = f"its selector ({told}) selects no pod, so that any may be evicted"
            yield f"PodDisruptionBudget {meta['name']}: {nobody}"


def _selects_any(budget: Json, settled: Settled) -> bool:
    selector = Selector((budget.get("spec") or {}).get("selector"))
    namespace = budget["metadata"]["namespace"]
    return any(
        selector.matches(one["metadata"].get("labels") or {})
        for one in settled.pods
        if one["metadata"]["namespace"] == namespace
    )


def _tell_traffic(one: Workload, settled: Settled) -> Iterator[str]:
    for service in settled.services:
        meta, spec = service["metadata"], service["spec"]
        if (meta["namespace"], meta["name"]) not in one.services:
            continue
        if not selects(
            service, (one.data["spec"].get("template") or {}).get("metadata", {}).get("labels") or {}
        ):
            continue
        if spec.get("type") == "LoadBalancer":
            yield f"Service {meta['name']}: type LoadBalancer: the load balancer follows changes late"
        for name in ("internalTrafficPolicy", "externalTrafficPolicy"):
            if spec.get(name) == "Local":
                yield f"Service {meta['name']}: {name} Local: requests go to pods of the same node alone"


def _tell_places(one: Workload, settled: Settled) -> Iterator[str]:
    pods = [pod for pod in settled.pods if pod["metadata"]["uid"] in one.pods]
    nodes = sorted({str((pod.get("spec") or {}).get("nodeName") or "") for pod in pods} - {""})
    if len(pods) > 1 and len(nodes) == 1:
        yield f"all {len(pods)} pods run on one node, {nodes[0]}"
    zones = {name: zone for name, zone in _map_zones(settled).items() if name in nodes and zone}
    if len(pods) > 1 and len(set(zones.values())) == 1 and len(settled.zones) > 1:
        yield f"all {len(pods)} pods run in one zone, {next(iter(zones.values()))}"
    yield from _tell_affinity(one)


def _map_zones(settled: Settled) -> dict[str, str]:
    return {
        one["metadata"]["name"]: (one["metadata"].get("labels") or {}).get(ZONE) or ""
        for one in settled.nodes
    }


def _tell_affinity(one: Workload, settled: Settled | None = None) -> Iterator[str]:
    spec = find_pod_spec(one.data)
    affinity = spec.get("affinity") or {}
    for name, word in (
        ("nodeAffinity", "node affinity"),
        ("podAffinity", "pod affinity"),
        ("podAntiAffinity", "pod anti-affinity"),
    ):
        if (affinity.get(name) or {}).get(REQUIRED):
            yield f"required {word}: a pod waits where no node fits it"
    if spec.get("nodeSelector"):
        yield f"nodeSelector {', '.join(sorted(spec['nodeSelector']))}: it runs on such nodes alone"
    if not spec.get("topologySpreadConstraints") and not affinity.get("podAntiAffinity"):
        yield "neither topologySpreadConstraints nor anti-affinity spread its pods"


def _tell_grace(one: Workload, settled: Settled) -> Iterator[str]:
    seconds = find_pod_spec(one.data).get("terminationGracePeriodSeconds", _GRACE_SECONDS)
    yield f"terminationGracePeriodSeconds {seconds}: SIGKILL follows SIGTERM after that"


def _tell_liveness(one: Workload, settled: Settled) -> Iterator[str]:
    for container in one.containers:
        for name in ("livenessProbe", "startupProbe"):
            probe = container.get(name)
            if probe:
                yield f"{name} of {container['name']}: {_tell_probe(probe)}"


def _tell_probe(probe: Json) -> str:
    kind = next((one for one in _CHECKS if one in probe), "")
    asked = probe.get(kind) or {}
    what = (
        " ".join(map(str, asked.get("command") or ()))
        or f"{asked.get('path', '')} port {asked.get('port', '')}".strip()
    )
    after = f", first after {probe['initialDelaySeconds']}s" if probe.get("initialDelaySeconds") else ""
    times = f"{probe.get('failureThreshold', 3)} times every {probe.get('periodSeconds', 10)}s"
    return f"{kind} {what}: it is killed when that fails {times}{after}"


def _tell_volumes(one: Workload, settled: Settled) -> Iterator[str]:
    for volume in find_pod_spec(one.data).get("volumes") or ():
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if claim:
            modes = _find_modes(settled, one.namespace, claim)
            yield f"volume {volume['name']} is claim {claim}{f' ({modes})' if modes else ''}"


def _find_modes(settled: Settled, namespace: str, name: str) -> str:
    for data in settled.plan.objects:
        meta = data.get("metadata") or {}
        place = data.get("kind"), meta.get("namespace") or "default", meta.get("name")
        if place == ("PersistentVolumeClaim", namespace, name):
            return ", ".join((data.get("spec") or {}).get("accessModes") or ())
    return ""


def _tell_priority(one: Workload, settled: Settled) -> Iterator[str]:
    name = find_pod_spec(one.data).get("priorityClassName")
    priority = next(
        (
            (pod.get("spec") or {}).get("priority")
            for pod in settled.pods
            if pod["metadata"]["uid"] in one.pods
        ),
        None,
    )
    if priority is not None:
        named = f" ({name})" if name else ""
        yield f"its pods have priority {priority}{named}: any of a higher one can have them preempted"


def _tell_quota(one: Workload, settled: Settled) -> Iterator[str]:
    for data in settled.plan.objects:
        meta = data.get("metadata") or {}
        if data.get("kind") == "ResourceQuota" and (meta.get("namespace") or "default") == one.namespace:
            hard = (data.get("spec") or {}).get("hard") or {}
            told = ", ".join(f"{key} {value}" for key, value in sorted(hard.items()))
            yield f"quota {meta['name']} of its namespace: {told}"


def _tell_runs(one: Workload, settled: Settled) -> Iterator[str]:
    spec = one.data.get("spec") or {}
    job = (spec.get("jobTemplate") or {}).get("spec") or spec
    for name in ("schedule", "concurrencyPolicy", "startingDeadlineSeconds"):
        if spec.get(name) is not None and one.kind == "CronJob":
            yield f"{name} {spec[name]}"
    if one.kind in ("CronJob", "Job"):
        restart = find_pod_spec(one.data).get("restartPolicy")
        yield f"backoffLimit {job.get('backoffLimit', 6)}, restartPolicy {restart}"
        deadline = job.get("activeDeadlineSeconds")
        yield (
            f"activeDeadlineSeconds {deadline}"
            if deadline
            else "no activeDeadlineSeconds: a run that waits, waits for ever"
        )


Tell = Callable[[Workload, Settled], Iterator[str]]
_OF_CLAIM: Mapping[str, tuple[Tell, ...]] = {
    "rollout-keeps-its-budget": (_tell_strategy, _tell_size, _tell_readiness),
    "budget-kept": (_tell_budgets, _tell_strategy, _tell_size, _tell_places, _tell_priority),
    "no-request-lost": (
        _tell_strategy,
        _tell_readiness,
        _tell_stop,
        _tell_traffic,
        _tell_size,
        _tell_budgets,
    ),
    "nothing-stuck": (_tell_strategy, _tell_affinity, _tell_volumes, _tell_quota, _tell_runs, _tell_priority),
    "drain-ends": (_tell_budgets, _tell_size, _tell_readiness),
    "whole-again": (_tell_size, _tell_places, _tell_priority, _tell_runs, _tell_volumes),
    "no-hard-kill": (_tell_grace,),
    "no-restart-storm": (_tell_liveness,),
    "one-writer": (_tell_strategy, _tell_volumes),
}
"""What a claim hangs on."""
