"""Whom owners take and let go, and the look at one key that all controllers of owners share."""

import re
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.controllers.owner.decide import decide_claims
from lifecycle.engine.controllers.owner.orphans import Free, Orphans
from lifecycle.engine.controllers.replica_set.decide import decide_batch_size
from lifecycle.engine.heart.trace import EventRow
from lifecycle.engine.objects.kinds import kind_for
from lifecycle.engine.objects.meta import ObjectMeta, OwnerReference, PlainObject, StoredObject
from lifecycle.engine.objects.selector import Selector
from lifecycle.engine.rules.actions import Update
from tests.engine.controllers.replica_sets.test_replica_sets import (
    make_bare_pod,
    make_set,
    numbers,
    one_set,
    started,
)
from tests.engine.controllers.world import World, make_deployment

SELECTOR = Selector({"matchLabels": {"app": "web"}})
OURS = OwnerReference("batch/v1", "Job", "web", "owner", True, True)
OTHERS = OwnerReference("batch/v1", "Job", "rival", "rival", True, True)
PLAIN = OwnerReference("v1", "ConfigMap", "config", "config")


def make(name: str, references: tuple[OwnerReference, ...] = (), **fields: Any) -> PlainObject:
    fields = {"labels": {"app": "web"}, "namespace": "default", **fields}
    return PlainObject(kind_for("", "Pod"), ObjectMeta(name, uid=name, owner_references=references, **fields))


def make_owner(**fields: Any) -> PlainObject:
    meta = ObjectMeta("web", "default", "owner", **fields)
    return PlainObject(kind_for("", "Job"), meta)


@pytest.mark.spec("RS-ADOPT-01", "RS-ADOPT-03", "RS-ISO-01", "DEP-SEL-03")
@pytest.mark.parametrize(
    "dependent, expected",
    [
        pytest.param(make("a"), (OURS,), id="an orphan that matches is adopted"),
        pytest.param(make("a", (PLAIN,)), (PLAIN, OURS), id="owners that do not control stay"),
        pytest.param(
            make("a", (OURS.replace(controller=False),)), (OURS,), id="a plain reference becomes controlling"
        ),
        pytest.param(make("a", labels={"app": "db"}), None, id="an orphan that does not match"),
        pytest.param(make("a", deletion_ms=5), None, id="an orphan that is being deleted"),
        pytest.param(make("a", namespace="other"), None, id="an orphan elsewhere"),
        pytest.param(make("a", (OTHERS,)), None, id="somebody else's"),
        pytest.param(make("a", (OURS,)), None, id="its own already"),
        pytest.param(make("a", (PLAIN, OURS), labels={}), (PLAIN,), id="its own, no match: released"),
        pytest.param(make("a", (OTHERS,), labels={}), None, id="somebody else's that does not match"),
    ],
)
def test_claims(dependent: StoredObject, expected: tuple[OwnerReference, ...] | None):
    actions = decide_claims(make_owner(), SELECTOR, [dependent], [dependent])
    assert all(isinstance(action, Update) for action in actions)
    found = [action.new.meta.owner_references for action in actions]
    assert found == ([expected] if expected is not None else [])


@pytest.mark.parametrize("dependent", [make("a"), make("a", (OURS,), labels={})], ids=["adopt", "release"])
def test_an_owner_that_is_being_deleted_claims_nothing(dependent: StoredObject):
    """ControllerRefManager looks at the owner again, and leaves its dependents to the garbage collector."""
    assert decide_claims(make_owner(deletion_ms=5), SELECTOR, [dependent], [dependent]) == []


def test_orphans_are_noted_for_whom_they_match_and_taken_once():
    objects = {
        name: make(name, labels={"app": app}) for name, app in (("a", "web"), ("b", "db"), ("c", "web"))
    }
    free = Free()
    for one in objects.values():
        free.follow(None, one)
    orphans = Orphans(objects.get, free.list)
    orphans.file(make_owner(), SELECTOR)
    assert [one.meta.name for one in orphans.take("owner")] == ["a", "c"]
    assert orphans.take("owner") == []
    late = objects["late"] = make("late")
    assert orphans.note(late) == ["web"]
    assert orphans.note(make("elsewhere", namespace="other")) == []
    del objects["late"]
    assert orphans.take("owner") == []
    orphans.forget("owner")
    assert orphans.note(late) == []


def test_what_is_controlled_is_free_no_more():
    free, one = Free(), make("a")
    free.follow(None, one)
    taken = one.replace(meta=one.meta.replace(owner_references=(OURS,)))
    free.follow(one, taken)
    assert list(free.list("default")) == []
    free.follow(taken, one)
    assert list(free.list("default")) == ["a"]
    free.follow(one, None)
    assert list(free.list("default")) == []


@pytest.mark.spec("RS-DEL-04")
def test_a_set_that_is_being_deleted_lets_no_pod_go():
    world = started(make_set())
    held = one_set(world)
    world.update(held.replace(meta=held.meta.replace(finalizers=("example.com/hold",))))
    world.delete(one_set(world))
    pod = world.pods()[0]
    world.update(pod.replace(meta=pod.meta.replace(labels={"tier": "debug"})))
    world.apply(make_bare_pod("late"))
    world.run(5_000)
    assert [(one.meta.name, one.meta.controller is None) for one in world.pods()][-1] == ("late", True)
    assert sum(one.meta.controller is not None for one in world.pods()) == 3


def test_batches_of_creations_double():
    sizes, calls = [], 0
    while size := decide_batch_size(20, calls, was_refused=False):
        sizes.append(size)
        calls += size
    assert sizes == [1, 2, 4, 8, 5]


def test_a_refused_batch_is_whole_and_the_last():
    """Room for four of ten: 1 and 2 pass, of the batch of four one passes, no further batch is begun.

    The status of this look has the set looked at once more: one pod is tried then.
    """
    world = World()
    world.limit(pods="4")
    world.apply(make_set(10))
    refused = world.event_rows("ReplicaSet", "FailedCreate")
    assert (len(world.pods()), len(refused)) == (4, 3 + 1)
    assert numbers(world)[:2] == (10, 4)
    (condition,) = one_set(world).status.conditions
    assert (condition.type, condition.reason) == ("ReplicaFailure", "FailedCreate")
    assert re.match('pods "frontend-[a-z0-9]{5}" is forbidden: exceeded quota', condition.message or "")
    assert [f"Error creating: {condition.message}"] == [row.message for row in refused][:1]


@pytest.mark.parametrize(
    "controller, namespace, name, subject, source",
    [
        ("deployment", "default", "web", "Deployment", "deployment-controller"),
        ("replicaset", "default", "web-set", "ReplicaSet", "replicaset-controller"),
        ("replicationcontroller", "default", "web-rc", "ReplicationController", "replication-controller"),
        ("endpointslice", "default", "web-service", "Service", "endpoint-slice-controller"),
        ("nodeTaints", "", "node-1", "Node", "node-controller"),
        ("resourceQuota", "", "default", "Namespace", "resourcequota-controller"),
        ("garbage", "", "uid of web", "Deployment", "garbage-collector-controller"),
    ],
)
def test_every_controller_says_which_object_does_not_rest(
    controller: str, namespace: str, name: str, subject: str, source: str
):
    cluster = Cluster(settings=Settings(timing="instant"))
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web-service"}}
    service["spec"] = {"ports": [{"port": 80}]}
    older = {**make_set(0, "web-rc"), "apiVersion": "v1", "kind": "ReplicationController"}
    older["spec"] = {**older["spec"], "selector": {"tier": "frontend"}}
    for number, data in enumerate([make_deployment(0), make_set(0, "web-set"), older, service]):
        data["metadata"]["namespace"] = "default"
        assert cluster.submit(Command(f"c{number}", "create", {"object": data})).ok
    if name == "uid of web":
        name = cluster.get("Deployment", "default", "web")["metadata"]["uid"]
    cluster.take_changes()
    # As the loop tells of a key that it looked at too often.
    cluster._context.loop.on_hot_key((controller, namespace, name), 5)
    (row,) = [row for row in cluster.take_changes().rows if isinstance(row, EventRow)]
    assert (row.subject.kind, row.reason, row.source) == (subject, "SyncBackOff", source)
    assert row.message == "looked at more than 100 times within one instant; again in 5 ms"
