"""Who may ask what: every path that is served, by each method, for nobody, a stranger, and a bare session."""

from __future__ import annotations

import pytest
from django.test import Client

from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.kube_api.describing.openapi_paths import make_paths
from lifecycle.kube_api.describing.openapi_schemas import Refer
from tests.builders import make_cluster, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

# Taken from what is described, so that whatever is served stands here by itself.
RESOURCES = {
    path.format(namespace="default", name="x"): sorted(set(operations) - {"parameters"})
    for path, operations in make_paths(list(list_built_in().values()), Refer("", is_v2=False)).items()
}
OTHERS = {
    path: ["get"]
    for path in (
        "/", "/api", "/apis", "/apis/apps", "/apis/apps/v1", "/version", "/healthz", "/livez", "/readyz",
        "/openapi/v2", "/openapi/v3", "/nothing", "/api/v1/watch/pods",
    )
}  # fmt: skip
CALLS = [(path, method) for path, methods in {**RESOURCES, **OTHERS}.items() for method in methods]
# By turns one of its methods; the deep tests try each, and each path for everybody.
EACH_PATH = [
    (path, methods[number % len(methods)])
    for number, (path, methods) in enumerate({**RESOURCES, **OTHERS}.items())
]
SOME_PATHS = [call for number, call in enumerate(EACH_PATH) if number % 3 == 0 or call[0] in OTHERS]
UNAUTHORIZED = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Failure",
    "message": "Unauthorized",
    "reason": "Unauthorized",
    "code": 401,
}


def test_much_is_served() -> None:
    assert len(CALLS) > 500


def call(client: Client, path: str, method: str, **headers: str) -> tuple[int, str]:
    answer = client.generic(
        method.upper(), f"/k8s/shop{path}", "{}", "application/json", headers=headers or None
    )
    return answer.status_code, answer.json().get("message", "")


@pytest.mark.parametrize(
    "calls", [EACH_PATH, pytest.param(CALLS, marks=pytest.mark.deep)], ids=["paths", "all"]
)
def test_nobody_is_told_anything(client: Client, calls: list[tuple[str, str]]) -> None:
    make_cluster("shop")
    for path, method in calls:
        answer = client.generic(method.upper(), f"/k8s/shop{path}", "{}", "application/json")
        assert (answer.status_code, answer.json()) == (401, UNAUTHORIZED), (path, method)


@pytest.mark.parametrize(
    "calls", [SOME_PATHS, pytest.param(CALLS, marks=pytest.mark.deep)], ids=["paths", "all"]
)
def test_a_stranger_finds_no_cluster(client: Client, calls: list[tuple[str, str]]) -> None:
    make_cluster("shop")
    client.force_login(make_user())
    for path, method in calls:
        wanted = (404, 'clusters.podline.dev "shop" not found')
        assert call(client, path, method) == wanted, (path, method)


def test_a_wrong_token_is_no_way_in_beside_a_session(client: Client) -> None:
    cluster = make_cluster("shop")
    client.force_login(cluster.owner)
    for shown in ("Bearer wrong", "Basic YTpi", "Bearer", "nonsense"):
        assert call(client, "/api/v1/pods", "get", Authorization=shown) == (401, "Unauthorized")


def test_a_session_changes_nothing_without_its_csrf_token() -> None:
    client = Client(enforce_csrf_checks=True)
    cluster = make_cluster("shop")
    client.force_login(cluster.owner)
    assert call(client, "/api/v1/namespaces/default/configmaps", "get")[0] == 200
    for method in ("post", "put", "patch", "delete"):
        code, message = call(client, "/api/v1/namespaces/default/configmaps/x", method)
        assert code == 403 and message.startswith("CSRF Failed"), method


# What every authenticated user may ask, by the roles that each cluster begins with.
DISCOVERY = {
    *("/api", "/apis", "/apis/apps", "/apis/apps/v1", "/version", "/healthz", "/livez", "/readyz"),
    *("/openapi/v2", "/openapi/v3"),
}


@pytest.mark.parametrize(
    "calls", [SOME_PATHS, pytest.param(CALLS, marks=pytest.mark.deep)], ids=["paths", "all"]
)
def test_who_has_no_role_is_kept_from_every_path(client: Client, calls: list[tuple[str, str]]) -> None:
    cluster = make_cluster("shop")
    client.force_login(cluster.owner)
    headers = {"Impersonate-User": "system:serviceaccount:default:x"}
    for path, method in calls:
        answer = client.generic(method.upper(), f"/k8s/shop{path}", "{}", "application/json", headers=headers)
        is_open = path in DISCOVERY or "/selfsubject" in path
        assert (answer.status_code == 403) != is_open, (path, method)
        assert answer.status_code < 500, (path, method)


IMPERSONATIONS = [
    pytest.param({"Impersonate-User": "joe"}, 'users "joe"', id="a user"),
    pytest.param(
        {"Impersonate-User": "system:serviceaccount:default:x"}, 'serviceaccounts "x"', id="an account"
    ),
    pytest.param(
        {"Impersonate-User": "joe", "Impersonate-Group": "system:masters"}, 'users "joe"', id="a master"
    ),
]


@pytest.mark.parametrize("headers, what", IMPERSONATIONS)
def test_who_only_looks_acts_as_nobody_else(client: Client, headers: dict[str, str], what: str) -> None:
    """A look at a past instant is one for everybody: its owner may read it, and no more."""
    cluster = make_cluster("shop", is_look=True)
    client.force_login(cluster.owner)
    name = cluster.owner.get_username()
    for path in ("/api/v1/pods", "/version", "/openapi/v2"):
        answer = client.get(f"/k8s/shop{path}", headers=headers)
        assert answer.status_code == 403, path
        assert answer.json()["message"].startswith(f'{what} is forbidden: User "{name}" cannot impersonate')
    assert client.get("/k8s/shop/version").status_code == 200


@pytest.mark.parametrize(
    "header, reference",
    [
        pytest.param("Impersonate-Group", "{Group  g    }", id="a group"),
        pytest.param("Impersonate-Uid", "{UID  g  authentication.k8s.io/v1  }", id="a uid"),
        pytest.param(
            "Impersonate-Extra-scopes", "{UserExtra  g  authentication.k8s.io/v1  scopes}", id="a field"
        ),
        pytest.param(
            "IMPERSONATE-EXTRA-", "{UserExtra  g  authentication.k8s.io/v1  }", id="a field without a name"
        ),
    ],
)
def test_what_of_nobody_is_asked_for_is_refused(client: Client, header: str, reference: str) -> None:
    """As Go prints the references that WithImpersonation makes of headers without a user."""
    cluster = make_cluster("shop")
    client.force_login(cluster.owner)
    answer = client.get("/k8s/shop/version", headers={header: "g"})
    said = f"requested [{reference}] without impersonating a user"
    assert (answer.status_code, answer.json()["message"]) == (400, said)
