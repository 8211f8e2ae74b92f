"""Records the results of a probe: the lane in the history, and the event `Unhealthy` with its count."""

from __future__ import annotations

from ...heart.correlator import COMBINED
from ...heart.trace import Trace
from ...objects.meta import Subject
from ...objects.pods.pod import Pod
from ...objects.pods.probe import EXEC
from ...rules.pods.probe_rules import FAILURE, SUCCESS, UNKNOWN
from ..parts import SOURCE, WARNING, Parts
from ..state.container_run import ContainerRun, ProbeRun
from ..state.worker import PodWorker

_UNHEALTHY = "Unhealthy"


def tell_outcome(
    parts: Parts, pod: Pod, run: ContainerRun, probed: ProbeRun, former: str, message: str
) -> None:
    """The lane of the probe: each new outcome, and the verdict it adds up to."""
    probe, state, outcome = probed.probe, probed.state, probed.outcome
    threshold = probe.failure_threshold if outcome == FAILURE else probe.success_threshold
    is_verdict = outcome != UNKNOWN and threshold > 1 and state.result == outcome
    if former == outcome and not (is_verdict and state.run in (0, threshold)):
        return
    # Commands run in the container, requests are the node's own (PROBE-08).
    source = "container" if probe.kind == EXEC else "node"
    trace = parts.trace
    trace.cause = trace.transition(
        parts.shown(pod),
        f"probe.{run.container.name}.{probed.kind}",
        former or None,
        outcome,
        None,
        message.strip() or None,
        {"threshold": threshold, "source": source},
    )


def tell_failure(
    parts: Parts, worker: PodWorker, pod: Pod, run: ContainerRun, probed: ProbeRun, message: str
) -> None:
    """The event that counts failures, or checks that could not be made; it ends with them."""
    key = series_of(worker, run, probed)
    if probed.outcome == SUCCESS:
        parts.trace.close_series(key, until_ms=parts.now_ms - 1)
    elif parts.told_of(worker) is not None:
        # Unknown: the check itself could not be made, which counts neither way (PROBE-11).
        is_error = probed.outcome == UNKNOWN
        what = "errored and resulted in unknown state" if is_error else "failed"
        text = f"{probed.kind.capitalize()} probe {what}: {message}"
        path, period_ms = run.container.field_path, probed.probe.period_seconds * 1000
        about = (pod.subject, WARNING, _UNHEALTHY, text, SOURCE, path)
        if not probed.is_singular:
            parts.trace.open_event_series(key, *about, period_ms)
        elif not is_counted(parts.trace, key):
            _tell_singular(parts.trace, key, about, period_ms)


def is_counted(trace: Trace, key: str) -> bool:
    """Whether a series of combined events is open under a key: it counts all that differ in their words."""
    series = trace.series.by_key.get(key)
    return series is not None and series["words"].startswith(COMBINED)


def _tell_singular(
    trace: Trace, key: str, about: tuple[Subject, str, str, str, str, str | None], period_ms: int
) -> None:
    """What no other check says is an event of its own, until many such are combined: from then on a series.

    Two checks of one pod are combined into one event; the series is that of the first.
    """
    trace.close_series(key, until_ms=trace.at_ms - 1)
    subject, event_type, reason, *_rest = about
    teller = f"{SOURCE} {event_type}"
    beside = trace.series.list_paid(subject.uid, teller)
    has_series = any(one["reason"] == reason and one["words"].startswith(COMBINED) for one in beside)
    if not has_series and trace.correlator.is_combining(subject.uid, teller, reason, trace.at_ms):
        trace.open_event_series(key, *about, period_ms)
    else:
        trace.event(*about)


def series_of(worker: PodWorker, run: ContainerRun, probed: ProbeRun) -> str:
    """What the series of a probe's events is known by."""
    return f"probe|{worker.uid}|{run.container.name}|{probed.kind}"


def end_all(parts: Parts, worker: PodWorker, run: ContainerRun) -> None:
    """Nobody goes on to tell of a container's probes."""
    keys = [series_of(worker, run, probed) for probed in (run.probes or {}).values()]
    parts.trace.close_series(*keys, until_ms=parts.now_ms - 1)
