"""What is lost on several nodes, through load balancers, ingresses and DNS: `acts` says what happens."""

import pytest

from tests.engine.traffic.acts import (
    ONE_SECOND,
    Act,
    Json,
    check,
    crash_first,
    crash_first_for_a_while,
    cut_first_off,
    drain_first,
    keep_near,
    leave_first,
    on_two_nodes,
    roll,
    scale,
    sleep_before_stop,
)
from tests.engine.traffic.shop import Shop, make_deployment, make_route, make_service

BALANCED: Json = {"type": "LoadBalancer"}
LOCALLY: Json = {"type": "LoadBalancer", "externalTrafficPolicy": "Local"}
BALANCER = {**ONE_SECOND, "load_balancer": "20s"}


@pytest.mark.parametrize(
    "act, lags, until, lost_ms, sender, told",
    [
        pytest.param(
            on_two_nodes(drain_first),
            ONE_SECOND,
            30,
            500,
            "pods",
            "1 0, 10 500 timedOut, 11 0",
            id="drain: 1 s x 1/2",
        ),
        pytest.param(
            on_two_nodes(crash_first),
            ONE_SECOND,
            99,
            25_500,
            "pods",
            "1 0, 10 500 timedOut, 61 0",
            id="a node is lost: found after 50 s, known 1 s later, x 1/2; its own clients do not send",
        ),
        pytest.param(
            on_two_nodes(crash_first_for_a_while),
            ONE_SECOND,
            99,
            10_000,
            "pods",
            "1 0, 10 500 timedOut, 30 0",
            id="a node is off for 20 s: x 1/2 of the other's clients",
        ),
        pytest.param(
            on_two_nodes(cut_first_off),
            ONE_SECOND,
            99,
            5250,
            "pods",
            "1 0, 20 500 timedOut, 21 250 timedOut, 40 0",
            id="cut off: its clients keep to one that is gone from 20 to 40, others for 1 s; x 1/2 x 1/2",
        ),
        pytest.param(
            on_two_nodes(leave_first, internalTrafficPolicy="Local"),
            ONE_SECOND,
            20,
            5000,
            "pods",
            "1 0, 10 500 timedOut",
            id="clients of a node without endpoints are left out where all stays local: 10 s x 1/2",
        ),
        pytest.param(
            keep_near,
            ONE_SECOND,
            20,
            500,
            "pods",
            "1 0, 10 500 timedOut, 11 0",
            id="kept in its zone: all clients of that zone, 1 s x 1/2, and not 1/4",
        ),
        pytest.param(
            on_two_nodes(leave_first, 60, **BALANCED),
            BALANCER,
            99,
            500,
            "loadBalancer",
            "1 0, 60 500 timedOut, 61 0",
            id="load balancer, any node: as kube-proxy, 1 s x 1/2",
        ),
        pytest.param(
            on_two_nodes(leave_first, 60, **LOCALLY),
            BALANCER,
            99,
            10_500,
            "loadBalancer",
            "1 0, 60 500 timedOut, 81 0",
            id="load balancer, local: the check fails 1 s later, believed 20 s after that, x 1/2",
        ),
        pytest.param(
            on_two_nodes(crash_first, 60, **BALANCED),
            BALANCER,
            150,
            30_500,
            "loadBalancer",
            "1 0, 60 750 timedOut, 80 500 timedOut, 111 0",
            id="load balancer, a node is lost: 20 s x (1/2 + 1/2 x 1/2), then 31 s x 1/2",
        ),
        pytest.param(
            on_two_nodes(crash_first, 60, **LOCALLY),
            BALANCER,
            150,
            10_000,
            "loadBalancer",
            "1 0, 60 500 timedOut, 80 0",
            id="load balancer, local, a node is lost: 20 s x 1/2",
        ),
    ],
)
def test_what_is_lost_on_two_nodes(
    act: Act, lags: Json, until: float, lost_ms: int, sender: str, told: str
) -> None:
    check(act, until, lost_ms, told, sender, lags, nodes=2)


ROUTED = {"service": {"requests": {"from": ["ingress"]}}}
HEADLESS = {"service": {"clusterIP": "None"}}


@pytest.mark.parametrize(
    "act, lags, until, lost_ms, sender, told",
    [
        pytest.param(
            roll(spec={}, others=[make_route()], **ROUTED),
            {"ingress": "5s"},
            30,
            5000,
            "ingress",
            "5 0, 10 1000 timedOut, 15 0",
            id="an Ingress: 5 s",
        ),
        pytest.param(
            roll(spec={}, others=[make_route("HTTPRoute")]),
            {"ingress": "5s", "service_proxy": "1s"},
            30,
            5000,
            "ingress",
            "0 0, 10 1000 timedOut, 15 0",
            id="an HTTPRoute, made after the Service and its pods: it knows them from the start; 5 s",
        ),
        pytest.param(
            scale(0, sleep_before_stop(10), others=[make_route()], **ROUTED),
            {"ingress": "5s"},
            30,
            15_000,
            "ingress",
            "5 0, 15 1000 nobody",
            id="an ingress takes no endpoint that ends: nobody from 15 on",
        ),
        pytest.param(
            scale(0, sleep_before_stop(10)),
            ONE_SECOND,
            30,
            10_000,
            "pods",
            "1 0, 20 1000 timedOut, 21 1000 nobody",
            id="as kube-proxy does: served to 20",
        ),
        pytest.param(
            roll(spec={}, at=60, **HEADLESS),
            {"dns": "30s"},
            99,
            30_000,
            "dns",
            "30 0, 60 1000 timedOut, 90 0",
            id="headless: 30 s",
        ),
        pytest.param(
            scale(0, sleep_before_stop(20), at=60, **HEADLESS),
            {"dns": "30s"},
            120,
            40_000,
            "dns",
            "30 0, 80 1000 timedOut, 90 1000 nobody",
            id="headless: the last one ends at 80, the names go at 90",
        ),
        pytest.param(
            roll(spec={}, service={"requests": {"from": ["pods", "ingress"]}}),
            {"ingress": "5s", "service_proxy": "1s"},
            30,
            3000,
            "ingress",
            "5 0, 10 1000 timedOut, 15 0",
            id="two kinds of clients: the mean of 1 s and 5 s",
        ),
    ],
)
def test_what_is_lost_by_others_than_kube_proxy(
    act: Act, lags: Json, until: float, lost_ms: int, sender: str, told: str
) -> None:
    check(act, until, lost_ms, told, sender, lags)


def test_a_service_that_nobody_asks_loses_nothing() -> None:
    shop = check(roll(service={"requests": {"from": []}}), 30, 0, "", "pods", ONE_SECOND)
    assert shop.cluster.sum_requests("default", "web") == {"lostMs": 0, "lost": 0}


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"selector": None}, id="selects no pods"),
        pytest.param({"type": "ExternalName", "externalName": "example.com"}, id="an alias"),
        pytest.param({"ports": [{"port": 53, "protocol": "UDP"}]}, id="no port of TCP"),
    ],
)
def test_a_service_that_gets_no_requests_has_no_sum(spec: Json) -> None:
    shop = Shop().make(make_service(**spec), make_deployment()).to(5)
    assert shop.cluster.sum_requests("default", "web") is None
    assert shop.tell() == ""


def test_clients_that_stop_asking_lose_nothing_more() -> None:
    shop = Shop(**ONE_SECOND)
    scale(0)(shop)
    shop.to(20).change("Service", {"metadata": {"annotations": {"podline.dev/requests": "from: []"}}})
    shop.to(30)
    assert shop.tell() == "1 0, 10 1000 timedOut, 11 1000 nobody, 20 0"


def test_clients_of_the_only_node_lose_nothing_while_it_is_off() -> None:
    shop = Shop(**ONE_SECOND)
    scale(0)(shop)
    shop.to(20).do("fault", node="node-1", kind="crash")
    shop.to(30)
    assert shop.tell() == "1 0, 10 1000 timedOut, 11 1000 nobody, 20 0"
    assert shop.count_lost_ms() == 10_000
