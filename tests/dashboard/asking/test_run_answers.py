"""What is said of runs: nobody waits for what cannot come, and every end is told with the way back."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from dashboard.asking.run_answers import tell_end, tell_run
from lifecycle.models import Cluster, Command, RunControl, StoredObject
from lifecycle.runs.driving.run_requests import check_run
from lifecycle.runs.run_clock import LIMIT_MS
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.rows import pod_life, transition

pytestmark = pytest.mark.django_db

AVAILABLE = "deployment/web Available"


@pytest.fixture
def shop() -> Cluster:
    """A paused cluster with the Deployment `web`, not available, and the pod `web-1`."""
    cluster = make_cluster(make_user("ada"))
    record(cluster, pod_life())
    StoredObject.objects.filter(cluster=cluster).delete()
    keep(cluster, "Deployment", "web", "apps")
    keep(cluster, "Pod", "web-1")
    return cluster


def keep(cluster: Cluster, kind: str, name: str, group: str = "", **more: Any) -> StoredObject:
    known = {"group": group, "namespace": "default", "rv": 50, "data": {"status": {}}}
    return StoredObject.objects.create(cluster=cluster, uid=f"u-{name}", kind=kind, name=name, **known | more)


def hold(cluster: Cluster) -> None:
    """Make the Deployment available."""
    conditions = [{"type": "Available", "status": "True"}]
    StoredObject.objects.filter(cluster=cluster, kind="Deployment").update(
        data={"status": {"conditions": conditions}}
    )


def ran(cluster: Cluster, from_ms: int, kind: str = "run", **payload: Any) -> None:
    RunControl.objects.create(
        cluster=cluster, kind=kind, payload=payload, applied_at=timezone.now(), instant_ms=from_ms
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "condition, is_refused",
    [
        ("deployment/nope Available", True),
        ("service/nope exists", True),
        ("Gateway.networking.istio.io/nope exists", True),
        # Pods are named after what they are made for.
        ("pod/nope-0 Ready", True),
        ("pod/web-77d8-x2x Ready", False),
        ("replicaset/web-77d8 .status.replicas > 0", False),
        ("job/nope Complete", True),
        ("pod/web-1 Ready", False),
        # Waits that are over at once, and objects that components make.
        ("pod/nope gone", False),
        ("persistentvolumeclaim/data-db-0 exists", False),
        ("node/node-9 exists", False),
        (AVAILABLE, False),
        ("idle", False),
    ],
)
def test_nobody_waits_for_what_nothing_would_make(shop: Cluster, condition: str, is_refused: bool) -> None:
    try:
        check_run(shop, {"condition": condition})
    except ValidationError as refused:
        assert is_refused, refused
        assert "nothing would ever come of waiting" in refused.messages[0]
    else:
        assert not is_refused


def test_what_is_asked_for_already_may_make_anything(shop: Cluster) -> None:
    Command.objects.create(cluster=shop, order=1, kind="apply", payload={})
    check_run(shop, {"condition": "deployment/nope Available"})


@pytest.mark.slow
def test_what_was_not_reached_is_told_with_the_way_back(client: Any, shop: Cluster) -> None:
    client.force_login(shop.owner)
    ran(shop, 60_000, condition=AVAILABLE)
    Cluster.objects.update(instant_ms=60_000 + LIMIT_MS)
    page = unescape(client.get("/clusters/shop/control/").content.decode())
    assert "deployment/web Available was not reached in 24 h; seen last: absent." in page
    assert "Fork at 00:01:00.0, before this run" in page
    assert '<input type="hidden" name="at" value="60000">' in page
    assert '<input type="hidden" name="name" value="shop-fork">' in page
    # It is of that run alone.
    ran(shop, 60_000 + LIMIT_MS, "step")
    assert "not reached" not in client.get("/clusters/shop/control/").content.decode()


@pytest.mark.parametrize("condition", [AVAILABLE, "idle"])
def test_a_run_to_its_end_is_no_failure(shop: Cluster, condition: str) -> None:
    hold(shop)
    ran(shop, 0, condition=condition)
    told = tell_end(shop)
    assert (told.text if told else "") == (
        f"Stopped at 00:00:05.0: {AVAILABLE}" if condition == AVAILABLE else ""
    )


@pytest.mark.parametrize(
    "kind, payload, words",
    [
        ("step", {}, "Nothing is due: nothing will change by itself any more"),
        ("run", {"condition": AVAILABLE}, f"{AVAILABLE} holds already"),
        ("run", {"condition": "idle"}, "It is idle already"),
    ],
)
def test_where_time_stands_still_it_is_said_why(
    shop: Cluster, kind: str, payload: dict[str, Any], words: str
) -> None:
    told = tell_run(shop, kind, payload, (shop.instant_ms, shop.seq))
    assert told is not None and told.text.startswith(words)


def test_a_step_says_what_it_did(shop: Cluster) -> None:
    before = (shop.instant_ms, shop.seq)
    first = record(
        shop, [transition(9000, "phase", "Failed", "<b>"), transition(9000, "state", "failed", "a")]
    )
    told = tell_run(shop, "step", {}, before)
    assert told is not None and told.seq == first[0]["seq"]
    assert told.text.startswith("At 00:00:09.0: Pod <b> phase")


@pytest.mark.slow
def test_a_run_that_goes_on_is_not_told_of(shop: Cluster) -> None:
    Cluster.objects.update(paused=False)
    assert tell_run(shop, "run", {"condition": "idle"}, (0, 0)) is None
    assert tell_end(shop) is None
