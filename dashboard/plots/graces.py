"""The time that containers have between their stop signal and SIGKILL: drawn below their bars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dashboard.plots.spans import Span
from dashboard.plots.theme import clock
from lifecycle.engine.programs.slow_hooks import DEFAULT_GRACE_SECONDS
from lifecycle.engine.rules.pods.grace import DELETED, decide_kill_grace_seconds, decide_stop_timeout_seconds
from lifecycle.simulation.reports.tones import Tone

Row = Mapping[str, Any]
SIGKILL = "SIGKILL"
# A thin bar along the lower edge of the lane.
PLACE = (0.14, 0.22)


@dataclass(frozen=True, slots=True)
class GracePeriods:
    """How long the containers of a pod have: when it is deleted, and when a probe ends one, in seconds."""

    deletion: int = DEFAULT_GRACE_SECONDS
    spec: int = DEFAULT_GRACE_SECONDS
    probes: Mapping[str, int] = field(default_factory=dict)
    """By `<container> <why>`, where a probe has its own: `app LivenessProbe`."""

    @classmethod
    def of(cls, pod: Mapping[str, Any]) -> GracePeriods:
        """Those of a stored pod."""
        spec, meta = pod.get("spec") or {}, pod.get("metadata") or {}
        own = spec.get("terminationGracePeriodSeconds", DEFAULT_GRACE_SECONDS)
        probes = {}
        for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
            for name, why in (("livenessProbe", "LivenessProbe"), ("startupProbe", "StartupProbe")):
                seconds = (container.get(name) or {}).get("terminationGracePeriodSeconds")
                if seconds is not None:
                    probes[f"{container.get('name')} {why}"] = seconds
        return cls(meta.get("deletionGracePeriodSeconds", own), own, probes)

    def seconds(self, container: str, why: str) -> int:
        """Until when SIGKILL comes, counted from when the container began to be stopped."""
        return decide_kill_grace_seconds(
            self.deletion if why == DELETED else None,
            self.spec,
            reason=why,
            probe_seconds=self.probes.get(f"{container} {why}"),
        )


class Graces:
    """Folds a pod's rows: when each container was told to stop, and what became of it."""

    def __init__(self, periods: GracePeriods, tone: Tone) -> None:
        self.spans: list[Span] = []
        self._periods, self._tone = periods, tone
        self._open: dict[str, Span] = {}
        self._asked_ms: int | None = None
        self._hooks: dict[str, int] = {}

    def feed(self, row: Row) -> None:
        """Take a transition of the pod, in order."""
        kind, _, container = row["field"].partition(".")
        if row["field"] == "deletion" and row["new"] == "requested":
            self._asked_ms = row["at_ms"]
        elif kind == "hook" and container.endswith(".preStop") and row["new"] == "Started":
            self._hooks[container.removesuffix(".preStop")] = row["at_ms"]
        elif kind == "signal" and row["new"] != SIGKILL:
            self._begin(row, container)
        elif kind == "signal" or (row["field"].endswith(".state") and row["new"] != "Running"):
            self._end(container.removesuffix(".state"), row["at_ms"])

    def _begin(self, row: Row, container: str) -> None:
        self._end(container, row["at_ms"])
        at_ms, why = row["at_ms"], str((row.get("detail") or {}).get("why") or "")
        began_ms = self._hooks.pop(container, at_ms)
        if why == DELETED and self._asked_ms is not None:
            began_ms = self._asked_ms
        seconds = self._periods.seconds(container, why)
        kill_ms = at_ms + decide_stop_timeout_seconds(seconds, hook_ms=at_ms - began_ms) * 1000
        title = f"{container}: {row['new']}, then SIGKILL at {clock(kill_ms)}"
        lane = f"container.{container}"
        span = Span(lane, self._tone, at_ms, kill_ms, title, seq=row["seq"], place=PLACE)
        self._open[container] = span
        self.spans.append(span)

    def _end(self, container: str, at_ms: int) -> None:
        span = self._open.pop(container, None)
        if span is not None:
            span.end_ms = min(at_ms, span.end_ms or at_ms)

    def reach(self, now_ms: int) -> int:
        """When the last SIGKILL that is still to come comes; 0 for none."""
        ends = [span.end_ms or 0 for span in self._open.values()]
        return max((end for end in ends if end > now_ms), default=0)
