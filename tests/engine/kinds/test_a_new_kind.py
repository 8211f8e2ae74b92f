"""A new kind is one file: everything generic asks the registry, and nothing else need be touched for it."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.cluster.readings import list_workloads
from dashboard.plots.stories import Stories
from lifecycle import frames
from lifecycle.engine import Cluster, Command
from lifecycle.engine import cluster as door
from lifecycle.engine.heart.trace import Transition
from lifecycle.engine.kinds import registry
from lifecycle.engine.kinds.presentation import decide_columns, summarize
from lifecycle.engine.objects import codec, kinds
from lifecycle.input import expressions
from lifecycle.input.manifests import Document
from lifecycle.input.scenario_steps import StepReader
from lifecycle.models import Transition as Kept
from lifecycle.simulation.summaries import describe_workload
from tests.engine.kinds.kept import keep
from tests.engine.kinds.toy_controller import with_toys
from tests.engine.kinds.toy_kind import TOY, make_toy


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Toys are known while a test runs."""
    for module, name in ((registry, "_entries"), (kinds, "_registered"), (codec, "_classes")):
        monkeypatch.setattr(module, name, dict(getattr(module, name)))
    registry.register(TOY)
    monkeypatch.setattr(door, "make_controllers", with_toys(door.make_controllers))


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def submit(cluster: Cluster, kind: str, /, **payload: Any) -> Any:
    return cluster.submit(Command(id=f"{kind}-{cluster.now_ms}", kind=kind, payload=payload))


def play(cluster: Cluster, **spec: Any) -> dict[str, Any]:
    """A Toy whose pods are ready."""
    result = submit(cluster, "apply", object=make_toy(**spec))
    assert result.ok, result.status
    cluster.run_until(cluster.now_ms + 60_000)
    found = cluster.get("Toy", "default", "bear")
    assert found is not None
    return found


def count_pods(cluster: Cluster) -> int:
    return sum("deletionTimestamp" not in pod["metadata"] for pod in cluster.list("Pod"))


NAMED = {"kind": "Toy", "namespace": "default", "name": "bear"}


def test_its_defaults_are_filled_in_and_its_pods_made(cluster: Cluster) -> None:
    toy = play(cluster)
    assert toy["spec"]["size"] == 1
    assert toy["spec"]["template"]["spec"]["restartPolicy"] == "Always"
    assert (toy["status"], count_pods(cluster)) == ({"playing": 1}, 1)


def test_its_rules_are_kept(cluster: Cluster) -> None:
    refused = submit(cluster, "create", object=make_toy(size=-1))
    assert refused.status["message"] == (
        'Toy.toys.example.com "bear" is invalid: spec.size: Invalid value: -1: must be greater than or equal'
        " to 0"
    )


def test_what_stays_for_life_stays(cluster: Cluster) -> None:
    play(cluster, colour="red")
    refused = submit(cluster, "patch", type="merge", patch={"spec": {"colour": "blue"}}, **NAMED)
    assert "spec.colour" in refused.status["message"]
    assert "field is immutable" in refused.status["message"]


def test_its_fields_become_rows(cluster: Cluster) -> None:
    play(cluster, size=2)
    rows = [row for row in cluster.take_changes().rows if isinstance(row, Transition)]
    found = [(row.field, row.old, row.new) for row in rows if row.subject.kind == "Toy"]
    assert found[:2] == [("exists", None, "created"), ("size", 0, 2)]
    assert ("playing", 1, 2) in found


def test_its_columns_and_its_summary(cluster: Cluster) -> None:
    toy = play(cluster, size=2)
    assert decide_columns(toy, cluster.now_ms, epoch_ms=cluster.epoch_ms) == {
        "NAME": "bear",
        "SIZE": 2,
        "PLAYING": 2,
        "AGE": "60s",
    }
    stored = cluster.find("Toy", "default", "bear")
    assert stored is not None
    summary = summarize(stored)
    assert (summary["ready"], summary["state"], summary["group"]) == ("2/2", "ready", "toys.example.com")
    assert next(describe_workload(toy, "")) == "Toy default/bear"
    assert TOY in registry.list_workloads()


def test_it_is_scaled_where_its_size_is_written(cluster: Cluster) -> None:
    play(cluster)
    assert submit(cluster, "scale", replicas=3, **NAMED).object["spec"]["size"] == 3
    cluster.run_until(120_000)
    assert count_pods(cluster) == 3
    assert "replicas" not in cluster.list("Toy")[0]["spec"]


def test_its_image_is_set_and_its_rollout_restarted(cluster: Cluster) -> None:
    play(cluster)
    assert submit(cluster, "setImage", container="app", image="nginx:2", **NAMED).ok
    before = [pod["metadata"]["name"] for pod in cluster.list("Pod")]
    assert submit(cluster, "rollout", action="restart", **NAMED).ok
    cluster.run_until(180_000)
    (pod,) = cluster.list("Pod")
    assert pod["spec"]["containers"][0]["image"] == "nginx:2"
    assert pod["metadata"]["name"] not in before
    refused = submit(cluster, "rollout", action="undo", **NAMED)
    assert refused.status["message"] == "Toy bear: cannot undo, only restart"


def test_a_name_that_is_no_host_name_is_warned_of(cluster: Cluster) -> None:
    toy = make_toy()
    toy["metadata"]["name"] = "teddy.bear"
    (warning,) = submit(cluster, "create", object=toy).warnings
    assert "Pod names and hostnames" in warning


def test_people_call_it_by_its_names(cluster: Cluster) -> None:
    play(cluster)
    for word in ("toy", "toys", "ty", "Toy.toys.example.com"):
        assert expressions.parse(f"{word}/bear .status.playing == 1").evaluate(cluster).holds
    reader = StepReader(Document({}))
    (step,) = reader.read({"at": "1s", "scale": {"ty": "bear", "replicas": 2}}, ())
    assert (step.payload, reader.problems) == ({**NAMED, "replicas": 2}, [])


def test_it_survives_a_checkpoint(cluster: Cluster) -> None:
    play(cluster, size=2)
    cluster.take_changes()
    loaded = Cluster.load(cluster.save())
    assert loaded.list("Toy") == cluster.list("Toy")
    assert submit(loaded, "scale", replicas=1, **NAMED).ok
    loaded.run_until(200_000)
    assert count_pods(loaded) == 1


def test_its_dependents_go_with_it(cluster: Cluster) -> None:
    play(cluster, size=2)
    assert submit(cluster, "delete", **NAMED).ok
    cluster.run_until(200_000)
    assert cluster.list("Pod") == []


@pytest.mark.django_db
def test_the_page_lists_it_with_its_pods(cluster: Cluster) -> None:
    play(cluster, size=2)
    kept = keep(cluster)
    (listed,) = list_workloads(kept)
    assert (listed.kind, listed.name, listed.page, listed.summary) == ("Toy", "bear", "", "2 at play")
    assert listed.pods == 2
    stories = Stories()
    for row in Kept.objects.filter(cluster=kept).order_by("seq"):
        stories.feed(frames.transition_json(row))
    assert {stories.workload_of(story) for story in stories.by_uid.values()} == {"Toy/bear"}
