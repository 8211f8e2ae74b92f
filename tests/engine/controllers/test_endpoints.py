"""Endpoints of Services: who gets traffic, and when it ends."""

from typing import Any

import pytest

from lifecycle.engine import Cluster, Command
from lifecycle.engine.controllers.endpoints.classic import Listing, decide_classic
from lifecycle.engine.controllers.endpoints.decide import Wanted, endpoint_state, make_endpoint, make_ports
from lifecycle.engine.controllers.endpoints.slices import (
    ENDPOINTS_PER_SLICE,
    decide_slices,
    make_labels,
)
from lifecycle.engine.objects.condition import Condition
from lifecycle.engine.objects.endpoint_slice import ENDPOINT_SLICE_KIND
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.objects.meta import ObjectMeta, PlainObject
from lifecycle.engine.objects.pods.pod import Pod, PodSpec
from lifecycle.engine.objects.pods.status import PodStatus
from lifecycle.engine.rules.actions import Create, Delete, Update
from tests.engine.controllers.door import Door
from tests.engine.controllers.world import make_deployment


def make_pod(
    ready: bool = True, terminating: bool = False, ip: str = "10.0.0.1", phase: str = "Running"
) -> Pod:
    meta = ObjectMeta("web-1", "default", "uid-1", deletion_ms=1 if terminating else None)
    conditions = (Condition("Ready", "True" if ready else "False"),)
    spec = PodSpec({"containers": [{"name": "app", "ports": [{"name": "http", "containerPort": 8080}]}]})
    return Pod(meta=meta, spec=spec, status=PodStatus(phase, conditions, pod_ip=ip), node_name="node-1")


@pytest.mark.parametrize(
    "pod, publish, state",
    [
        pytest.param(make_pod(), False, "ready", id="ready"),
        pytest.param(make_pod(ready=False), False, None, id="not ready"),
        pytest.param(make_pod(ready=False), True, "ready", id="not ready, published all the same"),
        pytest.param(make_pod(terminating=True), False, "serving", id="terminating, still serving"),
        pytest.param(make_pod(ready=False, terminating=True), False, "terminating", id="terminating"),
        pytest.param(make_pod(ip=""), True, None, id="no address yet"),
        pytest.param(make_pod(phase="Succeeded"), True, None, id="finished"),
    ],
)
def test_the_state_of_an_endpoint(pod: Pod, publish: bool, state: str | None):
    assert endpoint_state(make_endpoint(pod, publish)) == state


def test_names_of_ports_are_looked_up():
    spec = {"ports": [{"name": "web", "port": 80, "targetPort": "http"}, {"port": 81}]}
    assert make_ports(spec, make_pod()) == [
        {"name": "web", "protocol": "TCP", "port": 8080},
        {"name": "", "protocol": "TCP", "port": 81},
    ]


def make_entry(number: int, ready: bool = True) -> dict[str, Any]:
    return {"targetRef": {"uid": f"uid-{number}"}, "conditions": {"ready": ready}}


PORTS = [{"name": "", "protocol": "TCP", "port": 80}]
SERVICE = PlainObject(
    Kind("v1", "Service", "services"),
    ObjectMeta("web", "default", "service"),
    spec={"clusterIP": "10.96.0.11"},
)


def make_slice(name: str, numbers: range) -> PlainObject:
    meta = ObjectMeta(name, "default", name, labels=make_labels(SERVICE))
    return PlainObject(
        ENDPOINT_SLICE_KIND, meta, extra={"endpoints": [make_entry(one) for one in numbers], "ports": PORTS}
    )


def reconcile(
    slices: list[PlainObject], added: range, changed: dict[str, Any] | None = None
) -> list[tuple[str, int]]:
    """What is written: the name of a slice ("" for a new one) and how many endpoints it has then."""
    wanted = {f"uid-{number}": Wanted(make_entry(number), PORTS) for number in added}
    places = {
        one["targetRef"]["uid"]: entry.meta.uid
        for entry in slices
        for one in (entry.extra or {})["endpoints"]
    }
    found = []
    for action in decide_slices(SERVICE, slices, {**wanted, **(changed or {})}, places):
        if isinstance(action, Delete):
            found.append((f"-{action.old.meta.name}", 0))
        else:
            assert isinstance(action, Create | Update)
            found.append((action.new.meta.name, len((action.new.extra or {})["endpoints"] or ())))
    return found


FULL = ENDPOINTS_PER_SLICE


@pytest.mark.parametrize(
    "slices, added, changed, expected",
    [
        pytest.param([], range(0), {}, [("", 0)], id="a service has at least one slice, if an empty one"),
        pytest.param([], range(250), {}, [("", 100), ("", 100), ("", 50)], id="a hundred endpoints a slice"),
        pytest.param(
            [make_slice("a", range(FULL))],
            range(200, 201),
            {"uid-3": Wanted(make_entry(3, False), PORTS)},
            [("", 1), ("a", 100)],
            id="a full one that is written takes nothing",
        ),
        pytest.param(
            [make_slice("a", range(FULL))],
            range(200, 201),
            {"uid-0": None},
            [("a", 100)],
            id="room made is filled",
        ),
        pytest.param(
            [make_slice("a", range(40)), make_slice("b", range(40, 130))],
            range(200, 205),
            {},
            [("b", 95)],
            id="the fullest that has room for all",
        ),
        pytest.param(
            [make_slice("a", range(40)), make_slice("b", range(40, 130))],
            range(200, 205),
            {"uid-0": None},
            [("a", 44)],
            id="one that is written anyway comes first",
        ),
        pytest.param(
            [make_slice("a", range(60)), make_slice("b", range(60, 61))],
            range(0),
            {"uid-60": None},
            [("-b", 0)],
            id="an empty one goes",
        ),
        pytest.param(
            [make_slice("a", range(1))], range(0), {"uid-0": None}, [("a", 0)], id="the last one stays"
        ),
        pytest.param(
            [make_slice("a", range(1))],
            range(0),
            {"uid-0": Wanted(make_entry(0), [{**PORTS[0], "port": 81}])},
            [("a", 1)],
            id="other ports: the emptied one is written anew",
        ),
    ],
)
def test_which_slice_an_endpoint_stands_in(
    slices: list[PlainObject], added: range, changed: dict[str, Any], expected: list[tuple[str, int]]
):
    assert reconcile(slices, added, changed) == expected


def make_service(port: Any = 8080, **spec: Any) -> dict[str, Any]:
    ports = [{"port": 80, "targetPort": port}]
    meta = {"name": "web"}
    whole = {"selector": {"app": "nginx"}, "ports": ports, **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": whole}


def test_slices_follow_the_ports_of_their_service():
    door = Door()
    door.apply(make_service())
    door.apply(make_deployment(1))
    door.run(10)
    for port, expected in ((9090, 9090), ("none", None), (8080, 8080)):
        door.apply(make_service(port))
        door.run(1)
        (entry,) = door.slices()
        assert [one["port"] for one in entry["ports"] or ()] == ([expected] if expected else [])
        assert len(entry["endpoints"]) == 1
    # Nothing of this is news of the pods.
    assert [row["new"] for row in door.rows if row.get("field") == "endpoint.web"] == ["ready"]


def test_the_name_of_a_port_is_looked_up_as_soon_as_there_is_a_pod():
    door = Door()
    door.apply(make_service("http"))
    deployment = make_deployment(1)
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    container["ports"] = [{"name": "http", "containerPort": 8000}]
    door.run(1)
    assert door.slices()[0]["ports"] is None
    door.apply(deployment)
    door.run(10)
    assert [one["port"] for one in door.slices()[0]["ports"]] == [8000]


def test_a_slice_counts_what_is_changed_in_it():
    door = Door()
    door.apply(make_service())
    door.run(1)
    (empty,) = door.slices()
    assert (empty["endpoints"], empty["ports"], empty["metadata"]["generation"]) == (None, None, 1)
    door.apply(make_deployment(1))
    door.run(10)
    (filled,) = door.slices()
    assert filled["metadata"]["uid"] == empty["metadata"]["uid"]
    # The status that tells the pod's address tells that it is ready, too.
    assert (len(filled["endpoints"]), filled["metadata"]["generation"]) == (1, 2)


def test_a_slice_that_is_taken_away_is_made_again():
    door = Door()
    door.apply(make_service())
    door.apply(make_deployment(2))
    door.run(10)
    (before,) = door.slices()
    door.change("delete", before["metadata"]["name"], "EndpointSlice")
    door.run(10)
    (after,) = door.slices()
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert after["endpoints"] == before["endpoints"]
    lanes = [row["new"] for row in door.rows if row.get("field") == "endpoint.web"]
    assert lanes == ["ready", "ready", None, None, "ready", "ready"]


def test_a_rolling_update_hands_traffic_over():
    door = Door()
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {"selector": {"app": "nginx"}, "ports": [{"port": 80, "targetPort": 8080}]},
    }
    door.apply(service)
    door.apply(make_deployment(1))
    door.run(10)
    (old,) = door.pods()
    door.set_image("nginx:2")
    door.run(60)
    rows = [row for row in door.rows if row.get("field") == "endpoint.web"]
    lanes = [(row["name"] == old["metadata"]["name"], row["old"], row["new"]) for row in rows]
    assert lanes[:3] == [(True, None, "ready"), (False, None, "ready"), (True, "ready", "serving")]
    (entry,) = door.slices()
    assert entry["ports"] == [{"name": "", "protocol": "TCP", "port": 8080}]
    assert [endpoint["conditions"]["ready"] for endpoint in entry["endpoints"]] == [True]
    door.change("delete", "web", "Service")
    door.run(10)
    assert door.slices() == []
    assert [row["new"] for row in door.rows if row.get("field") == "endpoint.web"][-1] is None


@pytest.mark.parametrize("is_saved", [False, True])
def test_that_a_pod_leaves_its_service_is_told_of_it_though_it_is_gone(is_saved: bool):
    # Recording nodeloss-statefulset: deleted at 95.01 s, out of its Service in the same hundredth.
    door = Door(timing={"preset": "instant", "endpoints": "5ms"})
    door.apply(make_service(8080))
    door.apply(make_pod_manifest("a", 8080, nodeName="node-1"))
    door.run(5)
    door.change("delete", "a", "Pod", force=True, gracePeriodSeconds=0)
    if is_saved:
        assert door.rows
        door.cluster = Cluster.load(door.cluster.save())
    door.run(1)
    told = [
        (row["at_ms"], row["name"], row["field"], row["old"], row["new"])
        for row in door.rows
        if row["type"] == "transition" and row["field"] in ("exists", "endpoint.web") and row["kind"] == "Pod"
    ]
    assert told[-2:] == [
        (5_000, "a", "exists", "created", "deleted"),
        (5_005, "a", "endpoint.web", "ready", None),
    ]


def test_a_slice_of_a_users_own_that_names_no_pod_stops_nobody():
    door = Door()
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}
    service = door.apply(service | {"spec": {"selector": {"app": "nginx"}, "ports": [{"port": 80}]}})
    owner = {"apiVersion": "v1", "kind": "Service", "name": "web", "uid": service["metadata"]["uid"]}
    door.apply(
        {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {"name": "mine", "ownerReferences": [{**owner, "controller": True}]},
            "addressType": "IPv4",
            "endpoints": [{"addresses": ["10.9.9.9"]}],
        }
    )
    door.cluster.take_changes()
    loaded = Cluster.load(door.cluster.save())
    loaded.run_until(10_000)
    assert loaded.submit(Command("x", "delete", {"kind": "EndpointSlice", "name": "mine"})).ok


# --- what stands in a slice -------------------------------------------------------------------------------


def endpoints_of(door: Door) -> list[dict[str, Any]]:
    return [one for entry in door.slices() for one in entry["endpoints"]]


def make_pod_manifest(name: str, port: int = 80, **spec: Any) -> dict[str, Any]:
    ports = [{"name": "http", "containerPort": port}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "nginx"}},
        "spec": {"containers": [{"name": "app", "image": "nginx:1", "ports": ports}], **spec},
    }


def test_a_slice_carries_the_labels_of_its_service():
    door = Door()
    service = make_service(clusterIP="None")
    service["metadata"]["labels"] = {"tier": "front", "service.kubernetes.io/headless": "no"}
    door.apply(service)
    (entry,) = door.slices()
    meta = entry["metadata"]
    managed = {"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}
    expected = {"tier": "front", "service.kubernetes.io/headless": "", "kubernetes.io/service-name": "web"}
    assert meta["labels"] == {**expected, **managed}
    (owner,) = meta["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("Service", "web", True)
    service["metadata"]["labels"] = {"tier": "back"}
    door.apply(service)
    assert door.slices()[0]["metadata"]["labels"]["tier"] == "back"


def test_an_endpoint_says_where_its_pod_is_and_what_it_is_called():
    door = Door()
    for number, zone in ((1, "a"), (2, "b"), (3, "b")):
        patch = {"metadata": {"labels": {"topology.kubernetes.io/zone": zone}}}
        door.submit("patch", kind="Node", name=f"node-{number}", type="merge", patch=patch)
    door.apply(make_service(clusterIP="None", trafficDistribution="PreferSameZone"))
    door.apply(make_pod_manifest("one", nodeName="node-2", hostname="first", subdomain="web"))
    door.apply(make_pod_manifest("two", nodeName="node-1", hostname="second", subdomain="other"))
    door.run(10)
    found = {one["targetRef"]["name"]: one for one in endpoints_of(door)}
    one, two = found["one"], found["two"]
    assert (one["nodeName"], one["zone"], one["hostname"]) == ("node-2", "b", "first")
    assert one["hints"] == {"forZones": [{"name": "b"}]}
    assert (two["zone"], "hostname" in two) == ("a", False)


def test_pods_whose_ports_have_other_numbers_stand_in_slices_of_their_own():
    door = Door()
    door.apply(make_service("http"))
    for name, port in (("one", 80), ("two", 81), ("three", 80)):
        door.apply(make_pod_manifest(name, port))
    door.run(10)
    found = {
        entry["ports"][0]["port"]: [one["targetRef"]["name"] for one in entry["endpoints"]]
        for entry in door.slices()
    }
    assert found == {80: ["one", "three"], 81: ["two"]}
    door.change("delete", "two", "Pod")
    door.run(60)
    assert [entry["ports"][0]["port"] for entry in door.slices()] == [80]


def test_what_is_written_into_a_slice_by_hand_is_put_right():
    door = Door()
    door.apply(make_service())
    door.apply(make_pod_manifest("one"))
    door.run(10)
    (before,) = door.slices()
    strange = {"addresses": ["10.9.9.9"], "conditions": {"ready": True}}
    patch = {"endpoints": [strange]}
    name = before["metadata"]["name"]
    door.change("patch", name, "EndpointSlice", type="merge", patch=patch)
    door.run(1)
    assert endpoints_of(door) == before["endpoints"]
    lanes = [row["new"] for row in door.rows if row.get("field") == "endpoint.web"]
    assert lanes == ["ready", None, "ready"]


def test_what_a_service_had_stays_when_it_selects_nothing_any_more():
    door = Door()
    door.apply(make_service())
    door.apply(make_pod_manifest("one"))
    door.run(10)
    (before,) = door.slices()
    service = make_service()
    del service["spec"]["selector"]
    door.done("replace", object={**service, "metadata": {"name": "web", "namespace": "default"}})
    door.change("delete", "one", "Pod")
    door.run(60)
    # Its Endpoints are as if made by hand now, so they are mirrored beside it.
    assert before in door.slices() and len(door.slices()) == 2


# --- Endpoints --------------------------------------------------------------------------------------------


def classic_of(door: Door, name: str = "web") -> dict[str, Any] | None:
    return door.cluster.get("Endpoints", "default", name)


def test_the_older_endpoints_say_the_same():
    door = Door()
    door.apply(make_service("http"))
    assert (classic_of(door) or {})["subsets"] == []
    late = {"exec": {"command": ["false"]}}
    door.apply(make_pod_manifest("one"))
    second = make_pod_manifest("two")
    second["spec"]["containers"][0]["readinessProbe"] = late
    door.apply(second)
    door.run(10)
    found = classic_of(door)
    assert found is not None
    assert found["metadata"]["labels"] == {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}
    (subset,) = found["subsets"]
    assert subset["ports"] == [{"port": 80, "protocol": "TCP"}]
    assert [one["targetRef"]["name"] for one in subset["addresses"]] == ["one"]
    assert [one["targetRef"]["name"] for one in subset["notReadyAddresses"]] == ["two"]
    door.change("delete", "web", "Service")
    door.run(1)
    assert classic_of(door) is None


def make_known(count: int, ready: int) -> list[Wanted]:
    return [
        Wanted(
            {
                "addresses": [f"10.64.{number >> 8}.{number & 255}"],
                "conditions": {"ready": number < ready, "serving": number < ready, "terminating": False},
                "targetRef": {"kind": "Pod", "uid": f"uid-{number}"},
            },
            PORTS,
        )
        for number in range(count)
    ]


@pytest.mark.parametrize(
    "count, ready, expected, is_over",
    [
        pytest.param(1000, 400, (400, 600), False, id="just fits"),
        pytest.param(1001, 1001, (1000, 0), True, id="ready ones"),
        pytest.param(1200, 900, (900, 100), True, id="the ready ones first"),
        pytest.param(3000, 1500, (1000, 0), True, id="none that are not ready"),
    ],
)
def test_endpoints_hold_a_thousand_addresses(
    count: int, ready: int, expected: tuple[int, int], is_over: bool
):
    (action,) = decide_classic(SERVICE, None, Listing(make_known(count, ready)))
    assert isinstance(action, Create)
    (subset,) = (action.new.extra or {})["subsets"]
    sizes = tuple(len(subset.get(name, ())) for name in ("addresses", "notReadyAddresses"))
    assert sizes == expected
    marks = action.new.meta.annotations
    assert marks == ({"endpoints.kubernetes.io/over-capacity": "truncated"} if is_over else {})


def test_endpoints_made_by_hand_are_mirrored():
    door = Door()
    service = make_service()
    del service["spec"]["selector"]
    door.apply(service)
    assert door.slices() == []
    subsets = [{"addresses": [{"ip": "192.0.2.42"}, {"ip": "2001:db8::1"}], "ports": [{"port": 9376}]}]
    by_hand = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "web"}, "subsets": subsets}
    door.apply(by_hand)
    door.run(1)
    found = {entry["addressType"]: entry for entry in door.slices()}
    assert set(found) == {"IPv4", "IPv6"}
    labels = found["IPv4"]["metadata"]["labels"]
    assert labels["endpointslice.kubernetes.io/managed-by"] == "endpointslicemirroring-controller.k8s.io"
    assert labels["kubernetes.io/service-name"] == "web"
    assert found["IPv4"]["endpoints"] == [{"addresses": ["192.0.2.42"], "conditions": {"ready": True}}]
    assert found["IPv4"]["ports"] == [{"name": "", "protocol": "TCP", "port": 9376}]
    door.apply({**by_hand, "subsets": [{**subsets[0], "addresses": [{"ip": "192.0.2.43"}]}]})
    door.run(1)
    (entry,) = door.slices()
    assert entry["endpoints"][0]["addresses"] == ["192.0.2.43"]
    door.apply(make_service())
    door.run(1)
    assert [entry["endpoints"] for entry in door.slices()] == [None]


def test_the_api_server_has_endpoints_too():
    door = Door()
    found = door.cluster.get("EndpointSlice", "default", "kubernetes")
    assert found is not None and found["metadata"]["labels"] == {"kubernetes.io/service-name": "kubernetes"}
    assert [one["port"] for one in found["ports"]] == [6443]
    (subset,) = (classic_of(door, "kubernetes") or {})["subsets"]
    assert [one["ip"] for one in subset["addresses"]] == found["endpoints"][0]["addresses"]


def test_endpoints_are_taken_with_a_warning():
    door = Door()
    by_hand = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "web", "namespace": "default"}}
    answer = door.submit("create", object=by_hand)
    assert list(answer.warnings) == [
        "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
    ]


def test_a_slice_keeps_its_family():
    door = Door()
    door.apply(make_service())
    (entry,) = door.slices()
    where = {"kind": "EndpointSlice", "namespace": "default", "name": entry["metadata"]["name"]}
    answer = door.submit("patch", **where, type="merge", patch={"addressType": "IPv6"})
    assert answer.status is not None
    assert 'addressType: Invalid value: "IPv6": field is immutable' in answer.status["message"]


def test_a_service_whose_namespace_ends_gets_no_further_endpoints():
    """Kubernetes drops the work: creations in a namespace that ends go on failing."""
    door = Door()
    door.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gone"}})
    service, held = make_service(), {"apiVersion": "v1", "kind": "ConfigMap"}
    service["metadata"]["namespace"] = "gone"
    door.submit("create", object=service)
    meta = {"name": "held", "namespace": "gone", "finalizers": ["example.org/held"]}
    door.submit("create", object={**held, "metadata": meta})
    door.submit("delete", kind="Namespace", name="gone")
    for entry in door.cluster.list("EndpointSlice", "gone"):
        door.submit("delete", kind="EndpointSlice", namespace="gone", name=entry["metadata"]["name"])
    door.run(60)
    assert door.cluster.get("ConfigMap", "gone", "held") is not None
