"""What roles allow: the tables of the RBAC authorizer, its rule resolver and its helpers, and plain cases."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.rules.access.accounts import make_account_user, split_username
from lifecycle.engine.rules.access.attributes import Attributes, UserInfo, tell_forbidden
from lifecycle.engine.rules.access.bootstrap import (
    add_bootstrap,
    list_cluster_role_bindings,
    list_cluster_roles,
    list_role_bindings,
    list_roles,
)
from lifecycle.engine.rules.access.policy import Decision, MissingRole, Policy
from lifecycle.engine.rules.access.rules import is_allowed_by

GROUP = "rbac.authorization.k8s.io"


def rule(
    verbs: str, groups: str = "", resources: str = "", names: str = "", paths: str = ""
) -> dict[str, Any]:
    found: dict[str, Any] = {"verbs": verbs.split()}
    if resources:
        found |= {"apiGroups": groups.split(",") if groups else [""], "resources": resources.split()}
    if names:
        found["resourceNames"] = names.split()
    return found | ({"nonResourceURLs": paths.split()} if paths else {})


def role(name: str, *rules: Any, namespace: str = "") -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": namespace or None}, "rules": list(rules)}


def binding(name: str, ref: str, *subjects: Any, namespace: str = "") -> dict[str, Any]:
    kind, _, of = ref.partition("/")
    return {
        "metadata": {"name": name, "namespace": namespace or None},
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": of},
        "subjects": list(subjects),
    }


def subject(kind: str, name: str, namespace: str = "") -> dict[str, str]:
    return {"kind": kind, "name": name} | ({"namespace": namespace} if namespace else {})


def resource(verb: str, combined: str, group: str = "", name: str = "", namespace: str = "") -> Attributes:
    of, _, part = combined.partition("/")
    return Attributes(verb, group, of, part, namespace, name)


@pytest.mark.parametrize(
    "given, asked, is_allowed",
    [
        # plugin/pkg/auth/authorizer/rbac/rbac_test.go, TestRuleMatches
        (rule("*", "*", "*"), resource("verb1", "res1", "group1"), True),
        (rule("*", "*", "*"), Attributes("verb1", path="/foo"), False),
        (rule("*", "group1", "*"), resource("verb1", "res1", "group1"), True),
        (rule("*", "group1", "*"), resource("verb1", "res1", "group2"), False),
        (rule("*", "*", "res1"), resource("verb1", "res1", "group1"), True),
        (rule("*", "*", "res1"), resource("verb1", "res1/sub1", "group1"), False),
        (rule("*", "*", "res1/sub1"), resource("verb1", "res1/sub1", "group1"), True),
        (rule("*", "*", "res1/sub1"), resource("verb1", "res1", "group1"), False),
        (rule("*", "*", "*/sub1"), resource("verb1", "res1/sub1", "group1"), True),
        (rule("*", "*", "*/sub1"), resource("verb1", "res1/sub2", "group1"), False),
        (rule("*", "*", "*/sub1"), resource("verb1", "sub1", "group1"), False),
        (rule("*", "*", "res1/*"), resource("verb1", "res1/sub1", "group1"), False),
        (rule("verb1 verb2", "*", "*"), resource("verb1", "res1", "group1"), True),
        (rule("verb1 verb2", "*", "*"), resource("verb3", "res1", "group1"), False),
        (rule("verb1", paths="*"), Attributes("verb1", path="/foo"), True),
        (rule("verb1", paths="/foo"), Attributes("verb1", path="/foo/bar"), False),
        (rule("verb1", paths="/foo/*"), Attributes("verb1", path="/foo/bar"), True),
        (rule("verb1", paths="/foo/*"), Attributes("verb1", path="/foo"), False),
        (rule("verb1", paths="/apis*"), Attributes("verb1", path="/apisix"), True),
        (rule("verb1", paths="/foo"), Attributes("verb2", path="/foo"), False),
        # resourceNames fit a request that names one of them, never one without a name.
        (rule("get", "", "secrets", "a b"), resource("get", "secrets", name="b"), True),
        (rule("get", "", "secrets", "a b"), resource("get", "secrets", name="c"), False),
        (rule("create", "", "secrets", "a"), resource("create", "secrets"), False),
        (rule("list", "", "pods"), resource("list", "deployments", "apps"), False),
        (rule("list", "", "pods"), resource("list", "pods", "metrics.k8s.io"), False),
    ],
)
def test_a_rule_allows_what_it_names(given, asked, is_allowed):
    assert is_allowed_by(given, asked) == is_allowed


# pkg/registry/rbac/validation/rule_test.go, TestAppliesTo
SUBJECTS = [
    pytest.param([subject("User", "foobar")], UserInfo("foobar"), "", True, id="one that is the user"),
    pytest.param(
        [subject("User", "barfoo"), subject("User", "foobar")], UserInfo("foobar"), "", True, id="second"
    ),
    pytest.param(
        [subject("User", "barfoo"), subject("User", "foobar")], UserInfo("zimzam"), "", False, id="none"
    ),
    pytest.param([subject("Group", "foobar")], UserInfo("zimzam", ("foobar",)), "", True, id="a group"),
    pytest.param(
        [subject("Group", "foobar")], UserInfo("zimzam", ("foobar",)), "namespace1", True, id="in a namespace"
    ),
    pytest.param(
        [subject("ServiceAccount", "default", "kube-system")],
        UserInfo("system:serviceaccount:kube-system:default"),
        "default",
        True,
        id="an account",
    ),
    pytest.param(
        [subject("ServiceAccount", "default")],
        UserInfo("system:serviceaccount:default:default"),
        "default",
        True,
        id="an account of the binding's own",
    ),
    pytest.param(
        [subject("ServiceAccount", "default")],
        UserInfo("system:serviceaccount:default:default"),
        "",
        False,
        id="an account without a place",
    ),
    pytest.param([subject("User", "*")], UserInfo("foobar"), "default", False, id="no sign for all"),
    pytest.param(
        [subject("Group", "system:authenticated"), subject("Group", "system:unauthenticated")],
        UserInfo("system:anonymous", ("system:unauthenticated",)),
        "default",
        True,
        id="anonymous",
    ),
]


@pytest.mark.parametrize("subjects, user, namespace, is_held", SUBJECTS)
def test_a_binding_holds_for_its_subjects(subjects, user, namespace, is_held):
    every = role("all", rule("*", "*", "*"))
    bound = binding("b", "ClusterRole/all", *subjects, namespace=namespace)
    policy = Policy((), [bound], [every], []) if namespace else Policy((), (), [every], [bound])
    assert policy.decide(user, resource("get", "pods", namespace=namespace)).is_allowed == is_held


PODS, WIDE = rule("get watch", "", "pods"), rule("*", "*", "*")
POLICY = Policy(
    [role("readthings", PODS, namespace="namespace1")],
    [
        binding("read", "Role/readthings", subject("User", "foobar"), namespace="namespace1"),
        binding("lost", "Role/nothing", subject("User", "lost"), namespace="namespace1"),
        binding("all", "ClusterRole/everything", subject("ServiceAccount", "bot"), namespace="namespace1"),
    ],
    [role("everything", WIDE)],
    [
        binding("admins", "ClusterRole/everything", subject("Group", "admin")),
        binding("gone", "ClusterRole/gone", subject("User", "lost")),
    ],
)


@pytest.mark.parametrize(
    "user, namespace, is_allowed, reason",
    [
        pytest.param(
            UserInfo("foobar"),
            "namespace1",
            True,
            'RBAC: allowed by RoleBinding "read/namespace1" of Role "readthings" to User "foobar"',
            id="a role",
        ),
        pytest.param(UserInfo("foobar"), "namespace2", False, "", id="another namespace"),
        pytest.param(UserInfo("foobar"), "", False, "", id="all namespaces"),
        pytest.param(
            UserInfo("foobar", ("admin",)),
            "",
            True,
            'RBAC: allowed by ClusterRoleBinding "admins" of ClusterRole "everything" to Group "admin"',
            id="everywhere",
        ),
        pytest.param(
            make_account_user("namespace1", "bot"),
            "namespace1",
            True,
            'RBAC: allowed by RoleBinding "all/namespace1" of ClusterRole "everything"'
            ' to ServiceAccount "bot/namespace1"',
            id="an account",
        ),
        pytest.param(make_account_user("namespace1", "bot"), "namespace2", False, "", id="not beyond"),
        pytest.param(
            UserInfo("lost"),
            "namespace1",
            False,
            f'RBAC: [clusterrole.{GROUP} "gone" not found, role.{GROUP} "nothing" not found]',
            id="two lost",
        ),
        pytest.param(UserInfo("lost"), "", False, f'RBAC: clusterrole.{GROUP} "gone" not found', id="lost"),
        pytest.param(UserInfo("any", ("system:masters",)), "namespace2", True, "", id="a master"),
        pytest.param(UserInfo(""), "namespace1", False, "", id="nobody"),
    ],
)
def test_a_decision_says_what_allows(user, namespace, is_allowed, reason):
    assert POLICY.decide(user, resource("get", "pods", namespace=namespace)) == Decision(is_allowed, reason)


def test_all_rules_are_listed_with_what_could_not_be_looked_at():
    assert POLICY.list_rules(UserInfo("foobar", ("admin",)), "namespace1") == ([WIDE, PODS], "")
    assert POLICY.list_rules(UserInfo("lost"), "") == ([], f'clusterrole.{GROUP} "gone" not found')


@pytest.mark.parametrize("kind", ["Role", "ClusterRole", "Nonsense"])
def test_a_role_that_is_not_there_is_said(kind):
    with pytest.raises(MissingRole):
        POLICY.resolve({"kind": kind, "name": "none"}, "namespace1")


@pytest.mark.parametrize(
    "asked, said",
    [
        (
            resource("list", "pods", namespace="default"),
            'pods is forbidden: User "u" cannot list resource "pods" in API group ""'
            ' in the namespace "default"',
        ),
        (
            resource("get", "pods/log", name="web", namespace="d"),
            'pods "web" is forbidden: User "u" cannot get resource "pods/log" in API group ""'
            ' in the namespace "d"',
        ),
        (
            resource("create", "deployments", "apps", namespace="d"),
            'deployments.apps is forbidden: User "u" cannot create resource "deployments" in API group "apps"'
            ' in the namespace "d"',
        ),
        (
            resource("list", "nodes"),
            'nodes is forbidden: User "u" cannot list resource "nodes" in API group "" at the cluster scope',
        ),
        (Attributes("get", path="/metrics"), 'forbidden: User "u" cannot get path "/metrics"'),
        (Attributes("get", path="/<b>"), 'forbidden: User "u" cannot get path "/&lt;b&gt;"'),
    ],
)
def test_a_refusal_is_told_as_by_the_api_server(asked, said):
    user = UserInfo("u")
    assert tell_forbidden(user, asked) == said
    assert tell_forbidden(user, asked, "RBAC: x") == f"{said}: RBAC: x"


@pytest.mark.parametrize(
    "name, parts",
    [
        ("system:serviceaccount:shop:web", ("shop", "web")),
        ("system:serviceaccount:shop:web.v1", ("shop", "web.v1")),
        ("system:serviceaccount:shop", None),
        ("system:serviceaccount:shop:web:x", None),
        ("system:serviceaccount::web", None),
        ("system:serviceaccount:Shop:web", None),
        ("joe", None),
    ],
)
def test_only_names_of_accounts_are_split(name, parts):
    assert split_username(name) == parts


def bootstrap() -> Policy:
    return Policy(list_roles(), list_role_bindings(), list_cluster_roles(), list_cluster_role_bindings())


@pytest.mark.parametrize(
    "user, asked, is_allowed",
    [
        (make_account_user("shop", "web"), Attributes("get", path="/apis/apps/v1"), True),
        (make_account_user("shop", "web"), Attributes("get", path="/metrics"), False),
        (make_account_user("shop", "web"), resource("list", "pods", namespace="shop"), False),
        (
            make_account_user("shop", "web"),
            resource("create", "selfsubjectaccessreviews", "authorization.k8s.io"),
            True,
        ),
        (
            make_account_user("shop", "web"),
            resource("create", "subjectaccessreviews", "authorization.k8s.io"),
            False,
        ),
        (UserInfo("system:anonymous", ("system:unauthenticated",)), Attributes("get", path="/healthz"), True),
        (UserInfo("system:anonymous", ("system:unauthenticated",)), Attributes("get", path="/api"), False),
        (
            make_account_user("kube-system", "deployment-controller"),
            resource("update", "deployments/status", "apps", namespace="shop"),
            True,
        ),
        (UserInfo("system:kube-scheduler"), resource("create", "pods/binding", namespace="shop"), True),
        (
            UserInfo("system:kube-scheduler"),
            resource("get", "configmaps", name="extension-apiserver-authentication", namespace="kube-system"),
            True,
        ),
    ],
)
def test_every_cluster_begins_with_these_rights(user, asked, is_allowed):
    assert bootstrap().decide(user, asked).is_allowed == is_allowed


def test_what_is_stored_or_gone_takes_the_place_of_what_is_made():
    mine = role("view", PODS)
    found = {
        one["metadata"]["name"]: one for one in add_bootstrap([mine], list_cluster_roles(), [("", "edit")])
    }
    assert found["view"] is mine and "edit" not in found and "admin" in found
