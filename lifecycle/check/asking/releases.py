"""`podline check … --kubernetes 1.35,1.36`: figures and findings that come out otherwise, by ordeal."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from lifecycle.check.asking.trying import Options, Ready, make_ready
from lifecycle.check.checking import Checked, Progress, check
from lifecycle.check.processes import count_cores
from lifecycle.check.report import FINE, FOUND
from lifecycle.check.scene import SERIOUS, SEVERITIES
from lifecycle.check.settled import settle
from lifecycle.engine.releases.release import Release
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.simulation.releases.apis import list_apis
from lifecycle.simulation.releases.command import refuse_output, under, write
from lifecycle.simulation.releases.comparing import Lived, Switched, compare_all, live_all, read_releases
from lifecycle.simulation.releases.facts import Difference, Fact, Facts, Place
from lifecycle.simulation.run import BAD_INPUT

OF_ONE = ("cluster", "against", "baseline", "write_baseline", "scenario", "write")
"""What is about the findings of one release."""
FINDING, ORDEAL = "Finding", "Ordeal"


def check_all(options: Options, progress: Progress) -> int:
    """Check under each of the releases, compare, write; the exit status, 2 where all refuse the input."""
    refuse_output(options["output"], ("table", "json"))
    for name in OF_ONE:
        if options[name]:
            flag = name.replace("_", "-")
            raise ManifestError([Problem(f"--{flag} is of one release", "give one release, or leave it out")])
    releases = read_releases(options["kubernetes"])
    text = sys.stdin.buffer.read() if "-" in options["inputs"] else b""
    ready: dict[Release, Ready] = {}
    failing: set[Release] = set()

    def live(release: Release) -> Lived:
        ready[release] = one = make_ready(under(options, release), None, text)
        checked = _look(one, progress)
        if _is_failing(checked, one):
            failing.add(release)
        return Lived(release, find_facts(checked), one.plan.settings)

    def retry(release: Release, gates: Switched, switches: Switched, of: Collection[Difference]) -> Facts:
        one = make_ready(under(options, release), ready[release].configuration, text, gates, switches)
        wanted = {name for difference in of for name in difference.place.name.split()}
        few = tuple(ordeal for ordeal in one.ordeals if ordeal.name in wanted)
        return find_facts(_look(one._replace(ordeals=few), progress))

    lives = live_all(releases, live)
    used = list_apis(ready[releases[-1]].heads, releases) if releases[-1] in ready else []
    status = BAD_INPUT if not ready else FOUND if failing or len(ready) < len(releases) else FINE
    return write(options["output"], lives, compare_all(lives, retry), used, status)


def _look(ready: Ready, progress: Progress) -> Checked:
    jobs = ready.options["jobs"] or count_cores()
    settled = settle(ready.plan)
    return check(settled, ready.ordeals, ready.seeds, progress, jobs, ready.limits, has_reasons=False)


def _is_failing(checked: Checked, ready: Ready) -> bool:
    """Whether a finding is grave enough and nobody has accepted it."""
    from_ = SEVERITIES.index(ready.options["fail_on"] or ready.configuration.fail_on or SERIOUS)
    return any(
        SEVERITIES.index(one.severity) <= from_
        and not any(by.is_of(one) for by in ready.configuration.accepts)
        for one in checked.findings
    )


def find_facts(checked: Checked) -> dict[Place, Fact]:
    """The figures of each ordeal, how it ended, and how often which claim failed."""
    return {**dict(_list_figures(checked)), **dict(_list_findings(checked))}


def _list_figures(checked: Checked) -> Iterator[tuple[Place, Fact]]:
    for one in checked.summaries:
        name = f"{one.ordeal.name} of {', '.join(one.workloads)}"
        yield Place(ORDEAL, "", name, "", "end"), Fact((one.end,))
        for topic, spread in one.figures.items():
            yield Place(ORDEAL, "", name, "", topic), Fact((_write_spread(spread),))


def _write_spread(spread: Mapping[str, Any]) -> str:
    """`7`, or of several futures `min 5, p50 7, p95 9, max 9`."""
    if len({*spread.values()}) == 1:
        return str(spread["min"])
    return ", ".join(f"{name} {value}" for name, value in spread.items())


def _list_findings(checked: Checked) -> Iterator[tuple[Place, Fact]]:
    for one in checked.findings:
        place = Place(FINDING, "", f"{one.ordeal} {one.claim} of {one.object}", "", "finding")
        yield place, Fact((f"{one.severity}, in {one.times} of {one.of}",))
