"""What is of no possible shape is refused as it is read, so that no rule has to look out for it."""

import pytest

from lifecycle.engine import Cluster, Command

QUOTA = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "odd", "namespace": "default"}}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "odd"}}
IN_CLASS = {"scopeName": "PriorityClass", "operator": "In"}


def select(*expressions):
    return {**QUOTA, "spec": {"scopeSelector": {"matchExpressions": list(expressions)}}}


@pytest.mark.parametrize(
    "odd, said",
    [
        ({**QUOTA, "spec": "text"}, "spec: must be a mapping"),
        ({**QUOTA, "spec": {"hard": [1]}}, "spec.hard: must be a mapping"),
        ({**QUOTA, "spec": {"scopes": "text"}}, "spec.scopes: must be a list"),
        ({**QUOTA, "spec": {"scopeSelector": []}}, "spec.scopeSelector: must be a mapping"),
        (select("text"), "spec.scopeSelector.matchExpressions[0]: must be a mapping"),
        (select({**IN_CLASS, "values": "text"}), "matchExpressions[0].values: must be a list"),
        (select({**IN_CLASS, "values": [1]}), "matchExpressions[0].values[0]: must be text"),
        ({**NODE, "status": "text"}, "status: must be a mapping"),
        ({**NODE, "status": {"capacity": [1]}}, "status.capacity: must be a mapping"),
    ],
)
def test_no_object_of_another_shape_comes_in(odd, said):
    result = Cluster().submit(Command("1", "create", {"object": odd}))
    assert result.code == 400
    assert said in result.status["message"]


@pytest.mark.parametrize("status", ["text", {"allocatable": "text"}])
def test_no_patch_gives_a_node_another_shape(status):
    patch = {"type": "merge", "subresource": "status", "patch": {"status": status}}
    result = Cluster().submit(Command("1", "patch", {"kind": "Node", "name": "node-1", **patch}))
    assert result.code == 422
    assert "must be a mapping" in result.status["message"]
