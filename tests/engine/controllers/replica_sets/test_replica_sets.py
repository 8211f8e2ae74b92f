"""ReplicaSets and the garbage collector in a cluster of controllers alone: SC-RS-*."""

from typing import Any

import pytest

from lifecycle.engine.controllers.replica_set.decide import decide_deletions
from lifecycle.engine.controllers.replica_set.decide.ranking import pods_to_delete
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.engine.controllers.world import World, make_deployment


def make_set(replicas: int = 3, name: str = "frontend", image: str = "gb-frontend:v5") -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name, "labels": {"app": "guestbook"}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"tier": "frontend"}},
            "template": {
                "metadata": {"labels": {"tier": "frontend"}},
                "spec": {"containers": [{"name": "php-redis", "image": image}]},
            },
        },
    }


def make_bare_pod(name: str, **labels: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels or {"tier": "frontend"}},
        "spec": {"containers": [{"name": "hello", "image": "hello-app:2.0"}]},
    }


def started(*manifests: dict[str, Any], **settings: Any) -> World:
    world = World(**settings)
    for manifest in manifests:
        world.apply(manifest)
    world.run(60_000)
    return world


def one_set(world: World, name: str = "frontend") -> ReplicaSet:
    found = world.store.require("ReplicaSet", "default", name)
    assert isinstance(found, ReplicaSet)
    return found


def numbers(world: World, name: str = "frontend") -> tuple[int, int, int]:
    replica_set = one_set(world, name)
    return replica_set.spec.replicas, replica_set.status.replicas, replica_set.status.ready_replicas


@pytest.mark.spec("RS-GEN-01", "RS-GEN-02", "RS-GEN-03", "RS-GEN-04", "RS-GEN-08", "RS-OWN-01", "RS-OWN-02")
def test_a_set_makes_its_pods():
    """SC-RS-01."""
    world = started(make_set())
    replica_set = one_set(world)
    assert numbers(world) == (3, 3, 3)
    created = [f"Created pod: {pod.meta.name}" for pod in world.pods()]
    assert world.events("ReplicaSet") == [message.replace("frontend-", "A-") for message in created]
    for pod in world.pods():
        assert pod.meta.name.startswith("frontend-") and len(pod.meta.name) == len("frontend-") + 5
        assert pod.meta.generate_name == "frontend-"
        assert pod.meta.labels == {"tier": "frontend"}
        assert [entry.to_json() for entry in pod.meta.owner_references] == [
            {
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "name": "frontend",
                "uid": replica_set.meta.uid,
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ]
    status = replica_set.status.to_json()
    assert status["fullyLabeledReplicas"] == status["availableReplicas"] == 3
    assert status["observedGeneration"] == 1


@pytest.mark.spec("RS-ADOPT-01", "RS-ADOPT-02", "RS-ADOPT-04")
def test_bare_pods_beyond_the_size_are_taken_and_deleted():
    """SC-RS-02."""
    world = started(make_set())
    for name in ("pod1", "pod2"):
        world.apply(make_bare_pod(name))
    taken = [pod for pod in world.pods() if pod.meta.name in ("pod1", "pod2")]
    assert [pod.meta.controller.name for pod in taken] == ["frontend"] * 2
    assert all(pod.meta.deletion_ms is not None for pod in taken)
    assert world.events("ReplicaSet", 60_000) == ["Deleted pod: pod1", "Deleted pod: pod2"]
    world.run(5_000)
    assert numbers(world) == (3, 3, 3)
    assert len(world.pods()) == 3


@pytest.mark.spec("RS-ADOPT-05", "RS-ADOPT-02")
def test_bare_pods_from_before_are_counted():
    """SC-RS-03."""
    world = started(make_bare_pod("pod1"), make_bare_pod("pod2"))
    uids = [pod.meta.uid for pod in world.pods()]
    world.apply(make_set())
    world.run(5_000)
    assert numbers(world) == (3, 3, 3)
    assert [pod.meta.uid for pod in world.pods()][:2] == uids
    assert {pod.meta.controller.name for pod in world.pods()} == {"frontend"}
    assert len(world.event_rows("ReplicaSet", "SuccessfulCreate")) == 1


@pytest.mark.spec("RS-ADOPT-03", "RS-ADOPT-07", "DEP-SEL-07")
def test_pods_of_others_are_never_taken():
    world = started(make_set(2, "frontend"), make_set(2, "rival"))
    assert numbers(world) == numbers(world, "rival") == (2, 2, 2)
    assert len(world.pods()) == 4
    other = make_bare_pod("elsewhere")
    other["metadata"]["namespace"] = "other"
    world.apply(other)
    world.run(1_000)
    assert [pod.meta.controller for pod in world.pods() if pod.meta.name == "elsewhere"] == [None]


@pytest.mark.spec("RS-ADOPT-06", "RS-GEN-05", "WL-02")
def test_finished_pods_do_not_count():
    world = started(make_set())
    first = world.pods()[0]
    world.update(first.with_status(first.status.replace(phase="Failed", conditions=())))
    world.run(5_000)
    assert numbers(world) == (3, 3, 3)
    assert len(world.pods()) == 4


@pytest.mark.spec("RS-DEL-01", "RS-DEL-02", "RS-DEL-03", "RS-DEL-04", "RS-DEL-08")
@pytest.mark.parametrize("propagation, first", [("Background", "ReplicaSet"), ("Foreground", "Pod")])
def test_a_deletion_cascades(propagation: str, first: str):
    """SC-RS-04: in the background the set goes first, in the foreground its pods do."""
    world = started(make_set())
    world.delete(one_set(world), propagation)
    world.drain()
    if propagation == "Foreground":
        assert one_set(world).meta.finalizers == ("foregroundDeletion",)
    world.run(5_000)
    gone = [row for row in world.rows if getattr(row, "field", "") == "exists" and row.new == "deleted"]
    assert len(gone) == 4
    assert gone[0].subject.kind == first
    assert len(world.event_rows("ReplicaSet", "SuccessfulCreate")) == 3


@pytest.mark.spec("RS-DEL-04")
def test_a_deployment_in_the_foreground_waits_for_its_whole_tree():
    world = started(make_deployment())
    world.delete(world.deployment(), "Foreground")
    world.run(5_000)
    gone = [
        row.subject.kind
        for row in world.rows
        if getattr(row, "field", "") == "exists" and row.new == "deleted"
    ]
    assert gone == ["Pod", "Pod", "Pod", "ReplicaSet", "Deployment"]


@pytest.mark.spec("RS-DEL-05", "RS-DEL-06", "RS-DEL-07", "RS-GEN-07")
def test_orphans_run_on_and_find_a_successor():
    """SC-RS-05."""
    world = started(make_set())
    before = [(pod.meta.uid, pod.spec) for pod in world.pods()]
    world.delete(one_set(world), "Orphan")
    world.run(1_000)
    assert world.store.count("ReplicaSet") == 0
    assert [pod.meta.owner_references for pod in world.pods()] == [(), (), ()]
    world.apply(make_set(name="frontend2", image="gb-frontend:v6"))
    world.run(1_000)
    assert [(pod.meta.uid, pod.spec) for pod in world.pods()] == before
    assert {pod.meta.controller.name for pod in world.pods()} == {"frontend2"}
    world.delete(world.pods()[0])
    world.run(5_000)
    images = sorted(pod.spec.containers[0].image for pod in world.pods())
    assert images == ["gb-frontend:v5", "gb-frontend:v5", "gb-frontend:v6"]


@pytest.mark.spec("RS-ISO-01", "RS-ISO-02", "RS-ISO-03")
def test_a_relabelled_pod_is_let_go_and_replaced():
    """SC-RS-06."""
    world = started(make_set())
    pod = world.pods()[0]
    world.update(pod.replace(meta=pod.meta.replace(labels={"tier": "debug"})))
    world.run(5_000)
    free = [entry for entry in world.pods() if not entry.meta.owner_references]
    assert [entry.meta.uid for entry in free] == [pod.meta.uid]
    assert free[0].is_ready and free[0].meta.deletion_ms is None
    assert (len(world.pods()), numbers(world)) == (4, (3, 3, 3))
    world.update(free[0].replace(meta=free[0].meta.replace(labels={"tier": "frontend"})))
    world.run(5_000)
    assert (len(world.pods()), numbers(world)) == (3, (3, 3, 3))
    assert {entry.meta.controller.name for entry in world.pods()} == {"frontend"}


@pytest.mark.spec("RS-SCALE-01", "RS-SCALE-02")
def test_scaling_makes_the_number_equal():
    world = started(make_set())
    for size in (5, 1, 0):
        replica_set = one_set(world)
        world.update(replica_set.replace(spec=replica_set.spec.with_numbers(replicas=size)))
        world.run(5_000)
        assert numbers(world) == (size, size, size)
    deleted = world.event_rows("ReplicaSet", "SuccessfulDelete")
    assert len(deleted) == 5


@pytest.mark.spec("DEP-CREATE-11")
def test_a_refused_batch_ends_the_round():
    """Room for two of ten: one passes, of two more one passes, and no batch of four is begun.

    The status of this look has the set looked at once more: one pod is tried then.
    """
    world = World()
    world.limit(pods="2")
    world.apply(make_set(10))
    created = world.event_rows("ReplicaSet", "SuccessfulCreate")
    refused = world.event_rows("ReplicaSet", "FailedCreate")
    assert (len(created), len(refused)) == (2, 2)


@pytest.mark.slow
def test_a_large_set_is_made_in_bursts():
    world = World()
    world.apply(make_set(1201))
    world.run(2_000)
    assert numbers(world) == (1201, 1201, 1201)


def test_scale_down_of_a_large_set_follows_the_whole_ranking():
    """Candidates are gathered by node; the choice is the same as with all pods ranked."""
    world = started(make_set(30))
    tally = next(iter(world.controllers[0]._tally.by_owner.values()))
    controller, replica_set = world.controllers[0], one_set(world)
    for number, pod in enumerate(world.pods()):
        if number % 7 == 0:
            world.set_ready(pod.meta.uid, False)
    now_ms = world.clock.now_ms
    for count in range(1, 30):
        seen = controller.see_surplus(replica_set, tally, count)
        whole = pods_to_delete(world.pods(), tally.nodes, count, now_ms)
        assert pods_to_delete(seen.candidates, seen.related_by_node, count, now_ms) == whole


def test_a_pod_that_has_just_come_is_a_candidate_wherever_it_is():
    """It is ready already, and on the emptier node: where looks gather for long, its coming asked for one."""
    world = started(make_deployment(replicas=0))
    for number, size in ((0, 1), (0, 2), (0, 3), (1, 4)):
        world.run(60_000)
        # The number of a pod says which node it is put on.
        world._made = number
        world.patch("web", replicas=size)
    world.run(2_000)
    (replica_set,), controller, youngest = world.sets(), world.controllers[0], world.pods()[-1]
    controller._gathers_ms = 5_000
    seen = controller.see_surplus(replica_set, controller.tally_of(replica_set), 1)
    assert (youngest.is_ready, youngest.node_name, seen.related_by_node) == (
        True,
        "node-3",
        {"node-2": 3, "node-3": 0},
    )
    (chosen,) = decide_deletions(replica_set, seen, 1, world.clock.now_ms, "")
    assert chosen.pod is youngest


def test_an_object_whose_owner_never_was_is_collected():
    world = started()
    pod = make_bare_pod("lost")
    pod["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "gone", "uid": "no-such-uid"}
    ]
    world.apply(pod)
    world.run(5_000)
    assert world.pods() == []


def test_an_object_with_another_owner_stays():
    second_set = make_set(0, "second")
    second_set["spec"]["selector"] = {"matchLabels": {"tier": "x"}}
    second_set["spec"]["template"]["metadata"]["labels"] = {"tier": "x"}
    world = started(make_set(1), second_set)
    pod = world.pods()[0]
    second = one_set(world, "second").meta
    extra = pod.meta.owner_references[0].replace(name="second", uid=second.uid, controller=False)
    world.update(pod.replace(meta=pod.meta.replace(owner_references=(*pod.meta.owner_references, extra))))
    world.delete(one_set(world))
    world.run(5_000)
    (left,) = world.pods()
    assert [entry.name for entry in left.meta.owner_references] == ["second"]
    assert left.meta.deletion_ms is None
