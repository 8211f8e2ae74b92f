"""The sentence at the head of a pod's page, and of a cluster's, of real runs."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.cluster_verdict import read_verdict
from dashboard.readings import count_states
from lifecycle.verdicts import tell_pod
from tests.dashboard.test_verdicts import CRASH, make_deployment_json
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
    return tell_pod(pod, door.cluster.now_ms, door.cluster.epoch_ms)


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
            'CreateContainerConfigError since 00:00:00: configmap "nosuch" not found; somebody has to mend',
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
    while "next start" not in (told := tell(door.run(1))):
        assert door.cluster.now_ms < 300_000
    assert told.startswith("CrashLoopBackOff since 00:0")
    assert ": c ended with exit code 42 (Error); next start in " in told


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


@pytest.mark.django_db
def test_a_cluster_names_its_problems_the_worst_first() -> None:
    door = Door()
    well, crashing = make_deployment_json("well", 2), make_deployment_json("broken", 3)
    crashing["spec"]["template"]["spec"] = CRASH
    for manifest in (well, crashing, make_pod("lone", containers=[SERVER | {"image": MISSING}])):
        door.apply(manifest)
    cluster = keep(door.run(60).cluster)
    verdict = read_verdict(cluster, count_states(cluster), 60_000)
    assert verdict.sentence == "2 problems: 4 pods are not well."
    assert [(one.tone.name, one.name, one.page) for one in verdict.troubles] == [
        ("crashing", "broken", "deployments/default/broken/"),
        ("stuck", "lone", "pods/default/lone/"),
    ]
    assert "and 2 more pods: Error since" in verdict.troubles[0].sentence
    assert "lone: ImagePullBackOff since" in verdict.troubles[1].sentence


@pytest.mark.django_db
def test_a_cluster_that_is_well_says_so() -> None:
    door = Door()
    door.apply(make_deployment_json("well", 2))
    cluster = keep(door.run(30).cluster)
    assert read_verdict(cluster, count_states(cluster), 30_000).sentence == "Nothing is wrong: 2 ready."


@pytest.mark.django_db
def test_restarts_that_are_over_are_not_kept_silent() -> None:
    door = Door()
    door.apply(make_pod(containers=[SERVER | {"command": ["sh", "-c", "sleep 100; exit 1"]}]))
    cluster = keep(door.run(120).cluster)
    lately = read_verdict(cluster, count_states(cluster), 120_000)
    assert lately.sentence == "Nothing is down, but 1 pod restarted lately."
    (trouble,) = lately.troubles
    assert trouble.tone.name == "crashing"
    assert "restarted lately, 1 time so far: c ended with exit code 1 (Error) 20s ago" in trouble.sentence
    # The kubelet forgets after ten minutes.
    later = read_verdict(cluster, count_states(cluster), 800_000)
    assert later.sentence == "Nothing is wrong: 1 ready, 1 restart so far."
