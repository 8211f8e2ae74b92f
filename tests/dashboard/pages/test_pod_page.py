"""A pod's page: every container with its own state, and the events of static pods."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from dashboard.live.feeds import PodFeed
from lifecycle.engine.objects.pods.pod import MIRROR
from lifecycle.models import Cluster, StoredObject
from tests.dashboard.conftest import make_shop, make_user, record
from tests.dashboard.rows import event

pytestmark = pytest.mark.django_db

STARTED, FINISHED = "2026-01-01T00:00:03Z", "2026-01-01T00:00:08Z"
ENDED = {"exitCode": 1, "reason": "Error", "startedAt": STARTED, "finishedAt": FINISHED}


@pytest.fixture
def shop(client: Any) -> Cluster:
    return make_shop(client)


def keep(cluster: Cluster, **data: Any) -> None:
    StoredObject.objects.filter(cluster=cluster, kind="Pod").update(data=data)


def rows_of(client: Any) -> dict[str, list[str]]:
    """The cells behind each container's name."""
    page = unescape(client.get("/clusters/shop/pods/default/web-1/status/").content.decode())
    body = re.search(r'aria-label="Containers".*?<tbody>(.*?)</tbody>', page, re.DOTALL)
    assert body is not None
    found = {}
    for row in re.findall(r"<tr>(.*?)</tr>", body[1], re.DOTALL):
        cells = [re.sub(r"<[^>]+>", " ", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)]
        name, *rest = [" ".join(cell.split()) for cell in cells]
        found[name] = rest
    return found


@pytest.mark.spec("CSTATE-12", "CSTATE-14")
def test_every_container_shows_its_own_state_with_what_belongs_to_it(client: Any, shop: Cluster) -> None:
    containers = [{"name": name, "image": "web:1"} for name in ("app", "proxy")]
    waiting = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}}
    keep(
        shop,
        spec={"initContainers": [{"name": "first", "image": "web:1"}], "containers": containers},
        status={
            "initContainerStatuses": [
                {"name": "first", "state": {"terminated": {**ENDED, "exitCode": 0, "reason": "Completed"}}}
            ],
            "containerStatuses": [
                {"name": "app", "state": waiting, "lastState": {"terminated": ENDED}, "restartCount": 1},
                {"name": "proxy", "state": {"running": {"startedAt": STARTED}}, "ready": True},
            ],
        },
    )
    times = "started 00:00:03 finished 00:00:08"
    seen = {name: cells[:2] for name, cells in rows_of(client).items()}
    assert seen == {
        "first init": [f"Terminated: Completed, exit code 0 {times}", "–"],
        "app": ["Waiting: CrashLoopBackOff", f"Terminated: Error, exit code 1 {times}"],
        "proxy": ["Running started 00:00:03", "–"],
    }


def test_the_log_shown_first_is_that_of_the_first_container_proper(client: Any, shop: Cluster) -> None:
    containers = [{"name": name, "image": "web:1"} for name in ("app", "proxy")]
    keep(shop, spec={"initContainers": [{"name": "first", "image": "web:1"}], "containers": containers})
    page = client.get("/clusters/shop/pods/default/web-1/").content.decode()
    assert re.findall(r"<option selected>(.*?)</option>", page) == ["app"]


@pytest.mark.spec("RESTART-11")
def test_what_helps_with_a_crash_loop_is_on_one_page(client: Any, shop: Cluster) -> None:
    app = {
        "name": "app",
        "image": "web:1",
        "env": [
            {"name": "COLOUR", "value": "red <b>"},
            {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "token"}}},
        ],
        "envFrom": [{"prefix": "SHOP_", "configMapRef": {"name": "settings"}}],
        "volumeMounts": [{"name": "files", "mountPath": "/etc/shop", "readOnly": True}],
        "resources": {"requests": {"cpu": "100m"}, "limits": {"cpu": "1", "memory": "64Mi"}},
    }
    volumes = [{"name": "files", "configMap": {"name": "settings"}}]
    record(shop, [event(7000, "BackOff", "Back-off restarting failed container")])
    keep(shop, spec={"containers": [app], "volumes": volumes})
    source = client.get("/clusters/shop/pods/default/web-1/").content.decode()
    page = unescape(source)
    for told in (
        "COLOUR=red <b>",
        "TOKEN from Secret keys, key token",
        "SHOP_… from ConfigMap settings",
        "/etc/shop from files (configMap, read-only)",
        "requests cpu 100m",
        "limits cpu 1, memory 64Mi",
        "Back-off restarting failed container",
        'hx-get="/clusters/shop/pods/default/web-1/log/"',
    ):
        assert told in page, told
    assert "red <b>" not in source


@pytest.mark.slow
@pytest.mark.parametrize("is_mirror", [True, False])
def test_the_events_of_a_static_pod_are_its_mirrors(client: Any, shop: Cluster, is_mirror: bool) -> None:
    record(shop, [event(7000, "Started", "from the node", uid="abc")])
    # A static pod itself is no object of the API.
    StoredObject.objects.filter(cluster=shop, uid="abc").delete()
    keep(shop, metadata={"annotations": {MIRROR: "abc"} if is_mirror else {}}, spec={"containers": []})
    page = client.get("/clusters/shop/pods/default/web-1/").content.decode()
    assert ("from the node" in page) is is_mirror
    assert ('data-uid="abc"' in page) is is_mirror
    feed = PodFeed(shop, "default/web-1", None)
    assert ("from the node" in [row.get("message") for row in feed.rows]) is is_mirror
    later = event(8000, "Killing", "later", uid="abc")
    feed.follow(shop, {"transitions": [], "events": [later]})
    assert (feed.rows[-1] == later) is is_mirror


@pytest.mark.slow
def test_a_pod_says_why_it_is_where_it_is(client: Any, shop: Cluster) -> None:
    """Names and labels are hostile text; a pod of another's cluster is none."""
    keep(shop, spec={"nodeName": "node-1", "containers": [{"name": "app", "image": "web:1"}]})
    allocatable = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    taints = [{"key": "<b>k</b>", "effect": "NoSchedule"}]
    for number, spec in enumerate(({}, {"taints": taints}), 1):
        name = f"node-{number}"
        data = {
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name}, "spec": spec,
            "status": {"allocatable": allocatable},
        }  # fmt: skip
        StoredObject.objects.create(
            cluster=shop, uid=name, kind="Node", name=name, rv=900 + number, data=data
        )
    page = client.get("/clusters/shop/pods/default/web-1/").content.decode()
    assert "Why this node, and not another" in page
    answer = client.get("/clusters/shop/pods/default/web-1/placement/")
    text = answer.content.decode()
    assert "Its node would be choice 1 of 1 now." in unescape(text)
    assert "had untolerated taint" in text
    assert "<b>k</b>" not in text and "<b>k</b>:NoSchedule" in unescape(text)
    client.force_login(make_user("bob"))
    assert client.get("/clusters/shop/pods/default/web-1/placement/").status_code == 404
