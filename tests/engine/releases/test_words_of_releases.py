"""What an API server of a release says of objects, where it is not what one of v1.35 says."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.api.commands import Result
from lifecycle.engine.kinds.pod import POD
from lifecycle.engine.kinds.presentation import summarize
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.releases.known import find_release
from lifecycle.engine.rules.columns.ages import Ages
from lifecycle.engine.rules.columns.column import Row
from lifecycle.engine.schema.check import find_type_problems
from tests.engine.kubelet.world import EPOCH_MS, World

Json = dict[str, Any]
KEY = "{} must consist of alphanumeric characters"
DEPRECATED = "spec.externalIPs is deprecated and may no longer be implemented in some clusters"


def make(release: str) -> Cluster:
    return Cluster(settings=Settings(kubernetes=release, nodes={"count": 1}))


def submit(cluster: Cluster, verb: str, **payload: Any) -> Result:
    return cluster.submit(Command(id="one", kind=verb, payload=payload))


def create(release: str, data: Json) -> Result:
    meta = {"name": "one", "namespace": "default", **data.get("metadata", {})}
    return submit(make(release), "create", object={**data, "metadata": meta})


def read_message(result: Result) -> str:
    return str((result.status or {}).get("message") or "")


@pytest.mark.parametrize(
    "release, most, said",
    [
        # pkg/apis/autoscaling/validation/validation.go of the releases
        ("1.35", 0, "spec.maxReplicas: Invalid value: 0: must be greater than 0"),
        ("1.36", 0, "spec.maxReplicas: Required value: must be set and greater than 0"),
        ("1.35", -2, "spec.maxReplicas: Invalid value: -2: must be greater than 0"),
        ("1.36", -2, "spec.maxReplicas: Invalid value: -2: must be greater than or equal to 1"),
        ("1.34", 0, "spec.maxReplicas: Invalid value: 0: must be greater than 0"),
    ],
)
def test_how_an_autoscaler_without_room_is_refused(release: str, most: int, said: str) -> None:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"scaleTargetRef": target, "maxReplicas": most}
    data = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "spec": spec}
    assert said in read_message(create(release, data))


RULE = {"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}
MANY_CODES = {"action": "Restart", "exitCodes": {"operator": "In", "values": [*range(1, 257)]}}
AT_CODES = "spec.containers[0].restartPolicyRules[0].exitCodes.values"


@pytest.mark.parametrize(
    "release, fields, said",
    [
        # pkg/apis/core/validation/validation.go of the releases; kubernetes/kubernetes#137136
        pytest.param(
            "1.35", {"restartPolicyRules": [RULE] * 21},
            "spec.containers[0].restartPolicyRules: Too long: may not be more than 20 bytes", id="rules",
        ),
        pytest.param(
            "1.36", {"restartPolicyRules": [RULE] * 21},
            "spec.containers[0].restartPolicyRules: Too many: 21: must have at most 20 items", id="counted",
        ),
        pytest.param(
            "1.35", {"restartPolicyRules": [MANY_CODES]},
            f"{AT_CODES}: Too long: may not be more than 255 bytes", id="codes",
        ),
        pytest.param(
            "1.36", {"restartPolicyRules": [MANY_CODES]},
            f"{AT_CODES}: Too many: 256: must have at most 255 items", id="codes counted",
        ),
        pytest.param(
            "1.35", {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]},
            "must be 'NotRequired' when `restartPolicy` is 'Never'", id="no restart",
        ),
        pytest.param(
            "1.36", {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]},
            "must be 'NotRequired' when pod `restartPolicy` is 'Never'", id="no restart of the pod",
        ),
    ],
)  # fmt: skip
def test_how_a_container_that_cannot_be_is_refused(release: str, fields: Json, said: str) -> None:
    container = {"name": "app", "image": "nginx", "restartPolicy": "Never", **fields}
    if "resizePolicy" in fields:
        del container["restartPolicy"]
    spec = {"restartPolicy": "Never", "containers": [container]}
    assert said in read_message(create(release, {"apiVersion": "v1", "kind": "Pod", "spec": spec}))


LETTER_FIRST = "a DNS-1035 label must consist of lower case alphanumeric characters or '-'"


@pytest.mark.parametrize(
    "release, gates, name, is_taken",
    [
        # ValidateServiceCreate; gate RelaxedServiceNameValidation, on since v1.36
        ("1.34", {}, "1web", False),
        ("1.35", {}, "1web", False),
        ("1.35", {"RelaxedServiceNameValidation": True}, "1web", True),
        ("1.36", {}, "1web", True),
        ("1.36", {}, "80", True),
        ("1.36", {"RelaxedServiceNameValidation": False}, "1web", False),
        ("1.36", {}, "-web", False),
        ("1.36", {}, "Web", False),
        ("1.36", {}, "we.b", False),
        ("1.36", {}, "w" * 64, False),
        ("1.35", {}, "web-1", True),
    ],
)
def test_the_name_of_a_service_may_begin_with_a_digit_since_v1_36(release, gates, name, is_taken) -> None:
    """And so may the name that an Ingress has of one."""
    service = {"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"port": 80}]}}
    backend = {"service": {"name": name, "port": {"number": 80}}}
    ingress = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "spec": {"defaultBackend": backend}}
    for data, meta, place in (
        (service, {"name": name}, "metadata.name"),
        (ingress, {"name": "one"}, "spec.defaultBackend.service.name"),
    ):
        cluster = Cluster(settings=Settings(kubernetes=release, nodes={"count": 1}, feature_gates=gates))
        made = submit(cluster, "create", object={**data, "metadata": {"namespace": "default", **meta}})
        assert made.ok is is_taken, read_message(made)
        assert is_taken or f"{place}: Invalid value" in read_message(made)
        if name == "1web" and not is_taken:
            assert LETTER_FIRST in read_message(made)


@pytest.mark.parametrize("release, noun", [("1.34", "a qualified name"), ("1.35", "a valid label key")])
@pytest.mark.parametrize("field", ["labels", "annotations"])
def test_how_a_key_with_two_slashes_is_refused(release: str, noun: str, field: str) -> None:
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {field: {"bad/key/x": "1"}}}
    assert KEY.format(noun) in read_message(create(release, data))


@pytest.mark.parametrize(
    "release, spec, is_warned",
    [
        ("1.35", {"externalIPs": ["192.0.2.7"]}, False),
        ("1.36", {"externalIPs": ["192.0.2.7"]}, True),
        ("1.36", {}, False),
        ("1.36", {"externalIPs": ["192.0.2.7"], "clusterIP": "None"}, False),
        ("1.36", {"externalIPs": ["192.0.2.7"], "type": "ExternalName", "externalName": "a.example"}, False),
    ],
)
def test_addresses_outside_are_deprecated_since_v1_36(release: str, spec: Json, is_warned: bool) -> None:
    ports = {"ports": [{"port": 80}]}
    result = create(release, {"apiVersion": "v1", "kind": "Service", "spec": {**ports, **spec}})
    assert result.ok, read_message(result)
    assert (DEPRECATED in result.warnings) is is_warned


@pytest.mark.parametrize(
    "release, end",
    [
        # The last fields of core.PodSpec in pkg/apis/core/types.go of the releases
        ("1.34", '"HostnameOverride":null}}'),
        ("1.35", '"HostnameOverride":null,"WorkloadRef":null}}'),
        ("1.36", '"HostnameOverride":null,"SchedulingGroup":null}}'),
    ],
)
def test_a_template_that_may_not_change_is_shown_with_the_fields_of_the_release(release, end) -> None:
    cluster = make(release)
    pod = {"restartPolicy": "Never", "containers": [{"name": "app", "image": "nginx"}]}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "one", "namespace": "default"}}
    submit(cluster, "create", object={**job, "spec": {"template": {"spec": pod}}})
    containers = [{"name": "app", "image": "other"}]
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    where = {"kind": "Job", "namespace": "default", "name": "one"}
    said = read_message(submit(cluster, "patch", **where, type="strategic", patch=patch))
    assert said.endswith(f"{end}: field is immutable"), said[-200:]


@pytest.mark.parametrize("release, told", [("1.34", "Completed"), ("1.35", "Error"), ("1.36", "Error")])
def test_the_status_of_a_pod_of_which_one_container_failed(release: str, told: str) -> None:
    """In what its rows tell, in what is made of them after a restart of ours, and in kubectl's table."""
    world = World(kubernetes=release)
    ends = {"a": {"runs": [{"for": "5s", "exit": 0}]}, "b": {"runs": [{"for": "5s", "exit": 1}]}}
    assert world.pod("a", "b", behavior=ends, restartPolicy="Never").ok
    assert world.to(20).lane("status")[-1][1] == told
    restored = Cluster.load(world.cluster.save())
    pod = restored.find(POD_KIND.id, "default", "web")
    assert pod is not None
    assert summarize(pod)["status"] == told
    columns = {one.name: one for one in POD.find_columns(find_release(release).served_minor)}
    assert columns["Status"].fill(Row(world.get() or {}, Ages(20_000, EPOCH_MS))) == told


@pytest.mark.parametrize(
    "release, kind, version, newest",
    [
        ("1.35", "Workload", "scheduling.k8s.io/v1beta9", "scheduling.k8s.io/v1alpha1"),
        ("1.36", "Workload", "scheduling.k8s.io/v1beta9", "scheduling.k8s.io/v1alpha2"),
        ("1.36", "PodGroup", "scheduling.k8s.io/v1beta9", "scheduling.k8s.io/v1alpha2"),
        ("1.34", "PodCertificateRequest", "certificates.k8s.io/v1", "certificates.k8s.io/v1alpha1"),
        ("1.35", "PodCertificateRequest", "certificates.k8s.io/v1", "certificates.k8s.io/v1beta1"),
        ("1.35", "DeviceTaintRule", "resource.k8s.io/v1", "resource.k8s.io/v1alpha3"),
        ("1.36", "DeviceTaintRule", "resource.k8s.io/v1", "resource.k8s.io/v1beta2"),
    ],
)
def test_where_a_kind_is_that_is_served_where_it_is_switched_on(release, kind, version, newest) -> None:
    (problem,) = find_type_problems({"apiVersion": version, "kind": kind}, find_release(release))
    where = f"which Kubernetes v{release} serves only where it is switched on"
    assert problem.remedy == f"{kind} is in {newest}, {where}"


def test_a_kind_that_a_release_does_not_have_yet_is_none_there() -> None:
    data = {"apiVersion": "scheduling.k8s.io/v1alpha1", "kind": "Workload"}
    (problem,) = find_type_problems(data, find_release("1.34"))
    assert problem.remedy == "Kubernetes v1.34 has no such kind"
