"""`node_shutdown.json`: a kubelet's settings and its pods, to their groups and what each is given."""

from typing import Any

import pytest

from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.nodes.shutdown import (
    decide_grace_seconds,
    end_pod,
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


def find_part(pod: Pod, expected: dict[str, Any]) -> dict[str, Any]:
    """Of a pod's status what a case expects something of."""
    data = pod.to_json()["status"]
    found = {name: data.get(name) for name in expected}
    if "conditions" in expected:
        keys = expected["conditions"][0]
        found["conditions"] = [{key: one.get(key) for key in keys} for one in data["conditions"]]
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
    for pod in pods if "podStatuses" in expected else ():
        wanted = expected["podStatuses"][pod.meta.name]
        assert find_part(end_pod(pod, 0), wanted) == wanted
