"""Names and connections between pods: cluster DNS, headless Services and aliases."""

from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.rules.network.service_routing import Place, list_backends
from tests.engine.kubelet.world import World


def service(world: World, name: str, namespace: str = "default", **spec: Any) -> None:
    meta = {"name": name, "namespace": namespace}
    ports = {"ports": [{"port": 80, "targetPort": 8080}]} if spec.get("type") != "ExternalName" else {}
    data = {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {**ports, **spec}}
    assert world.create(data).ok


def server(world: World, name: str, **spec: Any) -> None:
    meta: dict[str, Any] = {"name": name, "labels": {"app": "web"}}
    app = {"name": "app", "ports": [{"containerPort": 8080}], **spec.pop("app", {})}
    assert world.pod(app, meta=meta, **spec).ok


def ask(world: World, script: str, image: str = "busybox:1") -> list[str]:
    """What a pod sees that runs a script now."""
    world.commands += 1
    name = f"caller-{world.commands}"
    app = {"name": "app", "image": image, "command": ["sh", "-c", script]}
    assert world.pod(app, meta={"name": name}, restartPolicy="Never").ok
    world.to(world.cluster.now_ms / 1000 + 2)
    assert world.rows
    lines, world.logs = [entry[4] for entry in world.logs], []
    return lines


def reach(world: World, host: str, port: int) -> str:
    """`open` when somebody answers a connection, else `refused`."""
    return ask(world, f"nc -z -w 1 {host} {port} && echo open || echo refused")[-1]


def look_up(world: World, host: str) -> str:
    """The address of a name, or `nobody`."""
    (line,) = ask(world, f"getent hosts {host} || echo nobody", "alpine:3")
    return line.split()[0]


TOOLS = "dnsutils:1"
"""An image that has every tool."""


@pytest.fixture
def world() -> World:
    made = World()
    service(made, "web", selector={"app": "web"}, clusterIP="None")
    return made


def test_a_headless_service_is_known_by_its_ready_pods(world: World) -> None:
    assert look_up(world, "web") == "nobody"
    late = {"readinessProbe": {"exec": {"command": ["true"]}, "initialDelaySeconds": 30}}
    server(world, "late", app=late)
    assert look_up(world, "web") == "nobody"
    server(world, "first")
    for host in ("web", "web.default", "web.default.svc.cluster.local"):
        assert look_up(world, host) == world.status("first")["podIP"]
    assert reach(world, "web", 8080) == "open"


def test_not_ready_addresses_can_be_published() -> None:
    world = World()
    service(world, "web", selector={"app": "web"}, clusterIP="None", publishNotReadyAddresses=True)
    server(world, "late", app={"readinessProbe": {"exec": {"command": ["true"]}, "initialDelaySeconds": 30}})
    assert look_up(world, "web") == world.status("late")["podIP"]


def test_a_pod_may_have_a_name_below_its_service(world: World) -> None:
    server(world, "a", hostname="web-0", subdomain="web")
    server(world, "b", hostname="web-1", subdomain="web")
    server(world, "c", hostname="web-2", subdomain="other")
    for host in ("web-1.web", "web-1.web.default", "web-1.web.default.svc.cluster.local"):
        assert look_up(world, host) == world.status("b")["podIP"]
    assert look_up(world, "web-2.web") == "nobody"


def test_the_own_namespace_hides_no_service_of_another() -> None:
    world = World()
    assert world.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}).ok
    service(world, "shop", clusterIP="10.96.0.50")
    service(world, "web", "shop", clusterIP="10.96.0.51")
    assert look_up(world, "web.shop") == "10.96.0.51"
    assert (look_up(world, "shop"), look_up(world, "web")) == ("10.96.0.50", "nobody")


def test_an_external_name_is_an_alias() -> None:
    world = World()
    service(world, "inside", clusterIP="10.96.0.50")
    service(world, "alias", type="ExternalName", externalName="inside.default.svc.cluster.local")
    service(world, "outside", type="ExternalName", externalName="db.example.com")
    service(world, "ring", type="ExternalName", externalName="ring.default.svc.cluster.local")
    assert look_up(world, "alias") == "10.96.0.50"
    assert look_up(world, "ring") == "nobody"
    assert reach(world, "outside", 5432) == "open"


def ips(world: World, *names: str) -> list[str]:
    return sorted(world.status(name)["podIP"] for name in names)


@pytest.mark.spec("DS-COMM-03")
def test_a_headless_service_has_an_address_for_each_of_its_pods(world: World) -> None:
    for name in ("a", "b", "c"):
        server(world, name)
    assert sorted(ask(world, "dig +short web.default.svc.cluster.local", TOOLS)) == ips(world, "a", "b", "c")
    # Without a name of its own an endpoint goes by its address.
    address = world.status("b")["podIP"]
    assert look_up(world, f"{address.replace('.', '-')}.web") == address
    assert look_up(world, f"{address.replace('.', '-')}.default.pod.cluster.local") == address


@pytest.mark.spec("STS-NET-03", "STS-NET-04")
@pytest.mark.parametrize(
    "domain, namespace",
    [("cluster.local", "default"), ("cluster.local", "foo"), ("kube.local", "foo")],
)
def test_a_pods_name_is_below_its_service_and_the_clusters_domain(domain: str, namespace: str) -> None:
    world = World(kubelet=[{"kind": "KubeletConfiguration", "clusterDomain": domain}])
    if namespace != "default":
        assert world.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}).ok
    service(world, "nginx", namespace, selector={"app": "web"}, clusterIP="None")
    app = {"name": "app", "ports": [{"containerPort": 8080}]}
    meta = {"name": "web-0", "namespace": namespace, "labels": {"app": "web"}}
    assert world.pod(app, meta=meta, hostname="web-0", subdomain="nginx").ok
    pod = world.cluster.get("Pod", namespace, "web-0")
    assert pod is not None
    full = f"web-0.nginx.{namespace}.svc.{domain}"
    assert look_up(world, full) == pod["status"]["podIP"]
    assert look_up(world, f"nginx.{namespace}.svc.{domain}") == pod["status"]["podIP"]
    said = "hostname; hostname -f; cat /etc/hosts; cat /etc/resolv.conf"
    lines = ask_as(world, said, {"name": "self", "namespace": namespace}, hostname="web-1", subdomain="nginx")
    assert lines[:2] == ["web-1", f"web-1.nginx.{namespace}.svc.{domain}"]
    assert lines[2:9] == [
        "# Kubernetes-managed hosts file.",
        "127.0.0.1\tlocalhost",
        "::1\tlocalhost ip6-localhost ip6-loopback",
        "fe00::0\tip6-localnet",
        "fe00::0\tip6-mcastprefix",
        "fe00::1\tip6-allnodes",
        "fe00::2\tip6-allrouters",
    ]
    assert lines[9].endswith(f"\tweb-1.nginx.{namespace}.svc.{domain}\tweb-1")
    assert lines[10:] == [
        f"search {namespace}.svc.{domain} svc.{domain} {domain}",
        "nameserver 10.96.0.10",
        "options ndots:5",
    ]


def ask_as(world: World, script: str, meta: dict[str, Any], **spec: Any) -> list[str]:
    app = {"name": "app", "image": "alpine:3", "command": ["sh", "-c", script]}
    answer = world.pod(app, meta=meta, restartPolicy="Never", **spec)
    assert answer.ok, answer.status
    world.to(world.cluster.now_ms / 1000 + 2)
    assert world.rows
    lines, world.logs = [entry[4] for entry in world.logs], []
    return lines


@pytest.mark.spec("STS-NET-02", "STS-NET-05", "STS-NET-06")
@pytest.mark.parametrize("kept, found_at_20", [("30s", False), ("0s", True)])
def test_that_a_pod_is_not_there_is_remembered_for_a_while(kept: str, found_at_20: bool) -> None:
    world = World(timing={"preset": "instant", "dns_denial": kept})
    service(world, "nginx", selector={"app": "web"}, clusterIP="None")
    name = "web-1.nginx.default.svc.cluster.local"
    script = f"sleep 5; getent hosts {name} || echo no; sleep 15; getent hosts {name} || echo no;"
    script += f" sleep 14; getent hosts {name} || echo no; sleep 1; getent hosts {name} || echo no"
    app = {"name": "app", "image": "alpine:3", "command": ["sh", "-c", script]}
    assert world.pod(app, meta={"name": "caller"}, restartPolicy="Never").ok
    world.to(14)
    server(world, "web-1", hostname="web-1", subdomain="nginx")
    world.to(40)
    address = world.status("web-1")["podIP"]
    assert world.rows
    lines = [(entry[3] // 1000, entry[4].split()[0] == address) for entry in world.logs]
    # What the API tells does not wait for DNS: the pod is there from 14 s on.
    assert lines == [(5, False), (20, found_at_20), (34, found_at_20), (35, True)]


def test_what_dns_remembers_is_saved() -> None:
    world = World(timing={"preset": "instant", "dns_denial": "30s"})
    service(world, "nginx", selector={"app": "web"}, clusterIP="None")
    assert look_up(world, "web-1.nginx") == "nobody"
    server(world, "web-1", hostname="web-1", subdomain="nginx")
    assert world.rows
    world.cluster = Cluster.load(world.cluster.save())
    assert look_up(world, "web-1.nginx") == "nobody"
    world.to(40)
    assert look_up(world, "web-1.nginx") == world.status("web-1")["podIP"]


def test_named_ports_have_records_of_their_own(world: World) -> None:
    ports = [{"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP"}]
    service(world, "one", ports=ports, selector={"app": "web"}, clusterIP="10.96.0.60")
    service(world, "all", ports=ports, selector={"app": "web"}, clusterIP="None")
    server(world, "a", hostname="first", subdomain="all")
    server(world, "b", hostname="second", subdomain="all")
    domain = "default.svc.cluster.local"
    assert ask(world, "dig SRV _http._tcp.one.default.svc.cluster.local", TOOLS) == [
        f"0 100 80 one.{domain}."
    ]
    expected = [f"0 50 8080 {host}.all.{domain}." for host in ("first", "second")]
    assert sorted(ask(world, "dig +short srv _http._tcp.all", TOOLS)) == expected
    assert ask(world, "host -t SRV _https._tcp.all || echo none", TOOLS) == ["none"]


@pytest.mark.parametrize(
    "spec, host, expected",
    [
        pytest.param({"dnsPolicy": "Default"}, "web", "nobody", id="the node's DNS"),
        pytest.param({"hostNetwork": True}, "web", "nobody", id="the node's network"),
        pytest.param(
            {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}, "web", "10.96.0.70", id="with it"
        ),
        pytest.param(
            {"dnsPolicy": "None", "dnsConfig": {"nameservers": ["10.96.0.10"]}},
            "web",
            "nobody",
            id="no search",
        ),
        pytest.param(
            {
                "dnsPolicy": "None",
                "dnsConfig": {"nameservers": ["10.96.0.10"], "searches": ["svc.cluster.local"]},
            },
            "web.default",
            "10.96.0.70",
            id="a search path of its own",
        ),
        pytest.param(
            {"hostAliases": [{"ip": "10.1.2.3", "hostnames": ["legacy"]}]},
            "legacy",
            "10.1.2.3",
            id="hosts file",
        ),
    ],
)
def test_whom_a_pod_asks(spec: dict[str, Any], host: str, expected: str) -> None:
    world = World()
    service(world, "web", clusterIP="10.96.0.70")
    (line,) = ask_as(world, f"getent hosts {host} || echo nobody", {"name": "caller"}, **spec)
    assert line.split()[0] == expected


def test_a_pod_may_call_itself_by_its_full_name() -> None:
    world = World()
    full = {"hostname": "a", "subdomain": "web", "setHostnameAsFQDN": True}
    assert ask_as(world, "hostname; hostname -s", {"name": "one"}, **full) == [
        "a.web.default.svc.cluster.local",
        "a",
    ]
    long = {**full, "subdomain": "s" * 60}
    assert ask_as(world, "hostname", {"name": "two"}, **long) == []
    (event,) = [row for row in world.rows if row.get("reason") == "FailedCreatePodSandBox"]
    assert "is too long (64 characters is the max, 88 characters requested)" in event["message"]


# --- through Services -------------------------------------------------------------------------------------


def test_a_service_sends_to_whatever_its_slices_say(world: World) -> None:
    service(world, "db", clusterIP="10.96.0.80")
    assert reach(world, "db", 80) == "refused"
    server(world, "a")
    entry = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "db-1", "namespace": "default", "labels": {"kubernetes.io/service-name": "db"}},
        "addressType": "IPv4",
        "ports": [{"port": 8080}],
        "endpoints": [{"addresses": [world.status("a")["podIP"]]}],
    }
    assert world.create(entry).ok
    assert (reach(world, "db", 80), reach(world, "db", 81)) == ("open", "refused")
    assert reach(world, "web", 8080) == "open"


def test_a_database_outside_is_reached_by_endpoints_made_by_hand() -> None:
    world = World()
    service(world, "db", clusterIP="10.96.0.80")
    subsets = [{"addresses": [{"ip": "192.0.2.42"}], "ports": [{"port": 5432}]}]
    by_hand = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "db", "namespace": "default"}}
    assert world.create({**by_hand, "subsets": subsets}).ok
    assert reach(world, "db", 80) == "open"


def test_a_port_of_the_nodes_leads_to_the_pods_of_all_nodes() -> None:
    world = World(nodes=2)
    ports = {"ports": [{"port": 80, "targetPort": 8080, "nodePort": 30080}]}
    service(world, "web", type="NodePort", selector={"app": "web"}, **ports)
    server(world, "a", nodeName="node-1")
    away = "10.0.0.2"
    assert (reach(world, away, 30080), reach(world, away, 30081)) == ("open", "refused")
    local = {"externalTrafficPolicy": "Local"}
    service_patch(world, "web", local)
    # No endpoint there: what comes is dropped.
    assert reach(world, away, 30080) == "refused"
    assert reach(world, "10.0.0.1", 30080) == "open"


def service_patch(world: World, name: str, spec: dict[str, Any]) -> None:
    where = {"kind": "Service", "namespace": "default", "name": name}
    assert world.submit("patch", **where, type="merge", patch={"spec": spec}).ok


@pytest.mark.spec("DS-COMM-02")
def test_a_host_port_is_reached_at_the_node() -> None:
    world = World(nodes=2)
    server(world, "a", nodeName="node-2", app={"ports": [{"containerPort": 8080, "hostPort": 24224}]})
    assert (reach(world, "10.0.0.2", 24224), reach(world, "10.0.0.1", 24224)) == ("open", "refused")


def test_traffic_within_may_be_kept_on_the_node() -> None:
    world = World(nodes=2)
    service(world, "web", selector={"app": "web"}, clusterIP="10.96.0.90", internalTrafficPolicy="Local")
    server(world, "a", nodeName="node-2")
    script = "nc -z -w 1 web 80 && echo open || echo dropped"
    assert ask_as(world, script, {"name": "near"}, nodeName="node-2")[-1] == "open"
    assert ask_as(world, script, {"name": "far"}, nodeName="node-1")[-1] == "dropped"


def make_slice_of(*endpoints: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"ports": [{"name": "http", "port": 8080}], "endpoints": list(endpoints)}]


def make_endpoint_at(address: str, ready: bool = True, node: str = "n1") -> dict[str, Any]:
    conditions = {"ready": ready, "serving": True, "terminating": not ready}
    return {"addresses": [address], "conditions": conditions, "nodeName": node}


A, B = make_endpoint_at("a"), make_endpoint_at("b", node="n2")
ENDS_ELSEWHERE = make_endpoint_at("d", ready=False, node="n2")
FOR_OTHERS = {"hints": {"forZones": [{"name": "z2"}]}}
SILENT = {**A, "conditions": {"ready": False, "serving": False, "terminating": True}}
STARTING = {**A, "conditions": {"ready": False, "serving": True, "terminating": False}}


@pytest.mark.parametrize(
    "endpoints, is_local, expected",
    [
        pytest.param([A, B], False, "ab", id="all"),
        pytest.param([A, B], True, "a", id="on the node alone"),
        pytest.param([A, make_endpoint_at("c", ready=False)], False, "a", id="ready ones"),
        pytest.param([make_endpoint_at("c", ready=False)], False, "c", id="one that ends, without others"),
        pytest.param([ENDS_ELSEWHERE], True, "", id="not one that ends elsewhere"),
        pytest.param([make_endpoint_at("c", ready=False), B], True, "c", id="for the node alone, too"),
        pytest.param([SILENT], False, "", id="one that ends and serves no more"),
        pytest.param([STARTING], False, "", id="one that is not ready yet"),
        pytest.param([{**ENDS_ELSEWHERE, **FOR_OTHERS}], False, "d", id="wherever it is"),
        pytest.param(
            [{**A, "hints": {"forZones": [{"name": "z2"}]}}, {**B, "hints": {"forZones": [{"name": "z1"}]}}],
            False,
            "b",
            id="those of the zone",
        ),
        pytest.param(
            [{**A, "hints": {"forZones": [{"name": "z1"}]}}, B], False, "ab", id="hints on some only"
        ),
        pytest.param(
            [{**A, "hints": {"forZones": [{"name": "z2"}]}}], False, "a", id="none of the zone: all of them"
        ),
    ],
)
def test_where_a_connection_may_go(endpoints: list[dict[str, Any]], is_local: bool, expected: str) -> None:
    found = list_backends(make_slice_of(*endpoints), "http", Place("n1", "z1"), is_local)
    assert "".join(one.address for one in found) == expected
    assert list_backends(make_slice_of(*endpoints), "other", Place("n1", "z1"), is_local) == []


@pytest.mark.parametrize("affinity, is_mixed", [("None", True), ("ClientIP", False)])
def test_clients_are_spread_or_stay(affinity: str, is_mixed: bool) -> None:
    world = World()
    service(world, "web", selector={"app": "web"}, clusterIP="10.96.0.91", sessionAffinity=affinity)
    server(world, "good")
    server(world, "bad", app={"ports": [{"containerPort": 1}], "image": "nginx:1"})
    script = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do nc -z -w 1 web 80 && echo y || echo n; sleep 1; done"
    app = {"name": "app", "image": "busybox:1", "command": ["sh", "-c", script]}
    assert world.pod(app, meta={"name": "client"}, restartPolicy="Never").ok
    world.to(60)
    assert world.rows
    assert (len({entry[4] for entry in world.logs if len(entry[4]) == 1}) == 2) is is_mixed
