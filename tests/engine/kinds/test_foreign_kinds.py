"""Kinds of other groups that are called as Kubernetes' own: stored as what they are, acted on by nobody."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command
from lifecycle.engine.heart.trace import Transition, row_to_json
from tests.engine.kinds.both import FOREIGN, POD_SPEC, TWO_GATEWAYS, make_foreign, make_ours


def submit(cluster: Cluster, kind: str, /, **payload: Any) -> Any:
    return cluster.submit(Command(id=f"{kind}-{cluster.now_ms}", kind=kind, payload=payload))


def create(cluster: Cluster, data: dict[str, Any]) -> dict[str, Any]:
    result = submit(cluster, "create", object=data)
    assert result.ok, result.status
    return result.object


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.mark.parametrize("api_version, kind, group", FOREIGN)
@pytest.mark.parametrize("is_first", [True, False], ids=["before ours", "after ours"])
def test_it_stands_beside_ours_of_the_same_name(
    cluster: Cluster, api_version: str, kind: str, group: str, is_first: bool
) -> None:
    both = [make_foreign(api_version, kind), make_ours(kind)]
    made = [create(cluster, data) for data in (both if is_first else reversed(both))]
    foreign, ours = made if is_first else reversed(made)
    assert foreign["metadata"]["uid"] != ours["metadata"]["uid"]
    space = ours["metadata"].get("namespace")
    found = cluster.get(f"{kind}.{group}", "default", "same")
    assert found is not None
    assert (found["apiVersion"], found["metadata"]["uid"]) == (api_version, foreign["metadata"]["uid"])
    of_ours = cluster.get(kind, space, "same")
    assert of_ours is not None
    assert (of_ours["apiVersion"], of_ours["metadata"]["uid"]) == (
        ours["apiVersion"],
        ours["metadata"]["uid"],
    )
    assert [one["metadata"]["name"] for one in cluster.list(f"{kind}.{group}")] == ["same"]
    assert [one["apiVersion"] for one in cluster.list(kind)].count(api_version) == 0


@pytest.mark.parametrize("api_version, kind, group", FOREIGN)
def test_nothing_of_ours_is_asked_of_it_nor_put_into_it(
    cluster: Cluster, api_version: str, kind: str, group: str
) -> None:
    data = make_foreign(api_version, kind)
    found = create(cluster, data)
    assert found["spec"] == data["spec"], "no defaults of ours"
    assert found["status"] == data["status"], "nor is its status ours to drop"
    # Every field of it can change, whatever stays for life with ours.
    changed = {**found, "spec": {"selector": {"matchLabels": {"other": "label"}}, "template": 5}}
    result = submit(cluster, "replace", object=changed)
    assert result.ok, result.status
    assert result.object["spec"] == changed["spec"]


@pytest.mark.parametrize("api_version, kind, group", FOREIGN)
def test_it_makes_no_pods_and_is_no_node(cluster: Cluster, api_version: str, kind: str, group: str) -> None:
    nodes = len(cluster.list("Node"))
    create(cluster, make_foreign(api_version, kind))
    cluster.run_until(60_000)
    assert cluster.list("Pod") == []
    assert [one["metadata"]["name"] for one in cluster.list("EndpointSlice")] == ["kubernetes"]
    assert len(cluster.list("Node")) == nodes


@pytest.mark.parametrize("api_version, kind, group", FOREIGN)
def test_its_rows_say_its_group(cluster: Cluster, api_version: str, kind: str, group: str) -> None:
    cluster.take_changes()
    create(cluster, make_foreign(api_version, kind))
    create(cluster, make_ours(kind))
    rows = [
        row for row in cluster.take_changes().rows if isinstance(row, Transition) and row.field == "exists"
    ]
    named = [row_to_json(row) for row in rows if row.subject.name == "same"]
    assert (named[0]["kind"], named[0]["group"]) == (kind, group)
    assert {row["group"] for row in named if row["kind"] == kind} == {
        group,
        make_ours(kind)["apiVersion"].rpartition("/")[0],
    }
    assert list(named[0])[-2:] == ["detail", "group"]


def test_a_history_of_ours_does_not_depend_on_foreign_objects() -> None:
    """Uids are drawn by kind and name: whose kind it is counts."""
    alone, beside = Cluster(), Cluster()
    create(beside, make_foreign("serving.knative.dev/v1", "Service"))
    ours = create(alone, make_ours("Service")), create(beside, make_ours("Service"))
    assert ours[0]["metadata"]["uid"] == ours[1]["metadata"]["uid"]


def test_two_foreign_kinds_of_one_name_are_told_apart_by_their_group(cluster: Cluster) -> None:
    first, second = (create(cluster, make_foreign(version, "Gateway")) for version in TWO_GATEWAYS)
    address = {"namespace": "default", "name": "same"}
    refused = submit(cluster, "delete", kind="Gateway", **address)
    assert refused.code == 400
    message = refused.status["message"]
    assert "Gateway.gateway.networking.k8s.io or Gateway.networking.istio.io" in message
    for naming in (
        {"kind": "Gateway", "apiVersion": TWO_GATEWAYS[1]},
        {"kind": "Gateway", "group": "gateway.networking.k8s.io"},
    ):
        assert submit(cluster, "delete", **naming, **address).ok
    assert first["metadata"]["uid"] != second["metadata"]["uid"]
    assert "Gateway.networking.istio.io" not in cluster.kinds()


@pytest.mark.parametrize(
    "naming, gone",
    [
        ({"kind": "Service"}, "Service"),
        ({"kind": "Service", "apiVersion": "v1"}, "Service"),
        ({"kind": "Service", "group": ""}, "Service"),
        ({"kind": "Service", "apiVersion": "serving.knative.dev/v1"}, "Service.serving.knative.dev"),
        ({"kind": "Service", "group": "serving.knative.dev"}, "Service.serving.knative.dev"),
        ({"kind": "Service.serving.knative.dev"}, "Service.serving.knative.dev"),
    ],
)
def test_a_command_names_ours_unless_it_says_the_group(
    cluster: Cluster, naming: dict[str, str], gone: str
) -> None:
    create(cluster, make_foreign("serving.knative.dev/v1", "Service"))
    create(cluster, make_ours("Service"))
    assert submit(cluster, "delete", namespace="default", name="same", **naming).ok
    left = {"Service", "Service.serving.knative.dev"} - {gone}
    for kind in left:
        assert cluster.get(kind, "default", "same") is not None
    assert cluster.get(gone, "default", "same") is None


def test_a_foreign_kind_alone_is_found_by_its_bare_name(cluster: Cluster) -> None:
    create(cluster, make_foreign("networking.istio.io/v1", "Gateway"))
    assert submit(cluster, "delete", kind="Gateway", namespace="default", name="same").ok


def test_what_is_not_there_is_named_with_its_group(cluster: Cluster) -> None:
    result = submit(cluster, "delete", kind="Job.batch.volcano.sh", namespace="default", name="a")
    assert result.status["message"] == 'jobs.batch.volcano.sh "a" not found'


def test_it_cannot_be_scaled_nor_rolled_out_as_ours(cluster: Cluster) -> None:
    create(cluster, make_foreign("apps.kruise.io/v1beta1", "StatefulSet"))
    naming = {"kind": "StatefulSet.apps.kruise.io", "namespace": "default", "name": "same"}
    assert "has no size" in submit(cluster, "scale", replicas=2, **naming).status["message"]
    assert "no rollout" in submit(cluster, "rollout", action="restart", **naming).status["message"]


def test_an_owner_of_a_foreign_kind_is_named_with_its_group(cluster: Cluster) -> None:
    owner = create(cluster, make_foreign("apps.kruise.io/v1beta1", "StatefulSet"))
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": "same",
        "uid": owner["metadata"]["uid"],
        "controller": True,
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "same-0", "ownerReferences": [reference]},
        "spec": POD_SPEC,
    }
    create(cluster, pod)
    found = cluster.find("Pod", "default", "same-0")
    assert found is not None
    assert found.subject.owner == "StatefulSet.apps.kruise.io/same"
    assert submit(cluster, "delete", kind="StatefulSet.apps.kruise.io", name="same").ok
    cluster.run_until(120_000)
    assert cluster.get("Pod", "default", "same-0") is None, "dependents follow an owner of any kind"


def test_both_survive_a_checkpoint(cluster: Cluster) -> None:
    for api_version, kind, _group in FOREIGN:
        create(cluster, make_foreign(api_version, kind))
        create(cluster, make_ours(kind))
    cluster.take_changes()
    saved = json.loads(json.dumps(cluster.save()))
    loaded = Cluster.load(saved)
    assert loaded.kinds() == cluster.kinds()
    for kind in cluster.kinds():
        assert loaded.list(kind) == cluster.list(kind)
    assert json.loads(json.dumps(loaded.save())) == saved
