"""What a Service is given: once, kept through every update, and nobody else's."""

from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.kinds.presentation import decide_columns
from tests.engine.kubelet.world import World


def make(name: str = "web", **spec: Any) -> dict[str, Any]:
    meta = {"name": name, "namespace": "default"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta,
        "spec": {"ports": [{"port": 80}], **spec},
    }


def address(world: World, name: str = "web") -> Any:
    found = world.get(name, "Service")
    assert found is not None
    assert found["spec"].get("clusterIPs") in (None, [found["spec"].get("clusterIP")])
    return found["spec"].get("clusterIP")


@pytest.mark.parametrize("command", ["replace", "apply"])
def test_an_update_that_leaves_the_address_out_keeps_it(command: str) -> None:
    world = World()
    assert world.create(make()).ok
    given = address(world)
    assert world.submit(command, object=make(selector={"app": "web"})).ok
    assert (address(world), given[:5]) == (given, "10.96")


def test_an_address_does_not_change() -> None:
    world = World()
    assert world.create(make(clusterIP="10.96.1.1")).ok
    answer = world.submit("replace", object=make(clusterIP="10.96.1.2"))
    assert answer.status is not None and answer.code == 422
    said = 'spec.clusterIPs[0]: Invalid value: ["10.96.1.2"]: may not change once set'
    assert said in answer.status["message"]
    assert address(world) == "10.96.1.1"


def test_no_two_services_have_one_address() -> None:
    world = World()
    assert world.create(make(clusterIP="10.96.0.11")).ok
    answer = world.create(make("other", clusterIP="10.96.0.11"))
    assert answer.status is not None and answer.code == 422
    said = 'spec.clusterIPs: Invalid value: ["10.96.0.11"]: failed to allocate IP 10.96.0.11: provided IP'
    assert said in answer.status["message"]
    # The first that would be given is that one, too.
    assert world.create(make("other")).ok
    assert address(world, "other") == "10.96.0.12"


def test_an_alias_that_becomes_a_service_gets_an_address() -> None:
    world = World()
    assert world.create(make(type="ExternalName", externalName="db.example.com")).ok
    assert address(world) is None
    assert world.submit("replace", object=make(type="ClusterIP")).ok
    assert address(world) == "10.96.0.11"


# --- families, traffic and sessions -----------------------------------------------------------------------


def spec_of(world: World, name: str = "web") -> dict[str, Any]:
    found = world.get(name, "Service")
    assert found is not None
    spec: dict[str, Any] = found["spec"]
    return spec


def made(**spec: Any) -> dict[str, Any]:
    world = World()
    answer = world.create(make(**spec))
    assert answer.ok, answer.status
    return spec_of(world)


SINGLE = {"ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"}
BOTH = {"ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "RequireDualStack"}


@pytest.mark.parametrize(
    "spec, expected",
    [
        pytest.param({}, {**SINGLE, "internalTrafficPolicy": "Cluster"}, id="one family"),
        pytest.param(
            {"ipFamilyPolicy": "PreferDualStack"}, {**SINGLE, "ipFamilyPolicy": "PreferDualStack"}, id="two"
        ),
        pytest.param(
            {"clusterIP": "None", "selector": {"a": "b"}}, {**SINGLE, "clusterIPs": ["None"]}, id="headless"
        ),
        pytest.param({"clusterIP": "None"}, BOTH, id="headless and nobody's"),
        pytest.param(
            {"sessionAffinity": "ClientIP"},
            {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}}},
            id="three hours",
        ),
        pytest.param({"externalIPs": ["192.0.2.7"]}, {"externalTrafficPolicy": "Cluster"}, id="from outside"),
        pytest.param(
            {"type": "LoadBalancer"},
            {"allocateLoadBalancerNodePorts": True, "externalTrafficPolicy": "Cluster"},
            id="load balancer",
        ),
    ],
)
def test_what_is_filled_in(spec: dict[str, Any], expected: dict[str, Any]) -> None:
    found = made(**spec)
    assert {name: found.get(name) for name in expected} == expected


def test_a_service_comes_with_an_empty_load_balancer() -> None:
    world = World()
    assert world.create({**make(), "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}}).ok
    found = world.get("web", "Service")
    assert found is not None and found["status"] == {"loadBalancer": {}}


@pytest.mark.parametrize(
    "address, said",
    [
        (
            # As a v1.35.6 server answered to an address outside of its range.
            "10.95.0.1",
            "the provided IP (10.95.0.1) is not in the valid range. The range of valid IPs is 10.96.0.0/12",
        ),
        (
            "10.96.0.0",
            "the provided IP (10.96.0.0) is not in the valid range. The range of valid IPs is 10.96.0.0/12",
        ),
        ("10.96.0.1", "provided IP is already allocated"),
    ],
)
def test_addresses_that_cannot_be_had(address: str, said: str) -> None:
    answer = World().create(make(clusterIP=address))
    assert answer.status is not None and answer.code == 422
    whole = f'spec.clusterIPs: Invalid value: ["{address}"]: failed to allocate IP {address}: {said}'
    assert whole in answer.status["message"]


# --- ports of the nodes -----------------------------------------------------------------------------------


def node_ports(world: World, name: str = "web") -> list[Any]:
    return [port.get("nodePort") for port in spec_of(world, name)["ports"]]


NAMED = [{"name": "a", "port": 80}, {"name": "b", "port": 81}]


def test_ports_of_nodes_are_given_and_kept() -> None:
    world = World()
    assert world.create(make(type="NodePort", ports=NAMED)).ok
    first, second = given = node_ports(world)
    # Those at the range's start are left to whoever asks for one.
    assert all(30086 <= port <= 32767 for port in given) and first != second
    assert world.submit("replace", object=make(type="NodePort", ports=NAMED[::-1])).ok
    assert node_ports(world) == [second, first]
    assert world.submit("replace", object=make(type="ClusterIP", ports=NAMED)).ok
    assert node_ports(world) == [None, None]


def test_a_port_of_the_nodes_is_one_services() -> None:
    world = World()
    port = [{"port": 80, "nodePort": 30001}]
    assert world.create(make(type="NodePort", ports=port)).ok
    answer = world.create(make("other", type="NodePort", ports=port))
    assert answer.status is not None and answer.code == 422
    said = "spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated"
    assert said in answer.status["message"]
    assert world.submit("replace", object=make(type="NodePort", ports=port)).ok
    assert world.submit("delete", kind="Service", namespace="default", name="web").ok
    assert world.create(make("other", type="NodePort", ports=port)).ok


def test_protocols_of_a_port_share_a_port_of_the_nodes() -> None:
    world = World()
    ports = [{"name": one, "port": 53, "protocol": one.upper()} for one in ("tcp", "udp")]
    assert world.create(make(type="NodePort", ports=ports)).ok
    assert len(set(node_ports(world))) == 1


def test_a_load_balancer_may_do_without_ports_of_the_nodes() -> None:
    found = made(type="LoadBalancer", allocateLoadBalancerNodePorts=False)
    assert "nodePort" not in found["ports"][0]


def test_a_load_balancer_that_sends_to_local_endpoints_asks_the_nodes() -> None:
    world = World()
    local = {"type": "LoadBalancer", "externalTrafficPolicy": "Local"}
    assert world.create(make(**local)).ok
    given = spec_of(world)["healthCheckNodePort"]
    assert 30086 <= given <= 32767
    answer = world.submit("replace", object=make(**local, healthCheckNodePort=30002))
    assert answer.status is not None
    assert "spec.healthCheckNodePort: Invalid value: 30002: field is immutable" in answer.status["message"]
    assert world.submit("replace", object=make(type="LoadBalancer")).ok
    assert "healthCheckNodePort" not in spec_of(world)


# --- changes of type --------------------------------------------------------------------------------------


def test_a_service_that_becomes_an_alias_gives_up_what_it_has() -> None:
    world = World()
    assert world.create(make(type="NodePort")).ok
    given = spec_of(world)["clusterIP"]
    alias = {"type": "ExternalName", "externalName": "db.example.com"}
    assert world.submit(
        "patch", kind="Service", namespace="default", name="web", type="merge", patch={"spec": alias}
    ).ok
    found = spec_of(world)
    lost = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "externalTrafficPolicy")
    assert not any(name in found for name in lost) and "nodePort" not in found["ports"][0]
    # Somebody else may have the address now.
    assert world.create(make("other", clusterIP=given)).ok


@pytest.mark.parametrize(
    "before, after, said",
    [
        (
            {"clusterIP": "None"},
            {"clusterIP": "10.96.3.3"},
            'spec.clusterIPs[0]: Invalid value: ["10.96.3.3"]: may not change once set',
        ),
        (
            {"type": "LoadBalancer", "loadBalancerClass": "a.b/c"},
            {"type": "LoadBalancer", "loadBalancerClass": "a.b/d"},
            'spec.loadBalancerClass: Invalid value: "a.b/d": may not change once set',
        ),
    ],
)
def test_what_stays_for_life(before: dict[str, Any], after: dict[str, Any], said: str) -> None:
    world = World()
    assert world.create(make(**before)).ok
    answer = world.submit("replace", object=make(**after))
    assert answer.status is not None and said in answer.status["message"]


# --- the cloud --------------------------------------------------------------------------------------------


WEB = {"kind": "Service", "namespace": "default", "name": "web"}
SLOW_CLOUD = {"preset": "instant", "load_balancer_provision": "20s"}


def events(world: World) -> list[str]:
    return [row["reason"] for row in world.rows if row["type"] == "event" and row["kind"] == "Service"]


def test_the_cloud_gives_a_load_balancer_its_address() -> None:
    world = World(timing=SLOW_CLOUD)
    assert world.create(make(type="LoadBalancer")).ok
    assert events(world) == ["EnsuringLoadBalancer"]
    world.to(60)
    found = world.get("web", "Service")
    assert found is not None
    assert found["status"] == {"loadBalancer": {"ingress": [{"ip": "198.18.0.1", "ipMode": "VIP"}]}}
    assert found["metadata"]["finalizers"] == ["service.kubernetes.io/load-balancer-cleanup"]
    assert world.submit("delete", kind="Service", namespace="default", name="web").ok
    assert world.get("web", "Service") is not None
    world.to(120)
    assert world.get("web", "Service") is None
    assert events(world)[1:] == ["EnsuredLoadBalancer", "DeletingLoadBalancer", "DeletedLoadBalancer"]


def test_a_load_balancer_of_a_class_is_somebody_elses() -> None:
    world = World(timing=SLOW_CLOUD)
    assert world.create(make(type="LoadBalancer", loadBalancerClass="example.com/mine")).ok
    world.to(60)
    assert events(world) == []
    assert decide_columns(world.get("web", "Service") or {}, 0)["EXTERNAL-IP"] == "<pending>"


def test_a_load_balancer_that_is_none_any_more_loses_its_address_at_once() -> None:
    world = World(timing=SLOW_CLOUD)
    assert world.create(make(type="LoadBalancer")).ok
    world.to(60)
    world.submit("patch", **WEB, type="merge", patch={"spec": {"type": "ClusterIP"}})
    found = world.get("web", "Service")
    assert found is not None and found["status"] == {"loadBalancer": {}}
    assert found["metadata"].get("finalizers")
    world.to(120)
    found = world.get("web", "Service")
    assert found is not None and not found["metadata"].get("finalizers")


def test_a_cluster_that_is_saved_while_the_cloud_works_goes_on() -> None:
    world = World(timing=SLOW_CLOUD)
    assert world.create(make(type="LoadBalancer")).ok
    world.cluster.take_changes()
    world.cluster = Cluster.load(world.cluster.save())
    world.to(60)
    assert events(world) == ["EnsuredLoadBalancer"]


# --- what kubectl prints ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec, status, expected",
    [
        pytest.param(
            {"type": "ClusterIP", "clusterIP": "10.96.0.1", "ports": [{"port": 443, "protocol": "TCP"}]},
            {},
            ["ClusterIP", "10.96.0.1", "<none>", "443/TCP"],
            id="cluster address",
        ),
        pytest.param(
            {"type": "ClusterIP", "clusterIP": "None", "ports": []},
            {},
            ["ClusterIP", "None", "<none>", "<none>"],
            id="headless",
        ),
        pytest.param(
            {
                "type": "NodePort",
                "clusterIP": "10.96.0.2",
                "ports": [
                    {"port": 80, "nodePort": 30080, "protocol": "TCP"},
                    {"port": 53, "protocol": "UDP"},
                ],
            },
            {},
            ["NodePort", "10.96.0.2", "<none>", "80:30080/TCP,53/UDP"],
            id="port of the nodes",
        ),
        pytest.param(
            {"type": "LoadBalancer", "clusterIP": "10.96.0.3", "ports": [{"port": 80, "protocol": "TCP"}]},
            {},
            ["LoadBalancer", "10.96.0.3", "<pending>", "80/TCP"],
            id="waiting for its load balancer",
        ),
        pytest.param(
            {"type": "LoadBalancer", "clusterIP": "10.96.0.3", "ports": [{"port": 80, "protocol": "TCP"}]},
            {"loadBalancer": {"ingress": [{"hostname": "abcdefghijklmnop.elb.example.com"}]}},
            ["LoadBalancer", "10.96.0.3", "abcdefghijklm...", "80/TCP"],
            id="long name of a load balancer",
        ),
        pytest.param(
            {"type": "ExternalName", "externalName": "db.example.com"},
            {},
            ["ExternalName", "<none>", "db.example.com", "<none>"],
            id="alias",
        ),
    ],
)
def test_what_kubectl_prints_of_a_service(
    spec: dict[str, Any], status: dict[str, Any], expected: list[str]
) -> None:
    data = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": spec,
        "status": status,
    }
    columns = decide_columns(data, 0)
    assert list(columns) == ["NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE"]
    assert list(columns.values())[1:-1] == expected
    wide = decide_columns({**data, "spec": {**spec, "selector": {"b": "2", "a": "1"}}}, 0, wide=True)
    assert list(wide)[5:] == ["AGE", "SELECTOR"] and wide["SELECTOR"] == "a=1,b=2"
    assert "..." not in wide["EXTERNAL-IP"]


def test_what_kubectl_prints_of_endpoints() -> None:
    addresses = [{"ip": f"10.64.1.{number}"} for number in range(1, 6)]
    data = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "web"}}
    assert decide_columns(data, 0)["ENDPOINTS"] == "<none>"
    subset = {"addresses": addresses, "ports": [{"port": 8080}]}
    shown = decide_columns({**data, "subsets": [subset]}, 0)["ENDPOINTS"]
    assert shown == "10.64.1.1:8080,10.64.1.2:8080,10.64.1.3:8080 + 2 more..."
    whole = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": {"name": "web-1"}}
    endpoints = [{"addresses": [one["ip"]]} for one in addresses[:2]]
    columns = decide_columns(
        {**whole, "addressType": "IPv4", "endpoints": endpoints, "ports": [{"port": 80}]}, 0
    )
    assert [columns[name] for name in ("ADDRESSTYPE", "PORTS", "ENDPOINTS")] == [
        "IPv4",
        "80",
        "10.64.1.1,10.64.1.2",
    ]
    assert (
        decide_columns({**whole, "addressType": "IPv4", "endpoints": [], "ports": []}, 0)["PORTS"]
        == "<unset>"
    )
