"""What a v1.35.6 server answered to workloads that cannot be, new and changed, and to what is said"
" of them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from lifecycle.engine.schema.go_errors import find_decode_error
from tests.engine.api.desk import Desk, Json, make, make_deployment, said

CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
FIXED = (
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template',"
    " 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'"
    " are forbidden"
)
LESS = "must be greater than or equal to 0"
MORE = "cannot be greater than status.replicas"
MATCH = (
    'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'
)


def make_workload(kind: str) -> Json:
    data = make_deployment(replicas=0)
    spec = data["spec"]
    if kind == "DaemonSet":
        del spec["replicas"]
        spec["template"]["spec"]["nodeSelector"] = {"no": "where"}
    if kind == "StatefulSet":
        spec["volumeClaimTemplates"] = [{"metadata": {"name": "d"}, "spec": copy.deepcopy(CLAIM)}]
    if kind == "ReplicationController":
        data["apiVersion"], spec["selector"] = "v1", {"app": "web"}
    return data | {"kind": kind}


def list_causes(result: Any) -> list[str]:
    assert result.status is not None, result
    return [f"{cause['field']}: {cause['message']}" for cause in result.status["details"]["causes"]]


@pytest.mark.parametrize(
    "kind, spec, expected",
    [
        (
            "StatefulSet",
            "{replicas: -1, serviceName: Bad_, volumeClaimTemplates: [{metadata: {name: d}, spec: {}}]}",
            [
                "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is"
                " required",
                "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
                f"spec.replicas: Invalid value: -1: {LESS}",
                "spec.serviceName",
            ],
        ),
        (
            "StatefulSet",
            "{selector: {matchExpressions: [{key: app, operator: Like}]}}",
            [
                'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector'
                " operator",
                'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app",'
                '"operator":"Like"}]}',
            ],
        ),
        (
            "StatefulSet",
            "{template: {metadata: {labels: {app: web, b: c d}}}}",
            ["spec.template.labels", "spec.template.labels"],
        ),
        (
            "ReplicationController",
            "{replicas: -1, minReadySeconds: -1}",
            [
                f"spec.minReadySeconds: Invalid value: -1: {LESS}",
                f"spec.replicas: Invalid value: -1: {LESS}",
            ],
        ),
    ],
)
def test_a_new_workload_is_refused_in_the_order_of_a_real_server(
    kind: str, spec: str, expected: list[str]
) -> None:
    data, given = make_workload(kind), yaml.safe_load(spec)
    for field, value in given.items():
        old = data["spec"].get(field)
        data["spec"][field] = {**old, **value} if isinstance(value, dict) else value
    if "template" in given:
        data["spec"]["template"]["spec"] = make_deployment()["spec"]["template"]["spec"]
    causes = list_causes(Desk().create(data))
    shown = [
        cause if ": " in text else cause.partition(":")[0]
        for cause, text in zip(causes, expected, strict=True)
    ]
    assert shown == expected


@pytest.mark.parametrize(
    "kind, patch, expected",
    [
        ("StatefulSet", "{spec: {selector: {matchLabels: {app: z}}}}", [MATCH, FIXED]),
        (
            "StatefulSet",
            "{spec: {replicas: -1, volumeClaimTemplates: null}}",
            [f"{{replicas}} -1: {LESS}", FIXED],
        ),
        (
            "DaemonSet",
            "{spec: {selector: {matchLabels: {app: z}}}}",
            ['spec.selector: Invalid value: {"matchLabels":{"app":"z"}}: field is immutable', MATCH],
        ),
    ],
)
def test_what_stays_for_life_is_said_in_its_place(kind: str, patch: str, expected: list[str]) -> None:
    desk = Desk()
    desk.created(make_workload(kind))
    refused = desk.patch(kind, yaml.safe_load(patch))
    assert list_causes(refused) == [
        text.replace("{replicas}", "spec.replicas: Invalid value:") for text in expected
    ]


@pytest.mark.parametrize(
    "kind, status, expected",
    [
        (
            "Deployment",
            {"replicas": -1},
            [
                f"replicas: Invalid value: -1: {LESS}",
                *(f"{part}Replicas: Invalid value: 0: {MORE}" for part in ("updated", "ready", "available")),
            ],
        ),
        (
            "Deployment",
            {"replicas": 1, "availableReplicas": 1, "collisionCount": -1},
            [
                f"collisionCount: Invalid value: -1: {LESS}",
                "availableReplicas: Invalid value: 1: cannot be greater than readyReplicas",
            ],
        ),
        (
            "ReplicaSet",
            {"replicas": 1, "fullyLabeledReplicas": 2, "terminatingReplicas": -1},
            [
                f"terminatingReplicas: Invalid value: -1: {LESS}",
                f"fullyLabeledReplicas: Invalid value: 2: {MORE}",
            ],
        ),
        ("ReplicationController", {"readyReplicas": 2}, [f"readyReplicas: Invalid value: 2: {MORE}"]),
        (
            "StatefulSet",
            {"availableReplicas": 1, "replicas": 1},
            ["availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas"],
        ),
        ("DaemonSet", {"collisionCount": -1}, [f"collisionCount: Invalid value: -1: {LESS}"]),
    ],
)
def test_a_status_is_counted_as_it_can_be(kind: str, status: Json, expected: list[str]) -> None:
    desk = Desk()
    desk.created(make_workload(kind))
    refused = desk.patch(kind, {"status": status}, subresource="status")
    assert list_causes(refused) == [f"status.{text}" for text in expected]


def test_a_size_below_0_is_one_of_a_scale() -> None:
    desk = Desk()
    desk.created(make_workload("Deployment"))
    refused = desk.patch("Deployment", {"spec": {"replicas": -1}}, subresource="scale")
    assert (refused.code, said(refused)) == (
        422,
        f'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: {LESS}',
    )
    assert desk.patch("Deployment", {"spec": {"replicas": None}}, subresource="scale").ok


def test_a_changed_job_is_looked_at_twice() -> None:
    desk = Desk()
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1.36"}]}
    job = make("Job", spec={"suspend": True, "template": {"spec": pod}}) | {"apiVersion": "batch/v1"}
    desk.created(job)
    refused = desk.patch("Job", {"spec": {"backoffLimit": -3}})
    assert list_causes(refused) == [f"spec.backoffLimit: Invalid value: -3: {LESS}"] * 2


@pytest.mark.parametrize(
    "metadata, expected",
    [
        (
            {"finalizers": ["a", "b c", "foregroundDeletion", "orphan"]},
            [
                'metadata.finalizers: Invalid value: "b c"',
                'metadata.finalizers: Invalid value: ["a","b c","foregroundDeletion","orphan"]: finalizer'
                " orphan and foregroundDeletion cannot be both set",
                'metadata.finalizers[0]: Invalid value: "a"',
                'metadata.finalizers[1]: Invalid value: "b c"',
            ],
        ),
        (
            {"labels": {"a" * 64: "b"}},
            [f'metadata.labels: Invalid value: "{"a" * 64}": name part must be no more than 63 bytes'],
        ),
    ],
)
def test_metadata_is_refused_as_a_real_server_answered(metadata: Json, expected: list[str]) -> None:
    causes = list_causes(Desk().create(make("ConfigMap", metadata=metadata)))
    assert [cause.startswith(text) for cause, text in zip(causes, expected, strict=True)] == [True] * len(
        expected
    )


@pytest.mark.parametrize("key, text", [("..", "be '..'"), (".", "be '.'"), ("..a", "start with '..'")])
def test_a_key_is_told_what_it_must_not_be(key: str, text: str) -> None:
    refused = Desk().create(make("ConfigMap", data={key: "x"}))
    assert list_causes(refused) == [f'data[{key}]: Invalid value: "{key}": must not {text}']


@pytest.mark.parametrize(
    "field, value", [("deletionTimestamp", "2020-01-01T00:00:00Z"), ("deletionGracePeriodSeconds", 5)]
)
def test_only_a_deletion_says_when_an_object_goes(field: str, value: Any) -> None:
    desk = Desk()
    desk.created(make("ConfigMap"))
    assert "field is immutable" in said(desk.patch("ConfigMap", {"metadata": {field: value}}))


def test_when_an_object_was_made_is_not_heard() -> None:
    desk = Desk()
    made = desk.created(make("ConfigMap"))["metadata"]["creationTimestamp"]
    patched = desk.patched("ConfigMap", {"metadata": {"creationTimestamp": "2020-01-01T00:00:00Z"}})
    assert patched["metadata"]["creationTimestamp"] == made


def make_service(**spec: Any) -> Json:
    return make("Service", spec={"selector": {"a": "b"}, "ports": [{"port": 80}], **spec})


def test_an_address_that_changes_alone_is_said_once() -> None:
    desk = Desk()
    desk.created(make_service())
    refused = desk.patch("Service", {"spec": {"clusterIP": "None"}})
    assert list_causes(refused) == ['spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set']


def test_what_a_service_does_not_need_is_not_kept() -> None:
    made = Desk().created(make_service(sessionAffinityConfig={"clientIP": {"timeoutSeconds": 5}}))
    assert "sessionAffinityConfig" not in made["spec"]


def test_nothing_is_no_target_of_a_port() -> None:
    made = Desk().created(make_service(ports=[{"port": 80, "targetPort": ""}]))
    assert made["spec"]["ports"][0]["targetPort"] == 80


@pytest.mark.parametrize(
    "data, status, expected",
    [
        (
            make_service(),
            {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}},
            ["loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"],
        ),
        (
            make("ResourceQuota", spec={"hard": {"pods": "5"}}),
            {"used": {"pods": -1}},
            [f'used[pods]: Invalid value: "-1": {LESS}'],
        ),
        (
            make("Pod", spec={"containers": [{"name": "app", "image": "nginx:1"}]}),
            {"qosClass": "Guaranteed", "observedGeneration": -1, "podIP": "bad"},
            [
                "observedGeneration: Invalid value: -1: must be a non-negative integer",
                'qosClass: Invalid value: "Guaranteed": field is immutable',
                'podIPs[0]: Invalid value: "bad": must be a valid IP address, (e.g. 10.9.8.7 or'
                " 2001:db8::ffff)",
            ],
        ),
    ],
)
def test_a_status_is_refused_as_a_real_server_answered(data: Json, status: Json, expected: list[str]) -> None:
    desk = Desk()
    desk.created(data)
    refused = desk.patch(data["kind"], {"status": status}, subresource="status")
    assert list_causes(refused) == [f"status.{text}" for text in expected]


def test_a_claim_shows_what_would_change() -> None:
    desk = Desk()
    desk.created(make("PersistentVolumeClaim", spec=copy.deepcopy(CLAIM)))
    refused = desk.patch("PersistentVolumeClaim", {"spec": {"accessModes": ["ReadWriteMany"]}})
    said_first, _, change = said(refused).partition("\n")
    assert said_first.endswith("volumeAttributesClassName for bound claims")
    assert change.startswith("@@ ") and '-  "ReadWriteOnce"' in change and '+  "ReadWriteMany"' in change


def test_labels_of_a_changed_object_are_looked_at_as_often_as_its_kind_says() -> None:
    desk = Desk()
    counts = {}
    budget = make("PodDisruptionBudget", spec={"minAvailable": 1}) | {"apiVersion": "policy/v1"}
    for data in (make("ConfigMap"), make_deployment(), budget):
        desk.created(data)
        refused = desk.patch(data["kind"], {"metadata": {"labels": {"a b": "c"}, "finalizers": ["d"]}})
        counts[data["kind"]] = [cause.partition(":")[0] for cause in list_causes(refused)]
    labels, finalizers = "metadata.labels", "metadata.finalizers[0]"
    assert counts == {
        "ConfigMap": [labels, labels, labels, finalizers, labels, finalizers],
        "Deployment": [labels, labels, labels, finalizers],
        "PodDisruptionBudget": [labels, labels],
    }


@pytest.mark.parametrize("given, kept", [(0.5, "500m"), (2, "2"), ("1000m", "1"), ("1.0001", "1001m")])
def test_amounts_are_kept_as_an_api_server_writes_them(given: Any, kept: str) -> None:
    limits = [{"type": "Container", "max": {"cpu": given}}]
    assert Desk().created(make("LimitRange", spec={"limits": limits}))["spec"]["limits"][0]["max"] == {
        "cpu": kept
    }


@pytest.mark.parametrize(
    "kind, version, spec, told",
    [
        (
            "PersistentVolumeClaim",
            "v1",
            {"accessModes": [5]},
            ("number", "accessModes", "v1.PersistentVolumeAccessMode"),
        ),
        (
            "PersistentVolumeClaim",
            "v1",
            {"accessModes": "a"},
            ("string", "accessModes", "[]v1.PersistentVolumeAccessMode"),
        ),
        (
            "StatefulSet",
            "apps/v1",
            {"podManagementPolicy": 5},
            ("number", "podManagementPolicy", "v1.PodManagementPolicyType"),
        ),
        ("PodDisruptionBudget", "policy/v1", {"minAvailable": []}, ("array", "minAvailable", "int32")),
        ("PodDisruptionBudget", "policy/v1", {"minAvailable": 1.5}, ("number 1.5", "minAvailable", "int32")),
    ],
)
def test_a_value_of_a_wrong_type_is_told_with_its_type_in_go(
    kind: str, version: str, spec: Json, told: tuple[str, str, str]
) -> None:
    given, field, wanted = told
    assert find_decode_error(make(kind, spec=spec) | {"apiVersion": version}) == (
        f"json: cannot unmarshal {given} into Go struct field {kind}Spec.spec.{field} of type {wanted}"
    )
