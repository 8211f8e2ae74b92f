"""Traffic as package managers and terminal pages make it: much is applied, every kind is watched at once."""

from __future__ import annotations

import base64
import contextlib
import json
import ssl
import threading
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import kubernetes
import pytest

from tests.kube_api.live import Installation

pytestmark = [pytest.mark.deep, pytest.mark.together("kubectl")]

Json = dict[str, Any]
APPLY = "application/apply-patch+yaml"
MANAGER = "charts"


class Chart:
    """One release of a chart: what is applied, in which order, and the secrets that remember it."""

    def __init__(self, api: Any, namespace: str, count: int) -> None:
        self.api, self.namespace, self.count = api, namespace, count
        self.dynamic = kubernetes.dynamic.DynamicClient(api)
        self.core = kubernetes.client.CoreV1Api(api)

    def make(self, image: str) -> Iterator[Json]:
        """Objects in the order of installation."""
        labels = {"app.kubernetes.io/managed-by": "Charts", "app.kubernetes.io/instance": "shop"}
        for kind, content in (
            ("ServiceAccount", {}),
            ("Secret", {"stringData": {"password": "x"}}),
            ("ConfigMap", {"data": {"image": image}}),
        ):
            yield from (
                self._one("v1", kind, f"shop-{number}", labels, content) for number in range(self.count)
            )
        for number in range(self.count):
            name = f"shop-{number}"
            chosen = {"app": name}
            ports = {"selector": chosen, "ports": [{"port": 80, "targetPort": 8080}]}
            yield self._one("v1", "Service", name, labels, {"spec": ports})
            containers = [{"name": "app", "image": image, "env": [{"name": "N", "value": str(number)}]}]
            spec = {
                "replicas": 1,
                "selector": {"matchLabels": chosen},
                "template": {"metadata": {"labels": chosen}, "spec": {"containers": containers}},
            }
            yield self._one("apps/v1", "Deployment", name, labels, {"spec": spec})

    def _one(self, version: str, kind: str, name: str, labels: Json, content: Json) -> Json:
        metadata = {"name": name, "namespace": self.namespace, "labels": labels}
        return {"apiVersion": version, "kind": kind, "metadata": metadata, **content}

    def apply(self, image: str) -> None:
        """Server-side apply of everything."""
        for data in self.make(image):
            resource = self.dynamic.resources.get(api_version=data["apiVersion"], kind=data["kind"])
            answer = self.dynamic.server_side_apply(
                resource,
                body=data,
                name=data["metadata"]["name"],
                namespace=self.namespace,
                field_manager=MANAGER,
            )
            assert answer.metadata.managedFields[0].manager == MANAGER

    def remember(self, revision: int) -> None:
        """The release's secret; the one before is superseded."""
        labels = {"owner": "charts", "name": "shop", "status": "deployed", "version": str(revision)}
        name = f"sh.charts.release.v1.shop.v{revision}"
        content = {"release": base64.b64encode(b"z" * 200_000).decode()}
        body = {
            "metadata": {"name": name, "labels": labels},
            "type": "charts.sh/release.v1",
            "data": content,
        }
        self.core.create_namespaced_secret(self.namespace, body)
        for one in self.find("owner=charts,name=shop,status=deployed"):
            if one.metadata.name != name:
                patch = {"metadata": {"labels": {"status": "superseded"}}}
                self.core.patch_namespaced_secret(one.metadata.name, self.namespace, patch)

    def find(self, selector: str) -> list[Any]:
        """Secrets of releases."""
        return self.core.list_namespaced_secret(self.namespace, label_selector=selector).items

    def wait(self, image: str) -> None:
        """Poll, as `--wait` does, until every Deployment has all its pods from this image."""
        apps = kubernetes.client.AppsV1Api(self.api)

        def are_ready() -> bool:
            found = apps.list_namespaced_deployment(self.namespace).items
            return len(found) == self.count and all(
                one.spec.template.spec.containers[0].image == image
                and one.status.observed_generation == one.metadata.generation
                and one.status.updated_replicas == one.status.available_replicas == one.status.replicas == 1
                for one in found
            )

        until(are_ready, 120)


def until(holds: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "in time"
        time.sleep(0.3)


@pytest.fixture
def api(installation: Installation) -> Any:
    return kubernetes.config.new_client_from_config(str(installation.kubeconfig))


@pytest.fixture
def namespace(api: Any) -> Iterator[str]:
    name = f"t{time.time_ns() % 10**10}"
    core = kubernetes.client.CoreV1Api(api)
    core.create_namespace({"metadata": {"name": name}})
    yield name
    core.delete_namespace(name)


def test_a_chart_is_installed_upgraded_and_removed(api, namespace):
    chart = Chart(api, namespace, 8)
    for revision, image in ((1, "nginx:1.27"), (2, "nginx:1.28")):
        chart.apply(image)
        chart.remember(revision)
        chart.wait(image)
    states = {
        one.metadata.labels["version"]: one.metadata.labels["status"] for one in chart.find("owner=charts")
    }
    assert states == {"1": "superseded", "2": "deployed"}
    assert [one.metadata.name for one in chart.find("owner=charts,status in (deployed)")] == [
        "sh.charts.release.v1.shop.v2"
    ]
    # What is removed goes in one request a kind; what it leaves behind goes with it.
    instance = "app.kubernetes.io/instance=shop"
    apps = kubernetes.client.AppsV1Api(api)
    apps.delete_collection_namespaced_deployment(
        namespace, label_selector=instance, propagation_policy="Background"
    )
    for kind in ("service", "config_map", "secret", "service_account"):
        getattr(chart.core, f"delete_collection_namespaced_{kind}")(namespace, label_selector=instance)
    until(lambda: not chart.core.list_namespaced_pod(namespace).items, 90)
    left = chart.core.list_namespaced_config_map(namespace).items
    assert [one.metadata.name for one in left] == ["kube-root-ca.crt"]
    assert len(chart.find("owner=charts")) == 2


def list_watchable(api: Any) -> list[str]:
    """The path of every resource that can be watched."""
    found = []
    dynamic = kubernetes.dynamic.DynamicClient(api)
    for resource in dynamic.resources.search():
        if "watch" in (getattr(resource, "verbs", None) or ()) and "/" not in resource.name:
            place = f"apis/{resource.group}/{resource.api_version}" if resource.group else "api/v1"
            found.append(f"/{place}/{resource.name}")
    return sorted(set(found))


def test_every_kind_is_watched_at_once(api, installation, namespace):
    """Each watch begins with what is there, tells of every change once, and ends when its time is over."""
    paths = list_watchable(api)
    assert len(paths) > 50
    cluster = installation.config["clusters"][0]["cluster"]
    server = cluster["server"]
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    context = ssl.create_default_context(cadata=authority)
    headers = {"Authorization": f"Bearer {installation.config['users'][0]['user']['token']}"}
    told: dict[str, list[Json]] = defaultdict(list)
    problems: list[str] = []
    begun = threading.Barrier(len(paths) + 1, timeout=120)

    def follow(path: str) -> None:
        query = (
            "watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
            "&resourceVersionMatch=NotOlderThan&timeoutSeconds=40"
        )
        try:
            answer = urllib.request.urlopen(
                urllib.request.Request(f"{server}{path}?{query}", headers=headers),
                context=context,
                timeout=120,
            )
            is_begun = False
            for event in answer:
                told[path].append(json.loads(event))
                if not is_begun and told[path][-1]["type"] == "BOOKMARK":
                    is_begun = True
                    begun.wait()
        except Exception as problem:
            problems.append(f"{path}: {problem!r}")
            begun.abort()

    threads = [threading.Thread(target=follow, args=(path,), daemon=True) for path in paths]
    for thread in threads:
        thread.start()
    with contextlib.suppress(threading.BrokenBarrierError):
        begun.wait()
    assert not problems
    Chart(api, namespace, 4).apply("nginx:1.27")
    metrics = kubernetes.client.CustomObjectsApi(api)
    for _ in range(10):
        metrics.list_cluster_custom_object("metrics.k8s.io", "v1beta1", "pods")
        metrics.list_cluster_custom_object("metrics.k8s.io", "v1beta1", "nodes")
        time.sleep(0.2)
    for thread in threads:
        thread.join(90)
    assert not problems
    assert not [thread for thread in threads if thread.is_alive()]
    for path, events in told.items():
        versions = [event["object"]["metadata"]["resourceVersion"] for event in _changes(events)]
        assert versions == sorted(set(versions), key=int), f"{path}: each change once, in order"
        assert {event["type"] for event in events} <= {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"}
    added = [event["object"]["metadata"] for event in _changes(told["/apis/apps/v1/deployments"])]
    assert {one["name"] for one in added if one["namespace"] == namespace} == {f"shop-{n}" for n in range(4)}


def _changes(events: list[Json]) -> list[Json]:
    """What came behind what was there at first."""
    types = [event["type"] for event in events]
    behind = events[types.index("BOOKMARK") + 1 :]
    return [event for event in behind if event["type"] != "BOOKMARK"]
