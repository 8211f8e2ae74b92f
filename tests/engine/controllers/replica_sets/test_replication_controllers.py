"""ReplicationControllers through the engine's door, with real kubelets: S34 to S38."""

import json
from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.objects.codec import encode
from lifecycle.engine.objects.meta import PlainObject
from lifecycle.engine.objects.workloads.replication_controller import ReplicationController
from lifecycle.engine.upgrades import Known, read_objects
from tests.engine.controllers.deployments.test_end_to_end import ready_endpoints
from tests.engine.controllers.door import Door

RC = "ReplicationController"
LABELS = {"app": "nginx"}


def make(
    name: str = "nginx", replicas: int = 3, image: str = "nginx:1", labels: Any = None, **spec: Any
) -> dict[str, Any]:
    """The manifest of S34; its selector is left out unless `spec` says it."""
    container = {"name": "nginx", "image": image, "ports": [{"containerPort": 80}]}
    template = {"metadata": {"labels": labels or LABELS}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "v1",
        "kind": RC,
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "template": template, **spec},
    }


def make_service(name: str, **selector: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"selector": selector, "ports": [{"port": 80}]},
    }


def started(*manifests: dict[str, Any], **options: Any) -> Door:
    door = Door(**options)
    for manifest in manifests or (make(),):
        door.apply(manifest)
    return door.run(30)


def names(door: Door) -> list[str]:
    return [pod["metadata"]["name"] for pod in door.pods()]


def uids(door: Door) -> set[str]:
    return {pod["metadata"]["uid"] for pod in door.pods()}


def owners(door: Door) -> list[str | None]:
    """The controller of every pod."""
    references = [pod["metadata"].get("ownerReferences") for pod in door.pods()]
    return [found[0]["name"] if found else None for found in references]


def images(door: Door) -> set[str]:
    return {pod["spec"]["containers"][0]["image"] for pod in door.pods()}


def relabel(door: Door, pod: str, **labels: str) -> None:
    door.change("patch", pod, "Pod", type="merge", patch={"metadata": {"labels": labels}})


def counts(door: Door, name: str = "nginx") -> tuple[int, int, int]:
    """DESIRED, CURRENT, READY as kubectl prints them."""
    columns = decide_columns(door.get(RC, name), door.cluster.now_ms)
    return columns["DESIRED"], columns["CURRENT"], columns["READY"]


# --- making and keeping pods ----------------------------------------------------------------------------


@pytest.mark.spec("RC-01", "RC-08", "RC-09", "RC-12", "RC-16", "RC-21", "RC-34", "RC-35", "RC-41")
def test_it_makes_its_pods():
    """S34."""
    door = Door(start={"nginx": "25s"})
    created = door.apply(make(image="nginx"))
    assert created["metadata"]["labels"] == created["spec"]["selector"] == LABELS
    assert (created["metadata"]["generation"], created["status"]) == (1, {"replicas": 0})
    door.run(20)
    assert [pod["status"]["phase"] for pod in door.pods()] == ["Pending"] * 3
    door.run(10)
    assert [pod["status"]["phase"] for pod in door.pods()] == ["Running"] * 3
    assert counts(door) == (3, 3, 3)
    assert sorted(door.events(RC)) == sorted(
        ("SuccessfulCreate", f"Created pod: {one}") for one in names(door)
    )
    told = [row for row in door.rows if row["type"] == "event" and row["kind"] == RC]
    assert {(row["source"], row["eventType"], row["count"]) for row in told} == {
        ("replication-controller", "Normal", 1)
    }
    for pod in door.pods():
        assert pod["metadata"]["generateName"] == "nginx-"
        (reference,) = pod["metadata"]["ownerReferences"]
        assert (reference["apiVersion"], reference["kind"]) == ("v1", RC)
        assert reference["controller"] is reference["blockOwnerDeletion"] is True
    # Of pods that terminate its status says nothing, whatever the gates; nor does it ever end.
    assert door.get(RC, "nginx")["status"] == {
        "replicas": 3,
        "fullyLabeledReplicas": 3,
        "readyReplicas": 3,
        "availableReplicas": 3,
        "observedGeneration": 1,
    }


def test_defaults_fill_in_what_is_left_out_and_nothing_else():
    door = Door()
    manifest = make(labels={"app": "nginx", "tier": "web"}, selector=LABELS)
    manifest["metadata"]["labels"] = {"team": "shop"}
    del manifest["spec"]["replicas"]
    created = door.apply({**manifest, "status": {"replicas": 7}})
    assert created["metadata"]["labels"] == {"team": "shop"}
    assert (created["spec"]["replicas"], created["spec"]["selector"]) == (1, LABELS)
    assert created["status"] == {"replicas": 0}
    columns = decide_columns(created, 0, wide=True)
    assert list(columns) == "NAME DESIRED CURRENT READY AGE CONTAINERS IMAGES SELECTOR".split()
    assert columns["SELECTOR"] == "app=nginx"


@pytest.mark.spec("RC-02", "RC-03", "RC-05", "RC-15", "RC-27")
def test_pods_that_go_are_replaced_and_containers_are_left_to_the_kubelet():
    door = started()
    first, second, _ = names(door)
    fault = {"pod": second, "container": "nginx", "kind": "exit", "code": 1}
    assert door.submit("fault", namespace="default", **fault).ok
    door.run(60)
    assert door.get("Pod", second)["status"]["containerStatuses"][0]["restartCount"] == 1
    assert len(door.events(RC)) == 3
    door.change("delete", first, "Pod")
    door.run(60)
    assert counts(door) == (3, 3, 3) and first not in names(door)
    assert len(door.events(RC)) == 4


@pytest.mark.spec("RC-03")
def test_one_replica_moves_to_another_node_when_its_own_is_emptied():
    door = started(make(replicas=1))
    (moved,) = door.pods()
    assert door.submit("cordon", node=moved["spec"]["nodeName"]).ok
    door.change("evict", moved["metadata"]["name"], "Pod")
    door.run(60)
    (heir,) = door.pods()
    assert heir["status"]["phase"] == "Running"
    assert heir["spec"]["nodeName"] != moved["spec"]["nodeName"]


@pytest.mark.spec("RC-02", "RC-28", "RC-40")
def test_scaling():
    door = started()
    assert door.change("scale", "nginx", RC, replicas=5)["spec"]["replicas"] == 5
    door.run(30)
    assert counts(door) == (5, 5, 5)
    door.change("patch", "nginx", RC, type="merge", subresource="scale", patch={"spec": {"replicas": 1}})
    door.run(60)
    assert counts(door) == (1, 1, 1)
    assert [reason for reason, _ in door.events(RC)].count("SuccessfulDelete") == 4
    assert door.get(RC, "nginx")["status"]["observedGeneration"] == 3


@pytest.mark.spec("RC-37")
def test_what_is_not_ready_counts_and_what_terminates_does_not():
    door = Door(start="1h")
    door.apply(make())
    door.run(60)
    assert counts(door) == (3, 3, 0)
    door.profile("deaf", "deaf:1", {"onTerm": {"ignore": True}})
    door.apply(make("deaf", image="deaf:1", labels={"app": "deaf"}))
    door.run(30)
    leaving = next(name for name in names(door) if name.startswith("deaf-"))
    door.change("delete", leaving, "Pod")
    door.run(10)
    assert leaving in names(door) and len(names(door)) == 7
    assert counts(door, "deaf") == (3, 3, 3)


@pytest.mark.spec("RC-25", "RC-36", "RC-38")
def test_another_template_changes_no_pod_that_is_there():
    door = started()
    before = uids(door)
    door.change("setImage", "nginx", RC, container="nginx", image="nginx:2")
    door.run(60)
    assert (uids(door), images(door)) == (before, {"nginx:1"})
    door.change("delete", names(door)[0], "Pod")
    door.run(60)
    assert images(door) == {"nginx:1", "nginx:2"}


def test_what_a_quota_refuses_is_told_and_tried_again():
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}}
    door = started({**quota, "spec": {"hard": {"pods": "2"}}}, make())
    (condition,) = door.get(RC, "nginx")["status"]["conditions"]
    assert [condition[part] for part in ("type", "status", "reason")] == [
        "ReplicaFailure",
        "True",
        "FailedCreate",
    ]
    assert ("FailedCreate", f"Error creating: {condition['message']}") in door.events(RC)
    door.change("delete", "few", "ResourceQuota")
    door.run(600)
    assert counts(door) == (3, 3, 3)
    assert "conditions" not in door.get(RC, "nginx")["status"]


def test_it_has_no_rollout():
    door = started()
    for action in ("restart", "pause", "resume", "undo"):
        answer = door.submit("rollout", kind=RC, namespace="default", name="nginx", action=action)
        assert answer.status is not None
        assert answer.status["message"] == "ReplicationController nginx: has no rollout"


# --- deleting, orphaning, adopting ----------------------------------------------------------------------


@pytest.mark.spec("RC-22", "RC-23", "RC-24")
@pytest.mark.parametrize(
    "how, order",
    [
        # kubectl always says what becomes of the pods; who says nothing leaves them.
        ({}, [RC, "Pod", "Pod", "Pod"]),
        ({"options": False}, [RC]),
        ({"propagationPolicy": "Orphan"}, [RC]),
        ({"propagationPolicy": "Background", "options": False}, [RC, "Pod", "Pod", "Pod"]),
        ({"propagationPolicy": "Foreground"}, ["Pod", "Pod", "Pod", RC]),
    ],
)
def test_deletion(how: dict[str, Any], order: list[str]):
    """S35."""
    door = started()
    door.change("delete", "nginx", RC, **how)
    door.run(60)
    gone = [row["kind"] for row in door.rows if row.get("field") == "exists" and row["new"] == "deleted"]
    assert gone == order
    assert owners(door) == [None] * (3 if order == [RC] else 0)
    assert {pod["status"]["phase"] for pod in door.pods()} <= {"Running"}


def test_of_other_kinds_a_deletion_that_says_nothing_takes_the_pods_along():
    replica_set = {**make(), "apiVersion": "apps/v1", "kind": "ReplicaSet"}
    replica_set["spec"]["selector"] = {"matchLabels": LABELS}
    door = started(replica_set)
    door.change("delete", "nginx", "ReplicaSet", options=False)
    assert door.run(60).pods() == []


@pytest.mark.spec("RC-17", "RC-20", "RC-25")
def test_an_heir_takes_the_pods_as_they_are():
    """S35."""
    door = started()
    before = uids(door)
    door.change("delete", "nginx", RC, propagationPolicy="Orphan")
    door.run(5)
    door.apply(make("nginx2", image="nginx:1.25", selector=LABELS))
    door.run(30)
    assert (uids(door), images(door), owners(door)) == (before, {"nginx:1"}, ["nginx2"] * 3)
    # What is owned is left alone, although another looks for the same labels.
    door.apply(make("rival", replicas=1))
    door.run(30)
    assert (counts(door, "nginx2"), counts(door, "rival")) == ((3, 3, 3), (1, 1, 1))
    door.change("delete", "nginx2", RC)
    assert door.run(60).cluster.get(RC, "default", "nginx2") is None
    assert owners(door) == ["rival"]


@pytest.mark.spec("RC-17", "RC-19")
def test_a_pod_made_by_hand_is_taken_and_the_surplus_goes():
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "by-hand", "labels": LABELS}}
    door = started({**pod, "spec": {"containers": [{"name": "nginx", "image": "nginx:0"}]}}, make())
    assert owners(door) == ["nginx"] * 3 and "by-hand" in names(door)
    door.apply(
        {**pod, "metadata": {**pod["metadata"], "name": "late"}, "spec": make()["spec"]["template"]["spec"]}
    )
    door.run(60)
    assert len(names(door)) == 3 and "late" not in names(door)
    assert ("SuccessfulDelete", "Deleted pod: late") in door.events(RC)


@pytest.mark.spec("RC-26")
def test_a_pod_with_other_labels_is_set_apart_and_replaced():
    """S36."""
    door = started(make_service("web", **LABELS), make())
    apart = names(door)[0]
    relabel(door, apart, app="debug")
    door.run(60)
    assert len(names(door)) == 4 and len(ready_endpoints(door)) == 3
    assert door.get("Pod", apart)["status"]["phase"] == "Running"
    assert sorted(map(str, owners(door))) == ["None", "nginx", "nginx", "nginx"]
    assert len(door.events(RC)) == 4


def test_with_another_selector_it_lets_go_and_takes_others():
    """Unlike a ReplicaSet's, its selector may change."""
    door = started(make(replicas=2))
    relabel(door, names(door)[0], track="new")
    free = {"metadata": {"name": "free", "labels": {"app": "nginx", "track": "new"}}}
    spec = make()["spec"]["template"]["spec"]
    door.apply({"apiVersion": "v1", "kind": "Pod", **free, "spec": spec})
    door.run(30)
    assert sorted(map(str, owners(door))) == ["nginx", "nginx"]
    labels = {"app": "nginx", "track": "new"}
    change = {"selector": labels, "template": {"metadata": {"labels": labels}}}
    door.change("patch", "nginx", RC, type="merge", patch={"spec": change})
    door.run(30)
    assert sorted(map(str, owners(door))) == ["None", "nginx", "nginx"]
    # From now on it finds by that selector whom nobody controls.
    late = {"metadata": {"name": "late", "labels": labels}}
    door.apply({"apiVersion": "v1", "kind": "Pod", **late, "spec": spec})
    door.run(60)
    assert ("SuccessfulDelete", "Deleted pod: late") in door.events(RC)


# --- several side by side -------------------------------------------------------------------------------


@pytest.mark.spec("RC-29", "RC-30", "RC-31", "RC-33")
@pytest.mark.parametrize("timing", ["instant", "realistic"])
def test_a_rolling_update_by_hand(timing: str):
    """S37."""
    door = started(
        make_service("web", app="nginx"),
        make("nginx-v1", 3, "nginx:1.14.2", {"app": "nginx", "version": "v1"}),
        timing=timing,
    )
    door.apply(make("nginx-v2", 1, "nginx:1.16.1", {"app": "nginx", "version": "v2"}))
    pairs = []
    for name, replicas in (("v2", 1), ("v1", 2), ("v2", 2), ("v1", 1), ("v2", 3), ("v1", 0)):
        door.change("scale", f"nginx-{name}", RC, replicas=replicas)
        door.run(40)
        pairs.append((counts(door, "nginx-v1")[2], counts(door, "nginx-v2")[2]))
        assert len(ready_endpoints(door)) in (3, 4)
    assert pairs == [(3, 1), (2, 1), (2, 2), (1, 2), (1, 3), (0, 3)]
    door.change("delete", "nginx-v1", RC)
    assert images(door.run(10)) == {"nginx:1.16.1"}


@pytest.mark.spec("RC-32", "RC-33", "RC-34")
def test_release_tracks():
    """S38."""
    shared = {"tier": "frontend", "environment": "prod"}
    door = started(
        make_service("frontend", **shared),
        make("frontend-stable", 9, "web:1", {**shared, "track": "stable"}),
        make("frontend-canary", 1, "web:2", {**shared, "track": "canary"}),
    )
    stable = {
        uid for uid, owner in zip(uids_in_order(door), owners(door), strict=True) if "stable" in str(owner)
    }
    assert (len(stable), len(ready_endpoints(door))) == (9, 10)
    door.change("scale", "frontend-canary", RC, replicas=0)
    door.run(60)
    assert (uids(door), len(ready_endpoints(door))) == (stable, 9)


def uids_in_order(door: Door) -> list[str]:
    return [pod["metadata"]["uid"] for pod in door.pods()]


# --- refusals -------------------------------------------------------------------------------------------

NO_TEMPLATE = {"template": None}
UNLABELLED = {"template": {"spec": {"containers": [{"name": "a", "image": "b"}]}}}
DEEDS = {"template": {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "a", "image": "b"}]}}}


@pytest.mark.spec("RC-13", "RC-14", "RC-18", "RC-42")
@pytest.mark.parametrize(
    "spec, said",
    [
        (NO_TEMPLATE, "spec.template: Required value"),
        (UNLABELLED, "spec.selector: Required value"),
        ({"selector": {"app": "other"}}, "`selector` does not match template `labels`"),
        ({"selector": {"matchLabels": LABELS}}, "spec.selector"),
        (
            {
                "template": {
                    **DEEDS["template"],
                    "spec": {**DEEDS["template"]["spec"], "restartPolicy": "Never"},
                }
            },
            'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        ),
    ],
)
def test_refusals(spec: dict[str, Any], said: str):
    manifest = make(**spec)
    manifest["metadata"]["namespace"] = "default"
    answer = Door().submit("create", object=manifest)
    assert answer.status is not None and not answer.ok
    assert said in answer.status["message"]


# --- saving ---------------------------------------------------------------------------------------------


def story(reload_at: int | None) -> list[dict[str, Any]]:
    door = Door("realistic")
    steps: dict[int, Any] = {
        0: lambda: door.apply(make(minReadySeconds=3)),
        3_000: lambda: door.change("scale", "nginx", RC, replicas=5),
        9_000: lambda: relabel(door, names(door)[0], app="debug"),
        15_000: lambda: door.change("delete", "nginx", RC, options=False),
        18_000: lambda: door.apply(make("heir", 4)),
    }
    for at in sorted({*steps, *([reload_at] if reload_at is not None else [])}):
        door.cluster.run_until(at)
        if at in steps:
            steps[at]()
        if at == reload_at:
            assert door.rows is not None
            door.cluster = Cluster.load(json.loads(json.dumps(door.cluster.save())))
    door.cluster.run_until(60_000)
    return door.rows


@pytest.mark.slow
@pytest.mark.parametrize("reload_at", [500, 4_000, 9_000, 12_345, 18_000])
def test_saving_and_loading_changes_nothing(reload_at: int):
    assert story(reload_at) == story(None)


def test_one_that_was_saved_when_nothing_acted_on_it_is_read_as_one_that_acts():
    data = make()
    data["metadata"]["namespace"] = "default"
    saved = {"pod_specs": [], "objects": [encode(PlainObject.from_json(data))]}
    known = Known(1, 0, Door().cluster.settings, 0, 0, 0, [data])
    (found,) = read_objects(known, saved)
    assert isinstance(found, ReplicationController)
    assert found.spec.selector.matches(LABELS) is False and found.spec.replicas == 3
