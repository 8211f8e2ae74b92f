"""What a Deployment reports on its way, through the engine's door."""

import json
from typing import Any

import pytest

from tests.engine.controllers.door import MISSING, Door
from tests.engine.controllers.world import make_deployment


def with_behavior(manifest: dict[str, Any], **behavior: Any) -> dict[str, Any]:
    """The manifest with a behaviour for the container of every pod."""
    text = json.dumps({"nginx": behavior})
    manifest["spec"]["template"]["metadata"]["annotations"] = {"podline.dev/behavior": text}
    return manifest


@pytest.mark.spec("DEP-STAT-01", "DEP-STAT-03", "DEP-STAT-04", "DEP-STAT-06", "DEP-STAT-07", "DEP-STAT-08")
def test_the_stages_of_a_rollout():
    door = Door("realistic")
    door.apply(make_deployment())
    door.run(60)
    rows = [row for row in door.rows if row.get("field") == "condition.Progressing"]
    name = door.cluster.list("ReplicaSet")[0]["metadata"]["name"]
    assert [(row["new"], row["reason"], row["message"]) for row in rows] == [
        ("True", "NewReplicaSetCreated", f'Created new replica set "{name}"'),
        ("True", "ReplicaSetUpdated", f'ReplicaSet "{name}" is progressing.'),
        ("True", "NewReplicaSetAvailable", f'ReplicaSet "{name}" has successfully progressed.'),
    ]
    complete_ms = rows[-1]["at_ms"]
    for field in ("updatedReplicas", "availableReplicas", "replicas"):
        at_ms, value = door.lane("Deployment", field)[-1]
        assert value == 3 and at_ms <= complete_ms
    conditions = {entry["type"]: entry for entry in door.get()["status"]["conditions"]}
    assert conditions["Progressing"]["lastTransitionTime"] < conditions["Progressing"]["lastUpdateTime"]


@pytest.mark.spec("DEP-STAT-02", "DEP-FAIL-04")
def test_every_step_restarts_the_deadline():
    """Each new pod needs 50 s, the deadline is 60 s: three steps take longer, none of them too long."""
    door = Door(start={"nginx:1*": "1s", "nginx:2": "50s"})
    door.apply(make_deployment(progressDeadlineSeconds=60))
    door.run(10)
    door.set_image("nginx:2")
    door.run(149)
    assert door.condition("Progressing") == ("True", "ReplicaSetUpdated")
    door.run(2)
    assert door.condition("Progressing") == ("True", "NewReplicaSetAvailable")
    assert "ProgressDeadlineExceeded" not in {row.get("reason") for row in door.rows}


@pytest.mark.parametrize("timing", ["instant", "realistic"])
def test_a_complete_rollout_leaves_nothing_to_do(timing: str):
    """The deadline of ten minutes is not waited for once there is nothing to wait for."""
    door = Door(timing)
    door.apply(make_deployment())
    door.run(30)
    assert door.condition("Progressing") == ("True", "NewReplicaSetAvailable")
    assert door.cluster.is_idle()


@pytest.mark.spec("DEP-ROLL-22", "DEP-ROLL-23", "DEP-STAT-13", "DEP-UPD-06")
def test_terminating_pods_do_not_count():
    """Old pods are slow to exit: there are more pods than the ceiling of four, but never more counted."""
    door = Door()
    door.apply(
        with_behavior(make_deployment(terminationGracePeriodSeconds=90), onTerm={"takes": "25s", "exit": 0})
    )
    door.run(10)
    door.set_image("nginx:2")
    door.run(5)
    assert len(door.pods()) > 4
    assert max(value for _, value in door.lane("Deployment", "replicas")) == 4
    status = door.get()["status"]
    assert (status["replicas"], status["updatedReplicas"], status["terminatingReplicas"]) == (3, 3, 3)
    ready = {
        pod["spec"]["containers"][0]["image"]
        for pod in door.pods()
        if {"type": "Ready", "status": "True"}.items()
        <= next(entry for entry in pod["status"]["conditions"] if entry["type"] == "Ready").items()
    }
    assert "nginx:2" in ready
    door.run(60)
    assert (len(door.pods()), door.get()["status"]["terminatingReplicas"]) == (3, 0)


@pytest.mark.spec("DEP-RBK-01", "DEP-HIST-01", "DEP-HIST-04", "DEP-HIST-06", "DEP-HIST-08")
def test_the_history_lives_in_the_sets():
    door = Door()
    door.apply(make_deployment())
    for number in (2, 3):
        door.run(30)
        door.set_image(f"nginx:{number}")
    cause = {"metadata": {"annotations": {"kubernetes.io/change-cause": "third"}}}
    door.change("patch", type="merge", patch=cause)
    door.run(30)
    sets = {
        int(entry["metadata"]["annotations"]["deployment.kubernetes.io/revision"]): entry["metadata"]
        for entry in door.cluster.list("ReplicaSet")
    }
    causes = [sets[number]["annotations"].get("kubernetes.io/change-cause") for number in (1, 2, 3)]
    assert causes == [None, None, "third"]
    door.change("rollout", action="pause")
    door.set_image("nginx:4")
    door.run(10)
    assert len(door.cluster.list("ReplicaSet")) == 3
    door.set_image("nginx:3")
    door.change("rollout", action="resume")
    door.change("delete", sets[2]["name"], "ReplicaSet")
    door.run(10)
    options = {"kind": "Deployment", "namespace": "default", "name": "web", "action": "undo"}
    gone = door.submit("rollout", **options, toRevision=2)
    assert gone.status is not None and "unable to find specified revision 2" in gone.status["message"]
    door.done("rollout", **options, toRevision=1)
    door.run(30)
    assert door.get()["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1.14.2"


STUCK = [
    pytest.param(MISSING, ("ErrImagePull", "ImagePullBackOff"), id="image pull error"),
    pytest.param("nginx:crash", ("CrashLoopBackOff",), id="application misconfigured"),
    pytest.param("nginx:unready", (), id="readiness probe fails"),
]


@pytest.mark.parametrize("image, waiting", STUCK)
def test_reasons_of_a_stuck_rollout(image: str, waiting: tuple[str, ...]):
    """SC-DEP-21, the causes that lie in the pod: the same result, and the deadline."""
    door = Door()
    unready = {"readiness": [{"at": "0s", "result": "failure"}]}
    door.profile("crash", "nginx:crash", {"runs": [{"for": "1s", "exit": 1}], "probes": unready})
    door.profile("unready", "nginx:unready", {"runs": [{"forever": True}], "probes": unready})
    manifest = make_deployment()
    manifest["spec"]["template"]["spec"]["containers"][0]["readinessProbe"] = {
        "httpGet": {"port": 80, "path": "/"}
    }
    door.apply(manifest)
    door.run(30)
    assert door.sets() == [(3, 3, 3)]
    door.set_image(image)
    # Long enough for a crash loop to be waiting, short enough for the deadline.
    door.run(300)
    assert door.sets() == [(3, 3, 3), (1, 1, 0)]
    assert door.condition("Available") == ("True", "MinimumReplicasAvailable")
    assert door.condition("Progressing") == ("True", "ReplicaSetUpdated")
    seen = {row["reason"] for row in door.rows if row.get("field") == "container.nginx.state"}
    assert set(waiting) <= seen
    door.run(400)
    assert door.condition("Progressing") == ("False", "ProgressDeadlineExceeded")
