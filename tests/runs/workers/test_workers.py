"""Engine workers as real processes: killed in mid-rollout, another takes over."""

import os
import signal
import time

import pytest

from lifecycle.management import processes
from lifecycle.models import Cluster, Shard, StoredObject
from lifecycle.runs import inbox
from lifecycle.runs.celery import broker
from tests.runs.conftest import create, wait_until
from tests.runs.histories import assert_whole

pytestmark = pytest.mark.slow

TAKE_OVER_SECONDS = 5.0


def pid_of_owner(cluster: Cluster) -> int | None:
    worker = Shard.objects.get(number=cluster.shard).worker
    return int(worker.rpartition("-")[2]) if worker else None


def test_a_worker_killed_in_mid_rollout_is_replaced_without_gap_or_double(workers, make_cluster):
    workers.start_worker()
    workers.start_worker()
    workers.start_ticker()
    cluster = make_cluster(speed=3.0)
    assert inbox.wait_for_result(create(cluster, replicas=8), 30)["code"] == 201
    wait_until(lambda: StoredObject.objects.filter(cluster=cluster, kind="Pod", state="ready").count() == 8)
    target = {"kind": "Deployment", "namespace": "default", "name": "web"}
    roll = inbox.append(cluster, "setImage", target | {"container": "app", "image": "nginx:1.28"})
    assert inbox.wait_for_result(roll)["code"] == 200
    victim = pid_of_owner(cluster)
    os.kill(victim, signal.SIGKILL)
    killed_at = time.monotonic()
    seq = Cluster.objects.get(pk=cluster.pk).seq
    wait_until(lambda: Cluster.objects.get(pk=cluster.pk).seq > seq)
    assert time.monotonic() - killed_at < TAKE_OVER_SECONDS
    assert pid_of_owner(cluster) != victim
    scale = inbox.append(cluster, "scale", target | {"replicas": 4})
    assert inbox.wait_for_result(scale)["code"] == 200
    wait_until(lambda: StoredObject.objects.filter(cluster=cluster, kind="Pod", deleted_ms=None).count() == 4)
    inbox.wait_for_control(inbox.control(cluster, "pause"))
    assert_whole(cluster)


@pytest.mark.deep
def test_a_redis_that_forgot_everything_loses_no_command(workers, make_cluster, redis_url):
    import redis

    workers.start_worker()
    workers.start_ticker()
    cluster = make_cluster()
    assert inbox.wait_for_result(create(cluster, replicas=2), 30)["code"] == 201
    client = redis.Redis.from_url(redis_url)
    asked = []
    for n in range(10):
        asked.append(create(cluster, name=f"more-{n}", replicas=1))
        client.flushall()
    assert [inbox.wait_for_result(command)["code"] for command in asked] == [201] * 10
    inbox.wait_for_control(inbox.control(cluster, "pause"))
    assert_whole(cluster)


@pytest.mark.deep
def test_a_worker_whose_broker_was_restarted_still_follows_its_shards(workers, make_cluster, tmp_path):
    child, url = processes.redis_child(processes.find_redis(), tmp_path)
    child.start()
    workers.environment["REDIS_URL"] = url
    broker.connect_to(url)
    try:
        workers.start_worker()
        workers.start_ticker()
        clusters = [make_cluster(f"shop-{n}") for n in range(4)]
        for number, cluster in enumerate(clusters):
            # Some for each of the two workers, whatever their keys are.
            cluster.shard = number * 4
            cluster.save(update_fields=["shard"])
        assert [inbox.wait_for_result(create(one, replicas=1), 30)["code"] for one in clusters] == [201] * 4
        child.process.kill()
        child.process.wait()
        child.look()
        second = workers.start_worker()
        wait_until(lambda: len({pid_of_owner(cluster) for cluster in clusters}) == 2)
        second.kill()
        asked = [create(cluster, name="more", replicas=1) for cluster in clusters]
        assert [inbox.wait_for_result(command, 20)["code"] for command in asked] == [201] * 4
    finally:
        workers.stop()
        processes.stop_all([child])
