"""A cluster's clock for whoever drives it by a program: what it is asked to do, and how it stands.

`spec` is what was asked for: `speed` (a number or `auto`), `paused`, and `runUntil` while a run goes on.
`status` is how it stands: `now`, `atMs`, `speed`, `paused`, `idle`, and whether the last run has `reached`
what it was asked for.
"""

from __future__ import annotations

import time
from typing import Any

from django.core.exceptions import ValidationError

from lifecycle.engine.objects.times import format_time
from lifecycle.engine.rules.telling.verdicts import tell_instant
from lifecycle.input.instants import parse_instant
from lifecycle.models import Cluster, RunControl
from lifecycle.models.rows import Rows
from lifecycle.reads import virtual_now_ms
from lifecycle.runs import inbox
from lifecycle.runs.driving import auto
from lifecycle.runs.driving.run_requests import check_run, read_run
from lifecycle.runs.run_clock import LIMIT_MS

Json = dict[str, Any]
SPEED, PAUSED, RUN_UNTIL = "speed", "paused", "runUntil"
FIELDS = (SPEED, PAUSED, RUN_UNTIL)
CONTROL_SECONDS, LOOK_SECONDS = 10.0, 0.02
_CLUSTERS = Rows(Cluster)


def read_spec(cluster: Cluster) -> Json:
    """What the clock was asked to do. At `auto` it stands by itself, which is no pause."""
    if cluster.is_auto:
        spec: Json = {SPEED: auto.AUTO, PAUSED: False}
    else:
        spec = {SPEED: show_speed(cluster.speed), PAUSED: cluster.paused}
    is_under_way = not cluster.paused and cluster.as_fast_as_possible and not is_auto_run(cluster)
    return spec | ({RUN_UNTIL: _find_asked(cluster)} if is_under_way else {})


def read_status(cluster: Cluster) -> Json:
    """How the clock stands."""
    at_ms = virtual_now_ms(cluster)
    return {
        "now": format_time(at_ms, cluster.epoch_ms),
        "atMs": at_ms,
        SPEED: auto.AUTO if cluster.is_auto else show_speed(cluster.speed),
        PAUSED: cluster.paused,
        "idle": cluster.is_idle and cluster.inbox_order >= cluster.inbox_head,
        "reached": cluster.has_reached,
    }


def show_speed(speed: float) -> int | float:
    """10, not 10.0."""
    return int(speed) if speed == int(speed) else speed


def is_auto_run(cluster: Cluster) -> bool:
    """Whether time goes on because somebody wrote."""
    return cluster.run_until_condition == auto.AUTO


def _find_asked(cluster: Cluster) -> str:
    """The words of the run that goes on."""
    last = cluster.run_controls.filter(applied_at__isnull=False, kind=RunControl.Kind.RUN).last()
    if last is not None and last.payload.get("asked"):
        return str(last.payload["asked"])
    return cluster.run_until_condition or tell_instant(cluster.run_until_ms or 0)


def first_columns(speed: object, is_paused: bool) -> Json:
    """The clock's columns of a cluster that is about to be made. ValidationError."""
    if speed == auto.AUTO:
        if is_paused:
            raise _stands_by_itself()
        return {"is_auto": True, "as_fast_as_possible": True, **_RUN_AT_ONCE}
    if speed is None:
        return {"paused": is_paused}
    inbox.check_speed(speed)
    return {"speed": float(str(speed)), "paused": is_paused}


_RUN_AT_ONCE = {"run_until_condition": auto.AUTO, "run_until_ms": LIMIT_MS}


def change(cluster: Cluster, user: Any, wanted: Json, limit_ms: int | None = None) -> None:
    """Ask for what of `spec` is to be otherwise, and wait until it is so. `cluster` is refreshed.

    A run is begun, not waited for; one to a condition ends after `limit_ms` of virtual time.
    ValidationError says what would be right; limits.Exceeded.
    """
    now_ms = virtual_now_ms(cluster)
    asked = [*decide_controls(read_spec(cluster), wanted, now_ms)]
    for kind, payload in asked:
        if kind == RunControl.Kind.RUN:
            check_run(cluster, payload)
            if limit_ms is not None and "condition" in payload:
                payload["untilMs"] = now_ms + limit_ms
    for kind, payload in asked:
        ask(cluster, kind, payload, user)
    _CLUSTERS.refresh(cluster)


def ask(cluster: Cluster, kind: str, payload: Json, user: Any) -> None:
    """Ask for a run control, and wait until it is applied. ValidationError says why not; limits.Exceeded."""
    control = inbox.control(cluster, kind, payload, user)
    if not inbox.wait_for_control(control, CONTROL_SECONDS):
        raise ValidationError(
            f"the clock did not answer within {CONTROL_SECONDS:g} s: what was asked for is done when the"
            " cluster's worker is back"
        )
    if control.problem:
        raise ValidationError(control.problem)


def decide_controls(spec: Json, wanted: Json, now_ms: int) -> list[tuple[str, Json]]:
    """The run controls that make of a clock of this `spec` one that is as `wanted`. ValidationError."""
    _check_fields(wanted)
    after, kind = {**spec, **wanted}, RunControl.Kind
    controls: list[tuple[str, Json]] = []
    is_auto, until = after[SPEED] == auto.AUTO, wanted.get(RUN_UNTIL)
    if is_auto and after[PAUSED]:
        if wanted.get(PAUSED) and SPEED in wanted:
            raise _stands_by_itself()
        if PAUSED not in wanted:
            after[PAUSED] = False
    if after[SPEED] != spec[SPEED]:
        controls.append((kind.SPEED, {"speed": after[SPEED]}))
    if after[PAUSED] and not spec[PAUSED]:
        controls.append((kind.PAUSE, {}))
    if until and until != spec.get(RUN_UNTIL):
        controls.append((kind.RUN, read_run(until, now_ms)))
    elif not after[PAUSED] and not is_auto and (spec[PAUSED] or spec[SPEED] == auto.AUTO):
        controls.append((kind.RESUME, {}))
    return controls


def _check_fields(wanted: Json) -> None:
    for name, value in wanted.items():
        if name not in FIELDS:
            raise ValidationError({str(name)[:40]: [f"there is no such field: use {', '.join(FIELDS)}"]})
        if name == PAUSED and not isinstance(value, bool):
            raise ValidationError({name: ["use true or false"]})
        if name == RUN_UNTIL and value is not None and not isinstance(value, str):
            raise ValidationError({name: ["use a text: idle, 10m, or deployment/web Available"]})
    if SPEED in wanted:
        inbox.check_speed(wanted[SPEED])


def _stands_by_itself() -> ValidationError:
    return ValidationError({PAUSED: [f"at speed {auto.AUTO} time stands by itself: leave paused out"]})


def read_at(cluster: Cluster, at: object) -> int | None:
    """An instant of a cluster's history, None for now. ValidationError."""
    if at is None:
        return None
    try:
        return parse_instant(str(at)[:40].strip(), cluster.epoch_ms)
    except ValueError as problem:
        raise ValidationError({"at": [str(problem)]}) from None


def wait_until_it_stands(cluster: Cluster, seconds: float) -> bool:
    """Whether time stands within so many seconds of wall time. `cluster` is refreshed."""
    deadline = time.monotonic() + seconds
    _CLUSTERS.refresh(cluster)
    while not cluster.paused and not cluster.failure and time.monotonic() < deadline:
        time.sleep(LOOK_SECONDS)
        _CLUSTERS.refresh(cluster)
    return cluster.paused
