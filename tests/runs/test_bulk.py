"""Rows by the batch, the same on every database."""

from datetime import UTC, datetime

import pytest
from django.db import DataError, IntegrityError, transaction

from lifecycle.models import Shard
from lifecycle.runs import bulk

pytestmark = pytest.mark.django_db

SHARDS = bulk.Table(Shard._meta.db_table, ("number", "worker", "fence"), ("number",))


def test_what_was_there_is_replaced_and_the_rest_added():
    bulk.insert(SHARDS, [(1, "one", 1), (2, "two", 1)])
    bulk.upsert(SHARDS, [(2, "three", 2), (3, "three", 1)])
    rows = Shard.objects.order_by("number").values_list("number", "worker", "fence")
    assert list(rows) == [(1, "one", 1), (2, "three", 2), (3, "three", 1)]


def test_rows_are_changed_by_what_they_have_and_instants_are_kept_as_django_keeps_them():
    bulk.insert(SHARDS, [(1, "one", 1), (2, "one", 2)])
    until = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    which = {"worker": "one", "fence": 2}
    assert bulk.update(SHARDS.name, which, {"worker": "two", "served_until": until}) == 1
    assert bulk.update(SHARDS.name, which, {"worker": "three"}) == 0
    rows = Shard.objects.order_by("number").values_list("worker", "served_until")
    assert list(rows) == [("one", None), ("two", until)]
    assert Shard.objects.filter(served_until__lte=until).count() == 1


@pytest.mark.parametrize("write", [bulk.insert, bulk.upsert])
def test_what_the_database_refuses_is_told_in_djangos_words(write):
    """What calls it tells a broken connection from broken rows by them."""
    with pytest.raises((DataError, IntegrityError)), transaction.atomic():
        write(SHARDS, [(1, None, 1)])


def test_a_clash_of_keys_is_an_error_of_integrity():
    bulk.insert(SHARDS, [(1, "one", 1)])
    with pytest.raises(IntegrityError), transaction.atomic():
        bulk.insert(SHARDS, [(1, "one", 1)])
