"""An upgrade never loses a cluster: whatever commit saved it, it goes on, and says what was begun anew."""

from itertools import product
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.urls import reverse

from lifecycle.engine import ENGINE_VERSION
from lifecycle.models import Checkpoint, Cluster, Event, StoredObject, Transition
from lifecycle.runs import checkpoints, engine_faults, forks, inbox
from lifecycle.runs.sharing.turns import find_due
from tests.runs import old_clusters
from tests.seeds import one_in

pytestmark = pytest.mark.slow

MINUTES_10 = 600.0
# Scripts, and a program beside which a check runs commands: what is interpreted was saved otherwise.
INTERPRETED = {"loop", "traps", "ending", "stopping", "probed"}


@pytest.fixture
def old_cluster(make_cluster):
    """A running cluster as an earlier commit kept it."""

    def make(commit: str, **columns: Any) -> Cluster:
        cluster = make_cluster()
        old_clusters.put(cluster, old_clusters.read(commit))
        Cluster.objects.filter(pk=cluster.pk).update(**columns)
        cluster.refresh_from_db()
        return cluster

    return make


def live(owner, wall, cluster: Cluster, seconds: float = MINUTES_10) -> None:
    """Have a worker take the cluster over, and let virtual time pass."""
    owner.turn(cluster.pk)
    inbox.control(cluster, "resume")
    owner.turn(cluster.pk)
    wall.go_on(seconds)
    for _ in range(100):
        owner.turn(cluster.pk, seconds=5)
        cluster.refresh_from_db()
        if cluster.failure or cluster.instant_ms >= 301_500 + seconds * 1000:
            return


def states(cluster: Cluster) -> dict[str, str]:
    """The state of every living pod, by its name or that of its Deployment."""
    pods = StoredObject.objects.filter(cluster=cluster, kind="Pod", deleted_ms=None)
    return {pod.name.partition("-")[0]: pod.state for pod in pods}


def seqs_after(cluster: Cluster, seq: int) -> list[int]:
    rows = [*Transition.objects.filter(cluster=cluster), *Event.objects.filter(cluster=cluster)]
    return sorted(row.seq for row in rows if row.seq > seq)


def restarted(cluster: Cluster) -> set[str]:
    events = Event.objects.filter(cluster=cluster, reason="ProgramRestarted")
    return {event.name.partition("-")[0] for event in events}


@pytest.mark.parametrize("commit", one_in(6, old_clusters.COMMITS))
def test_a_cluster_of_any_commit_goes_on(owner, wall, old_cluster, commit):
    cluster = old_cluster(commit)
    seq, version = cluster.seq, cluster.engine_version
    live(owner, wall, cluster)
    assert not cluster.failure
    assert cluster.engine_version == ENGINE_VERSION
    assert seqs_after(cluster, seq) == list(range(seq + 1, cluster.seq + 1)) != []
    # The two that were being deleted are gone; nothing else is.
    assert set(states(cluster)) == {"loop", "traps", "crash", "probed", "deaf", "unfit", "web"}
    assert {states(cluster)[name] for name in ("loop", "traps", "probed", "web")} == {"ready"}
    if version != ENGINE_VERSION:
        # What was saved otherwise, by an engine that did not say how it compiled; other programs go on.
        assert restarted(cluster) >= INTERPRETED and "web" not in restarted(cluster)


@pytest.mark.parametrize("commit", one_in(12, old_clusters.COMMITS))
def test_without_any_checkpoint_a_cluster_goes_on_from_its_recorded_objects(owner, wall, old_cluster, commit):
    cluster = old_cluster(commit)
    cluster.checkpoints.update(data=b"broken")
    seq = cluster.seq
    uids = set(StoredObject.objects.filter(cluster=cluster, kind="Pod").values_list("uid", flat=True))
    live(owner, wall, cluster)
    assert not cluster.failure
    assert seqs_after(cluster, seq) == list(range(seq + 1, cluster.seq + 1)) != []
    assert {states(cluster)[name] for name in ("loop", "traps", "probed", "web")} == {"ready"}
    assert set(StoredObject.objects.filter(cluster=cluster, kind="Pod").values_list("uid", flat=True)) == uids
    assert restarted(cluster) == INTERPRETED | {"web"}


def test_what_was_begun_anew_is_told_at_once_and_on_the_page(owner, old_cluster, client):
    cluster = old_cluster("4562887", paused=True)
    assert [one.cluster for one in find_due(cluster.shard, 0)] == [cluster.pk]
    seq = cluster.seq
    owner.turn(cluster.pk)
    cluster.refresh_from_db()
    assert cluster.upgrade_note.startswith(
        # The waits of two back-offs, which a worker kept in another way then.
        "Podline was upgraded at 5m1s: what 2 timers were to do, the program of container app in pod "
    )
    events = Event.objects.filter(cluster=cluster, seq__gt=seq, reason="ProgramRestarted")
    assert {(event.name, event.event_type, event.at_ms) for event in events} == {
        (name, "Warning", 301_500) for name in INTERPRETED
    }
    client.force_login(cluster.owner)
    page = client.get(reverse("cluster", args=[cluster.name])).content.decode()
    assert cluster.upgrade_note in page
    assert [one.cluster for one in find_due(cluster.shard, 0)] == []


def test_timers_that_nobody_handles_any_more_are_told(owner, wall, old_cluster):
    cluster = old_cluster("6a7da46", engine_version=2)
    last = cluster.checkpoints.order_by("seq").last()
    data = checkpoints.unpack(bytes(last.data)) | {"engine_version": 2}
    for timer in data["agenda"]["timers"]:
        timer[2] = timer[2].replace("kubelet.wake", "kubelet.of.another.name")
    cluster.checkpoints.filter(pk=last.pk).update(data=checkpoints.pack(data))
    live(owner, wall, cluster)
    assert not cluster.failure and " timers were to do" in cluster.upgrade_note
    assert {states(cluster)[name] for name in ("loop", "traps", "probed", "web")} == {"ready"}


def test_each_cluster_gets_a_checkpoint_at_its_cursor_and_goes_on_from_that_alone(owner, wall, old_cluster):
    cluster = old_cluster("8764a94", paused=True)
    owner.turn(cluster.pk)
    cluster.refresh_from_db()
    fresh = checkpoints.newest(cluster)
    assert fresh is not None
    assert (fresh.instant_ms, fresh.seq, fresh.rv) == (301_500, cluster.seq, cluster.rv)
    Checkpoint.objects.filter(cluster=cluster).exclude(pk=fresh.pk).delete()
    cluster.refresh_from_db()
    assert checkpoints.restore(cluster).seq == cluster.seq


def test_taken_up_again_after_a_crash_it_makes_the_same_of_it(owner, wall, old_cluster, monkeypatch):
    """Killed before the commit: nothing is recorded, and the next worker does it once more."""
    cluster = old_cluster("4562887")
    seq = cluster.seq

    def die(*_: Any) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(checkpoints, "save", die)
        owner.turn(cluster.pk)
    cluster.refresh_from_db()
    assert (cluster.seq, cluster.engine_version, seqs_after(cluster, seq)) == (seq, 1, [])
    owner.turn(cluster.pk)
    cluster.refresh_from_db()
    assert seqs_after(cluster, seq) == list(range(seq + 1, cluster.seq + 1))
    assert Event.objects.filter(cluster=cluster, reason="ProgramRestarted").count() == len(INTERPRETED)


@pytest.mark.parametrize("commit, is_taken_up", one_in(9, product(old_clusters.COMMITS, [True, False])))
def test_forks_answer_or_are_refused_in_words(owner, old_cluster, client, commit, is_taken_up):
    cluster = old_cluster(commit, paused=True)
    version = cluster.engine_version
    if is_taken_up:
        owner.turn(cluster.pk)
    client.force_login(cluster.owner)
    address = reverse("fork", args=[cluster.name])
    now = client.post(address, {"name": "now", "at": ""}, headers={"HX-Request": "true"})
    assert now.status_code == 200, now.content
    child = Cluster.objects.get(name="now")
    assert not child.failure and child.engine_version == ENGINE_VERSION
    assert set(states(child)) == set(states(cluster))
    early = client.post(address, {"name": "early", "at": "2m"}, headers={"HX-Request": "true"})
    if version == ENGINE_VERSION:
        assert early.status_code == 200
    else:
        assert early.status_code == 422 and "engine version" in early.content.decode()


def test_a_fork_of_a_cluster_that_nobody_took_up_lives_by_itself(owner, wall, old_cluster):
    cluster = old_cluster("4562887", paused=True)
    child = forks.fork(cluster, None, cluster.owner, "child")
    assert restarted(child) == INTERPRETED and child.upgrade_note
    live(owner, wall, child, 60.0)
    assert not child.failure and states(child)["loop"] == "ready"
    cluster.refresh_from_db()
    assert restarted(cluster) == set()


def test_a_cluster_that_an_earlier_upgrade_stopped_goes_on_once_that_is_forgotten(owner, wall, old_cluster):
    cluster = old_cluster("4562887", failure="KeyError: 'jobs'", paused=True)
    assert [one.cluster for one in find_due(cluster.shard, 0)] == []
    forks.fork(cluster, None, cluster.owner, "child")
    assert engine_faults.forget(cluster)
    live(owner, wall, cluster, 60.0)
    assert not cluster.failure and states(cluster)["loop"] == "ready"


def test_objects_that_nobody_can_read_stop_the_cluster_in_words(owner, old_cluster):
    cluster = old_cluster("4562887")
    cluster.checkpoints.update(data=b"broken")
    StoredObject.objects.filter(cluster=cluster, kind="Pod").update(data={"metadata": 7})
    owner.turn(cluster.pk)
    cluster.refresh_from_db()
    assert "neither its last checkpoint nor its recorded objects" in cluster.failure


def test_a_fork_is_refused_to_nobody_by_an_error(client, old_cluster):
    cluster = old_cluster("4562887", failure="KeyError: 'jobs'", paused=True)
    StoredObject.objects.filter(cluster=cluster, kind="Pod").update(data={"metadata": 7})
    cluster.checkpoints.update(data=b"broken")
    client.force_login(get_user_model().objects.get(username="someone"))
    answer = client.post(
        reverse("fork", args=[cluster.name]), {"name": "now"}, headers={"HX-Request": "true"}
    )
    assert answer.status_code == 422
