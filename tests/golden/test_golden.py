"""Histories stay as they are, to the byte, until the engine's version says that they changed."""

import pytest

from lifecycle.engine import ENGINE_VERSION
from lifecycle.engine.cluster import Cluster
from tests.golden.histories import (
    FROM_GALLERY,
    FROM_HERE,
    HERE,
    NAMES,
    RELEASE,
    TIMINGS,
    SavingDriver,
    live_through,
    path_of,
    read_hashes,
)
from tests.golden.write import list_changed

VERSION, HASHES = read_hashes()
# Looked at before each commit: a rollout, an undo, crashes, pressure, nodes in trouble, a quota, a script.
FIRST = {
    *("nginx-rolling-update", "bad-image-undone", "crash-loop", "s33-memory-pressure", "troubled-nodes"),
    *("quota", "script-with-traps-and-pipes"),
}
EACH = [pytest.param(name, marks=() if name in FIRST else pytest.mark.slow) for name in NAMES]
# Live through these in slices too: a rollout and its hooks; where there is time for it nodes in trouble,
# a script, all containers restarted; where there is more of it pressure, static pods, what is adopted.
SLICED = [
    "slow-pre-stop",
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("troubled-nodes", "s06-restart-all-containers", "script-with-traps-and-pipes")
    ),
    *(
        pytest.param(name, marks=pytest.mark.deep)
        for name in ("s33-memory-pressure", "static-control-plane", "adoption-and-deletion")
    ),
]

REGENERATE = "python -m tests.golden.write"
CHANGED = """{name} ({timing}): history changed.
If that is not meant, compare the traces before and after, by
    manage.py simulate {path} --kubernetes {release} --timing {timing} --output ndjson
If it is meant, raise ENGINE_VERSION (now {version}) in lifecycle/engine/cluster.py, say in CHANGELOG.md
what users see, and write all hashes anew:
    {command}"""


def test_the_hashes_are_those_of_this_engine():
    assert VERSION == ENGINE_VERSION, f"write the hashes of engine version {ENGINE_VERSION}: {REGENERATE}"


def test_every_scenario_has_its_hashes_and_every_hash_its_scenario():
    assert {name: list(hashes) for name, hashes in HASHES.items()} == {
        name: list(TIMINGS) for name in NAMES
    }, f"scenarios came or went: {REGENERATE}"
    assert not set(FROM_GALLERY) & set(FROM_HERE), "a name means one scenario"


@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize("name", EACH)
def test_history_is_what_it_was(name: str, timing: str):
    found, outcome = live_through(name, timing)
    # The claims say why this history is right; a hash says only that it is the same.
    assert (outcome.failures, outcome.refusals) == ((), ())
    written = HASHES.get(name, {}).get(timing)
    path = path_of(name).relative_to(HERE.parents[1])
    assert found == written, CHANGED.format(
        name=name, timing=timing, path=path, release=RELEASE, version=ENGINE_VERSION, command=REGENERATE
    )


@pytest.mark.parametrize("name", SLICED)
def test_saving_and_loading_on_the_way_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch):
    loaded_at_ms = []
    load = Cluster.load
    monkeypatch.setattr(
        Cluster, "load", lambda *given: loaded_at_ms.append(given[0]["now_ms"]) or load(*given)
    )
    found, _ = live_through(name, "realistic", SavingDriver)
    assert len(set(loaded_at_ms)) >= 8
    assert found == live_through(name, "realistic")[0]


@pytest.mark.parametrize(
    "version, written, changed",
    [
        pytest.param(ENGINE_VERSION, {"a": {"instant": "1"}}, [], id="the same"),
        pytest.param(ENGINE_VERSION, {"a": {"instant": "2"}}, ["a"], id="another history"),
        pytest.param(ENGINE_VERSION - 1, {"a": {"instant": "2"}}, [], id="of another engine"),
        pytest.param(ENGINE_VERSION, {"b": {"instant": "2"}}, [], id="a scenario came, one went"),
    ],
)
def test_hashes_of_one_version_are_not_written_over(version: int, written: dict, changed: list[str]):
    assert list_changed({"a": {"instant": "1"}}, version, written) == changed
