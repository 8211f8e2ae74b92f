"""Whatever a dump holds, the rest of it is measured, and what is wrong is named with its object and field."""

import copy
import json

import pytest
import yaml

from lifecycle.calibration.dumps import read_dump
from lifecycle.calibration.measure import measure
from lifecycle.calibration.writing import write_profiles, write_table
from lifecycle.input.manifests import Document, read_documents
from tests.calibration.dumping import (
    IMAGE,
    make_container,
    make_end,
    make_event,
    make_pod,
    make_pulled,
    make_status,
    measure_image,
    read,
)

PROBE = {"httpGet": {"path": "/"}, "periodSeconds": 3}
POD = make_pod(
    containers=[
        make_container(
            readinessProbe=PROBE, command=["/api"], args=["-v"], lifecycle={"preStop": {"sleep": {}}}
        )
    ],
    statuses=[make_status(restartCount=2, lastState=make_end(1, "00:01", "00:03"))],
    ready="00:20",
)
EVENTS = [
    make_pulled("00:03") | {"series": {"count": 2, "lastObservedTime": "2026-11-27T10:00:04.000000Z"}},
    make_event("Started", "00:04"),
    make_event("Killing", "00:02", "Container app failed liveness probe, will be restarted"),
    make_event("Unhealthy", "00:08", "Readiness probe failed: connection refused"),
]
WRONG = [None, True, -1, 10**30, "", "x", "9999-99-99T99:99:99Z", "0000-01-01T00:00:00Z", [None], {"x": []}]


def list_paths(data, path=()):
    """Every place of a value, deep ones too."""
    yield path
    children = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in children:
        yield from list_paths(value, (*path, key))


def put(data, path, value):
    changed = copy.deepcopy(data)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return changed


@pytest.mark.slow
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.deep)])
def test_no_wrong_value_anywhere_stops_it(step):
    objects = [POD, *EVENTS]
    for number, path in enumerate(list_paths(objects)):
        # At each place some of them, and each at some place.
        for value in WRONG[number % step :: step] if len(path) > 1 else ():
            dump = read_dump([Document(one) for one in put(objects, path, value)])
            measured = measure(dump)
            assert all(write_profiles(dump, measured).splitlines()), (path, value)
            assert all([write_table(measured), *map(str, dump.problems)]), (path, value)


@pytest.mark.parametrize(
    "objects, told",
    [
        pytest.param(
            [put(POD, ("status", "containerStatuses", 0, "state", "running", "startedAt"), "yesterday")],
            "Pod shop/api-0: status.containerStatuses[0].state.running.startedAt: 'yesterday' is not a time"
            " such as 2026-01-01T00:00:00Z; it is left out",
            id="a time of a status",
        ),
        pytest.param(
            [put(POD, ("spec", "containers", 0, "image"), "a\nb")],
            "Pod shop/api-0: spec.containers[0].image: 'a\\nb' is no image of a container; it is left out",
            id="an image of two lines",
        ),
        pytest.param(
            [put(POD, ("spec", "containers"), "app")],
            "Pod shop/api-0: spec.containers: 'app' is not a list; it is left out",
            id="no list",
        ),
        pytest.param(
            [put(POD, ("spec", "containers", 0), 7)],
            "Pod shop/api-0: spec.containers[0]: 7 is not a mapping; it is left out",
            id="no mapping",
        ),
        pytest.param(
            [put(POD, ("status", "containerStatuses", 0, "restartCount"), -3)],
            "Pod shop/api-0: status.containerStatuses[0].restartCount: -3 is not from 0 to 2147483648;"
            " it is left out",
            id="a count below 0",
        ),
        pytest.param(
            [put(make_pulled("00:03", name="e"), ("firstTimestamp",), 5)],
            "Event shop/e: firstTimestamp: 5 is not a time such as 2026-01-01T00:00:00Z; it is left out",
            id="a time of an event",
        ),
        pytest.param(
            [put(make_pulled("00:03", name="e"), ("firstTimestamp",), None)],
            "Event shop/e: firstTimestamp: the event has no time; it is left out",
            id="no time",
        ),
        pytest.param(
            [put(POD, ("metadata", "name"), None)],
            "Pod: metadata.name: the pod has no name; it is left out",
            id="no name",
        ),
    ],
)
def test_what_is_wrong_is_named_with_object_and_field(objects, told):
    problems = [str(one).removeprefix("dump.json, document 1: ") for one in read(*objects).problems]
    assert told in problems


def test_what_is_right_beside_it_is_measured():
    wrong = put(make_pulled("00:05", pod="api-1", node="node-2"), ("firstTimestamp",), {})
    assert [one.low_ms for one in measure_image(make_pulled("00:03"), wrong).pulls] == [2300]


def test_events_that_say_nothing_of_containers_are_passed_over():
    pod = {"kind": "Pod", "namespace": "shop", "name": "api-0"}
    others = [
        make_event("Scheduled", "00:01"),
        make_event("Failed", "00:01") | {"involvedObject": pod},
        make_event("Pulled", "00:01") | {"involvedObject": {"kind": "Node", "name": "node-1"}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}},
        {"apiVersion": "example.com/v1", "kind": "Event", "metadata": {"name": "web"}},
    ]
    dump = read(*others)
    assert (dump.pods, dump.seen, dump.problems) == ((), (), ())


def test_later_dumps_of_the_same_objects_count_once():
    objects = [make_pod(), make_pulled("00:03", name="a"), make_event("Started", "00:04", name="b")]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [*objects, *objects]})
    (found,) = measure(read_dump(read_documents(text)))
    assert (len(found.pulls), len(found.starts)) == (1, 1)


@pytest.mark.parametrize("kinds", [("PodList", "EventList"), ("List", "List")])
def test_typed_lists_and_several_documents_are_read(kinds):
    pods, events = [[POD], EVENTS[:2]]
    items = (
        [
            [{k: v for k, v in one.items() if k not in ("apiVersion", "kind")} for one in part]
            for part in (pods, events)
        ]
        if kinds[0] == "PodList"
        else [pods, events]
    )
    texts = [
        yaml.safe_dump({"apiVersion": "v1", "kind": kind, "items": part})
        for kind, part in zip(kinds, items, strict=True)
    ]
    (found,) = measure(read_dump(read_documents("---\n".join(texts))))
    assert (found.image, [one.low_ms for one in found.pulls]) == (IMAGE, [2300])
