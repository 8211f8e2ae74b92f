"""What a check did not try and why, and on what rests that which it did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lifecycle.check.checking import Checked
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.settled import Settled
from lifecycle.engine import Cluster
from lifecycle.simulation.lost_requests import tell_lags

_WHY = {
    "node": "no workload has a pod on a node",
    "zone": "the nodes are not in two zones or more",
    "service": "no Service has a workload behind it",
    "dependency": "no workload mentions a Service of another one",
    "load": "no Service tells how much is asked of it (podline.dev/load, podline.dev/requests)",
}


def tell_not_run(ordeals: Iterable[Ordeal], checked: Checked) -> Iterator[str]:
    """Of each ordeal that befell nothing why, and which steps of the others were refused."""
    lived = {one.ordeal.name for one in checked.summaries}
    for one in ordeals:
        if one.name not in lived:
            yield f"{one.name}: {_tell_why(one)}"
    yield from checked.refusals


def _tell_why(ordeal: Ordeal) -> str:
    kinds = ", ".join(ordeal.kinds)
    why = _WHY.get(ordeal.each) or f"there is no {kinds or 'workload'} that it could befall"
    return f"{why}; it needs {', '.join(ordeal.needs)}" if ordeal.needs else why


def tell_rests_on(settled: Settled, checked: Checked) -> Iterator[str]:
    """What is assumed of what nobody has said, and how fast all that notices is taken to be."""
    yield from (f"missing: {line}" for line in settled.plan.missing)
    yield from settled.assumed
    if any(one.figures["lostMs"]["max"] for one in checked.summaries):
        services = {place for one in settled.workloads for place in one.services}
        yield from tell_lags(Cluster.load(settled.saved), sorted(services))
