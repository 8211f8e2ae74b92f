"""Flags on timelines: what was asked of the cluster, on the pages of what it is about."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from dashboard.live.feeds import make_feed
from dashboard.live.flags import MOST_FLAGS, FlagReader
from lifecycle.models import Cluster, Command, Transition
from tests.dashboard.pages.test_places import make_set
from tests.dashboard.pages.test_verdicts import make_deployment_json
from tests.engine.controllers.door import Door
from tests.engine.kinds.kept import keep

pytestmark = pytest.mark.django_db


def ask(cluster: Cluster, command: str, at_ms: int, /, code: int = 200, **payload: Any) -> Command:
    """A command as the runner leaves it when it has come in."""
    order = cluster.inbox_order + 1
    result = {"code": code, "object": payload.pop("result", None)}
    made = Command.objects.create(
        cluster=cluster,
        order=order,
        kind=command,
        payload=payload,
        user=cluster.owner,
        state=Command.State.DONE,
        instant_ms=at_ms,
        result=result,
        done_at=timezone.now(),
    )
    cluster.inbox_order = order
    cluster.instant_ms = max(cluster.instant_ms, at_ms)
    cluster.save()
    return made


def labels(reader: FlagReader) -> list[str]:
    return [flag["label"] for flag in reader.flags]


@pytest.fixture
def shop() -> Cluster:
    door = Door()
    door.apply(make_deployment_json("web", replicas=1))
    door.apply(make_set(1) | {"metadata": {"name": "db"}})
    return keep(door.run(20).cluster)


WEB = {"kind": "Deployment", "namespace": "default", "name": "web"}


def test_flags_say_what_was_asked_by_whom(shop: Cluster) -> None:
    ask(shop, "setImage", 21_000, **WEB, container="nginx", image="nginx:1.27")
    ask(shop, "scale", 22_000, code=404, **WEB, replicas=3)
    ask(shop, "apply", 23_000, object={"apiVersion": "podline.dev/v1alpha1", "kind": "ContainerProfile"})
    ask(shop, "fault", 24_000, node="node-1", kind="crash")
    ask(shop, "patch", 25_000, kind="CronJob", name="night", type="merge", patch={"spec": {"suspend": True}})
    restarted = {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z"}}}
    ask(shop, "patch", 26_000, **WEB, type="strategic", patch={"spec": {"template": restarted}})
    reader = FlagReader(shop, None)
    assert labels(reader) == [
        "web: image nginx:1.27",
        "node-1: fault crash",
        "night: suspend true",
        "web: restart",
    ]
    assert [flag["fault"] for flag in reader.flags] == [False, True, False, False]
    title = "setImage container nginx, image nginx:1.27 Deployment web"
    assert reader.flags[0]["title"] == f"{title}, asked by {shop.owner.get_username()}"


def test_a_workload_has_the_flags_that_name_it_or_what_it_owns(shop: Cluster) -> None:
    owned = {one.owner: one for one in _stored(shop, "Pod")}
    pod = next(one for owner, one in owned.items() if owner and owner.startswith("ReplicaSet/"))
    ask(shop, "scale", 21_000, **WEB, replicas=2)
    ask(shop, "scale", 22_000, kind="StatefulSet", namespace="default", name="db", replicas=2)
    ask(shop, "fault", 23_000, pod=pod.name, namespace="default", kind="exit", reason="OOMKilled")
    ask(shop, "delete", 24_000, kind="Pod", namespace="default", name="db-0")
    ask(shop, "scale", 25_000, kind="Deployment", namespace="other", name="web", replicas=9)
    web = FlagReader(shop, None, "default/Deployment/web")
    assert labels(web) == ["scale to 2", f"{pod.name}: fault exit OOMKilled"]
    db = FlagReader(shop, None, "default/StatefulSet/db")
    assert labels(db) == ["scale to 2", "db-0: delete"]


def _stored(cluster: Cluster, kind: str) -> Any:
    return cluster.objects_stored.filter(kind=kind)


@pytest.mark.slow
def test_flags_are_followed_and_bounded_and_nothing_is_read_twice(
    shop: Cluster, django_assert_num_queries: Any
) -> None:
    ask(shop, "scale", 21_000, **WEB, replicas=2)
    feed = make_feed(shop, "timeline:default/Deployment/web", 60_000)
    assert feed is not None
    assert len(feed.figure(30_000)["layout"]["meta"]["flags"]) == 1
    reader = FlagReader(shop, None)
    with django_assert_num_queries(0):
        reader.follow(shop)
    for number in range(MOST_FLAGS + 5):
        ask(shop, "scale", 30_000 + number, **WEB, replicas=number)
    with django_assert_num_queries(1):
        reader.follow(shop)
    assert len(reader.flags) == MOST_FLAGS
    assert labels(reader)[-1] == f"web: scale {MOST_FLAGS + 3} → {MOST_FLAGS + 4}"


@pytest.mark.slow
def test_a_flag_leads_to_what_it_did(client: Client) -> None:
    door = Door("realistic")
    door.apply(make_deployment_json("web", replicas=1))
    door.run(20)
    result = door.change("scale", replicas=3)
    cause = f"command:c{door._numbers}"
    cluster = keep(door.run(20).cluster)
    command = ask(cluster, "scale", 20_000, **WEB, replicas=3, result=result)
    # The run went without an inbox: its rows name another id.
    for row in Transition.objects.filter(cluster=cluster):
        if row.cause == cause:
            Transition.objects.filter(cluster=cluster, seq=row.seq).update(cause=f"command:{command.pk}")
    client.force_login(cluster.owner)
    page = client.get(f"/clusters/{cluster.name}/why/command/{command.pk}/").content.decode()
    assert "scale replicas 3" in page and f"asked by {cluster.owner.get_username()}" in page
    # The two pods are made by the ReplicaSet's look, a little later.
    assert page.count("<strong>created</strong>") == 2
    assert "replicas: 1 → 3" in page
    nobody = client.get(f"/clusters/{cluster.name}/why/command/{cluster.uuid}/").content.decode()
    assert "not kept any more" in nobody


def test_hostile_payloads_make_harmless_flags(shop: Cluster) -> None:
    for payload in ({"object": 3}, {"kind": ["x"], "name": {"a": 1}}, {"patch": [1]}, {"image": "<b>" * 999}):
        ask(shop, "setImage", 21_000, **payload)
    assert all(len(label) < 300 for label in labels(FlagReader(shop, None, "default/Deployment/web")))
    assert len(FlagReader(shop, None).flags) == 4


def test_what_came_before_the_window_is_not_told_but_known(shop: Cluster) -> None:
    ask(shop, "scale", 21_000, **WEB, replicas=2)
    ask(shop, "scale", 90_000, **WEB, replicas=5)
    assert labels(FlagReader(shop, 60_000)) == ["web: scale 2 → 5"]
