"""Scenarios of the gallery with something changed at random: refused or lived through, and always shown."""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import orjson
import pytest
from django.contrib.auth import get_user_model

from lifecycle.benches.replay import find_difference
from lifecycle.input.manifests import ManifestError
from lifecycle.runs import inbox
from tests.runs.conftest import TickingWall
from tests.runs.pages.test_gallery_pages import FILES, find_repeated, live, look_at_everything
from tests.seeds import first_of
from tests.simulate.running import plan_of
from tests.texts import read_manifests

pytestmark = pytest.mark.slow

TEXTS = (
    *(
        "",
        "<script>alert(1)</script>",
        "a" * 300,
        "x\u2028y",
        "\U0001f600",
        "-",
        "0",
        "true",
        "../x",
        "{{ x }}",
    ),
    *("web", "app", "80", "http", "/", "100m", "10Gi", "a,b=c", "$(X)", "%s", "Always", "Never", "OnFailure"),
)
NUMBERS = (0, 1, -1, 2, 3, 10, 60, 300, 2**31 - 1, 2**63 - 1)
SECOND_MS = 45_000


def places(value: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Everything within a value: (what holds it, under which key, what it is)."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield value, key, one
        yield from places(one)


def another(chance: random.Random, value: Any, whole: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return chance.choice(NUMBERS)
        case str():
            return chance.choice(TEXTS)
        case list():
            return chance.choice([[], value + deepcopy(value), value[::-1], None])
        case dict():
            others = [one for _, _, one in places(whole) if isinstance(one, dict)]
            return chance.choice([{}, None, {**value, **deepcopy(chance.choice(others))}])
    return value


def mutate(chance: random.Random, given: Any) -> Any:
    whole = orjson.loads(orjson.dumps(given))
    for _ in range(chance.choice((1, 1, 2, 3))):
        found = [place for place in places(whole) if place[1] not in ("apiVersion", "kind")]
        if not found:
            break
        holder, key, value = chance.choice(found)
        if chance.random() < 0.15:
            del holder[key]
        else:
            holder[key] = another(chance, value, whole)
    return whole


def manifests(chance: random.Random, objects: Any) -> Iterator[Any]:
    """What a person would get past the page's own checks."""
    for data in objects:
        try:
            yield from (one.data for one in read_manifests(orjson.dumps(mutate(chance, data))))
        except ManifestError as refused:
            assert str(refused)


def make_life(chance: random.Random) -> tuple[Any, list[tuple[int, str, Any]]]:
    """The settings of a scenario, and what is asked for when."""
    plan = plan_of(chance.choice(FILES))
    commands = [(0, "apply", {"object": data}) for data in manifests(chance, plan.objects)]
    for step in plan.steps:
        payload = mutate(chance, step.payload) if chance.random() < 0.5 else step.payload
        commands.append((step.at_ms, step.kind, payload))
    again = [data for data in plan.objects if chance.random() < 0.6]
    commands += [(SECOND_MS, "apply", {"object": data}) for data in manifests(chance, again)]
    return plan.settings.to_json(), commands


def live_through(owner: Any, make_cluster: Any, client: Any, seed: int) -> None:
    settings, commands = make_life(random.Random(seed))
    cluster = make_cluster("gallery", settings=settings, paused=True)
    client.force_login(cluster.owner)
    if commands:
        live(owner, cluster, commands)
        look_at_everything(client, cluster)


def live_side_by_side(owner: Any, client: Any, seed: int) -> None:
    """Two users' clusters on one worker, in turns that are cut anywhere: each lives as if it were alone."""
    chance = random.Random(seed)
    owner.wall = owner.steady = TickingWall()
    clusters = []
    for name in ("ada", "eve"):
        settings, commands = make_life(chance)
        user = get_user_model().objects.create_user(name)
        cluster = inbox.create_cluster(user, f"gallery-of-{name}", settings=settings, paused=True)
        for at_ms, kind, payload in commands:
            inbox.append(cluster, kind, orjson.loads(orjson.dumps(payload)), pinned_ms=at_ms)
        inbox.control(cluster, "run", {"untilMs": SECOND_MS + 60_000})
        clusters.append(cluster)
    waiting = list(clusters)
    while waiting:
        cluster = chance.choice(waiting)
        if chance.random() < 0.2:
            # As if another worker took it over.
            owner.hot.pop(cluster.pk, None)
        if owner.turn(cluster.pk, chance.choice((0.0, 0.05, 1.0))) is None:
            waiting.remove(cluster)
    for cluster, other in (clusters, clusters[::-1]):
        cluster.refresh_from_db()
        assert (cluster.failure, cluster.instant_ms) == ("", SECOND_MS + 60_000)
        assert find_difference(cluster) == ""
        client.force_login(cluster.owner)
        # There may be thousands of pods.
        look_at_everything(client, cluster, find_repeated(cluster))
        assert client.get(f"/clusters/{other.name}/").status_code == 404
        assert other.name not in client.get("/").content.decode()


@pytest.mark.parametrize("seed", first_of(range(40), most=1))
def test_it_is_refused_or_lived_through(owner, make_cluster, client, seed):
    live_through(owner, make_cluster, client, seed)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(1000, 4000))
def test_it_is_with_many_seeds(owner, make_cluster, client, seed):
    live_through(owner, make_cluster, client, seed)


@pytest.mark.parametrize("seed", first_of(range(500, 508), most=1))
def test_two_users_live_side_by_side(owner, client, seed):
    live_side_by_side(owner, client, seed)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(5000, 7000))
def test_two_users_do_with_many_seeds(owner, client, seed):
    live_side_by_side(owner, client, seed)
