"""The DaemonSet controller in a whole cluster: which nodes get a pod, which keep it, what is told of it."""

import copy
import json
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command
from lifecycle.engine.objects.codec import encode
from lifecycle.engine.objects.meta import PlainObject
from lifecycle.engine.upgrades import Known
from tests.engine.controllers.fleet import AGENT, Fleet, make_agent
from tests.seeds import one_in

AUTOMATIC = {
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
}
NETWORK = ("node.kubernetes.io/network-unavailable", "NoSchedule")
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"


# --- one pod a node -----------------------------------------------------------------------------------------


@pytest.mark.spec(
    "DS-GEN-01", "DS-GEN-04", "DS-GEN-07", "DS-GEN-08", "DS-NODE-03", "DS-SPEC-07", "DS-COMM-01", "WL-07"
)  # fmt: skip
def test_every_node_gets_one_pod_of_the_template():
    fleet = Fleet()
    template = {
        "terminationGracePeriodSeconds": 7,
        "volumes": [{"name": "varlog", "hostPath": {"path": "/var/log", "type": ""}}],
        "priorityClassName": "system-node-critical",
    }
    fleet.apply(make_agent(template, requests={"cpu": "100m", "memory": "200Mi"}))
    fleet.run(5)
    assert fleet.nodes() == ["node-1", "node-2", "node-3"]
    assert fleet.status() == {
        "currentNumberScheduled": 3, "numberMisscheduled": 0, "desiredNumberScheduled": 3, "numberReady": 3,
        "observedGeneration": 1, "updatedNumberScheduled": 3, "numberAvailable": 3,
    }  # fmt: skip
    pod = fleet.pods()[0]
    assert pod["metadata"]["generateName"] == "agent-"
    assert len(pod["metadata"]["name"]) == len("agent-xxxxx")
    labels = pod["metadata"]["labels"]
    assert labels.pop("controller-revision-hash") == fleet.digests()[0]
    assert labels == {"app": "agent", "pod-template-generation": "1"}
    assert pod["spec"]["terminationGracePeriodSeconds"] == 7
    assert pod["spec"]["volumes"][:-1] == template["volumes"]
    assert pod["spec"]["priorityClassName"] == "system-node-critical"
    assert pod["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "100m", "memory": "200Mi"}
    names = [pod["metadata"]["name"] for pod in fleet.pods()]
    assert fleet.told() == [("SuccessfulCreate", f"Created pod: {name}") for name in names]
    sources = {row["source"] for row in fleet.rows if row["type"] == "event" and row["kind"] == "DaemonSet"}
    assert sources == {"daemonset-controller"}


@pytest.mark.spec("DS-GEN-02", "DS-GEN-03", "OVER-07")
def test_nodes_that_join_get_a_pod_and_the_end_of_the_set_is_theirs():
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    fleet.add_node("node-4")
    fleet.run(5)
    assert (fleet.nodes(), fleet.count("desiredNumberScheduled")) == (
        ["node-1", "node-2", "node-3", "node-4"],
        4,
    )
    fleet.done("delete", kind="Node", name="node-2")
    fleet.run(5)
    # As recorded: the counts fall when the pod of a node that is no more goes, not before.
    assert fleet.count("desiredNumberScheduled") == 4
    lost = next(pod for pod in fleet.pods() if pod["spec"]["nodeName"] == "node-2")
    fleet.change("delete", lost["metadata"]["name"], "Pod", gracePeriodSeconds=0, force=True)
    fleet.run(5)
    assert (fleet.nodes(), fleet.count("desiredNumberScheduled")) == (["node-1", "node-3", "node-4"], 3)
    fleet.add_node("node-2")
    fleet.run(5)
    assert fleet.nodes() == ["node-1", "node-2", "node-3", "node-4"]
    fleet.change("delete", AGENT, "DaemonSet")
    fleet.run(60)
    assert fleet.pods() == []
    assert fleet.cluster.list("ControllerRevision") == []


@pytest.mark.spec("DS-NODE-01", "DS-NODE-02", "DS-NODE-04", "DS-SCHED-06", "DS-GEN-05", "OVER-07")
@pytest.mark.parametrize(
    "template",
    [
        pytest.param({"nodeSelector": {"disk": "ssd"}}, id="selector"),
        pytest.param(
            {
                "affinity": {
                    "nodeAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": {
                            "nodeSelectorTerms": [
                                {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
                            ]
                        },
                        "preferredDuringSchedulingIgnoredDuringExecution": [
                            {
                                "weight": 1,
                                "preference": {"matchExpressions": [{"key": "x", "operator": "Exists"}]},
                            }
                        ],
                    }
                }
            },
            id="affinity",
        ),
    ],
)
def test_labels_of_nodes_bring_and_take_pods(template: dict[str, Any]):
    fleet = Fleet()
    fleet.label("node-1", disk="ssd")
    fleet.apply(make_agent(template))
    fleet.run(5)
    assert (fleet.nodes(), fleet.count("desiredNumberScheduled")) == (["node-1"], 1)
    spec = fleet.pods()[0]["spec"]
    required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert required == {"nodeSelectorTerms": [{"matchFields": [named("node-1")]}]}
    kept = "preferredDuringSchedulingIgnoredDuringExecution" in spec["affinity"]["nodeAffinity"]
    assert kept == ("affinity" in template)
    fleet.label("node-2", disk="ssd")
    fleet.label("node-1", disk=None)
    fleet.run(0)
    assert (fleet.nodes(), fleet.count("desiredNumberScheduled")) == (["node-2"], 1)
    assert [reason for reason, _message in fleet.told()] == [
        "SuccessfulCreate", "SuccessfulCreate", "SuccessfulDelete"
    ]  # fmt: skip


def named(node: str) -> dict[str, Any]:
    return {"key": "metadata.name", "operator": "In", "values": [node]}


@pytest.mark.spec("DS-GEN-05")
def test_two_sets_for_different_hardware_share_no_node():
    fleet = Fleet()
    for number, disk in enumerate(("ssd", "hdd", "ssd"), 1):
        fleet.label(f"node-{number}", disk=disk)
    for disk, memory in (("ssd", "1Gi"), ("hdd", "2Gi")):
        manifest = make_agent({"nodeSelector": {"disk": disk}}, requests={"memory": memory})
        manifest["metadata"]["name"] = disk
        manifest["spec"]["selector"]["matchLabels"] = manifest["spec"]["template"]["metadata"]["labels"] = {
            "app": disk
        }
        fleet.apply(manifest)
    fleet.run(5)
    found = {
        pod["spec"]["nodeName"]: pod["spec"]["containers"][0]["resources"]["requests"]["memory"]
        for pod in fleet.pods()
    }
    assert found == {"node-1": "1Gi", "node-2": "2Gi", "node-3": "1Gi"}


# --- the scheduler ------------------------------------------------------------------------------------------


@pytest.mark.spec("DS-SCHED-01", "DS-SCHED-02", "DS-SCHED-03")
def test_pods_name_their_node_and_the_scheduler_binds_them_there():
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    for pod in fleet.pods():
        name, node = pod["metadata"]["name"], pod["spec"]["nodeName"]
        required = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        assert required == {"nodeSelectorTerms": [{"matchFields": [named(node)]}]}
        said = [
            (row["source"], row["message"])
            for row in fleet.rows
            if row["type"] == "event" and row["name"] == name and row["reason"] == "Scheduled"
        ]
        assert said == [("default-scheduler", f"Successfully assigned default/{name} to {node}")]


@pytest.mark.spec("DS-SCHED-05")
def test_pods_of_another_scheduler_wait_for_it():
    fleet = Fleet()
    fleet.apply(make_agent({"schedulerName": "my-scheduler"}))
    fleet.run(30)
    assert [pod["status"]["phase"] for pod in fleet.pods()] == ["Pending"] * 3
    assert not any(pod["spec"].get("nodeName") for pod in fleet.pods())
    names = ("desiredNumberScheduled", "currentNumberScheduled", "numberReady")
    assert [fleet.count(name) for name in names] == [3, 3, 0]


@pytest.mark.spec("DS-SCHED-03")
def test_a_pod_that_finds_no_room_waits_on_its_node_and_others_are_served():
    fleet = Fleet()
    fleet.done("create", object=pod_manifest("large", nodeName="node-2", cpu="3500m"))
    fleet.apply(make_agent(requests={"cpu": "1"}))
    fleet.run(10)
    assert fleet.nodes() == ["", "node-1", "node-3"]
    assert (fleet.count("currentNumberScheduled"), fleet.count("numberReady")) == (3, 2)
    message = next(row["message"] for row in fleet.rows if row.get("reason") == "FailedScheduling")
    assert message.startswith(
        "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )
    # Its node goes: nobody else will ever take it, so the set does.
    fleet.done("delete", kind="Node", name="node-2")
    fleet.add_node("node-4")
    fleet.run(30)
    assert fleet.nodes() == ["node-1", "node-3", "node-4"]


def pod_manifest(
    name: str, cpu: str = "", labels: dict[str, str] | None = None, **spec: Any
) -> dict[str, Any]:
    container: dict[str, Any] = {"name": "nginx", "image": "nginx:1"}
    if cpu:
        container["resources"] = {"requests": {"cpu": cpu}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": labels or {}},
        "spec": {"containers": [container], **spec},
    }


def test_a_template_that_names_a_node_is_for_that_node_alone():
    fleet = Fleet()
    fleet.apply(make_agent({"nodeName": "node-2"}))
    fleet.run(5)
    assert (fleet.nodes(), fleet.count("desiredNumberScheduled")) == (["node-2"], 1)
    assert not any(row.get("reason") == "Scheduled" for row in fleet.rows)


# --- taints -------------------------------------------------------------------------------------------------


@pytest.mark.spec(
    "DS-TOL-01", "DS-TOL-02", "DS-TOL-03", "DS-TOL-04", "DS-TOL-05", "DS-TOL-06", "DS-TOL-07", "DS-TOL-08",
    "DS-TOL-09",
)  # fmt: skip
@pytest.mark.parametrize("host_network", [False, True])
def test_pods_tolerate_what_ails_a_node_for_ever(host_network: bool):
    fleet = Fleet()
    own = [
        {"key": "dedicated", "operator": "Equal", "value": "db", "effect": "NoSchedule"},
        # Of the same key, operator and effect as one of the automatic ones: that one takes its place.
        {
            "key": "node.kubernetes.io/not-ready",
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": 9,
        },
    ]
    fleet.apply(make_agent({"tolerations": own, **({"hostNetwork": True} if host_network else {})}))
    fleet.run(1)
    found = fleet.pods()[0]["spec"]["tolerations"]
    assert found[0] == own[0]
    assert {(one["key"], one["effect"]) for one in found[1:]} == AUTOMATIC | (
        {NETWORK} if host_network else set()
    )
    assert len(found) == 1 + len(AUTOMATIC) + host_network
    assert all(set(one) == {"key", "operator", "effect"} and one["operator"] == "Exists" for one in found[1:])


@pytest.mark.slow
@pytest.mark.spec("DS-TOL-06", "DS-TOL-03", "DS-TOL-07", "DS-TOL-10", "DS-NODE-05")
@pytest.mark.parametrize(
    "taint, template, is_placed",
    [
        ("node.kubernetes.io/unschedulable:NoSchedule", {}, True),
        ("node.kubernetes.io/disk-pressure:NoSchedule", {}, True),
        ("node.kubernetes.io/memory-pressure:NoSchedule", {}, True),
        ("node.kubernetes.io/pid-pressure:NoSchedule", {}, True),
        ("node.kubernetes.io/not-ready:NoExecute", {}, True),
        ("node.kubernetes.io/unreachable:NoExecute", {}, True),
        ("node.kubernetes.io/network-unavailable:NoSchedule", {"hostNetwork": True}, True),
        ("dedicated:NoSchedule", {}, False),
        ("dedicated:NoExecute", {}, False),
        ("dedicated:PreferNoSchedule", {}, True),
        ("dedicated:NoSchedule", {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}, True),
        ("dedicated:NoExecute", {"tolerations": [{"operator": "Exists"}]}, True),
    ],
)
def test_taints_keep_pods_away_unless_tolerated(taint: str, template: dict[str, Any], is_placed: bool):
    # A node with the condition that a taint stands for: whoever keeps those taints would take it off again.
    # Those that drive pods away are seen to when the nodes are looked at, here after the test.
    fleet = Fleet(timing={"preset": "instant", "node_monitor": "1h"})
    key = taint.partition(":")[0]
    pressure = {
        "disk-pressure": "DiskPressure",
        "memory-pressure": "MemoryPressure",
        "pid-pressure": "PIDPressure",
    }
    pressure["network-unavailable"] = "NetworkUnavailable"
    if key.endswith("unschedulable"):
        fleet.done("cordon", node="node-1")
    elif key.partition("/")[2] in pressure:
        fleet.set_condition("node-1", pressure[key.partition("/")[2]])
    else:
        fleet.taint("node-1", taint)
    fleet.run(1)
    assert [f"{one['key']}:{one['effect']}" for one in fleet.node("node-1")["spec"]["taints"]] == [taint]
    fleet.apply(make_agent(template))
    fleet.run(5)
    assert fleet.nodes() == ["node-1", "node-2", "node-3"][not is_placed :]
    assert fleet.count("desiredNumberScheduled") == 2 + is_placed


@pytest.mark.spec("DS-TOL-07")
def test_without_host_network_a_node_without_network_is_not_for_it():
    fleet = Fleet()
    fleet.set_condition("node-1", "NetworkUnavailable")
    fleet.apply(make_agent())
    fleet.run(5)
    assert fleet.nodes() == ["node-2", "node-3"]


@pytest.mark.spec("DS-NODE-05")
def test_a_pod_outlives_a_taint_that_only_keeps_new_ones_away():
    """As recorded: the status tells of it with the next look that has another reason."""
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    fleet.taint("node-1", "dedicated:NoSchedule")
    fleet.run(5)
    assert (len(fleet.nodes()), fleet.count("desiredNumberScheduled")) == (3, 3)
    fleet.taint("node-2", "dedicated:NoExecute")
    fleet.run(0)
    assert [new for _at, new in fleet.lane("DaemonSet", "numberMisscheduled")] == [2, 1]
    assert fleet.nodes() == ["node-1", "node-3"]
    assert (fleet.count("desiredNumberScheduled"), fleet.count("numberMisscheduled")) == (1, 1)
    fleet.taint("node-1")
    fleet.run(1)
    assert (fleet.count("desiredNumberScheduled"), fleet.count("numberMisscheduled")) == (2, 0)
    fleet.taint("node-2")
    fleet.run(5)
    assert (len(fleet.nodes()), fleet.count("numberReady")) == (3, 3)


@pytest.mark.spec("DS-TOL-11")
@pytest.mark.parametrize("tolerates", [True, False])
def test_control_plane_nodes_are_for_those_that_tolerate_them(tolerates: bool):
    fleet = Fleet()
    fleet.taint("node-1", f"{CONTROL_PLANE}:NoSchedule")
    keys = (CONTROL_PLANE, "node-role.kubernetes.io/master")
    own = [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in keys]
    fleet.apply(make_agent({"tolerations": own} if tolerates else {}))
    fleet.run(5)
    assert fleet.count("desiredNumberScheduled") == len(fleet.nodes()) == 2 + tolerates
    assert len(fleet.pods()[0]["spec"]["tolerations"]) == len(AUTOMATIC) + 2 * tolerates


# --- pods that end, are foreign or too many -----------------------------------------------------------------


@pytest.mark.spec("DS-GEN-06")
def test_a_deleted_pod_is_replaced_once_it_has_ended():
    fleet = Fleet(timing="realistic")
    fleet.apply(make_agent())
    fleet.run(5)
    gone = next(pod for pod in fleet.pods() if pod["spec"]["nodeName"] == "node-2")
    name = gone["metadata"]["name"]
    fleet.change("delete", name, "Pod")
    fleet.run(60)
    new = next(pod for pod in fleet.pods() if pod["spec"]["nodeName"] == "node-2")
    assert new["metadata"]["name"] != name
    rows = {(row["name"], row.get("field"), row.get("new")): row["at_ms"] for row in fleet.rows}
    made_ms, ended_ms = rows[new["metadata"]["name"], "exists", "created"], rows[name, "phase", "Succeeded"]
    gone_ms = rows[name, "exists", "deleted"]
    assert ended_ms <= made_ms < ended_ms + 50 < gone_ms


@pytest.mark.spec("DS-GEN-06")
def test_failed_pods_go_with_a_growing_delay_on_each_node():
    fleet = Fleet()
    fleet.apply(make_agent({"nodeSelector": {"kubernetes.io/hostname": "node-1"}}))
    fleet.run(5)
    since = fleet.cluster.now_ms
    deletions = []
    for _ in range(5):
        name = fleet.pods()[0]["metadata"]["name"]
        fleet.fail(name)
        failed_ms = fleet.cluster.now_ms
        while fleet.pods() and fleet.pods()[0]["metadata"]["name"] == name:
            fleet.run(0.1)
        deletions.append(round((fleet.cluster.now_ms - failed_ms) / 1000, 1))
        fleet.run(0.1)
    # At once, then after a second, two, four, eight: each counted from when the failure is seen.
    assert deletions == pytest.approx([0.1, 1, 2, 4, 8], abs=0.25), since
    told = [entry for entry in fleet.told() if entry[0] == "FailedDaemonPod"]
    assert len(told) == 5
    assert told[-1][1] == f"Found failed daemon pod default/{name} on node node-1, will try to kill it"


@pytest.mark.spec("DS-GEN-06")
def test_delays_of_failed_pods_are_saved():
    fleet = Fleet()
    fleet.apply(make_agent({"nodeSelector": {"kubernetes.io/hostname": "node-1"}}))
    fleet.run(5)
    for _ in range(3):
        fleet.fail(fleet.pods()[0]["metadata"]["name"])
        fleet.run(0.2)
    # The third waits since it was seen; whoever goes on from here deletes it at the same instant.
    assert fleet.pods()[0]["status"]["phase"] == "Failed"
    fleet.cluster.take_changes()
    other = Cluster.load(copy.deepcopy(fleet.cluster.save()))
    histories = []
    for cluster in (fleet.cluster, other):
        cluster.run_until(30_000)
        histories.append([(row.at_ms, str(row)) for row in cluster.take_changes().rows])
    assert histories[0] == histories[1]
    assert histories[0]


@pytest.mark.spec("DS-UPD-02", "DS-UPD-03", "DS-UPD-01")
def test_a_set_of_the_same_template_takes_orphans_over():
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    before = [pod["metadata"]["uid"] for pod in fleet.pods()]
    fleet.change("delete", AGENT, "DaemonSet", propagationPolicy="Orphan")
    fleet.run(1)
    assert [pod["metadata"].get("ownerReferences") for pod in fleet.pods()] == [None] * 3
    fleet.apply(make_agent())
    fleet.run(60)
    assert [pod["metadata"]["uid"] for pod in fleet.pods()] == before
    assert {pod["metadata"]["ownerReferences"][0]["uid"] for pod in fleet.pods()} == {
        fleet.get("DaemonSet", AGENT)["metadata"]["uid"]
    }
    assert fleet.revisions() == [1]
    assert fleet.count("updatedNumberScheduled") == 3


@pytest.mark.spec("DS-UPD-03", "DS-UPD-06", "DS-UPD-05")
@pytest.mark.parametrize("strategy", ["RollingUpdate", "OnDelete"])
@pytest.mark.parametrize(
    "former, images, stays",
    [
        # IsPodUpdated (daemonset_util.go): the same generation is enough, and each set begins with 1.
        pytest.param(["nginx:1"], ["nginx:3"], True, id="neither has changed"),
        pytest.param(["nginx:1", "nginx:2"], ["nginx:3"], False, id="the former one has changed"),
        pytest.param(["nginx:1"], ["nginx:3", "nginx:4"], False, id="the new one has changed"),
        pytest.param(["nginx:1", "nginx:2"], ["nginx:3", "nginx:4"], False, id="both, one by one"),
    ],
)
def test_a_set_of_another_template_replaces_orphans_of_another_generation(
    strategy: str, former: list[str], images: list[str], stays: bool
):
    fleet = Fleet()
    for image in former:
        fleet.apply(make_agent(image=image))
        fleet.run(120)
    fleet.change("delete", AGENT, "DaemonSet", propagationPolicy="Orphan")
    fleet.run(1)
    for image in images:
        fleet.apply(make_agent(image=image, updateStrategy={"type": strategy}))
        fleet.run(120)
    found = {pod["spec"]["containers"][0]["image"] for pod in fleet.pods()}
    is_replaced = strategy == "RollingUpdate" and not stays
    assert found == {images[-1] if is_replaced else former[-1]}


@pytest.mark.spec("DS-UPD-03")
def test_orphans_of_an_equal_generation_count_as_updated():
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    fleet.change("delete", AGENT, "DaemonSet", propagationPolicy="Orphan")
    fleet.run(1)
    fleet.apply(make_agent(image="nginx:2"))
    fleet.run(120)
    assert fleet.count("updatedNumberScheduled") == 3
    assert {pod["spec"]["containers"][0]["image"] for pod in fleet.pods()} == {"nginx:1"}


@pytest.mark.parametrize("is_first", [True, False])
def test_a_bare_pod_on_a_node_is_taken_as_the_sets_own(is_first: bool):
    """Whichever came first; of two pods on a node the one that was bound first, then the older, stays."""
    fleet = Fleet()
    bare = pod_manifest("bare", labels={"app": "agent"}, nodeName="node-1")
    if is_first:
        fleet.done("create", object=bare)
        fleet.run(2)
    fleet.apply(make_agent(updateStrategy={"type": "OnDelete"}))
    fleet.run(2)
    if not is_first:
        fleet.done("create", object=bare)
    fleet.run(60)
    names = [pod["metadata"]["name"] for pod in fleet.pods()]
    assert ("bare" in names) == is_first
    assert (len(names), fleet.count("currentNumberScheduled")) == (3, 3)


def test_a_pod_whose_label_is_taken_away_is_let_go_and_replaced():
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    name = fleet.pods()[0]["metadata"]["name"]
    fleet.change("patch", name, "Pod", type="merge", patch={"metadata": {"labels": {"app": "debug"}}})
    fleet.run(5)
    assert len(fleet.pods()) == 4
    assert "ownerReferences" not in fleet.get("Pod", name)["metadata"]
    fleet.change("patch", name, "Pod", type="merge", patch={"metadata": {"labels": {"app": "agent"}}})
    fleet.run(60)
    # Taken again, and the older of the two on its node.
    assert len(fleet.pods()) == 3
    assert name in [pod["metadata"]["name"] for pod in fleet.pods()]


@pytest.mark.spec("DS-UPD-01")
def test_a_pod_may_be_edited_and_its_successor_is_of_the_template():
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    name = fleet.pods()[0]["metadata"]["name"]
    image = {"spec": {"containers": [{"name": "nginx", "image": "nginx:9"}]}}
    fleet.change("patch", name, "Pod", type="strategic", patch=image)
    fleet.run(5)
    assert fleet.get("Pod", name)["spec"]["containers"][0]["image"] == "nginx:9"
    refused = fleet.submit(
        "patch",
        kind="Pod",
        namespace="default",
        name=name,
        type="merge",
        patch={"spec": {"nodeName": "node-9"}},
    )
    assert (refused.code, (refused.status or {})["reason"]) == (422, "Invalid")
    fleet.change("delete", name, "Pod")
    fleet.run(60)
    assert {pod["spec"]["containers"][0]["image"] for pod in fleet.pods()} == {"nginx:1"}


@pytest.mark.spec("DS-ALT-02")
def test_a_bare_pod_is_not_replaced():
    fleet = Fleet()
    fleet.done("create", object=pod_manifest("bare", nodeName="node-1"))
    fleet.run(5)
    fleet.change("delete", "bare", "Pod")
    fleet.run(60)
    assert fleet.pods() == []


# --- what is refused ----------------------------------------------------------------------------------------


def test_a_quota_stops_the_slow_start_and_room_lets_it_go_on():
    fleet = Fleet(nodes=12)
    fleet.quota(pods="4")
    fleet.apply(make_agent())
    fleet.run(3)
    # One, two, and of the next four the first: the quota is not asked for the rest at once.
    assert len(fleet.pods()) == 4
    refusals = [message for reason, message in fleet.told() if reason == "FailedCreate"]
    assert refusals
    assert "is forbidden: exceeded quota: small" in refusals[0]
    assert fleet.count("currentNumberScheduled") == 4
    fleet.quota()
    fleet.run(120)
    assert (len(fleet.pods()), fleet.count("numberReady")) == (12, 12)


def test_a_set_that_is_being_deleted_makes_no_pods():
    fleet = Fleet()
    fleet.apply(make_agent())
    fleet.run(5)
    fleet.change("delete", AGENT, "DaemonSet", propagationPolicy="Foreground")
    fleet.add_node("node-4")
    fleet.run(60)
    assert (fleet.pods(), fleet.cluster.list("DaemonSet")) == ([], [])


# --- many nodes ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_look_makes_250_pods_at_most():
    fleet = Fleet(nodes=300, timing="realistic")
    fleet.apply(make_agent())
    made: dict[int, int] = {}
    fleet.run(20)
    for row in fleet.rows:
        if row.get("field") == "exists" and row["kind"] == "Pod" and row["new"] == "created":
            made[row["at_ms"]] = made.get(row["at_ms"], 0) + 1
    assert list(made.values()) == [250, 50]
    assert fleet.count("numberReady") == 300


@pytest.mark.slow
def test_a_look_weighs_only_nodes_where_something_changed(monkeypatch: pytest.MonkeyPatch):
    from lifecycle.engine.controllers.daemon_set import places

    fleet = Fleet(nodes=200)
    fleet.apply(make_agent(updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 10}}))
    fleet.run(5)
    weighed = []
    real = places.decide_node_state
    monkeypatch.setattr(places, "decide_node_state", lambda *given: weighed.append(1) or real(*given))
    fleet.label("node-7", zone="a")
    fleet.run(5)
    fleet.change("delete", fleet.pods()[0]["metadata"]["name"], "Pod")
    fleet.run(60)
    assert len(weighed) < 20
    weighed.clear()
    fleet.change("setImage", AGENT, "DaemonSet", container="nginx", image="nginx:2")
    fleet.run(600)
    assert fleet.count("updatedNumberScheduled") == 200
    # All of them once for the new revision, then each as often as its own pods change.
    assert len(weighed) < 200 + 200 * 15


# --- saved --------------------------------------------------------------------------------------------------


def story(reload_every_ms: int | None) -> list[str]:
    """What happens to a set whose template, nodes and pods change; saved and loaded now and then, or not."""
    fleet = Fleet(nodes=6, timing="realistic")
    fleet.apply(make_agent(minReadySeconds=3, updateStrategy={"rollingUpdate": {"maxUnavailable": 2}}))
    rows: list[str] = []
    steps = {
        8_000: lambda: fleet.change("setImage", AGENT, "DaemonSet", container="nginx", image="nginx:2"),
        12_000: lambda: fleet.taint("node-3", "x:NoSchedule"),
        17_000: lambda: fleet.taint("node-3"),
        18_000: lambda: fleet.taint("node-4", "x:NoExecute"),
        21_000: lambda: fleet.label("node-5", zone="a"),
        24_000: lambda: fleet.done("delete", kind="Node", name="node-6"),
        27_000: lambda: fleet.fail(fleet.pods()[0]["metadata"]["name"]),
        29_000: lambda: fleet.change("rollout", AGENT, "DaemonSet", action="undo"),
        35_000: lambda: fleet.add_node("node-6"),
    }
    for at_ms in range(0, 60_000, 500):
        fleet.cluster.run_until(at_ms)
        if at_ms in steps:
            steps[at_ms]()
        rows += [str(row) for row in fleet.cluster.take_changes().rows]
        if reload_every_ms is not None and at_ms % reload_every_ms == 0:
            fleet.cluster = Cluster.load(json.loads(json.dumps(fleet.cluster.save())))
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("every_ms", one_in(2, [3_500, 500]))
def test_saving_and_loading_changes_nothing(every_ms: int):
    assert story(every_ms) == story(None)


def test_a_set_that_was_only_stored_is_acted_on_after_an_upgrade():
    """Older engines kept DaemonSets as they came, and did not count their templates."""
    cluster = Fleet().cluster
    cluster.take_changes()
    saved = json.loads(json.dumps(cluster.save()))
    manifest = make_agent()
    manifest["metadata"]["uid"] = "kept-since-then"
    saved["objects"].append(encode(PlainObject.from_json(manifest)))
    saved["engine_version"] = 9
    del saved["controllers"]
    listed = [one for kind in cluster.kinds() for one in cluster.list(kind)]
    version = saved["resource_version"]
    known = Known(
        1, cluster.epoch_ms, cluster.settings, 0, saved["trace"]["seq"], version, [*listed, manifest]
    )
    taken = Cluster.take_up(known, saved)
    taken.run_until(10_000)
    found = taken.get("DaemonSet", "default", AGENT)
    assert found is not None
    assert found["status"]["numberReady"] == 3
    assert found["metadata"].get("annotations") is None
    change = {
        "kind": "DaemonSet",
        "namespace": "default",
        "name": AGENT,
        "container": "nginx",
        "image": "nginx:2",
    }
    assert taken.submit(Command("c", "setImage", change)).ok
    taken.run_until(120_000)
    assert {pod["metadata"]["labels"]["pod-template-generation"] for pod in taken.list("Pod")} == {"2"}
