"""Whatever key of what was saved is broken, the cluster is taken up, and lives on."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from lifecycle.engine import Cluster, Settings
from lifecycle.engine.upgrades import Known
from lifecycle.runs.upgrades import go_on_from
from tests.runs import old_clusters
from tests.seeds import one_in

pytestmark = pytest.mark.slow

Path = tuple[Any, ...]
REMOVED = object()
BROKEN = (REMOVED, None, "x", -7, [], {}, [[]], {"x": None}, True)
SAMPLE = 14
NAMED_BY_DATA = ("runs", "agents", "probes", "open_series", "creations", "variables", "environment")


def known_of(kept: dict[str, Any]) -> Known:
    living = [one["data"] for one in kept["objects"] if one.get("deleted_ms") is None]
    creations = {one["uid"]: kept["rv"] for one in kept["objects"]}
    return Known(
        kept["seed"],
        kept["epoch_ms"],
        Settings(),
        kept["instant_ms"],
        kept["seq"],
        kept["rv"],
        living,
        creations,
    )


def paths_in(data: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every value, whole parts first."""
    if path:
        yield path
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in parts:
        yield from paths_in(value, (*path, key))


def pattern_of(path: Path) -> Path:
    """Paths that differ only in which worker, run, task or node they are of are one pattern."""
    pattern: list[Any] = []
    for key in path:
        is_one_of_many = isinstance(key, int) or (pattern and pattern[-1] in NAMED_BY_DATA)
        pattern.append("*" if is_one_of_many else key)
    return tuple(pattern)


def every_pattern(data: dict[str, Any]) -> list[Path]:
    """One path of each pattern."""
    found: dict[Path, Path] = {}
    for path in paths_in(data):
        found.setdefault(pattern_of(path), path)
    return list(found.values())


def broken(data: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """The data with another value at a path, or without it."""
    made = copy.deepcopy(data)
    place: Any = made
    for key in path[:-1]:
        place = place[key]
    if value is REMOVED:
        del place[path[-1]]
    else:
        place[path[-1]] = copy.deepcopy(value)
    return made


def cases(data: dict[str, Any], rooms: tuple[str, ...]) -> list[tuple[Path, Any]]:
    paths = [path for path in every_pattern(data) if path[0] in rooms]
    return [(path, value) for path in paths for value in BROKEN]


def check(kept: dict[str, Any], path: Path, value: Any) -> None:
    """The cluster is taken up and lives for ten minutes, its rows numbered on without a gap."""
    known, saved = known_of(kept), broken(kept["checkpoints"][-1]["data"], path, value)
    engine, first = go_on_from(known, [saved, None])
    engine.run_until(known.now_ms + 600_000)
    rows = [*first.rows, *engine.take_changes().rows]
    assert [row.seq for row in rows] == list(range(known.seq + 1, known.seq + 1 + len(rows)))
    assert {pod["metadata"]["name"].partition("-")[0] for pod in engine.list("Pod")} >= {
        "loop",
        "web",
        "crash",
    }


@pytest.mark.parametrize("number", one_in(6, range(SAMPLE)))
def test_a_broken_key_never_loses_the_cluster(number):
    kept = old_clusters.read(old_clusters.COMMITS[number % len(old_clusters.COMMITS)])
    data = kept["checkpoints"][-1]["data"]
    check(kept, *random.Random(number).choice(cases(data, tuple(data))))


@pytest.mark.parametrize("name", ["template", "selector"])
def test_a_workload_that_lost_what_it_makes_pods_from_is_read_as_it_was_recorded(name):
    """As saved it would make ReplicaSets and pods without end."""
    kept = old_clusters.read("4562887")
    entries = kept["checkpoints"][-1]["data"]["objects"]
    path = next(path for path in paths_in(entries, ("objects",)) if path[-1] == name)
    check(kept, path, REMOVED)


@pytest.mark.deep
@pytest.mark.parametrize("commit", ["4562887", "6a7da46"])
def test_no_broken_key_ever_loses_the_cluster(commit):
    kept = old_clusters.read(commit)
    data = kept["checkpoints"][-1]["data"]
    for path, value in cases(data, tuple(data)):
        if value in (REMOVED, None, "x"):
            check(kept, path, value)


@pytest.mark.parametrize("commit", old_clusters.COMMITS)
def test_what_is_broken_in_one_program_begins_no_other_anew(commit):
    kept = old_clusters.read(commit)
    known, data = known_of(kept), kept["checkpoints"][-1]["data"]
    sound = set(Cluster.take_up(known, data).begun_anew)
    uid = next(
        one["uid"] for one in kept["objects"] if one["kind"] == "Pod" and one["name"].startswith("web-")
    )
    number = next(at for at, worker in enumerate(data["kubelets"]["workers"]) if worker["uid"] == uid)
    path = ("kubelets", "workers", number, "runs", "app", "process", "started_ms")
    lost = set(Cluster.take_up(known, json.loads(json.dumps(broken(data, path, "x")))).begun_anew)
    assert len(lost - sound) == 1 and lost > sound


@pytest.mark.parametrize("commit", old_clusters.COMMITS)
def test_an_older_cluster_is_given_what_every_cluster_has(commit):
    kept = old_clusters.read(commit)
    cluster = Cluster.take_up(known_of(kept), kept["checkpoints"][-1]["data"])
    classes = {one["metadata"]["name"] for one in cluster.list("PriorityClass")}
    assert {"system-node-critical", "system-cluster-critical"} <= classes
    for namespace in cluster.list("Namespace"):
        assert cluster.get("ConfigMap", namespace["metadata"]["name"], "kube-root-ca.crt") is not None
