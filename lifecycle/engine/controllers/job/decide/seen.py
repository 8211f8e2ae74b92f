"""What the decision of a Job is made from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from lifecycle.lean_dataclasses import dataclass, field

from ....objects.condition import Condition
from ....objects.pods.pod import Pod
from ....objects.workloads.job import Job
from ....rules.actions import Decision, Tried
from ....rules.jobs.backoff import NO_FAILURES, Failures
from ....rules.jobs.gates import ALL_GATES, JobGates

if TYPE_CHECKING:
    from ....rules.jobs.indexes import Intervals

BATCH_MS = 1000
"""How long changes of pods are gathered before the next look, in ms; no wait is shorter."""


@dataclass(slots=True)
class SeenPods:
    """A Job's pods in numbers, and those that its decision looks at one by one.

    `restarts`: in place. `ended`: finished or being deleted, and in no count yet. `tracked`: uids of all pods
    that keep their finalizer. Of an Indexed Job: active and terminating pods by index; `is_uneven`: whether
    some active pods share an index or have none that counts. `failing`: failed pods without the finalizer
    that a rule of the Job has it fail for.
    """

    active: int
    ready: int
    terminating: int
    restarts: int
    ended: Sequence[Pod]
    tracked: Collection[str]
    list_active: Callable[[], Sequence[Pod]]
    list_tracked: Callable[[], Sequence[Pod]]
    by_index: Mapping[int, Collection[str]] = field(default_factory=dict)
    going_by_index: Mapping[int, int] = field(default_factory=dict)
    is_uneven: bool = False
    failing: Sequence[Pod] = ()


@dataclass(slots=True)
class Look:
    """What one look makes of a Job. `succeeded` and `failed`: pods, those not yet in the status included.

    Of an Indexed Job: `known` and `done` are the succeeded indexes as written and as they are, `lost` the
    failed ones (None: indexes have no limit), `awaiting` the last failed pod of each index that waits for
    another try; `due`, once they were looked for, the indexes that are still to get a pod in this look, and
    how long others have to wait, in ms. `end`: the condition with which it ends, or is about to.
    """

    start_ms: int | None
    succeeded: int
    failed: int
    failures: Failures
    known: Intervals = ()
    done: Intervals = ()
    lost: Intervals | None = None
    awaiting: dict[int, Pod] | None = None
    due: tuple[Sequence[int], Sequence[int]] | None = None
    end: Condition | None = None


@dataclass(slots=True)
class Seen:
    """`failures`: those that the back-off goes by. `tried`: what this look has done so far, and `look`: what
    it has made of the Job before that.

    `is_settled`: whether all that earlier looks wrote has been seen; pods are made and deleted only then.
    """

    job: Job
    pods: SeenPods
    failures: Failures = NO_FAILURES
    tried: Tried = field(default_factory=Tried)
    gates: JobGates = ALL_GATES
    batch_ms: int = BATCH_MS
    is_settled: bool = True
    look: Look | None = None
    epoch_ms: int = 0


@dataclass(slots=True)
class JobDecision(Decision):
    """A decision, and the failures that the back-off is to go by from then on (None: those it went by).

    `look`: where the decision that follows goes on, once some pods were made.
    """

    failures: Failures | None = field(default=None, kw_only=True)
    look: Look | None = field(default=None, kw_only=True)
