"""Pages, the admin and kubectl say the same of the same objects: one judge says it."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
import yaml
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from lifecycle import tokens
from lifecycle.judge import judge_workload
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.seen import judge, see_workload
from lifecycle.recorded.verdict import read_verdict
from tests.dashboard.conftest import make_user, record
from tests.dashboard.rows import transition
from tests.engine.controllers.door import MISSING, Door
from tests.engine.kinds.kept import keep

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

POD = {"containers": [{"name": "c", "image": "nginx:1"}]}
CRASHES = {"containers": [{"name": "c", "image": "busybox", "command": ["sh", "-c", "sleep 5; exit 3"]}]}
CANNOT_BE_PULLED = {"containers": [{"name": "c", "image": MISSING}]}


def make_deployment(name: str, pod: dict[str, Any]) -> dict[str, Any]:
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default", "labels": labels},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def make_pod(name: str, pod: dict[str, Any]) -> dict[str, Any]:
    meta = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": pod}


@pytest.fixture
def cluster() -> Cluster:
    """Two workloads and three pods by themselves: one of each is well, and one pod if its image is."""
    door = Door()
    door.apply(make_deployment("fine", POD))
    door.apply(make_deployment("bad", CRASHES))
    door.apply(make_pod("good", POD))
    door.apply(make_pod("lost", CANNOT_BE_PULLED))
    door.apply(make_pod("guessed", {"containers": [{"name": "c", "image": "ngnix:1"}]}))
    return keep(door.run(90).cluster)


def read_text(client: Client, address: str) -> str:
    found = client.get(address)
    assert found.status_code == 200, address
    text = re.sub(r"<[^>]+>", " ", html.unescape(found.content.decode()))
    return re.sub(r"\s+", " ", text)


def get_verdicts(cluster: Cluster, path: str = "", accept: str = "application/json") -> tuple[int, Any]:
    token = tokens.issue(cluster.owner, cluster)
    base = f"/k8s/{cluster.name}/apis/podline.dev/v1alpha1/namespaces/default/verdicts{path}"
    found = Client().get(base, headers={"Authorization": f"Bearer {token}", "Accept": accept})
    return found.status_code, json.loads(found.content)


@pytest.mark.parametrize(
    "kind, name, page, is_well, word",
    [
        ("Deployment", "fine", "deployments/default/fine/", True, "Successfully rolled out."),
        ("Deployment", "bad", "deployments/default/bad/", False, "c ended with exit code 3"),
        ("Pod", "good", "pods/default/good/", True, ""),
        ("Pod", "lost", "pods/default/lost/", False, "ImagePullBackOff"),
        (
            *("Pod", "guessed", "pods/default/guessed/", True),
            ", if ngnix:1 can be pulled and starts (did you mean nginx:1?).",
        ),
    ],
)
def test_page_admin_and_kubectl_say_one_sentence(
    client: Client, cluster: Cluster, kind: str, name: str, page: str, is_well: bool, word: str
) -> None:
    code, told = get_verdicts(cluster, f"/{kind.lower()}.{name}")
    assert (code, told["status"]["well"]) == (200, is_well)
    sentence = told["status"]["why"]
    assert word in sentence
    client.force_login(cluster.owner)
    assert sentence in read_text(client, f"/clusters/{cluster.name}/{page}")
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    stored = StoredObject.objects.get(cluster=cluster, kind=kind, name=name)
    assert sentence in read_text(client, f"/admin/lifecycle/storedobject/{stored.pk}/change/")


def test_of_other_objects_and_of_what_is_gone_the_admin_says_nothing(
    client: Client, cluster: Cluster
) -> None:
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    node = StoredObject.objects.filter(cluster=cluster, kind="Node").first()
    StoredObject.objects.filter(cluster=cluster, name="good").update(deleted_ms=5)
    gone = StoredObject.objects.get(cluster=cluster, name="good")
    for stored in (node, gone):
        assert " Why: - " in read_text(client, f"/admin/lifecycle/storedobject/{stored.pk}/change/")


def test_the_admin_says_how_a_cluster_stands(client: Client, cluster: Cluster) -> None:
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    told = read_text(client, f"/admin/lifecycle/cluster/{cluster.pk}/change/")
    assert "2 problems: 2 pods are not well. " in told
    assert "c ended with exit code 3" in told and "lost: ImagePullBackOff" in told


def test_kubectl_lists_what_the_judge_says(cluster: Cluster) -> None:
    table = "application/json;as=Table;v=v1;g=meta.k8s.io"
    with CaptureQueriesContext(connection) as asked:
        _, found = get_verdicts(cluster, accept=table)
    of_nodes = f'"{StoredObject._meta.db_table}"."kind" = \'Node\''
    assert sum(of_nodes in one["sql"] for one in asked) == 1, "once for all of them"
    assert [one["name"] for one in found["columnDefinitions"]] == ["Name", "Well", "Why"]
    assert [row["cells"][:2] for row in found["rows"]] == [
        ["deployment.bad", "False"],
        ["deployment.fine", "True"],
        ["pod.good", "True"],
        ["pod.guessed", "True"],
        ["pod.lost", "False"],
    ]
    _, chosen = get_verdicts(cluster, "?labelSelector=app%3Dbad")
    assert [one["metadata"]["name"] for one in chosen["items"]] == ["deployment.bad"]


def test_what_is_not_there_has_no_verdict(cluster: Cluster) -> None:
    code, told = get_verdicts(cluster, "/deployment.other")
    assert (code, told["message"]) == (404, 'verdicts.podline.dev "deployment.other" not found')


def test_a_verdict_is_only_read(cluster: Cluster) -> None:
    token = tokens.issue(cluster.owner, cluster)
    address = f"/k8s/{cluster.name}/apis/podline.dev/v1alpha1/namespaces/default/verdicts"
    found = Client().post(
        address, "{}", content_type="application/json", headers={"Authorization": f"Bearer {token}"}
    )
    assert found.status_code == 405


RETRIED = """
apiVersion: batch/v1
kind: Job
metadata: {name: work, namespace: default}
spec:
  completions: 4
  parallelism: 2
  completionMode: Indexed
  template:
    metadata: {annotations: {podline.dev/behavior: "c: {runs: [{for: 10s, exit: 1}, {for: 20s, exit: 0}]}"}}
    spec: {restartPolicy: OnFailure, containers: [{name: c, image: "sim/task:1"}]}
"""


def test_a_job_that_is_complete_is_well_whatever_its_pods_went_through() -> None:
    """Each of them was ready, crashed, was ready again, and ended."""
    door = Door()
    door.apply(yaml.safe_load(RETRIED))
    cluster = keep(door.run(300).cluster)
    stored = StoredObject.objects.get(cluster=cluster, kind="Job")
    told = judge(cluster, stored, cluster.instant_ms)
    assert told is not None and told.is_well, told
    assert "ready and then not" not in told.sentence
    assert read_verdict(cluster, cluster.instant_ms).sentence.startswith("Nothing is wrong: 4 succeeded")


# --- what a verdict costs -----------------------------------------------------------------------------------


def make_many(kind: str, replicas: int) -> Cluster:
    manifest = make_deployment("web", POD)
    manifest["kind"], manifest["spec"]["replicas"] = kind, replicas
    if kind == "StatefulSet":
        manifest["spec"] |= {"serviceName": "web", "podManagementPolicy": "Parallel"}
    door = Door()
    door.apply(manifest)
    return keep(door.run(60).cluster)


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_pods_that_are_well_are_not_read_for_a_verdict(kind: str) -> None:
    cluster = make_many(kind, 70)
    stored = StoredObject.objects.get(cluster=cluster, kind=kind)
    with CaptureQueriesContext(connection) as queries:
        seen = see_workload(cluster, stored, cluster.instant_ms)
        told = judge_workload(seen)
    assert told.is_well, told.sentence
    assert not [one for one in seen.pods if "spec" in one.data]
    # Each is counted once.
    assert len(seen.pods) + sum(seen.others.values()) == 70
    assert len(queries) < 30


def test_of_many_ordinals_the_one_that_is_waited_for_is_named() -> None:
    """However many are well before it."""
    cluster = make_many("StatefulSet", 70)
    pod = StoredObject.objects.get(cluster=cluster, kind="Pod", name="web-66")
    pod.state, pod.data["status"] = "notReady", {"phase": "Running"}
    pod.save()
    stored = StoredObject.objects.get(cluster=cluster, kind="StatefulSet")
    stored.data["spec"]["podManagementPolicy"] = "OrderedReady"
    stored.data["spec"]["replicas"] = 71
    told = judge_workload(see_workload(cluster, stored, cluster.instant_ms))
    assert "waits for web-66 to be available" in told.sentence


@pytest.mark.parametrize("field", ["eviction", "condition.DisruptionTarget"])
def test_a_pod_that_is_well_is_read_where_something_is_said_of_it(field: str) -> None:
    cluster = make_many("Deployment", 3)
    pod = StoredObject.objects.filter(cluster=cluster, kind="Pod").order_by("name").first()
    assert pod is not None
    row = transition(50_000, field, "refused" if field == "eviction" else "True", reason="web")
    about = {"uid": pod.uid, "kind": "Pod", "group": "", "namespace": "default", "name": pod.name}
    record(cluster, [row | about | {"owner": pod.owner}])
    stored = StoredObject.objects.get(cluster=cluster, kind="Deployment")
    seen = see_workload(cluster, stored, 55_000)
    assert [one.data["metadata"]["name"] for one in seen.pods] == [pod.name]
