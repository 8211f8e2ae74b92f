"""What a check did not try and why, and on what rests that which it did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lifecycle.check.asking.configuration import Configuration
from lifecycle.check.checking import Checked
from lifecycle.check.claims.own import holds_everywhere
from lifecycle.check.ordeals import Ordeal
from lifecycle.check.settled import Settled
from lifecycle.engine import Cluster
from lifecycle.engine.releases.known import find_next_release, find_release
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
            yield f"{one.name}: {_tell_why(one, checked.settled)}"
    yield from checked.refusals
    plan = checked.settled.plan
    if plan.steps:
        yield "the steps of the Scenario: a check has its own; of its claims those hold that are always so"
    for expect in plan.expects:
        if not holds_everywhere(expect):
            yield f"{expect.text}: it is about the Scenario's own run"
    yield from (f"{one.text}: it is about the Scenario's own run" for one in plan.sequences)


def tell_unused(configuration: Configuration, checked: Checked) -> Iterator[str]:
    """What a configuration says of what there is not."""
    titles = {one.title for one in checked.settled.workloads}
    for title in sorted(configuration.limits.of_one.keys() - titles):
        yield f"workloads[{title}] of the configuration: there is no such workload"
    for one in configuration.accepts:
        if not any(map(one.is_of, checked.findings)):
            yield f"accepted, and not found: {one.tell()}"


def _tell_why(ordeal: Ordeal, settled: Settled) -> str:
    release = settled.plan.settings.release
    if "nextReleases" in ordeal.needs and not find_next_release(release):
        return f"the release after {release.name} is not modelled"
    kinds = ", ".join(ordeal.kinds)
    why = _WHY.get(ordeal.each) or f"there is no {kinds or 'workload'} that it could befall"
    return f"{why}; it needs {', '.join(ordeal.needs)}" if ordeal.needs else why


def tell_rests_on(settled: Settled, checked: Checked) -> Iterator[str]:
    """What is assumed of what nobody has said, and how fast all that notices is taken to be."""
    yield from (f"missing: {line}" for line in settled.plan.missing)
    yield from settled.assumed
    yield from _tell_releases(settled, checked)
    if any(one.figures["lostMs"]["max"] for one in checked.summaries):
        services = {place for one in settled.workloads for place in one.services}
        yield from tell_lags(Cluster.load(settled.saved), sorted(services))


def _tell_releases(settled: Settled, checked: Checked) -> Iterator[str]:
    """Of releases whose histories were compared with no real cluster's: its own, and the one after it."""
    releases = [settled.plan.settings.release]
    following = find_next_release(releases[0])
    if following and any("nextReleases" in one.ordeal.needs for one in checked.summaries):
        releases.append(find_release(following))
    yield from (f"Kubernetes {one.name}: {one.told}" for one in releases if not one.is_recorded)
