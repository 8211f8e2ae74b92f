"""Room on nodes and in namespaces, and loads, so many times as much."""

from types import SimpleNamespace

import pytest
import yaml

from lifecycle.check.holes.loads import has_load, make_load
from lifecycle.check.holes.rooms import list_fillers, list_intruders, make_quota, map_free
from lifecycle.check.settled import Workload
from lifecycle.engine.programs.demand import LOAD
from lifecycle.engine.programs.request_plan import REQUESTS


def make_pod(uid, node="a", cpu=None, memory=None, phase="Running", priority=0):
    requests = {name: one for name, one in (("cpu", cpu), ("memory", memory)) if one}
    spec = {
        "nodeName": node,
        "priority": priority,
        "containers": [{"name": "c", "resources": {"requests": requests}}],
    }
    meta = {"uid": uid, "name": uid, "namespace": "shop"}
    return {"metadata": meta, "spec": spec, "status": {"phase": phase}}


def make_settled(*pods):
    nodes = [
        {"metadata": {"name": name}, "status": {"allocatable": {"cpu": "2", "memory": "1Gi"}}}
        for name in "ab"
    ]
    return SimpleNamespace(nodes=nodes, pods=pods)


def read_requests(pod):
    return pod["spec"]["containers"][0]["resources"]["requests"]


@pytest.mark.parametrize(
    "pods, cpu, memory",
    [
        pytest.param([], "2000m", 1 << 30, id="an empty node is free"),
        pytest.param(
            [make_pod("p", cpu="500m", memory="256Mi")], "1500m", 768 << 20, id="less what pods ask for"
        ),
        pytest.param(
            [make_pod("p", cpu="500m", phase="Succeeded")], "2000m", 1 << 30, id="who has ended asks not"
        ),
        pytest.param([make_pod("p", node="b", cpu="1")], "2000m", 1 << 30, id="nor who is elsewhere"),
        pytest.param([make_pod("p", cpu="3")], "0m", 1 << 30, id="never less than nothing"),
    ],
)
def test_a_filler_asks_for_all_that_is_free(pods, cpu, memory):
    filler = list_fillers(make_settled(*pods))[0]["filler"]
    assert filler["spec"]["nodeName"] == "a"
    assert read_requests(filler) == {"cpu": cpu, "memory": str(memory)}


def test_intruders_need_what_is_free_and_what_the_workload_has():
    own, other = make_pod("own", cpu="500m", memory="64Mi", priority=10), make_pod("other", cpu="1")
    workload = Workload("Deployment", "shop", "web", {}, pods=("own",))
    settled = make_settled(own, other)
    higher, *pods = [one["intruder"] for one in list_intruders(settled, workload, map_free(settled))]
    assert higher["value"] > 10
    assert [read_requests(one)["cpu"] for one in pods] == ["1000m"]


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(make_pod("own"), id="who asks for nothing has no place to be taken"),
        pytest.param(make_pod("own", cpu="1", priority=2_000_000_000), id="nobody is of a higher class"),
    ],
)
def test_some_have_no_intruders(pod):
    workload = Workload("Deployment", "shop", "web", {}, pods=("own",))
    settled = make_settled(pod)
    assert list_intruders(settled, workload, map_free(settled)) == []


@pytest.mark.parametrize(
    "pods, hard",
    [
        pytest.param(
            [make_pod("p", cpu="1", memory="1Mi"), make_pod("q", cpu="500m", memory="1Mi")],
            {"pods": "2", "requests.cpu": "1500m", "requests.memory": str(2 << 20)},
            id="what all ask for",
        ),
        pytest.param(
            [make_pod("p", cpu="1"), make_pod("q")],
            {"pods": "2"},
            id="what one does not ask for is not limited",
        ),
        pytest.param(
            [make_pod("p", cpu="1"), make_pod("q", cpu="1", phase="Failed")],
            {"pods": "1", "requests.cpu": "1000m"},
            id="who has ended uses nothing",
        ),
    ],
)
def test_a_quota_is_met_by_what_is_used(pods, hard):
    assert make_quota(make_settled(*pods), "shop")["spec"]["hard"] == hard


def make_service(**annotations):
    names = {"load": LOAD, "requests": REQUESTS}
    return {"metadata": {"annotations": {names[name]: text for name, text in annotations.items()}}}


@pytest.mark.parametrize(
    "annotations, factor, load, per_second",
    [
        pytest.param(
            {"load": "app: [{at: 0s, cpu: 40m}]"}, 2, [{"at": "0s", "cpu": "80m"}], None, id="twice"
        ),
        pytest.param(
            {"load": "app: [{at: 0s, cpu: 1.5}]"}, 10, [{"at": "0s", "cpu": "15000m"}], None, id="cores"
        ),
        pytest.param({"load": "app: [{at: 9s, cpu: 2}]"}, 0, [{"at": "9s", "cpu": "0m"}], None, id="nothing"),
        pytest.param({"requests": "{perSecond: 20, takes: 1s}"}, 10, None, 200, id="requests"),
        pytest.param(
            {"load": "app: [{at: 0s, cpu: 40m}]", "requests": "{perSecond: 3}"},
            2,
            [{"at": "0s", "cpu": "80m"}],
            6,
            id="both",
        ),
    ],
)
def test_so_many_times_as_much_is_asked(annotations, factor, load, per_second):
    found = make_load(make_service(**annotations), factor)["metadata"]["annotations"]
    told = {name: yaml.safe_load(text) for name, text in found.items()}
    assert (told.get(LOAD) or {}).get("app") == load
    assert (told.get(REQUESTS) or {}).get("perSecond") == per_second


def test_once_as_much_is_what_was_told_to_the_letter():
    service = make_service(load="app:   [{at: 0s, cpu: 40m}]")
    assert make_load(service, 1) == {"metadata": {"annotations": service["metadata"]["annotations"]}}


@pytest.mark.parametrize(
    "annotations, expected",
    [
        ({}, False),
        ({"requests": "{takes: 1s}"}, False),
        ({"requests": "{perSecond: 1}"}, True),
        ({"load": "app: [{cpu: 1}]"}, True),
        ({"load": "app: ["}, False),
        ({"load": "app: [{at: 0s}]"}, False),
        ({"load": "app: [{cpu: many}]"}, False),
        ({"requests": "{perSecond: many}"}, False),
        ({"requests": "[]"}, False),
    ],
)
def test_a_load_must_be_told(annotations, expected):
    assert has_load(make_service(**annotations)) is expected
