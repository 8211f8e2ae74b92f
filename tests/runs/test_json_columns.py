"""JSON columns come back as Python's own reader has them."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import models

from lifecycle.fields import JSONField, read_json
from lifecycle.models import Cluster


@pytest.mark.parametrize(
    "text",
    [
        '"ready"',
        "null",
        '{"b": 1, "a": [1.0, 0.1, -0.0, 1e3, true]}',
        "18446744073709551616",
        '{"n": -123456789012345678901234567890}',
        "9223372036854775807",
        '"\\ud800"',
        "1e400",
        "-Infinity",
    ],
)
def test_what_is_read_is_what_pythons_reader_reads(text: str) -> None:
    read, expected = read_json(text), json.loads(text)
    assert (repr(read), type(read)) == (repr(expected), type(expected))


def test_what_is_no_json_is_an_error_of_json() -> None:
    with pytest.raises(json.JSONDecodeError):
        read_json("Readiness probe failed")


@pytest.mark.parametrize("value", [{"a": {"b": 2**60, "c": "7"}}, {"a": {"b": [1], "c": "true"}}])
def test_a_key_of_a_column_comes_as_djangos_own(
    value: Any, make_cluster: Callable[..., Cluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = make_cluster()
    Cluster.objects.filter(pk=cluster.pk).update(settings=value)
    asked = ("settings", "settings__a", "settings__a__b", "settings__a__c", "settings__a__d")
    rows = Cluster.objects.filter(pk=cluster.pk).values_list(*asked)
    read = rows.get()
    assert read[:3] == (value, value["a"], value["a"]["b"])
    monkeypatch.setattr(JSONField, "from_db_value", models.JSONField.from_db_value)
    assert repr(read) == repr(rows.get())
