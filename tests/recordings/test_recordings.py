"""What a real Kubernetes did, Podline does: compared field by field, second by second, text by text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import pytest

from tests.recordings.align import align
from tests.recordings.check import check, describe, describe_findings
from tests.recordings.compare import compare
from tests.recordings.differences import (
    DIFFERENCES,
    FORCES,
    INTERCHANGEABLE,
    LEAST_PERCENT,
    LEAST_PERCENT_OF_FORCES,
    LEAST_PERCENT_OF_INTERCHANGEABLE,
    LEAST_PERCENT_OF_NAMED,
    LEAST_PERCENT_OF_OTHERS,
    NAMED,
    NEEDS_LATER,
    find_reason,
    list_differing,
)
from tests.recordings.normalize import History
from tests.recordings.scenario_files import RECORDINGS, list_names, list_scenarios
from tests.seeds import one_in

pytestmark = pytest.mark.slow

NAMES = list_names()

SEEN = """{found}
See both histories: python -m tests.recordings {name} -v"""


def list_cases() -> Iterator[Any]:
    """Of each family every 6th; all others are deep."""
    for _, family in groupby(list_scenarios().items(), lambda one: one[1].parent):
        yield from one_in(8, sorted({name for name, _ in family} & {*NAMES}))


@pytest.mark.parametrize("name", [*list_cases()])
def test_podline_does_what_kubernetes_did(name: str):
    result, reason = check(name), find_reason(name)
    found = f"{describe(result)}\n{describe_findings(result)}"
    if reason is None:
        assert result.agrees, SEEN.format(found=found, name=name)
    else:
        assert not result.agrees, f"{name} agrees now: take it out of differences.py ({reason})"


@pytest.mark.parametrize(
    "counts, least",
    [
        pytest.param(lambda name: True, LEAST_PERCENT, id="all"),
        pytest.param(
            lambda name: name.startswith(INTERCHANGEABLE),
            LEAST_PERCENT_OF_INTERCHANGEABLE,
            id="interchangeable pods",
        ),
        pytest.param(lambda name: name.startswith(NAMED), LEAST_PERCENT_OF_NAMED, id="sets, claims, Jobs"),
        pytest.param(lambda name: name.startswith(FORCES), LEAST_PERCENT_OF_FORCES, id="forces on a cluster"),
        pytest.param(
            lambda name: not name.startswith(INTERCHANGEABLE + NAMED + FORCES),
            LEAST_PERCENT_OF_OTHERS,
            id="pods and what is around them",
        ),
    ],
)
def test_enough_scenarios_agree(counts: Callable[[str], bool], least: int):
    later = list_differing(NEEDS_LATER)
    counted = [name for name in NAMES if counts(name) and name not in later]
    # The test above holds the table to be exact, where all are compared.
    agreeing = [name for name in counted if find_reason(name) is None]
    share = 100 * len(agreeing) / len(counted)
    assert share >= least, f"{len(agreeing)} of {len(counted)} agree, {share:.1f} %"


def test_every_scenario_has_its_recording_and_every_recording_its_scenario():
    """Beside it, by the same name, which no other family has."""
    files = sorted(path for path in RECORDINGS.rglob("*") if path.is_file())
    scenarios = [path for path in files if path.suffix == ".yaml"]
    recorded = {path.with_name(f"{path.stem}.real.jsonl.gz") for path in scenarios}
    assert set(files) == recorded | set(scenarios)
    assert sorted(path.stem for path in scenarios) == NAMES


def test_the_table_names_each_scenario_once():
    named = Counter(
        name for reasons in DIFFERENCES.values() for names in reasons.values() for name in names.split()
    )
    assert {name for name, count in named.items() if count > 1} == set()
    assert set(named) <= set(NAMES)


# --- the comparison sees what it is for -------------------------------------------------------------------


def make_history(field: str, lane: list[tuple[float, object, str]], until: float = 60.0) -> dict:
    """One pod with one field."""
    history = History()
    history.put(("Pod", "p", "p"), "exists", 0.0, "created")
    for at, value, message in lane:
        history.put(("Pod", "p", "p"), field, at, value, message)
    return history.finish(until, "real", has_faults=False)


@pytest.mark.parametrize(
    "field, real, mine, verdict",
    [
        pytest.param("phase", [(1, "Running", "")], [(3.4, "Running", "")], "same", id="2.4 s apart"),
        pytest.param("phase", [(1, "Running", "")], [(3.6, "Running", "")], "times", id="2.6 s apart"),
        pytest.param("phase", [(50, "Running", "")], [(54.9, "Running", "")], "same", id="a tenth of 50 s"),
        pytest.param(
            "phase",
            [(1, "Running", ""), (20, "Failed", "")],
            [(1, "Running", ""), (20, "Succeeded", "")],
            "differs",
            id="another value",
        ),
        pytest.param(
            "status",
            [(1, "Running", ""), (5, "Error", ""), (6.4, "Running", "")],
            [(1, "Running", "")],
            "coalesced",
            id="a value of 1.4 s",
        ),
        pytest.param(
            "status",
            [(1, "Running", ""), (5, "Error", ""), (6.6, "Running", "")],
            [(1, "Running", "")],
            "differs",
            id="a value of 1.6 s",
        ),
        pytest.param(
            "condition.Ready",
            [(1, "False ContainersNotReady", "[app]")],
            [(1, "False ContainersNotReady", "[side]")],
            "differs",
            id="another message",
        ),
        pytest.param(
            "container.app.state",
            [(1, "Waiting CrashLoopBackOff", ""), (16, "Running", "")],
            [(1, "Waiting CrashLoopBackOff", ""), (11, "Running", "")],
            "same",
            id="a back-off of 10 s that took 15",
        ),
        pytest.param(
            "container.app.state",
            [(1, "Waiting CrashLoopBackOff", ""), (20, "Running", "")],
            [(1, "Waiting CrashLoopBackOff", ""), (11, "Running", "")],
            "times",
            id="a back-off of 10 s that took 19",
        ),
    ],
)
def test_the_comparison_sees(field: str, real: list, mine: list, verdict: str):
    assert compare("p", make_history(field, real), make_history(field, mine)).verdict == verdict


@pytest.mark.parametrize("is_real", [True, False])
def test_an_event_or_a_refusal_of_one_side_differs(is_real: bool):
    plain, told, refused = (make_history("phase", []) for _ in range(3))
    told["events"] = {
        "Pod/p Killing (Normal)": {"first": 1.0, "count": 1, "told": 1, "messages": ["Stopping"]}
    }
    refused["refusals"] = {"step 1, patch at 5s": "no"}
    for other, kind in ((told, "event"), (refused, "refusal")):
        sides = (other, plain) if is_real else (plain, other)
        assert [finding.kind for finding in compare("p", *sides).findings] == [kind]


def test_values_are_paired_at_the_least_cost():
    real = [[0.0, "a", ""], [10.0, "b", ""], [20.0, "a", ""], [30.0, "c", ""]]
    mine = [[0.0, "a", ""], [30.0, "c", ""]]
    pairs, missing, extra = align(real, mine, 60.0)
    assert pairs == [(0, 0), (3, 1)]
    # The return to `a` costs nothing: both are at it.
    assert (missing, extra) == ([False, True, False, False], [False, False])
