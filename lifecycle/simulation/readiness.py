"""Whether all that was given is well: what `--until ready` waits for, and how a summary begins.

Counted is what nobody controls: workloads, and pods that stand alone. A CronJob is well as it is: no run of
it is waited for. So is a Job that is suspended.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from lifecycle.engine.heart.trace import Version
from lifecycle.engine.kinds.registry import kind_of_json, list_workloads
from lifecycle.engine.objects.meta import StoredObject
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.engine.objects.workloads.stateful_set import ON_DELETE, STATEFUL_SET_KIND
from lifecycle.input.problems import list_names
from lifecycle.verdicts import judge_rollout, read_size

Json = Mapping[str, Any]
_GONE = "DELETED"
_PLAIN = ("verdict", "status", "times")
_TELLING = tuple(
    f"  {label} " for label in (*_PLAIN, "node", "nodes", "warnings", "runs", "retries", "not on", "gone")
)
"""How those lines of a block begin that say more than how many there are."""


def is_well(data: Json) -> bool:
    """Whether a stored workload, or a pod, is as its author wants it."""
    kind = kind_of_json(data).id
    judge = _JUDGES.get(kind)
    return judge(data) if judge is not None else _has_all_pods(data)


def _has_condition(data: Json, name: str) -> bool:
    conditions = (data.get("status") or {}).get("conditions") or ()
    return any(one.get("type") == name and one.get("status") == "True" for one in conditions)


def _is_rolled_out(data: Json) -> bool:
    """As `kubectl rollout status` says; a set that is updated by hand, which that does not follow, is up."""
    if ((data.get("spec") or {}).get("updateStrategy") or {}).get("type") == ON_DELETE:
        return _has_all_pods(data)
    rollout = judge_rollout(kind_of_json(data).id, data)
    return rollout is not None and rollout.is_done


def _has_all_pods(data: Json) -> bool:
    size = read_size(data)
    return size.is_observed and size.available >= size.wanted


def _is_pod_well(data: Json) -> bool:
    if (data.get("status") or {}).get("phase") == "Succeeded":
        return True
    return _has_condition(data, "Ready") and not data["metadata"].get("deletionTimestamp")


_JUDGES: dict[str, Callable[[Json], bool]] = {
    DEPLOYMENT_KIND.id: lambda data: _is_rolled_out(data) and _has_condition(data, "Available"),
    STATEFUL_SET_KIND.id: _is_rolled_out,
    DAEMON_SET_KIND.id: _is_rolled_out,
    JOB_KIND.id: lambda data: _has_condition(data, "Complete") or bool(data["spec"].get("suspend")),
    CRON_JOB_KIND.id: lambda data: True,
    POD_KIND.id: _is_pod_well,
}


def put_unwell_first(blocks: Sequence[tuple[bool, Sequence[str]]]) -> Iterator[str]:
    """The lines of (is it well, its lines): what is not comes first and whole, what is well takes a line."""
    for is_good, lines in blocks:
        if not is_good:
            yield from lines
    for is_good, lines in blocks:
        if is_good:
            yield _shorten(lines)


def _shorten(lines: Sequence[str]) -> str:
    """`Pod shop/web-0: Running, ready 1/1, restarts 0; node node-1`: what only counts is left out."""
    told = [line.strip().partition("  ") for line in lines[1:] if line.startswith(_TELLING)]
    return f"{lines[0]}: {'; '.join(_join(label, text.strip()) for label, _, text in told)}"


def _join(label: str, text: str) -> str:
    return text.rstrip(".") if label in _PLAIN else f"{label} {text}"


class Readiness:
    """How what nobody controls is, as far as its writes were seen.

    `forgets_gone`: somebody may take things away on purpose, so that what is gone counts no more. Else it
    counts as what it last was: a Job whose time to live was over is well, a pod that was evicted is not.
    `leaves_out`: kinds that nobody waits for.
    """

    def __init__(self, forgets_gone: bool, leaves_out: Container[str] = ()) -> None:
        self._forgets_gone = forgets_gone
        kinds = (POD_KIND.id, *(entry.kind.id for entry in list_workloads()))
        self._kinds = {one for one in kinds if one not in leaves_out}
        self._subjects: dict[tuple[str, str, str], str] = {}
        self._unwell: set[tuple[str, str, str]] = set()

    def take(self, versions: Iterable[Version]) -> None:
        """Look at what a few more writes have changed."""
        for version in versions:
            if version.new.kind.id in self._kinds and version.new.meta.controller is None:
                self._take_one(version.new, version.type == _GONE)

    def _take_one(self, stored: StoredObject, is_gone: bool) -> None:
        key = stored.key
        if is_gone and self._forgets_gone:
            self._subjects.pop(key, None)
            self._unwell.discard(key)
        elif not is_gone:
            self._subjects[key] = f"{stored.kind.name} {stored.meta.namespace}/{stored.meta.name}"
            (self._unwell.discard if is_well(stored.to_json(0)) else self._unwell.add)(key)

    @property
    def is_ready(self) -> bool:
        """Whether all is well; where there is nothing, nothing is wrong."""
        return not self._unwell

    def tell(self, troubled: Container[str] = ()) -> str:
        """`271 workloads: 269 are well; not: Deployment shop/web, Job shop/seed`; "" where there are none.

        `troubled`: of which more is known than what they say themselves, that they are not well.
        """
        names = [one for key, one in self._subjects.items() if key in self._unwell or one in troubled]
        number, unwell = len(self._subjects), len(names)
        if not number:
            return ""
        told = f"{number:,} workload{'s' if number > 1 else ''}"
        if not unwell:
            return f"{told}: {'all are' if number > 1 else 'it is'} well"
        well = number - unwell
        said = f"{well or 'none'} {'are' if well > 1 else 'is'} well"
        return f"{told}: {said}; not: {list_names(names)}"
