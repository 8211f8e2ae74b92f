"""How containers ended: by themselves, which makes `runs`, and on their stop signal, which makes `onTerm`.

What is not clear is said and never made up: who ended a container by a signal, nobody can see afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle.calibration.dumps import Seen
from lifecycle.calibration.events import KILLING
from lifecycle.calibration.measured import Life
from lifecycle.calibration.pods import Container, End
from lifecycle.calibration.windows import SECOND_MS, Window
from lifecycle.lean_dataclasses import dataclass

KILLED_CODE, TERMINATED_CODE = 137, 143
_OOM = "OOMKilled"
_LOST = "ContainerStatusUnknown"
_PLAIN_REASONS = ("Error", "Completed", "")
IS_SCRIPT = "runs: its command line is run as it is written"
BY_SIGNAL = "runs: ended by a signal, and who sent it is not known"
BY_PROBE = "runs: may have been ended by its liveness or startup probe"
DIFFERENT = "runs: not every container of it ended in the same way"
ONCE = "runs: ended once, which is no pattern yet"
HOOK = "stop: its preStop hook runs first, and how long is not known"
CODES = "stop: ends with different codes"


@dataclass(frozen=True, slots=True)
class Pattern:
    """How all containers of an image end, if they do: how long they ran, with which code and reason.

    `why_not`: why there is no pattern, though some have ended.
    """

    runs: tuple[Window, ...] = ()
    code: int = 0
    reason: str = ""
    why_not: str = ""


def has_lived(container: Container | None) -> bool:
    """Whether a container has run at all."""
    return container is not None and bool(container.ends or container.running_since)


def measure_life(seen: Seen, until_ms: int) -> tuple[Life | None, str]:
    """What is known of the runs of a container that has lived, or why it is not clear."""
    container = seen.container
    assert container is not None, "nobody knows of the runs of a pod that is gone"
    if container.is_script:
        return None, IS_SCRIPT if container.ends else ""
    if any(_is_by_signal(end) for end in container.ends):
        return None, BY_SIGNAL
    if container.is_watched and any(_may_be_by_probe(seen, end) for end in container.ends):
        return None, BY_PROBE
    ends = [(end.exit, _reason_of(end), took) for end in container.ends if (took := _measure_run(end))]
    now = Window(until_ms, until_ms + SECOND_MS)
    goes_on = now.since(container.running_since) if container.running_since else None
    return Life(tuple(ends), _count_ends(container), container.is_to_end, goes_on), ""


def find_pattern(lives: Sequence[Life | None]) -> Pattern:
    """Whether all have ended in one way, and none goes on longer than any did that ended."""
    clear = [life for life in lives if life]
    ends = [end for life in clear for end in life.ends]
    if not ends:
        return Pattern()
    kinds = {(code, reason) for code, reason, _ in ends}
    longest_ms = max(took.high_ms for _, _, took in ends)
    goes_on = any(life.goes_on and life.goes_on.low_ms > longest_ms for life in clear)
    if len(kinds) > 1 or goes_on or len(clear) < len(lives):
        return Pattern(why_not=DIFFERENT)
    code, reason = kinds.pop()
    is_to_end = code == 0 and all(life.is_to_end for life in clear)
    if not is_to_end and sum(life.count for life in clear) < 2:
        return Pattern(why_not=ONCE)
    return Pattern(tuple(took for _, _, took in ends), code, reason)


def measure_stop(seen: Seen) -> tuple[tuple[Window, int] | None, str]:
    """How long a container took to end on its stop signal, and its exit code, where both were seen."""
    killing = seen.list_told(KILLING)
    if not killing or seen.container is None or seen.pod is None or seen.container.is_script:
        return None, ""
    for end in reversed(seen.container.ends):
        for told in reversed(killing):
            took = end.finished.since(told.last) if end.finished else None
            # A later end is not of this signal: the grace period was over long before.
            if took is None or took.low_ms > seen.pod.grace_ms + 5 * SECOND_MS:
                continue
            return (None, HOOK) if seen.container.has_pre_stop else ((took, end.exit), "")
    return None, ""


def _is_by_signal(end: End) -> bool:
    return end.reason == _LOST or (end.exit in (KILLED_CODE, TERMINATED_CODE) and end.reason != _OOM)


def _may_be_by_probe(seen: Seen, end: End) -> bool:
    """A program that catches its stop signal ends with whatever code it likes."""
    is_told = any("probe" in told.message for told in seen.list_told(KILLING))
    return is_told or end.exit == 0


def _count_ends(container: Container) -> int:
    """How many runs are over; the status keeps the last two at most."""
    return max(container.restarts + (not container.running_since), len(container.ends))


def _reason_of(end: End) -> str:
    return "" if end.reason in _PLAIN_REASONS else end.reason


def _measure_run(end: End) -> Window | None:
    return end.finished.since(end.started) if end.finished and end.started else None
