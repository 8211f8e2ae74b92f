"""When programs listened, from when their pods became ready.

A probe looks every `periodSeconds`, so that the program listened within the period before the first success:
that is taken off, and so is what more successes take (pkg/kubelet/prober/worker.go). Without a probe a pod is
ready as soon as it runs, which tells nothing of its program.
"""

from __future__ import annotations

from lifecycle.calibration.dumps import Seen
from lifecycle.calibration.events import UNHEALTHY, Told
from lifecycle.calibration.pods import Container
from lifecycle.calibration.starts import find_first_start
from lifecycle.calibration.windows import SECOND_MS, Window
from lifecycle.lean_dataclasses import dataclass

LATEST_MS = 600 * SECOND_MS
"""Deployment's own `progressDeadlineSeconds`: whoever becomes ready later than that was ready before."""
NO_PROBE = "ready: no readiness or startup probe, so that being ready tells nothing of its program"
IS_SCRIPT = "ready: its command line is run as it is written"
NOT_READY = "ready: not ready when the dump was taken"
OTHERS = "ready: other containers of the pod hold its readiness back, too"
AGAIN = "ready: has been ready before, and only the last time is known"
_CHECKS = ("Readiness probe ", "Startup probe ")


@dataclass(frozen=True, slots=True)
class Ready:
    """When a container's program listened after its start, or why nobody can tell."""

    after: Window | None = None
    why_not: str = ""


def measure_ready(seen: Seen) -> Ready:
    """How long after its start the program of a container listened."""
    pod, container = seen.pod, seen.container
    if pod is None or container is None or not container.is_ready_part:
        return Ready()
    if not container.is_gate:
        return Ready(why_not=NO_PROBE if container.running_since else "")
    if container.is_script:
        return Ready(why_not=IS_SCRIPT)
    ready, started = pod.ready_since, _find_start(seen, container)
    if ready is None or started is None:
        return Ready(why_not=NOT_READY)
    others = [one for one in pod.containers if one.is_ready_part and one is not container]
    if any(one.is_gate or _is_later(one, started, ready) for one in others):
        return Ready(why_not=OTHERS)
    took = ready.since(started)
    failures = _list_failures(seen, started, ready)
    if took is None or _was_ready(container, started, took, failures):
        return Ready(why_not=AGAIN)
    return Ready(_take_off(container, started, took, failures))


def _find_start(seen: Seen, container: Container) -> Window | None:
    """Of the run that is under way: to the millisecond where its event tells."""
    started, told = container.running_since, find_first_start(seen)
    is_told = (
        started and told and started.low_ms <= told.low_ms + SECOND_MS and told.low_ms <= started.high_ms
    )
    return told if is_told else started


def _is_later(other: Container, started: Window, ready: Window) -> bool:
    """Whether another container may have begun so late that the pod waited for it."""
    since = other.running_since
    return since is None or (since.low_ms > started.high_ms and since.high_ms >= ready.low_ms)


def _list_failures(seen: Seen, started: Window, ready: Window) -> list[Told]:
    """Checks of this run that failed until it was ready."""
    return [
        one
        for one in seen.list_told(UNHEALTHY)
        if one.message.startswith(_CHECKS)
        and one.first.high_ms >= started.low_ms
        and one.last.low_ms <= ready.high_ms
    ]


def _was_ready(container: Container, started: Window, took: Window, failures: list[Told]) -> bool:
    """Whether it must have been ready earlier: first checks passed, or it took longer than anybody waits."""
    if not failures:
        return took.low_ms > LATEST_MS
    first = container.startup or container.readiness
    assert first is not None, "a gate has a probe"
    waited_ms = min(one.first.low_ms for one in failures) - started.high_ms
    return waited_ms > first.delay_ms + 2 * first.period_ms + SECOND_MS


def _take_off(container: Container, started: Window, took: Window, failures: list[Told]) -> Window:
    """What is left without the probes' own part."""
    checks = [one for one in (container.startup, container.readiness) if one]
    sure_ms = sum(one.period_ms * (one.successes - 1) for one in checks)
    low_ms = took.low_ms - sure_ms - sum(one.period_ms for one in checks)
    if took.low_ms - sure_ms < checks[0].delay_ms + checks[0].period_ms:
        # The first check may have passed: nothing says that it did not listen at once.
        low_ms = 0
    last_ms = max((one.last.low_ms - started.high_ms for one in failures), default=0)
    high_ms = max(took.high_ms - sure_ms, 0)
    return Window(min(max(low_ms, last_ms, 0), high_ms), high_ms)
