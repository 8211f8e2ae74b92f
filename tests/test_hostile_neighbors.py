"""Two users at once, each with anything at all in addresses and forms, each aiming at the other: an answer
to every request, nothing of the other's in any of them, and what the other has stays as it was."""

from __future__ import annotations

import random
from typing import Any
from urllib.parse import quote

import pytest
from django.forms.models import model_to_dict
from django.test import Client

from lifecycle import tokens
from lifecycle.models import Cluster, Command, ContainerLog, RunControl, StoredObject
from lifecycle.runs import inbox
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.rows import event, pod_life, transition
from tests.seeds import first_of
from tests.test_hostile_requests import FORMS, PAGES, RAW, VALUES

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
# What the admin takes beside the fields of its forms.
ACTIONS = (
    "delete_selected",
    "pause",
    "resume",
    "fork",
    "forget_failure",
    "scale",
    "restart",
    "delete_with_grace",
)
MORE_FORMS = {
    f"/clusters/shop/{part}": ("name", "at", "behavior", "seen")
    for part in ("delete/", "rename/", "behaviors/", "tokens/1/revoke/")
}


class Neighbor:
    """A member of staff with a cluster whose every row tells whose it is."""

    def __init__(self, name: str) -> None:
        self.secret = f"secret-of-{name}"
        self.client = Client(raise_request_exception=False)
        self.user = make_user(name, is_staff=True)
        self.client.force_login(self.user)
        self.cluster = make_cluster(self.user, f"shop-{name}")
        web = transition(0, "exists", "created", self.secret, kind="Deployment")
        record(self.cluster, [*pod_life(), web, event(5000, "Pulled", self.secret)])
        for stored in self.stored():
            metadata = {"name": stored.name, "namespace": "default", "labels": {"whose": self.secret}}
            spec = {"containers": [{"name": "app", "image": self.secret}]}
            stored.data = {"apiVersion": "v1", "kind": stored.kind, "metadata": metadata, "spec": spec}
            stored.save()
        uid = self.stored()[0].uid
        ContainerLog.objects.create(
            cluster=self.cluster, uid=uid, container="app", attempt=0, started_ms=0, text=f"{self.secret}\n"
        )
        tokens.issue(self.user, self.cluster)
        inbox.append(
            self.cluster, "create", {"object": {"kind": "ConfigMap", "secret": self.secret}}, self.user
        )

    def stored(self) -> list[StoredObject]:
        return list(StoredObject.objects.filter(cluster=self.cluster))

    def what_there_is(self) -> list[str]:
        """What the other one aims at."""
        found = [self.cluster.name, str(self.cluster.pk), str(self.cluster.uuid), *ACTIONS]
        found += [str(one) for stored in self.stored() for one in (stored.pk, stored.uid)]
        return found + [str(one.pk) for rows in (Command, tokens.ApiToken) for one in rows.objects.all()]

    def state(self) -> Any:
        """All that is this one's, to the last column."""
        rows = [Cluster.objects.filter(owner=self.user)]
        rows += [
            model.objects.filter(cluster__owner=self.user)
            for model in (StoredObject, Command, RunControl, tokens.ApiToken, ContainerLog)
        ]
        return [[model_to_dict(one) | {"pk": one.pk} for one in found.order_by("pk")] for found in rows]


@pytest.fixture
def neighbors(monkeypatch: pytest.MonkeyPatch) -> list[Neighbor]:
    # Nobody serves the clusters here.
    monkeypatch.setattr(inbox, "wait_for_result", lambda command, timeout=0: None)
    monkeypatch.setattr(inbox, "wait_for_control", lambda control: False)
    return [Neighbor("ada"), Neighbor("eve")]


class Life:
    """Requests of both, one after the other, each made by chance."""

    def __init__(self, neighbors: list[Neighbor], seed: int) -> None:
        self.neighbors = neighbors
        self.chance = random.Random(seed)

    def step(self) -> None:
        asker, other = self.chance.sample(self.neighbors, 2)
        before = other.state()
        what, answer = self._ask(asker, other)
        text = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert answer.status_code < 500, what
        if (uid := f"uid-{other.secret}") in repr(what):
            # What was asked for may be said again.
            text = text.replace(uid.encode(), b"")
        assert other.secret.encode() not in text, what
        assert other.state() == before, what

    def _ask(self, asker: Neighbor, other: Neighbor) -> tuple[Any, Any]:
        whose = self.chance.choice((asker, other, other))
        if self.chance.random() < 0.5:
            page = self.chance.choice(PAGES).replace("shop", whose.cluster.name, 1)
            address = page.replace("{}", self._in_address(other))
            return address, asker.client.get(address)
        address, fields = self.chance.choice([*FORMS.items(), *MORE_FORMS.items()])
        address = address.replace("shop", whose.cluster.name, 1)
        form = {field: self._value(other) for field in fields if self.chance.random() < 0.8}
        return (address, form), asker.client.post(address, form)

    def _value(self, other: Neighbor) -> str:
        return self.chance.choice([*VALUES, *other.what_there_is() * 2])

    def _in_address(self, other: Neighbor) -> str:
        return self.chance.choice([*RAW, quote(self._value(other), safe="")])


@pytest.mark.parametrize("seed", first_of(range(3), most=1))
def test_neither_gets_at_the_other(neighbors, seed):
    life = Life(neighbors, seed)
    for _ in range(60):
        life.step()


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(100, 120))
def test_nor_in_thousands_of_requests(neighbors, seed):
    life = Life(neighbors, seed)
    for _ in range(500):
        life.step()


def test_what_is_looked_for_is_there_to_be_found(neighbors):
    """Each finds the own secret: so it would have been seen."""
    ada, eve = neighbors
    for path in ("clusters/{}/", "clusters/{}/events/", "api/clusters/{}/logs?pod=web-1&container=app"):
        address = f"/{path.replace('{}', ada.cluster.name)}"
        assert ada.secret in ada.client.get(address).content.decode(), path
    assert eve.client.post(f"/clusters/{ada.cluster.name}/delete/").status_code == 404
    assert len(ada.state()[0]) == 1
