"""What a check stands on: its cluster as it was at one drained instant, and the trials that follow from that.

Every worker makes the same of the same saved state. It keeps that of the check it worked on last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.settled import AS_IT_STANDS, Settled, look, plan_again
from lifecycle.check.trials import Trial, list_trials
from lifecycle.check.untouched import Lived, look_untouched
from lifecycle.engine import Cluster as Engine
from lifecycle.models import Check, Cluster
from lifecycle.runs import checkpoints
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.run import Outcome


@dataclass(frozen=True, slots=True)
class Grounds:
    """The settled state, its trials, the seeds of each, and the future in which nothing is done."""

    settled: Settled
    trials: tuple[Trial, ...]
    seeds: tuple[int, ...]
    untouched: Lived = ()

    @property
    def total(self) -> int:
        """How many futures there are."""
        return len(self.trials) * len(self.seeds)

    def job(self, number: int) -> tuple[Trial, int]:
        """The trial and the seed of a future, by its number."""
        return self.trials[number // len(self.seeds)], self.seeds[number % len(self.seeds)]


_last: tuple[Any, Grounds] | None = None


def find(check: Check) -> Grounds:
    """The grounds of a check whose base is known. Raises checkpoints.Unreadable."""
    global _last
    if _last is None or _last[0] != check.pk:
        packed = Check.objects.values_list("base", flat=True).get(pk=check.pk)
        _last = check.pk, lay(check, Engine.load(checkpoints.unpack(bytes(packed))))
    return _last[1]


def forget() -> None:
    """Let go of what is kept."""
    global _last
    _last = None


def lay(check: Check, engine: Engine) -> Grounds:
    """The grounds of a check, of an engine that stands at its instant."""
    wanted = frozenset(check.ordeals)
    first = check.cluster.seed
    found = look(engine, make_plan(check.cluster, engine), Outcome(AS_IT_STANDS, engine.now_ms))
    settled, untouched = look_untouched(found, first)
    trials = list_trials(settled, [one for one in list_ordeals() if one.name in wanted])
    return Grounds(settled, tuple(trials), tuple(range(first, first + check.seeds)), untouched)


def make_plan(cluster: Cluster, engine: Engine) -> Plan:
    """What would make such a cluster again."""
    return plan_again(engine, cluster.seed)
