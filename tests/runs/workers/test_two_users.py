"""Two users who do their worst at once, on one worker: each has the history that is theirs alone."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from lifecycle.benches.replay import find_difference
from lifecycle.models import Cluster, StoredObject
from lifecycle.runs import inbox, recorder
from lifecycle.runs.sharing import turns
from tests.engine.test_random_commands import OBJECTS, spoil
from tests.runs.conftest import Wall
from tests.seeds import first_of

pytestmark = pytest.mark.slow

ROUNDS = 6
VERBS = ("create", "apply", "replace")


def spoiled(chance: random.Random, owner: str) -> tuple[str, dict[str, Any]]:
    """A command with something wrong, on an object that says whose it is."""
    data = copy.deepcopy(chance.choice(OBJECTS))
    data["metadata"]["labels"] = {"app": data["metadata"]["name"], "whose": owner}
    if chance.random() < 0.5:
        return chance.choice(VERBS), {"object": spoil(data, chance)}
    return chance.choice(VERBS), {"object": data}


def ask(cluster: Cluster, chance: random.Random) -> None:
    """What the inbox does not take is answered there."""
    try:
        inbox.append(cluster, *spoiled(chance, cluster.name), user=cluster.owner)
    except inbox.Refused as refused:
        assert str(refused)


def live_together(owner: Any, wall: Wall, seed: int) -> list[Cluster]:
    """Commands of both, in any order, between turns that are left and taken up in between."""
    chance = random.Random(seed)
    users = get_user_model().objects
    clusters = [
        inbox.create_cluster(users.create_user(f"{name}-{seed}"), f"{name}-{seed}", seed=seed)
        for name in ("ada", "eve")
    ]
    for cluster in clusters:
        type(cluster).objects.filter(pk=cluster.pk).update(shard=0)
    turns.turn_of_shard(owner, 0)
    for _ in range(ROUNDS):
        for _ in range(chance.randrange(1, 5)):
            ask(chance.choice(clusters), chance)
        wall.go_on(chance.uniform(0.0, 4.0))
        if chance.random() < 0.3:
            # As if the worker had died: all is made again from what was recorded.
            owner.hot.clear()
        turns.turn_of_shard(owner, 0)
    wall.go_on(60)
    while turns.turn_of_shard(owner, 0):
        """A turn has its time; there may be more to do."""
    return clusters


def check(cluster: Cluster, other: Cluster) -> None:
    """Answered, recorded as it is without the other, and nobody else's in it."""
    cluster.refresh_from_db()
    assert cluster.failure == "" and cluster.seq > 0
    assert not cluster.commands.exclude(state="done").exists()
    for command in cluster.commands.all():
        code, status = command.result["code"], command.result["status"]
        assert code < 500 and (code < 400 or status["message"]), command.payload
    assert find_difference(cluster) == ""
    for stored in StoredObject.objects.filter(cluster=cluster):
        labels = (stored.data.get("metadata") or {}).get("labels") or {}
        assert labels.get("whose") != other.name


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", first_of(range(3), most=1))
def test_neither_sees_nor_changes_what_the_other_has(owner, wall, monkeypatch, seed):
    monkeypatch.setattr(turns, "LOOK_AROUND_SECONDS", -1.0)
    monkeypatch.setattr(recorder, "BATCH_ROWS", 15)
    ada, eve = live_together(owner, wall, seed)
    check(ada, eve)
    check(eve, ada)


@pytest.mark.deep
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(100, 150))
def test_nor_in_many_more_lives(owner, wall, monkeypatch, seed):
    test_neither_sees_nor_changes_what_the_other_has(owner, wall, monkeypatch, seed)
