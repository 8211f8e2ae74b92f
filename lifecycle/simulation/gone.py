"""Workloads that a run saw go: by a wish, by their TTL, or because their CronJob keeps a few runs alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from lifecycle.engine.heart.trace import Version
from lifecycle.engine.kinds.registry import list_workloads
from lifecycle.engine.objects.meta import StoredObject
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.workloads.job import Job
from lifecycle.engine.rules.telling.verdicts import tell_instant, tell_job

_DELETED = "DELETED"
_HOW = ("complete", "failed", "unfinished")


class GoneWorkloads:
    """A line for each that nobody owned, and for each CronJob how its runs had ended."""

    def __init__(self) -> None:
        self._kinds = {entry.kind.id for entry in list_workloads()}
        self._blocks: list[tuple[str, str]] = []
        self._known: set[str] = set()
        self._runs: dict[str, Counter[str]] = {}

    def take(self, versions: Iterable[Version]) -> None:
        """Remember those that are gone after a few more writes."""
        for version in versions:
            self._known.add(version.new.meta.uid)
            if version.type == _DELETED and self._is_orphan(version.new):
                self._take_orphan(version)
            elif version.type == _DELETED and version.new.kind.id in self._kinds:
                self._take_one(version)

    def _is_orphan(self, last: StoredObject) -> bool:
        """Whether it names owners, none of which was ever there: the garbage collector takes it."""
        owners = last.meta.owner_references
        return bool(owners) and not any(one.uid in self._known for one in owners)

    def _take_orphan(self, version: Version) -> None:
        """attemptToDeleteItem in pkg/controller/garbagecollector."""
        last, owner = version.new, version.new.meta.owner_references[0]
        place = f"{last.meta.namespace}/" if last.meta.namespace else ""
        named = f"{owner.kind} {owner.name} (uid {owner.uid})"
        told = (
            f"Collected at {tell_instant(version.at_ms)}: its owner {named} is not there; an owner has to be"
            " in the same namespace, or in none."
        )
        self._blocks.append((f"{last.kind.name} {place}{last.meta.name}", told))

    def _take_one(self, version: Version) -> None:
        last = version.new
        owner = next((one for one in last.meta.owner_references if one.controller), None)
        end = last.status.finished if isinstance(last, Job) else None
        if owner is None:
            said = f"{tell_job(last, version.at_ms)[0]}; " if isinstance(last, Job) and end else ""
            told = f"{said}gone since {tell_instant(version.at_ms)}."
            name = f"{last.kind.name} {last.meta.namespace}/{last.meta.name}"
            self._blocks.append((name, f"{told[:1].upper()}{told[1:]}"))
        elif isinstance(last, Job) and owner.kind == CRON_JOB_KIND.name:
            self._runs.setdefault(owner.uid, Counter())[end.type.lower() if end else _HOW[-1]] += 1

    def describe(self) -> Iterator[str]:
        """A block each, in the order in which they went."""
        for name, told in self._blocks:
            yield name
            yield f"  verdict   {told}"

    def describe_runs(self, uid: str) -> Iterator[str]:
        """Of a CronJob the runs whose Jobs are gone."""
        if counts := self._runs.get(uid):
            number = counts.total()
            said = ", ".join(f"{counts[how]} {how}" for how in _HOW if counts[how])
            yield f"  gone      {number} run{'s' if number > 1 else ''}: {said}"
