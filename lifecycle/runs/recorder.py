"""Record what a slice of a run did: objects, versions, transitions, events, results, cursor.

The fence is checked inside every transaction. Moving the cursor is the commit: history rows above it
are not there for readers, so a large slice may be written in batches with the lock released between.
Objects are replaced, not added, and so could not be hidden: they are written with the cursor.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, cast

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from lifecycle import frames
from lifecycle.engine.heart.trace import (
    Row,
    Transition,
    Version,
    event_values,
    make_merge_patch,
    transition_values,
)
from lifecycle.engine.kinds.presentation import summarize
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, Command, ObjectVersion, RunControl, StoredObject
from lifecycle.models import Event as EventModel
from lifecycle.models import Transition as TransitionModel
from lifecycle.runs import bulk, container_logs
from lifecycle.runs.container_logs import Tails

# About what is written in a fiftieth of a second. On SQLite nobody else writes meanwhile.
BATCH_ROWS = 1000
# About what a row of the history takes beside a version's patch.
ROW_BYTES = 300
_COMING_AND_GOING = {"ADDED": 1, "DELETED": -1}

TRANSITIONS = bulk.Table(
    TransitionModel._meta.db_table, ("cluster_id", *frames.TRANSITION_COLUMNS), ("cluster_id", "seq")
)
EVENTS = bulk.Table(EventModel._meta.db_table, ("cluster_id", *frames.EVENT_COLUMNS), ("cluster_id", "seq"))
VERSIONS = bulk.Table(
    ObjectVersion._meta.db_table,
    ("cluster_id", "rv", "at_ms", "uid", "type", "kind", "namespace", "name", "patch", "group"),
    ("cluster_id", "rv"),
)
OBJECTS = bulk.Table(
    StoredObject._meta.db_table,
    ("cluster_id", *frames.SUMMARY_COLUMNS, "data"),
    ("cluster_id", "uid"),
)


class _Places(NamedTuple):
    """Which columns of a table are JSON, and which may hold a stranger's text."""

    json: tuple[int, ...]
    text: tuple[int, ...]


def _find_places(columns: tuple[str, ...], json: str, text: str) -> _Places:
    return _Places(tuple(map(columns.index, json.split())), tuple(map(columns.index, text.split())))


_OF_TRANSITION = _find_places(TRANSITIONS.columns, "old new cause detail", "reason message")
_OF_EVENT = _find_places(EVENTS.columns, "cause detail", "reason message")


_PATCH = VERSIONS.columns.index("patch")


class FencedOff(Exception):
    """Another worker owns the cluster now; nothing of this slice was committed."""


@dataclass(slots=True)
class Answer:
    """A command that entered at `instant_ms`, and its result. None: it never entered (an engine fault)."""

    command: Command
    instant_ms: int | None
    result: dict[str, Any]


@dataclass(slots=True)
class Slice:
    """What happened between two drained instants, and the row of the cluster as it is afterwards."""

    instant_ms: int
    rows: list[Row] = field(default_factory=list)
    versions: list[Version] = field(default_factory=list)
    logs: list[Any] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    controls: list[RunControl] = field(default_factory=list)
    columns: dict[str, Any] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not (self.rows or self.versions or self.logs or self.answers or self.controls)


@dataclass(slots=True)
class Rendered:
    """A slice as values for the tables."""

    transitions: list[bulk.Values]
    events: list[bulk.Values]
    versions: list[bulk.Values]
    objects: list[bulk.Values]
    summaries: list[frames.Summary]
    # By how many living pods, and about how many bytes, the cluster has grown.
    pods: int = 0
    size: int = 0


def record(
    cluster: Cluster, fence: int, piece: Slice, tails: Tails, between: Callable[[], object] = lambda: None
) -> list[frames.Summary]:
    """Write a slice and move the cursor; the summaries of changed objects are returned.

    `tails`: where the cluster's logs go on. `between` is called where a large slice lets others write.
    Updates `cluster` in place. Raises FencedOff when the cluster has a new owner.
    """
    rendered, logs = render(cluster, piece), tails.render(piece.logs)
    for write in _batches(rendered):
        with transaction.atomic():
            _check_fence(cluster.pk, fence)
            write()
        between()
    with transaction.atomic():
        _move_cursor(cluster, fence, piece, rendered)
        _write_all(rendered)
        container_logs.write(cluster.pk, logs)
        _write_answers(piece)
    return rendered.summaries


def clear_above_cursor(cluster: Cluster) -> None:
    """At a take-over: delete the history rows of a slice that was never committed."""
    with transaction.atomic():
        _check_fence(cluster.pk, cluster.fence)
        TransitionModel.objects.filter(cluster=cluster, seq__gt=cluster.seq).delete()
        EventModel.objects.filter(cluster=cluster, seq__gt=cluster.seq).delete()
        ObjectVersion.objects.filter(cluster=cluster, rv__gt=cluster.rv).delete()


def render(cluster: Cluster, piece: Slice) -> Rendered:
    """The slice as table values; each object's JSON is made once."""
    epoch_ms, pk = cluster.epoch_ms, cluster.pk
    rendered = Rendered([], [], [], [], [])
    for row in piece.rows:
        if isinstance(row, Transition):
            rendered.transitions.append(_make_values(pk, transition_values(row), _OF_TRANSITION))
        else:
            rendered.events.append(_make_values(pk, event_values(row), _OF_EVENT))
    documents: dict[int, dict[str, Any]] = {}

    def document(stored: Any) -> dict[str, Any]:
        # Objects are immutable and held by the slice, so their address names them here.
        found = documents.get(id(stored))
        if found is None:
            found = documents[id(stored)] = stored.to_json(epoch_ms)
        return found

    last: dict[str, Version] = {}
    for version in piece.versions:
        values = _version_values(pk, version, document)
        rendered.versions.append(values)
        rendered.size += len(values[_PATCH])
        if version.new.kind is POD_KIND:
            rendered.pods += _COMING_AND_GOING.get(version.type, 0)
        last[version.new.meta.uid] = version
    rendered.size += ROW_BYTES * (len(piece.rows) + len(piece.versions))
    for version in last.values():
        summary = _summary(version)
        rendered.summaries.append(summary)
        data = bulk.to_text(document(version.new))
        # The summary's keys are the columns, in their order.
        columns: dict[str, Any] = {**summary}
        rendered.objects.append((pk, *[columns[column] for column in frames.SUMMARY_COLUMNS], data))
    return rendered


def _summary(version: Version) -> frames.Summary:
    summary = cast(frames.Summary, summarize(version.new))
    if version.type == "DELETED":
        summary["deleted_ms"] = version.at_ms
    # A container's reason may be a stranger's text.
    summary["status"] = bulk.plain(summary["status"])
    return summary


def _make_values(pk: int, values: tuple[Any, ...], places: _Places) -> bulk.Values:
    row = [pk, *values]
    for place in places.json:
        row[place] = bulk.to_text(row[place])
    for place in places.text:
        row[place] = bulk.plain(row[place])
    return row


def _version_values(pk: int, version: Version, document: Callable[[Any], dict[str, Any]]) -> bulk.Values:
    new = version.new
    patch = document(new) if version.old is None else make_merge_patch(document(version.old), document(new))
    return (
        pk,
        version.resource_version,
        version.at_ms,
        new.meta.uid,
        version.type,
        new.kind.name,
        new.meta.namespace,
        new.meta.name,
        bulk.to_text(patch),
        new.kind.group,
    )


def _batches(rendered: Rendered) -> Iterator[Callable[[], None]]:
    """Writes of at most BATCH_ROWS each, taken off `rendered` until the rest fits one transaction."""
    parts = [
        (TRANSITIONS, rendered.transitions),
        (EVENTS, rendered.events),
        (VERSIONS, rendered.versions),
    ]
    left = sum(len(rows) for _, rows in parts)
    for table, rows in parts:
        while left > BATCH_ROWS and rows:
            batch, rows[:BATCH_ROWS] = rows[:BATCH_ROWS], []
            left -= len(batch)
            yield partial(bulk.insert, table, batch)


def _write_all(rendered: Rendered) -> None:
    if rendered.transitions:
        bulk.insert(TRANSITIONS, rendered.transitions)
    if rendered.events:
        bulk.insert(EVENTS, rendered.events)
    if rendered.versions:
        bulk.insert(VERSIONS, rendered.versions)
    if rendered.objects:
        bulk.upsert(OBJECTS, rendered.objects)


def _check_fence(pk: int, fence: int) -> None:
    # An update, not a read: it takes the row's lock, so no take-over slips in before the commit.
    if not Cluster.objects.filter(pk=pk, fence=fence).update(fence=F("fence")):
        raise FencedOff


def _move_cursor(cluster: Cluster, fence: int, piece: Slice, rendered: Rendered) -> None:
    columns = piece.columns | {"instant_ms": piece.instant_ms, "updated_at": timezone.now()}
    if rendered.size:
        columns["pods"] = cluster.pods + rendered.pods
        columns["recorded_bytes"] = cluster.recorded_bytes + rendered.size
    if piece.rows:
        columns["seq"] = piece.rows[-1].seq
    if piece.versions:
        columns["rv"] = piece.versions[-1].resource_version
    entered = [answer.command.order for answer in piece.answers if answer.instant_ms is not None]
    if entered:
        columns["inbox_order"] = entered[-1]
    # Who has the fence is the only one that writes these: what is as it was read needs no writing.
    changed = {column: value for column, value in columns.items() if getattr(cluster, column) != value}
    if not bulk.update(Cluster._meta.db_table, {"id": cluster.pk, "fence": fence}, changed):
        raise FencedOff
    for column, value in changed.items():
        setattr(cluster, column, value)


def _write_answers(piece: Slice) -> None:
    now = timezone.now()
    for answer in piece.answers:
        command = answer.command
        bulk.update(
            Command._meta.db_table,
            {"cluster_id": command.cluster_id, "order": command.order},
            {
                "state": Command.State.DONE.value,
                "done_at": now,
                "instant_ms": answer.instant_ms,
                "result": bulk.to_text(answer.result),
            },
        )
    for control in piece.controls:
        control.applied_at = now
        control.save(update_fields=["applied_at", "instant_ms", "problem"])
