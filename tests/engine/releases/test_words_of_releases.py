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


ZEROS, MAPPED = "must not have leading 0s", "must not be an IPv4-mapped IPv6 address"
OF_RANGES = ("must not have leading 0s in IP or prefix length", "must not have an IPv4-mapped IPv6 address",
             "must not have bits set beyond the prefix length")  # fmt: skip


def make_addressed(kind: str, text: str) -> Json:
    """An object of a kind that has this one address or range."""
    container = {"name": "app", "image": "web:1"}
    spec: Json = {
        "Service": {"ports": [{"port": 80}], "externalIPs": [text]},
        "balancer": {"ports": [{"port": 80}], "type": "LoadBalancer", "loadBalancerSourceRanges": [text]},
        "NetworkPolicy": {"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": text}}]}]},
        "Pod": {"containers": [container], "hostAliases": [{"ip": text, "hostnames": ["a"]}]},
        "Deployment": {
            "selector": {"matchLabels": {"app": "a"}},
            "template": {
                "metadata": {"labels": {"app": "a"}},
                "spec": {
                    "containers": [container],
                    "dnsPolicy": "None",
                    "dnsConfig": {"nameservers": [text]},
                },
            },
        },
    }[kind]
    version = {"NetworkPolicy": "networking.k8s.io/v1", "Deployment": "apps/v1"}.get(kind, "v1")
    return {"apiVersion": version, "kind": "Service" if kind == "balancer" else kind, "spec": spec}


@pytest.mark.parametrize(
    "kind, path, text, detail",
    [
        # apimachinery/pkg/util/validation/ip.go, parseIP and parseCIDR
        ("Service", "spec.externalIPs[0]", "192.0.02.7", ZEROS),
        ("Service", "spec.externalIPs[0]", "::ffff:192.0.2.7", MAPPED),
        ("Service", "spec.externalIPs[0]", "2001:DB8:0::0007", ""),
        ("balancer", "spec.LoadBalancerSourceRanges[0]", "192.0.2.0/024", OF_RANGES[0]),
        ("balancer", "spec.LoadBalancerSourceRanges[0]", "192.0.2.7/24", OF_RANGES[2]),
        ("balancer", "spec.LoadBalancerSourceRanges[0]", "192.0.2.7/32", ""),
        ("NetworkPolicy", "spec.ingress[0].from[0].ipBlock.cidr", "10.01.0.0/16", OF_RANGES[0]),
        ("NetworkPolicy", "spec.ingress[0].from[0].ipBlock.cidr", "::ffff:10.0.0.0/112", OF_RANGES[1]),
        ("Pod", "spec.hostAliases[0].ip", "010.0.0.1", ZEROS),
        ("Deployment", "spec.template.spec.dnsConfig.nameservers[0]", "10.96.0.010", ZEROS),
        ("Deployment", "spec.template.spec.dnsConfig.nameservers[0]", "10.96.0.10", ""),
    ],
)
def test_addresses_that_can_be_misread_are_refused_since_v1_36(kind, path, text, detail) -> None:
    data = make_addressed(kind, text)
    assert create("1.35", data).ok
    made = create("1.36", data)
    assert made.ok is not bool(detail), read_message(made)
    assert not detail or f'{path}: Invalid value: "{text}": {detail}' in read_message(made)


def test_an_address_that_an_object_has_already_may_stay() -> None:
    """Made under v1.35; the control plane is upgraded; another field changes, and then the address does."""
    cluster = make("1.35")
    data = make_addressed("Service", "192.0.02.7") | {"metadata": {"name": "one", "namespace": "default"}}
    assert submit(cluster, "create", object=data).ok
    assert submit(cluster, "upgrade", controlPlane="v1.36").ok
    at = {"kind": "Service", "namespace": "default", "name": "one"}

    def change(addresses: list[str]) -> Result:
        return submit(cluster, "patch", **at, patch={"spec": {"externalIPs": addresses}})

    assert change(["192.0.02.7", "192.0.2.8"]).ok
    assert f'spec.externalIPs[0]: Invalid value: "192.0.02.9": {ZEROS}' in read_message(
        change(["192.0.02.9"])
    )


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
