"""What an engine reads of a cluster that another engine saved: as much as it can, and never nothing.

What is stable is read key by key: what is missing is as in a new cluster, what is unknown is ignored. Where
the objects themselves cannot be read, their recorded JSON serves. Timers of kinds that nobody handles any
more are dropped, and everybody looks again at all there is. `Cluster.take_up` puts it together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from .heart.agenda import Timer
from .heart.saved import list_of, map_of, part_of
from .heart.settings import Settings
from .kinds.registry import entry_of, entry_of_json, read_object
from .kinds.service import SERVICE
from .objects.codec import decode
from .objects.kinds import kind_for
from .objects.meta import PlainObject, StoredObject, Subject
from .objects.node import NODE_KIND
from .objects.pods.pod import PodSpec
from .objects.storage import ATTACHMENT, CLAIM, VOLUME
from .objects.workloads.job import JOB_KIND

_SERIES_KEYS = frozenset(
    "subject type reason message source field_path period_ms first_ms seq number".split()
)
_MADE_FROM = ("selector", "template", "jobTemplate", "volumeClaimTemplates")


@dataclass(frozen=True, slots=True)
class Known:
    """What is recorded of a cluster outside its checkpoints. `objects`: JSON of the living, oldest first.

    `creations`: how many objects each owner, or each name without one, may have made so far, at most.
    """

    seed: int
    epoch_ms: int
    settings: Settings
    now_ms: int
    seq: int
    resource_version: int
    objects: Sequence[dict[str, Any]]
    creations: Mapping[str, int] = field(default_factory=dict)


def read_objects(known: Known, saved: Any) -> list[StoredObject]:
    """All objects: as saved, exact to the millisecond; else as recorded."""
    try:
        specs = [PodSpec(raw) for raw in saved["pod_specs"]]
        objects = [decode(entry, specs) for entry in saved["objects"]]
        saved_ones = [found.to_json(known.epoch_ms) for found in objects]
        if _list_templates(saved_ones) == _list_templates(known.objects):
            return [_as_typed(found, known.epoch_ms) for found in objects]
    except Exception:
        pass
    return [_read(data, known.epoch_ms) for data in known.objects]


def read_chance(known: Known, saved: Any) -> int:
    """The seed that draws come from; the cluster's own where no other is known."""
    seed = saved.get("chance") if isinstance(saved, Mapping) else None
    return seed if isinstance(seed, int) else known.seed


def _list_templates(objects: Sequence[dict[str, Any]]) -> dict[Any, list[Any]]:
    """Of each object what it makes others from: a workload that has lost it makes pods without end."""
    specs = {data["metadata"].get("uid"): data.get("spec") or {} for data in objects}
    return {uid: [spec.get(name) for name in _MADE_FROM] for uid, spec in specs.items()}


def _as_typed(found: StoredObject, epoch_ms: int) -> StoredObject:
    """Kinds that were only stored then may be acted on now: these are read as their controllers do."""
    is_typed = isinstance(found, entry_of(found.kind).typed)
    return found if is_typed else _read(found.to_json(epoch_ms), epoch_ms)


def _read(data: dict[str, Any], epoch_ms: int) -> StoredObject:
    """An object's JSON, with what its kind makes of its uid where it was made without."""
    identify = entry_of_json(data).identify
    uid = data["metadata"].get("uid") or ""
    return read_object(data if identify is None else identify(data, uid), epoch_ms)


def list_woken(saved: Any, objects: Sequence[StoredObject]) -> list[StoredObject]:
    """Those of kinds that were only stored then and are acted on now: nobody has looked at them yet."""
    plain = {
        kind_for(one[1], one[2]).id
        for entry in list_of(saved, "objects")
        if isinstance(entry, list) and PlainObject.__name__ in entry[1:2]
        for one in entry
        if isinstance(one, list) and one[:1] == ["K"] and len(one) == 3
    }
    return [one for one in objects if one.kind.id in plain and not isinstance(one, PlainObject)]


def read_counts(known: Known, saved: Any) -> dict[str, int]:
    """How many objects each owner has made: no uid or name may be given twice."""
    found = map_of(saved, "creations")
    if found and all(isinstance(count, int) for count in found.values()):
        return found
    return dict(known.creations)


def read_deletion_stages(saved: Any, objects: Sequence[StoredObject]) -> dict[str, str]:
    """How far deletions have come; `requested` where that was not saved."""
    stages = map_of(saved, "deletion_stage")
    going = [found.meta.uid for found in objects if found.meta.deletion_ms is not None]
    return {uid: str(stages.get(uid) or "requested") for uid in going}


def read_trace(known: Known, saved: Any) -> dict[str, Any]:
    """Numbers go on behind the last recorded row; series that cannot be read are no longer open.

    Before version 14 rows did not say how they go on: these are to be said anew (`list_unsaid`).
    """
    trace = part_of(saved, "trace")
    count = part_of(trace, "event_count")
    series, correlator = map_of(trace, "open_series"), _read_correlator(part_of(trace, "correlator"))
    return {
        "seq": known.seq,
        # Each event is a row, so there are no more events than rows.
        "event_count": count if isinstance(count, int) else known.seq,
        "open_series": {
            key: _as_begun(entry, correlator) | {"subject": _with_group(entry["subject"])}
            for key, entry in series.items()
            if isinstance(entry, dict) and set(entry) >= _SERIES_KEYS
        },
        "correlator": correlator,
    }


def _as_begun(entry: dict[str, Any], correlator: dict[str, Any]) -> dict[str, Any]:
    """A series as it began, where an engine before version 14 saved no more of it."""
    told = map_of(correlator["sources"], Subject(*_with_group(entry["subject"])).uid)
    paid_ms = map_of(told, f"{entry['source']} {entry['type']}").get("due_ms", 0)
    begun = {"words": entry["message"], "last_ms": entry["first_ms"], "count": 1, "paid_ms": paid_ms}
    return {**begun, "is_silent": False, **entry}


def list_unsaid(saved: Any) -> list[str]:
    """The keys of open series whose rows do not say how they go on."""
    series = map_of(part_of(saved, "trace"), "open_series")
    return [key for key, entry in series.items() if part_of(entry, "paid_ms") is None]


def _read_correlator(saved: Any) -> dict[str, Any]:
    """What was said lately about objects, as far as it can be read; the rest is as if nothing was said."""
    sources, series = map_of(saved, "sources"), map_of(saved, "series")
    return {
        "sources": {
            uid: {source: record for source, record in told.items() if _is_record(record)}
            for uid, told in sources.items()
            if isinstance(told, dict)
        },
        "series": {uid: entry for uid, entry in series.items() if _is_said_of_version(entry)},
    }


def _is_record(record: Any) -> bool:
    reasons = part_of(record, "reasons")
    return (
        isinstance(part_of(record, "due_ms"), int)
        and isinstance(reasons, dict)
        and all(_is_reason(alike) for alike in reasons.values())
    )


def _is_reason(alike: Any) -> bool:
    said = part_of(alike, "said")
    return (
        isinstance(part_of(alike, "messages"), list)
        and isinstance(part_of(alike, "last_ms"), int)
        and isinstance(said, dict)
        and all(_is_said(one) for one in said.values())
    )


def _is_said_of_version(entry: Any) -> bool:
    return (
        isinstance(entry, list | tuple)
        and len(entry) in (2, 3)
        and isinstance(entry[0], int)
        and _is_said(entry[1])
        and all(isinstance(words, str) for words in entry[2:])
    )


def _is_said(said: Any) -> bool:
    return isinstance(said, list) and len(said) == 3 and all(isinstance(one, int) for one in said)


def _with_group(subject: list[Any]) -> list[Any]:
    # Engines before version 5 did not save the group: then a kind of its name is the one that is registered.
    is_short = len(subject) < len(Subject._fields)
    return [*subject, kind_for("", subject[0]).group] if is_short else subject


def read_agenda(saved: Any, is_known: Callable[[str, str], bool]) -> dict[str, Any]:
    """The timers that can be read and that somebody handles."""
    agenda = part_of(saved, "agenda")
    timers = [
        entry for entry in list_of(agenda, "timers") if _is_timer(entry) and is_known(entry[2], entry[3])
    ]
    timers.sort(key=lambda entry: (entry[0], entry[1]))
    sequence = part_of(agenda, "sequence")
    last = max([sequence if isinstance(sequence, int) else 0, *(entry[1] for entry in timers)])
    return {"sequence": last, "timers": timers}


def read_waiting(saved: Any) -> list[list[Any]]:
    """The pods that wait for room on a node: uid, who kept each from one, since when, failures.

    Of older clusters the uids alone are known.
    """
    queue = part_of(part_of(saved, "scheduler"), "queue")
    failures = map_of(queue, "failures")
    rows = [[*row[:3], failures.get(row[0], 1)] for row in list_of(queue, "waiting") if _is_waiting(row)]
    return rows or [[uid, [], 0, 1] for uid in list_of(saved, "scheduler") if isinstance(uid, str)]


def _is_waiting(row: Any) -> bool:
    if not isinstance(row, list) or len(row) < 3:
        return False
    plugins = row[1] if isinstance(row[1], list) else [None]
    return (
        isinstance(row[0], str) and isinstance(row[2], int) and all(isinstance(one, str) for one in plugins)
    )


def count_lost_timers(saved: Any, agenda: dict[str, Any]) -> int | None:
    """How many of the saved timers could not be read; None where none can be told of."""
    timers = part_of(part_of(saved, "agenda"), "timers")
    return len(timers) - len(agenda["timers"]) if isinstance(timers, list) else None


def _is_timer(entry: Any) -> bool:
    if not isinstance(entry, list) or len(entry) != len(Timer._fields):
        return False
    kinds = ((0, int), (1, int), (2, str), (3, str), (5, bool))
    return all(isinstance(entry[place], kind) for place, kind in kinds)


def read_failures(saved: Any) -> dict[str, Any]:
    """How often keys have failed in a row."""
    rows = [row for row in list_of(part_of(saved, "loop"), "failures") if _is_failure(row)]
    return {"failures": rows}


def _is_failure(row: Any) -> bool:
    return isinstance(row, list) and len(row) == 4 and isinstance(row[3], int)


def keys_of(objects: Sequence[StoredObject]) -> Iterator[tuple[str, str, str]]:
    """Every key that a controller may look at after it has started: it asks for all there is."""
    namespaces = dict.fromkeys(found.meta.namespace or "" for found in objects)
    for found in objects:
        namespace, name, uid = found.meta.namespace or "", found.meta.name, found.meta.uid
        yield found.kind.id.lower(), namespace, name
        if found.meta.owner_references or found.meta.deletion_ms is not None:
            yield "garbage", "", uid
        if found.kind.id == NODE_KIND.id:
            yield "nodeTaints", "", name
        elif found.kind.id == CLAIM:
            yield from ((queue, namespace, name) for queue in ("volumeProvision", "volumeGrowth"))
            yield "claimProtection", namespace, name
        elif found.kind.id == VOLUME:
            yield from ((queue, "", name) for queue in ("attachments", "volumeDeletion", "volumeProtection"))
        elif found.kind.id == ATTACHMENT:
            yield "volumeAttach", "", name
        elif found.kind.id == SERVICE.kind.id:
            yield "endpointslice", namespace, name
        elif found.kind.id == JOB_KIND.id:
            yield "ttlAfterFinished", namespace, name
    for namespace in namespaces:
        yield "resourceQuota", "", namespace
