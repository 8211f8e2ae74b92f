"""The worked scenarios of Deployments and ReplicaSets through the engine's door, with real kubelets."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifecycle.engine import Cluster
from lifecycle.engine.heart.chance import Chance
from tests.engine.controllers.door import MISSING, Door
from tests.engine.controllers.world import make_deployment

FRONTEND = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "metadata": {"name": "frontend", "labels": {"app": "guestbook", "tier": "frontend"}},
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"tier": "frontend"}},
        "template": {
            "metadata": {"labels": {"tier": "frontend"}},
            "spec": {"containers": [{"name": "nginx", "image": "nginx:1"}]},
        },
    },
}


def started(manifest: dict[str, Any] | None = None, **options: Any) -> Door:
    door = Door(**options)
    door.apply(manifest or make_deployment())
    return door.run(30)


@pytest.mark.spec("DEP-CREATE-01", "DEP-CREATE-05", "DEP-CREATE-07", "DEP-CREATE-08", "DEP-CREATE-10")
def test_create():
    """SC-DEP-01."""
    door = Door(start="2s")
    created = door.apply(make_deployment())
    assert created["status"] == {}
    door.run(18)
    status = door.get()["status"]
    assert (status["replicas"], status["updatedReplicas"], status["availableReplicas"]) == (3, 3, 3)
    assert door.sets() == [(3, 3, 3)]
    # The recording deploy-first-rollout outranks the specification for v1.35: the former size is told too.
    assert door.events("Deployment") == [("ScalingReplicaSet", "Scaled up replica set A from 0 to 3")]
    assert door.condition("Progressing") == ("True", "NewReplicaSetAvailable")
    assert door.lane("Deployment", "readyReplicas")[-1] == (2000, 3)
    for pod in door.pods():
        assert pod["metadata"]["labels"]["app"] == "nginx"
        assert pod["spec"]["containers"][0]["image"] == "nginx:1.14.2"


@pytest.mark.spec("DEP-UPD-01", "DEP-UPD-03", "DEP-UPD-04", "DEP-UPD-05", "DEP-ROLL-09", "DEP-ROLL-10")
@pytest.mark.parametrize("timing", ["instant", "realistic"])
def test_update_the_image(timing: str):
    """SC-DEP-02: the same steps whatever the latencies."""
    door = started(timing=timing)
    door.set_image("nginx:1.16.1")
    door.run(120)
    assert door.scaled() == "A3 B1 A2 B2 A1 B3 A0"
    assert door.sets() == [(0, 0, 0), (3, 3, 3)]
    assert {pod["spec"]["containers"][0]["image"] for pod in door.pods()} == {"nginx:1.16.1"}
    assert len(door.pods()) == 3
    assert min(value for at, value in door.lane("Deployment", "availableReplicas") if at > 30_000) >= 3
    assert max(value for _, value in door.lane("Deployment", "replicas")) <= 4


@pytest.mark.spec(
    "DEP-RBK-02", "DEP-RBK-04", "DEP-RBK-05", "DEP-RBK-06", "DEP-RBK-08", "DEP-RBK-12", "DEP-RBK-13"
)
def test_a_bad_image_and_the_way_back():
    """SC-DEP-06 to 08."""
    door = started()
    cause = {"metadata": {"annotations": {"kubernetes.io/change-cause": "first"}}}
    door.change("patch", type="merge", patch=cause)
    door.set_image("nginx:1.16.1")
    door.run(30)
    cause["metadata"]["annotations"]["kubernetes.io/change-cause"] = "second"
    door.change("patch", type="merge", patch=cause)
    door.set_image(MISSING)
    cause["metadata"]["annotations"]["kubernetes.io/change-cause"] = "third"
    door.change("patch", type="merge", patch=cause)
    door.run(30)
    assert door.sets() == [(0, 0, 0), (3, 3, 3), (1, 1, 0)]
    bad = door.pods()[-1]["status"]["containerStatuses"][0]["state"]["waiting"]["reason"]
    assert bad in ("ErrImagePull", "ImagePullBackOff")
    kept = sorted(pod["metadata"]["uid"] for pod in door.pods())
    since_ms = door.cluster.now_ms
    door.change("scale", replicas=3)
    door.change("rollout", action="undo")
    door.run(30)
    # The recording deploy-undo-previous outranks the specification for v1.35: no controller tells of an undo.
    assert door.events("Deployment", since_ms) == [
        ("ScalingReplicaSet", "Scaled down replica set C from 1 to 0"),
    ]
    assert set(kept) > {pod["metadata"]["uid"] for pod in door.pods()}
    annotations = door.get()["metadata"]["annotations"]
    assert annotations["deployment.kubernetes.io/revision"] == "4"
    assert annotations["kubernetes.io/change-cause"] == "second"
    assert door.condition("Progressing") == ("True", "NewReplicaSetAvailable")


@pytest.mark.slow
@pytest.mark.spec("DEP-RBK-07", "DEP-RBK-14", "DEP-UPD-08")
def test_back_to_a_chosen_revision():
    """SC-DEP-09."""
    door = started()
    for image in ("nginx:2", "nginx:3"):
        door.set_image(image)
        door.run(30)
    refused = door.submit(
        "rollout", kind="Deployment", namespace="default", name="web", action="undo", toRevision=9
    )
    assert not refused.ok
    assert refused.status["message"] == "unable to find specified revision 9 in history"
    same = door.change("rollout", action="undo", toRevision=3)
    assert same["metadata"]["generation"] == 3
    door.change("rollout", action="undo", toRevision=1)
    door.run(30)
    assert door.sets() == [(3, 3, 3), (0, 0, 0), (0, 0, 0)]
    assert door.get()["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1.14.2"
    assert "pod-template-hash" not in str(door.get()["spec"])


@pytest.mark.spec("DEP-FAIL-02", "DEP-FAIL-03", "DEP-FAIL-04")
def test_the_progress_deadline():
    """SC-DEP-18."""
    door = started()
    door.set_image(MISSING)
    door.run(700)
    assert door.lane("Deployment", "condition.Progressing")[-1] == (631_000, "False")
    assert door.condition("Progressing") == ("False", "ProgressDeadlineExceeded")
    assert door.condition("Available") == ("True", "MinimumReplicasAvailable")


@pytest.mark.spec("DEP-UPD-09", "DEP-PAUSE-01", "DEP-PAUSE-04", "DEP-UPD-07")
def test_pause_edit_resume_restart():
    """SC-DEP-15 and a restart."""
    door = started()
    door.change("rollout", action="pause")
    door.set_image("nginx:2")
    door.set_image("nginx:3")
    door.run(30)
    assert door.sets() == [(3, 3, 3)]
    assert door.condition("Progressing") == ("Unknown", "DeploymentPaused")
    door.change("rollout", action="resume")
    door.run(30)
    assert door.sets() == [(0, 0, 0), (3, 3, 3)]
    door.set_image("nginx:3")
    door.run(10)
    assert len(door.sets()) == 2
    door.change("rollout", action="restart")
    door.run(30)
    assert door.sets() == [(0, 0, 0), (0, 0, 0), (3, 3, 3)]


@pytest.mark.spec("DEP-RECR-01", "DEP-RECR-02")
def test_recreate():
    """SC-DEP-24: no pod of each template exists together."""
    manifest = make_deployment(strategy={"type": "Recreate"})
    manifest["spec"]["template"]["metadata"]["annotations"] = {
        "podline.dev/behavior": json.dumps({"nginx": {"onTerm": {"takes": "5s", "exit": 0}}})
    }
    door = started(manifest)
    door.set_image("nginx:2")
    door.run(60)
    assert door.scaled() == "A3 A0 B3"
    exists = [row for row in door.rows if row["kind"] == "Pod" and row.get("field") == "exists"]
    assert [row["new"] for row in exists] == ["created"] * 3 + ["deleted"] * 3 + ["created"] * 3
    assert exists[-1]["at_ms"] >= 35_000


@pytest.mark.spec("DEP-ROLL-21", "DEP-SPEC-11")
def test_min_ready_seconds():
    """SC-DEP-30."""
    door = Door()
    door.apply(make_deployment(2, minReadySeconds=30))
    door.run(10)
    assert door.get()["status"]["readyReplicas"] == 2
    assert "availableReplicas" not in door.get()["status"]
    door.run(21)
    assert door.lane("Deployment", "availableReplicas") == [(31_000, 2)]


@pytest.mark.spec("DEP-SCALE-06", "DEP-SCALE-07")
def test_a_manifest_against_a_manual_scale():
    """SC-DEP-28."""
    door = started()
    door.change("scale", replicas=6)
    door.apply(make_deployment())
    door.run(10)
    assert door.sets() == [(3, 3, 3)]
    other = make_deployment(name="other")
    del other["spec"]["replicas"]
    other["spec"]["selector"] = other["spec"]["template"]["metadata"] = {"labels": {"app": "other"}}
    other["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    door.apply(other)
    door.change("scale", "other", replicas=6)
    door.apply(other)
    door.run(10)
    assert door.get(name="other")["spec"]["replicas"] == 6


@pytest.mark.spec("RS-DEL-03", "RS-DEL-04", "RS-DEL-05", "RS-DEL-08")
@pytest.mark.parametrize(
    "propagation, order",
    [
        ("Background", ["ReplicaSet", "Pod", "Pod", "Pod"]),
        ("Foreground", ["Pod", "Pod", "Pod", "ReplicaSet"]),
        ("Orphan", ["ReplicaSet"]),
    ],
)
def test_deletion(propagation: str, order: list[str]):
    """SC-RS-04 and 05."""
    door = started(FRONTEND)
    door.change("delete", "frontend", "ReplicaSet", propagationPolicy=propagation)
    door.run(60)
    gone = [row["kind"] for row in door.rows if row.get("field") == "exists" and row["new"] == "deleted"]
    assert gone == order
    assert len(door.pods()) == (3 if propagation == "Orphan" else 0)
    assert all("ownerReferences" not in pod["metadata"] for pod in door.pods())


@pytest.mark.spec("RS-GEN-05", "RS-GEN-06")
def test_failures():
    """SC-RS-10 (a) and (b)."""
    door = started(FRONTEND)
    first, second, _ = door.pods()
    door.change("delete", first["metadata"]["name"], "Pod")
    door.run(60)
    names = [pod["metadata"]["name"] for pod in door.pods()]
    assert len(names) == 3 and first["metadata"]["name"] not in names
    fault = {"pod": second["metadata"]["name"], "container": "nginx", "kind": "exit", "code": 1}
    assert door.submit("fault", namespace="default", **fault).ok
    door.run(60)
    again = door.get("Pod", second["metadata"]["name"])
    assert again["metadata"]["uid"] == second["metadata"]["uid"]
    assert again["status"]["containerStatuses"][0]["restartCount"] == 1
    assert (0, 3) not in door.sets()
    assert door.sets() == [(3, 3, 3)]


@pytest.mark.spec("DEP-CANARY-01", "DEP-CANARY-02", "DEP-CANARY-03")
def test_canary():
    """SC-DEP-31."""
    door = Door()
    shared = {"app": "guestbook", "tier": "frontend"}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "guestbook"},
        "spec": {"selector": shared, "ports": [{"port": 80}]},
    }
    door.apply(service)
    for name, replicas in (("stable", 3), ("canary", 1)):
        manifest = make_deployment(replicas, name=name)
        labels = {**shared, "track": name}
        manifest["spec"]["selector"] = {"matchLabels": labels}
        manifest["spec"]["template"]["metadata"] = {"labels": labels}
        door.apply(manifest)
    door.run(30)
    assert sorted(ready_endpoints(door)) == ["canary", "stable", "stable", "stable"]
    canary = [pod["metadata"]["uid"] for pod in door.pods() if "canary" in pod["metadata"]["name"]]
    door.change("setImage", "stable", container="nginx", image="nginx:2")
    door.run(60)
    assert [pod["metadata"]["uid"] for pod in door.pods() if "canary" in pod["metadata"]["name"]] == canary
    door.change("delete", "canary")
    door.run(60)
    assert ready_endpoints(door) == ["stable"] * 3


def ready_endpoints(door: Door) -> list[str]:
    """The Deployment of every ready endpoint of all slices."""
    return [
        endpoint["targetRef"]["name"].split("-")[0]
        for entry in door.slices()
        for endpoint in entry["endpoints"]
        if endpoint["conditions"]["ready"]
    ]


def label_pod(door: Door, number: int, value: str) -> None:
    name = door.pods()[number]["metadata"]["name"]
    door.change("patch", name, "Pod", type="merge", patch={"metadata": {"labels": {"tier": value}}})


def story(door: Door, instants: list[int], reload_at: int | None) -> list[dict[str, Any]]:
    """Rollouts, an undo, a resize, endpoints, adoption and three ways of deletion.

    Stopped at some instants, saved and loaded at one of them.
    """
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {"selector": {"app": "nginx"}, "ports": [{"port": 80}]},
    }
    steps: list[tuple[int, Any]] = [
        (0, lambda: door.apply(service)),
        (0, lambda: door.apply(FRONTEND)),
        (0, lambda: door.apply(make_deployment(4, minReadySeconds=2))),
        (7_000, lambda: label_pod(door, 0, "debug")),
        (9_000, lambda: door.set_image("nginx:2")),
        (12_000, lambda: label_pod(door, 0, "frontend")),
        (14_000, lambda: door.change("scale", replicas=7)),
        (16_000, lambda: door.set_image(MISSING)),
        (17_000, lambda: door.change("delete", "frontend", "ReplicaSet", propagationPolicy="Orphan")),
        (21_000, lambda: door.apply({**FRONTEND, "metadata": {"name": "heir"}})),
        (25_000, lambda: door.change("rollout", action="undo")),
        (33_000, lambda: door.change("delete", "heir", "ReplicaSet")),
        (40_000, lambda: door.change("delete", propagationPolicy="Foreground")),
    ]
    todo = sorted([*steps, *[(at, None) for at in instants]], key=lambda step: (step[0], step[1] is None))
    for at, step in todo:
        door.cluster.run_until(at)
        if step is not None:
            step()
        elif at == reload_at:
            assert door.rows is not None
            door.cluster = Cluster.load(json.loads(json.dumps(door.cluster.save())))
    door.cluster.run_until(120_000)
    return door.rows


@pytest.mark.slow
@settings(max_examples=5)
@given(st.lists(st.integers(0, 60_000), min_size=1, max_size=6))
def test_saving_and_loading_changes_nothing(instants: list[int]):
    whole = story(Door("realistic"), [], None)
    assert story(Door("realistic"), instants, instants[0]) == whole


def test_a_name_that_is_taken_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = Chance.uid_and_suffix

    def unlucky(chance: Chance, owner: str, count: int) -> tuple[str, str]:
        uid, suffix = draw(chance, owner, count)
        return uid, "twice" if count in (1, 2) else suffix

    monkeypatch.setattr(Chance, "uid_and_suffix", unlucky)
    door = started(FRONTEND)
    names = [pod["metadata"]["name"] for pod in door.cluster.list("Pod", "default")]
    assert names[0] == "frontend-twice"
    assert len(set(names)) == 3
    assert door.cluster.get("ReplicaSet", "default", "frontend")["status"]["readyReplicas"] == 3
