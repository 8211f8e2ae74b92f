"""Checkpoints: small, versioned, and safe to read whoever wrote them."""

import pickle
import zlib

import pytest

from lifecycle.engine import cluster as engine_cluster
from lifecycle.models import Checkpoint, StoredObject
from lifecycle.runs import checkpoints, upgrades
from lifecycle.runs.runner import Owner
from lifecycle.runs.sharing import shards, turns
from tests.runs.conftest import create
from tests.runs.histories import assert_whole


def test_what_is_packed_comes_back():
    data = {"timers": [[1, 2, "probe", "uid", None]], "text": "é\u2028", "big": 2**53 + 1}
    assert checkpoints.unpack(checkpoints.pack(data)) == data


@pytest.mark.parametrize(
    "packed",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"not zlib", id="not compressed"),
        pytest.param(zlib.compress(pickle.dumps({"a": 1})), id="a pickle"),
        pytest.param(zlib.compress(b"[1, 2]"), id="not an object"),
        pytest.param(checkpoints.pack({"a": list(range(1000))})[:-40], id="cut off"),
    ],
)
def test_anything_else_is_unreadable(packed):
    with pytest.raises(checkpoints.Unreadable):
        checkpoints.unpack(packed)


def test_a_bomb_is_not_unfolded(monkeypatch):
    monkeypatch.setattr(checkpoints, "MAX_BYTES", 1000)
    with pytest.raises(checkpoints.Unreadable, match="more than"):
        checkpoints.unpack(zlib.compress(b'"' + b"x" * 100_000 + b'"'))


def test_past_the_limit_they_thin_out_and_the_ends_stay(make_cluster):
    cluster = make_cluster()
    for n in range(checkpoints.KEPT + 1):
        Checkpoint.objects.create(cluster=cluster, instant_ms=n, seq=n, rv=n, engine_version=1, data=b"")
    checkpoints.thin_out(cluster)
    kept = sorted(cluster.checkpoints.values_list("instant_ms", flat=True))
    assert len(kept) < checkpoints.KEPT and kept[0] == 0 and kept[-2:] == [15, 16]


def raise_engine_version(monkeypatch):
    """As if Podline had been upgraded to an engine that decides otherwise."""
    following = checkpoints.ENGINE_VERSION + 1
    for module in (checkpoints, turns, upgrades):
        monkeypatch.setattr(module, "ENGINE_VERSION", following)
    monkeypatch.setattr(engine_cluster, "ENGINE_VERSION", following)


@pytest.mark.slow
def test_after_an_upgrade_a_cluster_goes_on_from_its_last_checkpoint(owner, wall, make_cluster, monkeypatch):
    cluster = make_cluster()
    create(cluster, replicas=2)
    owner.turn(cluster.pk)
    wall.go_on(3)
    owner.turn(cluster.pk)
    owner.close()
    cluster.refresh_from_db()
    seq = cluster.seq
    raise_engine_version(monkeypatch)
    second = Owner("test", wall, wall)
    wall.go_on(30)
    second.turn(cluster.pk)
    cluster.refresh_from_db()
    assert not cluster.failure
    assert cluster.engine_version == checkpoints.ENGINE_VERSION and cluster.seq > seq
    with pytest.raises(checkpoints.Unreadable, match="earlier engine version"):
        checkpoints.restore(cluster, 0)


@pytest.mark.slow
def test_without_a_checkpoint_at_its_end_an_upgraded_cluster_goes_on_from_its_objects(
    owner, wall, make_cluster, monkeypatch
):
    cluster = make_cluster()
    create(cluster, replicas=2)
    owner.turn(cluster.pk)
    wall.go_on(10)
    owner.turn(cluster.pk)
    before = set(StoredObject.objects.filter(cluster=cluster, kind="Pod").values_list("name", "uid"))
    raise_engine_version(monkeypatch)
    second = Owner("test", wall, wall)
    second.turn(cluster.pk)
    wall.go_on(30)
    second.turn(cluster.pk)
    cluster.refresh_from_db()
    assert not cluster.failure and "begun anew" in cluster.upgrade_note
    pods = StoredObject.objects.filter(cluster=cluster, kind="Pod", deleted_ms=None)
    assert {(pod.name, pod.uid) for pod in pods} == before
    assert [pod.state for pod in pods] == ["ready", "ready"]


@pytest.mark.slow
def test_a_checkpoint_that_no_longer_reads_is_not_fatal_elsewhere(owner, wall, make_cluster):
    cluster = make_cluster()
    create(cluster, replicas=2)
    owner.turn(cluster.pk)
    owner.close()
    shards.beat("test")
    second = Owner("test", wall, wall)
    wall.go_on(10)
    second.turn(cluster.pk)
    assert_whole(cluster)
