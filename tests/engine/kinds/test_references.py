"""What objects need by name and nobody gives, and what they set that nothing acts on."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from lifecycle.engine.heart.feature_gates import FEATURE_DEFAULTS
from lifecycle.engine.kinds.gated_fields import GATED_FIELDS, list_dropped
from lifecycle.engine.kinds.references import list_missing
from lifecycle.engine.kinds.unmodelled import UNMODELLED, list_unmodelled
from lifecycle.engine.releases.known import load_releases
from lifecycle.engine.schema.tables import find_fields, load_tables

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: app, image: nginx}]
"""


def make(text: str) -> dict[str, Any]:
    data = yaml.safe_load(text)
    assert isinstance(data, dict)
    return data


def deployment(**pod: Any) -> dict[str, Any]:
    data = make(DEPLOYMENT)
    data["spec"]["template"]["spec"] |= pod
    return data


def claim(**spec: Any) -> dict[str, Any]:
    return make("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}") | {"spec": spec}


@pytest.mark.parametrize(
    "pod, expected",
    [
        pytest.param(
            {"priorityClassName": "high", "runtimeClassName": "gvisor"},
            ["PriorityClass high (priorityClassName)", "RuntimeClass gvisor (runtimeClassName)"],
            id="classes",
        ),
        pytest.param({"priorityClassName": "system-node-critical"}, [], id="a class that all clusters have"),
        pytest.param(
            {"serviceAccountName": "robot", "imagePullSecrets": [{"name": "pull"}]},
            ["ServiceAccount shop/robot (serviceAccountName)", "Secret shop/pull (imagePullSecrets[0])"],
            id="account and registry",
        ),
        pytest.param({"serviceAccountName": "default"}, [], id="the account of every namespace"),
        pytest.param(
            {
                "volumes": [
                    {"name": "a", "projected": {"sources": [{"configMap": {"name": "kube-root-ca.crt"}}]}}
                ]
            },
            [],
            id="the bundle of every namespace",
        ),
        pytest.param(
            {
                "volumes": [
                    {"name": "a", "configMap": {"name": "one", "optional": True}},
                    {"name": "b", "secret": {"secretName": "two"}},
                    {"name": "c", "projected": {"sources": [{}, {"configMap": {"name": "three"}}]}},
                    {"name": "d", "persistentVolumeClaim": {"claimName": "disk"}},
                ]
            },
            [
                "Secret shop/two (volumes[1].secret, not mounted)",
                "ConfigMap shop/three (volumes[2].projected.sources[1].configMap, not mounted)",
                "PersistentVolumeClaim shop/disk (volumes[3].persistentVolumeClaim)",
            ],
            id="volumes, but for what is optional",
        ),
        pytest.param(
            {
                "initContainers": [{"name": "i", "image": "x", "volumeMounts": [{"name": "b"}]}],
                "containers": [
                    {"name": "c", "image": "x", "volumeMounts": [{"name": "a"}]},
                ],
                "volumes": [
                    {"name": "a", "configMap": {"name": "one"}},
                    {"name": "b", "secret": {"secretName": "two"}},
                ],
            },
            ["ConfigMap shop/one (volumes[0].configMap)", "Secret shop/two (volumes[1].secret)"],
            id="volumes that containers mount",
        ),
        pytest.param(
            {"initContainers": [{"name": "i", "image": "x", "envFrom": [{"configMapRef": {"name": "env"}}]}]},
            ["ConfigMap shop/env (initContainers[0].envFrom[0].configMapRef)"],
            id="environment",
        ),
    ],
)
def test_what_a_pod_needs_is_named_with_its_place(pod: dict[str, Any], expected: list[str]) -> None:
    wanted = [line.replace(" (", ", wanted by Deployment shop/web (spec.template.spec.") for line in expected]
    assert [str(one) for one in list_missing([deployment(**pod)])] == wanted


def test_what_is_given_or_there_is_not_missing() -> None:
    web = deployment(
        volumes=[{"name": "a", "configMap": {"name": "one"}}, {"name": "b", "secret": {"secretName": "two"}}]
    )
    other = make("{apiVersion: acme.example.com/v1, kind: ConfigMap, metadata: {name: one, namespace: shop}}")
    given = make("{apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: shop}}")
    assert [one.kind for one in list_missing([web, other])] == ["ConfigMap", "Secret"]
    assert list_missing([web, given], [("Secret", "shop", "two")]) == []
    assert [one.name for one in list_missing([web, given, web])] == ["two"], "each is named once"


def test_a_claims_class_is_an_object_or_said_by_a_volume() -> None:
    line = "StorageClass fast, wanted by PersistentVolumeClaim data (spec.storageClassName)"
    volume = make("{apiVersion: v1, kind: PersistentVolume, metadata: {name: disk}}")
    assert list(map(str, list_missing([claim(storageClassName="fast")]))) == [line]
    assert (
        list_missing([claim(storageClassName="fast"), volume | {"spec": {"storageClassName": "fast"}}]) == []
    )
    assert list_missing([claim(), claim(storageClassName="")]) == []


def test_a_stateful_sets_claims_need_their_class() -> None:
    template = {"metadata": {"name": "data"}, "spec": {"storageClassName": "fast"}}
    data = deployment() | {"kind": "StatefulSet"}
    data["spec"]["volumeClaimTemplates"] = [template]
    (missing,) = list_missing([data])
    assert missing.path == "spec.volumeClaimTemplates[0].spec.storageClassName"


def test_kinds_of_others_are_let_be() -> None:
    odd = {"apiVersion": "acme.example.com/v1", "kind": "Odd", "metadata": {"name": "x"}}
    for spec in ([1], "text", {"volumeClaimTemplates": "none", "template": 5}):
        assert list_missing([{**odd, "spec": spec}]) == []
        assert list_unmodelled([{**odd, "spec": spec}]) == []


def test_what_would_look_at_writes_and_is_not_asked_is_said() -> None:
    webhook = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "gate"},
    }
    policy = {**webhook, "kind": "ValidatingAdmissionPolicy"}
    policy["spec"] = {"validations": [{"expression": "authorizer.path('/').check('get').allowed()"}]}
    said = list_unmodelled([webhook, policy])
    assert said[0].startswith("MutatingWebhookConfiguration gate: is stored, and no write is held to it: ")
    assert said[1].startswith("ValidatingAdmissionPolicy gate: spec.validations[0].expression: ")


def test_a_field_that_nothing_acts_on_is_said_once() -> None:
    devices = {"resourceClaims": [{"name": "gpu"}]}
    names = ["web", "api", "db", "cache"]
    objects = [deployment(**devices) for _ in names]
    for name, data in zip(names, objects, strict=True):
        data["metadata"]["name"] = name
    assert list_unmodelled(objects) == [
        "spec.resourceClaims (4 pod templates: Deployment shop/web, Deployment shop/api,"
        " Deployment shop/db, …): not modelled yet, ignored:"
        " pods run without the devices they claim"
    ]


@pytest.mark.parametrize(
    "data, paths",
    [
        (deployment(), []),
        (deployment(topologySpreadConstraints=[{"maxSkew": 1}]), []),
        (deployment(resourceClaims=[{"name": "gpu"}]), ["spec.resourceClaims"]),
        (deployment(volumes=[{"name": "a", "nfs": {"server": "x"}}]), ["spec.volumes[].nfs"]),
        (
            deployment(securityContext={"seccompProfile": {"type": "Localhost"}}),
            ["spec.securityContext.seccompProfile"],
        ),
        (deployment(securityContext={"seccompProfile": {"type": "RuntimeDefault"}}), []),
        (claim(storageClassName=""), []),
        (claim(accessModes=["ReadWriteOnce"]), []),
        (claim(accessModes=["ReadWriteOncePod"]), []),
        (
            claim(dataSource={"kind": "PersistentVolumeClaim", "name": "a"}),
            ["PersistentVolumeClaim spec.dataSource"],
        ),
    ],
)
def test_only_what_would_make_a_difference_is_said(data: dict[str, Any], paths: list[str]) -> None:
    assert [line.partition(" (")[0] for line in list_unmodelled([data])] == paths


def test_every_line_of_the_table_names_a_field_there_is() -> None:
    types = load_tables().types
    for one in UNMODELLED:
        kind = {"apiVersion": "v1", "kind": one.kind}
        fields = types["PodSpec"] if one.kind == "Pod" else find_fields(kind)
        for step in one.path.split("."):
            field = fields[step.removesuffix("[]")]
            fields = types.get((field.inner or field).type_name, {})


@pytest.mark.parametrize(
    "spec, given, expected",
    [
        pytest.param(
            {"serviceName": "db"}, [], ["Service shop/db, wanted by StatefulSet shop/web (spec.serviceName)"]
        ),
        pytest.param({"serviceName": "db"}, [("Service", "shop", "db")], [], id="given"),
        pytest.param({"serviceName": "db"}, [("Service", "default", "db")], None, id="of another namespace"),
        pytest.param({"serviceName": ""}, [], [], id="none wanted"),
    ],
)
def test_a_stateful_set_needs_the_service_that_names_its_pods(
    spec: dict[str, Any], given: list[Any], expected: list[str] | None
) -> None:
    data = deployment() | {"kind": "StatefulSet"}
    data["spec"] |= spec
    found = [str(one) for one in list_missing([data], given)]
    assert len(found) == 1 if expected is None else found == expected


def test_fields_whose_gate_is_off_are_said_to_be_dropped() -> None:
    """STS-MAXU-03; `stopSignal` is alpha in v1.35."""
    data = deployment() | {"kind": "StatefulSet"}
    data["spec"]["updateStrategy"] = {"rollingUpdate": {"maxUnavailable": 2}}
    data["spec"]["template"]["spec"]["containers"][0]["lifecycle"] = {"stopSignal": "SIGUSR1"}
    assert list_dropped([data, deployment()], FEATURE_DEFAULTS) == [
        "StatefulSet spec.updateStrategy.rollingUpdate.maxUnavailable (StatefulSet shop/web): dropped, as"
        " Kubernetes drops it while the feature gate MaxUnavailableStatefulSet is off",
        "spec.containers[].lifecycle.stopSignal (1 pod template: StatefulSet shop/web): dropped, as"
        " Kubernetes drops it while the feature gate ContainerStopSignals is off",
    ]
    gates = {"MaxUnavailableStatefulSet": True, "ContainerStopSignals": True}
    assert list_dropped([data], gates) == []


VERSIONS = {"HorizontalPodAutoscaler": "autoscaling/v2"}


def test_every_gated_field_is_one_there_is_and_its_gate_is_known() -> None:
    types = load_tables().types
    for one in GATED_FIELDS:
        assert any(release.defaults[one.gate] is False for release in load_releases())
        fields = (
            types["PodSpec"]
            if one.kind == "Pod"
            else find_fields({"apiVersion": VERSIONS.get(one.kind, "apps/v1"), "kind": one.kind})
        )
        for step in one.path.split("."):
            field = fields[step.removesuffix("[]")]
            fields = types.get((field.inner or field).type_name, {})


def test_who_cannot_start_is_named_rather_than_one_who_can() -> None:
    volumes = [{"name": "a", "configMap": {"name": "one"}}]
    idle = deployment(volumes=volumes)
    asking = deployment(volumes=volumes, containers=[{"name": "c", "volumeMounts": [{"name": "a"}]}])
    asking["metadata"]["name"] = "asking"
    for objects in ([idle, asking], [asking, idle]):
        assert [(one.needed_by, one.path) for one in list_missing(objects)] == [
            ("Deployment shop/asking", "spec.template.spec.volumes[0].configMap")
        ]
