"""What v1.35 makes of odd objects: which errors, in which order, showing what; and what is filled in."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import validate_manifest, validate_update

CONTAINER = {"name": "app", "image": "busybox:1.36"}
PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)
QUALIFIED = "name is neither a standard finalizer name nor is it fully qualified"
API_VERSIONS = {
    "Deployment": "apps/v1",
    "DaemonSet": "apps/v1",
    "StatefulSet": "apps/v1",
    "PodDisruptionBudget": "policy/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
    "StorageClass": "storage.k8s.io/v1",
    "PriorityClass": "scheduling.k8s.io/v1",
    "Ingress": "networking.k8s.io/v1",
}


def refusals(kind: str, metadata: dict[str, Any] | None = None, **fields: Any) -> list[str]:
    data = {
        "apiVersion": API_VERSIONS.get(kind, "v1"),
        "kind": kind,
        "metadata": {"name": "web", **(metadata or {})},
        **fields,
    }
    return [str(error) for error in validate_manifest(apply_defaults(data))]


def of_pod(volumes: list[dict[str, Any]] | None = None, container: Any = None, **spec: Any) -> list[str]:
    containers = [{**CONTAINER, **(container or {})}]
    return refusals("Pod", spec={"containers": containers, "volumes": volumes or [], **spec})


def of_workload(kind: str, labels: dict[str, str] | None = None, **spec: Any) -> list[str]:
    metadata = {"labels": {"a": "b"} if labels is None else labels}
    template = {"metadata": metadata, "spec": {"containers": [CONTAINER]}}
    return refusals(kind, spec={"selector": {"matchLabels": {"a": "b"}}, "template": template, **spec})


def of_volume(**spec: Any) -> list[str]:
    return refusals(
        "PersistentVolume", spec={"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], **spec}
    )


@pytest.mark.parametrize(
    "rolling, expected",
    [
        pytest.param(
            {"maxSurge": 1},
            ["maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"],
            id="one node at a time unless it says otherwise",
        ),
        pytest.param(
            {"maxSurge": "", "maxUnavailable": 0},
            [
                f'maxSurge: Invalid value: "": {PERCENT}',
                "maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
            ],
            id="a text of no letters is given",
        ),
        pytest.param({"maxSurge": 1, "maxUnavailable": 0}, [], id="new pods first"),
    ],
)
@pytest.mark.spec("DS-UPD-04")
def test_a_daemon_set_says_both_of_surge_and_unavailability(rolling: dict[str, Any], expected: list[str]):
    said = of_workload("DaemonSet", updateStrategy={"type": "RollingUpdate", "rollingUpdate": rolling})
    assert said == [f"spec.updateStrategy.rollingUpdate.{one}" for one in expected]


@pytest.mark.parametrize(
    "rolling, expected",
    [
        pytest.param({"maxUnavailable": ""}, [f'Invalid value: "": {PERCENT}'], id="empty"),
        pytest.param(
            {"maxUnavailable": "/abs", "maxSurge": "0%"},
            [
                f'Invalid value: "/abs": {PERCENT}',
                'Invalid value: "/abs": may not be 0 when `maxSurge` is 0',
            ],
            id="what cannot be read counts as 0",
        ),
    ],
)
def test_amounts_of_a_rollout_that_cannot_be_read(rolling: dict[str, Any], expected: list[str]):
    said = of_workload("Deployment", strategy={"type": "RollingUpdate", "rollingUpdate": rolling})
    assert said == [f"spec.strategy.rollingUpdate.maxUnavailable: {one}" for one in expected]


def test_labels_of_a_template_are_shown_as_they_were_given():
    assert of_workload("Deployment", labels={}) == [
        "spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`"
    ]


def test_what_a_gate_hides_is_not_shown():
    strategy = {"type": "OnDelete", "rollingUpdate": {"maxUnavailable": 2}}
    assert of_workload("StatefulSet", serviceName="web", updateStrategy=strategy) == [
        'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":0,"MaxUnavailable":null}:'
        " only allowed for updateStrategy 'RollingUpdate'"
    ]


MANY = "Forbidden: may not specify more than 1 volume type"


@pytest.mark.parametrize(
    "volume, expected",
    [
        pytest.param(
            {"name": "v", "configMap": {"name": "c"}, "emptyDir": {}},
            [f"spec.volumes[0].configMap: {MANY}"],
            id="the first by the server's order, not by the manifest's",
        ),
        pytest.param(
            {"name": "v", "persistentVolumeClaim": {"claimName": "c"}, "secret": {}},
            [
                "spec.volumes[0].secret.secretName: Required value",
                f"spec.volumes[0].persistentVolumeClaim: {MANY}",
            ],
            id="the first is looked at before the others are too many",
        ),
        pytest.param(
            {"name": "v", "emptyDir": {}, "downwardAPI": {}},
            [f"spec.volumes[0].downwarAPI: {MANY}"],
            id="with the server's own slip",
        ),
        pytest.param(
            {"hostPath": {"path": "/a"}}, ["spec.volumes[0].name: Required value"], id="no name, one source"
        ),
    ],
)
def test_a_volume_has_one_source(volume: dict[str, Any], expected: list[str]):
    assert of_pod([volume]) == expected


@pytest.mark.parametrize(
    "container, spec, expected",
    [
        pytest.param(
            {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]},
            {"restartPolicy": "Never"},
            ["resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when `restartPolicy`"],
            id="no restart where nothing restarts",
        ),
        pytest.param(
            {"livenessProbe": {"exec": {}, "tcpSocket": {"port": 80}}},
            {},
            [
                "livenessProbe.exec.command: Required value",
                "livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type",
            ],
            id="the first check is looked at",
        ),
        pytest.param(
            {"lifecycle": {"preStop": {"exec": {"command": ["a"]}, "sleep": {"seconds": 99}}}},
            {},
            ["lifecycle.preStop.sleep: Forbidden: may not specify more than 1 handler type"],
            id="one hook too many is not looked at",
        ),
        pytest.param(
            {"resources": {"requests": {"example.com/gpu": "500m"}}},
            {},
            [
                'resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer',
                "resources.limits: Required value: Limit must be set for non overcommitable resources",
            ],
            id="half a device without a limit",
        ),
        pytest.param(
            {"resources": {"requests": {"memory": "1Mi"}, "limits": {"memory": "-1"}}},
            {},
            [
                'resources.limits[memory]: Invalid value: "-1": must be greater than or equal to 0',
                'resources.requests: Invalid value: "1Mi": must be less than or equal to memory limit of -1',
            ],
            id="a limit below nothing",
        ),
    ],
)
def test_a_container_is_refused(container: dict[str, Any], spec: dict[str, Any], expected: list[str]):
    said = of_pod(container=container, **spec)
    assert len(said) == len(expected)
    for one, wanted in zip(said, expected, strict=True):
        assert one.startswith(f"spec.containers[0].{wanted}")


def test_two_containers_without_a_name_have_one_name():
    spec = {"containers": [{"image": "a"}, {"image": "b"}]}
    assert refusals("Pod", spec=spec) == [
        "spec.containers[0].name: Required value",
        "spec.containers[1].name: Required value",
        'spec.containers[1].name: Duplicate value: ""',
    ]


TERM = "spec.nodeAffinity.required.nodeSelectorTerms"


@pytest.mark.parametrize(
    "spec, expected",
    [
        pytest.param(
            {"hostPath": {"path": "/a", "type": "a_b"}},
            [
                'spec.hostPath.type: Unsupported value: "a_b": supported values: "", "BlockDevice", '
                '"CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"'
            ],
            id="type of a path",
        ),
        pytest.param(
            {"nfs": {"server": "s", "path": ""}},
            [
                "spec.nfs.path: Required value",
                'spec.nfs.path: Invalid value: "": must be an absolute path',
            ],
            id="no path",
        ),
        pytest.param(
            {"csi": {"driver": "d" * 64, "volumeHandle": "h", "nodePublishSecretRef": {"name": "s"}}},
            [
                "spec.csi.driver: Too long: may not be more than 63 bytes",
                "spec.csi.nodePublishSecretRef.namespace: Required value",
            ],
            id="a driver and its Secret",
        ),
        pytest.param(
            {"hostPath": {"path": "/a"}, "nodeAffinity": {"required": {"nodeSelectorTerms": []}}},
            [f"{TERM}: Required value: must have at least one node selector term"],
            id="no term",
        ),
        pytest.param(
            {
                "hostPath": {"path": "/a"},
                "nodeAffinity": {
                    "required": {
                        "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "1Gi"}]}]
                    }
                },
            },
            [f'{TERM}[0].matchExpressions[0].operator: Invalid value: "1Gi": not a valid selector operator'],
            id="an operator that is none",
        ),
        pytest.param(
            {"hostPath": {"path": "/a"}, "capacity": {}},
            [
                "spec.capacity: Required value",
                'spec.capacity: Unsupported value: {}: supported values: "storage"',
            ],
            id="no capacity",
        ),
        pytest.param(
            {"hostPath": {"path": "/a"}, "capacity": {"storage": "-1"}},
            [
                "spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
                'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
            ],
            id="less than nothing",
        ),
    ],
)
def test_a_volume_of_the_cluster_is_refused(spec: dict[str, Any], expected: list[str]):
    assert of_volume(**spec) == expected


@pytest.mark.parametrize(
    "kind, fields, expected",
    [
        pytest.param(
            "StorageClass",
            {"provisioner": "p", "volumeBindingMode": ""},
            [
                'volumeBindingMode: Unsupported value: "":'
                ' supported values: "Immediate", "WaitForFirstConsumer"'
            ],
            id="empty mode",
        ),
        pytest.param(
            "PriorityClass",
            {"value": 1, "preemptionPolicy": ""},
            ["preemptionPolicy: Required value"],
            id="empty policy",
        ),
        pytest.param(
            "Ingress",
            {"spec": {"rules": []}},
            ["spec: Invalid value: []: either `defaultBackend` or `rules` must be specified"],
            id="no rules",
        ),
        pytest.param(
            "Namespace",
            {"spec": {"finalizers": ["a"]}},
            [f'spec.finalizers: Invalid value: "a": {QUALIFIED}'],
            id="a finalizer of a namespace",
        ),
        pytest.param(
            "ResourceQuota",
            {"spec": {"hard": {"count/jobs.batch": "10m"}}},
            ['spec.hard[count/jobs.batch]: Invalid value: "10m": must be an integer'],
            id="objects are counted whole",
        ),
        pytest.param(
            "LimitRange",
            {"spec": {"limits": [{"type": "Container", "default": {"cpu": "-1"}}]}},
            [],
            id="a default below nothing is not asked about",
        ),
        pytest.param(
            "LimitRange",
            {"spec": {"limits": [{"type": "Pod", "min": {"storage": "1"}, "default": {"cpu": "1"}}]}},
            [
                'spec.limits[0].min[storage]: Invalid value: "storage":'
                " must be a standard resource for containers",
                "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
            ],
            id="bounds before defaults",
        ),
        pytest.param(
            "Service",
            {"spec": {"clusterIP": "None", "clusterIPs": ["None", "None"]}},
            [
                "spec.ports: Required value",
                'spec.clusterIPs: Invalid value: ["None","None"]: \'None\' must be the first and only value',
                'spec.clusterIPs[1]: Invalid value: "None": must be a valid IP address,'
                " (e.g. 10.9.8.7 or 2001:db8::ffff)",
            ],
            id="no address, twice",
        ),
        pytest.param(
            "HorizontalPodAutoscaler",
            {
                "spec": {
                    "maxReplicas": 1,
                    "scaleTargetRef": {"apiVersion": "/abs", "kind": "Deployment", "name": "d"},
                }
            },
            [
                'spec.scaleTargetRef.apiVersion: Invalid value: "/abs": apiVersion must specify API group',
            ],
            id="a version of no group",
        ),
    ],
)
def test_other_objects_are_refused(kind: str, fields: dict[str, Any], expected: list[str]):
    assert refusals(kind, **fields) == expected


def test_that_there_is_no_such_metric_is_said_before_and_after_its_source():
    pods = {"metric": {}, "target": {"type": "AverageValue", "averageValue": "1"}}
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
    metrics = [{"type": "Magic", "pods": pods}]
    said = refusals(
        "HorizontalPodAutoscaler",
        spec={"maxReplicas": 1, "scaleTargetRef": target, "metrics": metrics},
    )
    none = (
        'spec.metrics[0].type: Unsupported value: "Magic": supported values: "ContainerResource",'
        ' "External", "Object", "Pods", "Resource"'
    )
    assert said == [
        none,
        "spec.metrics[0].pods.metric.name: Required value: must specify a metric name",
        none,
    ]


@pytest.mark.parametrize(
    "spec, expected",
    [
        pytest.param(
            {"maxUnavailable": -1},
            ["spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0"],
            id="not while something else is wrong",
        ),
        pytest.param(
            {"maxUnavailable": 1}, ["metadata.name: Invalid value: \"a%\": may not contain '%'"], id="then"
        ),
    ],
)
def test_a_budgets_name_is_looked_at_last(spec: dict[str, Any], expected: list[str]):
    spec = {"selector": {"matchLabels": {"a": "b"}}, **spec}
    assert refusals("PodDisruptionBudget", {"name": "a%"}, spec=spec) == expected


def test_names_of_replication_controllers_are_counted_in_bytes():
    (said,) = refusals(
        "ReplicationController",
        {"name": "a" * 254},
        spec={
            "selector": {"a": "b"},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [CONTAINER]}},
        },
    )
    assert said.endswith("must be no more than 253 bytes")


def changes(kind: str, before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    head = {"apiVersion": API_VERSIONS.get(kind, "v1"), "kind": kind, "metadata": {"name": "web"}}
    old, new = (apply_defaults({**head, **fields}) for fields in (before, after))
    return [str(error) for error in validate_update(old, new)]


def quota(scope: str) -> dict[str, Any]:
    return {"spec": {"hard": {"pods": "1"}, "scopes": [scope]}}


def volume(key: str) -> dict[str, Any]:
    terms = [{"matchExpressions": [{"key": key, "operator": "Exists"}]}]
    affinity = {"required": {"nodeSelectorTerms": terms}}
    made = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/a"}}
    return {"spec": {**made, "nodeAffinity": affinity}}


def deployment(**selector: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [CONTAINER]}}
    return {"spec": {"selector": {"matchLabels": {"a": "b"}, **selector}, "template": template}}


@pytest.mark.parametrize(
    "kind, before, after, expected",
    [
        pytest.param(
            "StorageClass",
            {"provisioner": "a.b/c", "reclaimPolicy": "Delete"},
            {"provisioner": "a.b/c", "reclaimPolicy": "Burn"},
            [
                'reclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Retain"',
                "reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.",
            ],
            id="a class is looked at anew",
        ),
        pytest.param(
            "PriorityClass",
            {"value": 1},
            {"value": 2_000_000_001},
            ["value: Forbidden: may not be changed in an update."],
            id="a class of priority is not",
        ),
        pytest.param(
            "ResourceQuota",
            quota("BestEffort"),
            quota("Burst"),
            [
                'spec.scopes: Invalid value: ["Burst"]: unsupported scope',
                'spec.scopes: Invalid value: ["Burst"]: field is immutable',
            ],
            id="scopes stay",
        ),
        pytest.param(
            "PersistentVolume",
            volume("zone"),
            volume("rack"),
            [
                'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":'
                '[{"Key":"rack","Operator":"Exists","Values":null}],"MatchFields":null}]}}:'
                " field is immutable, except for updating from beta label to GA"
            ],
            id="a volume stays where it is",
        ),
        pytest.param(
            "Deployment",
            deployment(),
            deployment(matchExpressions=[{"key": "a", "operator": "Exists"}]),
            [
                'spec.selector: Invalid value: {"matchLabels":{"a":"b"},"matchExpressions":'
                '[{"key":"a","operator":"Exists"}]}: field is immutable'
            ],
            id="a selector is shown in the order of its fields",
        ),
    ],
)
def test_a_change_is_refused(kind: str, before: dict[str, Any], after: dict[str, Any], expected: list[str]):
    assert changes(kind, before, after) == expected


@pytest.mark.parametrize(
    "spec, types",
    [
        pytest.param({}, ["Ingress"], id="what comes in"),
        pytest.param({"egress": [{}]}, ["Ingress", "Egress"], id="and what goes out"),
        pytest.param({"policyTypes": ["Egress"]}, ["Egress"], id="as it says"),
    ],
)
def test_a_network_policy_says_what_it_rules(spec: dict[str, Any], types: list[str]):
    head = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "web"}}
    assert apply_defaults({**head, "spec": spec})["spec"]["policyTypes"] == types
