"""What an upgrade changes, and what it costs: how many pods, for how long, how few were left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.rules.nodes.drains import show_duration
from lifecycle.input.problems import list_names
from lifecycle.simulation.installation import Task, key_of

Json = Mapping[str, Any]
_AVAILABLE = ("availableReplicas", "numberAvailable")
_KEEP = "keep"
_POLICY = "helm.sh/resource-policy"


def list_pruned(old: Sequence[Task], new: Sequence[Task]) -> list[Task]:
    """What the last rendering held and this one does not, but for what is to be kept (pkg/kube/client.go)."""
    kept = {key_of(task.data) for task in new if not task.hook}
    return [
        Task(task.data, task.subject, is_removal=True)
        for task in old
        if not task.hook and key_of(task.data) not in kept and not _is_kept(task.data)
    ]


def _is_kept(data: Json) -> bool:
    annotations = (data.get("metadata") or {}).get("annotations") or {}
    return str(annotations.get(_POLICY) or "").strip().lower() == _KEEP


class UpgradeReport:
    """Follows a run from the beginning of an upgrade on."""

    def __init__(self) -> None:
        self._began_ms: int | None = None
        self._ready_ms: int | None = None
        self._done: dict[str, list[str]] = {
            "made": [],
            "changed": [],
            "unchanged": [],
            "pruned": [],
            "hooks": [],
        }
        self._pods = {"created": 0, "deleted": 0}
        self._available: dict[str, int] = {}
        self._before: dict[str, int] = {}
        self._least: dict[str, int] = {}

    def begin(self, now_ms: int) -> None:
        """What comes from now on is the upgrade's."""
        self._began_ms, self._before = now_ms, dict(self._available)

    def note(self, what: str, subject: str) -> None:
        """One object was made, changed or pruned, or stays as it is."""
        if self._began_ms is not None:
            self._done[what].append(subject)

    def take(self, rows: Iterable[Row], is_ready: bool, now_ms: int) -> None:
        """What one instant changed; `is_ready`: all is well behind it."""
        for row in rows:
            if isinstance(row, Transition):
                self._take_one(row)
        if self._began_ms is not None and now_ms > self._began_ms and not is_ready:
            self._ready_ms = None
        elif is_ready and self._ready_ms is None:
            self._ready_ms = now_ms

    def _take_one(self, row: Transition) -> None:
        subject = row.subject
        if row.field in _AVAILABLE and not subject.owner:
            name, number = f"{subject.kind} {subject.namespace}/{subject.name}", int(row.new or 0)
            self._available[name] = number
            if number < self._before.get(name, 0):
                self._least[name] = min(self._least.get(name, number), number)
        is_pod = kind_id(subject.group, subject.kind) == POD_KIND.id
        if self._began_ms is not None and is_pod and row.field == "exists":
            self._pods[str(row.new)] = self._pods.get(str(row.new), 0) + 1

    def tell(self) -> list[str]:
        """What is to be said of it; nothing where it did not begin."""
        if self._began_ms is None:
            return []
        done = [f"{len(names)} {what}" for what, names in self._done.items() if names]
        lines = [f"upgrade at {show_duration(self._began_ms)}: {', '.join(done) or 'nothing to do'}"]
        named = [(what, names) for what, names in self._done.items() if names and what != "unchanged"]
        lines += [f"  {what:<9} {list_names(names)}" for what, names in named]
        lines.append(f"  cost      {self._pods['created']} pods made, {self._pods['deleted']} gone")
        least = [f"{name} {low} of {self._before[name]}" for name, low in sorted(self._least.items())]
        if least:
            lines.append(f"  least     {list_names(least)} available")
        well = self._ready_ms
        took = f"after {show_duration(max(well - self._began_ms, 0))}" if well is not None else "not yet"
        return [*lines, f"  well      {took}"]
