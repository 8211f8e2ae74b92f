"""StatefulSets through the engine's door: history and the way back, what kubectl says, saved clusters."""

import json
from typing import Any

import pytest

from lifecycle.engine import Cluster, Settings
from lifecycle.engine.controllers.stateful_set.decide.rollout_status import decide_rollout_status
from lifecycle.engine.objects.codec import encode
from lifecycle.engine.objects.meta import PlainObject
from lifecycle.engine.objects.workloads.stateful_set import StatefulSet
from lifecycle.engine.upgrades import Known
from tests.engine.controllers.door import Door
from tests.engine.controllers.stateful_sets import Web, make_stateful_set


def started(seconds: float = 30, **spec: Any) -> Door:
    door = Door()
    door.apply(make_stateful_set(claims=False, **spec))
    return door.run(seconds)


def set_image(door: Door, image: str) -> None:
    door.change("setImage", "web", "StatefulSet", container="nginx", image=image)


def images(door: Door) -> list[str]:
    return [pod["spec"]["containers"][0]["image"] for pod in door.pods()]


def roll(door: Door, action: str, **payload: Any) -> Any:
    return door.submit(
        "rollout", kind="StatefulSet", namespace="default", name="web", action=action, **payload
    )


# --- the way back -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.spec("KCTL-20")
@pytest.mark.parametrize("to_revision, image", [(0, "nginx:2"), (1, "nginx:1"), (2, "nginx:2")])
def test_undo_restores_a_template(to_revision: int, image: str):
    door = started()
    for other in ("nginx:2", "nginx:3"):
        set_image(door, other)
        door.run(60)
    door.change("scale", "web", "StatefulSet", replicas=2)
    assert roll(door, "undo", toRevision=to_revision).ok
    door.run(60)
    assert images(door) == [image, image]
    numbers = sorted(one["revision"] for one in door.cluster.list("ControllerRevision"))
    assert numbers == sorted({1, 2, 3} - {to_revision or 2} | {4})


@pytest.mark.spec("KCTL-20")
def test_undo_to_the_present_changes_nothing():
    door = started()
    set_image(door, "nginx:2")
    door.run(60)
    before = door.get("StatefulSet")
    assert roll(door, "undo", toRevision=2).ok
    assert door.get("StatefulSet") == before


@pytest.mark.spec("KCTL-20")
@pytest.mark.parametrize(
    "to_revision, message",
    [(0, "no last revision to roll back to"), (7, "unable to find specified revision 7 in history")],
)
def test_undo_says_what_is_missing(to_revision: int, message: str):
    answer = roll(started(), "undo", toRevision=to_revision)
    assert answer.status is not None and answer.status["message"] == message


@pytest.mark.spec("KCTL-17")
def test_the_history_remembers_causes():
    door = Door()
    manifest = make_stateful_set(1, claims=False)
    manifest["metadata"]["annotations"] = {"kubernetes.io/change-cause": "first"}
    door.apply(manifest)
    door.run(30)
    manifest["metadata"]["annotations"] = {"kubernetes.io/change-cause": "second"}
    manifest["spec"]["template"]["spec"]["containers"][0]["image"] = "nginx:2"
    door.apply(manifest)
    door.run(30)
    found = {
        one["revision"]: one["metadata"]["annotations"]["kubernetes.io/change-cause"]
        for one in door.cluster.list("ControllerRevision")
    }
    assert found == {1: "first", 2: "second"}


def test_a_restart_replaces_all_pods():
    door = started()
    former = {pod["metadata"]["uid"] for pod in door.pods()}
    assert roll(door, "restart").ok
    door.run(60)
    assert not former & {pod["metadata"]["uid"] for pod in door.pods()}


# --- what kubectl says --------------------------------------------------------------------------------------


ROLLING = {"type": "RollingUpdate"}
PARTED = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}


@pytest.mark.spec("STS-UPD-06", "KCTL-12")
@pytest.mark.parametrize(
    "strategy, observed, ready, updated, revisions, text",
    [
        (ROLLING, 0, 0, 0, "aa", "Waiting for statefulset spec update to be observed..."),
        (ROLLING, 1, 3, 3, "aa", "Waiting for statefulset spec update to be observed..."),
        (ROLLING, 2, 1, 3, "aa", "Waiting for 2 pods to be ready..."),
        (
            ROLLING,
            2,
            3,
            1,
            "ab",
            "waiting for statefulset rolling update to complete 1 pods at revision b...",
        ),
        (ROLLING, 2, 3, 3, "bb", "statefulset rolling update complete 3 pods at revision b..."),
        (
            PARTED,
            2,
            3,
            1,
            "ab",
            "Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated...",
        ),
        (PARTED, 2, 3, 2, "ab", "partitioned roll out complete: 2 new pods have been updated..."),
        (
            {"type": "OnDelete"},
            2,
            3,
            1,
            "ab",
            "rollout status is only available for RollingUpdate strategy type",
        ),
    ],
)
def test_the_words_of_kubectl(
    strategy: Any, observed: int, ready: int, updated: int, revisions: str, text: str
):
    status = {
        "observedGeneration": observed,
        "replicas": 3,
        "readyReplicas": ready,
        "currentReplicas": 3,
        "updatedReplicas": updated,
        "currentRevision": revisions[0],
        "updateRevision": revisions[1],
    }
    data = {"metadata": {"name": "web", "generation": 2}, "spec": {"replicas": 3, "updateStrategy": strategy}}
    verdict = decide_rollout_status(StatefulSet.from_json({**data, "status": status}))
    assert verdict.text == text
    assert verdict.is_done == ("complete" in text and "to complete" not in text)
    assert verdict.has_failed == (strategy["type"] == "OnDelete")


# --- saved and taken up -------------------------------------------------------------------------------------


def rows_of(door: Door) -> list[Any]:
    door._rows.clear()
    return list(door.rows)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.5, 31.0, 32.5, 40.0])
def test_a_saved_cluster_has_the_same_future(seconds: float):
    manifest = make_stateful_set(minReadySeconds=2, retention=("Delete", "Delete"))

    def live(is_saved: bool) -> list[Any]:
        door = Door()
        door.apply(manifest)
        door.run(30)
        set_image(door, "nginx:2")
        door.change("scale", "web", "StatefulSet", replicas=2)
        door.run(seconds)
        rows_of(door)
        if is_saved:
            door.cluster = Cluster.load(json.loads(json.dumps(door.cluster.save())))
        set_image(door, "nginx:3")
        door.run(60)
        return rows_of(door)

    assert live(True) == live(False)


def test_a_set_that_an_older_engine_only_stored_is_kept_up_from_here_on():
    cluster = Cluster(settings=Settings(timing="instant"))
    cluster.take_changes()
    saved = json.loads(json.dumps(cluster.save()))
    manifest = make_stateful_set(claims=False)
    manifest["metadata"]["uid"] = "u"
    saved["engine_version"] -= 1
    saved["objects"].append(encode(PlainObject.from_json(manifest)))
    listed = [one for kind in cluster.kinds() for one in cluster.list(kind)]
    seq, version = saved["trace"]["seq"], saved["resource_version"]
    known = Known(1, cluster.epoch_ms, cluster.settings, 0, seq, version, [*listed, manifest])
    taken = Cluster.take_up(known, saved)
    taken.run_until(60_000)
    assert [pod["metadata"]["name"] for pod in taken.list("Pod")] == ["web-0", "web-1", "web-2"]
    found = taken.get("StatefulSet", "default", "web")
    assert found is not None and found["status"]["readyReplicas"] == 3


@pytest.mark.spec("STS-LBL-01", "STS-LBL-02")
def test_a_service_for_one_pod():
    """SC-STS-17."""
    door = started()
    selector = {"statefulset.kubernetes.io/pod-name": "web-1"}
    spec = {"selector": selector, "ports": [{"port": 80}]}
    door.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "one"}, "spec": spec})

    def list_ready() -> list[str]:
        slices = [
            one for one in door.cluster.list("EndpointSlice") if one["metadata"]["name"].startswith("one-")
        ]
        found = [endpoint for one in slices for endpoint in one.get("endpoints") or ()]
        return [one["targetRef"]["uid"] for one in found if one["conditions"]["ready"]]

    door.run(5)
    former = door.get("Pod", "web-1")["metadata"]["uid"]
    assert list_ready() == [former]
    door.done("delete", kind="Pod", namespace="default", name="web-1")
    door.run(60)
    assert list_ready() == [door.get("Pod", "web-1")["metadata"]["uid"]] != [former]
    by_index = [
        pod["metadata"]["name"]
        for pod in door.pods()
        if pod["metadata"]["labels"]["apps.kubernetes.io/pod-index"] == "0"
    ]
    assert by_index == ["web-0"]


@pytest.mark.spec("STS-REPL-01", "STS-REPL-02", "KCTL-21")
@pytest.mark.parametrize("says_replicas, kept", [(True, 3), (False, 5)])
def test_who_says_how_many(says_replicas: bool, kept: int):
    """SC-STS-18: a manifest that says nothing of replicas leaves what was scaled by hand."""
    manifest = make_stateful_set(claims=False)
    if not says_replicas:
        del manifest["spec"]["replicas"]
    door = Door()
    door.apply(manifest)
    door.run(30)
    door.change("scale", "web", "StatefulSet", replicas=5)
    door.run(60)
    assert len(door.pods()) == 5
    door.apply(manifest)
    door.run(60)
    assert len(door.pods()) == kept


# --- what others may write ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "status, message",
    [
        ({"replicas": -1}, "status.replicas: Invalid value: -1: must be greater than or equal to 0"),
        (
            {"replicas": 1, "readyReplicas": 2},
            "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
        ),
        ({"replicas": 3, "availableReplicas": 1}, "cannot be greater than status.readyReplicas"),
    ],
)
def test_a_status_that_cannot_be_is_refused(status: Any, message: str):
    door = started(0)
    empty = dict.fromkeys(("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"))
    patch = {"status": {**empty, **status}}
    named = {"kind": "StatefulSet", "namespace": "default", "name": "web"}
    answer = door.submit("patch", **named, type="merge", subresource="status", patch=patch)
    assert answer.status is not None and message in answer.status["message"]


@pytest.mark.parametrize(
    "content, message",
    [
        ({"revision": -1, "data": {}}, "revision: Invalid value: -1: must be greater than or equal to 0"),
        ({"revision": 1}, "data: Required value: data is mandatory"),
        ({"revision": 1, "data": "text"}, "data: Required value: data must be a valid JSON object"),
    ],
)
def test_a_revision_that_cannot_be_is_refused(content: Any, message: str):
    meta = {"name": "web-1", "namespace": "default"}
    data = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": meta, **content}
    answer = Door().submit("create", object=data)
    assert answer.status is not None
    assert answer.status["message"] == f'ControllerRevision.apps "web-1" is invalid: {message}'


def test_what_a_revision_holds_stays():
    door = started(1)
    (name,) = (one["metadata"]["name"] for one in door.cluster.list("ControllerRevision"))
    named = {"kind": "ControllerRevision", "namespace": "default", "name": name}
    answer = door.submit("patch", **named, type="merge", patch={"data": {"more": 1}})
    assert answer.status is not None and "field is immutable" in answer.status["message"]


@pytest.mark.slow
@pytest.mark.parametrize("template", ["text", {"spec": {"containers": [5]}}, {"spec": "text"}])
def test_revisions_that_nobody_can_read_do_no_harm(template: Any):
    """Somebody writes one, and says that the set is at it."""
    door = started(30, updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 3}})
    meta = {"name": "odd", "namespace": "default", "labels": {"app": "nginx"}}
    content = {"revision": 0, "data": {"spec": {"template": template}}}
    door.done(
        "create", object={"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": meta, **content}
    )
    status = {"status": {"currentRevision": "odd"}}
    door.change("patch", "web", "StatefulSet", type="merge", subresource="status", patch=status)
    door.done("delete", kind="Pod", namespace="default", name="web-0")
    door.run(60)
    assert images(door) == ["nginx:1"] * 3
    # kubectl would send it as it is, and the API server refuses it.
    assert not roll(door, "undo", toRevision=0).ok


@pytest.mark.parametrize(
    "policy, told",
    [
        ("Parallel", ['Delete Pod web-1 in StatefulSet web failed error: pods "web-1" not found']),
        ("OrderedReady", []),
    ],
)
def test_in_parallel_an_update_would_delete_once_more_what_has_ended(policy: str, told: list[str]):
    """The controller goes on with the pods that it saw at first; one that has ended is gone at once."""
    web = Web(make_stateful_set(2, podManagementPolicy=policy, rolling={"partition": 2}))
    web.run(60_000)
    web.change(image="nginx:2")
    pod = web.pod("web-1")
    web.update(pod.with_status(pod.status.replace(phase="Failed", conditions=())))
    web.change(updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 0}})
    assert web.told("FailedDelete") == told
    web.run(60_000)
    assert web.images() == {"web-0": "nginx:2", "web-1": "nginx:2"}
