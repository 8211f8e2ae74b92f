"""The sentence that a workload's page and the summary of a run say of it, of real runs."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from dashboard.pages.cluster.verdict import read_verdict as tell_cluster
from dashboard.pages.workload.readings import read_workload
from lifecycle.engine.heart.timing import parse_milliseconds
from lifecycle.engine.kinds import registry
from lifecycle.engine.rules.telling.verdicts import tell_span
from lifecycle.models import Cluster
from lifecycle.pod_judge import ENDING, SeenPod, find_overdue
from lifecycle.recorded.objects import find_object
from lifecycle.simulation.seen import Watch
from lifecycle.simulation.surroundings import describe_surroundings
from tests.dashboard import zoo
from tests.dashboard.pages.test_places import make_set
from tests.engine.controllers.door import MISSING, Door
from tests.engine.kinds.kept import keep, keep_changes

pytestmark = pytest.mark.django_db


def make_deployment_json(name: str, replicas: int) -> dict[str, Any]:
    manifest = make_set(replicas)
    return {**manifest, "kind": "Deployment", "metadata": {"name": name}} | {
        "spec": {key: value for key, value in manifest["spec"].items() if key != "serviceName"}
    }


CRASH = {"restartPolicy": "Always", "containers": [{"name": "c", "image": "busybox", "command": ["false"]}]}


def make_job(script: str, **spec: Any) -> dict[str, Any]:
    container = {"name": "c", "image": "busybox", "command": ["sh", "-c", script]}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    job = {"template": template, **spec}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "work"}, "spec": job}


def make_cron_job(schedule: str = "*/5 * * * *", **spec: Any) -> dict[str, Any]:
    job = make_job("sleep 10")["spec"]
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "night"},
        "spec": {"schedule": schedule, "jobTemplate": {"spec": job}, **spec},
    }


def verdict(door: Door, kind: str, name: str) -> str:
    """What the page says; the summary says the same."""
    changes = door.cluster.take_changes()
    cluster = keep_changes(changes, door.cluster.now_ms)
    told = page_verdict(cluster, kind, name)
    data = door.cluster.get(kind, "default", name)
    assert data is not None
    watch = Watch()
    watch.take(changes)
    said = watch.judge(door.cluster).read_workload(data).sentence
    assert said == told
    return told


def page_verdict(cluster: Cluster, kind: str, name: str) -> str:
    stored = find_object(cluster, kind, "default", name)
    assert stored is not None
    told: str = read_workload(cluster, stored, registry.entry_of_id(kind))["verdict"]
    return told


@pytest.mark.slow
def test_a_crash_loop_says_since_when_and_when_it_is_tried_again() -> None:
    door = Door(timing="realistic")
    manifest = make_deployment_json("web", replicas=2)
    manifest["spec"]["template"]["spec"] = CRASH
    door.apply(manifest)
    # A retry that is due is made when the kubelet looks: then none is said to come.
    while not (pods := door.run(1).pods()) or any(find_left(pod, door) < 1 for pod in pods):
        assert door.cluster.now_ms < 300_000
    told = verdict(door, "Deployment", "web")
    named = next(pod for pod in door.pods() if pod["metadata"]["name"] in told)
    assert told.startswith("0 of 2 updated replicas are available; web-")
    assert f"{named['metadata']['name']} and 1 more pod: CrashLoopBackOff, not ready since 00:0" in told
    end = named["status"]["containerStatuses"][0]["lastState"]["terminated"]
    left = tell_span(find_left(named, door) * 1000)
    assert f"next retry in {left}: c ended with exit code {end['exitCode']} (Error)." in told


def find_left(pod: dict[str, Any], door: Door) -> int:
    """Seconds until the next try. The kubelet says how long, counted from the end of the last run."""
    for status in read_statuses(pod):
        said = re.search("back-off ([0-9ms]+) ", (status["state"].get("waiting") or {}).get("message", ""))
        if said is not None:
            _, minutes, seconds = status["lastState"]["terminated"]["finishedAt"][11:-1].split(":")
            ended = int(minutes) * 60 + int(seconds)
            return ended + parse_milliseconds(said[1]) // 1000 - door.cluster.now_ms // 1000
    return 0


def read_statuses(pod: dict[str, Any]) -> list[dict[str, Any]]:
    return pod["status"].get("containerStatuses") or []


@pytest.mark.slow
@pytest.mark.parametrize(
    "pod, expected",
    [
        pytest.param(
            {"nodeSelector": {"disk": "ssd"}},
            "Unschedulable since 00:00:00 (0/3 nodes are available: 3 node(s) didn't match Pod's node"
            " affinity/selector); ",
            id="no node",
        ),
        pytest.param(
            {
                "containers": [
                    {"name": "c", "image": "nginx", "envFrom": [{"configMapRef": {"name": "nosuch"}}]}
                ]
            },
            'CreateContainerConfigError, not ready since 00:00:00 (configmap "nosuch" not found); ',
            id="configuration",
        ),
        pytest.param(
            {"containers": [{"name": "c", "image": "Busy//Box"}]},
            "InvalidImageName, not ready since 00:00:00 (Failed to apply default image tag",
            id="image",
        ),
    ],
)
def test_what_is_wrong_with_pods_that_never_start_is_said(pod: dict[str, Any], expected: str) -> None:
    door, manifest = Door(), make_set(2)
    manifest["spec"]["template"]["spec"] |= pod
    door.apply(manifest)
    assert f"; web-0: {expected}" in verdict(door.run(30), "StatefulSet", "web")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet"])
def test_pods_that_are_updated_by_hand_are_counted(kind: str) -> None:
    door = Door()
    manifest = zoo.make_manifest(kind, {"containers": [{"name": "c", "image": "nginx:1.27"}]})
    manifest["spec"]["updateStrategy"] = {"type": "OnDelete"}
    door.apply(manifest)
    assert verdict(door.run(30), kind, "web") == "All pods are of the latest revision."
    door.change("setImage", "web", kind, container="c", image="nginx:1.28")
    count = len(door.run(30).pods())
    told = verdict(door, kind, "web")
    assert told == f"{count} pods of an older revision stay until somebody deletes them."
    for pod in sorted(pod["metadata"]["name"] for pod in door.pods())[1:]:
        door.done("delete", kind="Pod", namespace="default", name=pod)
    told = verdict(door.run(60), kind, "web")
    assert told == "1 pod of an older revision stays until somebody deletes it."


def test_a_pod_that_does_not_go_is_named_and_so_it_is_by_its_cluster() -> None:
    """A StatefulSet makes no other while it is there, and nobody tells of a node that is cut off."""
    door = Door()
    door.apply(make_set(1))
    door.run(10)
    node = door.pods()[0]["spec"]["nodeName"]
    door.done("fault", node=node, kind="partition")
    door.run(10).done("delete", kind="Pod", namespace="default", name="web-0", gracePeriodSeconds=20)
    told = f"ending since 00:00:20 and still there: {node} does not say that it has ended"
    data = door.run(29).cluster.get("Pod", "default", "web-0")
    assert data is not None
    assert find_overdue([SeenPod(data, ENDING)], door.cluster.now_ms, door.cluster.epoch_ms) is None, (
        "it may still come"
    )
    cluster = keep_changes(door.run(31).cluster.take_changes(), door.cluster.now_ms)
    said = page_verdict(cluster, "StatefulSet", "web")
    assert said == f"Waiting for 1 pods to be ready; web-0: {told}."
    found = tell_cluster(cluster, door.cluster.now_ms)
    assert found.sentence == "2 problems: 1 pod is not ready, 1 node is not ready."
    assert f"web-0: {told}" in [one.sentence for one in found.troubles]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_pod_that_a_finalizer_holds_is_named(kind: str) -> None:
    door = Door()
    manifest = make_deployment_json("web", 1) if kind == "Deployment" else make_set(1)
    manifest["spec"]["template"]["metadata"]["finalizers"] = ["example.com/hold"]
    door.apply(manifest)
    door.run(10)
    name = door.pods()[0]["metadata"]["name"]
    door.done("delete", kind="Pod", namespace="default", name=name, gracePeriodSeconds=0)
    told = rf"; {name}: ending since 00:00:1\d and still there: held by the finalizer example.com/hold;"
    assert re.search(told, verdict(door.run(60), kind, "web"))


def test_a_daemon_set_that_no_node_is_for_says_so() -> None:
    door = Door()
    manifest = zoo.make_manifest("DaemonSet", {"containers": [{"name": "c", "image": "nginx"}]})
    manifest["spec"]["template"]["spec"]["nodeSelector"] = {"gpu": "yes"}
    door.apply(manifest)
    assert verdict(door.run(30), "DaemonSet", "web") == "No node is for it."


def test_an_update_says_which_ordinal_it_waits_for() -> None:
    door = Door()
    door.apply(make_set())
    door.run(30)
    door.change("setImage", "web", "StatefulSet", container="nginx", image=MISSING)
    told = verdict(door.run(60), "StatefulSet", "web")
    assert re.search("web-2: (ImagePullBackOff|ErrImagePull), not ready since 00:00:3", told)
    assert told.endswith("; the update waits for web-2 to be available.")


@pytest.mark.slow
def test_a_rollout_says_what_is_missing_what_comes_next_and_until_when() -> None:
    door = Door()
    manifest = make_deployment_json("web", replicas=4)
    probe = {"exec": {"command": ["true"]}, "initialDelaySeconds": 30}
    manifest["spec"]["template"]["spec"]["containers"][0]["readinessProbe"] = probe
    door.apply(manifest)
    door.run(60)
    door.change("setImage", "web", container="nginx", image="nginx:1.16.1")
    assert verdict(door.run(10), "Deployment", "web") == (
        "Rolling out revision 2: 2 out of 4 new replicas have been updated, 1 fewer available than wanted;"
        " next: 2 pods to become available; progress deadline in 9m 50s."
    )


NOBODY = {"serviceAccountName": "nobody", "containers": [{"name": "app", "image": "nginx:1"}]}
REFUSED = 'error looking up service account default/nobody: serviceaccount "nobody" not found'


def make_quota(pods: int) -> dict[str, Any]:
    spec = {"hard": {"pods": str(pods)}}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small"}, "spec": spec}


@pytest.mark.slow
def test_every_workload_says_why_its_pods_are_not_made_and_so_does_its_cluster() -> None:
    door = Door()
    door.run(3)
    kinds = [kind for kind in zoo.WORKLOADS if kind != "CronJob"]
    for kind in kinds:
        door.apply(zoo.make_manifest(kind, NOBODY))
    # Long enough for clients to combine what they tell of so many tries.
    changes = door.run(120).cluster.take_changes()
    cluster = keep_changes(changes, door.cluster.now_ms)
    for kind in kinds:
        told = page_verdict(cluster, kind, "web")
        assert f"no pod can be made since 00:00:03 ({REFUSED})" in told, (kind, told)
    found = tell_cluster(cluster, door.cluster.now_ms)
    assert found.sentence == f"{len(kinds)} problems: {len(kinds)} workloads cannot make pods."
    assert [trouble.rest for trouble in found.troubles] == [
        f"no pod can be made since 00:00:03 ({REFUSED})"
    ] * 5
    assert found.hidden == len(kinds) - 5


def test_a_cluster_names_the_jobs_that_failed() -> None:
    door = Door()
    for name, script in (("good", "true"), ("bad", "exit 1"), ("worse", "exit 2")):
        door.apply(make_job(script, backoffLimit=0) | {"metadata": {"name": name}})
    cluster = keep(door.run(120).cluster)
    found = tell_cluster(cluster, door.cluster.now_ms)
    assert found.sentence == "2 Jobs failed."
    assert {(one.tone.name, one.name, one.page) for one in found.troubles} == {
        ("failed", name, f"jobs/default/{name}/") for name in ("bad", "worse")
    }
    why = "failed at 00:00:00: BackoffLimitExceeded: Job has reached the specified backoff limit"
    assert [one.rest for one in found.troubles] == [why, why]


def test_a_cluster_names_the_nodes_that_are_not_ready() -> None:
    door = Door()
    door.apply(make_deployment_json("web", 1))
    door.run(10)
    door.done("fault", node="node-2", kind="partition")
    cluster = keep_changes(door.run(120).cluster.take_changes(), door.cluster.now_ms)
    found = tell_cluster(cluster, door.cluster.now_ms)
    assert found.sentence == "1 problem: 1 node is not ready."
    (node,) = found.troubles
    assert (node.tone.name, node.name, node.page) == ("unknown", "node-2", "nodes/node-2/")
    assert re.fullmatch(
        r"not ready since 00:0[01]:[0-5]\d \(NodeStatusUnknown: Kubelet stopped posting node status\)",
        node.rest,
    )


def test_a_cluster_names_the_namespaces_that_cannot_go() -> None:
    door = Door()
    door.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "old"}})
    held = {"name": "held", "namespace": "old", "finalizers": ["example.com/hold"]}
    door.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": held})
    door.run(10).done("delete", kind="Namespace", name="old")
    cluster = keep_changes(door.run(60).cluster.take_changes(), door.cluster.now_ms)
    found = tell_cluster(cluster, door.cluster.now_ms)
    assert found.sentence == "1 problem: 1 namespace cannot go."
    said = r"old: cannot go since 00:00:1\d \(Some content in the namespace has finalizers remaining: "
    assert [bool(re.match(said, one.sentence)) for one in found.troubles] == [True]
    (name, told) = describe_surroundings(door.cluster, Watch())
    assert name == "Namespace old"
    assert "example.com/hold in 1 resource instances): held by ConfigMap held (example.com/hold)." in told
    assert found.troubles[0].sentence.endswith(": held by ConfigMap held (example.com/hold)")


def test_failed_jobs_stand_behind_what_is_unwell() -> None:
    door, crash = Door(), make_deployment_json("web", 1)
    crash["spec"]["template"]["spec"] = CRASH
    for manifest in (make_job("exit 1", backoffLimit=0), crash):
        door.apply(manifest)
    cluster = keep(door.run(60).cluster)
    found = tell_cluster(cluster, door.cluster.now_ms)
    assert found.sentence == "2 problems: 1 pod is not well, 1 Job failed."
    assert [one.name for one in found.troubles] == ["web", "work"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "Job", "ReplicationController"])
def test_a_quota_that_keeps_pods_back_is_told_until_it_lets_them_in(kind: str) -> None:
    door = Door()
    door.apply(make_quota(1))
    pod = {"containers": [{"name": "app", "image": "busybox:1", "command": ["sleep", "9999"]}]}
    door.apply(zoo.make_manifest(kind, pod))
    door.run(30)
    told = verdict(door, kind, "web")
    assert (
        "no more pods can be made since 00:00:0" in told
        and "(exceeded quota: small, requested: pods=1" in told
    )
    door.apply(make_quota(9))
    # The controllers' work queues come back to it within 17 minutes.
    assert "can be made" not in verdict(door.run(1_100), kind, "web")


@pytest.mark.slow
def test_what_wants_no_pods_will_not_change_by_itself() -> None:
    door = Door()
    manifest = make_deployment_json("web", replicas=1)
    door.apply(manifest)
    door.run(30)
    assert verdict(door, "Deployment", "web") == "Successfully rolled out."
    door.change("scale", replicas=0)
    told = verdict(door.run(60), "Deployment", "web")
    assert told == "Successfully rolled out; nothing will change by itself any more."


NEVER_READY = {
    "containers": [
        {
            "name": "c",
            "image": "nginx",
            "readinessProbe": {"httpGet": {"path": "/nosuch", "port": 80}, "periodSeconds": 5},
        }
    ]
}
SILENT = {"runs": [{"forever": True}], "probes": {"readiness": [{"at": "0s", "result": "failure"}]}}


def make_held(kind: str, spec: dict[str, Any], replicas: int = 2) -> dict[str, Any]:
    """A workload of a kind whose pods are held by what their spec says, and do what an annotation says."""
    manifest = make_deployment_json("web", replicas) | {"kind": kind}
    template = manifest["spec"]["template"]
    template["spec"] = spec
    template["metadata"]["annotations"] = {"podline.dev/behavior": json.dumps({"c": SILENT})}
    if kind == "ReplicationController":
        manifest |= {"apiVersion": "v1"}
        manifest["spec"]["selector"] = manifest["spec"]["selector"]["matchLabels"]
    if kind == "DaemonSet":
        del manifest["spec"]["replicas"]
    return manifest


WITH_PODS_OF_LONG_LIFE = [
    entry.kind.id for entry in registry.list_workloads() if entry.kind.id not in ("Job", "CronJob")
]
WAITS = {"StatefulSet": "; creation waits for web-0 to be available"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", WITH_PODS_OF_LONG_LIFE)
def test_a_readiness_that_never_comes_is_named(kind: str) -> None:
    door = Door()
    door.apply(make_held(kind, NEVER_READY))
    told = verdict(door.run(30), kind, "web")
    assert "web-" in told and ": the readiness probe of c fails since 00:00:00" in told, told
    last = (
        "; progress deadline in 9m 30s."
        if kind == "Deployment"
        else "; nothing will change by itself until it passes."
    )
    assert told.endswith(last), told


def test_after_the_deadline_a_rollout_that_never_gets_ready_says_that_nothing_will_change() -> None:
    door = Door()
    manifest = make_held("Deployment", NEVER_READY)
    manifest["spec"]["progressDeadlineSeconds"] = 60
    door.apply(manifest)
    told = verdict(door.run(120), "Deployment", "web")
    assert told.startswith("Exceeded its progress deadline; web-"), told
    assert told.endswith("; 1 more pod is not ready; nothing will change by itself until it passes.")


@pytest.mark.slow
@pytest.mark.parametrize("kind", WITH_PODS_OF_LONG_LIFE)
def test_a_volume_that_does_not_come_is_named(kind: str) -> None:
    door = Door()
    container = {"name": "c", "image": "nginx", "volumeMounts": [{"name": "config", "mountPath": "/etc/app"}]}
    volume = {"name": "config", "configMap": {"name": "nosuch"}}
    door.apply(make_held(kind, {"containers": [container], "volumes": [volume]}))
    told = verdict(door.run(30), kind, "web")
    assert 'a volume cannot be mounted since 00:00:00 (MountVolume.SetUp failed for volume "config"' in told
    assert 'configmap "nosuch" not found)' in told, told


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet"])
def test_a_node_that_is_silent_is_told_of_its_pods(kind: str) -> None:
    door = Door(timing={"preset": "realistic"})
    door.apply(make_held(kind, {"containers": [{"name": "c", "image": "nginx"}]}))
    door.run(30)
    node = door.cluster.list("Pod")[0]["spec"]["nodeName"]
    assert door.submit("fault", node=node, kind="partition").ok
    told = verdict(door.run(90), kind, "web")
    assert f"its node {node} is not ready since 00:01:" in told
    # Pods of a DaemonSet bear it for good.
    assert ("it is deleted when that has lasted 5m 00s" in told) == (kind != "DaemonSet")


def test_the_taints_that_keep_pods_out_are_told() -> None:
    door = Door()
    for node in door.cluster.list("Node"):
        taints = [{"key": "team", "value": "blue", "effect": "NoSchedule"}]
        assert door.submit("taint", node=node["metadata"]["name"], taints=taints).ok
    door.apply(make_held("Deployment", {"containers": [{"name": "c", "image": "nginx"}]}))
    assert "; not tolerated: team=blue:NoSchedule of " in verdict(door.run(30), "Deployment", "web")


@pytest.mark.parametrize(
    "script, spec, seconds, expected",
    [
        pytest.param("true", {}, 20, "Complete after 0s; nothing will change by itself any more.", id="done"),
        pytest.param(
            "sleep 5",
            {"ttlSecondsAfterFinished": 60},
            20,
            "Complete after 5s; it is deleted in 45s.",
            id="to be deleted",
        ),
        pytest.param(
            "sleep 60",
            {"activeDeadlineSeconds": 90, "completions": 2},
            20,
            "0 of 2 succeeded, 1 active, 0 failed; fails at 00:01:30 unless it ends before.",
            id="deadline",
        ),
        pytest.param(
            "sleep 60",
            {"suspend": True},
            20,
            "0 of 1 succeeded, 0 active, 0 failed; suspended: nothing runs until it is resumed;"
            " nothing will change by itself any more.",
            id="suspended",
        ),
        pytest.param(
            "exit 3",
            {"backoffLimit": 0},
            20,
            "Failed at 00:00:00: BackoffLimitExceeded: Job has reached the specified backoff limit;"
            " last, {pod} failed at 00:00:00: c ended with exit code 3 (Error);"
            " nothing will change by itself any more.",
            id="failed",
        ),
    ],
)
def test_a_job_says_how_it_ended_or_what_its_timers_will_do(
    script: str, spec: Any, seconds: int, expected: str
) -> None:
    door = Door()
    door.apply(make_job(script, **spec))
    door.run(seconds)
    (pod,) = [one["metadata"]["name"] for one in door.cluster.list("Pod")] or [""]
    assert verdict(door, "Job", "work") == expected.replace("{pod}", pod)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec, seconds, expected",
    [
        pytest.param({}, 20, "No run is active; next run at 00:05:00, in 4m 40s.", id="next"),
        pytest.param({}, 302, "1 run active; next run at 00:10:00, in 4m 58s.", id="active"),
        pytest.param(
            {"concurrencyPolicy": "Forbid"},
            302,
            "1 run active; next run due at 00:10:00, in 4m 58s, and not begun before the active one has"
            " ended.",
            id="one after the other",
        ),
        pytest.param(
            {"concurrencyPolicy": "Replace"},
            302,
            "1 run active; next run at 00:10:00, in 4m 58s, instead of the active one.",
            id="the latest alone",
        ),
        pytest.param(
            {"timeZone": "Asia/Kolkata", "schedule": "0 6 * * *"},
            1,
            "No run is active; next run at 00:30:00, in 29m 59s.",
            id="time zone",
        ),
        pytest.param(
            {"suspend": True},
            20,
            "No run is active; suspended: no run starts until it is resumed;"
            " nothing will change by itself any more.",
            id="suspended",
        ),
        pytest.param(
            {"schedule": "0 0 31 2 *"},
            20,
            "No run is active; its schedule never comes; lately: InvalidSchedule at 00:00:00 (invalid"
            " schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second).",
            id="never",
        ),
    ],
)
def test_a_cron_job_says_when_it_runs_next(spec: Any, seconds: int, expected: str) -> None:
    door = Door()
    door.apply(make_cron_job(**spec))
    assert verdict(door.run(seconds), "CronJob", "night") == expected


@pytest.mark.slow
def test_a_cron_job_says_why_its_last_run_failed_until_one_succeeds() -> None:
    door = Door()
    manifest = make_cron_job("* * * * *")
    job = manifest["spec"]["jobTemplate"]["spec"] | {"backoffLimit": 0}
    manifest["spec"]["jobTemplate"]["spec"] = job | make_job("exit 3", backoffLimit=0)["spec"]
    door.apply(manifest)
    # 29,453,760 minutes were there before the epoch.
    assert verdict(door.run(90), "CronJob", "night") == (
        "No run is active; next run at 00:02:00, in 30s; its last run, night-29453761, failed at 00:01:00:"
        " BackoffLimitExceeded: Job has reached the specified backoff limit."
    )
    door.apply(make_cron_job("* * * * *"))
    assert verdict(door.run(60), "CronJob", "night") == "No run is active; next run at 00:03:00, in 30s."


@pytest.mark.slow
def test_a_cron_job_says_why_it_makes_no_runs_and_so_does_its_cluster() -> None:
    door = Door()
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}}
    door.apply(quota | {"spec": {"hard": {"count/jobs.batch": "0"}}})
    door.apply(make_cron_job("* * * * *"))
    told = "no run can be made since 00:01:00 (exceeded quota: few, requested: count/jobs.batch=1, used:"
    cluster = keep_changes(door.run(90).cluster.take_changes(), door.cluster.now_ms)
    said = page_verdict(cluster, "CronJob", "night")
    assert said.startswith(f"No run is active; next run at 00:02:00, in 30s; {told}")
    found = tell_cluster(cluster, door.cluster.now_ms)
    assert found.sentence == "1 problem: 1 workload cannot make pods."
    assert [(one.name, one.page) for one in found.troubles] == [("night", "cronjobs/default/night/")]
    door.apply(quota | {"spec": {"hard": {"count/jobs.batch": "9"}}})
    assert verdict(door.run(60), "CronJob", "night") == "No run is active; next run at 00:03:00, in 30s."


def test_a_cron_job_says_why_a_run_has_no_pods() -> None:
    door = Door()
    manifest = make_cron_job("* * * * *")
    manifest["spec"]["jobTemplate"]["spec"]["template"]["spec"]["serviceAccountName"] = "nobody"
    door.apply(manifest)
    assert verdict(door.run(90), "CronJob", "night") == (
        f"1 run active; next run at 00:02:00, in 30s; night-29453761: no pod can be made since 00:01:00"
        f" ({REFUSED})."
    )


def test_a_job_that_another_controller_sees_to_says_so() -> None:
    door = Door()
    door.apply(make_job("true", managedBy="example.com/queue"))
    assert verdict(door.run(20), "Job", "work") == (
        "0 of 1 succeeded, 0 active, 0 failed; left to example.com/queue: the Job controller does nothing"
        " about it."
    )


@pytest.mark.slow
def test_the_page_says_it_first(client: Client) -> None:
    door = Door()
    door.apply(make_job("true"))
    cluster = keep(door.run(10).cluster)
    client.force_login(cluster.owner)
    for end in ("", "status/"):
        page = client.get(f"/clusters/{cluster.name}/jobs/default/work/{end}").content.decode()
        assert re.search(r'<p class="card verdict"[^>]*>Complete after 0s;', page)


@pytest.mark.slow
def test_pods_that_failed_for_good_are_named_where_nothing_else_is_wrong() -> None:
    """Those of a Job are its tries, which it counts itself."""
    door = Door(timing={"preset": "realistic"})
    manifest = make_deployment_json("web", 1)
    sysctls = {"sysctls": [{"name": "net.core.somaxconn", "value": "1024"}]}
    manifest["spec"]["template"]["spec"]["securityContext"] = sysctls
    door.apply(manifest)
    told = verdict(door.run(0.5), "Deployment", "web")
    assert re.fullmatch(
        r"0 of 1 updated replicas are available; "
        r"web-\w+-\w+ and \d+ more pods: SysctlForbidden since 00:00:00 "
        r"\(Pod was rejected: forbidden sysctl: \"net\.core\.somaxconn\" not allowlisted\)\.",
        told,
    )
    door = Door()
    door.apply(make_job("exit 3", backoffLimit=6))
    assert "; work-" not in verdict(door.run(15), "Job", "work")
