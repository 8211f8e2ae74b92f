"""Whatever happens to a cluster: a verdict calls well exactly what is.

Manifests, faults and requests are drawn from a seed. What is true is read from the stored objects alone, by
no rule of the judge's.
"""

from random import Random

import pytest
import yaml

from lifecycle.engine.kinds.registry import list_workloads
from lifecycle.engine.objects.times import parse_time_or_none
from lifecycle.input.scenario import read_until
from lifecycle.simulation import Overrides, make_plan
from lifecycle.simulation.run import Driver
from lifecycle.simulation.seen import Watch, map_pods
from tests.seeds import one_in
from tests.texts import read_manifests

pytestmark = pytest.mark.slow

TEN_MINUTES_MS, HOUR_MS = 600_000, 3_600_000
KINDS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Pod")
BEHAVIORS = (
    "{}",
    "{}",
    "{}",
    "app: {runs: [{for: 40s, exit: 1}, {forever: true}]}",
    "app: {runs: [{for: 90s, exit: 0}]}",
    "app: {runs: [{for: 5m, exit: 3}]}",
    "app: {pull: {error: ErrImagePull}}",
    "app: {usage: [{at: 0s, memory: 40Mi}, {at: 100s, memory: 90Mi}]}",
    "app: {probes: {readiness: [{at: 0s, result: success}, {at: 3m, result: failure}, {at: 6m, result: success}]}}",  # noqa: E501
    "app: {probes: {liveness: [{at: 0s, result: success}, {at: 2m, result: failure}]}}",
)


def draw_workload(chance: Random, number: int) -> dict:
    kind, name = chance.choice(KINDS), f"w{number}"
    container = {"name": "app", "image": "sim/server:1", "resources": {"limits": {"memory": "64Mi"}}}
    container["readinessProbe"] = {
        "httpGet": {"port": 80, "path": "/"},
        "periodSeconds": 10,
        "failureThreshold": 2,
    }
    if chance.random() < 0.5:
        container["livenessProbe"] = {"httpGet": {"port": 80, "path": "/"}, "failureThreshold": 2}
    spec = {"containers": [container], "terminationGracePeriodSeconds": chance.choice([1, 30])}
    if chance.random() < 0.2:
        spec["initContainers"] = [{"name": "side", "image": "sim/server:1", "restartPolicy": "Always"}]
    if chance.random() < 0.1:
        spec["readinessGates"] = [{"conditionType": "example.com/lb"}]
    meta = {"labels": {"app": name}, "annotations": {"podline.dev/behavior": chance.choice(BEHAVIORS)}}
    if kind == "Pod":
        return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, **meta}, "spec": spec}
    selector = {"app": name} if kind == "ReplicationController" else {"matchLabels": {"app": name}}
    owner = {"selector": selector, "template": {"metadata": meta, "spec": spec}}
    owner |= {} if kind == "DaemonSet" else {"replicas": chance.randint(1, 3)}
    api = "v1" if kind == "ReplicationController" else "apps/v1"
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, "spec": owner}


def draw_step(chance: Random, workloads: list[dict]) -> dict:
    one, node = chance.choice(workloads), f"node-{chance.randint(1, 3)}"
    kind, name = one["kind"], one["metadata"]["name"]
    steps = [
        {"drain": {"node": node, "ignoreDaemonSets": True, "force": True}},
        {"cordon": {"node": node}},
        {"uncordon": {"node": node}},
        {"fault": {"node": node, "kind": chance.choice(["kubeletDown", "partition", "crash"]), "for": "4m"}},
        {"taint": {"node": node, "taints": [{"key": "a", "effect": "NoExecute"}]}},
    ]
    if kind in ("Deployment", "StatefulSet", "DaemonSet"):
        steps += [{"rollout": {"restart": f"{kind.lower()}/{name}"}}] * 2
        steps.append({"setImage": {kind.lower(): name, "container": "app", "image": "sim/server:2"}})
    if kind in ("Deployment", "StatefulSet", "ReplicaSet"):
        steps.append({"scale": {kind.lower(): name, "replicas": chance.randint(0, 4)}})
    return {"at": f"{chance.randint(20, 900)}s", **chance.choice(steps)}


def draw(seed: int) -> list[dict]:
    chance = Random(seed)
    workloads = [draw_workload(chance, number) for number in range(chance.randint(1, 3))]
    steps = [draw_step(chance, workloads) for _ in range(chance.randint(0, 4))]
    if chance.random() < 0.1:
        steps.append({"at": "540s", "delete": {"kind": "Namespace", "name": "shop"}})
    budget = {"minAvailable": 1, "selector": {"matchLabels": {"app": "w0"}}}
    documents = [{**one, "metadata": {**one["metadata"], "namespace": "shop"}} for one in workloads]
    if chance.random() < 0.5:
        meta = {"name": "keep", "namespace": "shop"}
        documents.append(
            {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta, "spec": budget}
        )
    for one in steps:
        for value in one.values():
            if isinstance(value, dict) and "node" not in value and value.get("kind") != "Namespace":
                value["namespace"] = "shop"
    scenario = {"nodes": {"count": 3}, "steps": sorted(steps, key=lambda one: int(one["at"].rstrip("s")))}
    meta = {"name": "trial"}
    documents.append(
        {"apiVersion": "podline.dev/v1alpha1", "kind": "Scenario", "metadata": meta, "spec": scenario}
    )
    return documents


class Looks:
    """A sink that compares verdicts with the truth, now and then."""

    def __init__(self, every_ms: int) -> None:
        self.watch, self.every_ms, self.next_ms = Watch(), every_ms, every_ms
        self.refused: dict[str, bool] = {}
        self.well_since: dict[str, int] = {}
        self.wrong: list[str] = []
        self.driver: Driver | None = None

    def take(self, changes) -> None:
        self.watch.take(changes)
        for row in changes.rows:
            if getattr(row, "field", "") == "eviction":
                self.refused[row.subject.uid] = row.new == "refused"
        if self.driver is not None and self.driver.cluster.now_ms >= self.next_ms:
            self.look(self.driver.cluster)
            self.next_ms += self.every_ms

    def look(self, cluster) -> None:
        judged, pods = self.watch.judge(cluster), map_pods(cluster)
        lone = judged.read_lone_pods()
        for entry in list_workloads():
            for data in cluster.list(entry.kind.id):
                if not data["metadata"].get("ownerReferences"):
                    own = pods.get(data["metadata"]["uid"], [])
                    self.compare(cluster, data, own, judged.read_workload(data), entry.kind.name)
        for data in cluster.list("Pod"):
            if (verdict := lone.get(data["metadata"]["uid"])) is not None:
                self.compare(cluster, data, [data], verdict, "Pod")

    def compare(self, cluster, data, pods, verdict, kind) -> None:
        now_ms, uid = cluster.now_ms, data["metadata"]["uid"]
        why = find_trouble(cluster, data, pods, kind, self.refused)
        # A rollout that goes on, or is stuck, is not well for long, whatever is ready of what was before.
        is_well = not why and not is_rolling_out(data)
        if not is_well:
            self.well_since.pop(uid, None)
        since_ms = self.well_since.setdefault(uid, now_ms) if is_well else now_ms
        is_long = now_ms - since_ms >= HOUR_MS
        if (why and verdict.is_well) or (is_long and not verdict.is_well):
            self.wrong.append(f"{now_ms / 1000:.1f}s {kind}: {why or 'well for an hour'}: {verdict.sentence}")


def find_trouble(cluster, data, pods, kind, refused) -> str:
    """Why a workload is not well: what it wants and has not, who restarted, whose eviction stands open."""
    status, spec = data.get("status") or {}, data.get("spec") or {}
    if status.get("phase") == "Succeeded":
        return ""
    wanted = status.get("desiredNumberScheduled", 0) if kind == "DaemonSet" else spec.get("replicas", 1)
    ready = [one for one in pods if is_ready(one) and not one["metadata"].get("deletionTimestamp")]
    if len(ready) < wanted:
        return f"{len(ready)} of {wanted} ready"
    for pod in pods:
        name = pod["metadata"]["name"]
        if refused.get(pod["metadata"]["uid"]):
            return f"the eviction of {name} stands open"
        for one in [
            *(pod["status"].get("containerStatuses") or ()),
            *(pod["status"].get("initContainerStatuses") or ()),
        ]:
            ended = ((one.get("lastState") or {}).get("terminated") or {}).get("finishedAt")
            at_ms = parse_time_or_none(ended, cluster.epoch_ms)
            is_late = at_ms is not None and cluster.now_ms - at_ms < TEN_MINUTES_MS - 1_000
            if is_late and is_ready(pod) and not pod["metadata"].get("deletionTimestamp"):
                return f"{name} restarted"
    return ""


def is_rolling_out(data) -> bool:
    """Whether pods of an older template are left, or new ones are still to come."""
    status = data.get("status") or {}
    return status.get("updatedReplicas", 0) < status.get("replicas", 0) or status.get(
        "updatedNumberScheduled", 0
    ) < status.get("desiredNumberScheduled", 0)


def is_ready(pod) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def live(seed: int, until: str, every_ms: int) -> list[str]:
    looks = Looks(every_ms)
    plan = make_plan(
        read_manifests(yaml.safe_dump_all(draw(seed))), Overrides(seed=seed, untils=(read_until(until),))
    )
    looks.driver = Driver(plan, looks)
    looks.driver.run()
    return [f"seed {seed}, {one}" for one in looks.wrong]


@pytest.mark.parametrize("seeds", one_in(2, [range(5), range(5, 12)]))
def test_a_verdict_calls_well_exactly_what_is(seeds):
    assert [one for seed in seeds for one in live(seed, "20m", 7_300)] == []


@pytest.mark.deep
@pytest.mark.parametrize("first", range(0, 2_000, 100))
def test_a_verdict_calls_well_exactly_what_is_for_hours(first):
    assert [one for seed in range(first, first + 100) for one in live(seed, "150m", 31_100)] == []


# --- Jobs ---------------------------------------------------------------------------------------------------


def draw_job(seed: int) -> list[dict]:
    """A Job whose pods crash, succeed, hang, are retried in place or anew, and may be drained away."""
    chance = Random(seed)
    ends = [
        f"{{for: {chance.choice(['2s', '20s', '3m'])}, exit: {chance.choice([0, 0, 1])}}}" for _ in range(3)
    ]
    runs = [*ends[: chance.randint(1, 3)], *(["{forever: true}"] if chance.random() < 0.1 else [])]
    meta = {"annotations": {"podline.dev/behavior": f"app: {{runs: [{', '.join(runs)}]}}"}}
    pod = {
        "restartPolicy": chance.choice(["OnFailure", "Never"]),
        "containers": [{"name": "app", "image": "sim/task:1"}],
    }
    spec = {"template": {"metadata": meta, "spec": pod}, "backoffLimit": chance.randint(0, 4)}
    spec |= {"completions": chance.randint(1, 4), "parallelism": chance.randint(1, 3)}
    if chance.random() < 0.3:
        spec["completionMode"] = "Indexed"
    if chance.random() < 0.2:
        spec["activeDeadlineSeconds"] = 300
    drain = {"drain": {"node": "node-1", "ignoreDaemonSets": True, "force": True}}
    steps = [{"at": f"{chance.randint(5, 120)}s", **drain}] if chance.random() < 0.3 else []
    api = {"apiVersion": "podline.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "trial"}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "work"}, "spec": spec}
    return [job, {**api, "spec": {"nodes": {"count": 3}, "steps": steps}}]


class JobLooks(Looks):
    """Of a Job that has ended, now and then, what a verdict says that is not so."""

    def look(self, cluster) -> None:
        for job in cluster.list("Job"):
            ends = {one["type"] for one in job["status"].get("conditions", ()) if one["status"] == "True"}
            verdict = self.watch.judge(cluster).read_workload(job)
            if ("Complete" in ends and not verdict.is_well) or ("Failed" in ends and verdict.is_well):
                self.wrong.append(f"{cluster.now_ms / 1000:.1f}s {sorted(ends)}: {verdict.sentence}")


def find_wrong_jobs(seed: int) -> list[str]:
    looks = JobLooks(61_000)
    documents = read_manifests(yaml.safe_dump_all(draw_job(seed)))
    plan = make_plan(documents, Overrides(seed=seed, untils=(read_until("30m"),)))
    looks.driver = Driver(plan, looks)
    looks.driver.run()
    return [f"seed {seed}, {one}" for one in looks.wrong]


@pytest.mark.parametrize("seeds", [range(25)])
def test_a_job_is_well_once_it_is_complete_and_not_once_it_has_failed(seeds):
    assert [one for seed in seeds for one in find_wrong_jobs(seed)] == []


@pytest.mark.deep
@pytest.mark.parametrize("first", range(0, 1_000, 100))
def test_many_jobs_are_well_once_they_are_complete_and_not_once_they_have_failed(first):
    assert [one for seed in range(first, first + 100) for one in find_wrong_jobs(seed)] == []
