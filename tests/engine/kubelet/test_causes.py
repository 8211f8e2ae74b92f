"""What led to what: the chain of causes behind a row, back to the command that began it."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.engine.kubelet.world import World

Row = dict[str, Any]
STARTS = [
    ("exists", "created"),
    ("node", "node-1"),
    ("container.app.state", "Waiting"),
    ("Pulled", None),
    ("container.app.state", "Running"),
]
"""From the command that creates a pod to its container's first start, with an image that is pulled."""
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default"},
}


def find(world: World, field: str, new: Any = None, number: int = 0, name: str = "web") -> Row:
    """The row of that number in which a field took a value; or an event, by its reason."""
    found = [row for row in world.rows if row["name"] == name and _says(row) == (field, new)]
    return found[number]


def chain(world: World, row: Row) -> tuple[str | None, list[tuple[str, Any]]]:
    """What the first of a chain was caused by, and (field, new) of all its rows, `row` last."""
    rows = {one["seq"]: one for one in world.rows}
    told = [_says(row)]
    while isinstance(row["cause"], int):
        row = rows[row["cause"]]
        told.append(_says(row))
    return row["cause"], told[::-1]


def _says(row: Row) -> tuple[str, Any]:
    return (row["field"], row["new"]) if row["type"] == "transition" else (row["reason"], None)


def deployment(image: str) -> Row:
    probe = {"httpGet": {"port": 80}, "initialDelaySeconds": 2}
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "image": image, "readinessProbe": probe}]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {**DEPLOYMENT, "spec": spec}


def roll_out(*steps: str) -> World:
    """A Deployment that is given these images in turn, a minute apart; `undo` goes back to the one before."""
    world = World()
    for number, step in enumerate(steps):
        if step == "undo":
            assert world.submit(
                "rollout", action="undo", kind="Deployment", namespace="default", name="web"
            ).ok
        else:
            assert world.submit("apply", object=deployment(step)).ok
        world.to((number + 1) * 60)
    return world


# --- a container's own ends and starts --------------------------------------------------------------------


def test_a_liveness_probe_that_fails_leads_to_the_kill_and_to_the_next_start() -> None:
    liveness = {"httpGet": {"port": 80}, "periodSeconds": 1, "failureThreshold": 3}
    seen = [{"at": "0s", "result": "success"}, {"at": "2s", "result": "failure"}]
    behavior = {"app": {"probes": {"liveness": seen}, "onTerm": {"ignore": True}}}
    world = World()
    world.pod({"name": "app", "livenessProbe": liveness}, behavior=behavior, terminationGracePeriodSeconds=2)
    world.to(60)
    one_life = [
        ("probe.app.liveness", "Success"),
        ("probe.app.liveness", "Failure"),
        ("probe.app.liveness", "Failure"),
        ("signal.app", "SIGTERM"),
        ("signal.app", "SIGKILL"),
    ]
    running = ("container.app.state", "Running")
    # The look that kills goes on to start: the one after it tells what came of that, not of the end alone.
    again = [("container.app.state", "Waiting"), running]
    fourth_start = find(world, "container.app.state", "Running", 3)
    # The recording probe-liveness-own-grace outranks the specification for v1.35: a look that kills knows of
    # earlier ends only, so that the first two restarts have no back-off, and the third, 6 s after one, has.
    expected = [*STARTS, *one_life, running, *one_life, running, *one_life, *again]
    assert chain(world, fourth_start) == ("command:c1", expected)


def test_a_kill_and_the_start_after_it_are_one_look_and_told_as_one() -> None:
    liveness = {"httpGet": {"port": 80}, "periodSeconds": 5, "failureThreshold": 3}
    seen = [{"at": "0s", "result": "failure"}]
    behavior = {"app": {"probes": {"liveness": seen}, "onTerm": {"ignore": True}}}
    world = World(timing="realistic")
    world.pod({"name": "app", "livenessProbe": liveness}, behavior=behavior, terminationGracePeriodSeconds=3)
    world.to(30)
    again = find(world, "container.app.state", "Running", 1)
    assert chain(world, again)[1][-5:] == [
        ("probe.app.liveness", "Failure"),
        ("probe.app.liveness", "Failure"),
        ("signal.app", "SIGTERM"),
        ("signal.app", "SIGKILL"),
        ("container.app.state", "Running"),
    ]
    assert world.ends() == []
    assert world.container()["lastState"]["terminated"]["exitCode"] == 137
    assert [ready for _, ready in world.lane("condition.Ready")] == ["False", "True"]


def test_a_program_that_exits_leads_to_its_back_off_and_to_its_next_start() -> None:
    world = World()
    world.pod(behavior={"app": {"runs": [{"for": "5s", "exit": 1}]}})
    world.to(60)
    ended, running = ("container.app.state", "Terminated"), ("container.app.state", "Running")
    expected = [*STARTS, ended, running, ended, ("container.app.state", "Waiting"), running]
    assert chain(world, find(world, *running, 2)) == ("command:c1", expected)


def test_an_image_that_cannot_be_pulled_leads_to_the_back_off_before_the_next_try() -> None:
    world = World()
    world.pod(behavior={"app": {"pull": {"error": "ErrImagePull", "times": 2}}})
    world.to(120)
    waiting = ("container.app.state", "Waiting")
    # Each try that fails is told as ErrImagePull, then as ImagePullBackOff.
    expected = [*STARTS[:3], waiting, waiting, waiting, waiting, *STARTS[3:]]
    running = find(world, "container.app.state", "Running")
    assert chain(world, running) == ("command:c1", expected)
    rows = [row for row in world.rows if row["type"] == "transition" and _says(row) == waiting]
    told = ["ContainerCreating", *["ErrImagePull", "ImagePullBackOff"] * 2]
    assert [row["reason"] for row in rows] == told
    assert [row["cause"] for row in rows][2:] == [row["seq"] for row in rows][1:-1]


# --- ends that are asked for ------------------------------------------------------------------------------


def test_a_hook_that_overruns_leads_to_the_signals_and_the_end() -> None:
    hook = {"exec": {"command": ["sleep", "100"]}}
    world = World()
    world.pod(
        {"name": "app", "lifecycle": {"preStop": hook}},
        behavior={"app": {"preStop": {"takes": "100s"}, "onTerm": {"ignore": True}}},
        terminationGracePeriodSeconds=10,
    )
    world.to(30).delete()
    world.to(60)
    expected = [
        ("deletion", "requested"),
        ("hook.app.preStop", "Started"),
        ("hook.app.preStop", "TimedOut"),
        ("signal.app", "SIGTERM"),
        ("signal.app", "SIGKILL"),
        ("container.app.state", "Terminated"),
        ("exists", "deleted"),
    ]
    assert chain(world, find(world, "exists", "deleted")) == ("command:c2", expected)


def test_the_end_of_an_app_leads_to_the_end_of_the_sidecars_in_turn() -> None:
    world = World()
    slow = {"onTerm": {"takes": "3s", "exit": 0}}
    world.pod("app", init=["first*", "second*"], behavior={"app": slow, "first": slow, "second": slow})
    world.to(30).delete()
    world.to(60)
    # Of what has ended nothing is told until all has: what leads on is what each was ended with.
    expected = [
        ("deletion", "requested"),
        ("signal.app", "SIGTERM"),
        ("signal.second", "SIGTERM"),
        ("signal.first", "SIGTERM"),
        ("container.first.state", "Terminated"),
        ("exists", "deleted"),
    ]
    assert chain(world, find(world, "exists", "deleted")) == ("command:c2", expected)


def test_a_sidecar_of_a_pod_that_has_done_its_work_ends_because_the_app_has_ended() -> None:
    world = World()
    work = {"app": {"runs": [{"for": "20s", "exit": 0}]}}
    world.pod("app", init=["side*"], behavior=work, restartPolicy="Never")
    world.to(60)
    told = chain(world, find(world, "container.side.state", "Terminated"))[1]
    assert told[-4:] == [
        ("container.app.state", "Running"),
        ("container.app.state", "Terminated"),
        ("signal.side", "SIGTERM"),
        ("container.side.state", "Terminated"),
    ]


def test_containers_that_are_stopped_together_follow_from_the_deletion_alone() -> None:
    world = World()
    world.pod("app", "other", behavior={name: {"onTerm": {"takes": "3s"}} for name in ("app", "other")})
    world.to(30).delete()
    world.to(60)
    for name in ("app", "other"):
        signal = find(world, f"signal.{name}", "SIGTERM")
        assert chain(world, signal) == ("command:c2", [("deletion", "requested"), _says(signal)])


def test_an_eviction_that_is_asked_for_leads_to_the_deletion() -> None:
    world = World()
    world.pod()
    world.to(30).submit("evict", namespace="default", name="web")
    world.to(60)
    expected = [
        ("eviction", "accepted"),
        ("condition.DisruptionTarget", "True"),
        ("deletion", "requested"),
        ("signal.app", "SIGTERM"),
        ("container.app.state", "Terminated"),
    ]
    ended = find(world, "container.app.state", "Terminated")
    assert chain(world, ended) == ("command:c2", expected)


def test_a_node_that_runs_short_leads_to_the_end_of_the_pod_it_evicts_and_not_of_another() -> None:
    world = World()
    world.pod(behavior={"app": {"usage": [{"at": "0s", "memory": "64Mi"}]}})
    world.pod(meta={"name": "other"})
    world.to(30).submit("fault", node="node-1", kind="pressure", resource="memory", **{"for": "5s"})
    world.to(120)
    expected = [
        ("condition.MemoryPressure", "True"),
        ("Evicted", None),
        ("signal.app", "SIGTERM"),
        ("phase", "Failed"),
    ]
    assert chain(world, find(world, "phase", "Failed")) == ("command:c3", expected)
    assert chain(world, find(world, "condition.Ready", "True", name="other"))[0] == "command:c2"


# --- a rollout --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "steps, is_pulled",
    [
        pytest.param(["web:1", "web:2"], True, id="image"),
        pytest.param(["web:1", "web:2", "undo"], False, id="undo"),
    ],
)
def test_a_change_of_a_deployment_leads_by_the_new_pod_to_the_old_ones_end(
    steps: Sequence[str], is_pulled: bool
) -> None:
    world = roll_out(*steps)
    deleted = [
        row for row in world.rows if row["type"] == "transition" and _says(row) == ("exists", "deleted")
    ]
    expected = [
        ("revision", len(steps)),
        *STARTS,
        ("probe.app.readiness", "Success"),
        ("condition.Ready", "True"),
        ("availableReplicas", 1),
        ("deletion", "requested"),
        ("signal.app", "SIGTERM"),
        ("container.app.state", "Terminated"),
        ("exists", "deleted"),
    ]
    assert chain(world, deleted[-1]) == (f"command:c{len(steps)}", expected)
    pulls = [row for row in world.rows if row.get("reason") == "Pulling"]
    assert len(pulls) == 2
    assert is_pulled == (steps[-1] != "undo")


def test_pods_that_a_set_makes_together_follow_from_the_set_and_not_from_each_other() -> None:
    world = World()
    two = deployment("web:1")
    two["spec"]["replicas"] = 2
    assert world.submit("apply", object=two).ok
    world.to(30)
    made = [row for row in world.rows if row["kind"] == "Pod" and row.get("field") == "exists"]
    assert [chain(world, row)[1] for row in made] == [
        [("exists", "created"), ("revision", 1), ("exists", "created")]
    ] * 2
