"""As whom containers run and with what: security contexts, user namespaces (S34), control groups, CPUs."""

from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.objects.pods.container import Container
from lifecycle.engine.rules.pods.kernel_files import control_group_files, decide_memory_qos
from lifecycle.engine.rules.pods.security import decide_capabilities
from tests.engine.kubelet.world import World

MI = 1 << 20


def shell(script: str, **fields: Any) -> dict[str, Any]:
    return {"name": "app", "image": "sim/shell:1", "command": ["sh", "-c", script], **fields}


def logs(world: World, name: str = "web") -> list[str]:
    uid = world.get(name)["metadata"]["uid"]  # type: ignore[index]
    return [text for owner, _, _, _, text in world.cluster.take_changes().logs if owner == uid]


def run(script: str, name: str = "web", world: World | None = None, **fields: Any) -> list[str]:
    """Lines of a script in a pod of its own; `app` holds fields of the container."""
    world = world or World()
    app = shell(script, **fields.pop("app", {}))
    assert world.pod(app, meta={"name": name}, restartPolicy="Never", **fields).ok
    return logs(world, name)


# --- users and groups -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.spec("SECCTX-03", "USERNS-04")
@pytest.mark.parametrize("host_users", [True, False])
@pytest.mark.parametrize(
    "pod, container, expected",
    [
        ({}, {}, "uid=0(root) gid=0(root) groups=0(root)"),
        ({"runAsUser": 1000}, {}, "uid=1000 gid=0(root) groups=0(root)"),
        ({"runAsUser": 1000, "runAsGroup": 3000}, {}, "uid=1000 gid=3000 groups=3000"),
        ({"runAsUser": 1000, "runAsGroup": 3000}, {"runAsUser": 2000}, "uid=2000 gid=3000 groups=3000"),
        (
            {"runAsGroup": 3000, "fsGroup": 2000, "supplementalGroups": [4000]},
            {"runAsUser": 7},
            "uid=7 gid=3000 groups=3000,4000,2000",
        ),
    ],
)
def test_processes_run_as_they_are_told_to(pod: Any, container: Any, expected: str, host_users: bool) -> None:
    # With users of its own or not: the ids are those inside the container.
    found = run("id", app={"securityContext": container}, securityContext=pod, hostUsers=host_users)
    assert found == [expected]


@pytest.mark.spec("SECCTX-03")
def test_single_ids_and_names() -> None:
    script = "id -u; id -g; id -G; whoami || echo nobody knows"
    security = {"runAsUser": 1000, "runAsGroup": 3000, "fsGroup": 2000}
    found = run(script, app={"securityContext": {"runAsUser": 1000}}, securityContext=security)
    assert found == ["1000", "3000", "3000 2000", "whoami: unknown uid 1000", "nobody knows"]
    assert run("whoami; id -un; id -u; echo $HOME") == ["root", "root", "0", "/root"]


@pytest.mark.spec("SECCTX-03")
def test_a_process_list_names_the_user() -> None:
    found = run("ps | tail -n +2 | head -n 1; ps -o user= | head -n 1", securityContext={"runAsUser": 1000})
    assert found[0].split()[:2] == ["1", "1000"]
    assert found[1] == "1000"


@pytest.mark.spec("SECCTX-04")
@pytest.mark.parametrize(
    "image, pod, container, problem",
    [
        ("sim/server:1", {"runAsNonRoot": True}, {}, "container has runAsNonRoot and image will run as root"),
        ("nginx:1.27", {}, {"runAsNonRoot": True}, "container has runAsNonRoot and image will run as root"),
        (
            "sim/server:1",
            {"runAsNonRoot": True, "runAsUser": 0},
            {},
            "container's runAsUser breaks non-root policy",
        ),
        (
            "memcached:1.6",
            {"runAsNonRoot": True},
            {},
            "container has runAsNonRoot and image has non-numeric user (memcache), cannot verify user is"
            " non-root",
        ),
        ("sim/server:1", {"runAsNonRoot": True, "runAsUser": 1000}, {}, None),
        ("sim/server:1", {"runAsNonRoot": True}, {"runAsNonRoot": False}, None),
        ("nginxinc/nginx-unprivileged:1.27", {"runAsNonRoot": True}, {}, None),
        ("registry.example/own:1", {"runAsNonRoot": True}, {}, None),
        ("grafana/tempo:2.8.0", {"runAsNonRoot": True}, {}, None),
        ("phpmyadmin:5", {"runAsNonRoot": True}, {}, "container has runAsNonRoot and image will run as root"),
        # Its versions do not agree.
        ("ghcr.io/dexidp/dex:v2.45.0", {"runAsNonRoot": True}, {}, None),
        (
            "prom/node-exporter:v1.9.1",
            {"runAsNonRoot": True},
            {},
            "container has runAsNonRoot and image has non-numeric user (nobody), cannot verify user is"
            " non-root",
        ),
    ],
)
def test_root_is_kept_out(image: str, pod: Any, container: Any, problem: str | None) -> None:
    world = World()
    app = {"name": "app", "image": image, "securityContext": container}
    assert world.pod(app, securityContext=pod).ok
    state = world.to(5).container()["state"]
    if problem is None:
        assert "running" in state
        return
    uid = world.get()["metadata"]["uid"]  # type: ignore[index]
    where = f'(pod: "web_default({uid})", container: app)'
    assert state["waiting"] == {"reason": "CreateContainerConfigError", "message": f"{problem} {where}"}
    assert world.status()["phase"] == "Pending"
    assert world.starts() == []


# --- user namespaces --------------------------------------------------------------------------------------

MAP = "cat /proc/self/uid_map /proc/self/gid_map"


def blocks(world: World, *names: str) -> list[int]:
    """Where each pod's users begin on the node."""
    lines = {uid: text for uid, _, _, _, text in world.cluster.take_changes().logs}
    return [int(lines[world.get(name)["metadata"]["uid"]].split()[1]) for name in names]  # type: ignore[index]


@pytest.mark.spec("USERNS-02")
def test_root_inside_is_nobody_special_on_the_node() -> None:
    found = run(f"id -u; {MAP}", hostUsers=False)
    assert [line.split() for line in found] == [["0"], ["0", "65536", "65536"], ["0", "65536", "65536"]]
    assert run(MAP)[0].split() == ["0", "0", "4294967295"]


@pytest.mark.spec("USERNS-03", "USERNS-13")
def test_s34_no_two_pods_of_a_node_share_ids() -> None:
    world = World()
    for name in ("a", "b", "c"):
        assert world.pod(shell(f"{MAP}; sleep 1000"), meta={"name": name}, hostUsers=False).ok
    assert blocks(world, "a", "b", "c") == [65_536, 131_072, 196_608]
    world.delete(0, force=True, name="b")
    world.to(10).pod(shell(f"{MAP}; sleep 1000"), meta={"name": "d"}, hostUsers=False)
    # What b had is free again.
    assert blocks(world, "d") == [131_072]


@pytest.mark.spec("USERNS-14", "USERNS-18")
def test_a_range_of_the_nodes_own_is_used_and_can_be_used_up() -> None:
    ids = "kubelet:1048576:131072"
    names = ("podline.dev/subordinate-user-ids", "podline.dev/subordinate-group-ids")
    configuration = {
        "kind": "KubeletConfiguration",
        "maxPods": 2,
        "metadata": {"annotations": dict.fromkeys(names, ids)},
    }
    world = World(kubelet=[configuration])
    for name in ("a", "b", "c"):
        assert world.pod(shell(f"{MAP}; sleep 1000"), meta={"name": name}, hostUsers=False).ok
    assert blocks(world, "a", "b") == [1_048_576, 1_114_112]
    assert world.status("c")["phase"] == "Pending"


def static_pod(world: World, app: dict[str, Any], **spec: Any) -> None:
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "static"}}
    answer = world.submit(
        "staticPod", node="node-1", manifest={**manifest, "spec": {"containers": [app], **spec}}
    )
    assert answer.ok, answer.status


@pytest.mark.spec("USERNS-03")
def test_ids_of_a_static_pod_are_not_given_to_another() -> None:
    world = World()
    static_pod(world, shell(f"{MAP}; sleep 1000"), hostUsers=False)
    assert world.pod(shell(f"{MAP}; sleep 1000"), meta={"name": "a"}, hostUsers=False).ok
    assert blocks(world, "static-node-1", "a") == [65_536, 131_072]


def test_a_block_of_ids_survives_saving() -> None:
    world = World()
    assert world.pod(shell(f"{MAP}; sleep 1000"), meta={"name": "a"}, hostUsers=False).ok
    assert blocks(world, "a") == [65_536]
    world.cluster = Cluster.load(world.cluster.save())
    assert world.pod(shell(f"{MAP}; sleep 1000"), meta={"name": "b"}, hostUsers=False).ok
    assert blocks(world, "b") == [131_072]


def set_node(world: World, info: dict[str, str], annotations: dict[str, str]) -> None:
    where = {"kind": "Node", "name": "node-1", "type": "merge"}
    assert world.submit("patch", **where, patch={"metadata": {"annotations": annotations}}).ok
    assert world.submit("patch", **where, subresource="status", patch={"status": {"nodeInfo": info}}).ok


@pytest.mark.slow
@pytest.mark.spec("USERNS-10", "USERNS-11", "USERNS-12", "USERNS-23")
@pytest.mark.parametrize(
    "info, annotations, volume, is_suitable",
    [
        ({"kernelVersion": "6.1.0-21-amd64"}, {}, None, False),
        ({"kernelVersion": "6.3.0"}, {}, None, True),
        ({"containerRuntimeVersion": "containerd://1.7.27"}, {}, None, False),
        ({"containerRuntimeVersion": "containerd://2.0.0"}, {}, None, True),
        ({"containerRuntimeVersion": "cri-o://1.24.6"}, {}, None, False),
        ({"containerRuntimeVersion": "cri-o://1.25.0"}, {}, None, True),
        ({}, {"podline.dev/oci-runtime": "crun 1.8.7"}, None, False),
        ({}, {"podline.dev/oci-runtime": "crun 1.13"}, None, True),
        ({}, {"podline.dev/kubelet-file-system": "zfs"}, None, False),
        *(({}, {"podline.dev/kubelet-file-system": one}, None, True) for one in ("btrfs", "ext4", "xfs")),
        ({}, {}, {"nfs": {"server": "files", "path": "/"}}, False),
        ({}, {}, {"emptyDir": {}}, True),
    ],
)
def test_s34_a_node_that_cannot_give_user_namespaces(
    info: Any, annotations: Any, volume: Any, is_suitable: bool
) -> None:
    world = World()
    set_node(world, info, annotations)
    more = {"volumes": [{"name": "data", **volume}]} if volume else {}
    assert world.pod(hostUsers=False, **more).ok
    assert world.pod(meta={"name": "plain"}).ok
    world.to(60)
    assert world.status("plain")["phase"] == "Running"
    if is_suitable:
        assert world.status()["phase"] == "Running"
        return
    assert world.status()["phase"] == "Pending"
    assert world.condition("PodReadyToStartContainers") == [(0, "False")]
    world.cluster.close_series()
    failed = [row for row in world.rows if row.get("reason") == "FailedCreatePodSandBox"]
    # Tried again every 10 s.
    assert (failed[0]["at_ms"], failed[-1]["count"]) == (0, 7)


@pytest.mark.spec("USERNS-08")
@pytest.mark.parametrize(
    "security, host_users, is_allowed",
    [
        ({"capabilities": {"add": ["SYS_MODULE"]}}, True, True),
        ({"capabilities": {"add": ["CAP_SYS_MODULE"]}}, False, False),
        ({"privileged": True}, True, True),
        ({"privileged": True}, False, False),
        ({}, True, False),
        ({"capabilities": {"add": ["SYS_MODULE"]}, "runAsUser": 1000}, True, False),
    ],
)
def test_a_capability_ends_where_its_user_namespace_ends(
    security: Any, host_users: bool, is_allowed: bool
) -> None:
    found = run("modprobe dummy && echo loaded", app={"securityContext": security}, hostUsers=host_users)
    denied = ["modprobe: can't change module 'dummy': Operation not permitted"]
    assert found == (["loaded"] if is_allowed else denied)


@pytest.mark.spec("SECCTX-02")
@pytest.mark.parametrize(
    "added, dropped, has, has_not",
    [
        pytest.param([], [], "NET_RAW", "NET_ADMIN", id="what the runtime leaves"),
        pytest.param(["net_admin"], [], "NET_ADMIN", "SYS_MODULE", id="in any letters"),
        pytest.param(
            ["NET_ADMIN", "SYS_TIME"], ["NET_ADMIN"], "SYS_TIME", "NET_ADMIN", id="added and dropped"
        ),
        pytest.param(["ALL"], ["SYS_MODULE"], "SYS_ADMIN", "SYS_MODULE", id="all but one"),
        pytest.param(["NET_BIND_SERVICE"], ["ALL"], "NET_BIND_SERVICE", "CHOWN", id="one alone"),
        pytest.param(["ALL", "KILL"], ["ALL"], "KILL", "CHOWN", id="all dropped comes after all added"),
    ],
)
def test_capabilities_are_added_and_dropped(added: Any, dropped: Any, has: str, has_not: str) -> None:
    found = decide_capabilities({"securityContext": {"capabilities": {"add": added, "drop": dropped}}}, 0)
    assert has in found and has_not not in found and "ALL" not in found


# --- control groups ---------------------------------------------------------------------------------------


def sized(requests: Any, limits: Any) -> Container:
    return Container({"name": "app", "resources": {"requests": requests, "limits": limits}})


@pytest.mark.spec("QOS-20", "QOS-21")
@pytest.mark.parametrize(
    "qos_class, requests, limits, protected, throttled",
    [
        pytest.param("Guaranteed", {"memory": "100Mi"}, {"memory": "100Mi"}, 100 * MI, None, id="all it may"),
        pytest.param("Burstable", {"memory": "100Mi"}, {"memory": "200Mi"}, 100 * MI, 190 * MI, id="between"),
        pytest.param("Burstable", {"memory": "100Mi"}, {}, 100 * MI, 910 * MI, id="up to the node"),
        pytest.param("BestEffort", {}, {}, 0, 900 * MI, id="nothing asked for"),
    ],
)
def test_memory_is_protected_and_throttled_by_class(
    qos_class: str, requests: Any, limits: Any, protected: int, throttled: int | None
) -> None:
    assert decide_memory_qos(sized(requests, limits), qos_class, 1000 * MI) == (protected, throttled)


@pytest.mark.spec("QOS-20")
@pytest.mark.parametrize(
    "gate, expected",
    [
        (True, ["209715200", "104857600", "199229440", "50000 100000"]),
        (False, ["209715200", "0", "max", "50000 100000"]),
    ],
)
def test_a_container_sees_its_control_group(gate: bool, expected: list[str]) -> None:
    script = "cd /sys/fs/cgroup; cat memory.max memory.min memory.high cpu.max"
    resources = {"requests": {"memory": "100Mi"}, "limits": {"memory": "200Mi", "cpu": "500m"}}
    assert run(script, world=World({"MemoryQoS": gate}), app={"resources": resources}) == expected


def test_no_quota_is_shorter_than_the_kernel_takes() -> None:
    files = control_group_files(sized({}, {"cpu": "1m"}), "Burstable", 0, False)
    assert files["/sys/fs/cgroup/cpu.max"] == "1000 100000\n"


# --- CPUs of one's own ------------------------------------------------------------------------------------

STATIC = {"kind": "KubeletConfiguration", "cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}
CPUS = "cat /sys/fs/cgroup/cpuset.cpus.effective; nproc; sleep 1000"


def full(cpu: str) -> dict[str, Any]:
    return {"requests": {"cpu": cpu, "memory": "64Mi"}, "limits": {"cpu": cpu, "memory": "64Mi"}}


def cpus(world: World, name: str, resources: Any = None, **pod: Any) -> list[str]:
    app = shell(CPUS, **({"resources": resources} if resources else {}))
    assert world.pod(app, meta={"name": name}, **pod).ok
    return logs(world, name)


@pytest.mark.spec("QOS-09")
def test_guaranteed_pods_get_cpus_of_their_own() -> None:
    world = World(kubelet=[STATIC])
    assert cpus(world, "two", full("2")) == ["1-2", "2"]
    # The reserved one and what is left: for everybody without a claim to whole CPUs.
    assert cpus(world, "part", full("500m")) == ["0,3", "2"]
    assert cpus(world, "burstable", {"requests": {"cpu": "1"}}) == ["0,3", "2"]
    world.delete(0, force=True, name="two")
    assert cpus(world.to(10), "one", full("1")) == ["1", "1"]


@pytest.mark.spec("QOS-13")
def test_s33_a_best_effort_pod_may_use_what_is_not_given_to_others() -> None:
    world = World(kubelet=[STATIC])
    where = {"kind": "Node", "name": "node-1", "type": "merge", "subresource": "status"}
    amounts = {"cpu": "16", "memory": "8Gi", "pods": "110"}
    assert world.submit("patch", **where, patch={"status": {"capacity": amounts, "allocatable": amounts}}).ok
    assert cpus(world, "guaranteed", full("4")) == ["1-4", "4"]
    # Any part of the other 12 of 16.
    assert cpus(world, "best-effort") == ["0,5-15", "12"]


@pytest.mark.spec("QOS-09")
def test_without_the_policy_everybody_shares() -> None:
    world = World()
    assert cpus(world, "two", full("2")) == ["0-3", "4"]


@pytest.mark.spec("QOS-09")
def test_a_pod_for_which_no_cpus_are_left_is_refused() -> None:
    world = World(kubelet=[STATIC])
    assert cpus(world, "two", full("2")) == ["1-2", "2"]
    # The scheduler sees two CPUs free, the kubelet one: the other is reserved.
    assert world.pod({"name": "app", "resources": full("2")}, meta={"name": "more"}).ok
    status = world.to(10).status("more")
    assert (status["phase"], status["reason"]) == ("Failed", "UnexpectedAdmissionError")
    assert "requested=2, available=1" in status["message"]


def test_cpus_of_ones_own_survive_saving() -> None:
    world = World(kubelet=[STATIC])
    assert cpus(world, "two", full("2")) == ["1-2", "2"]
    world.cluster = Cluster.load(world.cluster.save())
    assert cpus(world, "one", full("1")) == ["3", "1"]


@pytest.mark.spec("QOS-09")
def test_cpus_of_a_static_pod_are_not_given_to_another() -> None:
    world = World(kubelet=[STATIC])
    static_pod(world, shell(CPUS, resources=full("2")))
    assert logs(world, "static-node-1") == ["1-2", "2"]
    assert cpus(world, "one", full("1"), nodeName="node-1") == ["3", "1"]


def test_cpus_that_are_reserved_beyond_those_there_are_leave_none() -> None:
    world = World(kubelet=[{**STATIC, "reservedSystemCPUs": "0-7"}])
    assert world.pod({"name": "app", "resources": full("1")}).ok
    assert "requested=1, available=0" in world.to(10).status()["message"]


@pytest.mark.spec("QOS-09")
def test_a_pod_that_asks_as_a_whole_gets_no_cpus_of_its_own() -> None:
    world = World(kubelet=[STATIC])
    # Its class is Guaranteed by what it asks for as a whole.
    assert world.pod(shell(CPUS, resources=full("2")), meta={"name": "whole"}, resources=full("2")).ok
    assert logs(world, "whole") == ["0-3", "4"]
    assert world.status("whole")["qosClass"] == "Guaranteed"
