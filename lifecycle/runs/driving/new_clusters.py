"""A cluster as a program asks for one: every field may be left out but its name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError

from lifecycle.input.problems import ManifestError
from lifecycle.input.scenario import read_epoch_ms
from lifecycle.models import Cluster
from lifecycle.runs import inbox
from lifecycle.runs.driving import clocks
from lifecycle.simulation import Overrides, make_plan

FIELDS = ("name", "nodes", "seed", "epoch", "timing", "kubernetes", "speed", "paused")
MOST_NODES, MOST_SEED = 1000, 2**63 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def make(owner: Any, asked: Mapping[str, Any]) -> Cluster:
    """A new cluster. ValidationError names each field that is wrong; limits.Exceeded.

    Without an epoch it begins now; `simulate` and whoever wants the same times again gives one.
    """
    if unknown := [name for name in asked if name not in FIELDS]:
        raise ValidationError({str(unknown[0])[:40]: [f"there is no such field: use {', '.join(FIELDS)}"]})
    given = {name: value for name, value in asked.items() if value is not None}
    for name in ("name", "epoch", "timing", "kubernetes"):
        if not isinstance(given.get(name, ""), str):
            raise ValidationError({name: ["use a text"]})
    if not isinstance(given.get("paused", False), bool):
        raise ValidationError({"paused": ["use true or false"]})
    nodes = _read_whole(given, "nodes", 1, MOST_NODES)
    seed = _read_whole(given, "seed", 0, MOST_SEED)
    columns = clocks.first_columns(given.get("speed"), given.get("paused", False))
    epoch_ms = _read_epoch(given["epoch"]) if "epoch" in given else None
    overrides = Overrides(nodes, seed, epoch_ms, given.get("timing"), given.get("kubernetes"))
    try:
        plan = make_plan([], overrides)
    except ManifestError as problem:
        raise ValidationError([str(one) for one in problem.problems]) from None
    except ValueError as problem:
        raise ValidationError(str(problem)) from None
    epoch = None if epoch_ms is None else _EPOCH + timedelta(milliseconds=epoch_ms)
    settings = plan.settings.to_json()
    return inbox.create_cluster(owner, given.get("name", ""), plan.seed, epoch, settings, **columns)


def _read_whole(given: Mapping[str, Any], name: str, least: int, most: int) -> int | None:
    value = given.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValidationError({name: [f"use a whole number from {least:,} to {most:,}"]})
    return value


def _read_epoch(text: str) -> int:
    try:
        epoch_ms = read_epoch_ms(text)
        _ = _EPOCH + timedelta(milliseconds=epoch_ms)
    except (ValueError, OverflowError):
        raise ValidationError({"epoch": ["use an RFC 3339 time, such as 2026-01-01T00:00:00Z"]}) from None
    return epoch_ms
