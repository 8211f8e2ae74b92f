"""What the rows of one object leave for a verdict: checks that fail, warnings, kills, losses. Pure.

A status says how an object is now. Why, and since when, its rows tell: whoever reads them, from a database or
from an engine that runs, hands them on here one by one, and the same verdict follows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field
from lifecycle.lean_tuples import NamedTuple

from ...objects.names import FAILED_CREATE
from ...objects.pods.container import ContainerState
from ...objects.pods.probe import LIVENESS, STARTUP
from ..nodes.eviction import DISRUPTION_TARGET
from ..pods.probe_rules import FAILURE
from .losses import WINDOW_MS, is_loss, take_loss

WARNING = "Warning"
RESCALED = "SuccessfulRescale"
SUCCESSFUL_CREATE = "SuccessfulCreate"
CREATIONS = FAILED_CREATE, SUCCESSFUL_CREATE
FAILED_MOUNT = "FailedMount"
STATE, EVICTION = "state", "eviction"
REFUSED = "refused"
"""What the lane of evictions says while a budget does not let a pod go."""
CHECKS = "probe."
"""What the lanes of checks begin with: `probe.app.readiness`."""
DISRUPTED = f"condition.{DISRUPTION_TARGET}"
# The reasons of a size that is not reckoned from a metric (reconcileAutoscaler in horizontal.go).
_OUT_OF_BOUNDS = (
    "Current number of replicas below Spec.MinReplicas",
    "Current number of replicas above Spec.MaxReplicas",
)
_SECOND_MS = 1000


class Failing(NamedTuple):
    """Something that fails since `since_ms`, and what it said last."""

    since_ms: int
    message: str


class Warned(NamedTuple):
    """The last Warning of one reason: when such ones began, when the last one came, and what it says."""

    reason: str
    since_ms: int
    last_ms: int
    message: str


class Kill(NamedTuple):
    """A container whose check failed too often, which check, and when it was told to end."""

    container: str
    check: str
    at_ms: int


class Disrupted(NamedTuple):
    """Why a pod was made to go, by its condition DisruptionTarget."""

    at_ms: int
    reason: str
    message: str


class Refused(NamedTuple):
    """Since when the eviction of a pod is refused, and by which budget."""

    since_ms: int
    budget: str


class PutBack(NamedTuple):
    """How often an autoscaler found a size out of its bounds, which only others set; and when last."""

    times: int
    last_ms: int


@dataclass(slots=True)
class Noticed:
    """What is remembered of one object, however long it lives.

    `failing`: what fails now, by the lane of a check, or by `FailedCreate`. `failed`: what each check said
    when it failed last, in whichever run. `warned`: by reason.
    """

    failing: dict[str, Failing] = field(default_factory=dict)
    failed: dict[str, Failing] = field(default_factory=dict)
    warned: dict[str, Warned] = field(default_factory=dict)
    kills: dict[str, Kill] = field(default_factory=dict)
    losses: deque[int] = field(default_factory=deque)
    disrupted: Disrupted | None = None
    refused: Refused | None = None
    put_back: PutBack | None = None

    def take_transition(
        self,
        lane: str,
        old: object,
        new: object,
        at_ms: int,
        reason: str | None,
        said: str | None,
        detail: Mapping[str, Any] | None = None,
    ) -> None:
        """Remember one field that changed."""
        if lane == STATE:
            if is_loss(old, new):
                take_loss(self.losses, at_ms)
        elif lane == DISRUPTED:
            if new == "True":
                self.disrupted = Disrupted(at_ms, reason or "", said or "")
        elif lane == EVICTION:
            since_ms = self.refused.since_ms if self.refused is not None else at_ms
            self.refused = Refused(since_ms, reason or "") if new == REFUSED else None
        elif lane.startswith(CHECKS):
            self._take_check(lane, old, new, at_ms, said or "")
            # A lane tells of the first failure, and of the one by which there are as many as its threshold.
            is_last = old == FAILURE or (detail or {}).get("threshold") == 1
            container, _, check = lane.removeprefix(CHECKS).rpartition(".")
            if new == FAILURE and is_last and check in (LIVENESS, STARTUP):
                self.kills[container] = Kill(container, check, at_ms)

    def _take_check(self, lane: str, old: object, new: object, at_ms: int, said: str) -> None:
        """One failure after another began with the first."""
        if new != FAILURE:
            self.failing.pop(lane, None)
            return
        known = self.failing.get(lane) if old == FAILURE else None
        self.failing[lane] = Failing(at_ms if known is None else known.since_ms, said)
        self.failed[lane] = Failing(at_ms, said)

    def take_event(
        self, type: str, reason: str, said: str, first_ms: int, last_ms: int, count: int = 1
    ) -> None:
        """Remember one event, or one more of a series."""
        if reason in CREATIONS:
            self._take_creation(reason, said, first_ms)
        elif reason == RESCALED and said.endswith(_OUT_OF_BOUNDS):
            self.put_back = PutBack(count, last_ms)
        if type == WARNING:
            known = self.warned.get(reason)
            self.warned[reason] = Warned(reason, known.since_ms if known else first_ms, last_ms, said)

    def _take_creation(self, reason: str, said: str, at_ms: int) -> None:
        """One refusal after another began with the first; a pod that was made ends them."""
        if reason == SUCCESSFUL_CREATE:
            self.failing.pop(FAILED_CREATE, None)
            self.warned.pop(FAILED_CREATE, None)
            return
        known = self.failing.get(FAILED_CREATE)
        self.failing[FAILED_CREATE] = Failing(at_ms if known is None else known.since_ms, said)

    def find_warning(self, from_ms: int, but: Collection[str] = ()) -> Warned | None:
        """The last Warning that is not older than that, but for those of these reasons."""
        late = [one for one in self.warned.values() if one.last_ms >= from_ms and one.reason not in but]
        return max(late, key=lambda one: (one.last_ms, one.reason), default=None)

    def find_kill(self, container: str, end: ContainerState) -> Kill | None:
        """The check for which a run of a container was ended, if one was."""
        kill = self.kills.get(container)
        if kill is None or end.finished_ms is None:
            return None
        # A status has whole seconds.
        is_of_run = (end.started_ms or 0) - _SECOND_MS < kill.at_ms < end.finished_ms + _SECOND_MS
        return kill if is_of_run else None

    def find_failed(self, container: str) -> Iterator[tuple[str, Failing]]:
        """The checks of a container that failed in whichever run, the latest first, by kind."""
        head = f"{CHECKS}{container}."
        mine = [(lane.removeprefix(head), one) for lane, one in self.failed.items() if lane.startswith(head)]
        yield from sorted(mine, key=lambda pair: (-pair[1].since_ms, pair[0]))


NOTHING = Noticed()
"""Of what nothing is known. Nobody writes to it."""


def is_lately(at_ms: int, now_ms: int) -> bool:
    """Whether it is within the minutes that a verdict looks back."""
    return at_ms >= now_ms - WINDOW_MS
