"""A cluster that serves the Kubernetes API to controllers under test, and the clock that a test turns."""

from __future__ import annotations

import shutil
import time

import kubernetes
import pytest

from podline import served
from podline.served import ApiServer, ServerFailed
from tests.kube_api.live import find_kubectl
from tests.podline.conftest import run

pytestmark = pytest.mark.together("served")

LABELS = {"app": "web"}
WEB = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": LABELS},
        "template": {
            "metadata": {"labels": LABELS},
            "spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]},
        },
    },
}


def test_without_the_server_it_is_said_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(served, "find_spec", lambda name: None if name == "celery" else object())
    with pytest.raises(ServerFailed, match=r"celery is missing: run pip install 'podline\[server\]'"):
        ApiServer(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def server(tmp_path_factory, kept_database):
    folder = tmp_path_factory.mktemp("served")
    if kept_database.exists():
        shutil.copy(kept_database, folder / "podline.sqlite3")
    with ApiServer(folder) as started:
        yield started
    assert started._process.returncode == 0


@pytest.fixture
def cluster(server, request):
    made = server.make_cluster(request.node.name.replace("_", "-")[:60].strip("-"), nodes=2, seed=7)
    yield made
    made.delete()


def connect(cluster) -> kubernetes.client.ApiClient:
    return kubernetes.config.new_client_from_config(str(cluster.kubeconfig))


@pytest.mark.slow
class TestClusters:
    def test_time_stands_until_it_is_turned(self, cluster):
        with connect(cluster) as client:
            apps, core = kubernetes.client.AppsV1Api(client), kubernetes.client.CoreV1Api(client)
            apps.create_namespaced_deployment("default", WEB)
            assert cluster.now_ms == 0
            assert len(core.list_node().items) == 2
            assert cluster.run_until("deployment/web Available")
            assert apps.read_namespaced_deployment("web", "default").status.available_replicas == 2
        reached_ms = cluster.now_ms
        cluster.run_for("90s")
        assert cluster.now_ms == reached_ms + 90_000

    def test_kubectl_waits_while_time_runs(self, cluster, tmp_path):
        kubectl = [find_kubectl(), "--kubeconfig", cluster.kubeconfig]
        assert run([*kubectl, "create", "deployment", "web", "--image=nginx:1.27"], tmp_path).returncode == 0
        cluster.run_at(100)
        done = run([*kubectl, "rollout", "status", "deployment/web", "--timeout=60s"], tmp_path)
        cluster.pause()
        assert "successfully rolled out" in done.stdout, done.stderr
        stands_ms = cluster.now_ms
        time.sleep(0.05)
        assert cluster.now_ms == stands_ms > 0

    @pytest.mark.parametrize(
        "when, limit, reached, now_ms",
        [
            pytest.param("30s", "1h", True, 30_000, id="an instant"),
            pytest.param("30s", "10s", False, 10_000, id="the limit is before the instant"),
            pytest.param("deployment/web Available", "10s", False, 10_000, id="nobody makes it"),
            pytest.param("node/node-1 exists", 0, True, 0, id="it holds already"),
            pytest.param("node/node-1 gone", "5s", False, 5_000, id="it never holds"),
        ],
    )
    def test_a_run_ends_at_its_end_or_at_its_limit(self, server, when, limit, reached, now_ms):
        cluster = server.make_cluster("ends")
        try:
            assert cluster.run_until(when, limit=limit) is reached
            assert cluster.now_ms == now_ms
        finally:
            cluster.delete()

    @pytest.mark.parametrize(
        "ask, said",
        [
            (lambda one: one.make_cluster("Not A Label"), "DNS label"),
            (lambda one: one.make_cluster("a", nodes=-1), "nodes"),
            (lambda one: one.make_cluster("a", timing="slow"), "slow"),
            (lambda one: one.make_cluster("a", kubernetes="1.2"), "1.2"),
            (lambda one: one.make_cluster("a", colour="red"), "colour"),
            (lambda one: one.ask("look", name="nobody"), "there is no cluster nobody"),
            (lambda one: one.ask("dance", name="nobody"), "dance"),
        ],
    )
    def test_what_cannot_be_done_is_said(self, server, ask, said):
        with pytest.raises(ValueError, match=said):
            ask(server)

    def test_the_same_seed_gives_the_same_names(self, server):
        names = []
        for number in (1, 2):
            cluster = server.make_cluster(f"twin-{number}", seed=3, epoch="2026-01-01T00:00:00Z")
            with connect(cluster) as client:
                kubernetes.client.AppsV1Api(client).create_namespaced_deployment("default", WEB)
                cluster.run_until("deployment/web Available")
                pods = kubernetes.client.CoreV1Api(client).list_namespaced_pod("default").items
            names.append((cluster.now_ms, sorted(pod.metadata.name for pod in pods)))
            cluster.delete()
        assert names[0] == names[1]
