"""What is lost of requests from pods, reckoned by hand: `acts` says what happens."""

from typing import Any

import pytest

from tests.engine.traffic.acts import (
    LATE,
    LIVENESS,
    ONE_SECOND,
    READINESS,
    RECREATE,
    Act,
    Json,
    after_making,
    check,
    evict_one,
    make_service_late,
    on_term,
    only_run,
    point_elsewhere,
    remove_one,
    roll,
    run_before_stop,
    scale,
    sleep_before_stop,
)
from tests.engine.traffic.shop import Shop

OF_THREE = "1 0, 10 1000 timedOut, 11 0"
SLOW_LOSS = "1 0, 15 250 timedOut, 16 0, 20 250 timedOut, 21 0, 25 250 timedOut, 26 0"
AFTER_SLEEP = "3 0, 16 250 timedOut, 18 0, 21 250 timedOut, 23 0, 26 250 timedOut, 28 0"


@pytest.mark.slow
@pytest.mark.spec("POD-TERM-13")
@pytest.mark.parametrize(
    "act, until, lost_ms, told",
    [
        pytest.param(roll(), 30, 750, SLOW_LOSS, id="one by one: 3 x 1 s x 1/4"),
        pytest.param(roll(spec={}), 30, 1000, OF_THREE, id="all at once: 1 s x 1"),
        pytest.param(roll(replicas=1, spec={}), 30, 1000, OF_THREE, id="a single replica: 1 s x 1"),
        pytest.param(roll(sleep_before_stop(5)), 40, 0, "1 0", id="preStop sleeps longer than the lag"),
        pytest.param(roll(run_before_stop("sleep", "5")), 40, 0, "1 0", id="preStop runs sleep"),
        pytest.param(roll(spec=RECREATE), 30, 1000, OF_THREE, id="Recreate, ends at once: 1 s"),
        pytest.param(
            roll(spec=RECREATE, behavior=on_term(takes="4s")),
            30,
            5000,
            "1 0, 10 1000 refused, 14 1000 timedOut, 15 0",
            id="Recreate, ends in 4 s and takes nothing new: 4 s + 1 s",
        ),
        pytest.param(
            roll(spec=RECREATE, behavior=on_term(takes="4s", accepts=True)),
            30,
            1000,
            "1 0, 14 1000 timedOut, 15 0",
            id="Recreate, takes new ones to its end: those that end are the last resort",
        ),
        pytest.param(
            roll(sleep_before_stop(5), spec=RECREATE),
            30,
            1000,
            "1 0, 15 1000 timedOut, 16 0",
            id="Recreate with preStop: the old serve while it runs",
        ),
        pytest.param(
            roll(behavior=on_term(takes="4s")),
            30,
            750,
            SLOW_LOSS.replace("timedOut", "refused"),
            id="closes its port at once and ends later: 3 x 1 s x 1/4, refused",
        ),
        pytest.param(
            roll(behavior=on_term(takes="4s", accepts=True)), 40, 0, "1 0", id="serves until it ends"
        ),
        pytest.param(
            roll(behavior=on_term(ignore=True), terminationGracePeriodSeconds=5),
            40,
            0,
            "1 0",
            id="ignores TERM",
        ),
        pytest.param(
            roll(behavior=LATE, spec={}),
            60,
            15_000,
            "1 1000 refused, 8 0, 10 1000 timedOut, 11 1000 refused, 18 0",
            id="slow start without readiness: 7 s at first, then 1 s of old ones and 7 s of new ones",
        ),
        pytest.param(
            roll(READINESS, behavior=LATE, spec={}),
            60,
            1000,
            "9 0, 18 333 timedOut, 19 0, 26 333 timedOut, 27 0, 34 333 timedOut, 35 0",
            id="slow start with readiness: 3 x 1 s x 1/3, no new one is known yet",
        ),
        pytest.param(
            roll(READINESS, behavior=LATE, spec={"strategy": {"rollingUpdate": {"maxSurge": 0}}}),
            60,
            1333,
            "9 0, 10 333 timedOut, 11 0, 18 500 timedOut, 19 0, 26 500 timedOut, 27 0",
            id="without surge: 1 s x 1/3, then twice 1 s x 1/2: two old ones, or one old and one new",
        ),
        pytest.param(
            scale(2, replicas=4), 30, 500, "1 0, 10 500 timedOut, 11 0", id="scale down 4 to 2: 1 s x 1/2"
        ),
        pytest.param(scale(5), 30, 0, "1 0", id="scale up"),
        pytest.param(
            scale(0),
            30,
            20_000,
            "1 0, 10 1000 timedOut, 11 1000 nobody",
            id="scale to zero: 1 s, then nobody for 19 s",
        ),
        pytest.param(
            after_making(evict_one),
            30,
            333,
            "1 0, 10 333 timedOut, 11 0",
            id="eviction of one of 3: 1 s x 1/3",
        ),
        pytest.param(
            remove_one(options={"force": True, "gracePeriodSeconds": 0}),
            30,
            500,
            "1 0, 10 500 timedOut, 11 0",
            id="forced deletion, ends at once: 1 s x 1/2",
        ),
        pytest.param(
            remove_one(options={"force": True, "gracePeriodSeconds": 0}, behavior=on_term(ignore=True)),
            30,
            0,
            "1 0",
            id="forced deletion of what goes on running",
        ),
        pytest.param(
            remove_one(sleep_before_stop(5), count=1),
            20,
            5000,
            "1 0, 15 1000 timedOut, 16 1000 nobody",
            id="the last endpoint serves to its end: 1 s, then nobody for 4 s",
        ),
        pytest.param(
            remove_one(hostNetwork=True),
            20,
            500,
            "1 0, 10 500 refused, 11 0",
            id="a node's own address stays, so it refuses: 1 s x 1/2",
        ),
        pytest.param(
            remove_one(
                {"name": "app", "image": "tomcat:10", **sleep_before_stop(5)},
                {"name": "proxy", "image": "nginx:1"},
            ),
            20,
            0,
            "1 0",
            id="a proxy on another port ends first: nobody asks it",
        ),
        pytest.param(
            remove_one(
                {"name": "main", "image": "nginx:1", **sleep_before_stop(5)},
                {"name": "app", "image": "tomcat:10"},
            ),
            20,
            500,
            "1 0, 10 500 refused, 11 0",
            id="the container that takes the requests ends first: 1 s x 1/2, refused",
        ),
        pytest.param(
            make_service_late, 30, 1000, "11 0, 15 1000 timedOut, 16 0", id="a Service after its pods"
        ),
        pytest.param(
            after_making(point_elsewhere),
            20,
            9000,
            "1 0, 11 1000 nobody",
            id="the selector changes: served for the lag, then nobody for 9 s",
        ),
    ],
)
def test_what_is_lost_while_kube_proxy_does_not_know_yet(
    act: Act, until: float, lost_ms: int, told: str
) -> None:
    check(act, until, lost_ms, told, "pods", ONE_SECOND)


def test_a_preStop_shorter_than_the_lag_saves_its_part_of_it() -> None:
    # 3 x (3 s - 1 s) x 1/4
    check(roll(sleep_before_stop(1)), 30, 1500, AFTER_SLEEP, "pods", {"service_proxy": "3s"})


FLAPS = {"app": {"probes": {"readiness": [{"at": f"{at}s", "result": result} for at, result in (
    (0, "success"), (20, "failure"), (25, "success"))]}}}  # fmt: skip
CRASHES = {"app": {"runs": [{"for": "20s", "exit": 1}, {"for": "5s", "exit": 1}, {"forever": True}]}}
HANGS = {
    "app": {
        **LATE["app"],
        "probes": {"liveness": [{"at": "0s", "result": "success"}, {"at": "40s", "result": "failure"}]},
    }
}


@pytest.mark.parametrize(
    "act, lost_ms, told, outcomes",
    [
        pytest.param(
            only_run(READINESS, behavior=FLAPS),
            5000,
            "1 0, 21 1000 nobody, 26 0",
            {"notReady": 1000, "nobody": 5000},
            id="not ready from 20 to 25: served for the lag, then nobody",
        ),
        pytest.param(
            only_run(READINESS, behavior=FLAPS, service={"publishNotReadyAddresses": True}),
            0,
            "1 0",
            {"notReady": 5000},
            id="who is not ready is published",
        ),
        pytest.param(
            only_run(behavior=CRASHES),
            11_000,
            "1 0, 25 1000 refused, 26 1000 nobody, 36 0",
            {"refused": 1000, "nobody": 10_000},
            id="back at once after the first crash, after 10 s from the second",
        ),
        pytest.param(
            only_run(behavior=CRASHES, service={"requests": {"takes": "2s"}}),
            15_000,
            "1 0, 25 1000 refused, 26 1000 nobody, 36 0",
            {"reset": 4000, "refused": 1000, "nobody": 10_000},
            id="and what was under way: twice 2 s",
        ),
        pytest.param(
            only_run(LIVENESS, behavior=HANGS),
            15_000,
            "1 1000 refused, 8 0, 40 1000 refused, 48 0",
            {"refused": 15_000},
            id="killed by its liveness probe at 40: 7 s at first, 8 s again",
        ),
    ],
)
def test_what_is_lost_of_a_single_pod(act: Act, lost_ms: int, told: str, outcomes: Json) -> None:
    shop = check(act, 60, lost_ms, told, "pods", ONE_SECOND)
    assert shop.sum_outcomes() == {"served": 59_000 - sum(outcomes.values()), **outcomes}


@pytest.mark.parametrize(
    "service, told",
    [
        pytest.param(
            {"publishNotReadyAddresses": True},
            [(1, 0, None, 0), (20, 0, None, 1000), (25, 0, None, 0)],
            id="published: as long as it is not ready",
        ),
        pytest.param(
            {},
            [(1, 0, None, 0), (20, 0, None, 1000), (21, 1000, "nobody", 0), (26, 0, None, 0)],
            id="else for the lag, and then there is nobody",
        ),
    ],
)
def test_that_pods_which_are_not_ready_serve_is_told_in_rows(service: Json, told: list[Any]) -> None:
    shop = Shop(**ONE_SECOND)
    only_run(READINESS, behavior=FLAPS, service=service)(shop)
    shop.to(60)
    rows = [row for row in shop.rows if row.get("field") == "requests.pods"]
    assert [
        (row["at_ms"] / 1000, row["new"], row["reason"], row["detail"]["notReady"]) for row in rows
    ] == told
    # What was lost so far stands in each row from the first loss on: 5 s without anybody.
    assert [row["detail"].get("lostMs") for row in rows][-1] == (None if service else 5000)


def test_when_nobody_sends_any_more_none_is_served_by_pods_that_are_not_ready() -> None:
    shop = Shop(**ONE_SECOND)
    only_run(READINESS, behavior=FLAPS, service={"publishNotReadyAddresses": True})(shop)
    shop.to(22).change("Service", {"metadata": {"annotations": {"podline.dev/requests": "from: []"}}})
    shop.to(60)
    rows = [row for row in shop.rows if row.get("field") == "requests.pods"]
    assert [(row["at_ms"] / 1000, row["detail"]["notReady"]) for row in rows][-2:] == [(20, 1000), (22, 0)]


@pytest.mark.parametrize(
    "act, lost_ms, told, outcomes",
    [
        pytest.param(
            roll(service={"requests": {"takes": "200ms"}}),
            900,
            SLOW_LOSS,
            {"timedOut": 750, "reset": 150},
            id="ends at once: 3 x 200 ms x 1/4 were under way",
        ),
        pytest.param(
            roll(behavior=on_term(takes="4s"), service={"requests": {"takes": "200ms"}}),
            750,
            SLOW_LOSS.replace("timedOut", "refused"),
            {"refused": 750},
            id="finishes what is under way",
        ),
        pytest.param(
            remove_one(requests={"takes": "200ms"}, behavior=on_term(takes="4s", finishes=False)),
            600,
            "1 0, 10 500 refused, 11 0",
            {"refused": 500, "reset": 100},
            id="drops at its signal what is under way: 200 ms x 1/2",
        ),
        pytest.param(
            remove_one(
                requests={"takes": "10s"}, behavior=on_term(takes="60s"), terminationGracePeriodSeconds=3
            ),
            4000,
            "1 0, 10 500 refused, 11 0",
            {"refused": 500, "reset": 3500},
            id="killed at 13: of what takes 10 s that of 3 to 10 is not done, 7 s x 1/2",
        ),
        pytest.param(
            remove_one(
                requests={"takes": "10s"}, behavior=on_term(ignore=True), terminationGracePeriodSeconds=5
            ),
            3000,
            "1 0",
            {"reset": 3000},
            id="TERM is ignored, killed at 15: that of 5 to 11, 6 s x 1/2",
        ),
        pytest.param(
            remove_one(sleep_before_stop(5), requests={"takes": "4s"}),
            0,
            "1 0",
            {},
            id="the sleep is as long as the lag and a request",
        ),
        pytest.param(
            remove_one(sleep_before_stop(5), requests={"takes": "5s"}),
            500,
            "1 0",
            {"reset": 500},
            id="or a second shorter: 1 s x 1/2",
        ),
        pytest.param(
            roll(spec={}, service={"requests": {"keepAlive": "30s"}}),
            1000,
            OF_THREE,
            {"timedOut": 1000},
            id="connections are kept, and nobody takes any",
        ),
        pytest.param(
            roll(service={"requests": {"keepAlive": "30s", "takes": "200ms"}}),
            150,
            "1 0",
            {"reset": 150},
            id="connections are kept: only what is under way, 3 x 200 ms x 1/4",
        ),
        pytest.param(
            remove_one(sleep_before_stop(5), requests={"keepAlive": "10s", "takes": "200ms"}),
            61,
            "1 0",
            {"reset": 61},
            # Known at 11, ended at 15: 6.2 to 6 s of the 10 s for which each is open are left then.
            id="connections that are kept outlive the preStop: 200 ms x 1/2 x 61/100",
        ),
    ],
)
def test_what_is_lost_of_requests_that_take_time(act: Act, lost_ms: int, told: str, outcomes: Json) -> None:
    shop = check(act, 30, lost_ms, told, "pods", ONE_SECOND)
    assert shop.sum_outcomes() == {"served": 29_000 - sum(outcomes.values()), **outcomes}
