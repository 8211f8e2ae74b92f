"""Where pods live and how their time on a node ends; what a replacement is and is not."""

from typing import Any

import pytest

from tests.engine.kubelet.world import World

APP = {"containers": [{"name": "app", "image": "sim/server:1"}]}
HOST = {"kubernetes.io/hostname": "node-1"}


def replica_set(world: World, replicas: int = 1, **spec: Any) -> None:
    template = {"metadata": {"labels": {"app": "set"}}, "spec": {**APP, **spec}}
    made = world.create(
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": "set", "namespace": "default"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "set"}}, "template": template},
        }
    )
    assert made.ok, made.status


def pods(world: World) -> list[dict[str, Any]]:
    return world.cluster.list("Pod", "default")


def only_pod(world: World) -> dict[str, Any]:
    (pod,) = [one for one in pods(world) if "deletionTimestamp" not in one["metadata"]]
    return pod


def only_pod_of_set(world: World) -> dict[str, Any]:
    (pod,) = [one for one in pods(world) if one["metadata"]["name"].startswith("set-")]
    return pod


def nodes_by_uid(world: World) -> dict[str, list[str]]:
    """Every node that a pod was ever bound to, by uid."""
    found: dict[str, list[str]] = {}
    for row in world.rows:
        if row["type"] == "transition" and row["field"] == "node":
            found.setdefault(row["uid"], []).append(row["new"])
    return found


def started_uids(world: World) -> set[str]:
    return {row["uid"] for row in world.rows if row["type"] == "event" and row["reason"] == "Started"}


def taint(world: World, node: str) -> None:
    taints = [{"key": "full", "effect": "NoSchedule"}]
    assert world.submit("taint", node=node, taints=taints).ok


@pytest.mark.spec("POD-OBJ-21")
@pytest.mark.parametrize(
    "cause", ["finishes", "is deleted", "is evicted", "is pressed out", "fails with its node"]
)
def test_a_pod_stays_on_its_node_until_one_of_four_ends(cause: str) -> None:
    world = World(nodes=2)
    world.pod(behavior={"app": {"runs": [{"for": "300s", "exit": 0}]}}, restartPolicy="OnFailure")
    (node,) = [value for _, value in world.to(10).lane("node")]
    # Neither of these ends a pod: its node takes no more, its kubelet restarts, its sandbox is lost.
    taint(world, node)
    assert world.submit("cordon", node=node).ok
    assert world.submit("fault", node=node, kind="kubeletRestart", **{"for": "5s"}).ok
    world.to(100)
    assert (world.lane("exists"), world.status()["phase"]) == ([(0, "created")], "Running")
    if cause == "is deleted":
        assert world.delete().ok
    elif cause == "is evicted":
        assert world.submit("evict", namespace="default", name="web").ok
    elif cause == "is pressed out":
        assert world.submit("fault", node=node, kind="pressure", resource="memory").ok
    elif cause == "fails with its node":
        assert world.submit("fault", node=node, kind="crash").ok
    world.to(1000)
    assert world.lane("node") == [(0, node)]
    ended = {
        "finishes": ([(0, "created")], [(300, 0)]),
        "is deleted": ([(0, "created"), (100, "deleted")], [(100, 0)]),
        "is evicted": ([(0, "created"), (100, "deleted")], [(100, 0)]),
        # Its object tells why it failed.
        "is pressed out": ([(0, "created")], [(100, 0)]),
        # Nobody is left to tell; until the control plane gives it up the object stays as it was.
        "fails with its node": ([(0, "created")], []),
    }
    assert (world.lane("exists"), world.ends()) == ended[cause]
    if cause == "fails with its node":
        assert world.starts() == [0]


@pytest.mark.spec("POD-TPL-05")
def test_no_kubelet_hears_of_a_template() -> None:
    world = World()
    replica_set(world)
    world.to(10)
    before = len(world.rows)
    template = {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "sim/server:2"}]}}}}
    edit = world.submit(
        "patch", kind="ReplicaSet", namespace="default", name="set", type="strategic", patch=template
    )
    assert edit.ok, edit.status
    world.to(100)
    told = [row for row in world.rows[before:] if row["type"] == "event" or row["kind"] == "Pod"]
    assert told == []
    assert world.delete(name=only_pod(world)["metadata"]["name"]).ok
    world.to(110)
    images = [row["message"] for row in world.rows[before:] if row.get("reason") == "Pulling"]
    assert images == ['Pulling image "sim/server:2"']


@pytest.mark.spec("POD-LIFE-05")
def test_a_pod_whose_node_dies_before_its_start_never_starts() -> None:
    world = World(nodes=2)
    slow = '{"app": {"pull": {"takes": "20s"}}}'
    template = {
        "metadata": {"labels": {"app": "set"}, "annotations": {"podline.dev/behavior": slow}},
        "spec": APP,
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "set"}}, "template": template}
    meta = {"name": "set", "namespace": "default"}
    assert world.create({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta, "spec": spec}).ok
    first = only_pod(world.to(10))
    assert world.submit("fault", node=first["spec"]["nodeName"], kind="crash").ok
    world.to(300)
    assert started_uids(world) == set()
    # Given up, as the control plane does 300 s after it has found the node lost: only the replacement runs.
    assert world.submit("cordon", node=first["spec"]["nodeName"]).ok
    assert world.delete(0, force=True, name=first["metadata"]["name"]).ok
    world.to(600)
    second = only_pod(world)
    assert started_uids(world) == {second["metadata"]["uid"]}
    assert second["metadata"]["uid"] != first["metadata"]["uid"]
    assert nodes_by_uid(world) == {
        first["metadata"]["uid"]: [first["spec"]["nodeName"]],
        second["metadata"]["uid"]: [second["spec"]["nodeName"]],
    }


@pytest.mark.spec("POD-LIFE-07")
def test_a_replacement_is_placed_by_what_the_nodes_hold_then() -> None:
    world = World(nodes=2)
    replica_set(world)
    first = only_pod(world.to(1))
    assert first["spec"]["nodeName"] == "node-1"
    # Its node is the fuller one by now.
    request = {"resources": {"requests": {"cpu": "2"}}}
    world.pod({"name": "app", **request}, meta={"name": "big"}, nodeSelector=HOST)
    world.to(10).delete(name=first["metadata"]["name"])
    world.to(20)
    assert only_pod_of_set(world)["spec"]["nodeName"] == "node-2"


@pytest.mark.spec("POD-LIFE-08")
def test_a_volume_lives_as_long_as_its_pod() -> None:
    world = World()
    script = "if cat /data/note 2>/dev/null; then sleep 3600; fi; echo kept > /data/note; echo fresh; exit 1"
    mount = {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    app = {"name": "app", "image": "busybox:1", "command": ["sh", "-c", script], **mount}
    volumes = [{"name": "data", "emptyDir": {}}]

    def said() -> list[tuple[int, str]]:
        logs = world.cluster.take_changes().logs
        return [(entry[2], entry[4]) for entry in logs]

    assert world.pod(app, volumes=volumes).ok
    world.to(30)
    # The second container of one pod finds what the first has left.
    assert said() == [(0, "fresh"), (1, "kept")]
    world.delete(0, force=True)
    world.to(60).pod(app, volumes=volumes)
    world.to(90)
    assert said() == [(0, "fresh"), (1, "kept")]


@pytest.mark.spec("POD-LIFE-12")
@pytest.mark.parametrize("is_short", [False, True], ids=["maintenance", "shortage"])
def test_an_evicted_pod_ends_and_is_replaced_elsewhere_when_managed(is_short: bool) -> None:
    world = World(nodes=2)
    replica_set(world)
    world.pod(meta={"name": "bare"}, nodeSelector=HOST)
    first = only_pod_of_set(world.to(10))
    node = first["spec"]["nodeName"]
    assert node == "node-1"
    assert world.submit("cordon", node=node).ok
    names = ["bare", first["metadata"]["name"]]
    if is_short:
        assert world.submit("fault", node=node, kind="pressure", resource="memory").ok
    for name in names if not is_short else []:
        assert world.submit("evict", namespace="default", name=name).ok
    world.to(100)
    (second,) = [one for one in pods(world) if one["metadata"]["name"] not in names]
    assert second["metadata"]["uid"] != first["metadata"]["uid"]
    assert (second["spec"]["nodeName"], second["status"]["phase"]) == ("node-2", "Running")
    # Evicted for a shortage they stay to be read, failed; for maintenance they are gone.
    for name in names:
        ended = world.at("phase", "Failed", name) if is_short else world.at("exists", "deleted", name)
        assert len(ended) == 1
        assert len(world.starts(name=name)) == 1
    assert all(len(nodes) == 1 for nodes in nodes_by_uid(world).values())


@pytest.mark.spec("RPOL-14")
def test_a_failure_is_overcome_in_place_or_by_a_replacement() -> None:
    in_place = World()
    in_place.pod(behavior={"app": {"runs": [{"for": "20s", "exit": 1}, {"forever": True}]}})
    in_place.to(100)
    assert (in_place.starts(), in_place.lane("exists")) == ([0, 20], [(0, "created")])
    assert in_place.container()["restartCount"] == 1

    replaced = World()
    replica_set(replaced)
    first = only_pod(replaced.to(20))["metadata"]
    assert replaced.delete(name=first["name"]).ok
    second = only_pod(replaced.to(100))
    assert second["metadata"]["uid"] != first["uid"]
    assert second["status"]["containerStatuses"][0]["restartCount"] == 0
    assert replaced.at("exists", "deleted", first["name"]) == [20]


@pytest.mark.spec("POD-OBJ-08")
def test_localhost_is_the_pods_own_and_others_are_reached_by_address() -> None:
    world = World()
    server = {"name": "server", "ports": [{"containerPort": 8080}]}
    check = 'nc -z -w 2 "$TO" 8080 && echo open || echo closed; sleep 3600'
    shell = {"image": "busybox:1", "command": ["sh", "-c", check]}

    def caller(to: str) -> dict[str, Any]:
        return {"name": "caller", **shell, "env": [{"name": "TO", "value": to}]}

    world.pod(server, caller("localhost"), meta={"name": "one"})
    address = world.to(10).status("one")["podIP"]
    world.pod(caller("localhost"), meta={"name": "two"})
    world.pod(caller(address), meta={"name": "three"})
    world.to(30)
    names = {pod["metadata"]["uid"]: pod["metadata"]["name"] for pod in pods(world)}
    said = {names[entry[0]]: entry[4] for entry in world.cluster.take_changes().logs if entry[1] == "caller"}
    assert said == {"one": "open", "two": "closed", "three": "open"}
    assert len({pod["status"]["podIP"] for pod in pods(world)}) == 3


def test_a_pod_that_would_change_its_nodes_kernel_is_rejected_and_made_again() -> None:
    # Where nothing takes time, nothing would bound how many are made.
    world = World(timing={"preset": "realistic"})
    sysctls = [{"name": "net.core.somaxconn", "value": "1024"}]
    replica_set(world, securityContext={"sysctls": sysctls})
    world.to(1)
    text = 'forbidden sysctl: "net.core.somaxconn" not allowlisted'
    first, *others = pods(world)
    assert first["status"]["phase"] == "Failed"
    assert first["status"]["reason"] == "SysctlForbidden"
    assert first["status"]["message"] == f"Pod was rejected: {text}"
    assert others
    told = [row for row in world.rows if row.get("reason") == "SysctlForbidden" and row["type"] == "event"]
    assert {(row["eventType"], row["message"]) for row in told} == {("Warning", text)}
    assert started_uids(world) == set()
