"""What was remarked of manifests stays in view until it is dismissed, whichever way they came in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from dashboard.asking.manifest_reports import Section
from dashboard.asking.remarks import MOST_DISMISSED, dismiss_remarks, keep_remarks, read_remarks
from lifecycle.models import Cluster, Command
from tests.dashboard.conftest import make_user
from tests.engine.controllers.door import Door
from tests.engine.kinds.kept import keep

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

CERTIFICATE = {
    "apiVersion": "cert-manager.io/v1",
    "kind": "Certificate",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"secretName": "web"},
}
STORED = "Certificate.cert-manager.io (1): stored unchecked; no CustomResourceDefinition of them is given"


def give(cluster: Cluster, kind: str, payload: dict[str, Any], code: int = 200) -> Command:
    """A command that was carried out."""
    cluster.inbox_order += 1
    cluster.save()
    return Command.objects.create(
        cluster=cluster,
        order=cluster.inbox_order,
        kind=kind,
        payload=payload,
        state=Command.State.DONE,
        result={"code": code},
        instant_ms=0,
    )


@pytest.fixture
def cluster() -> Cluster:
    """A Certificate is there, and nobody was asked to make it yet."""
    door = Door()
    door.apply(CERTIFICATE)
    return keep(door.run(1).cluster)


@pytest.mark.parametrize(
    "kind, payload",
    [
        pytest.param("apply", {"object": CERTIFICATE}, id="a page, a plan"),
        pytest.param("create", {"object": CERTIFICATE, "namespace": "default"}, id="kubectl create, REST"),
        pytest.param("replace", {"object": CERTIFICATE}, id="the admin, kubectl replace"),
        pytest.param(
            "patch",
            {"type": "apply", "kind": "Certificate", "name": "web", "patch": CERTIFICATE},
            id="kubectl apply --server-side",
        ),
    ],
)
def test_what_is_only_stored_is_said_however_it_came(
    client: Client, cluster: Cluster, kind: str, payload: dict[str, Any]
) -> None:
    client.force_login(cluster.owner)
    assert STORED not in client.get(f"/clusters/{cluster.name}/").content.decode()
    give(cluster, kind, payload)
    assert STORED in client.get(f"/clusters/{cluster.name}/").content.decode()
    assert STORED in client.get(f"/clusters/{cluster.name}/remarks/").content.decode()


@pytest.mark.parametrize(
    "kind, payload, code",
    [
        pytest.param("apply", {"object": CERTIFICATE}, 422, id="refused"),
        pytest.param("apply", {"object": CERTIFICATE, "dryRun": True}, 200, id="a dry run"),
        pytest.param("scale", {"kind": "Deployment", "name": "web", "replicas": 2}, 200, id="no object"),
        pytest.param("apply", {"object": CERTIFICATE | {"metadata": {"name": "gone"}}}, 200, id="gone since"),
    ],
)
def test_what_is_not_there_is_not_remarked(cluster: Cluster, kind: str, payload: Any, code: int) -> None:
    give(cluster, kind, payload, code)
    assert read_remarks({}, cluster) == []


def test_what_was_dismissed_is_told_no_more_and_what_is_new_is(client: Client, cluster: Cluster) -> None:
    give(cluster, "apply", {"object": CERTIFICATE})
    client.force_login(cluster.owner)
    address = f"/clusters/{cluster.name}/remarks/"
    assert STORED not in client.post(address).content.decode()
    assert STORED not in client.get(address).content.decode()
    door = Door()
    for name in ("web", "shop"):
        door.apply(CERTIFICATE | {"metadata": {"name": name, "namespace": "default"}})
    other = keep(door.run(1).cluster)
    for name in ("web", "shop"):
        give(other, "apply", {"object": CERTIFICATE | {"metadata": {"name": name, "namespace": "default"}}})
    lines = [line for one in read_remarks({}, other) for line in one.lines]
    assert STORED.replace("(1)", "(2)") in lines


def test_each_looks_with_eyes_of_their_own(client: Client, cluster: Cluster) -> None:
    give(cluster, "apply", {"object": CERTIFICATE})
    client.force_login(cluster.owner)
    client.post(f"/clusters/{cluster.name}/remarks/")
    other = Client()
    other.force_login(cluster.owner)
    assert STORED in other.get(f"/clusters/{cluster.name}/remarks/").content.decode()


def test_a_stranger_is_told_nothing(client: Client, cluster: Cluster) -> None:
    client.force_login(make_user("bob"))
    for ask in (client.get, client.post):
        assert ask(f"/clusters/{cluster.name}/remarks/").status_code == 404


def test_what_the_reading_of_files_told_is_kept_and_bounded(cluster: Cluster) -> None:
    session: dict[str, Any] = {}
    keep_remarks(session, cluster, [Section("Left out", ("Pod web-1: its owner makes it again",))])
    assert read_remarks(session, cluster) == [Section("Left out", ("Pod web-1: its owner makes it again",))]
    keep_remarks(session, cluster, [Section("Left out", tuple(f"Pod {n}: x" for n in range(900)))])
    dismiss_remarks(session, cluster)
    assert read_remarks(session, cluster) == []
    assert len(session["dismissed-remarks"][str(cluster.uuid)]) <= MOST_DISMISSED
    json.dumps(session)


def test_a_run_from_the_first_page_says_what_a_cluster_page_would(client: Client) -> None:
    """That nothing acts on it, and what was left out, in the cluster that it made."""
    client.force_login(make_user())
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "web-1",
            "namespace": "default",
            "uid": "2",
            "resourceVersion": "8",
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1", "controller": True}
            ],
        },
        "spec": {"containers": [{"name": "c", "image": "nginx"}]},
    }
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "web", "namespace": "default", "uid": "1", "resourceVersion": "7"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod["spec"]},
        },
    }
    manifest = "\n---\n".join(json.dumps(one) for one in (owner, pod))
    answer = client.post("/try/", {"manifest": manifest}, headers={"HX-Request": "true"})
    page = client.get(answer["HX-Redirect"]).content.decode()
    assert "Left out" in page and "web-1" in page
