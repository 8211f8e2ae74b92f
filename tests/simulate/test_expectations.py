"""When a claim holds and when it fails, on a cluster that is a table of states."""

import pytest

from lifecycle.input.expressions import ExpressionError, parse
from lifecycle.input.scenario import Expect
from lifecycle.input.sequences import find_difference, read_entry, read_lane
from lifecycle.simulation.expectations import Watches
from tests.simulate.running import run_file

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


WANTED = [(0, "Pending"), (3000, "Running"), (9000, "Failed")]


@pytest.mark.parametrize(
    "seen, at_instants, in_order",
    [
        pytest.param(WANTED, True, True, id="the same"),
        pytest.param([(0, "Pending"), (3001, "Running"), (9000, "Failed")], False, True, id="later"),
        pytest.param(WANTED[:2], False, True, id="not over yet"),
        pytest.param([*WANTED[:2], (4000, "Unknown"), WANTED[2]], False, True, id="more of it seen"),
        pytest.param([*WANTED[:2], (9000, "Succeeded")], False, False, id="another end"),
        pytest.param([WANTED[0], WANTED[2], WANTED[1]], False, False, id="another order"),
        pytest.param([(0, "Failed")], False, False, id="another beginning"),
        pytest.param([], False, False, id="nothing at all, as of an object that is not there"),
    ],
)
def test_a_sequence_is_exact_at_instants_and_keeps_its_order_under_latencies(seen, at_instants, in_order):
    assert (find_difference(WANTED, seen) is None) is at_instants
    assert (find_difference(WANTED, seen, has_times=False) is None) is in_order


@pytest.mark.parametrize(
    "text, message",
    [
        ("pod/web", "is not the lane of an object"),
        ("thing/web phase", "is not the lane of an object"),
        (None, "is not the lane of an object"),
    ],
)
def test_a_lane_that_cannot_be_read_is_refused(text, message):
    with pytest.raises(ExpressionError, match=message):
        read_lane(text)


@pytest.mark.parametrize("text", ["Running", "3 Running", "", "soon Running"])
def test_an_entry_without_an_instant_is_refused(text):
    with pytest.raises(ExpressionError, match="is not an instant and a value"):
        read_entry(text)


MORE = 'entry 3 must be absent, but is "9s False/PodCompleted"'
POD = """
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: app, image: "sim/server:1"}]}
---
apiVersion: podline.dev/v1alpha1
kind: Scenario
metadata: {name: web}
spec:
  timing: instant
  steps: [{at: 9s, delete: {kind: Pod, name: web, gracePeriodSeconds: 5}}]
  until: 60s
  expect: [{sequence: pod/%s %s, is: %s}]
"""


@pytest.mark.parametrize(
    "field, entries, failure",
    [
        ("phase", "[0s Pending, 0s Running, 9s Succeeded]", ""),
        ("phase", "[0s Pending, 0s Running]", 'entry 3 must be absent, but is "9s Succeeded"'),
        (
            "phase",
            "[0s Pending, 1s Running, 9s Succeeded]",
            'entry 2 must be "1s Running", but is "0s Running"',
        ),
        ("container.app.state", "[0s Waiting/ContainerCreating, 0s Running, 9s Terminated/Completed/0]", ""),
        ("container.app.ready", "[0s false, 0s true, 9s false]", ""),
        ("condition.PodScheduled", "[0s True]", ""),
        ("condition.ContainersReady", "[0s False/ContainersNotReady, 0s True]", MORE),
        ("starts.app", "[0s]", ""),
        ("events", "[0s Scheduled, 0s Pulling, 0s Pulled, 0s Created, 0s Started, 9s Killing]", ""),
        ("restarts", "[]", ""),
    ],
)
@pytest.mark.parametrize("name", ["web", "we*"])
def test_a_sequence_is_all_that_a_field_shows(name, field, entries, failure, tmp_path):
    path = tmp_path / "web.yaml"
    path.write_text(POD % (name, field, entries))
    failures = run_file(path).outcome.failures
    assert failures == ((f'sequence "pod/{name} {field}" failed: {failure}',) if failure else ())
