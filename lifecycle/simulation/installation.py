"""How Helm makes what a chart holds: hooks before and after, one after the other, each waited for.

Before the hooks of a time are made, those of the same names go; when all of them have ended well, those go
that ask for it (`helm.sh/hook-delete-policy`; pkg/action/hooks.go). What fails stays, to be looked at, and
ends the installation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lifecycle.engine import Cluster, Command
from lifecycle.engine.kinds.namespace import NAMESPACE
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.objects.names import DEFINITION
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.input.chart_hooks import find_rank, list_policies

Json = Mapping[str, Any]
HOOK_LIMIT_MS = 5 * 60 * 1000
"""`helm --timeout`, where nobody says more."""
FOREVER_MS = 1 << 62
_FIRST = (NAMESPACE.kind.id, DEFINITION)
_ENDS = {"Complete": "", "Succeeded": "", "Failed": "failed"}


@dataclass(frozen=True, slots=True)
class Task:
    """One object to make or to take away; `hook` says when Helm runs it, "" for one that is no hook."""

    data: Json
    subject: str
    hook: str = ""
    is_removal: bool = False


def list_tasks(
    objects: Sequence[Json], subjects: Sequence[str], hooks: Mapping[int, Sequence[str]]
) -> list[Task]:
    """What there is to do, in order. `hooks`: by their places the times at which hooks run."""
    given = list(enumerate(zip(objects, subjects, strict=True)))
    plain = [Task(data, subject) for place, (data, subject) in given if not hooks.get(place)]
    times = sorted({time for times in hooks.values() for time in times})
    if not times:
        return plain
    before, after = list[Task](), list[Task]()
    for time in times:
        found = [Task(*one, time) for place, one in given if time in hooks.get(place, ())]
        stage = after if time.startswith("post-") else before
        stage += _list_stage(sorted(found, key=lambda one: find_rank(one.data)))
    # Helm makes the namespace of a release and what is in `crds` before anything else.
    first = [one for one in plain if kind_of_json(one.data).id in _FIRST]
    rest = [one for one in plain if kind_of_json(one.data).id not in _FIRST]
    return [*first, *before, *rest, *after]


def _list_stage(hooks: Sequence[Task]) -> list[Task]:
    """The hooks of one time, and what goes before each and behind them all."""
    tasks: list[Task] = []
    for task in hooks:
        if "before-hook-creation" in list_policies(task.data):
            tasks.append(replace(task, is_removal=True))
        tasks.append(task)
    ended = [task for task in reversed(hooks) if "hook-succeeded" in list_policies(task.data)]
    return tasks + [replace(task, is_removal=True) for task in ended]


class Installation:
    """Makes one object after the other, and waits for hooks. `submit` carries out a command."""

    def __init__(self, tasks: Sequence[Task], submit: Callable[[Command, str], None]) -> None:
        self._left = deque(tasks)
        self._submit = submit
        self._number = 0
        self._waits: Task | None = None
        self.deadline_ms = FOREVER_MS
        self.failure = ""

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to be made."""
        return self._waits is None and not self._left

    def is_due(self, cluster: Cluster) -> bool:
        """Whether the hook that is waited for has ended, or has had its time."""
        return self._waits is not None and (
            cluster.now_ms >= self.deadline_ms or _read_end(self._waits.data, cluster) is not None
        )

    def advance(self, cluster: Cluster) -> None:
        """Go on as far as it goes now."""
        if self._waits is not None:
            self._end_wait(self._waits, cluster)
        while self._left and self._waits is None:
            self._do(self._left.popleft(), cluster)

    def _end_wait(self, task: Task, cluster: Cluster) -> None:
        end = _read_end(task.data, cluster)
        self._waits, self.deadline_ms = None, FOREVER_MS
        if end == "":
            return
        why = end if end is not None else f"has not ended within {HOOK_LIMIT_MS // 60_000}m"
        self.failure = f"{task.hook} hook {task.subject} {why}: Helm gives up, {self._tell_left()}"
        self._left.clear()

    def _tell_left(self) -> str:
        number = sum(not one.is_removal for one in self._left)
        return f"{number or 'no'} object{'s' if number != 1 else ''} behind it left to be made"

    def _do(self, task: Task, cluster: Cluster) -> None:
        if task.is_removal:
            if _find(task.data, cluster) is None:
                return
            kind, namespace, name = _key_of(task.data)
            payload = {"kind": kind, "name": name, **({"namespace": namespace} if namespace else {})}
            self._submit(Command(id=f"removal-{self._number}", kind="delete", payload=payload), task.subject)
            return
        self._number += 1
        command = Command(id=f"manifest-{self._number}", kind="apply", payload={"object": dict(task.data)})
        self._submit(command, task.subject)
        # Only of Jobs and Pods Helm sees an end; a hook that was refused has none.
        is_waited = kind_of_json(task.data).id in (JOB_KIND.id, POD_KIND.id)
        if task.hook and is_waited and _find(task.data, cluster) is not None:
            self._waits, self.deadline_ms = task, cluster.now_ms + HOOK_LIMIT_MS

    def tell_unfinished(self) -> str:
        """What a run that ends now leaves behind; "" for nothing."""
        if self._waits is None:
            return ""
        waited = f"{self._waits.hook} hook {self._waits.subject}"
        return f"{waited} has not ended, {self._tell_left()}"


def _key_of(data: Json) -> tuple[str, str | None, str]:
    kind, metadata = kind_of_json(data), data.get("metadata") or {}
    namespace = (metadata.get("namespace") or "default") if kind.namespaced else None
    return kind.id, namespace, str(metadata.get("name") or "")


def _find(data: Json, cluster: Cluster) -> Json | None:
    return cluster.get(*_key_of(data))


def _read_end(data: Json, cluster: Cluster) -> str | None:
    """How a hook ended: "" for well; None while it goes on."""
    found = _find(data, cluster)
    if found is None:
        return "is gone"
    status = found.get("status") or {}
    ends = [one["type"] for one in status.get("conditions") or () if one.get("status") == "True"]
    return next((_ENDS[one] for one in (*ends, status.get("phase")) if one in _ENDS), None)
