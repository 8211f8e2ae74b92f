"""A column that a kind's list has is on its page and in kubectl's table; there is no other list."""

import pytest

from lifecycle.engine.kinds import registry
from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.rules.columns.column import Column, wide
from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.kube_api.printing.tables import make_table
from lifecycle.lean_dataclasses import replace

WIDGET = "widget.example.com/size"
WORDS = {"metadata": {"name": "one", "annotations": {WIDGET: "large"}}, "spec": {}, "status": {}}


@pytest.fixture
def add_column(monkeypatch):
    """Adds a column to a kind, by its id, as one more line in its list does."""

    def add(kind: str, column: Column) -> None:
        entry = registry.entry_of_id(kind)
        later = {since: (*columns, column) for since, columns in entry.later_columns.items()}
        changed = replace(entry, columns=(*entry.columns, column), later_columns=later)
        monkeypatch.setitem(registry._entries, kind, changed)
        list_built_in.cache_clear()

    yield add
    monkeypatch.undo()
    list_built_in.cache_clear()


def print_table(key: tuple[str, str, str]) -> dict[str, object]:
    table = make_table(list_built_in()[key], [WORDS], 0, 0, "v1", "None")
    (row,) = table["rows"]
    return dict(zip((one["name"] for one in table["columnDefinitions"]), row["cells"], strict=False))


@pytest.mark.parametrize(
    "kind, key",
    [
        pytest.param("Job", ("batch", "v1", "jobs"), id="a workload"),
        pytest.param("Node", ("", "v1", "nodes"), id="a node"),
        pytest.param("ConfigMap", ("", "v1", "configmaps"), id="a kind without a spec"),
        pytest.param("Role", ("rbac.authorization.k8s.io", "v1", "roles"), id="one that has the usual ones"),
        pytest.param("HorizontalPodAutoscaler", ("autoscaling", "v1", "horizontalpodautoscalers"), id="v1"),
    ],
)
def test_a_column_added_to_a_kind_is_on_its_page_and_in_kubectls_table(add_column, kind, key) -> None:
    kind_id = next(e.kind.id for e in registry.list_entries() if e.kind.name == kind)
    add_column(kind_id, Column("Size", lambda row: row.meta["annotations"][WIDGET]))
    api_version = registry.entry_of_id(kind_id).kind.api_version
    assert decide_columns({"apiVersion": api_version, "kind": kind, **WORDS}, 0)["SIZE"] == "large"
    assert print_table(key)["Size"] == "large"


def test_a_wide_column_is_in_the_wide_table_alone(add_column) -> None:
    add_column("Job", wide("Size", lambda row: row.meta["annotations"][WIDGET]))
    job = {"kind": "Job", **WORDS}
    assert "SIZE" not in decide_columns(job, 0)
    assert decide_columns(job, 0, wide=True)["SIZE"] == "large"
    (size,) = [
        one
        for one in make_table(list_built_in()["batch", "v1", "jobs"], [WORDS], 0, 0, "v1", "None")[
            "columnDefinitions"
        ]
        if one["name"] == "Size"
    ]
    assert size["priority"] == 1


def test_no_two_columns_of_a_kind_have_one_heading() -> None:
    for entry in registry.list_entries():
        names = [column.name.upper() for column in entry.columns]
        assert len(names) == len(set(names)), entry.kind.id
