"""Parts of pages that are made once for all who ask at the same time."""

from __future__ import annotations

import threading

import pytest
from django.db.models import F
from django.http import HttpResponse

from dashboard.live import shared_parts
from dashboard.live.shared_parts import share_part
from lifecycle.access import give_address
from lifecycle.models import Cluster
from tests.builders import make_cluster

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is."""
    monkeypatch.setattr(shared_parts, "FRESH_SECONDS", 600.0)


class Maker:
    """Counts how often a part is made."""

    def __init__(self) -> None:
        self.made: list[int] = []

    def __call__(self, cluster: Cluster) -> HttpResponse:
        self.made.append(cluster.seq)
        return HttpResponse(f"seq {cluster.seq}")


def test_who_asks_again_at_once_gets_the_same() -> None:
    cluster, make = make_cluster(), Maker()
    assert [share_part("x", cluster, make).content for _ in range(3)] == [b"seq 0"] * 3
    assert make.made == [0]
    assert share_part("y", cluster, make).content == b"seq 0"
    assert make.made == [0, 0]


def test_a_change_is_never_missed() -> None:
    cluster, make = make_cluster(), Maker()
    share_part("x", cluster, make)
    Cluster.objects.filter(pk=cluster.pk).update(seq=F("seq") + 3)
    # Who has read the cluster before the change asks for nothing newer.
    assert share_part("x", cluster, make).content == b"seq 0"
    found = give_address(cluster.owner, Cluster.objects.get(pk=cluster.pk))
    assert share_part("x", found, make).content == b"seq 3"
    assert share_part("x", cluster, make).content == b"seq 3"


def test_what_is_told_in_seconds_is_made_anew_after_one(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, make = make_cluster(), Maker()
    share_part("x", cluster, make)
    monkeypatch.setattr(shared_parts, "FRESH_SECONDS", 0.0)
    share_part("x", cluster, make)
    assert make.made == [0, 0]


def test_who_asks_meanwhile_waits_for_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, make, asked = make_cluster(), Maker(), threading.Event()
    monkeypatch.setattr(Cluster, "refresh_from_db", lambda self: None)
    answers: list[bytes] = []

    def make_slowly(found: Cluster) -> HttpResponse:
        other.start()
        asked.wait(5)
        return make(found)

    def ask() -> None:
        asked.set()
        answers.append(share_part("x", cluster, make).content)

    other = threading.Thread(target=ask)
    share_part("x", cluster, make_slowly)
    other.join(5)
    assert (answers, make.made) == ([b"seq 0"], [0])
