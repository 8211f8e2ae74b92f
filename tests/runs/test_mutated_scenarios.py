"""Scenarios of the gallery with something changed at random: refused or lived through, and always shown."""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import orjson
import pytest

from lifecycle.input.manifests import ManifestError
from tests.runs.test_gallery_pages import FILES, live, look_at_everything
from tests.simulate.running import plan_of
from tests.texts import read_manifests

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


def live_through(owner: Any, make_cluster: Any, client: Any, seed: int) -> None:
    chance = random.Random(seed)
    plan = plan_of(chance.choice(FILES))
    cluster = make_cluster("gallery", settings=plan.settings.to_json(), paused=True)
    client.force_login(cluster.owner)
    commands = [(0, "apply", {"object": data}) for data in manifests(chance, plan.objects)]
    for step in plan.steps:
        payload = mutate(chance, step.payload) if chance.random() < 0.5 else step.payload
        commands.append((step.at_ms, step.kind, payload))
    again = [data for data in plan.objects if chance.random() < 0.6]
    commands += [(SECOND_MS, "apply", {"object": data}) for data in manifests(chance, again)]
    if commands:
        live(owner, cluster, commands)
        look_at_everything(client, cluster)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_it_is_refused_or_lived_through(owner, make_cluster, client, seed):
    live_through(owner, make_cluster, client, seed)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(1000, 4000))
def test_it_is_with_many_seeds(owner, make_cluster, client, seed):
    live_through(owner, make_cluster, client, seed)
