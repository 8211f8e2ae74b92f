"""Who may do what by the cluster's own roles: accounts with a token, and who is impersonated."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from lifecycle import access
from lifecycle.models import Cluster
from tests.kube_api.conftest import Shop
from tests.kube_api.reading.test_standing import Caller

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

RBAC = "/apis/rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
ACCOUNT = "/api/v1/namespaces/default/serviceaccounts/default"
BOT = "system:serviceaccount:default:default"
PODS = "/api/v1/namespaces/default/pods"
SECRETS = "/api/v1/namespaces/default/secrets"


@pytest.fixture
def caller(shop: Shop, client: Any, monkeypatch: pytest.MonkeyPatch) -> Caller:
    return Caller(shop, client, monkeypatch)


def give(shop: Shop, name: str, *rules: dict[str, Any], to: dict[str, str] | None = None) -> None:
    """A Role in `default`, and who has it: the default account unless somebody else is said."""
    subject = to or {"kind": "ServiceAccount", "name": "default", "namespace": "default"}
    head = {"apiVersion": f"{GROUP}/v1", "metadata": {"name": name, "namespace": "default"}}
    shop.submit("create", object=head | {"kind": "Role", "rules": list(rules)}, request={})
    ref = {"apiGroup": GROUP, "kind": "Role", "name": name}
    shop.submit(
        "create", object=head | {"kind": "RoleBinding", "roleRef": ref, "subjects": [subject]}, request={}
    )


def rule(verbs: str, resources: str, group: str = "", names: str = "") -> dict[str, Any]:
    found = {"verbs": verbs.split(), "apiGroups": [group], "resources": resources.split()}
    return found | ({"resourceNames": names.split()} if names else {})


def ask_as(caller: Caller, user: str, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """(code, JSON) of what is asked for in the stead of a user."""
    data = b"" if body is None else json.dumps(body)
    answer = caller.client.generic(
        method,
        f"/k8s/shop{path}",
        data,
        content_type="application/json",
        headers={"Impersonate-User": user, **headers},
    )
    return answer.status_code, answer.json()


def issue(caller: Caller, path: str = ACCOUNT, **spec: Any) -> str:
    """A token for an account."""
    status, made = caller.ask("POST", f"{path}/token", {"spec": spec})
    assert status == 201, made
    return made["status"]["token"]


def show(token: str, path: str, method: str = "GET", body: Any = None, cluster: str = "shop") -> Any:
    """(code, JSON) for who shows a token and nothing else."""
    data = b"" if body is None else json.dumps(body)
    answer = Client().generic(
        method,
        f"/k8s/{cluster}{path}",
        data,
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )
    return answer.status_code, answer.json()


# --- tokens -----------------------------------------------------------------------------------------------


def test_an_account_may_what_its_roles_say(shop, caller):
    token = issue(caller)
    status, refused = show(token, PODS)
    assert (status, refused["reason"], refused["details"]) == (403, "Forbidden", {"kind": "pods"})
    assert refused["message"] == (
        f'pods is forbidden: User "{BOT}" cannot list resource "pods" in API group ""'
        ' in the namespace "default"'
    )
    give(shop, "reader", rule("list", "pods"), rule("get", "secrets", names="mine"))
    assert show(token, PODS)[0] == 200
    assert show(token, "/api/v1/pods")[0] == 403
    assert show(token, f"{SECRETS}/mine")[0] == 404
    assert show(token, f"{SECRETS}/other")[0] == 403
    assert show(token, "/apis/apps/v1")[0] == 200
    assert show(token, "/nothing")[1]["message"] == f'forbidden: User "{BOT}" cannot get path "/nothing"'
    assert show(token, "/api/v1/frobs")[0] == 403


def test_an_account_says_who_it_is(shop, caller):
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    status, found = show(issue(caller), path, "POST", review)
    info = found["status"]["userInfo"]
    assert (status, info["username"]) == (201, BOT)
    assert info["groups"] == [
        "system:serviceaccounts",
        "system:serviceaccounts:default",
        "system:authenticated",
    ]
    assert info["extra"]["authentication.kubernetes.io/credential-id"][0].startswith("JTI=")
    assert info["uid"] == caller.ask("GET", ACCOUNT)[1]["metadata"]["uid"]


def forge(token: str, header: dict[str, Any] | None = None, **claims: Any) -> str:
    """The token with another header or other claims, signed as before."""
    parts = token.split(".")
    for place, change in ((0, header), (1, claims)):
        text = base64.urlsafe_b64decode(parts[place] + "=" * (-len(parts[place]) % 4))
        part = json.dumps({**json.loads(text), **(change or {})}, separators=(",", ":")).encode()
        parts[place] = base64.urlsafe_b64encode(part).decode().rstrip("=")
    return ".".join(parts)


FORGED: list[Any] = [
    pytest.param(lambda token: forge(token, {"alg": "none"}).rpartition(".")[0] + ".", id="no signature"),
    pytest.param(lambda token: forge(token, {"alg": "none"}), id="alg none"),
    pytest.param(lambda token: forge(token, {"alg": "RS256"}), id="another algorithm"),
    pytest.param(lambda token: forge(token, exp=1 << 40), id="a later end"),
    pytest.param(lambda token: forge(token, **{"podline.dev": {}}), id="no cluster"),
    pytest.param(lambda token: forge(token, **{"podline.dev": "x"}), id="nonsense for a cluster"),
    pytest.param(lambda token: forge(token, **{"podline.dev": {"cluster": 5}}), id="a number for a cluster"),
    pytest.param(lambda token: token[:-3] + "abc", id="another signature"),
    pytest.param(lambda token: "a.b.c", id="nonsense"),
    pytest.param(lambda token: "..", id="dots"),
    pytest.param(lambda token: "é.é.é", id="letters that are none"),
    pytest.param(lambda token: base64.urlsafe_b64encode(b"[" * 9000).decode() + ".e30.x", id="deep"),
    pytest.param(lambda token: "e30." * 4000 + "x", id="long"),
]


@pytest.mark.parametrize("change", FORGED)
def test_a_forged_token_lets_nobody_in(caller: Caller, change: Callable[[str], str]):
    token = change(issue(caller))
    shown = token.encode("utf-8").decode("latin-1")
    assert show(shown, "/version")[0] == 401
    _, review = caller.ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": token}})
    assert review["status"] == {"user": {}, "error": "invalid bearer token"}


def test_a_token_ends_by_the_clock_of_its_cluster(shop, caller):
    token = issue(caller, expirationSeconds=600)
    assert show(token, "/version")[0] == 200
    Cluster.objects.filter(pk=shop.cluster.pk).update(instant_ms=599_000)
    assert show(token, "/version")[0] == 200
    Cluster.objects.filter(pk=shop.cluster.pk).update(instant_ms=601_000)
    assert show(token, "/version")[0] == 401
    assert review(caller, token)["error"] == "[invalid bearer token, service account token has expired]"


def review(caller: Caller, token: str, *audiences: str) -> Any:
    spec = {"token": token} | ({"audiences": list(audiences)} if audiences else {})
    return caller.ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {"spec": spec})[1]["status"]


def test_a_token_is_good_for_its_audiences_alone(caller):
    token = issue(caller, audiences=["vault"])
    assert show(token, "/version")[0] == 401
    assert review(caller, token)["error"] == (
        '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences'
        ' ["https://kubernetes.default.svc"]]'
    )
    told = review(caller, token, "vault", "other")
    assert (told["authenticated"], told["audiences"], told["user"]["username"]) == (True, ["vault"], BOT)


def test_a_token_of_another_cluster_is_none_here(shop, caller):
    token = issue(caller)
    other = Shop("other")
    assert show(token, "/version", cluster="other")[0] == 401
    caller.client.force_login(other.cluster.owner)
    path = "/k8s/other/apis/authentication.k8s.io/v1/tokenreviews"
    answer = caller.client.post(path, json.dumps({"spec": {"token": token}}), "application/json")
    assert answer.json()["status"] == {"user": {}, "error": "invalid bearer token"}


def test_a_token_ends_with_its_account_and_with_what_it_is_bound_to(shop, caller):
    shop.create("Secret", "held", type="Opaque")
    bound = issue(caller, boundObjectRef={"kind": "Secret", "apiVersion": "v1", "name": "held"})
    plain = issue(caller)
    assert show(bound, "/version")[0] == show(plain, "/version")[0] == 200
    shop.delete("Secret", "held")
    assert show(bound, "/version")[0] == 401 and show(plain, "/version")[0] == 200
    assert review(caller, bound)["error"].endswith("service account token has been invalidated]")
    shop.delete("ServiceAccount", "default")
    shop.turn(1)
    assert show(plain, "/version")[0] == 401


@pytest.mark.parametrize(
    "spec, status, said",
    [
        (
            {"boundObjectRef": {"kind": "ConfigMap", "apiVersion": "v1", "name": "x"}},
            400,
            "cannot bind token to object of type /v1, Kind=ConfigMap",
        ),
        ({"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "x"}}, 404, 'pods "x" not found'),
        (
            {"boundObjectRef": {"kind": "Secret", "apiVersion": "v1", "name": "held", "uid": "u"}},
            409,
            "does not match the UID in record. The object might have been deleted and then recreated",
        ),
        ({"boundObjectRef": {"kind": 5}}, 400, "cannot bind token to object of type"),
        ({"expirationSeconds": 10}, 422, "may not specify a duration less than 10 minutes"),
    ],
)
def test_a_token_that_cannot_be_is_refused(shop, caller, spec, status, said):
    shop.create("Secret", "held", type="Opaque")
    code, answer = caller.ask("POST", f"{ACCOUNT}/token", {"spec": spec})
    assert code == status and said in answer["message"]


def test_an_account_does_no_more_than_who_had_its_token_made(shop, caller, monkeypatch):
    """The right of Podline's user stands above: who may only look by now changes nothing as an account."""
    give(shop, "all", rule("*", "*"))
    token = issue(caller)
    secret = {"metadata": {"name": "a"}}
    assert show(token, SECRETS, "POST", secret)[0] == 201
    real = access.may
    monkeypatch.setattr(
        "lifecycle.kube_api.access.callers.may",
        lambda user, cluster, verb: verb == "view" and real(user, cluster, verb),
    )
    assert show(token, SECRETS)[0] == 200
    assert show(token, SECRETS, "POST", {"metadata": {"name": "b"}})[0] == 403
    assert ask_as(caller, BOT, "GET", SECRETS)[0] == 403
    assert (
        ask_as(caller, "root", "POST", SECRETS, secret, **{"Impersonate-Group": "system:masters"})[0] == 403
    )


# --- impersonation ----------------------------------------------------------------------------------------


def test_who_is_impersonated_may_what_roles_say(shop, caller):
    assert ask_as(caller, BOT, "GET", PODS)[0] == 403
    give(shop, "reader", rule("list", "pods"), to={"kind": "User", "apiGroup": GROUP, "name": "joe"})
    assert ask_as(caller, "joe", "GET", PODS)[0] == 200
    assert ask_as(caller, "joe", "GET", "/api/v1/pods?fieldSelector=metadata.name%3Da")[0] == 403
    assert ask_as(caller, "jane", "GET", PODS)[0] == 403
    assert ask_as(caller, "jane", "GET", PODS, **{"Impersonate-Group": "system:masters"})[0] == 200
    assert ask_as(caller, "system:anonymous", "GET", "/version")[0] == 200
    assert ask_as(caller, "system:anonymous", "GET", "/api")[0] == 403


def test_an_account_impersonates_by_its_roles(shop, caller):
    token = issue(caller)

    def act(**headers: str) -> Any:
        shown = {
            "Authorization": f"Bearer {token}",
            **{name.replace("_", "-"): one for name, one in headers.items()},
        }
        answer = Client().get("/k8s/shop/version", headers=shown)
        return answer.status_code, answer.json().get("message", "")

    assert act(Impersonate_User="joe") == (
        403,
        f'users "joe" is forbidden: User "{BOT}" cannot impersonate resource "users" in API group ""'
        " at the cluster scope",
    )
    head = {"apiVersion": f"{GROUP}/v1", "metadata": {"name": "actor"}}
    rules = [
        rule("impersonate", "users", names="joe"),
        rule("impersonate", "userextras/scopes", "authentication.k8s.io"),
    ]
    shop.submit("create", object=head | {"kind": "ClusterRole", "rules": rules}, request={})
    ref = {"apiGroup": GROUP, "kind": "ClusterRole", "name": "actor"}
    subject = {"kind": "ServiceAccount", "name": "default", "namespace": "default"}
    shop.submit(
        "create",
        object=head | {"kind": "ClusterRoleBinding", "roleRef": ref, "subjects": [subject]},
        request={},
    )
    assert act(Impersonate_User="joe")[0] == 200
    assert act(Impersonate_User="joe", Impersonate_Extra_Scopes="a")[0] == 200
    assert act(Impersonate_User="jane")[0] == 403
    code, said = act(Impersonate_User="joe", Impersonate_Group="system:masters")
    assert code == 403 and said.startswith('groups "system:masters" is forbidden')
    code, said = act(Impersonate_User="joe", Impersonate_Extra_Other="a")
    assert code == 403 and 'resource "userextras/other" in API group "authentication.k8s.io"' in said
    code, said = act(Impersonate_User="joe", Impersonate_Uid="7")
    assert code == 403 and said.startswith('uids.authentication.k8s.io "7" is forbidden')


@pytest.mark.parametrize(
    "user, groups",
    [
        ("joe", ["system:authenticated"]),
        (BOT, ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"]),
    ],
)
def test_who_is_impersonated_is_in_the_groups_that_all_are_in(caller, user, groups):
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    _, found = ask_as(caller, user, "POST", path, {})
    assert found["status"]["userInfo"] == {"username": user, "groups": groups}


def test_a_crowd_of_groups_is_no_trouble(caller):
    groups = [f"g{number}" for number in range(50_000)]
    spec = {"user": "joe", "groups": groups, "nonResourceAttributes": {"path": "/version", "verb": "get"}}
    status, found = caller.ask("POST", f"{REVIEWS}/subjectaccessreviews", {"spec": spec})
    assert (status, found["status"]) == (201, {"allowed": False})


# --- reviews ----------------------------------------------------------------------------------------------


def can(caller: Caller, user: str, **attributes: str) -> Any:
    spec = {"user": user, "resourceAttributes": attributes}
    return caller.ask("POST", f"{REVIEWS}/subjectaccessreviews", {"spec": spec})[1]["status"]


def test_a_review_says_what_allows(shop, caller):
    give(shop, "reader", rule("list", "pods"))
    asked = {"verb": "list", "resource": "pods", "namespace": "default"}
    assert can(caller, BOT, **asked) == {
        "allowed": True,
        "reason": 'RBAC: allowed by RoleBinding "reader/default" of Role "reader"'
        ' to ServiceAccount "default/default"',
    }
    assert can(caller, BOT, **asked | {"namespace": ""}) == {"allowed": False}
    assert can(caller, "joe", **asked) == {"allowed": False}
    spec = {"user": BOT, "resourceAttributes": asked}
    path = f"{REVIEWS}/namespaces/default/localsubjectaccessreviews"
    assert caller.ask("POST", path, {"spec": spec})[1]["status"]["allowed"]
    own = {"spec": {"resourceAttributes": asked}}
    assert ask_as(caller, BOT, "POST", f"{REVIEWS}/selfsubjectaccessreviews", own)[1]["status"]["allowed"]
    assert caller.ask("POST", f"{REVIEWS}/selfsubjectaccessreviews", own)[1]["status"] == {"allowed": True}


def test_all_that_somebody_may_is_listed(shop, caller):
    """What `kubectl auth can-i --list --as=…` prints."""
    given = rule("list", "pods")
    give(shop, "reader", given)
    ask = {"spec": {"namespace": "default"}}
    _, found = ask_as(caller, BOT, "POST", f"{REVIEWS}/selfsubjectrulesreviews", ask)
    rules = found["status"]["resourceRules"]
    assert given in rules and len(rules) == 3
    assert {url for one in found["status"]["nonResourceRules"] for url in one["nonResourceURLs"]} >= {
        "/api/*"
    }
    _, found = caller.ask("POST", f"{REVIEWS}/selfsubjectrulesreviews", ask)
    everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}
    assert found["status"]["resourceRules"] == [everything]
    assert found["status"]["nonResourceRules"] == [{"verbs": ["*"], "nonResourceURLs": ["*"]}]


# --- roles that are written by who is held to roles -------------------------------------------------------

ROLES, BINDINGS = f"{RBAC}/namespaces/default/roles", f"{RBAC}/namespaces/default/rolebindings"
OWN = {"kind": "ServiceAccount", "name": "default", "namespace": "default"}


def make_role(name: str, *rules: dict[str, Any], kind: str = "Role") -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name}, "rules": list(rules)}


def make_binding(name: str, role: str, kind: str = "Role") -> dict[str, Any]:
    ref = {"apiGroup": GROUP, "kind": kind, "name": role}
    head = {"apiVersion": f"{GROUP}/v1", "kind": "RoleBinding", "metadata": {"name": name}}
    return head | {"roleRef": ref, "subjects": [OWN]}


def test_nobody_gives_by_a_role_what_they_have_not(shop, caller):
    give(shop, "manager", rule("create get update", "roles", GROUP), rule("get list", "pods"))
    assert ask_as(caller, BOT, "POST", ROLES, make_role("some", rule("get", "pods")))[0] == 201
    status, refused = ask_as(caller, BOT, "POST", ROLES, make_role("more", rule("get", "pods secrets")))
    assert status == 403
    assert refused["message"] == (
        f'roles.{GROUP} "more" is forbidden: user "{BOT}" (groups=["system:serviceaccounts"'
        ' "system:serviceaccounts:default" "system:authenticated"]) is attempting to grant RBAC permissions'
        ' not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'
    )
    assert caller.ask("GET", f"{ROLES}/more")[0] == 404
    wider = make_role("some", rule("get delete", "pods"))
    assert ask_as(caller, BOT, "PUT", f"{ROLES}/some", wider)[0] == 403
    labelled = make_role("some", rule("get", "pods"))
    labelled["metadata"]["labels"] = {"a": "b"}
    assert ask_as(caller, BOT, "PUT", f"{ROLES}/some", labelled)[0] == 200
    assert caller.ask("POST", ROLES, make_role("more", rule("get", "secrets")))[0] == 201


def test_nobody_binds_what_they_have_not(shop, caller):
    give(shop, "binder", rule("create", "rolebindings", GROUP), rule("bind", "clusterroles", GROUP, "view"))
    shop.submit("create", object=make_role("secrets", rule("get", "secrets")) | {
        "metadata": {"name": "secrets", "namespace": "default"}
    }, request={})  # fmt: skip
    assert ask_as(caller, BOT, "POST", BINDINGS, make_binding("v", "view", "ClusterRole"))[0] == 201
    for number, (role, kind) in enumerate([("edit", "ClusterRole"), ("secrets", "Role")]):
        status, refused = ask_as(caller, BOT, "POST", BINDINGS, make_binding(f"b{number}", role, kind))
        assert status == 403 and "is attempting to grant RBAC permissions" in refused["message"]
    status, refused = ask_as(caller, BOT, "POST", BINDINGS, make_binding("n", "none"))
    assert (status, refused["message"]) == (404, f'role.{GROUP} "none" not found')


def test_who_may_escalate_gives_anything(shop, caller):
    give(shop, "manager", rule("create escalate", "roles", GROUP))
    assert ask_as(caller, BOT, "POST", ROLES, make_role("more", rule("get", "secrets")))[0] == 201


def test_only_who_may_all_gathers_roles(shop, caller):
    subject = {"kind": "User", "apiGroup": GROUP, "name": "joe"}
    rules = [rule("*", "clusterroles", GROUP), rule("escalate", "roles", GROUP)]
    rules[0]["verbs"] = ["create", "get"]
    head = {"apiVersion": f"{GROUP}/v1", "metadata": {"name": "joe"}}
    shop.submit("create", object=head | {"kind": "ClusterRole", "rules": rules}, request={})
    ref = {"apiGroup": GROUP, "kind": "ClusterRole", "name": "joe"}
    bound = head | {"kind": "ClusterRoleBinding", "roleRef": ref, "subjects": [subject]}
    shop.submit("create", object=bound, request={})
    gathering = make_role("all", kind="ClusterRole") | {
        "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}
    }
    status, refused = ask_as(caller, "joe", "POST", f"{RBAC}/clusterroles", gathering)
    assert (status, refused["message"]) == (
        403,
        f'clusterroles.{GROUP} "all" is forbidden: must have cluster-admin privileges to use the'
        " aggregationRule",
    )


def test_the_roles_of_every_cluster_gather_what_charts_bring(shop, caller):
    label = {"rbac.authorization.k8s.io/aggregate-to-view": "true"}
    crons = rule("get", "crons", "example.org")
    mine = make_role("crons", crons, kind="ClusterRole")
    mine["metadata"]["labels"] = label
    shop.submit("create", object=mine, request={})
    for name in ("view", "edit", "admin"):
        assert crons in caller.ask("GET", f"{RBAC}/clusterroles/{name}")[1]["rules"]
    give_all = make_binding("v", "view", "ClusterRole")
    assert caller.ask("POST", BINDINGS, give_all)[0] == 201
    assert can(caller, BOT, verb="get", resource="crons", group="example.org", namespace="default")["allowed"]
    names = caller.names(f"{RBAC}/clusterrolebindings")
    assert {"cluster-admin", "system:basic-user", "system:discovery"} <= set(names)
    assert "extension-apiserver-authentication-reader" in caller.names(f"{RBAC}/namespaces/kube-system/roles")
    assert caller.names(f"{RBAC}/namespaces/default/roles") == []
    assert caller.names(f"{RBAC}/roles").count("system:controller:bootstrap-signer") == 2


def test_who_may_only_patch_makes_nothing_by_applying(shop, caller):
    """endpoints/handlers: what an update or an apply would create asks for the right to create."""
    give(shop, "patcher", rule("patch update", "configmaps"))
    path = "/api/v1/namespaces/default/configmaps/new?fieldManager=me"
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}}
    headers = {"Impersonate-User": BOT}

    def apply() -> int:
        kind = "application/apply-patch+yaml"
        answer = caller.client.generic("PATCH", f"/k8s/shop{path}", json.dumps(body), kind, headers=headers)
        return answer.status_code

    assert apply() == 403
    assert caller.ask("POST", path.rpartition("/")[0], body)[0] == 201
    assert apply() == 200
