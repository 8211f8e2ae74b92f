"""`bench check`: every ordeal of an application, by as many processes as there are cores, against one alone.

What is measured is the futures: the state they begin with is settled once, before, and nothing is explained.
"""

import resource
from collections.abc import Sequence
from typing import Any, NamedTuple

from lifecycle.benches import workload
from lifecycle.benches.report import Report, timed
from lifecycle.check.checking import live_all
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.processes import count_cores
from lifecycle.check.settled import Settled, settle
from lifecycle.check.trials import Trial, list_trials
from lifecycle.input.manifests import Document
from lifecycle.simulation.plan import make_plan

FEWEST_PROCESSES = 2
PASSES = 2
MANY_SEEDS, EACH = 20, 10
"""Of each so many trials one is tried under one seed and under many."""


def run(workloads: int, pods: int, seeds: int) -> Report:
    """One process and several, in turns: of each the best pass, as it is what the machine can do."""
    settled = settle(make_plan([Document(data) for data in make_application(workloads, pods)]))
    trials = list_trials(settled, list_ordeals())
    total, processes = len(trials) * seeds, max(count_cores(), FEWEST_PROCESSES)
    passes = [
        (_live(settled, trials, seeds, 1), _live(settled, trials, seeds, processes)) for _ in range(PASSES)
    ]
    alone, together = min(one for one, _ in passes), min(several for _, several in passes)
    one_rate, rate = total / alone.seconds, total / together.seconds
    return Report(
        bench="check",
        work={"workloads": workloads, "pods": len(settled.pods), "seeds": seeds, "processes": processes},
        figures={
            "futures": total,
            "seconds": round(total / rate, 2),
            "futures_per_second": round(rate, 1),
            "cores_used": round(together.used_seconds / together.seconds, 2),
            # Neighbours on the machine change how long it takes, not what it costs.
            "cost_ratio": round(together.used_seconds / alone.used_seconds, 3),
            "seeds_cost_ratio": round(_compare_seeds(settled, trials[::EACH]), 3),
        },
        limit_what="one process, futures/s",
        limit_value=round(one_rate, 1),
        ratio=round(rate / one_rate, 2),
    )


def make_application(workloads: int, pods: int) -> list[dict[str, Any]]:
    """So many Deployments, each with a Service, and so many pods in all."""
    made: list[dict[str, Any]] = []
    for number in range(workloads):
        name, share = f"web-{number}", pods * (number + 1) // workloads - pods * number // workloads
        for data in (workload.make_deployment(share), workload.make_service(has_requests=True)):
            spec: dict[str, Any] = data["spec"]
            spec["selector"] = {"app": name} if data["kind"] == "Service" else {"matchLabels": {"app": name}}
            if "template" in spec:
                spec["template"]["metadata"]["labels"] = {"app": name}
            made.append({**data, "metadata": {**data["metadata"], "name": name}})
    return made


class Pass(NamedTuple):
    """The seconds that all futures took, and those of the processors."""

    seconds: float
    used_seconds: float


def _live(settled: Settled, trials: Sequence[Trial], seeds: int, processes: int) -> Pass:
    """All futures once."""
    before = _count_used_seconds()
    seconds, _ = timed(lambda: list(live_all(settled, trials, range(1, seeds + 1), processes=processes)))
    return Pass(seconds, _count_used_seconds() - before)


def _compare_seeds(settled: Settled, trials: Sequence[Trial]) -> float:
    """What a future costs among those of many seeds, against one of a single seed."""
    one = min(_live(settled, trials, 1, 1).used_seconds for _ in range(PASSES))
    return _live(settled, trials, MANY_SEEDS, 1).used_seconds / MANY_SEEDS / one


def _count_used_seconds() -> float:
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, whose))
