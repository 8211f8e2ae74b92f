"""A ReplicationController on the pages: a workload as a ReplicaSet is, with its pods under it."""

from __future__ import annotations

import pytest
from django.test import Client

from dashboard.live.feeds import TimelineFeed
from dashboard.pages.cluster.readings import list_workloads
from tests.engine.controllers.door import Door
from tests.engine.controllers.replica_sets.test_replication_controllers import make, names
from tests.engine.kinds.kept import keep

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_pages_show_it_with_its_pods(client: Client) -> None:
    door = Door()
    door.apply(make())
    cluster = keep(door.run(30).cluster)
    (listed,) = list_workloads(cluster)
    assert (listed.kind, listed.name, listed.summary) == ("ReplicationController", "nginx", "3 of 3 ready")
    assert [(share.tone.name, share.count) for share in listed.shares] == [("ready", 3)]
    feed = TimelineFeed(cluster, "", None)
    owners = {feed.stories.workload_of(story) for story in feed.stories.by_uid.values()}
    assert owners == {"ReplicationController/nginx"}
    client.force_login(cluster.owner)
    page = client.get(f"/clusters/{cluster.name}/").content.decode()
    assert "ReplicationController" in page and "3 of 3 ready" in page
    pod = client.get(f"/clusters/{cluster.name}/pods/default/{names(door)[0]}/").content.decode()
    assert "ReplicationController/nginx" in pod


def test_pods_of_one_that_is_owned_stand_under_its_owner() -> None:
    door = Door()
    manifest = make()
    reference = {"apiVersion": "apps.openshift.io/v1", "kind": "DeploymentConfig", "name": "shop"}
    config = door.apply({**{k: reference[k] for k in ("apiVersion", "kind")}, "metadata": {"name": "shop"}})
    reference |= {"uid": config["metadata"]["uid"], "controller": True}
    manifest["metadata"]["ownerReferences"] = [reference]
    door.apply(manifest)
    cluster = keep(door.run(30).cluster)
    feed = TimelineFeed(cluster, "", None)
    owners = {feed.stories.workload_of(story) for story in feed.stories.by_uid.values()}
    assert owners == {"DeploymentConfig.apps.openshift.io/shop"}
