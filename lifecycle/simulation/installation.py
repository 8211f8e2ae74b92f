"""How Helm makes what a chart holds: hooks before and after, one after the other, each waited for.

Before the hooks of a time are made, those of the same names go; when all of them have ended well, those go
that ask for it (`helm.sh/hook-delete-policy`; pkg/action/hooks.go). What fails stays, to be looked at, and
ends the installation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from lifecycle.engine import Cluster, Command
from lifecycle.engine.kinds.namespace import NAMESPACE
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.objects.names import DEFINITION
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.input.chart_hooks import find_rank, list_policies
from lifecycle.lean_dataclasses import dataclass, replace

Json = Mapping[str, Any]
HOOK_LIMIT_MS = 5 * 60 * 1000
"""`helm --timeout`, where nobody says more."""
PAUSE_MS = 10 * 60 * 1000
"""So long what is to be upgraded has to become well: as long as a Deployment, where nobody says more."""
FOREVER_MS = 1 << 62
_FIRST = (NAMESPACE.kind.id, DEFINITION)
_ENDS = {"Complete": "", "Succeeded": "", "Failed": "failed"}


@dataclass(frozen=True, slots=True)
class Task:
    """One object to make or to take away; `hook` says when Helm runs it, "" for one that is no hook.

    `is_pause`: there is nothing to make, and all that was made is to be well first, if it comes to that.
    """

    data: Json
    subject: str
    hook: str = ""
    is_removal: bool = False
    is_pause: bool = False


class Report(Protocol):
    """Who is told what an upgrade does."""

    def begin(self, now_ms: int) -> None: ...

    def note(self, what: str, subject: str) -> None: ...


def list_tasks(
    objects: Sequence[Json],
    subjects: Sequence[str],
    hooks: Mapping[int, Sequence[str]],
    pruned: Sequence[Task] = (),
) -> list[Task]:
    """What there is to do, in order. `hooks`: by their places the times at which hooks run.

    `pruned`: what is to go once all else is made.
    """
    given = list(enumerate(zip(objects, subjects, strict=True)))
    plain = [Task(data, subject) for place, (data, subject) in given if not hooks.get(place)]
    times = sorted({time for times in hooks.values() for time in times})
    if not times:
        return [*plain, *pruned]
    before, after = list[Task](), list[Task]()
    for time in times:
        found = [Task(*one, time) for place, one in given if time in hooks.get(place, ())]
        stage = after if time.startswith("post-") else before
        stage += _list_stage(sorted(found, key=lambda one: find_rank(one.data)))
    # Helm makes the namespace of a release and what is in `crds` before anything else.
    first = [one for one in plain if kind_of_json(one.data).id in _FIRST]
    rest = [one for one in plain if kind_of_json(one.data).id not in _FIRST]
    return [*first, *before, *rest, *pruned, *after]


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

    def __init__(
        self,
        tasks: Sequence[Task],
        submit: Callable[[Command, str], None],
        is_ready: Callable[[], bool],
        report: Report,
    ) -> None:
        self._left = deque(tasks)
        self._submit, self._is_ready, self._report = submit, is_ready, report
        self._number = 0
        self._waits: Task | None = None
        self.deadline_ms = FOREVER_MS
        self.failure = ""

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to be made."""
        return self._waits is None and not self._left

    def is_due(self, cluster: Cluster) -> bool:
        """Whether what is waited for is there, or has had its time."""
        if self._waits is None:
            return False
        if self._waits.is_pause and self._is_ready():
            return True
        is_ended = not self._waits.is_pause and _read_end(self._waits.data, cluster) is not None
        return is_ended or cluster.now_ms >= self.deadline_ms

    def advance(self, cluster: Cluster) -> None:
        """Go on as far as it goes now."""
        if self._waits is not None:
            self._end_wait(self._waits, cluster)
        while self._left and self._waits is None:
            self._do(self._left.popleft(), cluster)

    def _end_wait(self, task: Task, cluster: Cluster) -> None:
        self._waits, self.deadline_ms = None, FOREVER_MS
        if task.is_pause:
            self._report.begin(cluster.now_ms)
            return
        end = _read_end(task.data, cluster)
        if end == "":
            return
        why = end if end is not None else f"has not ended within {HOOK_LIMIT_MS // 60_000}m"
        self.failure = f"{task.hook} hook {task.subject} {why}: Helm gives up, {self._tell_left()}"
        self._left.clear()

    def _tell_left(self) -> str:
        number = sum(not (one.is_removal or one.is_pause) for one in self._left)
        return f"{number or 'no'} object{'s' if number != 1 else ''} behind it left to be made"

    def _do(self, task: Task, cluster: Cluster) -> None:
        if task.is_pause:
            self._waits, self.deadline_ms = task, cluster.now_ms + PAUSE_MS
            return
        self._number += 1
        kind, namespace, name = key_of(task.data)
        if task.is_removal:
            if cluster.get(kind, namespace, name) is not None:
                place = {"namespace": namespace} if namespace else {}
                payload = {"kind": kind, "name": name, **place}
                self._submit(Command(f"removal-{self._number}", "delete", payload), task.subject)
                self._note("pruned", task)
            return
        before = cluster.version_of(kind, namespace, name)
        manifest = {"object": dict(task.data)}
        self._submit(Command(f"manifest-{self._number}", "apply", manifest), task.subject)
        after = cluster.version_of(kind, namespace, name)
        self._note("made" if before is None else "unchanged" if before == after else "changed", task)
        # Only of Jobs and Pods Helm sees an end; a hook that was refused has none.
        if task.hook and kind in (JOB_KIND.id, POD_KIND.id) and after is not None:
            self._waits, self.deadline_ms = task, cluster.now_ms + HOOK_LIMIT_MS

    def _note(self, what: str, task: Task) -> None:
        """Hooks are told with their time; that they go is not."""
        if not task.hook:
            self._report.note(what, task.subject)
        elif not task.is_removal:
            self._report.note("hooks", f"{task.subject} ({task.hook})")

    def tell_unfinished(self) -> str:
        """What a run that ends now leaves behind; "" for nothing."""
        if self._waits is None:
            return ""
        if self._waits.is_pause:
            return "the upgrade has not begun: what is there is not well yet"
        waited = f"{self._waits.hook} hook {self._waits.subject}"
        return f"{waited} has not ended, {self._tell_left()}"


def key_of(data: Json) -> tuple[str, str | None, str]:
    """(kind, namespace, name), as a cluster finds it."""
    kind, metadata = kind_of_json(data), data.get("metadata") or {}
    namespace = (metadata.get("namespace") or "default") if kind.namespaced else None
    return kind.id, namespace, str(metadata.get("name") or "")


def _find(data: Json, cluster: Cluster) -> Json | None:
    return cluster.get(*key_of(data))


def _read_end(data: Json, cluster: Cluster) -> str | None:
    """How a hook ended: "" for well; None while it goes on."""
    found = _find(data, cluster)
    if found is None:
        return "is gone"
    status = found.get("status") or {}
    ends = [one["type"] for one in status.get("conditions") or () if one.get("status") == "True"]
    return next((_ENDS[one] for one in (*ends, status.get("phase")) if one in _ENDS), None)
