"""The filter box means what its words say: the legend's states, kubectl's STATUS, and parts of names."""

from __future__ import annotations

import pytest

from dashboard.plots.queries import Seen, read_query
from lifecycle.simulation.reports.tones import STATES


def pod(state: str, status: str, name: str = "web-1", namespace: str = "shop") -> Seen:
    return Seen(namespace, name, "Deployment/web", "ReplicaSet/web-1", "node-1", state, status)


CRASHING = pod("crashing", "CrashLoopBackOff")
BETWEEN = pod("crashing", "Error")
STUCK = pod("stuck", "ImagePullBackOff")
READY = pod("ready", "Running")
NOT_READY = pod("notReady", "Running")
STARTING = pod("starting", "ContainerCreating")
ALL = {"crashing": CRASHING, "between": BETWEEN, "stuck": STUCK, "ready": READY}
ALL |= {"not ready": NOT_READY, "starting": STARTING}


@pytest.mark.parametrize(
    "text, expected",
    [
        pytest.param("status:crashing", {"crashing", "between"}, id="a state"),
        pytest.param("status:Crash", {"crashing", "between"}, id="how a state begins"),
        pytest.param("status:CrashLoop", {"crashing", "between"}, id="what comes and goes"),
        pytest.param("status:CrashLoopBackOff", {"crashing", "between"}, id="in full"),
        pytest.param("status:error", {"between"}, id="a STATUS as it is now"),
        pytest.param("status:image", {"stuck"}, id="how a STATUS begins"),
        pytest.param("status:backoff", {"crashing", "stuck"}, id="a part of a STATUS"),
        pytest.param("status:ready", {"ready"}, id="the whole name of a state"),
        pytest.param("status:read", {"ready"}, id="not a part of a state"),
        pytest.param("status:not", {"not ready"}, id="how two words begin"),
        pytest.param("status:running", {"ready", "not ready"}, id="a STATUS of two states"),
        pytest.param("status:st", {"stuck", "starting"}, id="how two states begin"),
        pytest.param("crash", {"crashing", "between"}, id="a plain word"),
        pytest.param("stuck", {"stuck"}, id="a plain state"),
        pytest.param("ready", set(), id="who is well is found by a key"),
        pytest.param("st", set(), id="two letters are looked for in names"),
        pytest.param("crash web", {"crashing", "between"}, id="a state and a name"),
        pytest.param("crash db", set(), id="a state and another name"),
    ],
)
def test_a_word_finds(text, expected):
    query = read_query(text)
    assert {name for name, seen in ALL.items() if query.takes(seen)} == expected


@pytest.mark.parametrize("tone", STATES, ids=lambda tone: tone.name)
def test_the_legend_and_the_filter_use_one_word_for_the_same_pods(tone):
    query = read_query(f"status:{tone.name}")
    assert [one.name for one in STATES if query.takes(pod(one.name, "Running"))] == [tone.name]


def test_a_plain_word_is_still_found_in_names():
    assert read_query("crash").takes(pod("ready", "Running", name="crash-test-1"))
    assert read_query("st").takes(pod("ready", "Running", name="store-1"))
