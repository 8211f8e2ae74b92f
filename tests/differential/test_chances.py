"""Which differences between two histories say nothing about a rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lifecycle.input.scenario import read_epoch_ms
from lifecycle.simulation import Plan
from tests.recordings import run_podline
from tests.recordings.compare import Result, compare
from tests.recordings.scenario_files import ScenarioFile
from tools.differential import judging
from tools.differential.chances import without_chance
from tools.differential.client import Answer
from tools.differential.drawing import draw_case
from tools.differential.recorder import Recording, Slot

Json = dict[str, Any]
SCALED, UNMANAGED = (
    "Deployment/web ScalingReplicaSet (Normal)",
    "PodDisruptionBudget/b UnmanagedPods (Warning)",
)
SEVERAL = "Pod/web-0 MultiplePodDisruptionBudgets (Warning)"
CHOSE = 'Pod "n"/"web-0" matches multiple PodDisruptionBudgets.  Chose "{}" arbitrarily.'


def make_event(count: int, *messages: str) -> Json:
    return {"first": 1.0, "source": "s", "count": count, "told": 1, "messages": sorted(messages)}


def scale(*steps: str) -> Json:
    """`down a 4-2` is of the set a, from 4 to 2."""
    texts = [(way, name, *numbers.split("-")) for way, name, numbers in map(str.split, steps)]
    said = [f"Scaled {way} replica set {name} from {first} to {last}" for way, name, first, last in texts]
    # The eleventh similar event tells that it stands for several.
    texts_once = {f"(combined from similar events): {said[0]}", *said[1:]}
    return {SCALED: make_event(len(said), *texts_once)}


@pytest.mark.parametrize(
    "real, mine, left",
    [
        pytest.param(
            scale("down a 4-2", "up b 0-2"), scale("down a 3-2", "down a 4-3", "up b 0-2"), 0, id="steps"
        ),
        pytest.param(scale("down a 4-2", "up b 0-2"), scale("down a 4-1", "up b 0-2"), 1, id="other numbers"),
        pytest.param(scale("down a 4-2"), scale("down b 4-2"), 1, id="another set"),
        pytest.param(scale("down a 4-2"), scale("up a 2-4"), 1, id="another way"),
        pytest.param(scale("down a 4-2"), {}, 1, id="none at all"),
        pytest.param(
            scale("down a 4-2", "up a 2-4", "down a 4-2", "up a 2-4"),
            scale("down a 4-2", "up a 2-4", "down a 4-3", "down a 3-2", "up a 2-3", "up a 3-4"),
            0,
            id="as often",
        ),
        pytest.param(
            scale("down a 4-3", "up a 3-4", "down a 4-3"), scale("down a 4-3", "up a 3-4"), 1, id="once more"
        ),
        pytest.param(
            scale("down a 4-2", "up a 2-4"), scale("down a 4-2", "up a 2-4", *9 * ["up b 0-1"]), 2, id="often"
        ),
        pytest.param({UNMANAGED: make_event(20, "x")}, {UNMANAGED: make_event(5, "x")}, 0, id="looks"),
        pytest.param({UNMANAGED: make_event(20, "x")}, {}, 1, id="never told"),
        pytest.param(
            {SEVERAL: make_event(1, CHOSE.format("a"))},
            {SEVERAL: make_event(1, CHOSE.format("b"))},
            0,
            id="chosen",
        ),
        pytest.param({SEVERAL: make_event(1, CHOSE.format("a"))}, {}, 0, id="chosen, and told of once"),
    ],
)
def test_what_goes_by_looks_and_by_arbitrary_choice_is_chance(real: Json, mine: Json, left: int) -> None:
    sides = [{"objects": {}, "events": events, "refusals": {}, "until": 60.0} for events in (real, mine)]
    found = without_chance(compare("x", *sides).findings, *sides)
    assert len(found) == left


@pytest.mark.parametrize(
    "loss_seconds, here_seconds, left",
    [(50.0, 65.0, 0), (66.0, 65.0, 0), (50.0, 80.0, 1), (68.0, 65.0, 1), (None, 65.0, 1)],
)
def test_when_a_node_is_given_up_is_chance_within_its_lease_and_a_look(
    loss_seconds: float | None, here_seconds: float, left: int
) -> None:
    """What was long before a loss does not follow from it."""
    sides = []
    for at_seconds in (52.0, here_seconds):
        fields = {"taints": [[at_seconds, "unreachable", ""]]}
        objects = {"Node/node-1": {"kind": "Node", "group": "Node/node-1", "fields": fields}}
        lost = make_event(1, "x") | {"first": loss_seconds}
        events = {"Node/node-1 NodeNotReady (Normal)": lost} if loss_seconds else {}
        sides.append({"objects": objects, "events": events, "refusals": {}, "until": 120.0})
    found = without_chance(compare("x", *sides).findings, *sides)
    assert len(found) == left


@pytest.mark.parametrize("events, left", [({}, 1), ({SEVERAL: make_event(1, CHOSE.format("a"))}, 0)])
def test_what_one_of_several_budgets_says_is_chance(events: Json, left: int) -> None:
    """Which of them is looked at for a pod is chosen arbitrarily; a single one is looked at each time."""
    sides = []
    for healthy in (2, 3):
        fields = {"exists": [[0.0, "created", ""]], "currentHealthy": [[1.0, healthy, ""]]}
        one = {"kind": "PodDisruptionBudget", "group": "PodDisruptionBudget/b", "fields": fields}
        objects = {"PodDisruptionBudget/b": one}
        sides.append({"objects": objects, "events": events, "refusals": {}, "until": 60.0})
    found = without_chance(compare("x", *sides).findings, *sides)
    assert len(found) == left


@pytest.mark.parametrize("agreeing, word, tried", [(None, "same", 1), (4, "same", 4), (99, "differs", 7)])
def test_a_find_is_one_that_no_draw_of_ours_shows(
    agreeing: int | None, word: str, tried: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours is run with other seeds where it differs."""
    seen: list[int | None] = []

    def compare_to(file: ScenarioFile, _real: Json) -> Result:
        seen.append(file.seed)
        result = Result(file.name)
        if file.seed != agreeing:
            result.add("object", "Pod/p", "object", "created", "–")
        return result

    monkeypatch.setattr(judging, "_compare_to", compare_to)
    case, path = draw_case("jobs", 1), tmp_path / "x.real.jsonl.gz"
    recording = Recording("lab", Slot("s0", ["hollow-1"]), 0.0)
    for _ in range(1 + len(case.steps)):
        recording.note("a step", Answer(200, {}), 0.0)
    recording.write(case, "2026-01-01T00:00:07.250000+00:00", "v1.35.6", path)
    verdict = judging.judge_beside(case, path, "v1.35")
    assert (verdict.word, len(seen)) == (word, tried)


@pytest.mark.parametrize("family", ["jobs", "cron-jobs"])
def test_ours_begins_at_the_same_time_of_day(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The API tells whole seconds: when each of them ends is part of what is compared."""
    begun: list[tuple[int, int]] = []

    def begin(plan: Plan, _rows: Any) -> tuple[Any, None]:
        begun.append((plan.epoch_ms % 1000, plan.epoch_ms + min(step.at_ms for step in plan.steps)))
        return SimpleNamespace(refusals=[], failures=[]), None

    monkeypatch.setattr(run_podline, "run_plan", begin)
    epoch = "2026-01-01T00:00:07.250Z"
    run_podline.run(replace(draw_case(family, 1), epoch=epoch).to_file())
    assert begun == [(0, read_epoch_ms(epoch))]
