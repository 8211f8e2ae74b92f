"""Nobody hands out more than they have: the tables of the policy comparator, and how it is told."""

from __future__ import annotations

import pytest

from lifecycle.engine.rules.access.attributes import UserInfo
from lifecycle.engine.rules.access.covering import FULL_AUTHORITY, find_missing, tell_escalation
from tests.engine.rules.access.test_policy import rule


@pytest.mark.parametrize(
    "held, wanted, missing",
    [
        # component-helpers/auth/rbac/validation/policy_comparator_test.go
        pytest.param(
            [rule("get update delete create", "v1", "builds")],
            [rule("get update", "v1", "builds")],
            0,
            id="verbs",
        ),
        pytest.param(
            [rule("get", "v1", "builds")],
            [rule("get update", "v1", "builds deployments")],
            3,
            id="much lacks",
        ),
        pytest.param([rule("*", "v1", "builds")], [rule("get", "v1", "builds")], 0, id="any verb"),
        pytest.param(
            [rule("get", "v1", "builds")], [rule("*", "v1", "builds")], 1, id="any verb is more than one"
        ),
        pytest.param([rule("get", "*", "roles")], [rule("get", "group1,group2", "roles")], 0, id="any group"),
        pytest.param(
            [rule("get", "group1", "roles")], [rule("get", "group1,group2", "roles")], 1, id="one group"
        ),
        pytest.param([rule("get", "g", "*")], [rule("get", "g", "roles pods/log")], 0, id="any resource"),
        pytest.param(
            [rule("get", "g", "pods")], [rule("get", "g", "pods/log")], 1, id="a part is no resource"
        ),
        pytest.param([rule("get", "g", "*/scale")], [rule("get", "g", "foo/scale")], 0, id="a part of any"),
        pytest.param([rule("get", "g", "*/scale")], [rule("get", "g", "foo")], 1, id="not the whole of any"),
        pytest.param([rule("get", "g", "pods", "a b")], [rule("get", "g", "pods", "a")], 0, id="names"),
        pytest.param(
            [rule("get", "g", "pods", "a")], [rule("get", "g", "pods", "a b")], 1, id="one name lacks"
        ),
        pytest.param([rule("get", "g", "pods")], [rule("get", "g", "pods", "a b")], 0, id="all names"),
        pytest.param([rule("get", "g", "pods", "a")], [rule("get", "g", "pods")], 1, id="names are not all"),
        pytest.param([rule("get", paths="/foo/*")], [rule("get", paths="/foo/bar /foo/*")], 0, id="paths"),
        pytest.param([rule("get", paths="/foo")], [rule("get", paths="/foo/bar")], 1, id="another path"),
        pytest.param([rule("*", paths="*")], [rule("get post", paths="/foo/bar")], 0, id="any path"),
        pytest.param([rule("*", "*", "*")], [rule("get", paths="/foo")], 1, id="paths are no resources"),
        pytest.param(
            [rule("get", "g", "a"), rule("get", "g", "b")], [rule("get", "g", "a b")], 0, id="two together"
        ),
        pytest.param([rule("*", "*", "*")], FULL_AUTHORITY, 1, id="full authority has paths"),
        pytest.param([], [rule("get", "g", "a")], 1, id="nothing held"),
        pytest.param([], [], 0, id="nothing wanted"),
    ],
)
def test_what_is_held_includes_what_is_wanted_or_each_piece_that_lacks_is_found(held, wanted, missing):
    assert len(find_missing(held, wanted)) == missing


def test_missing_rights_are_told_with_the_verbs_of_one_resource_together():
    """rbac/validation/rule.go, ConfirmNoEscalation, and policy_compact.go."""
    wanted = [
        rule("get list", "", "secrets"),
        rule("get", "apps", "deployments", "web"),
        rule("get", paths="/metrics"),
    ]
    user = UserInfo("system:serviceaccount:d:x", ("g1", "g2"))
    assert tell_escalation(user, find_missing([], wanted)) == (
        'user "system:serviceaccount:d:x" (groups=["g1" "g2"]) is attempting to grant RBAC permissions not'
        " currently held:\n"
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}\n'
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["web"], Verbs:["get"]}\n'
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}'
    )
    assert tell_escalation(user, find_missing([], wanted[2:]), "lost").endswith("; resolution errors: [lost]")
