"""What tells the kinds of workloads apart: whose pods may be replaced by any, whose by the same alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.api.desk import Desk, Json, make, make_deployment, make_pod
from tests.engine.api.test_custom_resources import define, make_box

MINUTE_MS = 60_000


def make_database() -> Json:
    labels = {"app": "db"}
    containers = [
        {**make_pod()["spec"]["containers"][0], "volumeMounts": [{"name": "data", "mountPath": "/d"}]}
    ]
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    spec = {
        "serviceName": "db",
        "replicas": 2,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
        "volumeClaimTemplates": [claim],
    }
    return make("StatefulSet", "db", spec=spec) | {"apiVersion": "apps/v1"}


def run(desk: Desk) -> None:
    desk.cluster.run_until(desk.cluster.now_ms + 2 * MINUTE_MS)


def list_pods(desk: Desk, app: str) -> dict[str, Json]:
    """By name; those that stay."""
    pods = [pod for pod in desk.cluster.list("Pod") if pod["metadata"]["labels"]["app"] == app]
    return {pod["metadata"]["name"]: pod for pod in pods if "deletionTimestamp" not in pod["metadata"]}


@pytest.mark.spec("OVER-05")
def test_any_pod_of_a_deployment_may_take_the_place_of_another():
    desk = Desk()
    assert desk.create(make_deployment(2)).ok
    run(desk)
    before = list_pods(desk, "web")
    gone, kept = before
    assert desk.delete("Pod", gone).ok
    run(desk)
    after = list_pods(desk, "web")
    assert len(after) == 2 and kept in after and gone not in after


@pytest.mark.spec("OVER-06")
def test_the_pod_that_follows_in_a_stateful_set_has_the_name_and_the_volume_of_the_one_before():
    desk = Desk()
    assert desk.create(make_database()).ok
    run(desk)
    before, claim = list_pods(desk, "db")["db-1"], desk.get("PersistentVolumeClaim", "data-db-1")
    assert claim is not None and claim["status"]["phase"] == "Bound"
    assert desk.delete("Pod", "db-1").ok
    run(desk)
    after = list_pods(desk, "db")["db-1"]
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert _claims(after) == _claims(before) == ["data-db-1"]
    kept = desk.get("PersistentVolumeClaim", "data-db-1")
    assert kept is not None
    assert (kept["metadata"]["uid"], kept["spec"]["volumeName"]) == (
        claim["metadata"]["uid"],
        claim["spec"]["volumeName"],
    )


def _claims(pod: Json) -> list[str]:
    volumes: list[dict[str, Any]] = pod["spec"]["volumes"]
    return [one["persistentVolumeClaim"]["claimName"] for one in volumes if "persistentVolumeClaim" in one]


@pytest.mark.spec("OVER-09")
def test_nobody_acts_on_a_kind_that_somebody_has_defined():
    desk = define()
    desk.take_versions()
    assert desk.create(make_box(size=3)).ok
    run(desk)
    assert [one["metadata"]["name"] for one in desk.cluster.list("Box.example.org")] == ["a"]
    assert desk.take_versions() == [("ADDED", "Box")]


@pytest.mark.spec("OVER-12")
def test_a_service_leads_to_the_ready_pods_of_a_workload():
    desk = Desk()
    assert desk.create(make_deployment(2)).ok
    spec = {"selector": {"app": "web"}, "ports": [{"port": 80}]}
    assert desk.create(make("Service", spec=spec)).ok
    assert desk.create(make_pod("stranger", {"labels": {"app": "other"}})).ok
    run(desk)
    (found,) = [
        one
        for one in desk.cluster.list("EndpointSlice")
        if one["metadata"]["labels"]["kubernetes.io/service-name"] == "web"
    ]
    told = {one["targetRef"]["name"]: one["conditions"]["ready"] for one in found["endpoints"]}
    assert told == dict.fromkeys(list_pods(desk, "web"), True) and len(told) == 2
