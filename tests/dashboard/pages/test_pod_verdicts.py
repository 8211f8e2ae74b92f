"""The sentence at the head of a pod's page, and of a cluster's, of real runs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dashboard.pages.cluster.verdict import read_verdict
from lifecycle.pod_judge import SeenPod, judge_pod
from lifecycle.recorded.objects import find_object
from lifecycle.recorded.seen import see_pods
from tests.dashboard.pages.test_verdicts import CRASH, NEVER_READY, make_deployment_json, make_held
from tests.engine.controllers.door import MISSING, Door
from tests.engine.kinds.kept import keep

SERVER = {"name": "c", "image": "nginx"}


def make_pod(name: str = "one", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [SERVER], **spec},
    }


def tell(door: Door, name: str = "one") -> str:
    pod = door.cluster.get("Pod", "default", name)
    assert pod is not None
    return judge_pod(SeenPod(pod, ""), door.cluster.now_ms, door.cluster.epoch_ms)


@pytest.mark.parametrize(
    "spec, seconds, expected",
    [
        pytest.param({}, 30, "Ready since 00:00:00, 0s after it was made.", id="ready"),
        pytest.param(
            {"restartPolicy": "Never", "containers": [SERVER | {"command": ["sh", "-c", "sleep 5; exit 3"]}]},
            30,
            "Failed at 00:00:05, Error; nothing will change by itself any more.",
            id="failed",
        ),
        pytest.param(
            {"restartPolicy": "Never", "containers": [SERVER | {"command": ["sleep", "7"]}]},
            30,
            "Succeeded at 00:00:07; nothing will change by itself any more.",
            id="succeeded",
        ),
        pytest.param(
            {"nodeSelector": {"gpu": "yes"}},
            30,
            "Unschedulable since 00:00:00: 0/3 nodes are available",
            id="no node",
        ),
        pytest.param(
            {"containers": [SERVER | {"envFrom": [{"configMapRef": {"name": "nosuch"}}]}]},
            30,
            'CreateContainerConfigError, not ready since 00:00:00: configmap "nosuch" not found;'
            " somebody has to fix",
            id="configuration",
        ),
    ],
)
def test_how_a_pod_is(spec: dict[str, Any], seconds: int, expected: str) -> None:
    door = Door()
    door.apply(make_pod(**spec))
    assert tell(door.run(seconds)).startswith(expected)


def test_a_crash_loop_says_how_the_last_run_ended_and_when_the_next_begins() -> None:
    door = Door(timing="realistic")
    door.apply(make_pod(containers=[SERVER | {"command": ["sh", "-c", "sleep 1; exit 42"]}]))
    while "next start in" not in (told := tell(door.run(1))) or "CrashLoop" not in told:
        assert door.cluster.now_ms < 300_000
    assert told.startswith("CrashLoopBackOff, not ready since 00:0")
    assert ": c ended with exit code 42 (Error); next start in " in told


def test_a_pod_that_liveness_restarted_is_ready_since_then() -> None:
    """Between two looks of its kubelet it was never seen not ready: its condition is of the first start."""
    door = Door(timing="realistic")
    probe = {
        "exec": {"command": ["sh", "-c", "test ! -e /tmp/bad"]},
        "periodSeconds": 1,
        "failureThreshold": 1,
    }
    script = "trap 'exit 0' TERM; (sleep 20; touch /tmp/bad) & while true; do sleep 1; done"
    door.apply(make_pod(containers=[SERVER | {"command": ["sh", "-c", script], "livenessProbe": probe}]))
    while not restarted(door.run(0.25)):
        assert door.cluster.now_ms < 120_000
    told = tell(door.run(3))
    pod = door.get("Pod", "one")
    started = pod["status"]["containerStatuses"][0]["state"]["running"]["startedAt"][11:19]
    assert told.startswith(f"Ready since {started}, after 1 restart; last, c ended with exit code "), told


def restarted(door: Door) -> bool:
    """Whether its container runs for the second time."""
    statuses = door.get("Pod", "one")["status"].get("containerStatuses") or [{}]
    return bool(statuses[0].get("restartCount")) and "running" in statuses[0]["state"]


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["readiness", "startup"])
def test_a_pod_says_which_probe_keeps_it(kind: str) -> None:
    door = Door()
    behavior = {"c": {"runs": [{"forever": True}], "probes": {kind: [{"at": "0s", "result": "failure"}]}}}
    pod = make_pod(containers=[SERVER | {f"{kind}Probe": {"httpGet": {"port": 80}, "failureThreshold": 30}}])
    pod["metadata"]["annotations"] = {"podline.dev/behavior": json.dumps(behavior)}
    door.apply(pod)
    cluster = keep(door.run(30).cluster)
    stored = find_object(cluster, "Pod", "default", "one")
    (seen,) = see_pods(cluster, [stored], 30_000)
    told = judge_pod(seen, 30_000, cluster.epoch_ms)
    # Readiness is asked at once, the others with the first tick of their period (worker.go).
    first = {"readiness": "00:00:00", "startup": "00:00:10"}[kind]
    ends = {
        "readiness": "nothing will change by itself until it passes.",
        "startup": "c is stopped when it has failed 30 times in a row.",
    }
    assert told.startswith(f"Not ready since 00:00:00: the {kind} probe of c fails since {first} (")
    assert told.endswith(f"; {ends[kind]}"), told


def test_a_deletion_says_when_what_still_runs_is_killed() -> None:
    door = Door()
    door.apply(
        make_pod(
            containers=[SERVER | {"command": ["sh", "-c", "trap '' TERM; sleep 1000 & wait; sleep 1000"]}]
        )
    )
    door.run(10)
    door.change("delete", "one", "Pod", gracePeriodSeconds=45)
    told = tell(door.run(15))
    assert told == "Ending since 00:00:10; what still runs is killed in 30s, at 00:00:55."


@pytest.mark.slow
@pytest.mark.django_db
def test_a_cluster_names_its_problems_the_worst_first() -> None:
    door = Door()
    well, crashing = make_deployment_json("well", 2), make_deployment_json("broken", 3)
    crashing["spec"]["template"]["spec"] = CRASH
    for manifest in (well, crashing, make_pod("lone", containers=[SERVER | {"image": MISSING}])):
        door.apply(manifest)
    cluster = keep(door.run(60).cluster)
    verdict = read_verdict(cluster, 60_000)
    assert verdict.sentence == "2 problems: 4 pods are not well."
    assert [(one.tone.name, one.name, one.page) for one in verdict.troubles] == [
        ("crashing", "broken", "deployments/default/broken/"),
        ("stuck", "lone", "pods/default/lone/"),
    ]
    assert "and 2 more pods: Error, not ready since" in verdict.troubles[0].sentence
    assert "lone: ImagePullBackOff, not ready since" in verdict.troubles[1].sentence


@pytest.mark.django_db
def test_a_cluster_that_is_well_says_so() -> None:
    door = Door()
    door.apply(make_deployment_json("well", 2))
    cluster = keep(door.run(30).cluster)
    assert read_verdict(cluster, 30_000).sentence == "Nothing is wrong: 2 ready."


@pytest.mark.slow
@pytest.mark.django_db
def test_pods_that_never_get_ready_are_a_problem_once_it_has_lasted() -> None:
    door = Door()
    door.apply(make_held("Deployment", NEVER_READY))
    door.apply(make_pod("lone"))
    cluster = keep(door.run(30).cluster)
    # Three times in five seconds each: by then it is no start any more.
    early = read_verdict(cluster, 8_000)
    assert early.sentence == "Nothing is wrong: 1 ready, 2 not ready."
    verdict = read_verdict(cluster, 30_000)
    assert verdict.sentence == "1 problem: 2 pods are not ready."
    (trouble,) = verdict.troubles
    assert (trouble.tone.name, trouble.name, trouble.page) == ("notReady", "web", "deployments/default/web/")
    assert ": the readiness probe of c fails since 00:00:00 (" in trouble.sentence
    assert trouble.sentence.endswith("; 1 more pod is not ready")


@pytest.mark.slow
@pytest.mark.django_db
def test_restarts_that_are_over_are_not_kept_silent() -> None:
    door = Door()
    door.apply(make_pod(containers=[SERVER | {"command": ["sh", "-c", "sleep 100; exit 1"]}]))
    cluster = keep(door.run(120).cluster)
    lately = read_verdict(cluster, 120_000)
    assert lately.sentence == "Nothing is down, but 1 pod restarted lately."
    (trouble,) = lately.troubles
    assert trouble.tone.name == "crashing"
    assert "restarted lately, 1 time so far: c ended with exit code 1 (Error) 20s ago" in trouble.sentence
    # The kubelet forgets after ten minutes.
    later = read_verdict(cluster, 800_000)
    assert later.sentence == "Nothing is wrong: 1 ready, 1 restart so far."


@pytest.mark.django_db
def test_pods_that_failed_for_good_are_not_kept_silent() -> None:
    door = Door()
    failing = [SERVER | {"command": ["sh", "-c", "exit 3"]}]
    door.apply(make_pod(restartPolicy="Never", containers=failing))
    cluster = keep(door.run(10).cluster)
    verdict = read_verdict(cluster, 10_000)
    assert verdict.sentence == "1 pod failed."
    (lone,) = verdict.troubles
    assert (lone.tone.name, lone.name, lone.page) == ("failed", "one", "pods/default/one/")
    assert lone.sentence.startswith("one: Error") and not lone.sentence.endswith(".")


@pytest.mark.slow
@pytest.mark.django_db
def test_pods_that_failed_for_good_are_told_behind_those_that_are_unwell() -> None:
    door = Door()
    failing = [SERVER | {"command": ["sh", "-c", "exit 3"]}]
    door.apply(make_pod(restartPolicy="Never", containers=failing))
    door.apply(make_pod("two", **CRASH))
    cluster = keep(door.run(20).cluster)
    verdict = read_verdict(cluster, 20_000)
    assert verdict.sentence == "2 problems: 1 pod is not well, 1 failed."
    assert [(one.name, one.tone.name) for one in verdict.troubles] == [("two", "crashing"), ("one", "failed")]


@pytest.mark.django_db
def test_failed_tries_of_a_job_are_its_own_affair() -> None:
    door = Door()
    template = {
        "spec": {"restartPolicy": "Never", "containers": [SERVER | {"command": ["sh", "-c", "exit 3"]}]}
    }
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "tries", "namespace": "default"}}
    door.apply(job | {"spec": {"backoffLimit": 6, "template": template}})
    cluster = keep(door.run(15).cluster)
    sentence = read_verdict(cluster, 15_000).sentence
    assert sentence.startswith("Nothing is wrong: ") and "failed" in sentence
