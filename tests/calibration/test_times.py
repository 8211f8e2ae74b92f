"""What events and statuses of a real cluster say of pulls, starts and readiness."""

import pytest

from lifecycle.calibration.readiness import AGAIN, NO_PROBE, NOT_READY, OTHERS
from lifecycle.calibration.readiness import IS_SCRIPT as READ_AS_SCRIPT
from lifecycle.calibration.windows import Window, read_window
from tests.calibration.dumping import (
    IMAGE,
    at,
    make_container,
    make_event,
    make_pod,
    make_pulled,
    make_status,
    measure_image,
)


def w(low_ms, high_ms=None):
    return Window(low_ms, low_ms if high_ms is None else high_ms)


@pytest.mark.parametrize(
    "text, low_ms, high_ms",
    [
        pytest.param("2026-01-01T00:00:00Z", 0, 999, id="a Time was cut to its second"),
        pytest.param("2026-01-01T00:00:00.250000Z", 250, 250, id="a MicroTime"),
        pytest.param("2026-01-01T00:00:01.000000Z", 1000, 1000, id="a MicroTime of a whole second"),
        pytest.param("2026-01-01T02:00:00+02:00", 0, 999, id="another zone"),
    ],
)
def test_a_time_is_known_as_nearly_as_it_is_written(text, low_ms, high_ms):
    year_ms = 1_767_225_600_000  # 2026-01-01T00:00:00Z
    assert read_window(text) == Window(year_ms + low_ms, year_ms + high_ms)


@pytest.mark.parametrize(
    "message, expected",
    [
        pytest.param(
            f'Successfully pulled image "{IMAGE}" in 2.3s (3.1s including waiting). Image size: 123 bytes.',
            [w(2300)],
            id="v1.30 and later",
        ),
        pytest.param(
            f'Successfully pulled image "{IMAGE}" in 523ms (1.2s including waiting)', [w(523)], id="v1.27"
        ),
        pytest.param(
            f'Successfully pulled image "{IMAGE}" in 1m3.2s (1m3.2s including waiting). Image size: 9 bytes.',
            [w(63_200)],
            id="minutes",
        ),
        pytest.param(
            f'Successfully pulled image "{IMAGE}" in 2.345678901s', [w(2346)], id="v1.22, nanoseconds"
        ),
        pytest.param(f'Successfully pulled image "{IMAGE}" in 1h0m2s', [w(3_602_000)], id="hours"),
        pytest.param(
            f'(combined from similar events): Successfully pulled image "{IMAGE}" in 4s (9s)',
            [w(4000)],
            id="combined",
        ),
        pytest.param(f'Successfully pulled image "{IMAGE}"', [w(1001, 2999)], id="v1.19: by its two events"),
        pytest.param(f'Container image "{IMAGE}" already present on machine', [], id="present"),
        pytest.param(
            f'Container image "{IMAGE}" already present on machine and can be accessed by the pod',
            [],
            id="present, v1.35",
        ),
        pytest.param("pulled, somehow", [], id="another runtime's words"),
        pytest.param(f'Successfully pulled image "{IMAGE}" in soon', [w(1001, 2999)], id="no duration"),
    ],
)
def test_a_pull_takes_what_its_message_says(message, expected):
    pulling = make_event("Pulling", "00:01", f'Pulling image "{IMAGE}"')
    assert measure_image(make_pod(), pulling, make_event("Pulled", "00:03", message)).pulls == expected


@pytest.mark.parametrize(
    "events, expected",
    [
        pytest.param(
            [make_pulled("00:03"), make_pulled("00:20", "1s", pod="api-1", node="node-2")],
            [2300, 1000],
            id="each node pulls once",
        ),
        pytest.param(
            [make_pulled("00:03"), make_pulled("09:00", "400ms", pod="api-1")],
            [2300],
            id="a look at the registry on the same node",
        ),
        pytest.param(
            [make_pulled("00:03", "3s"), make_pulled("00:04", "3.5s", pod="api-1")],
            [3000, 3500],
            id="two at once on one node",
        ),
        pytest.param(
            [
                make_event(
                    "Pulled", "00:01", f'Container image "{IMAGE}" already present on machine', pod="api-1"
                ),
                make_pulled("08:00", "300ms"),
            ],
            [],
            id="the node had it",
        ),
    ],
)
def test_only_a_node_without_the_image_pulls_it(events, expected):
    pods = [make_pod(), make_pod("api-1")]
    assert measure_image(*pods, *events).pulls == [w(one) for one in expected]


def test_where_the_node_is_not_known_each_pull_counts():
    events = [make_pulled("00:03", node=""), make_pulled("09:00", pod="api-1", node="")]
    assert len(measure_image(*events).pulls) == 2


def test_events_are_of_the_pod_with_their_uid_and_without_one_of_that_with_the_name():
    """A StatefulSet makes pods of one name, one after the other."""
    present = make_event("Pulled", "05:00", f'Container image "{IMAGE}" already present on machine')
    own = [present, make_event("Started", "05:04")]
    older = [make_pulled("00:03", name="a"), make_event("Started", "00:05", name="b")]
    about = {"involvedObject": older[0]["involvedObject"] | {"uid": "older"}}
    found = measure_image(make_pod(), *own, *(one | about for one in older))
    assert sorted(one.low_ms for one in found.starts) == [1001, 3001]
    nameless = {"involvedObject": present["involvedObject"] | {"uid": ""}}
    pulled = make_pulled("00:03", image=f"docker.io/{IMAGE}") | nameless
    assert len(measure_image(make_pod(), pulled).pulls) == 1


def test_a_pod_that_is_gone_is_known_by_its_events():
    found = measure_image(make_pulled("00:03"), make_event("Started", "00:04"))
    assert (found.pulls, found.starts) == ([w(2300)], [w(1, 1999)])


@pytest.mark.parametrize(
    "events, expected",
    [
        pytest.param(
            [make_pulled("00:03"), make_event("Started", "00:05")], [w(1001, 2999)], id="whole seconds"
        ),
        pytest.param([make_pulled("00:03"), make_event("Started", "00:03")], [w(0, 999)], id="one second"),
        pytest.param([make_pulled("00:03")], [w(1001, 2999)], id="its event is gone: by the status"),
        pytest.param([make_event("Started", "00:05")], [], id="nobody knows when it was pulled"),
        pytest.param(
            [
                make_event(
                    "Pulled",
                    "00:03",
                    f'Container image "{IMAGE}" already present on machine',
                    count=4,
                    last="00:50",
                ),
                make_event("Failed", "00:03", "Error: configmap not found", count=3, last="00:40"),
                make_event("Started", "00:51"),
            ],
            [],
            id="it failed in between",
        ),
        pytest.param(
            [
                make_event("Failed", "00:01", "Error: ErrImagePull"),
                make_pulled("00:03"),
                make_event("Started", "00:04"),
            ],
            [w(1, 1999)],
            id="the pull failed before",
        ),
    ],
)
def test_a_start_takes_from_pulled_to_started(events, expected):
    assert measure_image(make_pod(), *events).starts == expected


def test_the_name_of_an_event_has_its_instant():
    """18ebc29ba4a42359 is 2026-11-27T01:27:30.175214Z in nanoseconds, as an API server was seen to tell."""
    pulled = make_pulled("00:03", name="api-0.18ebc29ba4a42359") | {"firstTimestamp": "2026-11-27T01:27:30Z"}
    started = make_event("Started", "00:03", name="api-0.18ebc29bc4a42359")
    started |= {"firstTimestamp": "2026-11-27T01:27:30Z"}
    # 0x20000000 nanoseconds later: from .175 to .712.
    assert measure_image(make_pod(), pulled, started).starts == [w(537)]


@pytest.mark.parametrize("api_version", ["events.k8s.io/v1", "events.k8s.io/v1beta1"])
def test_events_of_the_newer_api_are_read(api_version):
    def renew(event, time):
        about, source = event.pop("involvedObject"), event.pop("source")
        message, first, last = event.pop("message"), event.pop("firstTimestamp"), event.pop("lastTimestamp")
        return event | {
            "apiVersion": api_version,
            "regarding": about,
            "note": message,
            "deprecatedSource": source,
            "deprecatedFirstTimestamp": None if time else first,
            "eventTime": time,
            "deprecatedLastTimestamp": None if time else last,
        }

    old = measure_image(renew(make_pulled("00:03"), None), renew(make_event("Started", "00:04"), None))
    new = measure_image(
        renew(make_pulled("00:03"), "2026-11-27T10:00:03.250000Z"),
        renew(make_event("Started", "00:04"), "2026-11-27T10:00:03.750000Z"),
    )
    assert (old.pulls, old.starts) == ([w(2300)], [w(1, 1999)])
    assert (new.pulls, new.starts) == ([w(2300)], [w(500)])


# --- ready ------------------------------------------------------------------------------------------------

PROBE = {"httpGet": {"path": "/", "port": 80}}
EVERY_3 = PROBE | {"periodSeconds": 3}


def ready_of(container, ready, *events, **pod):
    """Started at 00:05, in whole seconds."""
    found = measure_image(make_pod(containers=[make_container(**container)], ready=ready, **pod), *events)
    return found.readies, [*found.why_not]


@pytest.mark.parametrize(
    "container, ready, expected",
    [
        # From 00:05.000–00:05.999 to 00:20.000–00:20.999 are 14,001 to 15,999 ms.
        pytest.param({"readinessProbe": EVERY_3}, "00:20", w(11_001, 15_999), id="one period"),
        pytest.param({"readinessProbe": PROBE}, "00:20", w(4001, 15_999), id="10 s by default"),
        pytest.param(
            {"readinessProbe": EVERY_3 | {"successThreshold": 3}},
            "00:20",
            w(5001, 9999),
            id="two more successes are taken off",
        ),
        pytest.param(
            {"readinessProbe": EVERY_3 | {"initialDelaySeconds": 12}},
            "00:20",
            w(0, 15_999),
            id="the first check passed: it may have listened at once",
        ),
        pytest.param({"readinessProbe": EVERY_3}, "00:05", w(0, 999), id="at once"),
        pytest.param(
            {"startupProbe": PROBE | {"periodSeconds": 2}, "readinessProbe": EVERY_3},
            "00:20",
            w(9001, 15_999),
            id="behind a startup probe: a period of each",
        ),
        pytest.param(
            {"startupProbe": PROBE | {"periodSeconds": 2}},
            "00:20",
            w(12_001, 15_999),
            id="a startup probe alone",
        ),
    ],
)
def test_what_probes_add_is_taken_off(container, ready, expected):
    assert ready_of(container, ready) == ([expected], [])


@pytest.mark.parametrize(
    "container, ready, pod, why",
    [
        pytest.param({}, "00:20", {}, NO_PROBE, id="no probe"),
        pytest.param({"readinessProbe": EVERY_3}, None, {}, NOT_READY, id="not ready"),
        pytest.param(
            {"readinessProbe": EVERY_3}, "00:02", {}, AGAIN, id="ready before it started, by its times"
        ),
        pytest.param({"readinessProbe": EVERY_3}, "30:00", {}, AGAIN, id="after half an hour"),
        pytest.param(
            {"readinessProbe": EVERY_3},
            "00:20",
            {"statuses": [make_status(started=None)]},
            NOT_READY,
            id="not running",
        ),
        pytest.param(
            {"readinessProbe": EVERY_3, "command": ["sh", "-c", "sleep 5; httpd -f"]},
            "00:20",
            {},
            READ_AS_SCRIPT,
            id="its script is run as it is",
        ),
    ],
)
def test_what_tells_nothing_of_the_program_is_said(container, ready, pod, why):
    assert ready_of(container, ready, **pod) == ([], [why])


def ready_beside(other, other_started, ready="00:20"):
    containers = [
        make_container(readinessProbe=EVERY_3),
        make_container("side", image="shop/side:1", **other),
    ]
    statuses = [make_status(), make_status("side", other_started)]
    found = measure_image(make_pod(containers=containers, statuses=statuses, ready=ready))
    return found.readies, [*found.why_not]


@pytest.mark.parametrize(
    "other, started, expected",
    [
        pytest.param(
            {}, "00:06", ([w(11_001, 15_999)], []), id="another without a probe, long since running"
        ),
        pytest.param({}, "00:20", ([], [OTHERS]), id="another that started last"),
        pytest.param({}, None, ([], [OTHERS]), id="another that does not run"),
        pytest.param({"readinessProbe": PROBE}, "00:06", ([], [OTHERS]), id="two that gate"),
        pytest.param(
            {"startupProbe": PROBE}, "00:06", ([], [OTHERS]), id="two that gate, by a startup probe"
        ),
    ],
)
def test_readiness_is_of_the_container_that_held_it_back(other, started, expected):
    assert ready_beside(other, started) == expected


FAILED = "Readiness probe failed: connection refused"


@pytest.mark.parametrize(
    "event, expected",
    [
        pytest.param(
            make_event("Unhealthy", "00:08", FAILED, count=4, last="00:18"),
            ([w(12_001, 15_999)], []),
            id="it failed until 00:18",
        ),
        pytest.param(
            make_event("Unhealthy", "02:00", FAILED, count=4, last="02:20"),
            ([w(11_001, 15_999)], []),
            id="later failures are none of its start's",
        ),
        pytest.param(
            make_event("Unhealthy", "00:15", FAILED, last="00:18"),
            ([], [AGAIN]),
            id="its first checks passed",
        ),
        pytest.param(
            make_event("Unhealthy", "00:08", "Liveness probe failed", last="00:19"),
            ([w(11_001, 15_999)], []),
            id="liveness says nothing of readiness",
        ),
    ],
)
def test_checks_that_failed_say_more(event, expected):
    assert ready_of({"readinessProbe": EVERY_3}, "00:20", event) == expected


def test_a_restarted_container_is_measured_from_its_last_start():
    status = make_status(started="05:00", restartCount=2)
    started = make_event("Started", "00:05", count=3, last="05:00")
    readies, _ = ready_of({"readinessProbe": EVERY_3}, "05:10", started, statuses=[status])
    assert readies == [w(6001, 10_999)]


def test_a_readiness_gate_of_another_is_not_the_programs():
    pod = make_pod(containers=[make_container(readinessProbe=EVERY_3)], ready="00:20")
    pod["status"]["conditions"].append({"type": "Ready", "status": "True", "lastTransitionTime": at("09:00")})
    assert measure_image(pod).readies == [w(11_001, 15_999)]
