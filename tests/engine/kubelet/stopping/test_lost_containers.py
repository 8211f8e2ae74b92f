"""What nobody can tell any more: containers their runtime forgot, pods whose node cannot be asked."""

from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.kubelet.world import World

RULES = [{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}]
ONCE = {"name": "once", "restartPolicy": "Never", "restartPolicyRules": RULES}


def lose(world: World, container: str = "once") -> Any:
    return world.submit("fault", pod="web", container=container, kind="lost")


def fault(world: World, kind: str, seconds: float) -> None:
    assert world.submit("fault", node="node-1", kind=kind, **{"for": f"{seconds}s"}).ok


@pytest.mark.spec("CRULE-13")
def test_a_container_whose_record_is_gone_runs_again_against_all_rules() -> None:
    world = World()
    world.pod(ONCE, "main", behavior={"once": {"runs": [{"for": "10s", "exit": 7}]}})
    world.to(100)
    assert (world.starts("once"), world.ends("once")) == ([0], [(10, 7)])
    answer = lose(world)
    assert answer.ok, answer.status
    world.to(200)
    assert (world.starts("once"), world.ends("once")) == ([0, 100], [(10, 7), (110, 7)])
    assert (world.starts("main"), world.container("once")["restartCount"]) == ([0], 1)
    extra = [
        row for row in world.rows if row["at_ms"] == 100_000 and row.get("field") == "container.once.state"
    ]
    # The history names the fault as what led to the extra run.
    assert [(row["new"], row["cause"]) for row in extra] == [("Running", f"command:c{world.commands}")]


@pytest.mark.spec("CRULE-13")
def test_a_record_lost_while_the_kubelet_is_down_is_missed_when_it_is_back() -> None:
    world = World()
    world.pod(ONCE, "main", behavior={"once": {"runs": [{"for": "10s", "exit": 7}]}})
    fault(world.to(100), "kubeletRestart", 30)
    assert lose(world.to(110)).ok
    assert world.to(129).starts("once") == [0]
    assert world.to(200).starts("once") == [0, 130]


@pytest.mark.spec("CSTATE-10")
def test_a_running_container_that_is_lost_has_ended_nobody_knows_how() -> None:
    world = World()
    world.pod("app", "main")
    assert lose(world.to(100), "app").ok
    world.to(200)
    app = world.container()
    ended = app["lastState"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (137, "ContainerStatusUnknown")
    assert (world.starts(), app["restartCount"], world.starts("main")) == ([0, 100], 1, [0])
    assert world.lane("phase") == [(0, "Pending"), (0, "Running")]


def test_only_what_has_run_in_a_living_pod_can_be_lost() -> None:
    world = World()
    slow = {"name": "slow", "image": "sim/slow:1"}
    world.pod("app", slow, behavior={"slow": {"pull": {"takes": "1h"}}})
    answer = lose(world.to(10), "slow")
    assert answer.code == 409
    assert answer.status is not None
    assert answer.status["message"] == 'pod "web": there is no run of "slow" to be lost'
    world.pod(
        meta={"name": "done"}, behavior={"app": {"runs": [{"for": "1s", "exit": 0}]}}, restartPolicy="Never"
    )
    assert world.to(20).status("done")["phase"] == "Succeeded"
    assert world.submit("fault", pod="done", container="app", kind="lost").code == 409


def test_a_loss_survives_saving() -> None:
    def live(is_saved: bool) -> list[Any]:
        world = World()
        behavior = {"once": {"start": {"takes": "5s"}, "runs": [{"for": "10s", "exit": 7}]}}
        world.pod(ONCE, "main", behavior=behavior)
        lose(world.to(100))
        world.to(102)
        if is_saved:
            assert world.rows
            world.cluster = Cluster.load(world.cluster.save())
        return world.to(300).rows

    assert live(True) == live(False)


@pytest.mark.spec("POD-PHASE-09")
@pytest.mark.parametrize("outage", ["partition", "kubeletRestart"])
def test_the_phase_is_unknown_only_when_that_is_asked_for(outage: str) -> None:
    world = World()
    world.pod()
    assert world.to(100).submit("fault", pod="web", kind="unknown").code == 409
    fault(world, outage, 300)
    world.to(200)
    assert world.lane("phase")[-1] == (0, "Running")
    answer = world.submit("fault", pod="web", kind="unknown")
    assert answer.ok, answer.status
    assert world.to(399).status()["phase"] == "Unknown"
    world.to(500)
    assert world.lane("phase") == [(0, "Pending"), (0, "Running"), (200, "Unknown"), (400, "Running")]
    assert world.lane("status")[-2:] == [(200, "Unknown"), (400, "Running")]
