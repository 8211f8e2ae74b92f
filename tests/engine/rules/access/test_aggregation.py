"""ClusterRoles that gather the rules of others: the controller's table, and rows of roles."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.rules.access.aggregation import gather_rules, is_same, settle_rules
from lifecycle.engine.rules.access.bootstrap import list_cluster_roles
from tests.engine.rules.access.test_policy import rule

GET, LIST, WATCH = rule("get", "", "a"), rule("list", "", "a"), rule("watch", "", "a")


def role(name: str, *rules: Any, label: str = "", gathers: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"metadata": {"name": name, "labels": {label: "yes"}}, "rules": list(rules)}
    if gathers:
        selectors = [{"matchLabels": {one: "yes"}} for one in gathers.split()]
        found["aggregationRule"] = {"clusterRoleSelectors": selectors}
    return found


@pytest.mark.parametrize(
    "others, rules",
    [
        # clusterroleaggregation_controller_test.go
        pytest.param(
            [role("hammer", GET, label="foo"), role("chisel", LIST, label="foo")], [LIST, GET], id="by name"
        ),
        pytest.param([role("hammer", GET, label="bar")], [], id="others are left out"),
        pytest.param(
            [role("a", GET, label="foo"), role("b", GET, LIST, label="foo")], [GET, LIST], id="each rule once"
        ),
        pytest.param(
            [role("all", WATCH, label="foo"), role("b", GET, label="foo")], [GET], id="never its own"
        ),
    ],
)
def test_the_rules_of_all_that_fit_are_gathered(others, rules):
    assert gather_rules(role("all", gathers="foo"), others) == rules


def test_selectors_are_gone_through_one_after_the_other():
    others = [role("a", GET, label="foo"), role("b", LIST, label="bar")]
    assert gather_rules(role("all", gathers="bar foo"), others) == [LIST, GET]


def test_roles_gather_from_those_that_gather():
    made = [
        role("z-first", gathers="x", label="y"),
        role("m-second", gathers="y", label="z"),
        role("a-third", gathers="z"),
        role("mine", GET, label="x"),
    ]
    assert settle_rules(made) == {"z-first": [GET], "m-second": [GET], "a-third": [GET]}


def test_a_ring_of_roles_comes_to_an_end():
    made = [
        role("a", gathers="to-a", label="to-b"),
        role("b", gathers="to-b", label="to-a"),
        role("one", GET, label="to-a"),
        role("two", LIST, label="to-b"),
    ]
    assert {name: len(rules) for name, rules in settle_rules(made).items()} == {"a": 2, "b": 2}


def test_the_roles_of_every_cluster_have_what_they_gather():
    """What an API server of v1.35 listed is what its controller had gathered."""
    by_name = {one["metadata"]["name"]: one for one in list_cluster_roles()}
    found = settle_rules(by_name.values())
    assert sorted(found) == ["admin", "edit", "view"]
    assert all(is_same(rules, by_name[name]["rules"]) for name, rules in found.items())


def test_what_is_added_to_view_comes_to_edit_and_admin():
    mine = role("crd-view", GET, label="rbac.authorization.k8s.io/aggregate-to-view")
    mine["metadata"]["labels"] = {"rbac.authorization.k8s.io/aggregate-to-view": "true"}
    found = settle_rules([*list_cluster_roles(), mine])
    assert all(GET in found[name] for name in ("view", "edit", "admin"))
