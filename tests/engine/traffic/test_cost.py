"""A change of one endpoint costs the same, whatever their number: counted in calls, not in time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from lifecycle.engine.api.connections import ACCEPTS, REFUSES, Answer
from lifecycle.engine.traffic.service import Endpoint
from lifecycle.engine.traffic.view import Target
from tests.engine.traffic.shop import Shop, make_service

pytestmark = pytest.mark.slow

PORTS = [{"port": 8080}]


def make_target(number: int, is_ready: bool = True) -> Target:
    conditions = {"ready": is_ready, "serving": is_ready, "terminating": not is_ready}
    return Target({"addresses": [f"10.0.0.{number}"], "conditions": conditions, "nodeName": "node-1"}, PORTS)


def count_calls(act: Callable[[], Any]) -> int:
    """How many functions are called, those of C included."""
    calls = 0

    def note(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
    return calls


def count_a_change(endpoints: int, requests: dict[str, Any]) -> int:
    """Calls for one endpoint that answers otherwise and then goes, summed up and told."""
    shop = Shop().make(make_service(requests))
    (service,) = shop.cluster._traffic.services.values()
    sender = service.senders["pods"]
    (view,) = sender.views.values()
    for number in range(endpoints):
        service.endpoints[str(number)] = endpoint = Endpoint(str(number), False, 8080)
        endpoint.opened_ms, endpoint.holder = 0, "app/0"
    service.learn(view, [(str(number), make_target(number)) for number in range(endpoints)], 0)
    sender.sending = [view]

    def change() -> None:
        service.settle(1000)
        service.answer(service.endpoints["7"], Answer(REFUSES), 1000)
        service.settle(2000)
        service.learn(view, [("7", make_target(7, is_ready=False))], 2000)
        service.answer(service.endpoints["8"], Answer(ACCEPTS, "app/1"), 2000)
        sender.take_news(service.keeps_alive)
        service.sum_up()

    return count_calls(change)


@pytest.mark.parametrize("requests", [{}, {"takes": "500ms"}, {"takes": "500ms", "keepAlive": "5s"}])
def test_a_change_costs_the_same_at_any_number_of_endpoints(requests):
    few, many = count_a_change(1000, requests), count_a_change(10_000, requests)
    # A sum of fractions may take a step or two more where its numbers are larger.
    assert abs(many - few) <= 0.05 * few
    assert many < 2000
