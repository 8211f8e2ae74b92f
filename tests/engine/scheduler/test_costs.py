"""What one more pod costs the scheduler, counted in calls: it does not grow with the nodes."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from lifecycle.benches import schedule
from lifecycle.engine.api.context import Context
from lifecycle.engine.api.server import ApiServer
from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.scheduler import Scheduler

pytestmark = pytest.mark.slow

PODS = 200


def count_calls(nodes: int) -> int:
    """Calls, of Python's functions and of C's, until pods of twenty templates have a node."""
    context = Context(1, 0, Settings(timing="instant"))
    api = ApiServer(context)
    Scheduler(context)
    schedule.make(api, "Namespace", "default")
    for number in range(nodes):
        schedule.make_node(api, number)
    # The first pods of each template have every node looked at.
    for number in range(-schedule.WARM, PODS):
        schedule.make_pod(api, number)
        if number < 0:
            context.loop.drain()
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        context.loop.drain()
    finally:
        sys.setprofile(None)
    assert all(pod.node_name for pod in context.store.pods.values())
    return calls


def test_what_a_pod_costs_does_not_grow_with_the_nodes() -> None:
    few, many = count_calls(100), count_calls(500)
    assert many <= 1.05 * few
