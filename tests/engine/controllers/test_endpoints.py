"""Endpoints of Services: who gets traffic, and when it ends."""

from typing import Any

import pytest

from lifecycle.engine import Cluster, Command
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
from lifecycle.engine.objects.pod import Pod, PodSpec
from lifecycle.engine.objects.pod_status import PodStatus
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
            found.append((action.new.meta.name, len((action.new.extra or {})["endpoints"])))
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
        assert [one["port"] for one in entry["ports"]] == ([expected] if expected else [])
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
    assert door.slices()[0]["ports"] == []
    door.apply(deployment)
    door.run(10)
    assert [one["port"] for one in door.slices()[0]["ports"]] == [8000]


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
