"""What goes when history grows, and what stays."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lifecycle import reads
from lifecycle.models import Checkpoint, Cluster, Command, Event, ObjectVersion, StoredObject, Transition
from lifecycle.runs import retention
from tests.runs.conftest import create


@pytest.fixture
def cluster(owner, wall, make_cluster):
    cluster = make_cluster()
    create(cluster, replicas=3)
    for _ in range(20):
        owner.turn(cluster.pk)
        wall.go_on(1)
    cluster.refresh_from_db()
    return cluster


@pytest.mark.slow
def test_without_limits_every_row_stays(cluster):
    retention.prune(cluster)
    assert Transition.objects.count() + Event.objects.count() == cluster.seq
    assert ObjectVersion.objects.count() == cluster.rv


@pytest.mark.slow
def test_a_limit_on_rows_cuts_the_oldest_and_says_from_where_on(cluster):
    cluster.keep_rows = 10
    retention.prune(cluster)
    left = sorted(
        [*Transition.objects.values_list("seq", flat=True), *Event.objects.values_list("seq", flat=True)]
    )
    assert left == list(range(cluster.seq - 9, cluster.seq + 1))
    with pytest.raises(reads.Gone, match=f"rows before {cluster.seq - 9}"):
        reads.rows_since(cluster, 0)


@pytest.mark.slow
def test_a_limit_on_age_cuts_what_is_older(cluster):
    cluster.keep_ms = cluster.instant_ms - 500
    retention.prune(cluster)
    assert min(Transition.objects.values_list("at_ms", flat=True)) >= 500


@pytest.mark.slow
def test_the_watch_window_moves_on(cluster):
    cluster.watch_rows = 5
    retention.prune(cluster)
    assert ObjectVersion.objects.count() == 5
    assert min(ObjectVersion.objects.values_list("rv", flat=True)) == cluster.oldest_rv == cluster.rv - 4


@pytest.mark.slow
def test_the_state_of_living_objects_stays(cluster):
    before = StoredObject.objects.count()
    cluster.keep_rows, cluster.watch_rows = 1, 1
    retention.prune(cluster)
    assert StoredObject.objects.count() == before


@pytest.mark.slow
def test_nothing_waits_for_a_second_time(cluster, django_assert_max_num_queries):
    cluster.keep_rows = 10
    retention.prune(cluster)
    with django_assert_max_num_queries(30):
        retention.prune(cluster)


@pytest.mark.slow
def test_a_deleted_cluster_leaves_nothing_behind(owner, cluster):
    owner.close()
    there = [Transition, Event, ObjectVersion, StoredObject, Command, Checkpoint]
    assert all(model.objects.filter(cluster=cluster.pk).exists() for model in there)
    pk = cluster.pk
    cluster.delete()
    assert not any(model.objects.filter(cluster=pk).exists() for model in there)


def test_no_slice_is_written_between_the_deletion_of_a_history_and_of_its_cluster(owner, make_cluster):
    """The database does not check that rows of a history have a cluster: its row is locked first."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    cluster = make_cluster()
    create(cluster)
    owner.turn(cluster.pk)
    with CaptureQueriesContext(connection) as queries:
        Cluster.objects.filter(pk=cluster.pk).delete()
    words = [query["sql"] for query in queries]
    lock = next(n for n, sql in enumerate(words) if "FOR UPDATE" in sql and "lifecycle_cluster" in sql)
    assert lock < next(n for n, sql in enumerate(words) if "DELETE" in sql and "transition" in sql)
