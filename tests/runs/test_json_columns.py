"""JSON columns that the recorder writes come back as Python's own reader has them."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, models

from lifecycle.fields import RecordedJSONField
from lifecycle.models import Cluster, StoredObject
from lifecycle.runs.bulk import to_text

COLUMNS = ("data", "data__a", "data__a__b", "data__a__c", "data__a__d")


@pytest.fixture
def keep(make_cluster: Callable[..., Cluster]) -> Callable[[str], models.QuerySet[StoredObject]]:
    """An object's row with that text as its JSON."""
    cluster = make_cluster()

    def keep(text: str) -> models.QuerySet[StoredObject]:
        rows = StoredObject.objects.filter(cluster=cluster, kind="Pod")
        rows.delete()
        row = StoredObject.objects.create(cluster=cluster, uid="u", kind="Pod", name="p", rv=1, data={})
        with connection.cursor() as cursor:
            cursor.execute("UPDATE lifecycle_storedobject SET data = %s WHERE id = %s", [text, row.pk])
        return rows

    return keep


@pytest.mark.parametrize(
    "text",
    [
        '{"b": 1, "a": {"b": [1.0, 0.1, -0.0, 1e3, true], "c": "true"}}',
        '{"a": {"b": 18446744073709551615, "c": "7", "d": -9223372036854775808}}',
        '{"a": {"b": "12345678901234567890123", "c": ""}}',
        '{"e": "\\ud800"}',
        '{"a": 1e400}',
    ],
)
def test_a_column_and_its_keys_come_as_djangos_own(
    text: str, keep: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = keep(text).values_list(*COLUMNS)
    read = rows.get()
    assert repr(read[0]) == repr(json.loads(text))
    monkeypatch.setattr(RecordedJSONField, "from_db_value", models.JSONField.from_db_value)
    assert repr(read) == repr(rows.get())


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, "\ud800"])
def test_what_orjson_reads_otherwise_is_never_written(value: object) -> None:
    with pytest.raises(TypeError):
        to_text({"a": value})
