"""What pages say of stored objects is what the engine's rules say of them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.pages.cluster.readings import describe_workload, list_missing
from lifecycle.engine.controllers.deployment.decide.rollout_status import decide_rollout_status
from lifecycle.engine.kinds.daemon_set import DAEMON_SET
from lifecycle.engine.kinds.deployment import DEPLOYMENT
from lifecycle.models import StoredObject
from tests.dashboard.conftest import make_cluster, make_user
from tests.engine.controllers.deployments.test_progress import make


@pytest.mark.parametrize(
    "status, spec, words",
    [
        ({"updatedReplicas": 2}, {}, "2 out of 3 new replicas have been updated"),
        ({"updatedReplicas": 2}, {"paused": True}, "paused, 2 out of 3 new replicas have been updated"),
        ({"updatedReplicas": 3, "replicas": 4}, {}, "1 old replicas are pending termination"),
        ({"updatedReplicas": 3, "replicas": 3, "availableReplicas": 3}, {}, "successfully rolled out"),
    ],
)
def test_pages_say_what_kubectl_says_without_the_name(
    status: dict[str, Any], spec: dict[str, Any], words: str
):
    deployment = make(status, **spec)
    assert describe_workload(DEPLOYMENT, deployment.to_json()).partition(" · ")[2] == words
    assert words.removeprefix("paused, ") in decide_rollout_status(deployment).text


def test_pages_say_it_of_a_daemon_set_too():
    status = {"desiredNumberScheduled": 3, "updatedNumberScheduled": 3, "numberAvailable": 1}
    spec = {"updateStrategy": {"type": "RollingUpdate"}}
    data = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"}, "spec": spec}
    words = describe_workload(DAEMON_SET, {**data, "status": status})
    assert words == "0 of 3 ready · 1 of 3 updated pods are available"


@pytest.mark.slow
@pytest.mark.django_db
def test_a_clusters_page_names_what_its_workloads_need_and_nobody_made(client: Client) -> None:
    user = make_user()
    cluster = make_cluster(user)

    def store(
        api_version: str, kind: str, name: str, spec: dict[str, Any] | None = None, **more: Any
    ) -> None:
        metadata = {"name": name, "namespace": "shop"}
        data = {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
        row = {"kind": kind, "group": api_version.rpartition("/")[0], "namespace": "shop", "name": name}
        StoredObject.objects.create(cluster=cluster, uid=name, rv=1, data=data, **row, **more)

    sources = [{"configMapRef": {"name": name}} for name in ("there", "gone", "never")]
    pod = {"containers": [{"name": "app", "image": "nginx", "envFrom": sources}]}
    store("apps/v1", "Deployment", "web", {"template": {"spec": pod}})
    store("v1", "Pod", "web-1", pod, owner="ReplicaSet/web-1")
    store("v1", "ConfigMap", "there")
    store("v1", "ConfigMap", "gone", deleted_ms=5)
    assert [(one.name, one.needed_by) for one in list_missing(cluster)] == [
        ("gone", "Deployment shop/web"),
        ("never", "Deployment shop/web"),
    ]
    client.force_login(user)
    page = client.get(f"/clusters/{cluster.name}/").content.decode()
    assert "ConfigMap shop/never, wanted by Deployment shop/web" in page
