"""What OpenAPI says of kinds and fields, which is what `kubectl explain` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.kube_api.describing import openapi
from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.kube_api.describing.field_defaults import list_defaults

pytestmark = pytest.mark.slow
Json = dict[str, Any]
# What answers are made of, which is nobody's kind.
OF_ANSWERS = tuple(
    f".meta.v1.{name}" for name in "ListMeta ShardInfo Status StatusCause StatusDetails".split()
)


@pytest.fixture(scope="module")
def schemas() -> Json:
    found = openapi.make_v3(list(list_built_in().values()))["components"]["schemas"]
    return {name: schema for name, schema in found.items() if not name.endswith(("List", *OF_ANSWERS))}


def list_silent(name: str, schema: Json) -> Iterator[str]:
    for field, one in (schema.get("properties") or {}).items():
        if not one.get("description"):
            yield f"{name}.{field}"


@pytest.mark.spec("KCTL-32")
def test_every_field_of_every_kind_is_described(schemas):
    whole = [name for name, one in schemas.items() if "metadata" in (one.get("properties") or {})]
    assert len(whole) > 70
    assert [one for name, schema in schemas.items() for one in list_silent(name, schema)] == []


# Each as the documentation of the API of Kubernetes says "Defaults to …" or "Default is …".
DEFAULTS: dict[tuple[str, str], Any] = {
    ("DeploymentSpec", "replicas"): 1,
    ("DeploymentSpec", "revisionHistoryLimit"): 10,
    ("DeploymentSpec", "progressDeadlineSeconds"): 600,
    ("DeploymentStrategy", "type"): "RollingUpdate",
    ("RollingUpdateDeployment", "maxSurge"): "25%",
    ("RollingUpdateDeployment", "maxUnavailable"): "25%",
    ("RollingUpdateDaemonSet", "maxUnavailable"): 1,
    ("StatefulSetSpec", "podManagementPolicy"): "OrderedReady",
    ("JobSpec", "backoffLimit"): 6,
    ("JobSpec", "completionMode"): "NonIndexed",
    ("JobSpec", "suspend"): False,
    ("CronJobSpec", "suspend"): False,
    ("CronJobSpec", "concurrencyPolicy"): "Allow",
    ("CronJobSpec", "successfulJobsHistoryLimit"): 3,
    ("PodSpec", "restartPolicy"): "Always",
    ("PodSpec", "terminationGracePeriodSeconds"): 30,
    ("PodSpec", "dnsPolicy"): "ClusterFirst",
    ("PodSpec", "enableServiceLinks"): True,
    ("Probe", "timeoutSeconds"): 1,
    ("Probe", "periodSeconds"): 10,
    ("Probe", "failureThreshold"): 3,
    ("HTTPGetAction", "scheme"): "HTTP",
    ("Container", "terminationMessagePath"): "/dev/termination-log",
    ("ContainerPort", "protocol"): "TCP",
    ("SecretVolumeSource", "defaultMode"): 0o644,
    ("ServiceSpec", "type"): "ClusterIP",
    ("ServiceSpec", "sessionAffinity"): "None",
    ("PersistentVolumeClaimSpec", "volumeMode"): "Filesystem",
    ("StorageClass", "volumeBindingMode"): "Immediate",
}
# By another field, by the whole of the spec, by nothing at all.
WITHOUT = [
    ("Container", "imagePullPolicy"),
    ("JobSpec", "completions"),
    ("NetworkPolicySpec", "policyTypes"),
    ("ServicePort", "targetPort"),
    ("ServiceSpec", "externalTrafficPolicy"),
    ("ObjectMeta", "namespace"),
    ("PodSpec", "nodeName"),
    ("PersistentVolumeClaimStatus", "phase"),
]


@pytest.mark.spec("KCTL-32")
def test_a_default_is_told_where_it_depends_on_nothing(schemas):
    found = list_defaults(DEFAULT_RELEASE)
    assert {key: found.get(key) for key in DEFAULTS} == DEFAULTS
    assert [key for key in WITHOUT if key in found] == []
    told = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]
    assert told["terminationGracePeriodSeconds"]["description"] == "A whole number. Default: 30."
    assert told["enableServiceLinks"]["description"] == "True or false. Default: true."


@pytest.mark.parametrize(
    "name, field, words",
    [
        ("apps.v1.Deployment", "", "Modelled: what a cluster does with it is simulated."),
        ("networking.v1.NetworkPolicy", "", "Stored. Nothing in the model acts on it."),
        ("rbac.v1.Role", "", "Says who may do what through the API. Controllers are held to none."),
        ("apps.v1.Deployment", "status", "What is so: the cluster writes it."),
        ("core.v1.PodSpec", "containers", "Strategic merge patches merge its entries by name."),
        ("core.v1.PodSpec", "containers", "Server-side apply owns its entries by name."),
        ("core.v1.Container", "command", "A list of texts. Server-side apply owns it whole."),
        ("core.v1.Container", "ports", "entries by containerPort and protocol."),
        ("core.v1.ResourceRequirements", "limits", "A map of names to amounts, as 500m, 1.5 or 2Gi."),
        ("core.v1.PodSpec", "resourceClaims", "Not modelled: pods run without the devices they claim."),
        ("core.v1.PersistentVolumeClaimSpec", "dataSource", "Not modelled: the volume is made empty."),
        (
            "core.v1.Lifecycle",
            "stopSignal",
            "In initContainers[].lifecycle dropped while the feature gate ContainerStopSignals is off.",
        ),
    ],
)
@pytest.mark.spec("KCTL-32")
def test_what_is_said_stands_in_the_tables(schemas, name, field, words):
    schema = schemas[f"io.k8s.api.{name}"]
    assert words in (schema["properties"][field] if field else schema)["description"]
