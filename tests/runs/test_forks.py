"""Forks share history up to an instant; what they do not touch goes on as in their parent."""

import pytest
from django.core.exceptions import ValidationError

from lifecycle import frames, reads
from lifecycle.engine.heart.settings import read_release
from lifecycle.models import Cluster, ContainerLog, StoredObject, Transition
from lifecycle.runs import container_logs, forks, inbox, retention
from lifecycle.runs.sharing import shards
from tests.runs.conftest import create
from tests.runs.histories import assert_whole, recorded

pytestmark = pytest.mark.slow


@pytest.fixture
def parent(owner, wall, make_cluster):
    cluster = make_cluster("parent", settings={"kubernetes": "v1.35"})
    create(cluster, name="web", replicas=2)
    create(cluster, name="other", replicas=2)
    for _ in range(5):
        owner.turn(cluster.pk)
        wall.go_on(1)
    inbox.append(
        cluster, "scale", {"kind": "Deployment", "namespace": "default", "name": "web", "replicas": 4}
    )
    for _ in range(15):
        owner.turn(cluster.pk)
        wall.go_on(1)
    cluster.refresh_from_db()
    return cluster


def run_on(owner, cluster: Cluster, until_ms: int) -> None:
    inbox.control(cluster, "run", {"untilMs": until_ms})
    while owner.turn(cluster.pk) is not None:
        pass
    cluster.refresh_from_db()
    assert cluster.instant_ms == until_ms


def test_a_fork_begins_with_its_parents_rows(parent):
    at_ms = 3000
    child = forks.fork(parent, at_ms, parent.owner, "child")
    assert recorded(child) == [row for row in recorded(parent) if row["at_ms"] <= at_ms]
    assert child.paused and child.instant_ms == at_ms and child.epoch_id != parent.epoch_id


def test_a_fork_whose_shard_moves_while_it_is_made_has_its_checkpoint(parent, monkeypatch):
    really_copy = container_logs.copy

    def copy(parent_id, child_id, at_ms):
        really_copy(parent_id, child_id, at_ms)
        shards.leave("test")
        shards.beat("other")

    monkeypatch.setattr(container_logs, "copy", copy)
    child = forks.fork(parent, 3000, parent.owner, "child")
    assert child.checkpoints.get().instant_ms == child.instant_ms


def test_a_fork_of_a_cluster_that_has_not_begun_to_live_begins_as_it_does(owner, make_cluster):
    parent = make_cluster("parent")
    child = forks.fork(parent, None, parent.owner, "child")
    assert (child.instant_ms, child.seq, child.rv) == (0, 0, 0)
    for cluster in (parent, child):
        run_on(owner, cluster, 10_000)
    assert recorded(child) == recorded(parent) != []


def test_an_untouched_fork_at_the_end_goes_on_as_its_parent(owner, parent):
    child = forks.fork(parent, parent.instant_ms, parent.owner, "child")
    run_on(owner, parent, 120_000)
    run_on(owner, child, 120_000)
    assert recorded(child) == recorded(parent)
    assert_whole(child)


def test_what_a_fork_does_not_touch_stays_equal(owner, parent):
    child = forks.fork(parent, 4000, parent.owner, "child")
    inbox.append(child, "delete", {"kind": "Deployment", "namespace": "default", "name": "web"})
    run_on(owner, child, parent.instant_ms)

    def life_of_other(cluster: Cluster) -> list[tuple]:
        kept = ("at_ms", "kind", "name", "uid", "field", "old", "new", "reason")
        rows = [row for row in recorded(cluster) if row["type"] == "transition"]
        return [tuple(row[key] for key in kept) for row in rows if row["name"].startswith("other")]

    assert life_of_other(child) == life_of_other(parent)
    assert_whole(child)


@pytest.mark.parametrize("at_ms", [0, 700, 2500, 6000])
def test_a_forks_objects_are_those_of_its_instant(owner, parent, at_ms):
    child = forks.fork(parent, at_ms, parent.owner, f"child-{at_ms}")
    expected = {data["metadata"]["uid"]: data for data in reads.state(parent, at_ms)}
    living = {row.uid: row.data for row in StoredObject.objects.filter(cluster=child, deleted_ms=None)}
    assert set(living) == set(expected)
    # Heartbeats are worked out when somebody reads, and not stored.
    beating = {uid for uid, data in living.items() if data["kind"] in ("Node", "Lease")}
    assert {uid: living[uid] for uid in living if uid not in beating} == {
        uid: expected[uid] for uid in expected if uid not in beating
    }
    again = forks.fork(child, at_ms, parent.owner, f"again-{at_ms}")
    assert summaries(again) == summaries(child)


def summaries(cluster: Cluster) -> list[frames.Summary]:
    return [frames.summary_of(row) for row in StoredObject.objects.filter(cluster=cluster).order_by("uid")]


def test_a_fork_has_the_logs_of_its_instant_and_writes_its_own(owner, wall, make_cluster):
    """Equal inputs give equal logs: the fork's at its instant, and the parent's again where it goes on."""
    cluster = make_cluster("talking")
    script = "n=0; while true; do n=$((n+1)); echo line $n; sleep 1; done"
    container = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", script]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "talker", "namespace": "default"}}
    inbox.append(cluster, "create", {"object": pod | {"spec": {"containers": [container]}}})
    run_on(owner, cluster, 10_000)
    then = log_of(cluster)
    run_on(owner, cluster, 20_000)
    child = forks.fork(cluster, 10_000, cluster.owner, "child")
    assert log_of(child) == then and then.startswith("line 1\nline 2\n")
    run_on(owner, child, 20_000)
    assert log_of(child) == log_of(cluster) and log_of(child) != then


def log_of(cluster: Cluster) -> str:
    parts = ContainerLog.objects.filter(cluster=cluster, container="app", attempt=0).order_by("number")
    return "".join(part.text for part in parts)


def test_the_state_at_a_past_instant_is_what_was_recorded_then(parent):
    for at_ms in (0, 1000, 5000, parent.instant_ms):
        phases = {}
        told = Transition.objects.filter(cluster=parent, kind="Pod", field="phase", at_ms__lte=at_ms)
        for row in told.order_by("seq"):
            phases[row.uid] = row.new
        pods = {data["metadata"]["uid"]: data for data in reads.state(parent, at_ms) if data["kind"] == "Pod"}
        assert {uid: data["status"]["phase"] for uid, data in pods.items()} == phases


def test_a_fork_keeps_what_it_writes_where_its_parent_keeps_nothing_any_more(owner, parent):
    cut_seq = parent.seq - 5
    parent.keep_rows, parent.watch_rows = 5, 5
    parent.save()
    retention.prune(parent)
    assert parent.oldest_seq == cut_seq + 1
    child = forks.fork(parent, 3000, parent.owner, "child")
    assert (child.seq, child.rv) < (parent.oldest_seq - 1, parent.oldest_rv - 1)
    assert (child.oldest_seq, child.oldest_rv) == (child.seq + 1, child.rv + 1)
    child.keep_rows, child.watch_rows = None, 100_000
    child.save()
    begins = child.seq
    run_on(owner, child, 6000)
    rows = reads.rows_since(child, begins)
    assert [row["seq"] for row in rows] == list(range(begins + 1, child.seq + 1)) != []
    later = forks.fork(parent, None, parent.owner, "later")
    assert recorded(later) == recorded(parent) != []


def test_an_instant_that_has_not_come_is_refused(parent):
    with pytest.raises(ValueError, match="goes from 0 to"):
        forks.fork(parent, parent.instant_ms + 1, parent.owner, "child")


def test_a_taken_name_is_refused_and_leaves_nothing(parent):
    with pytest.raises(ValidationError):
        forks.fork(parent, 0, parent.owner, "parent")
    assert Cluster.objects.count() == 1


def test_a_name_that_another_request_takes_meanwhile_is_refused(parent, monkeypatch):
    """Both found it free, and one was quicker."""
    monkeypatch.setattr(Cluster, "full_clean", lambda *_, **__: None)
    with pytest.raises(ValidationError, match="There is a cluster called parent already"):
        forks.fork(parent, 0, parent.owner, "parent")
    with pytest.raises(ValidationError, match="There is a cluster called parent already"):
        inbox.create_cluster(parent.owner, "parent")
    assert Cluster.objects.count() == 1


def test_a_fork_goes_on_under_another_release(owner, wall, parent):
    child = forks.fork(parent, 3000, parent.owner, "child", kubernetes="v1.36")
    assert read_release(child.settings).name == "v1.36"
    assert read_release(parent.settings).name == "v1.35"
    shared = [row for row in recorded(parent) if row["at_ms"] <= 3000]
    assert recorded(child)[: len(shared)] == shared
    # After that come the kubelets, which restart as they are upgraded.
    assert {row["kind"] for row in recorded(child)[len(shared) :]} == {"Node"}
    nodes = StoredObject.objects.filter(cluster=child, kind="Node")
    assert {node.data["status"]["nodeInfo"]["kubeletVersion"] for node in nodes} == {"v1.36.3"}
    create(child, name="late", replicas=1)
    run_on(owner, child, 40_000)
    rows = [row for row in recorded(child) if row["at_ms"] > 3000 and row["name"].startswith("late")]
    # What v1.36 has and v1.35 has not: the condition is true before the image is there.
    (started,) = [row["at_ms"] for row in rows if row.get("reason") == "Started"]
    (ready_to_start,) = [
        row["at_ms"]
        for row in rows
        if row.get("field") == "condition.PodReadyToStartContainers" and row["new"] == "True"
    ]
    assert ready_to_start < started


def test_a_fork_under_v1_34_tells_events_in_its_words_from_then_on(owner, wall, parent):
    child = forks.fork(parent, None, parent.owner, "child", kubernetes="v1.34")
    since_ms = child.instant_ms
    create(child, name="late", replicas=1)
    run_on(owner, child, since_ms + 40_000)
    later = [row for row in recorded(child) if row["at_ms"] > since_ms and row.get("reason") == "Created"]
    assert {row["message"] for row in later if row["name"].startswith("late")} == {"Created container: app"}


def test_a_fork_under_the_same_release_is_replayed_as_its_parent_is(parent):
    child = forks.fork(parent, 3000, parent.owner, "child", kubernetes="v1.35")
    assert (child.settings, child.replay_from_ms) == (parent.settings, parent.replay_from_ms)


def test_an_upgraded_control_plane_is_told_wherever_a_cluster_is_looked_at(owner, wall, parent):
    before_ms = parent.instant_ms
    inbox.append(parent, "upgrade", {"controlPlane": "v1.36"})
    run_on(owner, parent, before_ms + 1000)
    assert reads.read_release(parent).name == "v1.36"
    # What it began with stays: its history is replayed from there.
    assert read_release(parent.settings).name == "v1.35"
    now, then = (
        forks.fork(parent, at, parent.owner, name) for name, at in (("now", None), ("then", before_ms - 1000))
    )
    assert (reads.read_release(now).name, reads.read_release(then).name) == ("v1.36", "v1.35")
    # Its parent is of that release by now, and was not then.
    other = forks.fork(parent, before_ms - 1000, parent.owner, "other", kubernetes="v1.36")
    assert reads.read_release(other).name == "v1.36"
    nodes = StoredObject.objects.filter(cluster=other, kind="Node")
    assert {node.data["status"]["nodeInfo"]["kubeletVersion"] for node in nodes} == {"v1.36.3"}
