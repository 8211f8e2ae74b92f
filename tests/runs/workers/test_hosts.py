"""Two worker hosts, as network and host-name namespaces that cannot see each other, share clusters.

All they have in common is PostgreSQL and Redis (here: two sockets). Run through test_postgres.py.
"""

import shutil
import subprocess
import time

import pytest
from django.db import connection

from lifecycle.models import Cluster, Shard, Worker
from lifecycle.runs import inbox
from tests.runs.conftest import create, wait_until
from tests.runs.histories import assert_whole

pytestmark = pytest.mark.slow


def can_unshare() -> bool:
    unshare = shutil.which("unshare")
    return bool(unshare) and subprocess.run([unshare, "--net", "--uts", "true"], check=False).returncode == 0


def host_of(cluster: Cluster) -> str:
    return Shard.objects.get(number=cluster.shard).worker.rpartition("-")[0]


@pytest.mark.skipif("not can_unshare()", reason="needs namespaces: root, or unprivileged ones")
def test_two_hosts_share_clusters_and_the_survivor_takes_all(workers, make_cluster):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite is for one machine")
    left = workers.start_worker(host="left")
    workers.start_worker(host="right")
    workers.start_ticker()
    wait_until(lambda: Worker.objects.count() == 2)
    clusters = [make_cluster(f"shop-{n}") for n in range(8)]
    commands = [create(cluster, replicas=2) for cluster in clusters]
    assert [inbox.wait_for_result(command, 30)["code"] for command in commands] == [201] * 8
    wait_until(lambda: {host_of(cluster) for cluster in clusters} == {"left", "right"})
    left.kill()
    killed_at = time.monotonic()
    wait_until(lambda: {host_of(cluster) for cluster in clusters} == {"right"})
    target = {"kind": "Deployment", "namespace": "default", "name": "web"}
    commands = [inbox.append(cluster, "scale", target | {"replicas": 3}) for cluster in clusters]
    assert [inbox.wait_for_result(command)["code"] for command in commands] == [200] * 8
    assert time.monotonic() - killed_at < 8
    for cluster in clusters:
        inbox.wait_for_control(inbox.control(cluster, "pause"))
        assert_whole(cluster)
