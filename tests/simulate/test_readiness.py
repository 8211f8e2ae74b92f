"""When all that was given is well: what `--until ready` waits for, and what it says of the rest."""

import pytest
import yaml

from lifecycle.input.scenario import read_until
from lifecycle.simulation import Overrides, make_plan
from lifecycle.simulation.readiness import is_well
from lifecycle.simulation.run import run
from tests.simulate.running import Rows
from tests.texts import read_manifests

AVAILABLE = {"conditions": [{"type": "Available", "status": "True"}]}
ALL_UP = {"replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2}
SEEN = {"observedGeneration": 3}
ROLLING = {"updateStrategy": {"type": "RollingUpdate"}}
BY_HAND = {"replicas": 2, "updateStrategy": {"type": "OnDelete"}}
STILL_OLD = {"updatedReplicas": 1, "replicas": 3}
NODES = {"desiredNumberScheduled": 2, "updatedNumberScheduled": 2, "numberAvailable": 2}
COMPLETE, FAILED = ({"conditions": [{"type": one, "status": "True"}]} for one in ("Complete", "Failed"))
READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def make(kind, spec=None, status=None, **meta):
    group = {"Pod": "v1", "Job": "batch/v1", "CronJob": "batch/v1", "ReplicationController": "v1"}
    return {
        "apiVersion": group.get(kind, "apps/v1"),
        "kind": kind,
        "metadata": {"name": "a", "namespace": "default", "uid": "u", "generation": 3, **meta},
        "spec": spec or {},
        "status": status or {},
    }


@pytest.mark.parametrize(
    "stored, expected",
    [
        pytest.param(make("Deployment", {"replicas": 2}, SEEN | ALL_UP | AVAILABLE), True, id="available"),
        pytest.param(make("Deployment", {"replicas": 2}, SEEN | ALL_UP), False, id="not available"),
        pytest.param(
            make("Deployment", {"replicas": 2}, SEEN | ALL_UP | STILL_OLD | AVAILABLE),
            False,
            id="old pods serve",
        ),
        pytest.param(make("Deployment", {"replicas": 2}, ALL_UP | AVAILABLE), False, id="not observed"),
        pytest.param(make("StatefulSet", {"replicas": 2} | ROLLING, SEEN | ALL_UP), True, id="a set is up"),
        pytest.param(
            make("StatefulSet", {"replicas": 3} | ROLLING, SEEN | ALL_UP), False, id="one is missing"
        ),
        pytest.param(make("StatefulSet", BY_HAND, SEEN | ALL_UP), True, id="updated by hand"),
        pytest.param(make("StatefulSet", BY_HAND, SEEN), False, id="updated by hand, and down"),
        pytest.param(make("DaemonSet", ROLLING, SEEN | NODES), True, id="on every node"),
        pytest.param(
            make("DaemonSet", ROLLING, SEEN | NODES | {"numberAvailable": 1}), False, id="not on one"
        ),
        pytest.param(make("DaemonSet", ROLLING, SEEN), True, id="no node is for it"),
        pytest.param(make("DaemonSet", ROLLING, {}), False, id="no controller has looked"),
        pytest.param(make("ReplicaSet", {"replicas": 0}, SEEN | {"replicas": 0}), True, id="none wanted"),
        pytest.param(
            make("ReplicationController", {"replicas": 1}, SEEN | {"replicas": 1}), False, id="down"
        ),
        pytest.param(make("Job", {}, COMPLETE), True, id="complete"),
        pytest.param(make("Job", {}, {"active": 1}), False, id="at work"),
        pytest.param(make("Job", {}, FAILED), False, id="failed"),
        pytest.param(make("Job", {"suspend": True}), True, id="suspended"),
        pytest.param(make("CronJob", {"schedule": "0 0 * * *"}), True, id="a schedule"),
        pytest.param(make("Pod", {}, READY), True, id="ready"),
        pytest.param(make("Pod", {}, READY, deletionTimestamp="2026-01-01T00:00:00Z"), False, id="going"),
        pytest.param(make("Pod", {}, {"phase": "Running"}), False, id="not ready"),
        pytest.param(make("Pod", {}, {"phase": "Succeeded"}), True, id="ended well"),
        pytest.param(make("Pod", {}, {"phase": "Failed"}), False, id="ended badly"),
    ],
)
def test_what_is_well(stored, expected):
    assert is_well(stored) is expected


def give(kind, name, command, **spec):
    containers = [{"name": "c", "image": "busybox", "command": ["sh", "-c", command]}]
    if kind == "Pod":
        return {
            "apiVersion": "v1",
            "kind": kind,
            "metadata": {"name": name},
            "spec": {"containers": containers, **spec},
        }
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": containers}}
    if kind == "Job":
        template["spec"]["restartPolicy"] = "Never"
    else:
        spec["selector"] = {"matchLabels": {"app": name}}
    api = "batch/v1" if kind == "Job" else "apps/v1"
    return {
        "apiVersion": api,
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"template": template, **spec},
    }


def wait(*given, untils=("ready",), steps=()):
    scenario = {"apiVersion": "podline.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "s"}}
    scenario["spec"] = {"timing": "instant", "steps": list(steps)}
    plan = make_plan(
        read_manifests(yaml.safe_dump_all([*given, scenario])),
        Overrides(untils=tuple(map(read_until, untils))),
    )
    outcome, _ = run(plan, Rows())
    return outcome


WEB, SEED = give("Deployment", "web", "sleep 1d"), give("Job", "seed", "sleep 90")
BROKEN, LATE = give("Deployment", "broken", "exit 1"), give("Job", "late", "sleep 7200")


def test_a_run_ends_when_the_last_of_all_that_was_given_is_well():
    outcome = wait(WEB, SEED, give("Pod", "lone", "sleep 1d"))
    assert (outcome.why, outcome.exit_status, outcome.at_ms) == ("condition", 0, 90_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "given, told",
    [
        pytest.param(
            (WEB, BROKEN), "2 workloads: 1 is well; not: Deployment default/broken", id="one of two"
        ),
        pytest.param(
            (BROKEN,), "1 workload: none is well; not: Deployment default/broken", id="the only one"
        ),
        pytest.param(
            (SEED, WEB, give("Pod", "x", "exit 1", restartPolicy="Never"), BROKEN),
            "4 workloads: 2 are well; not: Pod default/x, Deployment default/broken",
            id="two of four",
        ),
        pytest.param(
            (LATE,), "1 workload: none is well; not: Job default/late", id="one that takes too long"
        ),
    ],
)
def test_what_is_not_well_after_an_hour_is_named(given, told):
    outcome = wait(*given)
    assert (outcome.why, outcome.exit_status, outcome.at_ms) == ("limit", 3, 3_600_000)
    assert outcome.not_reached == (f"ready: {told}",)


def test_a_later_instant_gives_it_longer():
    outcome = wait(LATE, untils=("ready", "3h"))
    assert (outcome.exit_status, outcome.at_ms) == (0, 3 * 3_600_000)


def test_steps_that_are_left_are_waited_for():
    step = {"at": "10m", "apply": SEED}
    assert wait(WEB, steps=[step]).at_ms == 690_000


def test_what_a_step_takes_away_counts_no_more():
    step = {"at": "10m", "delete": {"kind": "Deployment", "name": "broken"}}
    assert wait(WEB, BROKEN, steps=[step]).exit_status == 0


def test_a_job_that_its_time_to_live_took_away_was_well():
    gone = give("Job", "first", "sleep 5", ttlSecondsAfterFinished=10)
    assert (wait(gone, SEED).exit_status, wait(gone, SEED).at_ms) == (0, 90_000)


def test_objects_without_pods_are_ready_at_once():
    outcome = wait({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
    assert (outcome.exit_status, outcome.at_ms) == (0, 0)


@pytest.mark.parametrize(
    "until, told",
    [
        ("deployment/nobody Available", "deployment/nobody Available: there is no such object"),
        ("deployment/broken Available", "deployment/broken Available: False"),
        (
            "deployment/broken .status.readyReplicas == 2",
            "deployment/broken .status.readyReplicas == 2: absent",
        ),
    ],
)
def test_a_condition_that_was_missed_says_what_was_seen(until, told):
    outcome = wait(give("Deployment", "broken", "exit 1", paused=True), untils=(until,))
    assert (outcome.exit_status, outcome.not_reached) == (3, (told,))
