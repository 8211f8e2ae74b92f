"""The page of an autoscaler, of real runs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.asking.forms import BoundsForm
from dashboard.live.autoscalers import AutoscalerReader
from dashboard.live.feeds import make_feed
from dashboard.pages.autoscaler.readings import list_autoscalers
from lifecycle.engine.rules.telling.autoscalers import tell_autoscaler
from lifecycle.models import Cluster
from lifecycle.recorded.objects import find_object
from tests.engine.controllers.autoscaled import Autoscaled
from tests.engine.kinds.kept import keep

pytestmark = pytest.mark.django_db


def run_one(seconds: float = 40, **spec: Any) -> Cluster:
    world = Autoscaled()
    world.load((0, "300m"))
    world.workload()
    world.autoscale(most=4, **spec)
    return keep(world.run(seconds).cluster)


@pytest.mark.spec("AUTO-01")
def test_its_story_is_that_of_its_versions():
    moments = AutoscalerReader("default", "web").read(run_one())
    told = [(one.at_ms, one.current, one.desired, one.limit) for one in moments]
    assert told == [(0, None, None, ""), (15_000, 1, 4, "TooManyReplicas"), (30_000, 4, 4, "TooManyReplicas")]
    assert [(one.name, one.value, one.percent) for one in moments[-1].metrics] == [("cpu", "75%", 150)]
    assert {(one.least, one.most) for one in moments} == {(1, 4)}


def test_its_pictures_draw_what_is_known():
    cluster = run_one()
    feed = make_feed(cluster, "autoscaler:default/web")
    assert feed is not None
    lines = {
        trace["name"]: list(zip(trace["x"], trace["y"], strict=True)) for trace in feed.figure(40_000)["data"]
    }
    assert lines["replicas"] == [(0, None), (15_000, 1), (30_000, 4), (40_000, 4)]
    assert lines["limited"] == [(0, None), (15_000, 4), (30_000, 4), (40_000, 4)]
    measured = make_feed(cluster, "measured:default/web")
    assert measured is not None
    (cpu, target) = measured.figure(40_000)["data"]
    assert list(zip(cpu["x"], cpu["y"], strict=True)) == [
        (0, None),
        (15_000, 600),
        (30_000, 150),
        (40_000, 150),
    ]
    assert set(target["y"]) == {100}


@pytest.mark.slow
def test_the_page_says_it_in_a_sentence_and_its_workload_links_to_it(client: Client):
    cluster = run_one()
    client.force_login(cluster.owner)
    here = f"/clusters/{cluster.name}"
    page = client.get(f"{here}/horizontalpodautoscalers/default/web/").content.decode()
    assert "Holds Deployment/web at 4 replicas; cpu is at 75% of 50%; limited: the desired" in page
    for part in ("status/", "yaml/"):
        assert client.get(f"{here}/horizontalpodautoscalers/default/web/{part}").status_code == 200
    link = "horizontalpodautoscalers/default/web/"
    assert link in client.get(f"{here}/deployments/default/web/").content.decode()
    assert link in client.get(f"{here}/").content.decode()
    assert client.get(f"{here}/horizontalpodautoscalers/default/none/").status_code == 404


def test_a_workload_knows_the_autoscalers_that_scale_it():
    cluster = run_one()
    web = find_object(cluster, "Deployment", "default", "web")
    assert web is not None
    assert [(one.name, one.target) for one in list_autoscalers(cluster, web)] == [("web", "Deployment/web")]


@pytest.mark.parametrize(
    "given, problem",
    [
        ({"action": "bounds", "least": "1", "most": "3"}, ""),
        ({"action": "delete"}, ""),
        ({"action": "bounds", "least": "1"}, "Say the least and the most"),
        ({"action": "bounds", "least": "-1", "most": "3"}, "greater than or equal to 0"),
        ({"action": "undo"}, "undo is not one of the available choices"),
    ],
)
def test_what_may_be_asked_of_it(given: dict[str, str], problem: str):
    form = BoundsForm(given)
    assert form.is_valid() == (not problem)
    assert problem in str(form.errors)


CONDITION = {"type": "AbleToScale", "status": "True", "reason": "ReadyForNewScale"}
NO_METRICS = "no metrics returned from resource metrics API"
SPEC = {"scaleTargetRef": {"kind": "Deployment", "name": "web"}}


@pytest.mark.parametrize(
    "conditions, told",
    [
        ([], "Has not looked at Deployment/web yet"),
        ([{**CONDITION, "status": "False", "message": "gone"}], "Cannot scale Deployment/web: gone."),
        (
            [CONDITION, {"type": "ScalingActive", "status": "False", "reason": "ScalingDisabled"}],
            "Rests: Deployment/web",
        ),
        (
            [CONDITION, {"type": "ScalingActive", "status": "False", "message": "no metrics"}],
            "Leaves Deployment/web at 1 replica: no metrics.",
        ),
        (
            [CONDITION, {"type": "ScalingActive", "status": "False", "message": f"unable: {NO_METRICS}"}],
            f"Leaves Deployment/web at 1 replica: unable: {NO_METRICS}. There are metrics of its pods where"
            " `usage` of a behaviour says what they use, or podline.dev/load of a Service.",
        ),
    ],
)
def test_how_it_stands_in_a_sentence(conditions: list[dict[str, str]], told: str):
    assert tell_autoscaler(SPEC, {"conditions": conditions, "currentReplicas": 1}).startswith(told)
