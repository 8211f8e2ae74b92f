"""Speed `auto`: after each write a cluster runs until idle, and stands; the same history each time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lifecycle.models import Command, Event, Transition
from lifecycle.runs import inbox
from lifecycle.runs.driving import clocks
from tests.kube_api.conftest import Shop, channels_in_memory, shop, shop_settings

__all__ = ["channels_in_memory", "shop", "shop_settings"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
Json = dict[str, Any]
HOUR_MS = 3_600_000


def deployment(name: str = "web", replicas: int = 2, **container: Any) -> Json:
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "main", "image": "nginx:1.27", **container}]},
            },
        },
    }


def begin(name: str = "auto", **columns: Any) -> Shop:
    return Shop(name, **clocks.first_columns("auto", False), **columns)


def write(at: Shop, *objects: Json) -> None:
    """Write one after the other, as a client does that waits for answers."""
    for data in objects:
        at.submit("create", object=data)


def tell_history(at: Shop) -> str:
    """Every row of the trace, as text."""
    rows = [
        json.dumps([value for name, value in sorted(row.items()) if name != "cluster_id"])
        for model in (Transition, Event)
        for row in model.objects.filter(cluster=at.cluster).order_by("seq").values()
    ]
    return "\n".join(rows)


@pytest.fixture(autouse=True)
def prepared(shop: Shop) -> None:
    """The messages of tests; the cluster itself is not used."""


def test_a_new_cluster_stands_idle():
    at = begin()
    assert clocks.read_spec(at.cluster) == {"speed": "auto", "paused": False}
    status = clocks.read_status(at.cluster)
    assert (status["speed"], status["paused"], status["idle"]) == ("auto", True, True)


def test_after_a_write_time_has_run_until_nothing_is_left_to_wait_for():
    at = begin()
    before_ms = at.cluster.instant_ms
    write(at, deployment())
    ready = Transition.objects.filter(cluster=at.cluster, kind="Pod", field="condition.Ready", new="True")
    assert ready.count() == 2
    assert at.cluster.paused and at.cluster.is_idle and at.cluster.instant_ms > before_ms


def test_between_writes_time_stands():
    at = begin()
    write(at, deployment())
    stood_ms = at.cluster.instant_ms
    at.turn(seconds=600)
    assert at.cluster.instant_ms == stood_ms


def test_the_same_writes_make_the_same_history_whenever_they_come():
    histories = set()
    for number in range(10):
        at = begin(f"auto-{number}")
        objects = [deployment("web"), deployment("api", 3), deployment("db", 1)]
        if number % 2:
            # All of them wait before the first one enters.
            for data in objects:
                inbox.append(at.cluster, "create", {"object": data})
            at.turn()
        else:
            for data in objects:
                at.turn(seconds=number)
                write(at, data)
        histories.add(tell_history(at))
    assert len(histories) == 1


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param({"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {}}}, id="refused"),
        pytest.param({"object": deployment(), "request": {"dryRun": ["All"]}}, id="dry run"),
    ],
)
def test_what_changes_nothing_moves_no_time(payload):
    at = begin()
    write(at, deployment("stuck", image="nowhere.invalid/none:1", imagePullPolicy="Always"))
    stood_ms = at.cluster.instant_ms
    inbox.append(at.cluster, "create", payload)
    at.turn()
    assert Command.objects.filter(cluster=at.cluster, state=Command.State.PENDING).count() == 0
    assert at.cluster.instant_ms == stood_ms


def test_pods_that_wait_for_what_comes_last_get_the_time_to_try_again():
    at = begin()
    source = {"configMapRef": {"name": "late"}}
    write(at, deployment(envFrom=[source]))
    ready = Transition.objects.filter(cluster=at.cluster, kind="Pod", field="condition.Ready", new="True")
    assert ready.count() == 0
    at.create("ConfigMap", "late", data={"k": "v"})
    assert ready.count() == 2


def test_what_never_settles_is_left_to_stand_after_a_day():
    at = begin()
    loop = {"command": ["sh", "-c", "exit 1"]}
    write(at, deployment(**loop))
    assert at.cluster.paused and at.cluster.instant_ms <= 25 * HOUR_MS


@pytest.mark.parametrize("seconds", [0, 60])
def test_who_makes_a_job_of_limited_life_finds_it_finished(seconds):
    """As helm does of a hook: it looks when it is answered. With the next write the Job goes."""
    at = begin()
    container = {"name": "main", "image": "busybox:1.37", "command": ["sh", "-c", "sleep 5"]}
    spec = {"ttlSecondsAfterFinished": seconds, "template": {"spec": {"restartPolicy": "Never"}}}
    spec["template"]["spec"]["containers"] = [container]
    write(at, {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "hook"}, "spec": spec})
    rows = Transition.objects.filter(cluster=at.cluster, kind="Job", name="hook")
    assert rows.filter(field="condition.Complete", new="True").exists()
    assert rows.filter(field="exists").count() == 1 and at.cluster.is_idle
    write(
        at, deployment(command=["sh", "-c", "sleep 90; exec nginx"], readinessProbe={"httpGet": {"port": 80}})
    )
    assert rows.filter(field="exists").count() == 2


@pytest.mark.parametrize("kind, is_paused", [("pause", True), ("resume", False)])
def test_who_pauses_or_resumes_leaves_auto(kind, is_paused):
    at = begin()
    inbox.control(at.cluster, kind)
    at.turn()
    assert (at.cluster.is_auto, at.cluster.paused) == (False, is_paused)


def test_a_run_at_auto_goes_on_being_auto():
    at = begin()
    inbox.control(at.cluster, "run", {"untilMs": at.cluster.instant_ms + HOUR_MS})
    before_ms = at.cluster.instant_ms
    at.turn()
    assert (at.cluster.is_auto, at.cluster.paused) == (True, True)
    assert at.cluster.instant_ms == before_ms + HOUR_MS


def test_causes_lead_to_the_command_that_was_written():
    at = begin()
    write(at, deployment())
    (command,) = Command.objects.filter(cluster=at.cluster)
    row = Transition.objects.filter(cluster=at.cluster, kind="Deployment", field="exists").get()
    assert row.cause == {"command": command.trace_id} or command.trace_id in json.dumps(row.cause)
    assert command.source is not None and command.trace_id == str(command.source)
