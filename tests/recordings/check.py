"""One scenario from its file to its verdict."""

from __future__ import annotations

from collections import Counter

from tests.recordings.compare import Result, compare
from tests.recordings.differences import is_artefact
from tests.recordings.read_podline import read_podline
from tests.recordings.read_real import read_real
from tests.recordings.run_podline import run
from tests.recordings.scenario_files import RELEASES, Json, load, recording_of


def read_both(name: str, release: str = RELEASES[0]) -> tuple[Json, Json]:
    """What the real cluster did with a scenario, and what Podline does."""
    return read_real(recording_of(name, release)), read_podline(run(load(name, release)))


def check(name: str, release: str = RELEASES[0]) -> Result:
    """Run a scenario and compare, without what that lab did to all of its recordings."""
    result = compare(name, *read_both(name, release))
    result.findings = [one for one in result.findings if not is_artefact(release, one)]
    return result


def describe(result: Result) -> str:
    """One line: the verdict, and how many differences there are of each kind."""
    counts = Counter(finding.kind for finding in result.findings)
    said = ", ".join(f"{kind} {number}" for kind, number in sorted(counts.items()))
    idle = f"  no controller: {', '.join(result.idle_kinds)}" if result.idle_kinds else ""
    return f"{result.name:44} {result.verdict:10} {said}{idle}"


def describe_findings(result: Result) -> str:
    """Each difference, in order of time."""
    return "\n".join(
        f"{one.kind:11} {one.where} {one.what}\n    real:    {one.real}\n    Podline: {one.podline}"
        for one in sorted(result.findings, key=lambda one: one.at or 0)
    )
