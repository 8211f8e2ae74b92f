"""When a claim holds and when it fails, on a cluster that is a table of states."""

import pytest

from lifecycle.expressions import parse
from lifecycle.scenario import Expect
from lifecycle.simulation.expectations import Watches

KEY = ("Pod", "default", "a")
CLAIM = "pod/a .status.phase == Running"


class States:
    """A cluster whose pod is what the table says: instant -> phase, None where it is not there."""

    def __init__(self, phases):
        self.phases = phases
        self.now_ms = 0

    def get(self, kind, namespace, name):
        phase = self.phases[max(at_ms for at_ms in self.phases if at_ms <= self.now_ms)]
        return None if phase is None else {"status": {"phase": phase}}


def watch(phases, claim, text=CLAIM, from_ms=None, to_ms=None, end_ms=100):
    """Live through all changes and borders in order; the failures at the end."""
    cluster = States(phases)
    watches = Watches([Expect(claim, parse(text), from_ms, to_ms, "claim")])
    for at_ms in sorted({*phases, *watches.borders}):
        if at_ms > end_ms:
            break
        cluster.now_ms = at_ms
        if at_ms in phases:
            watches.look_at({KEY}, cluster, at_ms)
        if at_ms in watches.borders:
            watches.look_at_all(cluster, at_ms)
    return watches.finish(end_ms)


@pytest.mark.parametrize(
    "phases, window, failure",
    [
        pytest.param({0: "Running"}, {}, None, id="from the start"),
        pytest.param({0: None, 10: "Running"}, {}, None, id="begins with its object"),
        pytest.param(
            {0: None, 10: "Running", 20: None}, {}, "at 20ms: there is no such object", id="then gone"
        ),
        pytest.param({0: "Running", 30: "Failed"}, {}, "at 30ms: Failed", id="breaks"),
        pytest.param({0: "Running", 30: "Failed"}, {"to_ms": 29}, None, id="breaks after its end"),
        pytest.param({0: "Pending", 30: "Running"}, {"from_ms": 30}, None, id="before its beginning"),
        pytest.param({0: "Pending"}, {"from_ms": 30}, "at 30ms: Pending", id="at its beginning"),
        pytest.param(
            {0: None}, {"from_ms": 30}, "at 30ms: there is no such object", id="absent at its beginning"
        ),
        pytest.param({0: None}, {}, "there never was such an object", id="never there"),
        pytest.param(
            {0: "Running"}, {"from_ms": 200}, "the run ended at 100ms, before it could be seen", id="too late"
        ),
    ],
)
def test_always(phases, window, failure):
    assert watch(phases, "always", **window) == ([f"claim failed {failure}"] if failure else [])


@pytest.mark.parametrize(
    "phases, window, failure",
    [
        pytest.param({0: None, 10: "Pending", 50: "Running", 60: "Failed"}, {}, None, id="once is enough"),
        pytest.param({0: "Pending", 50: "Running"}, {"to_ms": 50}, None, id="at the last instant"),
        pytest.param(
            {0: "Pending", 51: "Running"}, {"to_ms": 50}, "not until 50ms; last seen: Pending", id="late"
        ),
        pytest.param(
            {0: "Running", 10: "Failed"}, {"from_ms": 20}, "not until 100ms; last seen: Failed", id="before"
        ),
        pytest.param({0: None}, {}, "not until 100ms; last seen: there is no such object", id="never"),
    ],
)
def test_eventually(phases, window, failure):
    assert watch(phases, "eventually", **window) == ([f"claim failed {failure}"] if failure else [])


def test_what_was_never_there_is_not_gone():
    assert watch({0: None}, "eventually", "pod/a gone") != []
    assert watch({0: None, 10: "Running", 20: None}, "eventually", "pod/a gone") == []


@pytest.mark.parametrize(
    "at_ms, failure",
    [
        (30, None),
        (29, "at 29ms: Pending"),
        (40, "at 40ms: Failed"),
        (200, "the run ended at 100ms, before it could be seen"),
    ],
)
def test_holds(at_ms, failure):
    phases = {0: "Pending", 30: "Running", 40: "Failed"}
    found = watch(phases, "holds", from_ms=at_ms, to_ms=at_ms)
    assert found == ([f"claim failed {failure}"] if failure else [])
