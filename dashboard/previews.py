"""What a change would do, told before it is made: the cluster is run ahead with it, nothing is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.answers import Answer
from dashboard.plots.living import PROBLEMS
from dashboard.plots.theme import TONES, clock, duration
from lifecycle.engine import Cluster as Engine
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pod import POD_KIND
from lifecycle.models import Cluster
from lifecycle.runs.ahead import Ahead, run_ahead
from lifecycle.verdicts import judge_rollout

AVAILABLE = ("availableReplicas", "numberAvailable")
"""What a workload's status calls its available pods."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The workload that is about to be changed."""

    kind: str
    namespace: str
    name: str


def preview(
    cluster: Cluster, commands: Sequence[tuple[str, dict[str, Any]]], subject: Subject
) -> list[Answer]:
    """What would come of the commands for the workload, in words."""
    ahead = run_ahead(cluster, commands, is_over=lambda engine: _is_settled(engine, subject))
    title = f"Preview of {subject.kind} {subject.namespace}/{subject.name}"
    if ahead.refusals:
        return [Answer(False, title, text) for text in ahead.refusals]
    told = [_tell_end(ahead, subject), *_tell_available(ahead, subject), *_tell_troubles(ahead)]
    return [Answer(True, title, " ".join(told))]


def _is_settled(engine: Engine, subject: Subject) -> bool:
    """Rolled out, nothing of the old left; or nothing moves any more."""
    found = engine.get(subject.kind, subject.namespace, subject.name)
    if found is None or engine.is_idle():
        return True
    rollout = judge_rollout(subject.kind, found)
    return (
        rollout is not None and rollout.is_done and not (found.get("status") or {}).get("terminatingReplicas")
    )


def _tell_end(ahead: Ahead, subject: Subject) -> str:
    found = ahead.engine.get(subject.kind, subject.namespace, subject.name)
    took = duration(ahead.to_ms - ahead.from_ms)
    if found is None:
        return f"It is gone after {took}."
    rollout = judge_rollout(subject.kind, found)
    brief = rollout.brief if rollout is not None else "nothing moves any more"
    if ahead.end == "cut":
        return f"As far as was looked, {took}: {brief}."
    return f"After {took}: {brief}."


def _tell_available(ahead: Ahead, subject: Subject) -> list[str]:
    """The fewest pods that are available at once, and when first."""
    counts = [
        (row.old or 0, row.new or 0, row.at_ms)
        for row in ahead.rows
        if isinstance(row, Transition) and row.field in AVAILABLE and _is_of(row, subject)
    ]
    if not counts:
        return ["As many pods as now stay available all the time."]
    first = counts[0][0]
    fewest, at_ms = min((new, at_ms) for _, new, at_ms in counts)
    if fewest >= first:
        return [f"Never fewer than the {first} pods that are available now."]
    return [f"At {clock(at_ms)} only {fewest} of the {first} pods that are available now are left."]


def _is_of(row: Row, subject: Subject) -> bool:
    of = row.subject
    return (kind_id(of.group, of.kind), of.namespace, of.name) == (
        subject.kind,
        subject.namespace,
        subject.name,
    )


def _tell_troubles(ahead: Ahead) -> list[str]:
    """The first pod that gets into each kind of trouble, with its reason."""
    first: dict[str, Transition] = {}
    counts: Counter[str] = Counter()
    for row in ahead.rows:
        if not isinstance(row, Transition) or row.field != "state" or row.subject.kind != POD_KIND.name:
            continue
        if row.new in PROBLEMS and row.old != row.new:
            first.setdefault(row.new, row)
            counts[row.new] += 1
    return [
        f"{TONES[state].label} from {clock(row.at_ms)} on: {row.subject.name}"
        f"{f', {row.reason}' if row.reason else ''} ({counts[state]} times)."
        for state, row in first.items()
    ]
