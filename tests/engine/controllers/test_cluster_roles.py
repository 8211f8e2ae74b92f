"""ClusterRoles that gather others' rules are kept by their controller."""

from __future__ import annotations

from typing import Any

from tests.engine.controllers.world import World

ROLE = "ClusterRole"
VIEW = "rbac.authorization.k8s.io/aggregate-to-view"


def rule(verb: str) -> dict[str, Any]:
    return {"verbs": [verb], "apiGroups": ["example.org"], "resources": ["crons"]}


def role(name: str, *verbs: str, label: str = "", gathers: str = "") -> dict[str, Any]:
    selectors = {"clusterRoleSelectors": [{"matchLabels": {gathers: "true"}}]}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name, "labels": {label: "true"} if label else {}},
        "rules": [rule(verb) for verb in verbs],
    } | ({"aggregationRule": selectors} if gathers else {})


def rules(world: World, name: str) -> Any:
    world.run(100)
    return world.store.get(ROLE, "", name).to_json().get("rules")


def test_the_rules_of_a_role_that_gathers_follow_those_it_gathers() -> None:
    world = World()
    # What one writes into it is nothing of its own.
    world.create(role("all", "delete", gathers="example.org/to-all"))
    assert not rules(world, "all")
    world.create(role("get", "get", label="example.org/to-all"))
    world.create(role("list", "list", label="example.org/to-all"))
    assert rules(world, "all") == [rule("get"), rule("list")]
    world.api.delete(world.store.get(ROLE, "", "get"))
    assert rules(world, "all") == [rule("list")]


def test_what_every_cluster_has_can_be_gathered() -> None:
    world = World()
    world.create(role("mine", gathers=VIEW))
    found = rules(world, "mine")
    assert any("pods" in one["resources"] for one in found)
    world.create(role("crons", "get", label=VIEW))
    assert rules(world, "mine") == [rule("get"), *found]
