"""CPU and memory of a living pod are changed through `resize` (S40). One node of 4 CPU."""

from typing import Any

import pytest

from lifecycle.engine import Cluster, Settings
from tests.engine.kubelet.world import EPOCH_MS, World

SMALL = {"requests": {"cpu": "500m", "memory": "256Mi"}, "limits": {"cpu": "4", "memory": "512Mi"}}
POLICY = [
    {"resourceName": "cpu", "restartPolicy": "NotRequired"},
    {"resourceName": "memory", "restartPolicy": "RestartContainer"},
]
PENDING, IN_PROGRESS = "PodResizePending", "PodResizeInProgress"


TAKES_ANY = "v1.35"
"""Since v1.36 an API server refuses a resize beyond what the node can allot (kubernetes#136043)."""


def sized(behavior: Any = None, kubernetes: str | None = None, **app: Any) -> World:
    world = World()
    nodes = {"count": 1, "cpu": "4", "memory": "8Gi"}
    settings = Settings(timing="instant", nodes=nodes, kubernetes=kubernetes)
    world.cluster = Cluster(seed=1, epoch_ms=EPOCH_MS, settings=settings)
    container = {"name": "app", "resources": SMALL, "resizePolicy": POLICY, **app}
    assert world.pod(container, behavior=behavior).ok
    return world.to(10)


def resize(world: World, requests: Any = None, limits: Any = None) -> Any:
    resources = {name: value for name, value in (("requests", requests), ("limits", limits)) if value}
    patch = {"spec": {"containers": [{"name": "app", "resources": resources}]}}
    where = {"kind": "Pod", "namespace": "default", "name": "web", "subresource": "resize"}
    return world.submit("patch", type="strategic", patch=patch, **where)


def has(world: World) -> Any:
    return world.container()["resources"]


def test_what_a_container_was_given_is_told_when_it_was_made() -> None:
    """As a kubelet of v1.35.6 tells it: nothing while it waits to be made, and still when it has ended."""
    world = World()
    slow = {"app": {"pull": {"takes": "5s"}, "runs": [{"for": "3s", "exit": 0}]}}
    assert world.pod({"name": "app", "resources": SMALL}, behavior=slow, restartPolicy="Never").ok
    told = []
    for second in (3, 7, 20):
        container = world.to(second).container()
        told.append((next(iter(container["state"])), container.get("resources")))
    assert told == [("waiting", None), ("running", SMALL), ("terminated", SMALL)]


@pytest.mark.spec("RESIZE-02", "RESIZE-03", "RESIZE-06", "RESIZE-08", "COND-17")
def test_cpu_is_changed_without_a_restart() -> None:
    world = sized()
    assert has(world) == SMALL
    assert world.container()["allocatedResources"] == SMALL["requests"]
    before = world.get()
    assert resize(world, {"cpu": "700m"}).ok
    world.to(20)
    after = world.get()
    assert before is not None and after is not None
    assert has(world)["requests"]["cpu"] == world.container()["allocatedResources"]["cpu"] == "700m"
    assert world.condition(IN_PROGRESS) == [(10, "True"), (10, None)]
    assert world.starts() == [0]
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["status"]["podIP"] == before["status"]["podIP"]


@pytest.mark.spec("RESIZE-06")
def test_memory_is_changed_by_restarting_the_container() -> None:
    world = sized({"app": {"onTerm": {"takes": "3s"}}})
    assert resize(world, limits={"memory": "768Mi"}).ok
    world.to(12)
    assert world.condition(IN_PROGRESS) == [(10, "True")]
    assert has(world)["limits"]["memory"] == "512Mi"
    world.to(20)
    assert world.starts() == [0, 13]
    assert world.container()["restartCount"] == 1
    assert has(world)["limits"]["memory"] == "768Mi"
    assert world.condition(IN_PROGRESS) == [(10, "True"), (13, None)]


@pytest.mark.spec("RESIZE-07", "COND-16")
def test_a_resize_waits_for_room_on_the_node() -> None:
    world = sized()
    world.pod({"name": "app", "resources": {"requests": {"cpu": "2"}}}, meta={"name": "neighbour"})
    assert resize(world, {"cpu": "3"}).ok
    assert has(world.to(20))["requests"]["cpu"] == "500m"
    (pending,) = [one for one in world.status()["conditions"] if one["type"] == PENDING]
    assert (pending["status"], pending["reason"]) == ("True", "Deferred")
    world.delete(name="neighbour")
    world.to(30)
    assert has(world)["requests"]["cpu"] == "3"
    assert world.condition(PENDING) == [(10, "True"), (20, None)]
    assert world.starts() == [0]


def ask_for(world: World, name: str, cpu: str) -> None:
    patch = {"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": cpu}}}]}}
    where = {"kind": "Pod", "namespace": "default", "name": name, "subresource": "resize"}
    assert world.submit("patch", type="strategic", patch=patch, **where).ok


@pytest.mark.spec("RESIZE-07")
@pytest.mark.parametrize("is_saved", [False, True])
@pytest.mark.parametrize(
    "later, first",
    [
        pytest.param({"priority": 1000}, "later", id="the more important"),
        pytest.param({}, "early", id="who waits longer"),
    ],
)
def test_room_that_comes_free_goes_to_one_before_the_other(
    later: dict[str, Any], first: str, is_saved: bool
) -> None:
    world = sized()
    half = {"resources": {"requests": {"cpu": "500m"}}}
    # The one that asks later was there before.
    assert world.pod({"name": "app", **half}, meta={"name": "later"}, **later).ok
    assert world.pod({"name": "app", **half}, meta={"name": "early"}).ok
    assert world.pod({"name": "app", "resources": {"requests": {"cpu": "2"}}}, meta={"name": "big"}).ok
    ask_for(world.to(20), "early", "2")
    ask_for(world.to(21), "later", "2")
    world.to(30)
    if is_saved:
        assert world.rows
        world.cluster = Cluster.load(world.cluster.save())
    world.delete(name="big")
    world.to(40)
    # 4 CPUs, of which `web` has a half: there is room for one of them.
    has_got = [
        name
        for name in ("early", "later")
        if world.container(pod=name)["resources"]["requests"]["cpu"] == "2"
    ]
    assert has_got == [first]


@pytest.mark.spec("RESIZE-07", "QOS-09")
def test_cpus_of_ones_own_are_not_resized() -> None:
    static = {"kind": "KubeletConfiguration", "cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}
    world = World(kubelet=[static])
    own = {"cpu": "1", "memory": "64Mi"}
    assert world.pod({"name": "app", "resources": {"requests": own, "limits": own}}).ok
    world.to(10)
    assert resize(world, {"cpu": "2"}, {"cpu": "2"}).ok
    world.to(20)
    (pending,) = [one for one in world.status()["conditions"] if one["type"] == PENDING]
    assert (pending["reason"], pending["message"]) == (
        "Infeasible",
        'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"',
    )
    assert resize(world, {"cpu": "1", "memory": "128Mi"}, {"cpu": "1", "memory": "128Mi"}).ok
    assert has(world.to(30))["requests"]["memory"] == "128Mi"


def test_what_is_said_of_a_resize_is_said_of_the_newest_spec() -> None:
    world = sized(kubernetes=TAKES_ANY)
    for memory, generation in (("256Mi", 2), ("300Mi", 3)):
        assert resize(world, {"cpu": "16", "memory": memory}, {"cpu": "16"}).ok
        world.to(20)
        (pending,) = [one for one in world.status()["conditions"] if one["type"] == PENDING]
        assert pending["observedGeneration"] == generation
        assert pending["lastTransitionTime"] == "2026-01-01T00:00:10Z"


@pytest.mark.slow
@pytest.mark.spec("RESIZE-07")
def test_a_resize_beyond_the_node_is_infeasible_until_it_is_withdrawn() -> None:
    world = sized(kubernetes=TAKES_ANY)
    assert resize(world, {"cpu": "16"}, {"cpu": "16"}).ok
    world.to(20)
    (pending,) = [one for one in world.status()["conditions"] if one["type"] == PENDING]
    assert pending["reason"] == "Infeasible"
    assert has(world)["requests"]["cpu"] == "500m"
    # What cannot be had is not counted against others.
    world.pod({"name": "app", "resources": {"requests": {"cpu": "3"}}}, meta={"name": "other"})
    assert world.to(25).starts(name="other") == [20]
    assert resize(world, {"cpu": "500m"}, {"cpu": "4"}).ok
    world.to(30)
    assert world.condition(PENDING) == [(10, "True"), (25, None)]


def test_each_infeasible_resize_is_told_once() -> None:
    world = sized(kubernetes=TAKES_ANY)
    for seconds in (10, 20):
        cpu = {"cpu": str(seconds * 10)}
        assert resize(world.to(seconds), cpu, cpu).ok
    assert world.to(40).events("ResizeInfeasible") == [(10, "ResizeInfeasible"), (20, "ResizeInfeasible")]


def test_a_crashed_container_starts_at_once_with_what_it_gets() -> None:
    # Held back from 34 to 74 s; a back-off is kept for a container as it is, resources and all.
    world = sized({"app": {"runs": [{"for": "1s", "exit": 1}]}})
    assert resize(world.to(40), {"cpu": "200m", "memory": "64Mi"}).ok
    assert world.to(60).starts() == [0, 1, 12, 33, 40, 51]


def test_a_container_that_restarts_meanwhile_keeps_what_it_has() -> None:
    runs = [{"for": "30s", "exit": 1}, {"forever": True}]
    world = sized({"app": {"runs": runs}}, TAKES_ANY)
    assert resize(world, {"cpu": "16"}, {"cpu": "16"}).ok
    world.to(50)
    assert world.starts() == [0, 30]
    assert has(world)["requests"]["cpu"] == "500m"


def test_the_scheduler_counts_what_a_resized_pod_asks_for() -> None:
    world = sized()
    assert resize(world, {"cpu": "3"}).ok
    other = {"name": "app", "resources": {"requests": {"cpu": "2"}}}
    world.pod(other, meta={"name": "other"})
    assert world.to(20).lane("node", "other") == []
    assert resize(world, {"cpu": "1"}).ok
    assert world.to(30).lane("node", "other") == [(20, "node-1")]


@pytest.mark.spec("RESIZE-05")
def test_a_resize_keeps_the_class() -> None:
    world = sized()
    assert not resize(world, {"cpu": "4", "memory": "512Mi"}).ok
    assert world.status()["qosClass"] == "Burstable"


@pytest.mark.spec("RESIZE-01", "RESIZE-10")
def test_a_bare_pod_can_be_resized_in_place_only() -> None:
    world = sized()
    uid = world.get()["metadata"]["uid"]  # type: ignore[index]
    containers = [{"name": "app", "resources": {"requests": {"cpu": "700m"}}}]
    where = {"kind": "Pod", "namespace": "default", "name": "web", "type": "strategic"}
    plain = world.submit("patch", **where, patch={"spec": {"containers": containers}})
    assert plain.code == 422 and plain.status is not None
    assert "pod updates may not change fields other than" in plain.status["message"]
    assert has(world)["requests"]["cpu"] == "500m"
    assert resize(world, {"cpu": "700m"}).ok
    assert has(world.to(20))["requests"]["cpu"] == "700m"
    # Deleted, it is gone: nobody makes it anew with other amounts.
    world.delete()
    assert world.to(60).cluster.list("Pod") == []
    assert [row["uid"] for row in world.rows if row.get("field") == "exists" and row["kind"] == "Pod"] == [
        uid,
        uid,
    ]


@pytest.mark.spec("RESIZE-01", "RESIZE-10")
def test_pods_of_a_workload_are_replaced_for_any_amount() -> None:
    world = World()
    resources = {"requests": {"cpu": "100m", "ephemeral-storage": "1Gi"}}
    app = {"name": "app", "image": "sim/server:1", "resources": resources}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [app]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    meta = {"name": "web", "namespace": "default"}
    assert world.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}).ok
    before = {pod["metadata"]["uid"] for pod in world.to(30).cluster.list("Pod")}
    wanted = {"cpu": "200m", "ephemeral-storage": "2Gi"}
    containers = [{"name": "app", "resources": {"requests": wanted}}]
    where = {"kind": "Deployment", "namespace": "default", "name": "web", "type": "strategic"}
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    assert world.submit("patch", **where, patch=patch).ok
    pods = world.to(120).cluster.list("Pod")
    assert [pod["spec"]["containers"][0]["resources"]["requests"] for pod in pods] == [wanted, wanted]
    assert before.isdisjoint(pod["metadata"]["uid"] for pod in pods)


def test_a_kubelet_that_is_down_applies_it_later() -> None:
    world = sized()
    world.submit("fault", node="node-1", kind="kubeletRestart", **{"for": "30s"})
    assert resize(world, {"cpu": "700m"}).ok
    assert has(world.to(39))["requests"]["cpu"] == "500m"
    assert has(world.to(50))["requests"]["cpu"] == "700m"


@pytest.mark.spec("RESIZE-06", "RESIZE-08")
def test_a_kubelet_that_starts_again_goes_on_with_a_resize() -> None:
    world = sized({"app": {"onTerm": {"ignore": True}}})
    assert resize(world, limits={"memory": "768Mi"}).ok
    assert world.to(15).signals() == [(10, "SIGTERM")]
    world.submit("fault", node="node-1", kind="kubeletRestart", **{"for": "10s"})
    world.to(100)
    # Stopped anew with its whole grace, as everything a kubelet was about.
    assert world.signals() == [(10, "SIGTERM"), (25, "SIGTERM"), (55, "SIGKILL")]
    assert (world.starts(), has(world)["limits"]["memory"]) == ([0, 55], "768Mi")
    assert world.condition(IN_PROGRESS)[-1] == (55, None)


@pytest.mark.spec("RESIZE-08", "RALL-06")
def test_a_restart_in_place_completes_a_resize_that_waits_for_a_restart() -> None:
    world = World(gates={"RestartAllContainersOnContainerExits": True, "ContainerRestartRules": True})
    rules = [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [88]}}]
    trigger = {"name": "trigger", "restartPolicy": "Never", "restartPolicyRules": rules}
    behavior = {
        "app": {"onTerm": {"ignore": True}},
        "trigger": {"runs": [{"for": "15s", "exit": 88}, {"forever": True}]},
    }
    app = {"name": "app", "resources": SMALL, "resizePolicy": POLICY}
    assert world.pod(app, trigger, behavior=behavior).ok
    world.to(10)
    assert resize(world, limits={"memory": "768Mi"}).ok
    world.to(100)
    # The look that stops it, from 10 s on, is over at 40: it has started it anew, and the next restarts all.
    assert (world.starts(), has(world)["limits"]["memory"]) == ([0, 40, 40], "768Mi")
    assert world.condition(IN_PROGRESS) == [(10, "True"), (40, None)]


@pytest.mark.parametrize("amount", ["3", "16"])
def test_a_resize_that_waits_survives_saving(amount: str) -> None:
    def live(is_saved: bool) -> list[Any]:
        world = sized({"app": {"runs": [{"for": "30s", "exit": 1}, {"forever": True}]}})
        world.pod({"name": "app", "resources": {"requests": {"cpu": "2"}}}, meta={"name": "neighbour"})
        resize(world, {"cpu": amount}, {"cpu": "16"})
        world.to(20)
        if is_saved:
            assert world.rows
            world.cluster = Cluster.load(world.cluster.save())
        world.to(40).delete(name="neighbour")
        assert has(world.to(60))["requests"]["cpu"] == ("3" if amount == "3" else "500m")
        return world.rows

    assert live(True) == live(False)


IN_PLACE = [{"resourceName": "memory", "restartPolicy": "NotRequired"}]
MIB = 1024**2


def using(*points: tuple[str, str]) -> dict[str, Any]:
    return {"app": {"usage": [{"at": at, "memory": memory} for at, memory in points]}}


@pytest.mark.spec("RESIZE-08")
def test_a_memory_limit_is_not_lowered_below_what_is_in_use() -> None:
    """kuberuntime_manager.go, validateMemoryResizeAction: a ResizeError, and tried again."""
    world = sized(using(("0s", "300Mi"), ("60s", "100Mi")), resizePolicy=IN_PLACE)
    assert resize(world, {"memory": "128Mi"}, {"memory": "200Mi"}).ok
    world.to(50)
    below = f"below current usage ({300 * MIB})"
    text = (
        f"cannot decrease memory limits: [attempting to set pod memory limit ({200 * MIB}) {below},"
        f' attempting to set container "app" memory limit ({200 * MIB}) {below}]'
    )
    (told,) = [one for one in world.status()["conditions"] if one["type"] == IN_PROGRESS]
    assert (told["status"], told["reason"], told["message"]) == ("True", "Error", text)
    assert has(world)["limits"]["memory"] == "512Mi"
    assert world.container()["allocatedResources"]["memory"] == "128Mi"
    (event,) = [row for row in world.rows if row.get("reason") == "ResizeError"]
    assert event["eventType"] == "Warning"
    assert event["message"].startswith('Pod resize error: {"containers":[{"name":"app","resources":')
    assert world.to(90).starts() == [0]
    assert has(world)["limits"]["memory"] == "200Mi"
    assert world.condition(IN_PROGRESS)[-1][1] is None


@pytest.mark.parametrize(
    ("limit", "policy", "is_applied"),
    [
        ("301Mi", IN_PLACE, True),
        ("300Mi", IN_PLACE, False),
        ("1Gi", IN_PLACE, True),
        # What restarts for it uses nothing meanwhile.
        ("200Mi", POLICY, True),
    ],
)
def test_what_is_in_use_decides_whether_a_limit_is_lowered(limit: str, policy: Any, is_applied: bool) -> None:
    world = sized(using(("0s", "300Mi"), ("30s", "20Mi"), ("31s", "300Mi")), resizePolicy=policy)
    assert resize(world, {"memory": "128Mi"}, {"memory": limit}).ok
    assert (has(world.to(25))["limits"]["memory"] == limit) is is_applied


def test_a_refused_resize_ends_with_another_one() -> None:
    world = sized(using(("0s", "300Mi")), resizePolicy=IN_PLACE)
    assert resize(world, {"memory": "128Mi"}, {"memory": "200Mi"}).ok
    world.to(30)
    assert resize(world, {"memory": "128Mi"}, {"memory": "400Mi"}).ok
    assert has(world.to(60))["limits"]["memory"] == "400Mi"
    assert world.condition(IN_PROGRESS)[-1][1] is None


def test_a_container_that_begins_anew_has_the_limit_that_was_refused() -> None:
    runs = {"app": {"runs": [{"for": "40s", "exit": 1}, {}], "usage": [{"at": "0s", "memory": "300Mi"}]}}
    world = sized(runs, resizePolicy=IN_PLACE)
    assert resize(world, {"memory": "128Mi"}, {"memory": "200Mi"}).ok
    world.to(80)
    assert has(world)["limits"]["memory"] == "200Mi"
