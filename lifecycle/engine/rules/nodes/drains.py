"""`kubectl drain`, as far as it decides: whom it evicts, whom it leaves, what it says. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ...objects.meta import OwnerReference
from ...objects.pods.pod import Pod
from ...objects.workloads.daemon_set import DAEMON_SET_KIND

RETRY_MS = 5000
"""How long a refused eviction waits to be asked for again."""
LOOK_MS = 1000
"""How often it is looked whether a pod is gone, from its accepted eviction on."""
CONFLICT_MS = (500, 550)
"""How long the API server waits when it accepts two evictions at once and both write to one budget."""
DRAIN = "drain"
STARTED, BLOCKED, DONE, TIMED_OUT, FAILED = "started", "blocked", "done", "timedOut", "failed"
CANCELLED = "cancelled"
"""What a node's row `drain` says."""
ENDS = (DONE, TIMED_OUT, FAILED, CANCELLED)
REFUSED = "refused for now: "
"""What stands before the pods that a drain asks for in vain."""

_CANNOT = "cannot delete "
_DAEMON, _DAEMON_LEFT = (
    "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)",
    "ignoring DaemonSet-managed Pods",
)
_UNMANAGED, _UNMANAGED_FORCED = (
    "cannot delete Pods that declare no controller (use --force to override)",
    "deleting Pods that declare no controller",
)
_LOCAL, _LOCAL_FORCED = (
    "Pods with local storage (use --delete-emptydir-data to override)",
    "deleting Pods with local storage",
)
_MOST_NAMES = 5
# Go tells them in any order; ours is that of the checks that are most often met.
_ORDER = (_DAEMON, _UNMANAGED, _LOCAL)


@dataclass(frozen=True, slots=True)
class DrainOptions:
    """The flags of `kubectl drain`. `grace_seconds`: None for the pods' own; `timeout_ms`: None for ever."""

    ignores_daemon_sets: bool = False
    deletes_local_data: bool = False
    is_forced: bool = False
    uses_eviction: bool = True
    grace_seconds: int | None = None
    timeout_ms: int | None = None
    timeout_text: str = ""


@dataclass(slots=True)
class Chosen:
    """The pods that are to go, what is warned of, and what forbids the drain."""

    pods: list[Pod] = field(default_factory=list)
    warnings: dict[str, list[str]] = field(default_factory=dict)
    errors: dict[str, list[str]] = field(default_factory=dict)

    def warn(self) -> str:
        """All warnings on one line; "" without any."""
        return "; ".join(f"{text}: {', '.join(names)}" for text, names in self.warnings.items())

    def list_errors(self, says_it_twice: bool = True) -> list[str]:
        """What forbids the drain, a text for each reason.

        `says_it_twice`: also of pods without a controller, whose reason begins with the same words.
        """
        known = [text for text in _ORDER if text in self.errors]
        others = [text for text in self.errors if text not in _ORDER]
        told = {text: f"{_CANNOT}{text}" for text in (*known, *others)}
        if not says_it_twice:
            told |= {text: text for text in told if text.startswith(_CANNOT)}
        return [f"{words}: {', '.join(self.errors[text])}" for text, words in told.items()]


Exists = Callable[[Pod, OwnerReference], bool]


def choose_pods(pods: Iterable[Pod], options: DrainOptions, exists: Exists) -> Chosen:
    """Sort the pods of a node. `exists`: whether a pod's DaemonSet is still there."""
    chosen = Chosen()
    for pod in pods:
        name = f"{pod.meta.namespace}/{pod.meta.name}"
        is_left, warning, error = _judge(pod, options, exists)
        if error:
            chosen.errors.setdefault(error, []).append(name)
        elif warning:
            chosen.warnings.setdefault(warning, []).append(name)
        if not is_left and not error:
            chosen.pods.append(pod)
    return chosen


def _judge(pod: Pod, options: DrainOptions, exists: Exists) -> tuple[bool, str, str]:
    """(is left alone, what is warned of, what forbids it). Whatever has ended may always go."""
    owner, warning = pod.meta.controller, ""
    is_daemon = owner is not None and owner.kind_id == DAEMON_SET_KIND.id
    if is_daemon and owner is not None and not pod.is_finished:
        if exists(pod, owner):
            return (True, _DAEMON_LEFT, "") if options.ignores_daemon_sets else (True, "", _DAEMON)
        warning = f'{DAEMON_SET_KIND.resource} "{owner.name}" not found'
        if not options.is_forced:
            return True, "", warning
    if pod.is_mirror:
        return True, "", ""
    if pod.is_finished:
        return False, "", ""
    if any(volume.get("emptyDir") is not None for volume in pod.spec.volumes):
        if not options.deletes_local_data:
            return True, "", _LOCAL
        warning = _LOCAL_FORCED
    if owner is None:
        return (False, _UNMANAGED_FORCED, "") if options.is_forced else (True, "", _UNMANAGED)
    # As in kubectl the last check that has no objection takes the warning of those before it along.
    return False, "", ""


def aggregate(errors: Sequence[str]) -> str:
    """Several errors as Go joins them; the same one is told once."""
    told = list(dict.fromkeys(errors))
    return told[0] if len(told) == 1 else f"[{', '.join(told)}]"


def tell_failure(node: str, errors: Sequence[str]) -> str:
    """What kubectl prints at the end of a drain that did not succeed."""
    told = list(dict.fromkeys(errors))
    return "\n".join(
        (
            f'error: unable to drain node "{node}" due to error: {aggregate(errors)}, continuing command...',
            "There are pending nodes to be drained:",
            f" {node}",
            *told,
        )
    )


def tell_blocked(names: Sequence[str]) -> str:
    """Which pods a drain asks for in vain."""
    shown, more = names[:_MOST_NAMES], len(names) - _MOST_NAMES
    return f"{REFUSED}{', '.join(shown)}{f' and {more} more' if more > 0 else ''}"


def tell_cancelled(asked: int, leaving: int, rest: Sequence[str]) -> str:
    """What is left of a drain that nobody goes on with: kubectl was stopped, and undid nothing."""
    left = [f"{asked} of its pods stay"] if asked else []
    left += [f"{leaving} end all the same"] if leaving else []
    left += [f"{', '.join(rest)} not begun"] if rest else []
    return "; ".join([*left, "the node stays cordoned"])


def tell_refused(namespace: str, name: str, why: str) -> str:
    """An eviction that failed for good."""
    return f'error when evicting pods/"{name}" -n "{namespace}": {why}'


def tell_overdue(namespace: str, name: str) -> str:
    """A pod that was evicted and was not gone in time."""
    waiting = f'error when waiting for pod "{name}" in namespace "{namespace}" to terminate'
    return f"{waiting}: context deadline exceeded"


def next_tick_ms(since_ms: int, period_ms: int, now_ms: int) -> int:
    """The next of the instants, one every `period_ms` from `since_ms` on, that is not before now.

    Asked at 0:10 and every 5 s from then on, at 0:17: 0:20. At least one period after the beginning.
    """
    periods = -(-(now_ms - since_ms) // period_ms)
    return since_ms + max(periods, 1) * period_ms


def show_duration(duration_ms: int) -> str:
    """A duration as Go writes it: 13000 is `13s`, 90000 is `1m30s`, 600000 is `10m0s`."""
    seconds, milliseconds = divmod(duration_ms, 1000)
    if not seconds:
        return f"{milliseconds}ms" if milliseconds else "0s"
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{milliseconds:03}".rstrip("0") if milliseconds else ""
    text = f"{seconds}{fraction}s"
    if hours or minutes:
        text = f"{minutes}m{text}"
    return f"{hours}h{text}" if hours else text


def read_options(payload: dict[str, Any], timeout_ms: int | None) -> DrainOptions:
    """The flags that a command gives; a negative period is the pods' own, no timeout or 0 is for ever."""
    grace = payload.get("gracePeriodSeconds")
    return DrainOptions(
        ignores_daemon_sets=bool(payload.get("ignoreDaemonSets")),
        deletes_local_data=bool(payload.get("deleteEmptyDirData")),
        is_forced=bool(payload.get("force")),
        uses_eviction=not payload.get("disableEviction"),
        grace_seconds=grace if grace is not None and grace >= 0 else None,
        timeout_ms=timeout_ms or None,
        timeout_text=show_duration(timeout_ms) if timeout_ms else "",
    )
