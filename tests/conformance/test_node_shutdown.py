"""`node_shutdown.json`: a kubelet's settings and its pods, to their groups and what each is given."""

from typing import Any

import pytest

from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.objects.pods.pod import FAILED, SUCCEEDED, Pod
from lifecycle.engine.rules.nodes.shutdown import (
    decide_grace_seconds,
    group_pods,
    make_groups,
    read_groups,
)
from tests.conformance.cases import Case, load_cases


def read_pods(given: Any) -> list[Pod]:
    return [Pod.from_json({"apiVersion": "v1", "kind": "Pod", **one}) for one in given["pods"]]


def read_settings(given: Any) -> list[Any]:
    if "byPodPriority" in given:
        return read_groups({"shutdownGracePeriodByPodPriority": given["byPodPriority"]})
    total, critical = given["shutdownGracePeriodSeconds"], given["shutdownGracePeriodCriticalPodsSeconds"]
    return make_groups(total * 1000, critical * 1000)


def find_part(status: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """Of a pod's status what a case expects something of."""
    found = {name: status.get(name) for name in expected}
    wanted = {one["type"]: one for one in expected.get("conditions", ())}
    told = [one for one in status["conditions"] if one["type"] in wanted]
    if wanted:
        found["conditions"] = [{key: one.get(key) for key in wanted[one["type"]]} for one in told]
    return found


@pytest.mark.parametrize("case", load_cases("node_shutdown"))
def test_node_shutdown(case: Case) -> None:
    given, expected = case["input"], case["expect"]
    settings = read_settings(given)
    if "byPodPriority" in expected:
        found = [{"priority": one.priority, "shutdownGracePeriodSeconds": one.seconds} for one in settings]
        assert (found or None) == expected["byPodPriority"]
        return
    pods = read_pods(given)
    groups = group_pods(settings, pods)
    if "groups" in expected:
        assert [
            {
                "priority": one.priority,
                "shutdownGracePeriodSeconds": one.seconds,
                "pods": [pod.meta.name for pod in one.pods],
            }
            for one in groups
        ] == expected["groups"]
        return
    graces = {pod.meta.name: decide_grace_seconds(one, pod) for one in groups for pod in one.pods}
    assert graces == expected["gracePeriodSeconds"]
    if "podStatuses" in expected:
        check_ends(given, expected["podStatuses"])


def check_ends(given: Any, wanted: dict[str, Any]) -> None:
    """What a kubelet tells of the pods that live when its machine is shut down; who has ended is let be."""
    total, critical = given["shutdownGracePeriodSeconds"], given["shutdownGracePeriodCriticalPodsSeconds"]
    graceful = {"shutdownGracePeriod": f"{total}s", "shutdownGracePeriodCriticalPods": f"{critical}s"}
    cluster = Cluster(1, settings=Settings(nodes={"count": 1}, kubelet=[graceful]))
    living = [one for one in given["pods"] if one.get("status", {}).get("phase") not in (FAILED, SUCCEEDED)]
    for one in living:
        spec = {"containers": [{"name": "app", "image": "sim/server:1"}]}
        if one["spec"].get("priority"):
            spec["priorityClassName"] = "system-node-critical"
        meta = {**one["metadata"], "namespace": "default"}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}
        assert cluster.submit(Command(meta["name"], "create", {"object": pod})).ok
    cluster.run_until(10_000)
    assert cluster.submit(Command("off", "fault", {"node": "node-1", "kind": "shutdown"})).ok
    cluster.run_until(10_000 + (total + 1) * 1000)
    for one in living:
        name = one["metadata"]["name"]
        found = cluster.get("Pod", "default", name)
        assert found is not None and find_part(found["status"], wanted[name]) == wanted[name]
