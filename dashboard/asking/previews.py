"""What a change would do, told before it is made: the cluster is run ahead with it, nothing is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.asking.answers import Answer, list_objects
from dashboard.asking.images_there import tell_images_there
from dashboard.asking.lost_previews import RequestWatch
from dashboard.asking.manifest_reports import Report
from dashboard.plots.theme import clock, duration
from lifecycle.engine import Cluster as Engine
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.kinds import registry
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.lost_requests import selects
from lifecycle.models import Cluster
from lifecycle.pod_judge import UNWELL
from lifecycle.recorded.requests import find_labels
from lifecycle.runs.ahead import Ahead, run_ahead
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.simulation.reports.tones import TONES
from lifecycle.verdicts import judge_rollout

MOST_PREVIEWED = 3
MOST_REMOVES = 4
_PREVIEWED = {entry.kind.id for entry in registry.list_workloads()}
# What a rollout that is done looks like a little later belongs to the answer.
AFTERWARDS_MS = 60_000
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
    return _preview(cluster, commands, subject, with_images=True)


def _preview(
    cluster: Cluster, commands: Sequence[tuple[str, dict[str, Any]]], subject: Subject, with_images: bool
) -> list[Answer]:
    watch, requests = _Watch(subject), RequestWatch()
    ahead = run_ahead(cluster, commands, is_over=watch.is_over, watch=requests.take)
    title = f"Preview of {subject.kind} {subject.namespace}/{subject.name}"
    if ahead.refusals:
        return [Answer(False, title, text) for text in ahead.refusals]
    troubles = _tell_troubles(ahead, lambda row: _is_owned(row, subject, ahead.engine))
    there = tell_images_there(ahead.engine, commands) if with_images else []
    asked = (cluster, ahead, lambda service: _is_for(service, subject, ahead.engine))
    lost = requests.list_lost(*asked)
    sent = lost or requests.tell_none(*asked)
    told = [_tell_end(ahead, watch), *_tell_available(ahead, subject), *sent, *troubles, *there]
    return [Answer(not troubles and not lost, title, " ".join(told))]


def preview_manifests(
    cluster: Cluster, report: Report, profiles: Sequence[dict[str, Any]] = ()
) -> list[Answer]:
    """The same of the first workloads of what is about to be applied, with how unknown images behave."""
    objects = list_objects(report)
    commands = [("apply", {"object": one}) for one in (*profiles, *objects)]
    return preview_objects(cluster, commands, objects)


def preview_objects(
    cluster: Cluster, commands: Sequence[tuple[str, dict[str, Any]]], objects: Sequence[Mapping[str, Any]]
) -> list[Answer]:
    """What would come of the commands for all pods, and for the first workloads of these objects."""
    subjects = [
        Subject(kind.id, one["metadata"].get("namespace") or "default", one["metadata"]["name"])
        for one in objects
        if (kind := kind_of_json(one)).id in _PREVIEWED
    ]
    try:
        told = [_preview_all(cluster, commands)]
        # Of images the first answer tells for all.
        for one in subjects[:MOST_PREVIEWED]:
            told += _preview(cluster, commands, one, with_images=False)
    except Unreadable as problem:
        return [Answer(False, cluster.shown_name, str(problem))]
    hidden = len(subjects) - MOST_PREVIEWED
    return [*told, *([Answer(True, "", f"And {hidden} more that were not looked at.")] if hidden > 0 else [])]


def _preview_all(cluster: Cluster, commands: Sequence[tuple[str, dict[str, Any]]]) -> Answer:
    """Whether any pod of the cluster gets into trouble."""
    ahead = run_ahead(cluster, commands)
    if ahead.refusals:
        return Answer(False, "Preview", " ".join(ahead.refusals))
    troubles = _tell_troubles(ahead, lambda row: True)
    there = tell_images_there(ahead.engine, commands)
    until = f"Until {clock(ahead.to_ms)}"
    if troubles:
        return Answer(False, "Preview", " ".join([f"{until}:", *troubles, *there]))
    return Answer(True, "Preview", " ".join([f"{until} no pod gets into trouble.", *there]))


class _Watch:
    """Looks at the workload after each instant: until a while after its rollout is done, or nothing moves."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.done_ms: int | None = None

    def find(self, engine: Engine) -> dict[str, Any] | None:
        return engine.get(self.subject.kind, self.subject.namespace, self.subject.name)

    def is_over(self, engine: Engine) -> bool:
        found = self.find(engine)
        if found is None or engine.is_idle():
            return True
        rollout = judge_rollout(self.subject.kind, found)
        if self.done_ms is None and rollout is not None and rollout.is_done:
            self.done_ms = engine.now_ms
        return self.done_ms is not None and engine.now_ms >= self.done_ms + AFTERWARDS_MS


def _tell_end(ahead: Ahead, watch: _Watch) -> str:
    found, took = watch.find(ahead.engine), duration(ahead.to_ms - ahead.from_ms)
    if found is None:
        return f"It is gone after {took}."
    if watch.done_ms is not None:
        return f"Rolled out after {duration(watch.done_ms - ahead.from_ms)}."
    rollout = judge_rollout(watch.subject.kind, found)
    brief = rollout.brief if rollout is not None else "nothing moves any more"
    return f"After {took}{', where the preview stopped' if ahead.end == 'cut' else ''}: {brief}."


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
    if not first:
        return [f"{counts[-1][1]} available in the end."]
    fewest, at_ms = min((new, at_ms) for _, new, at_ms in counts)
    if fewest >= first:
        return [f"Never fewer than the {first} pods that are available now."]
    return [f"At {clock(at_ms)} only {fewest} of the {first} pods that are available now are left."]


def _is_for(service: Mapping[str, Any], subject: Subject, engine: Engine) -> bool:
    """Whether a Service selects the pods of the workload, as it is after the change."""
    found = engine.get(subject.kind, subject.namespace, subject.name)
    is_here = service["metadata"].get("namespace") == subject.namespace
    return is_here and found is not None and selects(service, find_labels(subject.kind, found))


def _is_of(row: Row, subject: Subject) -> bool:
    of = row.subject
    return (kind_id(of.group, of.kind), of.namespace, of.name) == (
        subject.kind,
        subject.namespace,
        subject.name,
    )


def _is_owned(row: Transition, subject: Subject, engine: Engine) -> bool:
    """Whether a pod belongs to the workload, at whatever remove."""
    owner, namespace = row.subject.owner, row.subject.namespace or ""
    for _ in range(MOST_REMOVES):
        kind, _, name = (owner or "").partition("/")
        if not name or namespace != subject.namespace:
            return False
        if (kind, name) == (subject.kind, subject.name):
            return True
        above = engine.get(kind, namespace, name) or {}
        owners = (above.get("metadata") or {}).get("ownerReferences") or ()
        owner = next((f"{one['kind']}/{one['name']}" for one in owners if one.get("controller")), None)
    return False


def _tell_troubles(ahead: Ahead, is_asked: Callable[[Transition], bool]) -> list[str]:
    """The first pod that gets into each kind of trouble, with its reason."""
    first: dict[str, Transition] = {}
    counts: Counter[str] = Counter()
    for row in ahead.rows:
        if not isinstance(row, Transition) or row.field != "state" or row.subject.kind != POD_KIND.name:
            continue
        if row.new in UNWELL and row.old != row.new and is_asked(row):
            first.setdefault(row.new, row)
            counts[row.new] += 1
    return [
        f"{TONES[state].label} from {clock(row.at_ms)} on: {row.subject.name}"
        f"{f', {row.reason}' if row.reason else ''} ({counts[state]}×)."
        for state, row in first.items()
    ]
