"""What a behaviour says that a program creates: when, where, and whether its account may."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.programs.reading import read_behavior
from tests.engine.kubelet.world import World

SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "made"}}
TEXT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made, namespace: other}\n"
GROUP = "rbac.authorization.k8s.io"
ROLE = {"apiVersion": f"{GROUP}/v1", "kind": "Role", "metadata": {"name": "maker", "namespace": "default"}}


def behave(exit: int, *creates: Any) -> dict[str, Any]:
    return {"app": {"runs": [{"for": "5s", "exit": exit}], "creates": list(creates)}}


def run(*creates: Any, exit: int = 0, rules: Any = None, kind: str = "Role", **metadata: Any) -> World:
    """A pod that ends after five seconds; where there are rules, its account has a role with them."""
    world = World()
    world.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}})
    if rules is not None:
        world.create({**ROLE, "kind": kind, "rules": rules})
        ref = {"apiGroup": GROUP, "kind": kind, "name": "maker"}
        subject = {"kind": "ServiceAccount", "name": "default", "namespace": "default"}
        world.create({**ROLE, "kind": f"{kind}Binding", "roleRef": ref, "subjects": [subject]})
    world.pod(behavior=behave(exit, *creates), restartPolicy="Never")
    return world.to(10)


def rule(resource: str, group: str = "") -> dict[str, Any]:
    return {"apiGroups": [group], "resources": [resource], "verbs": ["create"]}


def events(world: World, reason: str) -> list[str]:
    return [row["message"] for row in world.rows if row["type"] == "event" and row["reason"] == reason]


@pytest.mark.parametrize("exit, is_made", [(0, True), (1, False)])
def test_it_appears_when_the_container_ends_with_0(exit: int, is_made: bool) -> None:
    world = run(SECRET, TEXT, exit=exit)
    assert (world.cluster.get("Secret", "default", "made") is not None) == is_made
    assert (world.cluster.get("ConfigMap", "other", "made") is not None) == is_made


def test_without_a_single_role_it_is_taken_to_be_allowed_and_said() -> None:
    (said,) = events(run(SECRET), "AssumedAllowed")
    assert said.startswith("no role says who may do what") and "Secret default/made" in said


@pytest.mark.parametrize(
    "rules, kind, is_made",
    [
        pytest.param([rule("secrets")], "Role", True, id="allowed"),
        pytest.param([rule("configmaps")], "Role", False, id="something else is"),
        pytest.param([rule("secrets", "apps")], "Role", False, id="of another group"),
        pytest.param([rule("*", "*")], "ClusterRole", True, id="everything is"),
    ],
)
def test_the_roles_of_its_account_decide(rules: Any, kind: str, is_made: bool) -> None:
    world = run(SECRET, rules=rules, kind=kind)
    assert (world.cluster.get("Secret", "default", "made") is not None) == is_made
    refused = [
        "its program could not make Secret default/made: secrets is forbidden: User"
        ' "system:serviceaccount:default:default" cannot create resource "secrets" in API group ""'
        ' in the namespace "default"'
    ]
    assert events(world, "FailedCreate") == ([] if is_made else refused)


@pytest.mark.parametrize(
    "creates, said",
    [
        pytest.param(
            {**SECRET, "metadata": {"name": "Bad Name"}}, 'Secret "Bad Name" is invalid', id="invalid"
        ),
        pytest.param(TEXT.replace("other", "nowhere"), 'namespaces "nowhere" not found', id="no namespace"),
    ],
)
def test_what_the_api_server_refuses_is_told(creates: Any, said: str) -> None:
    (told,) = events(run(creates), "FailedCreate")
    assert said in told


def test_what_is_there_stays_as_it_is() -> None:
    first, second = {**SECRET, "type": "a"}, {**SECRET, "type": "b"}
    world = run(first, second)
    assert events(world, "FailedCreate") == []
    assert world.cluster.get("Secret", "default", "made")["type"] == "a"


@pytest.mark.parametrize(
    "creates, path",
    [
        pytest.param("text", "x.app.creates", id="no list"),
        pytest.param([], "x.app.creates", id="an empty list"),
        pytest.param([SECRET] * 21, "x.app.creates", id="too many"),
        pytest.param([5], "x.app.creates[0]", id="a number"),
        pytest.param([SECRET, "a: b: c"], "x.app.creates[1]", id="no YAML"),
        pytest.param(["a: 1\n---\nb: 2\n"], "x.app.creates[0]", id="two documents"),
        pytest.param([{**SECRET, "kind": None}], "x.app.creates[0].kind", id="no kind"),
        pytest.param([{**SECRET, "apiVersion": 1}], "x.app.creates[0].apiVersion", id="a wrong version"),
        pytest.param([{**SECRET, "metadata": "x"}], "x.app.creates[0].metadata", id="wrong metadata"),
        pytest.param([{**SECRET, "metadata": {}}], "x.app.creates[0].metadata.name", id="no name"),
        pytest.param(
            [{**SECRET, "metadata": {"name": "x", "namespace": 5}}],
            "x.app.creates[0].metadata.namespace",
            id="place",
        ),
    ],
)
def test_a_mistake_is_told_with_its_path(creates: Any, path: str) -> None:
    reading = read_behavior({"app": {"creates": creates}}, "x")
    assert [problem.path for problem in reading.problems] == [path]
