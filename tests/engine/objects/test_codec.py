"""What a checkpoint holds comes back the same: to the millisecond, and as widely shared."""

import json
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command
from lifecycle.engine.objects.codec import PodSpecs, decode, encode, share_readings
from lifecycle.engine.objects.condition import Condition
from lifecycle.engine.objects.meta import ObjectMeta, OwnerReference, PlainObject, StoredObject
from lifecycle.engine.objects.node import Node, Taint
from lifecycle.engine.objects.pods.pod import Pod, PodSpec
from lifecycle.engine.objects.pods.status import PodStatus
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet

META = {
    "name": "web",
    "namespace": "default",
    "uid": "uid",
    "labels": {"app": "web"},
    "ownerReferences": [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "b", "controller": True}
    ],
    "creationTimestamp": "1970-01-01T00:00:01Z",
    "managedFields": [{"manager": "kubectl"}],
}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "a", "image": "x"}]}}
WORKLOAD = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
CONDITIONS = [{"type": "Ready", "status": "True", "lastTransitionTime": "1970-01-01T00:00:02Z"}]


def sent(value: Any) -> Any:
    """As plain JSON and back."""
    return json.loads(json.dumps(value))


@pytest.mark.parametrize(
    "cls, data",
    [
        (Deployment, {"kind": "Deployment", "spec": WORKLOAD, "status": {"replicas": 2, "own": [1]}}),
        (ReplicaSet, {"kind": "ReplicaSet", "spec": WORKLOAD, "status": {"conditions": CONDITIONS}}),
        (Node, {"kind": "Node", "spec": {"taints": [{"key": "a"}]}, "status": {"capacity": {"cpu": "4"}}}),
        (PlainObject, {"kind": "ConfigMap", "data": {"a": "b", "list": [1, None]}}),
        (PlainObject, {"kind": "Whale", "apiVersion": "example.com/v1", "spec": {"deep": [{"a": []}]}}),
    ],
    ids=["Deployment", "ReplicaSet", "Node", "ConfigMap", "a kind nobody knows"],
)
def test_objects_come_back(cls: type[StoredObject], data: dict[str, Any]):
    one = cls.from_json({"apiVersion": "v1", "metadata": META, **data})
    again = decode(sent(encode(one)))
    assert type(again) is cls and again == one
    assert again.to_json() == one.to_json()
    assert again.meta.controller == one.meta.controller


@pytest.mark.parametrize(
    "known, shown",
    [
        pytest.param(
            "PodScheduled DisruptionTarget", "PodScheduled DisruptionTarget", id="before a kubelet's"
        ),
        pytest.param(
            "PodScheduled Initialized PodReadyToStartContainers ContainersReady Ready",
            "PodReadyToStartContainers Initialized Ready ContainersReady PodScheduled",
            id="a kubelet's own",
        ),
        pytest.param(
            "PodScheduled Initialized ContainersReady Ready example.com/gate DisruptionTarget",
            "example.com/gate DisruptionTarget Initialized Ready ContainersReady PodScheduled",
            id="behind those of others",
        ),
    ],
)
def test_conditions_of_a_pod_are_listed_as_a_kubelet_writes_them(known: str, shown: str):
    status = PodStatus(conditions=tuple(Condition(type_, "True") for type_ in known.split()))
    assert [one["type"] for one in status.to_json()["conditions"]] == shown.split()


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(Condition("Ready", "True", last_transition_ms=1_234), id="milliseconds are kept"),
        pytest.param((1, (), ("a", None)), id="tuples"),
        pytest.param(["T", "J"], id="a list that looks like a tag"),
        pytest.param({"a": ["R", "Pod"]}, id="a map of such"),
        pytest.param(None, id="nothing"),
        pytest.param("T", id="text"),
        pytest.param(Taint("gpu", "yes", "NoSchedule"), id="a taint"),
        pytest.param(
            ObjectMeta("a", owner_references=(OwnerReference("v1", "Pod", "b", "c", True),), deletion_ms=1),
            id="metadata",
        ),
    ],
)
def test_values_come_back(value: Any):
    assert decode(sent(encode(value))) == value


def test_pods_of_one_template_share_its_reading_again():
    spec, other = PodSpec(TEMPLATE["spec"]), PodSpec(TEMPLATE["spec"])
    pods = [Pod(meta=ObjectMeta(str(number)), spec=one) for number, one in enumerate((spec, other, spec))]
    encoder = PodSpecs()
    data = sent([encoder.encode(pod) for pod in pods])
    assert len(encoder.raws) == 2
    specs = [PodSpec(raw) for raw in sent(encoder.raws)]
    first, second, third = (decode(entry, specs).spec for entry in data)
    assert first is third and first is not second
    assert first == spec


def find_pod(cluster: Cluster) -> Pod:
    name = cluster.list("Pod", "default")[0]["metadata"]["name"]
    found = cluster.find("Pod", "default", name)
    assert isinstance(found, Pod)
    return found


def make_saved() -> dict[str, Any]:
    """A cluster with a Deployment that runs."""
    cluster = Cluster()
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": WORKLOAD}
    assert cluster.submit(Command("c1", "create", {"object": web})).ok
    cluster.run_until(60_000)
    cluster.take_changes()
    return cluster.save()


def test_clusters_that_share_readings_of_a_checkpoint_have_nothing_to_do_with_each_other():
    saved = make_saved()
    shared = share_readings(saved)
    one, other = Cluster.load(shared), Cluster.load(shared)
    assert sent(one.save()) == sent(saved) == sent(other.save())
    assert find_pod(one).status is find_pod(other).status
    # What is worked out in one cluster may be otherwise in another.
    assert find_pod(one).spec.notes is not find_pod(other).spec.notes
    one.submit(Command("c2", "delete", {"kind": "Deployment", "namespace": "default", "name": "web"}))
    one.run_until(120_000)
    assert one.list("Pod", "default") == [] and sent(other.save()) == sent(saved)
    assert sent(Cluster.load(shared).save()) == sent(saved)
