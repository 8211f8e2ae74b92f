"""What kubectl asks of a cluster and prints: the objects, columns and answers its texts are made of."""

import json
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command, Result
from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.schema.tables import load_tables
from tests.engine.controllers.door import MISSING, Door
from tests.engine.controllers.world import make_deployment

NGINX = {
    "metadata": {"labels": {"app": "nginx"}},
    "spec": {"containers": [{"name": "nginx", "image": "nginx:1"}]},
}


def make_set(replicas: int = 3, **spec: Any) -> dict[str, Any]:
    whole = {"replicas": replicas, "selector": {"matchLabels": {"app": "nginx"}}, "template": NGINX, **spec}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": whole}


def make_controller(name: str = "nginx", image: str = "nginx") -> dict[str, Any]:
    container = {"name": "nginx", "image": image, "ports": [{"containerPort": 80}]}
    template = {
        "metadata": {"name": "nginx", "labels": {"app": "nginx"}},
        "spec": {"containers": [container]},
    }
    spec = {"replicas": 3, "selector": {"app": "nginx"}, "template": template}
    return {"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": name}, "spec": spec}


def columns(door: Door, kind: str, name: str = "web", **options: Any) -> dict[str, Any]:
    return decide_columns(
        door.get(kind, name), door.cluster.now_ms, epoch_ms=door.cluster.epoch_ms, **options
    )


def refused(door: Door, manifest: dict[str, Any]) -> str:
    """What is said of a manifest that is not taken; nothing of it is stored."""
    count = sum(len(door.cluster.list(kind)) for kind in door.cluster.kinds())
    answer = door.submit("create", object=manifest)
    assert answer.status is not None and not answer.ok
    assert sum(len(door.cluster.list(kind)) for kind in door.cluster.kinds()) == count
    return f"{answer.code} {answer.status['message']}"


# --- tables -----------------------------------------------------------------------------------------------


@pytest.mark.spec("KCTL-02", "KCTL-03", "KCTL-04", "KCTL-06")
def test_the_tables_of_a_deployment_and_what_it_makes():
    door = Door(start="3s")
    door.apply(make_deployment(3))
    door.run(1)
    shown = columns(door, "Deployment")
    assert shown == {"NAME": "web", "READY": "0/3", "UP-TO-DATE": 3, "AVAILABLE": 0, "AGE": "1s"}
    door.run(5)
    assert list(columns(door, "Deployment").values()) == ["web", "3/3", 3, 3, "6s"]
    # The older columns are DESIRED, CURRENT, UP-TO-DATE and AVAILABLE.
    deployment = door.get()
    assert (deployment["spec"]["replicas"], deployment["status"]["replicas"]) == (3, 3)
    (replica_set,) = door.cluster.list("ReplicaSet")
    shown = columns(door, "ReplicaSet", replica_set["metadata"]["name"])
    assert list(shown) == ["NAME", "DESIRED", "CURRENT", "READY", "AGE"]
    assert list(shown.values())[1:] == [3, 3, 3, "6s"]
    pod = columns(door, "Pod", door.pods()[0]["metadata"]["name"])
    assert list(pod) == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert (pod["READY"], pod["STATUS"]) == ("1/1", "Running")
    door.set_image(MISSING)
    door.run(60)
    newest = max(door.pods(), key=lambda one: one["metadata"]["creationTimestamp"])
    shown = columns(door, "Pod", newest["metadata"]["name"])
    assert (shown["READY"], shown["STATUS"]) == ("0/1", "ImagePullBackOff")


@pytest.mark.spec("KCTL-05")
def test_a_set_has_a_version_for_each_of_its_changes_in_order():
    door = Door(start="2s")
    door.apply(make_set())
    door.run(10)
    versions = [one for one in door.cluster.take_changes().versions if one.new.kind.id == "ReplicaSet"]
    numbers = [one.resource_version for one in versions]
    assert numbers == sorted(set(numbers)) and [one.type for one in versions[:2]] == ["ADDED", "MODIFIED"]
    shown = [
        tuple(
            decide_columns(one.new.to_json(door.cluster.epoch_ms), 0, epoch_ms=door.cluster.epoch_ms).values()
        )[1:4]
        for one in versions
    ]
    assert shown[0] == (3, 0, 0) and shown[-1] == (3, 3, 3)


@pytest.mark.spec("KCTL-07", "KCTL-08")
def test_a_pod_says_whose_it_is():
    door = Door()
    door.apply(make_deployment(1))
    door.run(5)
    (pod,) = door.pods()
    meta, (replica_set,) = pod["metadata"], door.cluster.list("ReplicaSet")
    owner = replica_set["metadata"]
    assert (pod["apiVersion"], pod["kind"], meta["namespace"]) == ("v1", "Pod", "default")
    assert meta["generateName"] == f"{owner['name']}-" and meta["name"].startswith(meta["generateName"])
    assert sorted(meta["labels"]) == ["app", "pod-template-hash"]
    assert owner["name"] == f"web-{meta['labels']['pod-template-hash']}"
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner["name"], "uid": owner["uid"]}
    assert meta["ownerReferences"] == [{**reference, "blockOwnerDeletion": True, "controller": True}]
    assert meta["creationTimestamp"].endswith("Z")


@pytest.mark.spec("KCTL-09", "KCTL-10", "DEP-STAT-14")
def test_what_describes_a_deployment_whose_rollout_is_stuck():
    door = Door()
    door.apply(make_deployment(3, progressDeadlineSeconds=10))
    door.run(5)
    door.set_image(MISSING)
    door.run(30)
    deployment = door.get()
    meta, spec, status = deployment["metadata"], deployment["spec"], deployment["status"]
    assert meta["annotations"]["deployment.kubernetes.io/revision"] == "2"
    numbers = [
        spec["replicas"],
        *(status.get(one) for one in ("updatedReplicas", "replicas", "availableReplicas")),
    ]
    # 3 desired | 1 updated | 4 total | 3 available | 1 unavailable
    assert [*numbers, status["unavailableReplicas"]] == [3, 1, 4, 3, 1]
    assert spec["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
    }
    conditions = {one["type"]: one for one in status["conditions"]}
    assert conditions["Progressing"]["reason"] == "ProgressDeadlineExceeded"
    fields = {"lastTransitionTime", "lastUpdateTime", "message", "reason", "status", "type"}
    assert all(set(one) == fields for one in conditions.values())
    # OldReplicaSets: web-… (3/3 replicas created); NewReplicaSet: web-… (1/1 replicas created).
    assert door.sets() == [(3, 3, 3), (1, 1, 0)]
    assert status["observedGeneration"] == meta["generation"] == 2
    door.change("rollout", action="undo")
    door.run(30)
    assert [wanted for wanted, _, _ in door.sets()] == [3, 0]


@pytest.mark.spec("KCTL-11", "RC-07", "RC-10")
def test_what_describes_a_set_and_a_replication_controller():
    door = Door()
    for manifest in (make_set(), make_controller("other")):
        manifest["spec"]["selector"] = (
            {"matchLabels": {"app": "set"}} if manifest["kind"] == "ReplicaSet" else None
        )
        door.apply(
            json.loads(json.dumps(manifest).replace('"labels": {"app": "nginx"}', LABELS[manifest["kind"]]))
        )
    door.run(5)
    for kind, name in (("ReplicaSet", "web"), ("ReplicationController", "other")):
        found = door.get(kind, name)
        assert (found["status"]["replicas"], found["spec"]["replicas"]) == (3, 3)
        uid = found["metadata"]["uid"]
        phases = [
            pod["status"]["phase"]
            for pod in door.pods()
            if pod["metadata"]["ownerReferences"][0]["uid"] == uid
        ]
        assert phases == ["Running"] * 3
        events = [row for row in door.rows if row["type"] == "event" and row["kind"] == kind]
        assert [row["reason"] for row in events] == ["SuccessfulCreate"] * 3
    controller = door.get("ReplicationController", "other")
    assert controller["spec"]["selector"] == controller["metadata"]["labels"] == {"app": "nginx"}
    (container,) = controller["spec"]["template"]["spec"]["containers"]
    assert (container["name"], container["image"], container["ports"]) == (
        "nginx",
        "nginx",
        [{"containerPort": 80, "protocol": "TCP"}],
    )


LABELS = {"ReplicaSet": '"labels": {"app": "set"}', "ReplicationController": '"labels": {"app": "nginx"}'}


@pytest.mark.spec("RC-11")
def test_pods_of_a_controller_are_found_by_their_label():
    door = Door()
    door.apply(make_controller())
    door.run(5)
    names = sorted(
        one["metadata"]["name"] for one in door.pods() if one["metadata"]["labels"] == {"app": "nginx"}
    )
    assert len(names) == 3 and all(name.startswith("nginx-") and len(name) == 11 for name in names)


@pytest.mark.spec("KCTL-29")
@pytest.mark.parametrize(
    "kind, expected",
    [
        ("StatefulSet", "NAME READY AGE"),
        ("DaemonSet", "NAME DESIRED CURRENT READY UP-TO-DATE AVAILABLE NODE_SELECTOR AGE"),
        (
            "PersistentVolumeClaim",
            "NAME STATUS VOLUME CAPACITY ACCESS_MODES STORAGECLASS VOLUMEATTRIBUTESCLASS AGE",
        ),
        ("HorizontalPodAutoscaler", "NAME REFERENCE TARGETS MINPODS MAXPODS REPLICAS AGE"),
    ],
)
def test_the_columns_of_other_kinds(kind: str, expected: str):
    shown = decide_columns({"kind": kind, "metadata": {"name": "one"}}, 0)
    assert [name.replace(" ", "_") for name in shown] == expected.split()


# --- writing ----------------------------------------------------------------------------------------------


@pytest.mark.spec("KCTL-01", "RC-06", "KCTL-31")
def test_applying_creates_then_configures_then_changes_nothing():
    cluster = Cluster()
    names = [one["metadata"]["name"] for one in cluster.list("Namespace")]
    assert {"default", "kube-system"} <= set(names)

    def apply(manifest: dict[str, Any]) -> Result:
        return cluster.submit(Command("c", "apply", {"object": manifest}))

    manifest = make_controller()
    first = apply(manifest)
    assert first.object is not None
    assert (first.code, first.object["metadata"]["namespace"]) == (201, "default")
    version = cluster.version_of("ReplicationController", "default", "nginx")
    cluster.take_changes()
    assert apply(manifest).code == 200
    assert not [one for one in cluster.take_changes().versions if one.new.kind.id == "ReplicationController"]
    manifest["spec"]["replicas"] = 4
    assert apply(manifest).code == 200
    assert cluster.version_of("ReplicationController", "default", "nginx") != version


@pytest.mark.spec("KCTL-15", "KCTL-16", "KCTL-25")
def test_images_and_resources_are_set_by_a_patch_of_the_template():
    door = Door()
    door.apply(make_deployment(1))
    door.run(5)
    generation = door.get()["metadata"]["generation"]
    door.set_image("nginx:1.16.1")
    limits = {"cpu": "200m", "memory": "512Mi"}
    patch = {
        "spec": {"template": {"spec": {"containers": [{"name": "nginx", "resources": {"limits": limits}}]}}}
    }
    door.change("patch", type="strategic", patch=patch)
    found = door.get()
    (container,) = found["spec"]["template"]["spec"]["containers"]
    assert (container["image"], container["resources"]["limits"]) == ("nginx:1.16.1", limits)
    assert found["metadata"]["generation"] == generation + 2
    # What is edited in the metadata alone starts nothing, though annotations count as a Deployment's own.
    sets = door.cluster.list("ReplicaSet")
    door.change("patch", type="merge", patch={"metadata": {"annotations": {"a": "b"}}})
    assert door.get()["metadata"]["generation"] == generation + 3
    door.run(1)
    assert len(door.cluster.list("ReplicaSet")) == len(sets)


@pytest.mark.spec("KCTL-17", "KCTL-18", "KCTL-19")
def test_the_history_is_that_of_the_sets():
    door = Door()
    cause = "kubernetes.io/change-cause"
    door.apply(make_deployment(1))
    door.run(5)
    door.set_image("nginx:1.16.1")
    door.run(5)
    door.change(
        "patch", type="merge", patch={"metadata": {"annotations": {cause: "image updated to 1.16.1"}}}
    )
    door.run(5)
    history = {}
    for one in door.cluster.list("ReplicaSet"):
        marks = one["metadata"]["annotations"]
        image = one["spec"]["template"]["spec"]["containers"][0]["image"]
        history[marks["deployment.kubernetes.io/revision"]] = (marks.get(cause, "<none>"), image)
    assert history == {"1": ("<none>", "nginx:1.14.2"), "2": ("image updated to 1.16.1", "nginx:1.16.1")}
    template = door.cluster.list("ReplicaSet")[1]["spec"]["template"]
    assert sorted(template["metadata"]["labels"]) == ["app", "pod-template-hash"]


@pytest.mark.spec("KCTL-21")
@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"])
def test_what_has_a_size_is_scaled_by_its_subresource(kind: str):
    door = Door()
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "nginx"}}, "template": NGINX}
    more = {"StatefulSet": {"serviceName": "web"}, "ReplicationController": {"selector": {"app": "nginx"}}}
    version = "v1" if kind == "ReplicationController" else "apps/v1"
    spec |= more.get(kind, {})
    door.apply({"apiVersion": version, "kind": kind, "metadata": {"name": "web"}, "spec": spec})
    generation = door.get(kind)["metadata"]["generation"]
    door.change("scale", "web", kind, replicas=4)
    found = door.get(kind)
    assert (found["spec"]["replicas"], found["metadata"]["generation"]) == (4, generation + 1)


@pytest.mark.spec("KCTL-24")
def test_a_rollout_is_paused_and_resumed():
    door = Door()
    door.apply(make_deployment(1))
    door.change("rollout", action="pause")
    assert door.get()["spec"]["paused"] is True
    door.change("rollout", action="resume")
    assert not door.get()["spec"].get("paused")


@pytest.mark.parametrize(
    "is_paused, action, problem",
    [
        (True, "pause", "is already paused"),
        (False, "resume", "is not paused"),
        (True, "restart", "can't restart paused deployment (run rollout resume first)"),
    ],
)
def test_what_kubectl_does_not_ask_of_a_paused_deployment(is_paused: bool, action: str, problem: str):
    door = Door()
    door.apply(make_deployment(1, paused=is_paused))
    refused = door.submit("rollout", kind="Deployment", namespace="default", name="web", action=action)
    assert refused.status["message"] == f'deployments.apps "web" {problem}'


@pytest.mark.spec("KCTL-26")
def test_a_patch_that_changes_nothing_is_no_version():
    door = Door()
    door.apply(make_deployment(1))
    patch = {"spec": {"progressDeadlineSeconds": 600}}
    before = door.cluster.version_of("Deployment", "default", "web")
    door.change("patch", type="strategic", patch=patch)
    assert door.cluster.version_of("Deployment", "default", "web") == before
    door.change("patch", type="strategic", patch={"spec": {"progressDeadlineSeconds": 700}})
    assert door.cluster.version_of("Deployment", "default", "web") != before


# --- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.spec("KCTL-30", "DEP-RECR-04", "DEP-SPEC-01", "RS-SPEC-01", "RS-COST-03")
@pytest.mark.parametrize(
    "manifest, said",
    [
        pytest.param(
            make_deployment(strategy={"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}),
            '422 Deployment.apps "web" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be'
            " specified when strategy `type` is 'Recreate'",
            id="rolling update of Recreate",
        ),
        pytest.param(
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}},
            "spec.selector: Required value",
            id="a Deployment without a spec",
        ),
        pytest.param(
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}},
            "spec.selector: Required value",
            id="a ReplicaSet without a spec",
        ),
        pytest.param(
            {**make_deployment(), "metadata": {}},
            "metadata.name: Required value: name or generateName is required",
            id="without a name",
        ),
        pytest.param({**make_set(), "apiVersion": ""}, "400 ", id="without a version"),
        *(
            pytest.param(
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {
                        "name": "web",
                        "annotations": {"controller.kubernetes.io/pod-deletion-cost": text},
                    },
                    "spec": NGINX["spec"],
                },
                "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value:"
                f" {json.dumps(text)}: must be a 32bit integer",
                id=f"deletion cost {text!r}",
            )
            for text in ("2147483648", "+10", "007", "1.5", "")
        ),
    ],
)
def test_what_breaks_a_rule_is_refused_and_not_stored(manifest: dict[str, Any], said: str):
    assert said in refused(Door(), manifest)


@pytest.mark.parametrize("text", ["2147483647", "-2147483648", "0", "-10"])
def test_costs_of_32_bits_are_taken(text: str):
    door = Door()
    annotations = {"controller.kubernetes.io/pod-deletion-cost": text}
    meta = {"name": "web", "annotations": annotations}
    door.apply({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": NGINX["spec"]})


@pytest.mark.spec("DEP-SPEC-04")
def test_a_template_has_no_version_and_kind_of_its_own():
    tables = load_tables()
    assert set(tables.types["PodTemplateSpec"]) == {"metadata", "spec"}
    assert tables.types["PodTemplateSpec"]["spec"].type_name == tables.types["Pod"]["spec"].type_name


# --- which controller makes what --------------------------------------------------------------------------


@pytest.mark.spec("POD-TPL-08", "RS-ALT-02", "WL-05")
@pytest.mark.parametrize(
    "kind, spec, owner",
    [
        ("Deployment", {"replicas": 2}, "ReplicaSet"),
        ("ReplicaSet", {"replicas": 2}, "ReplicaSet"),
        ("DaemonSet", {}, "DaemonSet"),
    ],
)
def test_each_kind_makes_its_own_pods(kind: str, spec: dict[str, Any], owner: str):
    door = Door()
    whole = {"selector": {"matchLabels": {"app": "nginx"}}, "template": NGINX, **spec}
    door.apply({"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": whole})
    door.run(10)
    pods = door.pods()
    assert len(pods) == spec.get("replicas", 3)
    assert {pod["metadata"]["ownerReferences"][0]["kind"] for pod in pods} == {owner}
    assert door.cluster.list("ReplicationController") == []


def make_workload(kind: str, **spec: Any) -> dict[str, Any]:
    whole = {"selector": {"matchLabels": {"app": "nginx"}}, "template": NGINX, **spec}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": whole}


def lives(door: Door) -> list[tuple[int, str, str]]:
    """(instant, name, created or deleted) of all pods."""
    return [
        (row["at_ms"], row["name"], row["new"])
        for row in door.rows
        if row["type"] == "transition" and row["kind"] == "Pod" and row["field"] == "exists"
    ]


@pytest.mark.spec("POD-TPL-04", "POD-TPL-12")
def test_each_kind_replaces_its_pods_in_an_order_of_its_own():
    door = Door()
    door.apply(make_workload("StatefulSet", replicas=2, serviceName="web"))
    door.run(10)
    since = len(lives(door))
    door.change("patch", "web", "StatefulSet", type="strategic", patch=TWO)
    door.run(60)
    # The last number first; a name is given anew when its pod is gone, never before.
    changes = lives(door)[since:]
    assert [(name, what) for _, name, what in changes] == [
        ("web-1", "deleted"),
        ("web-1", "created"),
        ("web-0", "deleted"),
        ("web-0", "created"),
    ]
    other = Door()
    other.apply(make_deployment(2))
    other.run(10)
    since = len(lives(other))
    other.set_image("nginx:2")
    other.run(60)
    # One more than wanted is made before the first goes.
    assert lives(other)[since][2] == "created"


TWO = {"spec": {"template": {"spec": {"containers": [{"name": "nginx", "image": "nginx:2"}]}}}}


@pytest.mark.spec("STS-REPL-01")
def test_an_applied_size_overwrites_one_that_was_set_by_hand():
    door = Door()
    manifest = make_workload("StatefulSet", replicas=2, serviceName="web")
    door.apply(manifest)
    door.change("scale", "web", "StatefulSet", replicas=5)
    assert door.get("StatefulSet")["spec"]["replicas"] == 5
    door.apply(manifest)
    assert door.get("StatefulSet")["spec"]["replicas"] == 2


@pytest.mark.spec("WL-08")
def test_a_job_runs_once_and_nobody_starts_it_again():
    door = Door()
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "app", "image": "sim/shell:1"}]}}
    door.apply(
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "once"},
            "spec": {"template": template},
        }
    )
    door.apply(make_deployment(1))
    door.run(120)
    (pod,) = [one for one in door.pods() if one["metadata"]["ownerReferences"][0]["kind"] == "Job"]
    assert (pod["status"]["phase"], pod["status"]["containerStatuses"][0]["restartCount"]) == ("Succeeded", 0)
    assert door.get("Job", "once")["status"]["succeeded"] == 1


@pytest.mark.spec("POD-TPL-10")
def test_a_pod_is_replaced_and_never_moved():
    door = Door()
    door.apply(make_deployment(1))
    door.run(10)
    (old,) = door.pods()
    place = (old["metadata"]["uid"], old["spec"]["nodeName"])
    door.change("cordon", old["spec"]["nodeName"], "Node")
    door.change("evict", old["metadata"]["name"], "Pod")
    door.run(60)
    (new,) = door.pods()
    assert new["metadata"]["uid"] != place[0] and new["spec"]["nodeName"] != place[1]
    nodes = [row["new"] for row in door.rows if row.get("uid") == place[0] and row.get("field") == "node"]
    assert nodes == [place[1]]


# --- autoscalers, as far as they are objects --------------------------------------------------------------


@pytest.mark.spec("KCTL-22", "KCTL-23", "RS-HPA-03", "RS-HPA-04")
@pytest.mark.parametrize(
    "target, name, bounds, percent",
    [("Deployment", "nginx-deployment", (10, 15), 80), ("ReplicaSet", "frontend", (3, 10), 50)],
)
def test_what_autoscale_makes_is_taken(target: str, name: str, bounds: tuple[int, int], percent: int):
    door = Door()
    reference = {"apiVersion": "apps/v1", "kind": target, "name": name}
    spec = {
        "scaleTargetRef": reference,
        "minReplicas": bounds[0],
        "maxReplicas": bounds[1],
        "metrics": [
            {
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}},
            }
        ],
    }
    kind = "HorizontalPodAutoscaler"
    door.apply({"apiVersion": "autoscaling/v2", "kind": kind, "metadata": {"name": name}, "spec": spec})
    shown = columns(door, kind, name)
    assert shown["REFERENCE"] == f"{target}/{name}"
    assert (shown["MINPODS"], shown["MAXPODS"]) == (str(bounds[0]), bounds[1])
    # Nothing is known of what pods use that ask for nothing.
    assert shown["TARGETS"] == f"cpu: <unknown>/{percent}%"
