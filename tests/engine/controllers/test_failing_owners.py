"""Owners whose looks fail: who is told, when they are looked at again, and what outlives them."""

import json
from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.engine.store.audience import DETAIL
from tests.engine.api.desk import make_deployment
from tests.engine.controllers.door import Door
from tests.engine.controllers.fleet import AGENT, Fleet, make_agent
from tests.engine.controllers.replica_sets.test_replica_sets import make_set


def limit(door: Door, pods: str) -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}}
    door.apply({**quota, "spec": {"hard": {"pods": pods}}})


def forbid(door: Door, operation: str, *resources: str) -> None:
    """Have a policy refuse it to whomever."""
    from tests.engine.api.test_admission_policies import ANY, make_binding, make_policy

    rule = {**ANY, "operations": [operation], "resources": list(resources)}
    for one in (make_policy({"expression": "false"}, rules=[rule]), make_binding()):
        door.done("create", object=one)


def count_failures(cluster: Cluster, controller: str, name: str) -> int:
    return cluster._context.loop.count_retries(controller, "default", name)


def note(door: Door, pod: str) -> None:
    """Write to a pod what nobody counts."""
    patch = {"metadata": {"annotations": {"note": "x"}}}
    door.change("patch", pod, "Pod", type="merge", patch=patch)


def refused_ms(door: Door) -> list[int]:
    return [row["at_ms"] for row in door.rows if row.get("reason") == "FailedCreate"]


def test_a_loaded_cluster_tells_failing_owners_of_writes_to_their_pods_too():
    door = Door(timing="realistic")
    limit(door, "1")
    door.apply(make_set(2))
    door.run(60).cluster.take_changes()
    live, failures = door.cluster, count_failures(door.cluster, "replicaset", "frontend")
    loaded = Cluster.load(json.loads(json.dumps(live.save())))
    histories = []
    for cluster in (live, loaded):
        door.cluster, door._numbers = cluster, 10
        note(door, door.pods()[0]["metadata"]["name"])
        door.run(1)
        histories.append([row_to_json(row) for row in cluster.take_changes().rows])
        assert count_failures(cluster, "replicaset", "frontend") > failures
    assert histories[0] == histories[1]


def test_owners_are_told_of_every_write_to_their_pods_only_while_some_fail():
    door = Door()
    store = door.cluster._store
    at_rest = store._audience_of("Pod")[DETAIL]
    limit(door, "1")
    door.apply(make_set(2))
    door.apply(make_set(2, "other"))
    assert len(store._audience_of("Pod")[DETAIL]) == len(at_rest) + 1
    door.change("delete", "other", "ReplicaSet")
    assert len(store._audience_of("Pod")[DETAIL]) == len(at_rest) + 1, "one of the two still fails"
    limit(door, "9")
    door.run(2_000)
    assert len(door.pods()) == 2
    assert store._audience_of("Pod")[DETAIL] == at_rest


@pytest.mark.parametrize("again_s", [1, 400], ids=["while a retry waits", "long after it"])
def test_an_owner_made_again_has_not_failed_yet(again_s: int):
    """The event of its end has the key looked at: syncReplicaSet returns nil, and the queue forgets it."""
    door = Door(timing="realistic")
    limit(door, "0")
    door.apply(make_set(1))
    door.run(60)
    door.change("delete", "frontend", "ReplicaSet")
    door.run(again_s)
    assert count_failures(door.cluster, "replicaset", "frontend") == 0
    seen = len(refused_ms(door))
    door.apply(make_set(1))
    door.run(1)
    # 5 ms, 10 ms, 20 ms, …: with 15 failures behind it the first retry would come after 164 s.
    assert len(refused_ms(door)) - seen > 5


def test_an_owner_that_a_policy_refuses_is_looked_at_for_what_it_wrote_and_for_writes_to_its_pods():
    fleet = Fleet(1)
    fleet.apply(make_agent(revisionHistoryLimit=0, updateStrategy={"type": "OnDelete"}))
    fleet.run(10)
    forbid(fleet, "DELETE", "controllerrevisions")

    def update(image: str) -> None:
        patch: Any = [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": image}]
        fleet.change("patch", AGENT, "DaemonSet", type="json", patch=patch)

    update("nginx:2")
    fleet.run(1)
    assert count_failures(fleet.cluster, "daemonset", AGENT) == 0, "its pod is of the first revision"
    update("nginx:3")
    # It makes the third revision, may not delete the second, and looks once more for having made the third.
    assert count_failures(fleet.cluster, "daemonset", AGENT) == 2
    fleet.run(60)
    failures = count_failures(fleet.cluster, "daemonset", AGENT)
    note(fleet, fleet.pods()[0]["metadata"]["name"])
    assert count_failures(fleet.cluster, "daemonset", AGENT) == failures + 1


def test_what_a_policy_refuses_is_retried_as_the_kind_does():
    """A Deployment gives up after 15 retries; a namespace that goes waits for a minute at most."""
    door = Door()
    deployment = make_deployment()
    deployment["spec"]["revisionHistoryLimit"] = 0
    door.apply(deployment)
    door.done("create", object={"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}})
    door.run(5)
    forbid(door, "DELETE", "replicasets", "configmaps")
    door.change("setImage", container="app", image="nginx:2")
    door.done("delete", kind="Namespace", name="other", namespace="")
    loop, tries = door.cluster._context.loop, {"deployment": 0, "namespaces": 0}
    for at_s in range(5, 600, 5):
        door.cluster.run_until(at_s * 1000)
        for controller, namespace, name in (("deployment", "default", "web"), ("namespaces", "", "other")):
            failures = loop.count_retries(controller, namespace, name)
            tries[controller] = max(tries[controller], failures)
    assert tries["deployment"] == 15 and count_failures(door.cluster, "deployment", "web") == 0
    # It doubled from 5 ms for 13 times, which took 41 s, and was refused each minute for 555 s then.
    assert tries["namespaces"] == 14 + 9
