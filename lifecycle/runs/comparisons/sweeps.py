"""Two fields of a Deployment set otherwise, and what a rollout comes to for each pair of values.

Each pair is tried on a copy of the cluster, as it is now. There the fields are set first, and when all of
that has come about its pods are restarted: pods end by the template they were made of, so that what is new
of how a pod ends shows in the second rollout only. That one is told. The cluster itself hears nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError

from lifecycle.engine import Cluster as Engine
from lifecycle.engine import Command
from lifecycle.engine.heart.trace import Transition
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.models import Cluster
from lifecycle.runs import forks, inbox
from lifecycle.verdicts import judge_rollout

MOST_VALUES = 4
MOST_NUMBER = 10_000
LONGEST_MS = 15 * 60 * 1000
AFTERWARDS_MS = 60_000
"""What a rollout that is done looks like a little later belongs to it: old pods end."""
KIND = "Deployment"
Json = Mapping[str, Any]
Order = tuple[str, dict[str, Any]]
Pair = tuple[tuple[str, Any], tuple[str, Any]]
"""Two fields by their names in FIELDS, each with its value."""
Name = tuple[str, str]
"""A namespace, and a name in it."""
_SHARE = re.compile(r"(?:[0-9]|[1-9][0-9]|100)%")


@dataclass(frozen=True, slots=True)
class Field:
    """A field that can be set: what it is called, and the spec that sets it. `is_share`: also in percent."""

    title: str
    make_spec: Callable[[Any, Json], dict[str, Any]]
    is_share: bool = False

    def read(self, text: str) -> list[int | str]:
        """Values with commas between them, each once. ValidationError for anything else."""
        values: list[int | str] = []
        for word in filter(None, (one.strip() for one in text.split(","))):
            is_number = word.isascii() and word.isdigit() and len(word) <= 5 and int(word) <= MOST_NUMBER
            if not is_number and not (self.is_share and _SHARE.fullmatch(word)):
                share = ", or a share as 25%" if self.is_share else ""
                raise ValidationError(f"{self.title}: {word[:40]!r} is no whole number{share}")
            values.append(int(word) if is_number else word)
        found = list(dict.fromkeys(values))
        if not 1 <= len(found) <= MOST_VALUES:
            raise ValidationError(f"{self.title}: give 1 to {MOST_VALUES} values with commas between them")
        return found


def _roll(name: str) -> Callable[[Any, Json], dict[str, Any]]:
    return lambda value, _: {"strategy": {"rollingUpdate": {name: value}}}


def _of_container(make: Callable[[Any], dict[str, Any]]) -> Callable[[Any, Json], dict[str, Any]]:
    """Of the first container, which has to be named."""

    def make_spec(value: Any, workload: Json) -> dict[str, Any]:
        name = workload["spec"]["template"]["spec"]["containers"][0]["name"]
        return {"template": {"spec": {"containers": [{"name": name, **make(value)}]}}}

    return make_spec


FIELDS: Mapping[str, Field] = {
    "maxSurge": Field("maxSurge", _roll("maxSurge"), is_share=True),
    "maxUnavailable": Field("maxUnavailable", _roll("maxUnavailable"), is_share=True),
    "preStop": Field(
        "preStop: sleep seconds",
        _of_container(
            lambda value: {"lifecycle": {"preStop": {"sleep": {"seconds": value}} if value else None}}
        ),
    ),
    "grace": Field(
        "terminationGracePeriodSeconds",
        lambda value, _: {"template": {"spec": {"terminationGracePeriodSeconds": value}}},
    ),
    "minReadySeconds": Field("minReadySeconds", lambda value, _: {"minReadySeconds": value}),
    "replicas": Field("replicas", lambda value, _: {"replicas": value}),
}


def make_spec(pair: Pair, workload: Json) -> dict[str, Any]:
    """The spec that sets both fields."""
    spec: dict[str, Any] = {}
    for name, value in pair:
        _join(spec, FIELDS[name].make_spec(value, workload))
    return spec


def _join(spec: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Put one patch into another; of lists, which are both the first container, the first items."""
    for name, value in more.items():
        known = spec.get(name)
        if isinstance(known, dict) and isinstance(value, Mapping):
            _join(known, value)
        elif isinstance(known, list) and isinstance(value, list):
            _join(known[0], value[0])
        else:
            spec[name] = value


@dataclass(frozen=True, slots=True)
class Cell:
    """What a pair comes to: `problem` in words, or the rollout that began at `began_ms`.

    `took_ms` is None where it is not done within 15 minutes; `lost_ms` where nobody sends its pods requests.
    """

    problem: str = ""
    began_ms: int = 0
    took_ms: int | None = None
    fewest: int = 0
    lost_ms: int | None = None


def try_pair(
    saved: Json, name: Name, pair: Pair, services: Sequence[str], is_late: Callable[[], bool]
) -> Cell:
    """Live through it. `services`: those that select its pods; `is_late`: whether there is no more time."""
    engine = Engine.load(dict(saved))
    namespace, workload = name
    found = engine.get(KIND, namespace, workload)
    if found is None:
        return Cell("it is gone")
    for number, (kind, payload) in enumerate(make_orders(name, pair, found)):
        if number and not _Rollout(name, is_late).follow(engine):
            return Cell("time is up" if is_late() else "these values alone do not come about in 15 minutes")
        before, began_ms = _sum_lost(engine, namespace, services), engine.now_ms
        result = engine.submit(Command(id=f"sweep-{number}", kind=kind, payload=payload))
        if not result.ok:
            return Cell(str((result.status or {}).get("message") or f"code {result.code}"))
    rollout = _Rollout(name, is_late)
    is_done = rollout.follow(engine)
    if not is_done and is_late():
        return Cell("time is up")
    after = _sum_lost(engine, namespace, services)
    lost_ms = None if after is None or before is None else after - before
    took_ms = rollout.done_ms - began_ms if is_done and rollout.done_ms is not None else None
    wanted = ((engine.get(KIND, namespace, workload) or found).get("status") or {}).get(
        "availableReplicas", 0
    )
    fewest = rollout.fewest if rollout.fewest is not None else wanted
    return Cell("", began_ms, took_ms, fewest, lost_ms)


def make_orders(name: Name, pair: Pair, workload: Json) -> list[Order]:
    """What is asked for: the fields, and then the restart."""
    target = {"kind": KIND, "namespace": name[0], "name": name[1]}
    patch = {"type": "strategic", "patch": {"spec": make_spec(pair, workload)}}
    return [("patch", target | patch), ("rollout", target | {"action": "restart"})]


def _sum_lost(engine: Engine, namespace: str, services: Sequence[str]) -> int | None:
    sums = [engine.sum_requests(namespace, one) for one in services]
    lost = [one["lostMs"] for one in sums if one is not None]
    return sum(lost) if lost else None


class _Rollout:
    """Follows a rollout until a while after it is done, or nothing moves any more."""

    def __init__(self, name: Name, is_late: Callable[[], bool]) -> None:
        self._name, self._is_late = name, is_late
        self.done_ms: int | None = None
        self.fewest: int | None = None

    def follow(self, engine: Engine) -> bool:
        """Whether it is done in time."""
        engine.run_until(engine.now_ms)
        if not self._look(engine):
            engine.run_until(engine.now_ms + LONGEST_MS, stop=self._look)
        return self.done_ms is not None

    def _look(self, engine: Engine) -> bool:
        for row in engine.take_changes().rows:
            if isinstance(row, Transition) and row.field == "availableReplicas" and self._is_it(row):
                counts = [one for one in (self.fewest, row.old or 0, row.new or 0) if one is not None]
                self.fewest = min(counts)
        found = engine.get(KIND, *self._name)
        rollout = judge_rollout(KIND, found) if found is not None else None
        if self.done_ms is None and rollout is not None and rollout.is_done:
            self.done_ms = engine.now_ms
        is_past = self.done_ms is not None and engine.now_ms >= self.done_ms + AFTERWARDS_MS
        return is_past or engine.is_idle() or self._is_late()

    def _is_it(self, row: Transition) -> bool:
        of = row.subject
        return (kind_id(of.group, of.kind), of.namespace, of.name) == (KIND, *self._name)


def open_pair(cluster: Cluster, user: Any, name: Name, pair: Pair, is_late: Callable[[], bool]) -> Cluster:
    """A fork of the user's own in which the pair is set now, and the restart comes when it came in the trial.

    ValueError with why it cannot be had; else what a fork raises.
    """
    child = forks.fork(cluster, None, user, forks.find_free_name(f"{cluster.name[:40]}-sweep", user))
    saved = forks.restore_at(child, None).engine.save()
    cell, found = try_pair(saved, name, pair, (), is_late), Engine.load(saved).get(KIND, *name)
    if cell.problem or found is None:
        child.delete()
        raise ValueError(cell.problem)
    instants = (child.instant_ms, cell.began_ms)
    for (kind, payload), at_ms in zip(make_orders(name, pair, found), instants, strict=True):
        inbox.append(child, kind, payload, user, pinned_ms=at_ms)
    return child
