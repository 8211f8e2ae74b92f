"""Nodes that are lost, come back, come and go: leases, taints, evictions. Looks take no time."""

from typing import Any

import pytest

from lifecycle.engine import Cluster, Settings
from tests.engine.kubelet.world import World

UNREACHABLE, NOT_READY = "node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"


def lease(world: World, name: str = "node-1") -> dict[str, Any]:
    found = world.cluster.get("Lease", "kube-node-lease", name)
    assert found is not None
    return found


def node(world: World, name: str = "node-1") -> dict[str, Any]:
    found = world.cluster.get("Node", None, name)
    assert found is not None
    return found


def cut_off(world: World, name: str = "node-1", **payload: Any) -> None:
    assert world.submit("fault", node=name, kind="partition", **payload).ok


def taints(world: World, name: str = "node-1") -> list[str]:
    return [f"{one['key']}:{one['effect']}" for one in node(world, name)["spec"].get("taints") or ()]


def tolerating(seconds: int, key: str = UNREACHABLE) -> dict[str, Any]:
    return {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}


# --- leases and heartbeats ----------------------------------------------------------------------------------


def test_a_lease_reads_as_renewed_every_ten_seconds_and_nobody_writes_it():
    world = World()
    before = lease(world.to(5))
    assert before["spec"] == {
        "holderIdentity": "node-1",
        "leaseDurationSeconds": 40,
        "renewTime": "2026-01-01T00:00:00.000000Z",
    }
    later = lease(world.to(3605))
    assert later["spec"]["renewTime"] == "2026-01-01T01:00:00.000000Z"
    assert later["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    assert later["metadata"]["ownerReferences"][0]["uid"] == node(world)["metadata"]["uid"]


def test_the_lease_of_a_silent_kubelet_stands_still_until_it_speaks_again():
    world = World()
    cut_off(world.to(107), **{"for": "20s"})
    assert lease(world.to(126))["spec"]["renewTime"] == "2026-01-01T00:01:47.000000Z"
    assert lease(world.to(151))["spec"]["renewTime"] == "2026-01-01T00:02:30.000000Z"


def test_a_node_tells_of_itself_every_five_minutes_and_at_each_change():
    def beats(world: World) -> set[str]:
        return {one["lastHeartbeatTime"][11:19] for one in node(world)["status"]["conditions"]}

    world = World()
    assert beats(world.to(299)) == {"00:00:00"}
    assert beats(world.to(301)) == {"00:05:00"}
    assert world.submit("fault", node="node-1", kind="pressure", resource="disk").ok
    assert beats(world.to(320)) == {"00:05:00", "00:05:10"}
    cut_off(world.to(400))
    assert beats(world.to(2000)) == {"00:05:00"}


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_lease_that_somebody_deletes_or_stops_is_there_again_ten_seconds_later(is_deleted: bool):
    world = World()
    found = lease(world.to(7))
    if is_deleted:
        assert world.submit("delete", kind="Lease", namespace="kube-node-lease", name="node-1").ok
    else:
        assert world.submit("replace", object=found).ok
    world.to(600)
    assert lease(world)["spec"]["renewTime"] > "2026-01-01T00:09:00"
    assert world.condition("Ready", "node-1") == []


def test_a_lease_goes_with_its_node():
    world = World()
    assert world.submit("delete", kind="Node", name="node-1").ok
    assert world.to(60).cluster.get("Lease", "kube-node-lease", "node-1") is None


# --- lost and found -----------------------------------------------------------------------------------------


@pytest.mark.spec("NODELOSS-03")
def test_a_node_that_is_silent_for_less_than_the_grace_period_is_not_lost():
    world = World(nodes=2)
    cut_off(world.to(10), **{"for": "49s"})
    assert world.to(300).condition("Ready", "node-1") == []


@pytest.mark.parametrize("kind", ["partition", "kubeletDown", "crash"])
def test_a_node_is_lost_when_its_grace_period_is_over_whatever_keeps_it_silent(kind: str):
    world = World(nodes=2)
    assert world.to(10).submit("fault", node="node-1", kind=kind).ok
    assert world.to(300).condition("Ready", "node-1") == [(60, "Unknown")]
    assert taints(world) == [f"{UNREACHABLE}:NoSchedule", f"{UNREACHABLE}:NoExecute"]
    assert world.events("NodeNotReady", name="node-1") == [(60, "NodeNotReady")]


def test_who_takes_the_taint_off_a_lost_node_gets_it_back():
    world = World(nodes=2)
    cut_off(world)
    assert world.to(100).submit("taint", node="node-1", taints=[]).ok
    assert taints(world.to(130)) == [f"{UNREACHABLE}:NoSchedule", f"{UNREACHABLE}:NoExecute"]


def test_a_node_that_is_not_ready_and_is_lost_swaps_its_taints_at_once():
    world = World(nodes=2)
    patch = {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
    where = {"kind": "Node", "name": "node-1", "type": "strategic", "subresource": "status"}
    assert world.submit("patch", **where, patch=patch).ok
    assert taints(world.to(5)) == [f"{NOT_READY}:NoSchedule", f"{NOT_READY}:NoExecute"]
    cut_off(world.to(100))
    assert taints(world.to(160)) == [f"{UNREACHABLE}:NoExecute", f"{UNREACHABLE}:NoSchedule"]
    # Its pods were not ready, or said so themselves: nobody marks them.
    assert world.events("NodeNotReady", name="node-1") == []


def test_what_comes_and_goes_is_told_by_the_controller():
    world = World()
    assert world.to(5).create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "late"}}).ok
    assert world.to(10).submit("remove", node="late").ok
    world.to(20)
    assert world.events(name="late") == [(5, "RegisteredNode"), (10, "RemovingNode")]
    assert world.events(name="node-1") == []


def test_a_node_under_the_name_of_a_removed_one_is_another_machine():
    world = World()
    assert world.pod(nodeName="node-1").ok
    assert world.to(10).submit("remove", node="node-1").ok
    assert world.to(70).get() is None
    assert world.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}}).ok
    assert world.pod(meta={"name": "next"}).ok
    assert world.to(90).status("next")["phase"] == "Running"
    assert (70, "Pulling") in world.events(name="next")
    assert world.to(300).condition("Ready", "node-1") == []


def test_nobody_removes_a_node_that_is_not_there():
    result = World().submit("remove", node="node-9")
    assert (result.code, result.status and result.status["message"]) == (404, 'nodes "node-9" not found')


# --- driven away --------------------------------------------------------------------------------------------


@pytest.mark.spec("NODELOSS-05", "DCOND-03", "POD-LIFE-11")
@pytest.mark.parametrize(
    "tolerations, goes_at",
    [
        pytest.param([], 360, id="300 s by default"),
        pytest.param([tolerating(10)], 70, id="its own"),
        pytest.param([tolerating(0)], 60, id="at once"),
        pytest.param([tolerating(10, NOT_READY)], 360, id="another taint's"),
        pytest.param([{"operator": "Exists"}], None, id="all for ever"),
        pytest.param([{"key": UNREACHABLE, "operator": "Exists"}], None, id="this one for ever"),
    ],
)
def test_a_pod_goes_when_its_toleration_is_over(tolerations: list[Any], goes_at: float | None):
    world = World(nodes=2)
    assert world.pod(nodeName="node-1", tolerations=tolerations).ok
    cut_off(world.to(10))
    world.to(1000)
    at = [] if goes_at is None else [(goes_at, "True")]
    assert world.condition("DisruptionTarget") == at
    assert world.at("deletion", "requested") == [seconds for seconds, _ in at]
    assert world.condition("Ready")[-1] == (60, "False")
    assert world.lane("container.app.ready")[-1] == (0, True)


def test_a_toleration_that_is_given_later_may_spare_a_pod_but_puts_nothing_off():
    world = World(nodes=2)
    for name in ("spared", "longer"):
        assert world.pod(meta={"name": name}, nodeName="node-1", tolerations=[tolerating(60)]).ok
    cut_off(world.to(10))
    world.to(90)
    for name, one in (("spared", {"operator": "Exists"}), ("longer", tolerating(600))):
        kept = world.get(name)
        assert kept is not None
        assert world.patch({"spec": {"tolerations": [*kept["spec"]["tolerations"], one]}}, name=name).ok
    world.to(1000)
    # All tolerations that match a taint do so in their order: the first one counts.
    assert world.at("deletion", "requested", "longer") == [120]


@pytest.mark.slow
@pytest.mark.spec("NODELOSS-06", "PODGC-05", "POD-LIFE-13")
def test_what_is_done_about_a_lost_node_survives_saving():
    def live(is_saved: bool) -> list[dict[str, Any]]:
        world = World(nodes=3)
        for number in (1, 2):
            name = f"on-{number}"
            assert world.pod(meta={"name": name}, nodeName=f"node-{number}", tolerations=[tolerating(60)]).ok
            cut_off(world.to(5 * number), f"node-{number}", **{"for": f"{number * 200}s"})
        for seconds in (30, 56, 58, 65, 100, 130, 208, 300):
            world.to(seconds)
            if is_saved:
                assert world.rows
                world.cluster = Cluster.load(world.cluster.save())
        return world.to(1000).rows

    rows = live(False)
    assert live(True) == rows
    gone = [
        (row["at_ms"], row["name"]) for row in rows if row.get("new") == "deleted" and row["kind"] == "Pod"
    ]
    assert gone == [(205_000, "on-1"), (410_000, "on-2")]


@pytest.mark.spec("PODGC-05")
@pytest.mark.parametrize("is_saved", [False, True])
def test_a_pod_that_is_deleted_on_a_node_out_of_service_goes_at_the_next_pass(is_saved: bool):
    world = World(nodes=2)
    for name in ("first", "second"):
        assert world.pod(meta={"name": name}, nodeName="node-2", tolerations=[tolerating(6000)]).ok
    cut_off(world.to(10), "node-2")
    world.to(80)
    out = {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoSchedule"}
    spec = {"taints": [*node(world, "node-2")["spec"]["taints"], out]}
    assert world.submit("patch", kind="Node", name="node-2", patch={"spec": spec}).ok
    world.to(200)
    if is_saved:
        assert world.rows
        world.cluster = Cluster.load(world.cluster.save())
    assert world.submit("delete", kind="Pod", namespace="default", name="first").ok
    world.to(300)
    names = [pod["metadata"]["name"] for pod in world.cluster.list("Pod", "default")]
    assert names == ["second"]


@pytest.mark.spec("POD-PHASE-16")
def test_all_pods_of_a_node_that_was_lost_and_is_gone_have_failed():
    """By the garbage collector of pods, which removes them in the same instant; so v1.35.6 was seen to do."""
    world = World(nodes=2)
    for name in ("first", "second"):
        assert world.pod(meta={"name": name}, nodeName="node-2", tolerations=[tolerating(600)]).ok
    cut_off(world.to(10), "node-2")
    world.to(80)
    assert world.submit("delete", kind="Node", name="node-2").ok
    world.to(200)
    for name in ("first", "second"):
        (failed,) = world.at("phase", "Failed", name)
        assert world.at("exists", "deleted", name) == [failed]
        # The quarantine of 40 s, then the next pass of the collector, which comes every 20 s.
        assert 120 <= failed <= 140


def test_a_zone_that_stays_lost_is_emptied_one_node_in_ten_seconds():
    settings = Settings(timing="instant", nodes={"count": 8})
    world = World()
    world.cluster = Cluster(settings=settings)
    for number in range(1, 5):
        label = {"metadata": {"labels": {"topology.kubernetes.io/zone": "a"}}}
        assert world.submit("patch", kind="Node", name=f"node-{number}", type="merge", patch=label).ok
        cut_off(world, f"node-{number}")
    world.to(300)
    found = [world.lane("taints", f"node-{number}")[-1][0] for number in range(1, 5)]
    assert sorted(found) == [50, 60, 70, 80]


def test_settings_of_the_controller_manager_are_checked():
    with pytest.raises(ValueError, match=r"nodeEvictionRate: 'fast' is not of the kind of its default, 0\.1"):
        Settings(controller_manager={"nodeEvictionRate": "fast"})
    with pytest.raises(ValueError, match="unhealthyZoneThreshold: -1 is no rate or share"):
        Settings(controller_manager={"unhealthyZoneThreshold": -1})
    with pytest.raises(ValueError, match="nodeMonitorGracePeriod: 'soon' is not a duration"):
        Settings(controller_manager={"nodeMonitorGracePeriod": "soon"})
    assert Settings(controller_manager={"nodeEvictionRate": 1}).controller_manager == {"nodeEvictionRate": 1}


def find_boot(world: World) -> str:
    node = world.cluster.get("Node", None, "node-1")
    assert node is not None
    return str(node["status"]["nodeInfo"]["bootID"])


@pytest.mark.spec("NODELOSS-10", "SBOX-04")
@pytest.mark.parametrize("kind, is_told", [("reboot", True), ("crash", True), ("kubeletRestart", False)])
def test_a_machine_that_was_off_says_that_it_has_been_rebooted(kind: str, is_told: bool):
    world = World()
    assert world.pod().ok
    before, boot = world.get(), find_boot(world)
    assert world.to(10).submit("fault", node="node-1", kind=kind, **{"for": "20s"}).ok
    world.to(60)
    assert (find_boot(world) != boot) == is_told
    assert world.events("Rebooted", name="node-1") == ([(30, "Rebooted")] if is_told else [])
    after = world.get()
    assert before is not None and after is not None
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    lane = [value for _, value in world.condition("PodReadyToStartContainers")]
    assert lane == (["False", "True", "False", "True"] if is_told else ["False", "True"])
