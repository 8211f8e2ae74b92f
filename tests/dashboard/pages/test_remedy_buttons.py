"""A page tries what would help when it is asked, and does what was chosen."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.asking import answers
from dashboard.asking.answers import Answer
from lifecycle.models import Cluster
from tests.dashboard.pages.test_places import make_set
from tests.engine.controllers.door import Door
from tests.engine.kinds.kept import keep

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
CHANGE = "/clusters/{}/statefulsets/default/web/change/"


def make_stuck() -> Cluster:
    """A StatefulSet whose image is mended, and whose pod of the bad one stays."""
    door = Door()
    kind = {"apiVersion": "podline.dev/v1alpha1", "kind": "ContainerProfile"}
    profile = {"match": {"image": "broken:*"}, "behavior": {"pull": {"error": "ErrImagePull"}}}
    door.apply({**kind, "metadata": {"name": "bad"}, "spec": profile})
    manifest: dict[str, Any] = make_set(1)
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    container["image"] = "broken:1"
    door.apply(manifest)
    door.run(20).done("setImage", kind="StatefulSet", namespace="default", name="web", image="nginx:1")
    cluster = keep(door.run(60).cluster)
    cluster.settings = {"timing": "instant"}
    cluster.save()
    return cluster


def test_a_page_offers_what_it_has_tried_and_changes_nothing(client: Client) -> None:
    cluster = make_stuck()
    client.force_login(cluster.owner)
    page = client.post(CHANGE.format(cluster.name), {"action": "help"}).content.decode()
    assert "Delete web-0: whole after " in page
    assert 'name="change" value="delete web-0"' in page
    assert cluster.commands.count() == 0


def test_what_is_chosen_is_read_from_what_is_seen(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, asked = make_stuck(), []

    def send(_cluster: Cluster, commands: list[Any], _user: Any) -> list[Answer]:
        asked.extend(commands)
        return [Answer(True, "", "done")]

    monkeypatch.setattr(answers, "send", send)
    client.force_login(cluster.owner)
    change = CHANGE.format(cluster.name)
    refused = client.post(change, {"action": "remedy", "change": "delete everything"})
    assert refused.status_code == 422 and "out of date" in refused.content.decode()
    assert client.post(change, {"action": "remedy", "change": "delete web-0"}).status_code == 200
    payload = {"kind": "Pod", "namespace": "default", "name": "web-0"}
    assert asked == [("delete", payload, "StatefulSet default/web")]
