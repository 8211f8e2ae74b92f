"""Components that are away: what goes on without them, and what is seen to when they are back."""

from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.kubelet.world import World

API, CRON, DNS, REGISTRY = "kube-apiserver", "cronjob-controller", "coredns", "registry"


def take_away(world: World, component: str, seconds: int | None = None) -> None:
    lasts = {"for": f"{seconds}s"} if seconds is not None else {}
    assert world.submit("fault", component=component, kind="down", **lasts).ok


def make_deployment(name: str, replicas: int, **container: Any) -> dict[str, Any]:
    spec = {"containers": [{"name": "app", "image": f"{name}:1", **container}]}
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template},
    }


def make_cron_job(**spec: Any) -> dict[str, Any]:
    pod = {"restartPolicy": "Never", "containers": [{"name": "app", "image": "tick:1"}]}
    job = {"spec": {"template": {"spec": pod}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "tick", "namespace": "default"},
        "spec": {"schedule": "*/10 * * * *", "jobTemplate": job, **spec},
    }


def told(world: World, kind: str, field: str, name: str = "") -> list[tuple[int, Any]]:
    """(seconds, value) of each row of a field after the first minute."""
    return [
        (row["at_ms"] // 1000, row["new"])
        for row in world.rows
        if row["type"] == "transition" and (row["kind"], row["field"]) == (kind, field)
        and row["at_ms"] > 60_000 and name in row["name"]
    ]  # fmt: skip


# --- the API server -----------------------------------------------------------------------------------------


def begin(nodes: int = 2, **container: Any) -> World:
    world = World(nodes=nodes)
    assert world.create(make_deployment("web", 2, **container)).ok
    return world.to(100)


def test_without_an_api_server_clients_are_refused_and_afterwards_heard() -> None:
    world = begin()
    take_away(world, API, 300)
    scale = {"kind": "Deployment", "namespace": "default", "name": "web", "replicas": 3}
    refused = world.submit("scale", **scale)
    assert (refused.code, refused.ok) == (503, False)
    world.to(401)
    assert world.submit("scale", **scale).ok
    world.to(410)
    assert told(world, "Deployment", "readyReplicas")[-1][1] == 3


def test_nodes_that_nobody_could_report_of_are_not_punished() -> None:
    """node_lifecycle_controller.go: to a controller that starts a node was heard of at that moment."""
    world = begin()
    take_away(world, API, 600)
    world.to(1200)
    assert told(world, "Node", "condition.Ready") == []
    assert told(world, "Pod", "exists") == []


def test_a_node_that_was_lost_meanwhile_is_found_out_a_grace_period_after_the_return() -> None:
    world = begin()
    take_away(world, API, 300)
    world.to(200)
    assert world.submit("fault", node="node-1", kind="crash").ok
    world.to(600)
    # 400 s is when the API server is back, 50 s is --node-monitor-grace-period of v1.35.
    assert told(world, "Node", "condition.Ready", "node-1") == [(450, "Unknown")]


def test_a_kubelet_runs_on_alone_and_tells_of_it_afterwards() -> None:
    world = World()
    assert world.pod("app", behavior={"app": {"runs": [{"for": "150s", "exit": 1}, {"forever": True}]}}).ok
    world.to(100)
    take_away(world, API, 300)
    world.to(500)
    assert [at for at, count in told(world, "Pod", "container.app.restartCount") if count == 1] == [400]
    record = world.cluster.get("Pod", "default", "web")["status"]["containerStatuses"][0]
    assert record["state"]["running"]["startedAt"].endswith("00:02:30Z")


def test_nothing_is_decided_before_the_return() -> None:
    """A container that ends for good leaves a Job behind that nobody counts."""
    world = World()
    pod = {"restartPolicy": "Never", "containers": [{"name": "app", "image": "import:1"}]}
    told_of = {"podline.dev/behavior": "app: {runs: [{for: 150s, exit: 0}]}"}
    job = {"template": {"metadata": {"annotations": told_of}, "spec": pod}}
    meta = {"name": "import", "namespace": "default"}
    assert world.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": job}).ok
    world.to(100)
    take_away(world, API, 300)
    world.to(500)
    assert [at for at, value in told(world, "Job", "condition.Complete") if value == "True"] == [400]


def test_a_drain_ends_with_an_error_when_nobody_answers() -> None:
    world = begin(nodes=2)
    budget = {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}}
    meta = {"name": "web", "namespace": "default"}
    assert world.create(
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta, "spec": budget}
    ).ok
    world.to(110)
    assert world.submit("drain", node="node-1").ok
    world.to(120)
    take_away(world, API, 60)
    world.to(300)
    assert [value for _, value in told(world, "Node", "drain")] == ["started", "blocked", "failed"]


def test_two_outages_of_a_node_end_with_the_later_one() -> None:
    world = begin()
    take_away(world, API, 100)
    assert world.submit("fault", node="node-1", kind="partition", **{"for": "200s"}).ok
    world.to(250)
    assert told(world, "Node", "condition.Ready", "node-1") == [(250, "Unknown")]
    world.to(400)
    assert told(world, "Node", "condition.Ready", "node-1")[-1][1] == "True"


# --- the controller of CronJobs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec, started",
    [
        pytest.param({}, [3_700, 4_200], id="the last of those missed is made up for"),
        pytest.param({"startingDeadlineSeconds": 60}, [4_200], id="one that is too late is not"),
        pytest.param({"startingDeadlineSeconds": 200}, [3_700, 4_200], id="one that is not too late is"),
    ],
)
def test_missed_runs_are_made_up_for_by_the_rule_of_the_deadline(spec: Any, started: list[int]) -> None:
    world = World()
    assert world.create(make_cron_job(**spec)).ok
    world.to(100)
    take_away(world, CRON, 3_600)
    world.to(4_500)
    assert [at for at, value in told(world, "Job", "exists") if value == "created"] == started


def test_its_jobs_go_on_without_it() -> None:
    world = World()
    assert world.create(make_cron_job()).ok
    world.to(601)
    take_away(world, CRON, 600)
    world.to(700)
    assert told(world, "Job", "succeeded")[-1][1] == 1


# --- DNS and the registry -----------------------------------------------------------------------------------


def test_without_dns_nobody_finds_a_service_by_its_name() -> None:
    world = World()
    ports = [{"port": 80}]
    meta = {"name": "db", "namespace": "default"}
    assert world.create(
        {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"ports": ports}}
    ).ok
    command = ["nslookup", "db"]
    assert world.pod({"name": "app", "image": "busybox:1.36", "command": ["sleep", "100000"]}).ok
    world.to(100)
    look_up = {"namespace": "default", "pod": "web", "command": command}

    def has_found() -> bool:
        found = world.submit("exec", **look_up).object
        return found is not None and found["exitCode"] == 0

    before = has_found()
    take_away(world, DNS, 60)
    during = has_found()
    world.to(161)
    assert (before, during, has_found()) == (True, False, True)


def test_without_the_registry_images_on_a_node_are_started_and_no_other_is_pulled() -> None:
    world = World()
    assert world.pod("app").ok
    world.to(100)
    take_away(world, REGISTRY, 600)
    here = {"name": "app", "image": "shop/other:1"}
    assert world.pod(here, meta={"name": "other"}).ok
    assert world.pod("app", meta={"name": "same"}).ok
    world.to(200)
    phases = {one["metadata"]["name"]: one["status"]["phase"] for one in world.cluster.list("Pod")}
    assert (phases["same"], phases["other"]) == ("Running", "Pending")
    # The next try after a back-off of 300 s at most finds it.
    world.to(1_100)
    assert world.cluster.get("Pod", "default", "other")["status"]["phase"] == "Running"


# --- the command --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "payload, said",
    [
        (
            {"component": "etcd", "kind": "down"},
            "fault.component etcd: use one of kube-apiserver, cronjob-controller",
        ),
        ({"component": API, "kind": "crash"}, "fault.kind crash: of a component, use down"),
        ({"component": API, "kind": "down", "for": "long"}, "fault.for long: use a duration"),
    ],
)
def test_what_cannot_be_read_is_said(payload: dict[str, Any], said: str) -> None:
    result = World().submit("fault", **payload)
    assert result.code == 400
    assert said in result.status["message"].replace("'", "")


@pytest.mark.slow
@pytest.mark.parametrize("component", [API, CRON, DNS, REGISTRY])
def test_a_cluster_that_is_saved_meanwhile_has_the_same_future(component: str) -> None:
    def live(is_saved: bool) -> list[dict[str, Any]]:
        world = begin()
        assert world.create(make_cron_job()).ok
        world.to(590)
        take_away(world, component, 600)
        world.to(900)
        found = list(world.rows)
        if is_saved:
            world.cluster.take_changes()
            world.cluster = Cluster.load(world.cluster.save())
        world.to(2_000)
        return [*found, *world.rows]

    assert live(True) == live(False)


def test_one_that_is_away_already_comes_back_as_said_last() -> None:
    world = World()
    assert world.create(make_cron_job()).ok
    world.to(100)
    take_away(world, CRON)
    take_away(world, CRON, 600)
    world.to(1_300)
    assert [at for at, value in told(world, "Job", "exists") if value == "created"] == [700, 1_200]
