"""Turns of a cluster: time, commands, recording, and what is left when they break off."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import DataError, InterfaceError, OperationalError

from lifecycle.engine import Cluster as Engine
from lifecycle.engine.api import server
from lifecycle.models import Command, Event, ObjectVersion, Shard, StoredObject, Transition
from lifecycle.runs import bulk, checkpoints, inbox, recorder
from lifecycle.runs.run_clock import moment
from lifecycle.runs.runner import Owner
from lifecycle.runs.sharing import shards
from lifecycle.runs.sharing.turns import find_due
from tests.runs.conftest import TickingWall, create, deployment
from tests.runs.histories import assert_whole, recorded

pytestmark = pytest.mark.slow


def test_a_command_is_answered_and_its_effects_recorded(owner, make_cluster):
    cluster = make_cluster()
    command = create(cluster, replicas=3)
    owner.turn(cluster.pk)
    command.refresh_from_db()
    assert command.is_done and command.result["code"] == 201 and command.instant_ms == 0
    assert StoredObject.objects.filter(cluster=cluster, kind="Deployment", name="web").exists()
    assert_whole(cluster)


def test_virtual_time_follows_the_wall(owner, wall, make_cluster):
    cluster = make_cluster(speed=10.0)
    owner.turn(cluster.pk)
    wall.go_on(2)
    owner.turn(cluster.pk)
    cluster.refresh_from_db()
    assert cluster.instant_ms == 20_000


def test_a_command_enters_at_virtual_now(owner, wall, make_cluster):
    cluster = make_cluster()
    owner.turn(cluster.pk)
    wall.go_on(3)
    command = create(cluster)
    owner.turn(cluster.pk)
    command.refresh_from_db()
    assert command.instant_ms == 3000


def test_a_pinned_command_enters_at_its_own_instant(owner, wall, make_cluster):
    cluster = make_cluster()
    owner.turn(cluster.pk)
    command = inbox.append(
        cluster,
        "create",
        {"object": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}},
        pinned_ms=2500,
    )
    wall.go_on(2)
    owner.turn(cluster.pk)
    command.refresh_from_db()
    assert not command.is_done
    wall.go_on(7)
    owner.turn(cluster.pk)
    command.refresh_from_db()
    assert command.instant_ms == 2500
    assert_whole(cluster)


def test_a_pinned_command_is_not_run_past_however_short_the_turns(owner, make_cluster):
    """A turn without time takes an instant at most: it ends before the command or at it, never behind it."""
    cluster = make_cluster()
    pinned = [
        inbox.append(cluster, "create", {"object": deployment(2, f"web-{n}")}, pinned_ms=1000 + 333 * n)
        for n in range(5)
    ]
    inbox.control(cluster, "run", {"untilMs": 10_000})
    while owner.turn(cluster.pk, seconds=0.0) is not None:
        pass
    for command in pinned:
        command.refresh_from_db()
    assert [command.instant_ms for command in pinned] == [command.pinned_ms for command in pinned]
    assert_whole(cluster)


def test_turns_are_cut_at_the_same_places_on_any_machine(owner, make_cluster):
    """By the clock that was handed in, which here goes on by a millisecond at each look."""
    owner.wall = owner.steady = TickingWall()
    places = []
    for _ in range(2):
        cluster = make_cluster()
        create(cluster)
        inbox.control(cluster, "run", {"untilMs": 60_000})
        found = []
        while owner.turn(cluster.pk, seconds=0.004) is not None:
            cluster.refresh_from_db()
            found.append(cluster.instant_ms)
        places.append(found)
        cluster.delete()
    assert places[0] == places[1] and len(places[0]) > 2


def test_a_turn_on_a_clock_that_stands_is_not_cut(owner, make_cluster):
    cluster = make_cluster()
    create(cluster, replicas=20)
    inbox.control(cluster, "run", {"untilMs": 60_000})
    owner.turn(cluster.pk, seconds=0.000_001)
    cluster.refresh_from_db()
    assert cluster.instant_ms == 60_000


def test_paused_time_stands_and_goes_on_from_there(owner, wall, make_cluster):
    cluster = make_cluster()
    owner.turn(cluster.pk)
    wall.go_on(1)
    pause = inbox.control(cluster, "pause")
    owner.turn(cluster.pk)
    wall.go_on(60)
    inbox.control(cluster, "resume")
    owner.turn(cluster.pk)
    wall.go_on(1)
    owner.turn(cluster.pk)
    cluster.refresh_from_db()
    pause.refresh_from_db()
    assert (pause.instant_ms, cluster.instant_ms) == (1000, 2000)


def test_a_run_goes_as_fast_as_it_can_and_stands_where_it_was_sent(owner, make_cluster):
    cluster = make_cluster()
    create(cluster, replicas=3)
    owner.turn(cluster.pk)
    inbox.control(cluster, "run", {"untilMs": 600_000})
    while owner.turn(cluster.pk) is not None:
        pass
    cluster.refresh_from_db()
    assert cluster.paused and cluster.instant_ms == 600_000
    assert_whole(cluster)


def test_a_run_stops_when_its_condition_holds(owner, make_cluster):
    cluster = make_cluster()
    create(cluster, replicas=3)
    inbox.control(cluster, "run", {"condition": "deployment/web Available"})
    while owner.turn(cluster.pk) is not None:
        pass
    cluster.refresh_from_db()
    assert cluster.paused and 0 < cluster.instant_ms < 600_000
    last = Transition.objects.filter(cluster=cluster, field="condition.Available").order_by("-seq").first()
    assert last.new == "True" and last.at_ms == cluster.instant_ms


def test_a_condition_is_looked_at_only_when_its_object_has_changed(owner, make_cluster, monkeypatch):
    cluster = make_cluster()
    create(cluster, replicas=3)
    reads, read = [], Engine.get
    monkeypatch.setattr(Engine, "get", lambda *given: reads.append(given[1:]) or read(*given))
    inbox.control(cluster, "run", {"condition": "node/node-1 .status.phase == never", "untilMs": 600_000})
    owner.turn(cluster.pk)
    instants = Transition.objects.filter(cluster=cluster).values("at_ms").distinct().count()
    writes = ObjectVersion.objects.filter(cluster=cluster, uid=node_uid(cluster)).count()
    assert len([one for one in reads if one[0] == "Node"]) <= writes + 1 < instants


def node_uid(cluster):
    return StoredObject.objects.get(cluster=cluster, kind="Node", name="node-1").uid


def test_a_step_goes_to_the_next_instant_at_which_anything_happens(owner, make_cluster):
    cluster = make_cluster(paused=True)
    create(cluster, replicas=1)
    owner.turn(cluster.pk)
    expected = owner.hot[cluster.pk].engine.next_wake()
    inbox.control(cluster, "step")
    owner.turn(cluster.pk)
    cluster.refresh_from_db()
    assert cluster.paused and cluster.instant_ms == expected > 0


@pytest.mark.parametrize(
    ("kind", "payload", "says"),
    [
        pytest.param("speed", {"speed": 0}, "0.01 to 10,000", id="no speed"),
        pytest.param("speed", {"speed": "fast"}, "use a number", id="no number"),
        pytest.param("step", {"ms": -1}, "whole number", id="backwards"),
        pytest.param("fly", {}, "use one of", id="no such control"),
        pytest.param("run", {"condition": "web is nice"}, "no expression", id="no condition"),
    ],
)
def test_a_wrong_control_is_refused_with_what_would_be_right(make_cluster, kind, payload, says):
    with pytest.raises(ValidationError, match=says):
        inbox.control(make_cluster(), kind, payload)


def test_the_same_command_twice_is_one(owner, make_cluster):
    cluster, id = make_cluster(), uuid4()
    first = inbox.append(cluster, "create", {"object": {"kind": "x"}}, id=id)
    again = inbox.append(cluster, "create", {"object": {"kind": "x"}}, id=id)
    assert first.pk == again.pk and Command.objects.count() == 1
    with pytest.raises(inbox.Refused, match="use a new id"):
        inbox.append(cluster, "create", {"object": {"kind": "y"}}, id=id)


def test_commands_of_one_instant_enter_in_inbox_order(owner, make_cluster):
    cluster = make_cluster()
    asked = [create(cluster, name=f"web-{n}", replicas=1) for n in range(5)]
    owner.turn(cluster.pk)
    causes = [
        row.cause
        for row in Transition.objects.filter(cluster=cluster, kind="Deployment", field="exists").order_by(
            "seq"
        )
    ]
    assert causes == [f"command:{command.pk}" for command in asked]


def test_an_owner_that_was_fenced_off_records_nothing(owner, wall, make_cluster):
    cluster = make_cluster()
    owner.turn(cluster.pk)
    create(cluster)
    owner.turn(cluster.pk)
    before = recorded(cluster)
    hot = owner.hot[cluster.pk]
    wall.go_on(5)
    # Another worker takes the shard over while this one is in the middle of a turn.
    really_run = owner._run
    owner._run = lambda *arguments: (really_run(*arguments), _take_all_shards("other"))  # type: ignore[method-assign]
    assert owner.turn(cluster.pk) is None
    assert recorded(cluster) == before
    assert cluster.pk not in owner.hot and hot.cluster.seq == len(before)


def test_of_two_that_serve_a_cluster_with_one_fence_the_later_goes_on_alone(owner, wall, make_cluster):
    """A cluster that is made while its shard moves: the claim did not see it, and left its fence alone."""
    cluster = make_cluster()
    create(cluster)
    owner.turn(cluster.pk)
    Shard.objects.filter(number=cluster.shard).update(worker="other")
    other = Owner("other", wall, wall)
    # Nothing hot there: the other worker takes the cluster over, from what was recorded.
    for _ in range(3):
        wall.go_on(2)
        other.turn(cluster.pk)
        before = recorded(cluster)
        wall.go_on(2)
        assert owner.turn(cluster.pk) is None
        assert recorded(cluster) == before
    assert cluster.pk not in owner.hot
    assert_whole(cluster)


def test_a_take_over_begins_where_the_last_owner_came_to_meanwhile(owner, wall, make_cluster, monkeypatch):
    cluster = make_cluster()
    create(cluster)
    owner.turn(cluster.pk)
    other = Owner("other", wall, wall)
    really_take = shards.take

    def take_late(row, worker):
        # Read by the new owner, not yet taken: the last one records another slice.
        monkeypatch.setattr(shards, "take", really_take)
        wall.go_on(2)
        owner.turn(cluster.pk)
        Shard.objects.filter(number=cluster.shard).update(worker="other")
        return really_take(row, worker)

    monkeypatch.setattr(shards, "take", take_late)
    for _ in range(3):
        other.turn(cluster.pk)
        wall.go_on(2)
    assert other.hot[cluster.pk].cluster.failure == ""
    assert_whole(cluster)


def _take_all_shards(worker: str) -> None:
    shards.leave("test")
    shards.beat(worker)


@pytest.mark.parametrize("has_checkpoint", [False, True])
def test_another_owner_goes_on_where_the_last_one_was_cut_off(owner, wall, make_cluster, has_checkpoint):
    cluster = make_cluster()
    create(cluster, replicas=3)
    owner.turn(cluster.pk)
    for _ in range(5):
        wall.go_on(0.4)
        owner.turn(cluster.pk)
    if has_checkpoint:
        owner.close()
        assert cluster.checkpoints.count() == 1
    second = Owner("test", wall, wall)
    inbox.append(
        cluster, "scale", {"kind": "Deployment", "namespace": "default", "name": "web", "replicas": 5}
    )
    for _ in range(10):
        wall.go_on(2)
        second.turn(cluster.pk)
    assert_whole(cluster)
    assert StoredObject.objects.filter(cluster=cluster, kind="Pod", deleted_ms=None).count() == 5


def test_rows_of_a_slice_that_was_cut_off_are_cleared_away(owner, wall, make_cluster, monkeypatch):
    monkeypatch.setattr(recorder, "BATCH_ROWS", 10)
    cluster = make_cluster()
    create(cluster, replicas=6)

    def die(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(recorder, "_move_cursor", die)
        with pytest.raises(KeyboardInterrupt):
            owner.turn(cluster.pk)
    cluster.refresh_from_db()
    assert cluster.seq == 0 and len(recorded(cluster)) > 0
    second = Owner("test", wall, wall)
    second.turn(cluster.pk)
    wall.go_on(30)
    second.turn(cluster.pk)
    assert_whole(cluster)


def test_an_engine_fault_answers_its_command_and_the_cluster_lives_on(owner, wall, make_cluster, monkeypatch):
    cluster = make_cluster()
    good = create(cluster)
    owner.turn(cluster.pk)
    really_submit = Engine.submit

    def submit(engine: Engine, command: Any) -> Any:
        if command.kind == "fault":
            raise ZeroDivisionError("a defect")
        return really_submit(engine, command)

    monkeypatch.setattr(Engine, "submit", submit)
    bad = inbox.append(cluster, "fault", {})
    later = create(cluster, name="later")
    for _ in range(3):
        wall.go_on(1)
        owner.turn(cluster.pk)
    results = {command.pk: inbox.wait_for_result(command, 0)["code"] for command in (good, bad, later)}
    assert results == {good.pk: 201, bad.pk: 500, later.pk: 201}
    assert_whole(cluster)


@pytest.mark.parametrize("problem", [AttributeError, KeyError, TypeError, ValueError])
def test_a_command_the_engine_breaks_on_is_no_bad_request_and_not_half_done(
    owner, wall, make_cluster, monkeypatch, problem
):
    """The namespace is stored already when its service account is to be made."""
    cluster = make_cluster()
    create(cluster)
    owner.turn(cluster.pk)

    def fail(*_: Any) -> None:
        raise problem("a defect")

    half = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "half"}}
    with monkeypatch.context() as broken:
        broken.setattr(server, "list_companions", fail)
        bad = inbox.append(cluster, "create", {"object": half})
        wall.go_on(1)
        owner.turn(cluster.pk)
    result = inbox.wait_for_result(bad, 0)
    assert (result["code"], result["status"]["reason"]) == (500, "InternalError")
    assert "a defect" in result["status"]["message"]
    wall.go_on(1)
    owner.turn(cluster.pk)
    cluster.refresh_from_db()
    assert not cluster.failure
    assert not StoredObject.objects.filter(cluster=cluster, name="half").exists()
    assert_whole(cluster)


@pytest.mark.parametrize(
    "problem, is_stopped",
    [
        pytest.param(OperationalError("server closed the connection"), False, id="the database is away"),
        pytest.param(InterfaceError("the connection is closed"), False, id="the connection is gone"),
        pytest.param(DataError("invalid byte sequence"), True, id="what it will never take"),
    ],
)
def test_a_slice_the_database_does_not_take(owner, wall, make_cluster, monkeypatch, problem, is_stopped):
    """One that is away is asked again; what it refuses for good stops the cluster, its history intact."""
    cluster = make_cluster()
    create(cluster, replicas=2)
    owner.turn(cluster.pk)
    really_record = recorder.record

    def fail(*_: Any) -> None:
        monkeypatch.setattr(recorder, "record", really_record)
        raise problem

    monkeypatch.setattr(recorder, "record", fail)
    wall.go_on(1)
    assert owner.turn(cluster.pk) is None
    cluster.refresh_from_db()
    assert bool(cluster.failure) is is_stopped
    wall.go_on(5)
    owner.turn(cluster.pk)
    assert_whole(cluster)
    assert (cluster.instant_ms > 1000) is not is_stopped


def test_a_nul_that_a_container_writes_is_kept_as_a_mark(owner, wall, make_cluster):
    """PostgreSQL takes none, and a script must not stop its cluster."""
    cluster = make_cluster()
    check = {"exec": {"command": ["sh", "-c", r"printf 'p\000q'; exit 1"]}, "periodSeconds": 1}
    container = {"name": "app", "image": "busybox:1.36", "command": ["sleep", "60"], "readinessProbe": check}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one", "namespace": "default"}}
    inbox.append(cluster, "create", {"object": pod | {"spec": {"containers": [container]}}})
    for _ in range(15):
        owner.turn(cluster.pk)
        wall.go_on(1)
    cluster.refresh_from_db()
    assert not cluster.failure
    said = list(Event.objects.filter(reason="Unhealthy").values_list("message", flat=True))
    assert said and all("p\ufffdq" in message for message in said)


@pytest.mark.parametrize(
    "value, kept",
    [
        ({"a": "x\0y"}, {"a": "x\ufffdy"}),
        (["\0\0", "\\\0"], ["\ufffd\ufffd", "\\\ufffd"]),
        ({"six letters": "\\u0000"}, {"six letters": "\\u0000"}),
        ({"two": "\\\\u0000"}, {"two": "\\\\u0000"}),
    ],
)
def test_json_is_kept_without_nul(value, kept):
    assert json.loads(bulk.to_text(value)) == kept


def test_a_command_with_a_nul_is_refused(make_cluster):
    cluster = make_cluster()
    with pytest.raises(inbox.Refused, match="NUL"):
        inbox.append(cluster, "create", {"object": {"data": {"a": ["x\0y"]}}})
    assert not Command.objects.exists()


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 10**30])
def test_a_command_with_a_number_that_nothing_keeps_is_refused(make_cluster, number):
    cluster = make_cluster()
    with pytest.raises(inbox.Refused, match="64 bits"):
        inbox.append(cluster, "create", {"object": {"spec": {"hard": {"pods": [number]}}}})
    assert not Command.objects.exists()
    assert inbox.append(cluster, "create", {"object": {"spec": [2**64 - 1, -(2**63)]}}).pk


def test_commands_of_one_request_are_taken_all_or_none_and_in_order(owner, wall, make_cluster):
    cluster = make_cluster()
    maps = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}} for name in "abba"]
    commands = [("create", {"object": one}) for one in maps]
    with pytest.raises(inbox.Refused, match="NUL"):
        inbox.append_all(cluster, [*commands, ("create", {"object": "\0"})], cluster.owner)
    assert not Command.objects.exists()
    sent = inbox.append_all(cluster, commands, cluster.owner)
    after = inbox.append(cluster, *commands[0], cluster.owner)
    owner.turn(cluster.pk, 5.0)
    results = inbox.wait_for_results(sent, 0.0)
    assert [result and result["code"] for result in results] == [201, 201, 409, 409]
    assert [command.order for command in sent] == [after.order - left for left in (4, 3, 2, 1)]


def test_frames_follow_each_other_without_a_gap(owner, wall, make_cluster, frames):
    cluster = make_cluster()
    create(cluster, replicas=3)
    for _ in range(20):
        owner.turn(cluster.pk)
        wall.go_on(0.5)
    rows = [row for frame in frames for row in frame["transitions"] + frame["events"]]
    assert [frame["from"] for frame in frames[1:]] == [frame["seq"] for frame in frames[:-1]]
    assert sorted(row["seq"] for row in rows) == list(range(1, cluster_seq(cluster) + 1))


def cluster_seq(cluster: Any) -> int:
    cluster.refresh_from_db()
    return cluster.seq


def test_nothing_is_due_in_an_idle_cluster(owner, wall, make_cluster):
    cluster = make_cluster()
    create(cluster, replicas=2)
    owner.turn(cluster.pk)
    wall.go_on(60)
    owner.turn(cluster.pk)
    wake = owner.turn(cluster.pk)
    assert wake is None or wake > wall.now + 5


def test_the_engine_at_any_recorded_instant_can_be_had(owner, wall, make_cluster):
    cluster = make_cluster()
    create(cluster, replicas=2)
    for _ in range(10):
        owner.turn(cluster.pk)
        wall.go_on(1)
    owner.close()
    cluster.refresh_from_db()
    for row in Transition.objects.filter(cluster=cluster, kind="Pod", field="phase"):
        pod = checkpoints.restore(cluster, row.at_ms).engine.get("Pod", row.namespace, row.name)
        assert pod["status"]["phase"] == row.new


def test_a_shard_serves_those_with_something_waiting_first_then_in_wake_order(
    owner, wall, make_cluster, settings
):
    settings.SHARDS = 1
    late, early, waiting, idle = (make_cluster(name) for name in ("late", "early", "waiting", "idle"))
    for cluster, due in ((late, -1), (early, -5), (waiting, 60), (idle, 60)):
        cluster.next_wake_at = moment(wall.now + due)
        cluster.save()
    create(waiting)
    assert [one.cluster for one in find_due(0, wall.now)] == [waiting.pk, early.pk, late.pk]
