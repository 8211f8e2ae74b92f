"""Random scenarios of tools/differential: drawn by their seeds, made smaller, and what must hold of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.seeds import one_in
from tools.differential import properties
from tools.differential.case import Case, read_case
from tools.differential.drawing import FAMILIES, draw_case
from tools.differential.properties import find_broken_properties
from tools.differential.shrinking import list_smaller, shrink
from tools.differential.steps import STEPS

SEEDS = range(30)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_draws_the_same_scenario_each_time(family: str) -> None:
    assert draw_case(family, 7) == draw_case(family, 7)
    assert len({repr(draw_case(family, seed)).replace(f"seed={seed}", "") for seed in SEEDS}) == len(SEEDS)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_step_can_be_taken_on_a_real_cluster(family: str) -> None:
    drawn = [draw_case(family, seed) for seed in SEEDS]
    kinds = {key for case in drawn for step in case.steps for key in step if key != "at"}
    assert kinds <= set(STEPS)
    assert len(kinds) > 1


@pytest.mark.parametrize("family", FAMILIES)
def test_a_scenario_is_read_as_it_was_written(family: str) -> None:
    case = draw_case(family, 3)
    assert read_case("any", case.to_text()) == case


def test_a_scenario_that_nobody_drew_is_read_too() -> None:
    text = "kind: ConfigMap\n---\nkind: Scenario\nspec: {steps: [{at: 1m, cordon: node-1}], until: 1m30s}\n"
    case = read_case("own", text)
    expected = Case("own", None, ({"kind": "ConfigMap"},), ({"at": "1m", "cordon": "node-1"},), 90)
    assert case == expected
    assert case.name == "own"
    assert read_case("own", case.to_text()) == expected


@pytest.mark.parametrize(
    "text, words",
    [("kind: ConfigMap\n", "there is no Scenario"), ("kind: Scenario\nspec: {until: idle}\n", "no duration")],
)
def test_a_scenario_without_an_end_is_not_read(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_case("own", text)


# --- smaller ----------------------------------------------------------------------------------------------


def scale_to(replicas: int, at: int) -> Any:
    return {"at": f"{at}s", "scale": {"deployment": "web", "replicas": replicas}}


WEB = {"kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 5, "paused": True}}
OTHER = {"kind": "ConfigMap", "metadata": {"name": "other"}, "data": {"a": "b"}}
LARGE = Case("x", 1, (OTHER, WEB), (scale_to(1, 6), scale_to(4, 9), scale_to(2, 12)), 40)


def has_step(replicas: int) -> Callable[[Case], bool]:
    return lambda case: any(step.get("scale", {}).get("replicas") == replicas for step in case.steps)


@pytest.mark.parametrize(
    "shows, manifests, steps",
    [
        pytest.param(has_step(4), ({"kind": "ConfigMap", "metadata": {"name": "other"}},), 1, id="one step"),
        pytest.param(
            lambda case: any(one.get("spec", {}).get("paused") for one in case.manifests),
            ({"kind": "Deployment", "metadata": {"name": "web"}, "spec": {"paused": True}},),
            0,
            id="one field",
        ),
        pytest.param(
            lambda case: any(one.get("spec", {}).get("replicas", 0) > 2 for one in case.manifests),
            ({"kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 3}},),
            0,
            id="the least number",
        ),
    ],
)
@pytest.mark.parametrize("at_once", [1, 3])
def test_a_scenario_shrinks_to_what_shows_it(shows: Any, manifests: Any, steps: int, at_once: int) -> None:
    def find_showing(cases: Sequence[Case]) -> Case | None:
        return next((case for case in cases if shows(case)), None)

    small = shrink(LARGE, find_showing, at_once)
    assert small.manifests == manifests
    assert len(small.steps) == steps
    assert small.until_seconds < LARGE.until_seconds


def test_nothing_is_tried_more_often_than_asked() -> None:
    tried: list[Case] = []

    def find_showing(cases: Sequence[Case]) -> Case | None:
        tried.extend(cases)
        return None

    assert shrink(LARGE, find_showing, most_tries=5) == LARGE
    assert len(tried) == 5


def test_what_is_smaller_still_has_its_names_and_instants() -> None:
    for smaller in list_smaller(draw_case("stateful-sets", 1)):
        assert all(one["metadata"]["name"] for one in smaller.manifests)
        assert all(len(step) == 2 and "at" in step for step in smaller.steps)


# --- without a real cluster -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("family", one_in(6, FAMILIES))
def test_what_must_hold_of_every_run_holds(family: str) -> None:
    for seed in range(100, 101):
        assert find_broken_properties(draw_case(family, seed)) == []


@pytest.mark.deep
@pytest.mark.parametrize("family", FAMILIES)
def test_it_holds_of_many(family: str) -> None:
    wrong = {seed: find_broken_properties(draw_case(family, seed)) for seed in range(200, 260)}
    assert {seed: found for seed, found in wrong.items() if found} == {}


SMALL = Case("deployments", 0, (draw_case("deployments", 0).manifests[0],), (), 10)


@pytest.mark.slow
def test_a_pod_that_contradicts_itself_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pod: Any) -> None:
        raise AssertionError(pod["metadata"]["name"])

    monkeypatch.setattr(properties, "check_pod", refuse)
    assert find_broken_properties(SMALL)[0].startswith("an invariant does not hold: ")


@pytest.mark.slow
def test_a_fork_that_goes_another_way_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetful(properties.Cluster):
        @classmethod
        def load(cls, data: dict[str, Any]) -> Any:
            """With other chances than it had."""
            return super().load({**data, "chance": 99})

    monkeypatch.setattr(properties, "Cluster", Forgetful)
    assert [text.partition(":")[0] for text in find_broken_properties(SMALL)] == [
        "run in forks it has another history"
    ]
