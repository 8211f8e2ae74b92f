"""Node pressure (S27, the end of S33): thresholds, who goes first, how long it takes, what a node tells."""

from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.rules.nodes.eviction import Candidate, rank
from lifecycle.engine.rules.nodes.eviction_settings import read_eviction_settings
from tests.engine.kubelet.world import World

IGNORES = {"onTerm": {"ignore": True}}
GUARANTEED = {"limits": {"cpu": "100m", "memory": "256Mi"}}
BURSTABLE = {"requests": {"cpu": "100m", "memory": "64Mi"}}
TOLERATES = {"key": "node.kubernetes.io/memory-pressure", "operator": "Exists"}
SOFT = {
    "kind": "KubeletConfiguration",
    "evictionSoft": {"memory.available": "1Gi"},
    "evictionSoftGracePeriod": {"memory.available": "30s"},
    "evictionMaxPodGracePeriod": 20,
}


def add(world: World, name: str, memory: str = "", resources: Any = None, **pod: Any) -> None:
    behavior = {**IGNORES, **({"usage": [{"at": "0s", "memory": memory}]} if memory else {})}
    app = {"name": "app", **({"resources": resources} if resources else {})}
    assert world.pod(app, behavior={"app": behavior}, meta={"name": name}, **pod).ok


def press(world: World, resource: str = "memory", **payload: Any) -> None:
    assert world.submit("fault", node="node-1", kind="pressure", resource=resource, **payload).ok


def evictions(world: World) -> list[tuple[float, str]]:
    rows = [row for row in world.rows if row["type"] == "event" and row["reason"] == "Evicted"]
    return [(row["at_ms"] / 1000, row["name"]) for row in rows]


# --- who goes first ---------------------------------------------------------------------------------------


def candidate(name: str, used: int = 0, asked: int = 0, priority: int = 0) -> Candidate:
    return Candidate(name, priority, used, asked, 0)


@pytest.mark.parametrize(
    "candidates, expected",
    [
        pytest.param(
            [candidate("g", 90, 100), candidate("b", 300, 100)],
            ["b", "g"],
            id="more than asked for goes first",
            marks=pytest.mark.spec("QOS-07", "QOS-16"),
        ),
        pytest.param(
            [candidate("b", 900, 100), candidate("n", 10)],
            ["b", "n"],
            id="who is further above, BestEffort or not",
            marks=pytest.mark.spec("QOS-11"),
        ),
        pytest.param(
            [candidate("b", 90, 100), candidate("n", 10)],
            ["n", "b"],
            id="BestEffort is above what it asked for",
            marks=pytest.mark.spec("QOS-11", "QOS-14"),
        ),
        pytest.param(
            [candidate("g", 95, 100), candidate("b", 90, 100)],
            ["g", "b"],
            id="who is nearer to what it asked for, Guaranteed or not",
            marks=pytest.mark.spec("QOS-07"),
        ),
        pytest.param(
            [candidate("g", 50, 100), candidate("b", 90, 100, priority=5)],
            ["g", "b"],
            id="Guaranteed when nobody less important is left",
            marks=pytest.mark.spec("QOS-07"),
        ),
        pytest.param(
            [candidate("x", 300, 100), candidate("y", 500, 200)],
            ["y", "x"],
            id="who is furthest above",
        ),
        pytest.param(
            [candidate("x", 300, 100, priority=9), candidate("y", 150, 100)],
            ["y", "x"],
            id="importance before amount",
        ),
    ],
)
def test_the_order_of_eviction(candidates: list[Candidate], expected: list[str]) -> None:
    assert [one.uid for one in rank(candidates, "memory")] == expected
    assert [one.uid for one in rank(candidates[::-1], "memory")] == expected


def test_memory_is_seen_to_before_the_disk() -> None:
    world = World()
    add(world, "small", "10Mi", {"requests": {"memory": "10Mi", "ephemeral-storage": "0"}})
    add(world, "big", "900Mi", {"requests": {"memory": "10Mi", "ephemeral-storage": "1Gi"}})
    # The one uses more disk than it asked for, the other more memory. Both are found short at 10.
    press(world.to(5), "disk")
    press(world, "memory")
    world.to(60)
    assert evictions(world) == [(10, "big"), (20, "small")]


@pytest.mark.spec("GRACE-26", "QOS-07", "QOS-11", "QOS-14")
def test_s33_one_pod_of_each_class_one_at_a_time() -> None:
    """By how far each is above what it asked for: 836Mi, 20Mi, and none (eviction/helpers.go)."""
    world = World()
    add(world, "guaranteed", "250Mi", GUARANTEED)
    add(world, "burstable", "900Mi", BURSTABLE)
    add(world, "best-effort", "20Mi")
    press(world.to(30))
    world.to(100)
    assert evictions(world) == [(30, "burstable"), (40, "best-effort"), (50, "guaranteed")]


@pytest.mark.spec("QOS-16")
def test_what_a_pod_asks_for_counts_whether_it_runs_or_not() -> None:
    world = World()
    # Its first container is done: 300Mi are used of 1088Mi. The other pod uses 80Mi of 64Mi.
    done = {"name": "done", "resources": {"requests": {"memory": "1Gi"}}}
    app = {"name": "app", "resources": BURSTABLE}
    behavior = {
        "done": {"runs": [{"for": "5s", "exit": 0}]},
        "app": {**IGNORES, "usage": [{"at": "0s", "memory": "300Mi"}]},
    }
    assert world.pod(done, app, behavior=behavior, restartPolicy="OnFailure").ok
    add(world, "greedy", "80Mi", BURSTABLE)
    press(world.to(20), **{"for": "5s"})
    assert evictions(world.to(100)) == [(20, "greedy")]


def test_a_pod_critical_to_the_system_is_left_alone() -> None:
    world = World()
    add(world, "critical", priority=2_000_000_000)
    press(world)
    world.to(100)
    assert evictions(world) == []
    assert world.status("critical")["phase"] == "Running"


# --- how an eviction goes ---------------------------------------------------------------------------------


@pytest.mark.spec("DCOND-06", "DCOND-01", "GRACE-24", "GRACE-31", "POD-PHASE-04")
def test_an_evicted_pod_is_failed_with_everything_that_tells_why() -> None:
    world = World()
    add(world, "web", "300Mi", BURSTABLE, terminationGracePeriodSeconds=60)
    press(world)
    world.to(60)
    status = world.status()
    message = (
        "The node was low on resource: memory. Threshold quantity: 100Mi, available: 0."
        " Container app was using 300Mi, request is 64Mi, has larger consumption of memory. "
    )
    assert (status["phase"], status["reason"], status["message"]) == ("Failed", "Evicted", message)
    told = next(one for one in status["conditions"] if one["type"] == "DisruptionTarget")
    assert (told["status"], told["reason"], told["message"]) == ("True", "TerminationByKubelet", message)
    assert [
        (row["at_ms"], row["new"], row["detail"]["why"])
        for row in world.rows
        if row.get("field") == "signal.app"
    ] == [(0, "SIGTERM", "Evicted"), (2000, "SIGKILL", "Evicted")]
    assert world.at("phase", "Failed") == [2]
    assert world.at("condition.DisruptionTarget", "True") == [2]


@pytest.mark.spec("GRACE-31", "GRACE-24")
def test_a_deadline_gives_an_evicted_pod_no_longer() -> None:
    world = World()
    press(world.to(1))
    # Both are found out at 10, the shortage first.
    spec = {"activeDeadlineSeconds": 4, "terminationGracePeriodSeconds": 60, "nodeName": "node-1"}
    add(world.to(6), "web", "", BURSTABLE, **spec)
    world.to(100)
    assert world.signals() == [(10, "SIGTERM"), (12, "SIGKILL")]
    assert world.status()["reason"] == "Evicted"
    assert world.events("DeadlineExceeded") == []


@pytest.mark.spec("GRACE-31")
def test_a_normal_exit_names_its_own_path() -> None:
    world = World()
    add(world, "web")
    world.delete(5)
    world.to(60)
    signals = [row for row in world.rows if row.get("field") == "signal.app"]
    assert [(row["at_ms"], row["detail"]["why"]) for row in signals] == [(0, "Deleted"), (5000, "Deleted")]
    assert world.lane("condition.DisruptionTarget") == []


@pytest.mark.spec("GRACE-23", "GRACE-25", "GRACE-27", "GRACE-30")
@pytest.mark.parametrize(
    "own_seconds, kubernetes, stop_seconds",
    [(60, None, 20), (5, None, 5), (60, "v1.23.1", 20), (5, "v1.23.1", 20)],
)
def test_s27_soft_eviction_gives_the_time_its_kubelet_allows(
    own_seconds: int, kubernetes: str | None, stop_seconds: int
) -> None:
    world = World(kubernetes=kubernetes, kubelet=[SOFT])
    add(world, "web", terminationGracePeriodSeconds=own_seconds)
    press(world, available="500Mi")
    world.to(100)
    # The threshold has to be crossed for 30 s first; the condition does not wait for that.
    assert world.condition("MemoryPressure", "node-1") == [(0, "True")]
    assert world.signals() == [(30, "SIGTERM"), (30 + stop_seconds, "SIGKILL")]


def test_among_equals_the_oldest_goes_first_then_by_name() -> None:
    world = World()
    add(world, "young-by-name")
    add(world, "b")
    add(world, "a")
    add(world.to(1), "0-young")
    press(world)
    assert [name for _, name in evictions(world.to(100))] == ["a", "b", "young-by-name", "0-young"]


@pytest.mark.spec("GRACE-26")
def test_s27_three_soft_evictions_end_in_three_intervals() -> None:
    world = World(kubelet=[SOFT])
    for name in ("a", "b", "c"):
        add(world, name, terminationGracePeriodSeconds=60)
    press(world, available="500Mi")
    world.to(200)
    # Each is waited for: 20 s of grace, then the next look.
    assert evictions(world) == [(30, "a"), (50, "b"), (70, "c")]
    assert [world.at("phase", "Failed", name) for name in "abc"] == [[50], [70], [90]]


@pytest.mark.spec("GRACE-22", "GRACE-28", "GRACE-29")
def test_s27_hard_eviction_of_v1_23_1_outlasts_the_wait_for_it() -> None:
    world = World(kubernetes="v1.23.1")
    add(world, "web", terminationGracePeriodSeconds=60)
    add(world, "web-2")
    press(world)
    world.to(100)
    assert world.events("ExceededGracePeriod") == [(10, "ExceededGracePeriod")]
    assert world.signals() == [(0, "SIGTERM"), (60, "SIGKILL")]
    assert evictions(world)[:2] == [(0, "web"), (10, "web-2")]


@pytest.mark.spec("GRACE-29")
def test_an_eviction_in_time_exceeds_nothing() -> None:
    world = World()
    add(world, "web", terminationGracePeriodSeconds=60)
    press(world)
    world.to(100)
    assert evictions(world) == [(0, "web")]
    assert world.events("ExceededGracePeriod") == []


@pytest.mark.spec("QOS-16", "DCOND-06")
def test_an_evicted_replica_is_replaced_on_another_node() -> None:
    world = World(nodes=2)
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "image": "sim/server:1"}]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    meta = {"name": "web", "namespace": "default"}
    assert world.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}).ok
    (first,) = world.to(20).cluster.list("Pod")
    world.submit("fault", node=first["spec"]["nodeName"], kind="pressure", resource="memory")
    world.to(60)
    by_phase = {pod["status"]["phase"]: pod for pod in world.cluster.list("Pod")}
    assert set(by_phase) == {"Failed", "Running"}
    assert by_phase["Failed"]["metadata"]["uid"] == first["metadata"]["uid"]
    assert by_phase["Running"]["spec"]["nodeName"] != first["spec"]["nodeName"]
    assert len(world.cluster.list("Pod")) == 2


# --- what a node tells ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "resource, condition, reasons, events",
    [
        ("memory", "MemoryPressure", ("KubeletHasInsufficientMemory", "KubeletHasSufficientMemory"),
         ("NodeHasInsufficientMemory", "NodeHasSufficientMemory")),
        ("disk", "DiskPressure", ("KubeletHasDiskPressure", "KubeletHasNoDiskPressure"),
         ("NodeHasDiskPressure", "NodeHasNoDiskPressure")),
        ("pid", "PIDPressure", ("KubeletHasInsufficientPID", "KubeletHasSufficientPID"),
         ("NodeHasInsufficientPID", "NodeHasSufficientPID")),
    ],
)  # fmt: skip
def test_a_condition_is_kept_for_five_minutes_after_the_pressure(
    resource: str, condition: str, reasons: tuple[str, str], events: tuple[str, str]
) -> None:
    world = World()
    press(world.to(12), resource, **{"for": "50s"})
    world.to(1000)
    # Looked at 20, 30 … 60, when it was seen for the last time; the fault ended at 62.
    rows = [row for row in world.rows if row.get("field") == f"condition.{condition}" and row["old"]]
    assert [(row["at_ms"], row["new"], row["reason"]) for row in rows] == [
        (20_000, "True", reasons[0]),
        (360_000, "False", reasons[1]),
    ]
    assert world.events(*events, name="node-1") == [(20, events[0]), (360, events[1])]


def test_a_taint_follows_the_condition_and_keeps_new_pods_away() -> None:
    world = World()
    own = {"key": "team", "value": "a", "effect": "PreferNoSchedule"}
    assert world.submit("taint", node="node-1", taints=[own]).ok
    press(world.to(5), **{"for": "20s"})
    world.to(12)
    add(world, "late")
    world.to(1000)
    pressed = "team=a:PreferNoSchedule,node.kubernetes.io/memory-pressure=:NoSchedule"
    assert world.lane("taints", "node-1") == [
        (0, "team=a:PreferNoSchedule"),
        (10, pressed),
        (320, "team=a:PreferNoSchedule"),
    ]
    # It waits until the taint is gone: short until 25, last seen so at 20, kept for 300 s.
    assert world.events("FailedScheduling", name="late") == [(12, "FailedScheduling")]
    assert world.lane("node", "late") == [(320, "node-1")]


def test_a_taint_of_a_condition_is_there_when_the_condition_is_whatever_anybody_does() -> None:
    world = World()
    pressed = {"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule"}
    assert world.submit("taint", node="node-1", taints=[pressed]).ok
    node = world.to(5).cluster.get("Node", None, "node-1")
    assert node is not None and "taints" not in node["spec"]
    press(world)
    world.to(15)
    assert world.submit("taint", node="node-1", taints=[]).ok
    node = world.to(20).cluster.get("Node", None, "node-1")
    assert node is not None
    assert [(one["key"], one["effect"]) for one in node["spec"]["taints"]] == [tuple(pressed.values())]


@pytest.mark.spec("GRACE-30")
def test_thresholds_and_the_transition_period_are_the_nodes_own() -> None:
    quick = {
        "kind": "KubeletConfiguration",
        "evictionHard": {"memory.available": "5%"},
        "evictionPressureTransitionPeriod": "20s",
    }
    world = World(kubelet=[quick])
    press(world, available="500Mi", **{"for": "100s"})
    # 5 % of 8 GiB are 409.6 MiB: 500 are enough, 400 are not.
    assert world.to(100).condition("MemoryPressure", "node-1") == []
    press(world, available="400Mi", **{"for": "5s"})
    world.to(300)
    assert world.condition("MemoryPressure", "node-1") == [(100, "True"), (120, "False")]
    # Hard thresholds that are given are all there are.
    press(world, "disk")
    assert world.to(400).condition("DiskPressure", "node-1") == []


def test_the_defaults_of_a_kubelet() -> None:
    settings = read_eviction_settings(None)
    found = {(one.kind, one.signal): one.quantity for one in settings.thresholds}
    assert found[("hard", "memory.available")] == "100Mi"
    assert found[("hard", "nodefs.available")] == "10%"
    assert found[("hard", "imagefs.available")] == "15%"
    assert (settings.transition_ms, settings.max_pod_grace_seconds) == (300_000, 0)


# --- pressure that pods make themselves -------------------------------------------------------------------


@pytest.mark.spec("QOS-10", "QOS-16")
def test_a_pod_without_a_limit_may_grow_until_the_node_is_short() -> None:
    world = World()
    points = [
        {"at": "0s", "memory": "100Mi"},
        {"at": "60s", "memory": "7Gi"},
        {"at": "125s", "memory": "8150Mi"},
    ]
    app = {"name": "app", "resources": {"requests": {"memory": "64Mi"}}}
    assert world.pod(app, behavior={"app": {"usage": points, **IGNORES}}).ok
    add(world, "within", "50Mi", BURSTABLE)
    world.to(124)
    # 7 GiB of 8 with 64 MiB asked for: nobody minds while the node has enough.
    assert world.condition("MemoryPressure", "node-1") == []
    assert world.ends() == []
    world.to(900)
    # 8192 - 8150 - 50: nothing is left at the look after 125 s. Its end sets enough free.
    assert evictions(world) == [(130, "web")]
    assert world.status("within")["phase"] == "Running"
    # Last seen at 130, gone with the pod at 132.
    assert world.condition("MemoryPressure", "node-1") == [(130, "True"), (430, "False")]


@pytest.mark.spec("QOS-08")
def test_a_guaranteed_pod_never_has_more_than_its_limit() -> None:
    world = World()
    points = [{"at": "0s", "memory": "200Mi"}, {"at": "60s", "memory": "9Gi"}]
    app = {"name": "app", "resources": GUARANTEED}
    behavior = {"app": {"usage": points, "runs": [{"for": "90s", "exit": 0}, {"forever": True}]}}
    assert world.pod(app, behavior=behavior).ok
    world.to(61)
    # 9 GiB would be more than the node has, but 256 MiB is all it may use.
    assert world.ends() == [(60, 137)]
    assert world.container()["lastState"]["terminated"]["reason"] == "OOMKilled"
    assert world.condition("MemoryPressure", "node-1") == []
    assert evictions(world) == []


def test_nothing_looks_at_a_node_whose_memory_will_do() -> None:
    world = World()
    add(world, "web", "300Mi")
    world.to(5)
    assert world.cluster.is_idle()
    assert world.cluster.next_wake() is None


# --- who is let in ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "resource, name, resources, pod, is_let_in",
    [
        ("memory", "best-effort", None, {}, False),
        ("memory", "burstable", BURSTABLE, {}, True),
        ("memory", "tolerant", None, {"tolerations": [TOLERATES]}, True),
        ("memory", "other", None, {"tolerations": [{"key": TOLERATES["key"], "value": "x"}]}, False),
        ("disk", "burstable", BURSTABLE, {}, False),
        ("disk", "critical", None, {"priority": 2_000_000_000}, True),
    ],
)  # fmt: skip
def test_a_node_under_pressure_lets_in_who_can_cope(
    resource: str, name: str, resources: Any, pod: Any, is_let_in: bool
) -> None:
    world = World()
    press(world, resource, **{"for": "15s"})
    add(world.to(20), name, "", resources, nodeName="node-1", **pod)
    world.to(25)
    status = world.status(name)
    if is_let_in:
        assert status["phase"] == "Running"
        return
    condition = {"memory": "MemoryPressure", "disk": "DiskPressure"}[resource]
    assert (status["phase"], status["reason"]) == ("Failed", "Evicted")
    assert status["message"] == f"Pod was rejected: The node had condition: [{condition}]. "
    assert world.starts(name=name) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec, reason, message",
    [
        pytest.param(
            {"app": {"resources": {"requests": {"cpu": "3"}}}},
            "OutOfcpu",
            "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000",
            id="too little is left",
        ),
        pytest.param(
            {"app": {"resources": {"requests": {"memory": "10Gi"}}}},
            "OutOfmemory",
            "Node didn't have enough resource: memory, requested: 10737418240, used: 0, capacity: 8589934592",
            id="there is no such node",
        ),
        pytest.param(
            {"app": {"resources": {"limits": {"hugepages-2Mi": "2Mi", "memory": "2Mi"}}}},
            "OutOfhugepages-2Mi",
            "Node didn't have enough resource: hugepages-2Mi, requested: 2097152, used: 0, capacity: 0",
            id="what the node does not have at all",
        ),
        pytest.param(
            {"app": {"resources": {"limits": {"example.com/gpu": "1"}}}},
            "",
            "",
            id="what the node has never heard of",
        ),
        pytest.param(
            {"nodeSelector": {"disk": "fast"}},
            "NodeAffinity",
            "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
            id="another node is wanted",
        ),
        pytest.param(
            {"app": {"ports": [{"containerPort": 1, "hostPort": 8080}]}},
            "NodePorts",
            "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
            id="a port of the node is taken",
        ),
        pytest.param(
            {"app": {"ports": [{"containerPort": 8080, "hostPort": 8080, "protocol": "UDP"}]}},
            "",
            "",
            id="the port is free for another protocol",
        ),
        pytest.param({"nodeSelector": {"kubernetes.io/os": "linux"}}, "", "", id="it fits"),
        pytest.param(
            {"app": {"resources": {"requests": {"cpu": "3"}}}, "priority": 2_000_000_000},
            "",
            "",
            id="for a critical pod room is made",
        ),
    ],
)
def test_a_pod_that_names_its_node_itself_has_to_fit(spec: Any, reason: str, message: str) -> None:
    world = World()
    ports = [{"containerPort": 8080, "hostPort": 8080}]
    first = {"name": "app", "resources": {"requests": {"cpu": "2"}}, "ports": ports}
    assert world.pod(first, meta={"name": "first"}).ok
    spec = dict(spec)
    app = {"name": "app", **spec.pop("app", {})}
    assert world.pod(app, nodeName="node-1", **spec).ok
    status = world.to(10).status()
    if not reason:
        assert status["phase"] == "Running"
        return
    assert (status["phase"], status["reason"]) == ("Failed", reason)
    assert status["message"] == f"Pod was rejected: {message}"
    assert world.events(reason) == [(0, reason)]
    assert world.starts() == []


def test_a_node_takes_no_more_pods_than_it_says_and_none_that_its_taints_drive_out() -> None:
    world = World(timing={"preset": "instant", "taint_eviction": "5s"})
    where = {"kind": "Node", "name": "node-1", "type": "merge", "subresource": "status"}
    patch = {"status": {"allocatable": {"pods": "1"}}}
    assert world.submit("patch", **where, patch=patch).ok
    for name in ("first", "second"):
        add(world, name, nodeName="node-1")
    status = world.to(10).status("second")
    assert (status["phase"], status["reason"]) == ("Failed", "OutOfpods")
    assert status["message"].endswith("pods, requested: 1, used: 1, capacity: 1")
    assert world.submit("taint", node="node-1", taints=[{"key": "gone", "effect": "NoExecute"}]).ok
    world.delete(0, force=True, name="first")
    add(world.to(20), "third", nodeName="node-1")
    # Its kubelet refuses it, and it goes for the taint as well.
    assert world.to(30).lane("reason", "third") == [(20, "TaintToleration")]
    assert world.get("third") is None
    add(world, "fourth", nodeName="node-1", tolerations=[{"operator": "Exists"}])
    assert world.to(40).status("fourth")["phase"] == "Running"


@pytest.mark.spec("PODOS-02", "PODOS-06")
def test_a_kubelet_refuses_a_pod_for_another_system() -> None:
    world = World()
    assert world.pod(os={"name": "windows"}).ok
    world.to(10)
    # The scheduler does not look at it; the kubelet does.
    assert world.lane("node") == [(0, "node-1")]
    status = world.status()
    assert (status["phase"], status["reason"]) == ("Failed", "PodOSNotSupported")
    assert world.events("PodOSNotSupported") == [(0, "PodOSNotSupported")]
    assert world.starts() == []
    assert world.delete().ok and world.to(20).get() is None


@pytest.mark.parametrize("system, is_let_in", [("windows", False), ("linux", True)])
def test_a_kubelet_refuses_a_pod_that_is_labelled_for_another_system(system: str, is_let_in: bool) -> None:
    world = World()
    assert world.pod(meta={"labels": {"kubernetes.io/os": system}}).ok
    status = world.to(10).status()
    if is_let_in:
        assert status["phase"] == "Running"
        return
    reason = "PodOSSelectorNodeLabelDoesNotMatch"
    assert (status["phase"], status["reason"]) == ("Failed", reason)
    text = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"
    assert status["message"] == f"Pod was rejected: {text}"
    assert world.events(reason) == [(0, reason)]


# --- kubelets that are away -------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("saved_at", [1, 25, 31, 41, 200])
def test_pressure_survives_saving(saved_at: float) -> None:
    def live(saved_at: float | None) -> list[Any]:
        world = World(kubelet=[SOFT])
        for name in ("a", "b"):
            add(world, name, "100Mi", terminationGracePeriodSeconds=60)
        press(world, available="500Mi", **{"for": "2m"})
        if saved_at is not None:
            world.to(saved_at)
            assert world.rows
            world.cluster = Cluster.load(world.cluster.save())
        return world.to(900).rows

    assert live(saved_at) == live(None)


def test_nobody_evicts_while_the_kubelet_is_down() -> None:
    world = World()
    add(world, "web")
    assert world.submit("fault", node="node-1", kind="kubeletRestart", **{"for": "35s"}).ok
    press(world)
    world.to(100)
    assert evictions(world) == [(40, "web")]


def test_a_kubelet_that_starts_again_has_forgotten_whom_it_evicts() -> None:
    world = World(kubelet=[SOFT])
    add(world, "web", terminationGracePeriodSeconds=60)
    press(world, available="500Mi", **{"for": "40s"})
    assert world.to(35).signals() == [(30, "SIGTERM")]
    assert world.submit("fault", node="node-1", kind="kubeletRestart", **{"for": "10s"}).ok
    world.to(600)
    # Neither the shortage nor its own part in it is there any more: at its first look all is well.
    assert world.signals() == [(30, "SIGTERM")]
    assert (world.status()["phase"], world.status().get("reason")) == ("Running", None)
    assert world.condition("MemoryPressure", "node-1") == [(0, "True"), (50, "False")]
    assert world.events("ExceededGracePeriod") == []


def test_a_kubelet_that_started_again_while_cut_off_tells_that_its_node_is_well() -> None:
    world = World()
    press(world, **{"for": "20s"})
    assert world.to(5).submit("fault", node="node-1", kind="partition", **{"for": "60s"}).ok
    assert world.to(30).submit("fault", node="node-1", kind="kubeletRestart", **{"for": "5s"}).ok
    world.to(300)
    # What its predecessor had told is not true. Nobody knows, until after the partition it can say so.
    assert world.condition("MemoryPressure", "node-1") == [(0, "True"), (55, "Unknown"), (65, "False")]


def test_a_shortage_that_lasts_is_found_again_by_a_kubelet_that_starts_again() -> None:
    world = World(kubelet=[SOFT])
    add(world, "web", terminationGracePeriodSeconds=60)
    press(world, available="500Mi")
    world.to(35)
    assert world.submit("fault", node="node-1", kind="kubeletRestart", **{"for": "10s"}).ok
    world.to(200)
    # Seen at 50, acted on when it has lasted for 30 s, with the whole grace again.
    assert evictions(world) == [(30, "web"), (80, "web")]
    assert world.signals() == [(30, "SIGTERM"), (80, "SIGTERM"), (100, "SIGKILL")]
    assert world.status()["reason"] == "Evicted"


def test_a_node_that_is_registered_anew_is_not_short_of_what_its_object_did_not_say() -> None:
    world = World()
    node = world.cluster.get("Node", None, "node-1")
    assert node is not None and world.submit("delete", kind="Node", name="node-1").ok
    add(world.to(10), "web", "1Gi", nodeName="node-1")
    world.to(60)
    again = {**node, "metadata": {"name": "node-1", "labels": node["metadata"]["labels"]}}
    assert world.create(again).ok
    add(world.to(100), "late", nodeName="node-1")
    world.to(200)
    assert evictions(world) == []
    assert world.status("late")["phase"] == "Running"


def test_what_a_kubelet_sees_while_it_has_no_node_object_is_told_in_the_next() -> None:
    world = World()
    add(world, "web", "300Mi", BURSTABLE)
    press(world)
    node = world.to(5).cluster.get("Node", None, "node-1")
    assert node is not None and world.submit("delete", kind="Node", name="node-1").ok
    status = {name: value for name, value in node["status"].items() if name != "conditions"}
    again = {**node, "metadata": {"name": "node-1", "labels": node["metadata"]["labels"]}, "status": status}
    assert world.to(31).create(again).ok
    assert world.to(100).condition("MemoryPressure", "node-1")[-1] == (40, "True")


def test_a_kubelet_that_is_cut_off_evicts_and_tells_later() -> None:
    world = World()
    add(world, "web")
    assert world.submit("fault", node="node-1", kind="partition", **{"for": "60s"}).ok
    press(world.to(5))
    world.to(300)
    assert world.events("EvictionThresholdMet", "NodeHasInsufficientMemory", name="node-1") == [
        (60, "NodeHasInsufficientMemory")
    ]
    assert world.at("phase", "Failed") == [60]
    ended = world.container()["state"]["terminated"]
    assert ended["finishedAt"] == "2026-01-01T00:00:12Z"


@pytest.mark.parametrize("kind", ["pressure(memory)", "pressure(disk)", "pressure(pid)"])
def test_a_pressure_may_name_its_resource_in_brackets(kind: str) -> None:
    world = World()
    assert world.submit("fault", node="node-1", kind=kind).ok
    condition = {"memory": "MemoryPressure", "disk": "DiskPressure", "pid": "PIDPressure"}[kind[9:-1]]
    assert world.to(5).condition(condition, "node-1") == [(0, "True")]


@pytest.mark.parametrize(
    "payload, message",
    [
        ({"resource": "cpu"}, "fault.resource 'cpu': use one of memory, disk, pid"),
        ({"available": "lots"}, "fault.available 'lots' is not a quantity"),
        ({"available": "1e999999999"}, "fault.available '1e999999999' is not a quantity"),
        ({"available": "-1Gi"}, "fault.available '-1Gi': use 0 or more"),
    ],
)
def test_a_pressure_that_cannot_be_read_is_refused(payload: dict[str, Any], message: str) -> None:
    answer = World().submit("fault", node="node-1", kind="pressure", **payload)
    assert answer.code == 400
    assert answer.status is not None and message in answer.status["message"]


@pytest.mark.spec("INIT-36")
def test_what_an_init_container_uses_is_used_by_its_pod() -> None:
    world = World()
    uses = {
        name: {**IGNORES, "usage": [{"at": "0s", "memory": memory}]}
        for name, memory in (("first", "3Gi"), ("app", "1Gi"))
    }
    world.pod(
        init=("first",),
        behavior={**uses, "first": {**uses["first"], "runs": [{"forever": True}]}},
        meta={"name": "starting"},
    )
    world.pod(
        behavior={"app": {**IGNORES, "usage": [{"at": "0s", "memory": "2Gi"}]}}, meta={"name": "steady"}
    )
    press(world.to(30), available="0", **{"for": "15s"})
    world.to(60)
    # Only its init container runs, and uses more than the other pod.
    assert [name for _, name in evictions(world)][:1] == ["starting"]


def test_a_pod_that_is_ending_is_evicted_like_any_other() -> None:
    world = World()
    add(world, "ending", terminationGracePeriodSeconds=60)
    add(world, "other", priority=5)
    world.delete(name="ending")
    press(world.to(5), **{"for": "20s"})
    world.to(100)
    # It counts as evicted when it has ended, with the time it had; until then nobody else goes for a while.
    assert evictions(world)[0] == (10, "ending")
    assert world.signals(name="ending") == [(0, "SIGTERM"), (60, "SIGKILL")]
    assert world.lane("phase", "ending")[-1] == (60, "Failed")
    assert world.lane("reason", "ending") == [(60, "Evicted")]
    assert world.condition("DisruptionTarget", "ending") == [(60, "True")]


def test_a_full_disk_loses_the_images_that_nobody_uses() -> None:
    world = World()
    for name, image in (("kept", "sim/server:1"), ("gone", "sim/server:2")):
        assert world.pod({"name": "app", "image": image}, meta={"name": name}, priority=5).ok
    assert world.to(5).delete(name="gone").ok
    press(world.to(60), "disk", **{"for": "5s"})
    world.to(500)
    for name, image in (("again", "sim/server:1"), ("anew", "sim/server:2")):
        assert world.pod({"name": "app", "image": image}, meta={"name": name}).ok
    world.to(600)
    assert world.events("Pulling", name="again") == []
    assert world.events("Pulling", name="anew") == [(500, "Pulling")]
