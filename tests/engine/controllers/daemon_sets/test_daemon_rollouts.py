"""How DaemonSets go from one template to another: room, pace, revisions, and the way back."""

from typing import Any

import pytest

from lifecycle.engine.controllers.daemon_set.decide.rollout_status import decide_rollout_status
from lifecycle.engine.objects.workloads.daemon_set import DaemonSet
from tests.engine.controllers.fleet import AGENT, Fleet, make_agent

CHANGE_CAUSE = "kubernetes.io/change-cause"


def update(fleet: Fleet, image: str = "nginx:2") -> None:
    fleet.change("setImage", AGENT, "DaemonSet", container="nginx", image=image)


def rolling(**room: Any) -> dict[str, Any]:
    return {"type": "RollingUpdate", "rollingUpdate": room}


def images(fleet: Fleet) -> dict[str, str]:
    """The image of every node's pod that is not being deleted."""
    return {
        pod["spec"]["nodeName"]: pod["spec"]["containers"][0]["image"]
        for pod in fleet.pods()
        if "deletionTimestamp" not in pod["metadata"]
    }


def lives(fleet: Fleet, since_ms: int) -> list[tuple[int, str, str]]:
    """(instant, node, what) of pods: `made`, `ready`, `told to end`, `gone`."""
    nodes = {row["name"]: row["new"] for row in fleet.rows if row.get("field") == "node"}
    words = {
        ("exists", "created"): "made",
        ("condition.Ready", "True"): "ready",
        ("deletion", "requested"): "told to end",
        ("exists", "deleted"): "gone",
    }
    return [
        (row["at_ms"], nodes[row["name"]], words[row["field"], row["new"]])
        for row in fleet.rows
        if row["kind"] == "Pod" and (row.get("field"), row.get("new")) in words and row["at_ms"] >= since_ms
    ]


# --- room ---------------------------------------------------------------------------------------------------


@pytest.mark.spec("DS-UPD-04", "DS-UPD-05")
def test_by_default_one_node_after_the_other_is_without_its_pod():
    fleet = Fleet(timing="realistic")
    fleet.apply(make_agent())
    fleet.run(30)
    since = fleet.cluster.now_ms
    update(fleet)
    fleet.run(120)
    assert [new for at, new in fleet.lane("DaemonSet", "updatedNumberScheduled") if at >= since] == [
        0,
        1,
        2,
        3,
    ]
    assert min(new for at, new in fleet.lane("DaemonSet", "numberAvailable") if at >= since) == 2
    steps = [(node, what) for _at, node, what in lives(fleet, since)]
    order = list(dict.fromkeys(node for node, _what in steps))
    for node in order:
        # The old pod goes, the new one is made before the old one's object is gone, but not before its end.
        assert [what for where, what in steps if where == node] == ["told to end", "made", "gone", "ready"]
    assert [node for node, _what in steps] == sorted((node for node, _what in steps), key=order.index)


@pytest.mark.slow
@pytest.mark.spec("DS-UPD-04")
@pytest.mark.parametrize(
    "room, at_once",
    [("50%", 2), ("34%", 2), ("1%", 1), (3, 3)],
)
def test_percentages_of_nodes_round_up(room: int | str, at_once: int):
    fleet = Fleet()
    fleet.apply(make_agent(updateStrategy=rolling(maxUnavailable=room)))
    fleet.run(5)
    since = fleet.cluster.now_ms
    update(fleet)
    fleet.run(0)
    assert len([one for one in lives(fleet, since) if one[2] == "told to end"]) == at_once
    fleet.run(60)
    assert fleet.count("updatedNumberScheduled") == 3


@pytest.mark.spec("DS-UPD-04", "DS-UPD-05")
def test_with_surge_new_pods_are_available_before_old_ones_go():
    fleet = Fleet()
    fleet.apply(make_agent(updateStrategy=rolling(maxSurge=1, maxUnavailable=0), minReadySeconds=4))
    fleet.run(20)
    since = fleet.cluster.now_ms
    update(fleet)
    fleet.run(60)
    assert set(images(fleet).values()) == {"nginx:2"}
    assert [new for at, new in fleet.lane("DaemonSet", "numberUnavailable") if at >= since] == []
    steps = lives(fleet, since)
    for node in ("node-1", "node-2", "node-3"):
        at = {what: at_ms for at_ms, where, what in steps if where == node}
        assert at["made"] < at["ready"] <= at["told to end"] - 4000
    made = [at_ms for at_ms, _node, what in steps if what == "made"]
    ended = [at_ms for at_ms, _node, what in steps if what == "told to end"]
    # One beyond the nodes at a time.
    assert all(ended[number] <= made[number + 1] for number in range(2))


@pytest.mark.spec("DS-UPD-05")
def test_with_surge_an_old_pod_that_is_not_ready_goes_as_soon_as_there_is_a_new_one():
    fleet = Fleet()
    never = {"podline.dev/behavior": "nginx: {probes: {readiness: [{at: 0s, result: failure}]}}"}
    manifest = make_agent(updateStrategy=rolling(maxSurge=1, maxUnavailable=0))
    manifest["spec"]["template"]["metadata"]["annotations"] = never
    manifest["spec"]["template"]["spec"]["containers"][0]["readinessProbe"] = {"exec": {"command": ["x"]}}
    fleet.apply(manifest)
    fleet.run(20)
    assert fleet.count("numberReady") == 0
    update(fleet)
    fleet.run(5)
    # No surge is needed where nothing is available: all nodes at once.
    assert images(fleet) == dict.fromkeys(("node-1", "node-2", "node-3"), "nginx:2")


@pytest.mark.spec("DS-UPD-05")
def test_a_bad_template_stops_at_what_may_be_unavailable_and_the_way_back_is_free():
    fleet = Fleet(nodes=5)
    fleet.apply(make_agent(updateStrategy=rolling(maxUnavailable=2)))
    fleet.run(5)
    update(fleet, "nginx:1.161")
    fleet.run(300)
    assert (fleet.count("updatedNumberScheduled"), fleet.count("numberAvailable")) == (2, 3)
    assert sorted(images(fleet).values()) == ["nginx:1"] * 3 + ["nginx:1.161"] * 2
    fleet.change("rollout", AGENT, "DaemonSet", action="undo")
    fleet.run(60)
    assert (fleet.count("updatedNumberScheduled"), fleet.count("numberAvailable")) == (5, 5)
    assert set(images(fleet).values()) == {"nginx:1"}
    # Back to the template of the first: that revision is now the latest.
    assert sorted(fleet.revisions()) == [2, 3]
    assert {pod["metadata"]["labels"]["pod-template-generation"] for pod in fleet.pods()} == {"1", "3"}


@pytest.mark.spec("DS-UPD-05")
def test_a_new_pod_counts_when_it_was_ready_for_long_enough():
    fleet = Fleet()
    fleet.apply(make_agent(minReadySeconds=10))
    fleet.run(60)
    since = fleet.cluster.now_ms
    update(fleet)
    fleet.run(60)
    ended = [at - since for at, _node, what in lives(fleet, since) if what == "told to end"]
    # Each 1 s to start, and 10 s of being ready.
    assert ended == [0, 11_000, 22_000]


@pytest.mark.spec("DS-UPD-06")
def test_on_delete_leaves_pods_until_somebody_deletes_them():
    fleet = Fleet()
    fleet.apply(make_agent(updateStrategy={"type": "OnDelete"}))
    fleet.run(5)
    update(fleet)
    fleet.run(60)
    assert (set(images(fleet).values()), fleet.count("updatedNumberScheduled")) == ({"nginx:1"}, 0)
    name = next(pod["metadata"]["name"] for pod in fleet.pods() if pod["spec"]["nodeName"] == "node-2")
    fleet.change("delete", name, "Pod")
    fleet.run(10)
    assert images(fleet) == {"node-1": "nginx:1", "node-2": "nginx:2", "node-3": "nginx:1"}
    assert fleet.count("updatedNumberScheduled") == 1
    fleet.change(
        "patch",
        AGENT,
        "DaemonSet",
        type="merge",
        patch={"spec": {"updateStrategy": {"type": "RollingUpdate"}}},
    )
    fleet.run(60)
    assert set(images(fleet).values()) == {"nginx:2"}


# --- history ------------------------------------------------------------------------------------------------


@pytest.mark.spec("DS-UPD-05")
def test_templates_are_counted_and_kept_as_revisions():
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    data = fleet.get("DaemonSet", AGENT)
    assert data["metadata"]["annotations"] == {"deprecated.daemonset.template.generation": "1"} | {
        name: text for name, text in data["metadata"]["annotations"].items() if "last-applied" in name
    }
    (first,) = fleet.cluster.list("ControllerRevision")
    digest = first["metadata"]["labels"]["controller-revision-hash"]
    assert first["metadata"]["name"] == f"{AGENT}-{digest}"
    assert first["metadata"]["labels"] == {"app": "agent", "controller-revision-hash": digest}
    assert first["metadata"]["annotations"] == data["metadata"]["annotations"]
    assert first["data"]["spec"]["template"]["$patch"] == "replace"
    assert first["metadata"]["ownerReferences"][0]["uid"] == data["metadata"]["uid"]
    update(fleet)
    # What is no template makes no revision and is not counted; nobody sets the count.
    patch = {
        "metadata": {"annotations": {"deprecated.daemonset.template.generation": "77"}},
        "spec": {"minReadySeconds": 1},
    }
    fleet.change("patch", AGENT, "DaemonSet", type="merge", patch=patch)
    fleet.run(60)
    meta = fleet.get("DaemonSet", AGENT)["metadata"]
    assert (meta["generation"], meta["annotations"]["deprecated.daemonset.template.generation"]) == (3, "2")
    assert fleet.revisions() == [1, 2]
    assert {pod["metadata"]["labels"]["controller-revision-hash"] for pod in fleet.pods()} == {
        fleet.digests()[1]
    }
    assert {pod["metadata"]["labels"]["pod-template-generation"] for pod in fleet.pods()} == {"2"}


@pytest.mark.parametrize("text", ["x", "", "1.0", "9" * 30])
def test_a_count_that_is_no_number_is_refused(text: str):
    fleet = Fleet()
    manifest = make_agent()
    manifest["metadata"]["annotations"] = {"deprecated.daemonset.template.generation": text}
    result = fleet.submit("create", object=manifest)
    assert (result.code, (result.status or {})["reason"]) == (400, "BadRequest")
    assert "deprecated.daemonset.template.generation" in (result.status or {})["message"]


@pytest.mark.slow
@pytest.mark.spec("DS-UPD-05")
@pytest.mark.parametrize("limit, kept", [(2, [4, 5, 6]), (0, [6]), (10, [1, 2, 3, 4, 5, 6])])
def test_former_revisions_are_kept_up_to_the_limit(limit: int, kept: list[int]):
    fleet = Fleet()
    fleet.apply(make_agent(revisionHistoryLimit=limit))
    fleet.run(5)
    for number in range(2, 7):
        update(fleet, f"nginx:{number}")
        fleet.run(60)
    assert fleet.revisions() == kept


def test_a_revision_that_pods_are_of_stays_beyond_the_limit():
    fleet = Fleet()
    fleet.apply(make_agent(revisionHistoryLimit=1, updateStrategy={"type": "OnDelete"}))
    fleet.run(5)
    for number in range(2, 6):
        update(fleet, f"nginx:{number}")
        fleet.run(10)
    # The first is in use, and counts: of those that are not, none fits beside it.
    assert fleet.revisions() == [1, 5]


@pytest.mark.spec("KCTL-20")
def test_an_undo_goes_to_the_revision_that_is_asked_for():
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    for number in (2, 3):
        update(fleet, f"nginx:{number}")
        fleet.run(60)
    fleet.change("rollout", AGENT, "DaemonSet", action="undo", toRevision=1)
    fleet.run(60)
    assert set(images(fleet).values()) == {"nginx:1"}
    assert sorted(fleet.revisions()) == [2, 3, 4]
    refused = fleet.submit(
        "rollout", kind="DaemonSet", namespace="default", name=AGENT, action="undo", toRevision=9
    )
    assert (refused.status or {})["message"] == "unable to find specified revision 9 in history"
    paused = fleet.submit("rollout", kind="DaemonSet", namespace="default", name=AGENT, action="pause")
    assert (paused.status or {})["message"] == "DaemonSet agent: cannot pause, only restart or undo"


def test_a_restart_replaces_all_pods():
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    before = [pod["metadata"]["uid"] for pod in fleet.pods()]
    fleet.change("rollout", AGENT, "DaemonSet", action="restart")
    fleet.run(60)
    assert len(fleet.pods()) == 3
    assert not set(before) & {pod["metadata"]["uid"] for pod in fleet.pods()}
    assert all("kubectl.kubernetes.io/restartedAt" in pod["metadata"]["annotations"] for pod in fleet.pods())


def test_a_revision_of_somebody_else_by_the_same_name_leads_to_another_name():
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    taken = fleet.cluster.list("ControllerRevision")[0]["metadata"]["name"]
    fleet.change("delete", AGENT, "DaemonSet")
    fleet.run(60)
    fleet.done("create", object={
        "apiVersion": "apps/v1", "kind": "ControllerRevision", "data": {"spec": {}}, "revision": 1,
        "metadata": {"name": taken, "namespace": "default"},
    })  # fmt: skip
    fleet.apply(make_agent())
    fleet.run(10)
    assert (fleet.count("collisionCount"), fleet.count("numberReady")) == (1, 3)
    own = fleet.cluster.list("ControllerRevision")[1]
    assert own["metadata"]["name"] != taken
    # Another look at the same template finds it again.
    fleet.label("node-1", zone="a")
    fleet.change("patch", AGENT, "DaemonSet", type="merge", patch={"spec": {"minReadySeconds": 1}})
    fleet.run(10)
    assert (len(fleet.cluster.list("ControllerRevision")), fleet.count("collisionCount")) == (2, 1)


def test_equal_revisions_become_one_and_pods_are_relabelled():
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    (first,) = fleet.cluster.list("ControllerRevision")
    labels = {**first["metadata"]["labels"], "controller-revision-hash": "other"}
    fleet.done("create", object={
        "apiVersion": "apps/v1", "kind": "ControllerRevision", "data": first["data"], "revision": 5,
        "metadata": {"name": "agent-other", "namespace": "default", "labels": labels},
    })  # fmt: skip
    fleet.run(10)
    (kept,) = fleet.cluster.list("ControllerRevision")
    assert (kept["metadata"]["name"], kept["revision"]) == ("agent-other", 5)
    assert {pod["metadata"]["labels"]["controller-revision-hash"] for pod in fleet.pods()} == {"other"}
    assert len(fleet.pods()) == fleet.count("updatedNumberScheduled") == 3


def test_a_quota_without_room_for_a_revision_stops_everything():
    fleet = Fleet()
    fleet.quota(**{"count/controllerrevisions.apps": "0"})
    fleet.apply(make_agent())
    fleet.run(10)
    assert (fleet.pods(), fleet.count("desiredNumberScheduled")) == ([], 0)
    fleet.quota()
    fleet.run(30)
    assert fleet.count("numberReady") == 3


# --- what kubectl says --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields, text",
    [
        (
            {"metadata": {"name": "agent", "generation": 2}},
            "Waiting for daemon set spec update to be observed...",
        ),
        (
            {"status": {"desiredNumberScheduled": 3, "updatedNumberScheduled": 1}},
            'Waiting for daemon set "agent" rollout to finish: 1 out of 3 new pods have been updated...',
        ),
        (
            {"status": {"desiredNumberScheduled": 3, "updatedNumberScheduled": 3, "numberAvailable": 2}},
            'Waiting for daemon set "agent" rollout to finish: 2 of 3 updated pods are available...',
        ),
        (
            {"status": {"desiredNumberScheduled": 3, "updatedNumberScheduled": 3, "numberAvailable": 3}},
            'daemon set "agent" successfully rolled out',
        ),
        (
            {"spec": {"updateStrategy": {"type": "OnDelete"}}},
            "rollout status is only available for RollingUpdate strategy type",
        ),
    ],
)
def test_rollout_status(fields: dict[str, Any], text: str):
    manifest = {
        "metadata": {"name": "agent"},
        "spec": {"updateStrategy": {"type": "RollingUpdate"}},
        **fields,
    }
    found = decide_rollout_status(DaemonSet.from_json(manifest))
    assert found.text == text
    assert found.is_done == ("successfully" in text)
    assert found.has_failed == ("only available" in text)
