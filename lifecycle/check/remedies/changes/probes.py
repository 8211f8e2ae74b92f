"""When containers count as ready, when they are restarted, and what memory they may use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lifecycle.check.remedies.candidates import Candidate, Case, Json
from lifecycle.engine.objects.quantity import canonical_sum, parse_quantity

READINESS, STARTUP, LIVENESS, UNASKED, MEMORY = "readiness", "startup", "liveness", "no liveness", "memory"
HANDLERS = ("httpGet", "tcpSocket", "exec", "grpc")
_FACTORS = (3, 10)
_THRESHOLD, _PERIOD_SECONDS = 3, 10
"""What is set where nothing is said."""


def ask_readiness(case: Case) -> Iterator[Candidate]:
    """Pods count only when their port is open."""
    for one in case.containers:
        port = next((given.get("name") or given["containerPort"] for given in one.get("ports") or ()), None)
        if port is not None and not one.get("readinessProbe"):
            probe = {"readinessProbe": {"tcpSocket": {"port": port}, "periodSeconds": 1}}
            text = f"readiness probe of port {port}"
            yield case.change_container(text, READINESS, one["name"], probe)


def wait_for_start(case: Case) -> Iterator[Candidate]:
    """A startup probe that asks what the liveness probe asks, and has five minutes' patience."""
    for one, probe in _list_liveness(case):
        if one.get("startupProbe"):
            continue
        asked = {name: probe[name] for name in HANDLERS if name in probe}
        slow = {**asked, "periodSeconds": 10, "failureThreshold": 30}
        text = f"startup probe of 30 × 10s for {one['name']}"
        yield case.change_container(text, STARTUP, one["name"], {"startupProbe": slow})
    for one in case.containers:
        known = one.get("startupProbe") or {}
        for factor in _FACTORS if known else ():
            count = (known.get("failureThreshold") or _THRESHOLD) * factor
            text = f"failureThreshold {count} for the startup probe of {one['name']}"
            change = {"startupProbe": {"failureThreshold": count}}
            yield case.change_container(text, STARTUP, one["name"], change)


def be_patient(case: Case) -> Iterator[Candidate]:
    """A liveness probe that must fail more often, or that asks later."""
    for one, probe in _list_liveness(case):
        for factor in _FACTORS:
            count = (probe.get("failureThreshold") or _THRESHOLD) * factor
            text = f"failureThreshold {count} for the liveness probe of {one['name']}"
            yield _change(case, one, text, {"failureThreshold": count})


def ask_later(case: Case) -> Iterator[Candidate]:
    """The first question of a liveness probe comes later."""
    for one, probe in _list_liveness(case):
        period = probe.get("periodSeconds") or _PERIOD_SECONDS
        known = probe.get("initialDelaySeconds") or 0
        for factor in _FACTORS:
            seconds = known + period * (probe.get("failureThreshold") or _THRESHOLD) * factor
            text = f"initialDelaySeconds {seconds} for the liveness probe of {one['name']}"
            yield _change(case, one, text, {"initialDelaySeconds": seconds})


def ask_itself(case: Case) -> Iterator[Candidate]:
    """A liveness probe asks nobody but the container: its port, or nothing at all."""
    for one, probe in _list_liveness(case):
        port = next((given.get("name") or given["containerPort"] for given in one.get("ports") or ()), None)
        if port is not None and "tcpSocket" not in probe:
            others = {name: None for name in HANDLERS if name in probe}
            text = f"liveness probe of its own port {port} for {one['name']}"
            yield _change(case, one, text, {**others, "tcpSocket": {"port": port}})
        text = f"no liveness probe for {one['name']}"
        yield case.change_container(text, UNASKED, one["name"], {"livenessProbe": None})


def raise_memory(case: Case) -> Iterator[Candidate]:
    """A higher memory limit."""
    for one in case.containers:
        limit = ((one.get("resources") or {}).get("limits") or {}).get("memory")
        for factor in (2, 4) if limit else ():
            memory = canonical_sum(parse_quantity(limit) * factor, limit)
            change = {"resources": {"limits": {"memory": memory}}}
            text = f"memory limit {memory} for {one['name']}"
            yield case.change_container(text, MEMORY, one["name"], change)


def _list_liveness(case: Case) -> list[tuple[Json, Json]]:
    """The containers with a liveness probe, and it."""
    return [(one, one["livenessProbe"]) for one in case.containers if one.get("livenessProbe")]


def _change(case: Case, container: Json, text: str, fields: dict[str, Any]) -> Candidate:
    return case.change_container(text, LIVENESS, container["name"], {"livenessProbe": fields})
