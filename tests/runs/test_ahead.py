"""Running ahead shows what will come, and a preview what a change would do; neither leaves a trace."""

from __future__ import annotations

import pytest

from dashboard.asking.image_behaviors import BEHAVIORS, make_profile
from dashboard.asking.previews import Subject, preview
from dashboard.pages.node.drain_previews import preview_drain
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.engine.programs.profiles import read_profile
from lifecycle.models import Command, Transition
from lifecycle.runs import inbox
from lifecycle.runs.ahead import run_ahead
from tests.runs.conftest import deployment
from tests.runs.histories import recorded
from tests.runs.test_forks import run_on

pytestmark = pytest.mark.slow

WEB = {"kind": "Deployment", "namespace": "default", "name": "web"}
SUBJECT = Subject("Deployment", "default", "web")


@pytest.fixture
def shop(owner, wall, make_cluster):
    """Three pods that are ready, paused at half a minute."""
    cluster = make_cluster()
    manifest = deployment(replicas=3)
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    container["readinessProbe"] = {"httpGet": {"port": 80}}
    inbox.append(cluster, "apply", {"object": manifest})
    owner.turn(cluster.pk)
    run_on(owner, cluster, 30_000)
    return cluster


def change_image(image: str, behavior: str):
    profile = make_profile(image, behavior)
    before = [("apply", {"object": profile})] if profile else []
    return [*before, ("setImage", {**WEB, "container": "app", "image": image})]


def test_what_was_seen_ahead_is_what_then_happens(owner, shop):
    commands = change_image("shop/web:2", "slow")
    ahead = run_ahead(shop, commands, span_ms=60_000)
    known, asked = len(recorded(shop)), Command.objects.count()
    for kind, payload in commands:
        inbox.append(shop, kind, payload)
    run_on(owner, shop, ahead.to_ms)
    came = recorded(shop)[known:]
    seen = [row_to_json(row) for row in ahead.rows]
    # A command's id is its own.
    strip = [{name: value for name, value in row.items() if name != "cause"} for row in (*seen, *came)]
    assert strip[: len(seen)] == strip[len(seen) :] != []
    assert Command.objects.count() == asked + len(commands)


def test_looking_ahead_leaves_no_trace(shop):
    before = (recorded(shop), shop.instant_ms, Command.objects.count())
    assert run_ahead(shop, change_image("shop/web:2", "crashes")).rows
    shop.refresh_from_db()
    assert (recorded(shop), shop.instant_ms, Command.objects.count()) == before


def test_steps_that_are_owed_are_taken(shop):
    inbox.append(shop, "scale", {**WEB, "replicas": 5}, pinned_ms=45_000)
    ahead = run_ahead(shop)
    assert ahead.engine.get("Deployment", "default", "web")["spec"]["replicas"] == 5
    assert 45_000 <= min(row.at_ms for row in ahead.rows) < 46_000
    assert not Transition.objects.filter(cluster=shop, at_ms__gte=45_000).exists()


def test_it_ends_when_the_processors_time_is_over(shop):
    ahead = run_ahead(shop, change_image("shop/web:2", "slow"), cpu_seconds=0.0)
    assert ahead.end == "cut"
    assert ahead.to_ms - ahead.from_ms < 60_000


@pytest.mark.parametrize(
    "behavior, told",
    [
        pytest.param("healthy", ["Rolled out after ", "Never fewer than the 3"], id="healthy"),
        pytest.param(
            "never-ready", ["exceeded its progress deadline", "stay available all the time"], id="never ready"
        ),
        pytest.param("crashes", ["Crashing from", "Error"], id="crashes"),
        pytest.param("cannot-be-pulled", ["Stuck from", "ErrImagePull"], id="no image"),
    ],
)
def test_a_preview_says_what_would_come(shop, behavior, told):
    (answer,) = preview(shop, change_image("shop/web:2", behavior), SUBJECT)
    assert answer.is_good == (behavior in ("healthy", "never-ready"))
    for words in told:
        assert words in answer.message, answer.message


@pytest.mark.parametrize(
    "lag, is_good, told",
    [
        pytest.param("0s", True, "No request is lost.", id="all know at once"),
        # Each of three pods closes at its stop signal, and nodes send to it for another second.
        pytest.param("1s", False, "Service web lost ", id="nodes know a second later"),
    ],
)
def test_a_preview_says_what_requests_a_change_would_lose(owner, wall, make_cluster, lag, is_good, told):
    timing = {"preset": "instant", "service_proxy": lag}
    shop = make_cluster(settings={"timing": timing, "nodes": {"count": 1}})
    inbox.append(shop, "apply", {"object": deployment(replicas=3)})
    inbox.append(shop, "apply", {"object": service()})
    owner.turn(shop.pk)
    run_on(owner, shop, 30_000)
    (answer,) = preview(shop, change_image("nginx:1.28", "as-known"), SUBJECT)
    assert answer.is_good == is_good and told in answer.message, answer.message
    drain = preview_drain(shop, {"node": "node-1", "timeoutSeconds": 60})
    # The only node takes no new pods: from then on nobody answers.
    assert "In the end requests to Service web are lost: all sent to nobody since" in drain.lost[-1]
    assert not drain.is_good
    (other,) = preview(shop, change_image("nginx:1.28", "as-known"), Subject("Deployment", "default", "none"))
    assert "request" not in other.message


def service():
    metadata = {"name": "web", "namespace": "default"}
    spec = {"selector": {"app": "web"}, "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def test_a_preview_says_what_would_be_refused(shop):
    (answer,) = preview(shop, [("setImage", {**WEB, "container": "nosuch", "image": "x"})], SUBJECT)
    assert not answer.is_good
    assert "nosuch" in answer.message


@pytest.mark.parametrize("behavior", [name for name, (_, declared) in BEHAVIORS.items() if declared])
@pytest.mark.parametrize("image", ["web:2", "reg.example/web[1]*?:2"])
def test_a_chosen_behavior_is_that_of_this_image_alone(behavior, image):
    profile, problems = read_profile(make_profile(image, behavior))
    assert not problems
    assert profile.matches(image, "app", {})
    assert not profile.matches("web:3", "app", {})
