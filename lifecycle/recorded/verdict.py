"""The sentence at the head of a cluster's page: the worst of now, of the last minutes, and of what stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.shown import STATE_WORDS
from lifecycle.engine.programs.images.doubts import tell_condition
from lifecycle.models import Cluster
from lifecycle.recorded.images import list_doubted
from lifecycle.recorded.living import Living, count_living
from lifecycle.recorded.objects import read_parents
from lifecycle.recorded.once import asked_once
from lifecycle.recorded.surroundings import list_idle, list_scalers
from lifecycle.recorded.troubles import (
    MOST_TOLD,
    Part,
    Trouble,
    list_failed,
    list_failed_jobs,
    list_held,
    list_losing,
    list_lost_nodes,
    list_refused,
    list_restarted,
    list_restless,
    list_standing,
    list_stuck_namespaces,
    list_unwell,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`sentence` says how many are unwell, or how all are; `hidden`: so many troubles are not told.

    `condition`: what has to be true of images for the rest to be well, where the sentence does not say it.
    `doubted`: these images.
    """

    sentence: str
    troubles: list[Trouble]
    hidden: int = 0
    condition: str = ""
    doubted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Parts:
    """All kinds of trouble. Those of `past` are over: a cluster that has no others is not down."""

    unwell: Part
    held: Part
    nodes: Part
    drains: Part
    evictions: Part
    refused: Part
    namespaces: Part
    idle: Part
    scalers: Part
    losing: Part
    failed: Part
    jobs: Part
    restless: Part

    @property
    def present(self) -> tuple[Part, ...]:
        """In the order in which they are told."""
        return (
            *(self.unwell, self.nodes, self.drains, self.evictions),
            *(self.refused, self.namespaces, self.held, self.losing, self.idle, self.scalers),
        )

    @property
    def past(self) -> tuple[Part, ...]:
        return self.failed, self.jobs, self.restless


def read_verdict(cluster: Cluster, now_ms: int) -> Verdict:
    """How a cluster stands."""
    with asked_once():
        return _read_verdict(cluster, now_ms)


def _read_verdict(cluster: Cluster, now_ms: int) -> Verdict:
    # Of what there is none the parts ask nothing.
    living = count_living(cluster)
    parts, doubted = _read_parts(cluster, now_ms), tuple(list_doubted(cluster))
    condition = tell_condition(doubted)
    found = (*parts.present, *parts.past)
    count = sum(part.count for part in found)
    if not count:
        pods = {state or "unknown": one for (kind, state), one in living.items() if kind == POD_KIND.id}
        return Verdict(_tell_well(pods, condition), [], doubted=doubted)
    troubles = [trouble for part in found for trouble in part.troubles][:MOST_TOLD]
    if any(part.count for part in parts.present):
        sentence = f"{_tell_count(count, 'problem')}: {', '.join(_list_said(parts))}."
    else:
        head = "" if parts.failed.count or parts.jobs.count else "Nothing is down, but "
        sentence = f"{head}{' and '.join(_list_past(parts))}."
    return Verdict(sentence, troubles, count - len(troubles), condition, doubted)


def _read_parts(cluster: Cluster, now_ms: int) -> _Parts:
    parents, restarted = read_parents(cluster), list_restarted(cluster, now_ms)
    unwell = list_unwell(cluster, parents, restarted, now_ms)
    held = list_held(cluster, parents, now_ms)
    restless = list_restless(cluster, parents, restarted, unwell.keys | held.keys, now_ms)
    drains, evictions = list_standing(cluster, now_ms)
    return _Parts(
        unwell,
        held,
        list_lost_nodes(cluster),
        drains,
        evictions,
        list_refused(cluster, now_ms),
        list_stuck_namespaces(cluster, now_ms),
        list_idle(cluster),
        list_scalers(cluster, now_ms),
        list_losing(cluster, parents, unwell.keys | held.keys | restless.keys, now_ms),
        list_failed(cluster, parents, now_ms),
        list_failed_jobs(cluster, now_ms),
        restless,
    )


def _tell_well(pods: Mapping[str, Living], condition: str) -> str:
    """`Nothing is wrong: 3 ready.`, or `Nothing is wrong, if … · 3 ready.`, in the palette's order."""
    told = [f"{pods[state].count} {words.lower()}" for state, words in STATE_WORDS.items() if state in pods]
    if not told:
        return "No pods yet."
    if restarts := sum(one.restarts for one in pods.values()):
        told.append(f"{_tell_count(restarts, 'restart')} so far")
    words = f", {condition} · " if condition else ": "
    return f"Nothing is wrong{words}{', '.join(told)}."


def _list_said(parts: _Parts) -> list[str]:
    """How many there are of each kind, pods first."""
    pods = [(parts.unwell, "not well"), (parts.held, "not ready"), (parts.failed, "failed")]
    numbers = [(part.pods, how) for part, how in (*pods, (parts.restless, "restarted lately")) if part.pods]
    said = [f"{number} {how}" for number, how in numbers]
    if numbers:
        number, how = numbers[0]
        verb = "" if how == "failed" or how == "restarted lately" else " is" if number == 1 else " are"
        said[0] = f"{number} pod{'' if number == 1 else 's'}{verb} {how}"
    others = [
        (parts.nodes, "node", "is not ready", "are not ready"),
        (parts.drains, "drain", "cannot go on", "cannot go on"),
        (parts.evictions, "eviction", "was refused", "were refused"),
        (parts.refused, "workload", "cannot make pods", "cannot make pods"),
        (parts.losing, "workload", "has pods that come and go", "have pods that come and go"),
        (parts.namespaces, "namespace", "cannot go", "cannot go"),
        (parts.idle, "object", "selects nothing that is there", "select nothing that is there"),
        (parts.scalers, "autoscaler", "does not decide", "do not decide"),
        (parts.jobs, "Job", "failed", "failed"),
    ]
    return said + [
        f"{_tell_count(part.count, what)} {one if part.count == 1 else many}"
        for part, what, one, many in others
        if part.count
    ]


def _list_past(parts: _Parts) -> Sequence[str]:
    """Of a cluster none of whose pods is unwell now: what failed, and what restarted lately."""
    failed, jobs, restless = parts.failed.pods, parts.jobs.count, parts.restless.pods
    return [
        *([f"{_tell_count(failed, 'pod')} failed"] if failed else []),
        *([f"{_tell_count(jobs, 'Job')} failed"] if jobs else []),
        *([f"{_tell_count(restless, 'pod')} restarted lately"] if restless else []),
    ]


def _tell_count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number != 1 else ''}"
