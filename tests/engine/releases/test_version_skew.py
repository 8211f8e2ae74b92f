"""A cluster is upgraded in steps: its control plane first, then its kubelets, within the version skew."""

from typing import Any

import pytest

from lifecycle.engine import Cluster, Settings
from lifecycle.engine.rules.nodes.drains import DONE
from tests.engine.kubelet.world import World

ENDS_AT_ONCE = {"restartPolicy": "Never"}


def begin(release: str, nodes: int = 1) -> World:
    return World(kubernetes=release, timing="realistic", nodes=nodes)


def said(result: Any) -> str:
    return "" if result.status is None else result.status["message"]


def version_of(world: World, name: str = "node-1") -> str:
    node = world.cluster.get("Node", "", name)
    assert node is not None
    return node["status"]["nodeInfo"]["kubeletVersion"]


def phases_on(world: World, node: str, name: str, seconds: float) -> list[str]:
    """The phases of a pod on a node whose program is over at once."""
    app = {"name": "app", "image": "busybox:1.36", "command": ["true"]}
    assert world.pod(app, meta={"name": name}, nodeName=node, restartPolicy="Never").ok
    return [phase for _, phase in world.to(seconds).lane("phase", name)]


BRIEF, LONG = ["Pending", "Succeeded"], ["Pending", "Running", "Succeeded"]


def test_kubelets_go_by_their_own_release() -> None:
    world = begin("1.36", nodes=2)
    assert phases_on(world, "node-1", "a", 30) == LONG
    assert world.submit("upgrade", node="node-1", kubernetes="v1.35").ok
    world.to(60)
    assert (version_of(world), version_of(world, "node-2")) == ("v1.35.6", "v1.36.3")
    assert phases_on(world, "node-1", "b", 90) == BRIEF
    assert phases_on(world, "node-2", "c", 120) == LONG


def test_a_node_may_come_with_an_older_kubelet() -> None:
    world = begin("1.36")
    status = {"nodeInfo": {"kubeletVersion": "v1.34.9-eks-1a2b"}}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "old"}, "status": status}
    assert world.create(node).ok
    assert phases_on(world.to(5), "old", "a", 40) == BRIEF
    created = [row["message"] for row in world.rows if row["type"] == "event" and row["reason"] == "Created"]
    assert created == ["Created container: app"]


def test_the_control_plane_is_upgraded_before_its_kubelets() -> None:
    world = begin("1.35")
    assert phases_on(world, "node-1", "a", 30) == BRIEF
    assert world.submit("upgrade", controlPlane="v1.36").ok
    assert world.cluster.settings.release.name == "v1.36"
    assert version_of(world.to(40)) == "v1.35.6"
    assert phases_on(world, "node-1", "b", 70) == BRIEF
    assert world.submit("upgrade", node="node-1", kubernetes="v1.36").ok
    assert phases_on(world.to(100), "node-1", "c", 130) == LONG


def test_what_a_control_plane_allows_follows_its_release() -> None:
    world = begin("1.35")
    app = {"name": "app", "image": "busybox:1.36", "command": ["sleep", "3600"]}
    assert world.pod({**app, "resources": {"requests": {"cpu": "500m"}}}).ok
    assert world.to(20).submit("upgrade", controlPlane="v1.36").ok
    more = [{"name": "app", "resources": {"requests": {"cpu": "50"}}}]
    where = {"kind": "Pod", "namespace": "default", "name": "web", "subresource": "resize"}
    refused = world.submit("patch", type="strategic", patch={"spec": {"containers": more}}, **where)
    assert "node didn't have enough allocatable resources: cpu" in said(refused)


def test_nothing_is_lost_by_an_upgrade_of_the_control_plane() -> None:
    """Rows that wait to be taken, and all that is under way: only who acts is another one."""
    worlds = [begin("1.35.4"), begin("1.35.4")]
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "image": "nginx:1.27"}]},
    }
    spec = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    metadata = {"name": "web", "namespace": "default"}
    for world in worlds:
        assert world.create(
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
        ).ok
        world.to(3)
    assert worlds[1].submit("upgrade", controlPlane="v1.35").ok
    told = [[row for row in world.to(120).rows if row["type"] != "command"] for world in worlds]
    assert told[0] == told[1]


def test_an_upgraded_cluster_is_saved_as_what_it_is() -> None:
    world = begin("1.35")
    assert world.submit("upgrade", controlPlane="v1.36").ok
    assert world.submit("upgrade", node="node-1", kubernetes="1.36").ok
    assert world.to(30).rows
    loaded = Cluster.load(world.cluster.save())
    assert loaded.settings.release.name == "v1.36"
    assert (
        loaded.settings.to_json()
        == Settings(timing="realistic", nodes={"count": 1}, kubernetes="v1.36").to_json()
    )


@pytest.mark.parametrize(
    "release, payload, complaint",
    [
        pytest.param(
            "1.35", {"node": "node-1", "kubernetes": "v1.36"}, "upgrade the control plane first", id="newer"
        ),
        pytest.param(
            "1.35", {"controlPlane": "v1.37"}, "one minor release at a time, to v1.36", id="two at once"
        ),
        pytest.param(
            "1.36", {"controlPlane": "v1.35"}, "never downgraded; v1.35 is asked for", id="downgrade"
        ),
        pytest.param("1.35.6", {"controlPlane": "v1.35.0"}, "never downgraded", id="an older patch release"),
        pytest.param(
            "1.35", {"controlPlane": "v1.99"}, "upgrade.controlPlane: Kubernetes 'v1.99' is not", id="unknown"
        ),
        pytest.param(
            "1.35", {"node": "node-9", "kubernetes": "v1.35"}, '"node-9" not found', id="no such node"
        ),
        pytest.param("1.35", {"node": "node-1"}, "upgrade: use {controlPlane", id="to what"),
        pytest.param("1.35", {}, "upgrade: use {controlPlane", id="nothing"),
        pytest.param(
            "1.35", {"controlPlane": "v1.36", "node": "node-1"}, "upgrade: use {controlPlane", id="both"
        ),
        pytest.param("1.35", {"controlPlane": 1.36}, "use a release such as v1.36", id="a number"),
    ],
)
def test_an_upgrade_that_cannot_be_is_refused(release: str, payload: dict, complaint: str) -> None:
    world = begin(release)
    refused = world.submit("upgrade", **payload)
    assert complaint in said(refused) and 400 <= refused.code < 500
    assert version_of(world) == world.cluster.settings.release.version


def test_a_kubelet_may_be_three_minor_releases_older_and_no_more() -> None:
    world = begin("1.37")
    assert world.submit("upgrade", node="node-1", kubernetes="v1.34").ok
    refused = begin("1.36").submit("upgrade", node="node-1", kubernetes="v1.23.1")
    assert "more than 3 minor releases older than the API server, v1.36" in said(refused)


ROLLING = {"upgrade": "v1.36", "uncordonAfter": "20s", "ignoreDaemonSets": True}


def test_nodes_are_upgraded_between_their_drain_and_their_return() -> None:
    """As kubeadm documents it: drain, a new kubelet, uncordon; then the next node."""
    world = begin("1.35", nodes=2)
    stays = {"app": {"onTerm": {"takes": "15s"}}}
    assert world.pod("app", behavior=stays, meta={"name": "a"}, nodeName="node-1").ok
    assert world.to(30).submit("upgrade", controlPlane="v1.36").ok
    assert world.submit("drain", nodes=["node-1", "node-2"], force=True, **ROLLING).ok
    assert version_of(world.to(31)) == "v1.35.6", "its pod is still leaving"
    world.to(150)
    assert [version_of(world, name) for name in ("node-1", "node-2")] == ["v1.36.3", "v1.36.3"]
    for node in ("node-1", "node-2"):
        (drained,) = world.at("drain", DONE, node)
        back = world.at("unschedulable", False, node)[-1]
        starts = [
            row["at_ms"] / 1000
            for row in world.rows
            if row["type"] == "event" and row["name"] == node and row["reason"] == "Starting"
        ]
        assert drained <= starts[-1] < back == drained + 20, (node, starts)


@pytest.mark.parametrize(
    "release, payload, complaint",
    [
        pytest.param("1.35", {"upgrade": "v1.36"}, "upgrade the control plane first", id="newer"),
        pytest.param("1.37", {"upgrade": "v1.23.1"}, "more than 3 minor releases older", id="too old"),
        pytest.param("1.35", {"upgrade": "v1.99"}, "drain.upgrade: Kubernetes 'v1.99' is not", id="unknown"),
        pytest.param("1.35", {"upgrade": 1.36}, "use a release such as v1.36", id="a number"),
        pytest.param("1.35", {"upgrade": "v1.35", "node": "node-9"}, '"node-9" not found', id="no such node"),
    ],
)
def test_a_drain_to_a_kubelet_that_cannot_be_is_refused(release: str, payload: dict, complaint: str) -> None:
    world = begin(release)
    refused = world.submit("drain", **{"node": "node-1", **payload})
    assert complaint in said(refused) and 400 <= refused.code < 500
    node = world.cluster.get("Node", "", "node-1")
    assert node is not None and "unschedulable" not in node["spec"]


def test_a_node_that_goes_away_while_it_is_drained_is_not_upgraded_and_the_next_one_is() -> None:
    world = begin("1.36", nodes=2)
    assert world.pod("app", meta={"name": "a"}, nodeName="node-1").ok
    assert world.to(30).submit("drain", nodes=["node-1", "node-2"], force=True, **ROLLING).ok
    assert world.to(31).submit("remove", node="node-1").ok
    world.to(300)
    assert world.cluster.get("Node", "", "node-1") is None
    assert version_of(world, "node-2") == "v1.36.3"
    assert len(world.at("drain", DONE, "node-2")) == 1


def test_a_drain_remembers_over_a_checkpoint_what_its_node_is_to_become() -> None:
    world = begin("1.35")
    assert world.pod("app", meta={"name": "a"}, nodeName="node-1").ok
    assert world.to(30).submit("upgrade", controlPlane="v1.36").ok
    assert world.submit("drain", node="node-1", force=True, **ROLLING).ok
    assert world.to(31).rows
    world.cluster = Cluster.load(world.cluster.save())
    assert version_of(world.to(150)) == "v1.36.3"
