"""Classes of priority and of runtimes, as the API server's admission knows them."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine import Cluster, Command
from lifecycle.engine.api.commands import Result

POD = {"containers": [{"name": "app", "image": "nginx"}]}


class World:
    def __init__(self) -> None:
        self.cluster = Cluster()
        self.count = 0

    def submit(self, verb: str, **payload: Any) -> Result:
        self.count += 1
        return self.cluster.submit(Command(str(self.count), verb, payload))

    def create(self, api_version: str, kind: str, name: str, **fields: Any) -> Result:
        data = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields}
        return self.submit("create", object=data)

    def pod(self, name: str = "p", **spec: Any) -> Result:
        return self.create("v1", "Pod", name, spec={**POD, **spec})

    def priority(self, name: str, value: int, **fields: Any) -> Result:
        return self.create("scheduling.k8s.io/v1", "PriorityClass", name, value=value, **fields)

    def runtime(self, name: str, **fields: Any) -> Result:
        return self.create("node.k8s.io/v1", "RuntimeClass", name, handler="runsc", **fields)


def said(result: Result) -> str:
    return str((result.status or {}).get("message"))


@pytest.mark.parametrize(
    "spec, text",
    [
        ({"priorityClassName": "high"}, "no PriorityClass with name high was found"),
        ({"runtimeClassName": "gvisor"}, 'pod rejected: RuntimeClass "gvisor" not found'),
        (
            {"priorityClassName": "system-node-critical", "priority": 5},
            "the integer value of priority (5) must not be provided in pod spec; priority admission"
            " controller computed 2000001000 from the given PriorityClass name",
        ),
        (
            {"overhead": {"cpu": "1"}},
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ),
    ],
)
def test_a_pod_is_refused_for_its_classes(spec: dict[str, Any], text: str) -> None:
    refused = World().pod(**spec)
    assert (refused.code, said(refused)) == (403, f'pods "p" is forbidden: {text}')


def test_a_class_gives_its_value_and_policy() -> None:
    world = World()
    assert world.priority("batch", 7, preemptionPolicy="Never").ok
    spec = (world.pod(priorityClassName="batch").object or {})["spec"]
    assert (spec["priority"], spec["preemptionPolicy"]) == (7, "Never")
    system = (world.pod("q", priorityClassName="system-cluster-critical").object or {})["spec"]
    assert system["priority"] == 2_000_000_000


def test_the_classes_that_all_clusters_have_say_what_they_are_for() -> None:
    found = World().cluster.list("PriorityClass", None)
    assert {one["metadata"]["name"]: one["description"].split(" must ")[1] for one in found} == {
        "system-cluster-critical": "run in the cluster, but can be moved to another node if necessary.",
        "system-node-critical": "not be moved from their current node.",
    }


def test_a_class_for_all_is_given_to_pods_that_name_none() -> None:
    world = World()
    assert world.pod("before").ok
    assert world.priority("usual", 3, globalDefault=True).ok
    spec = (world.pod("after").object or {})["spec"]
    assert (spec["priorityClassName"], spec["priority"]) == ("usual", 3)


def test_a_runtime_class_brings_its_costs_and_its_nodes() -> None:
    world = World()
    scheduling = {
        "nodeSelector": {"sandboxed": "yes"},
        "tolerations": [{"key": "gvisor", "operator": "Exists"}],
    }
    assert world.runtime("gvisor", overhead={"podFixed": {"cpu": "250m"}}, scheduling=scheduling).ok
    spec = (world.pod(runtimeClassName="gvisor", nodeSelector={"a": "b"}).object or {})["spec"]
    assert spec["overhead"] == {"cpu": "250m"}
    assert spec["nodeSelector"] == {"sandboxed": "yes", "a": "b"}
    assert {"key": "gvisor", "operator": "Exists"} in spec["tolerations"]
    refused = world.pod("q", runtimeClassName="gvisor", nodeSelector={"sandboxed": "no"})
    assert "conflict: runtimeClass.scheduling.nodeSelector[sandboxed] = yes" in said(refused)


def test_the_pods_of_a_workload_come_when_their_class_does() -> None:
    world = World()
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {**POD, "priorityClassName": "high"}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    assert world.create("apps/v1", "Deployment", "web", spec=spec).ok
    world.cluster.run_until(1_000)
    assert world.cluster.list("Pod") == []
    assert world.priority("high", 9).ok
    world.cluster.run_until(60_000)
    assert [pod["spec"]["priority"] for pod in world.cluster.list("Pod")] == [9, 9]
    assert world.submit("delete", kind="PriorityClass", name="high").ok
    assert world.submit(
        "delete", kind="Pod", namespace="default", name=world.cluster.list("Pod")[0]["metadata"]["name"]
    ).ok
    world.cluster.run_until(120_000)
    assert len(world.cluster.list("Pod")) == 1


def test_files_of_a_pods_fields_are_defaulted_like_its_variables() -> None:
    labels = {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}
    cpu = {"path": "cpu", "resourceFieldRef": {"containerName": "app", "resource": "limits.cpu"}}
    token = {"serviceAccountToken": {"path": "token"}}
    volumes = [
        {"name": "a", "downwardAPI": {"items": [labels, cpu]}},
        {"name": "b", "projected": {"sources": [{"downwardAPI": {"items": [labels]}}, token]}},
    ]
    made = (World().pod(volumes=volumes).object or {})["spec"]["volumes"]
    labels["fieldRef"]["apiVersion"] = "v1"  # type: ignore[index]
    cpu["resourceFieldRef"]["divisor"] = "0"  # type: ignore[index]
    assert made[0]["downwardAPI"]["items"] == [labels, cpu]
    token["serviceAccountToken"]["expirationSeconds"] = 3600  # type: ignore[assignment]
    assert made[1]["projected"]["sources"] == [{"downwardAPI": {"items": [labels]}}, token]


@pytest.mark.parametrize(
    "meta, spec, named",
    [
        ({"generateName": "p-"}, {"priorityClassName": "high"}, "p-"),
        ({"generateName": "p-"}, {"serviceAccountName": "cook"}, "p-"),
        ({"generateName": "p-", "name": "q"}, {"priorityClassName": "high"}, "q"),
    ],
)
def test_what_is_missing_is_told_before_a_name_is_made(
    meta: dict[str, str], spec: dict[str, Any], named: str
) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {**POD, **spec}}
    assert said(World().submit("create", object=pod)).startswith(f'pods "{named}" is forbidden: ')
