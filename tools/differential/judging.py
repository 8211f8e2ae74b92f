"""What a scenario came to: what differs from a real cluster, and which properties are broken."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, replace
from pathlib import Path

from tests.recordings.check import describe_findings
from tests.recordings.compare import Finding, Result, compare
from tests.recordings.read_podline import read_podline
from tests.recordings.read_real import read_real
from tests.recordings.run_podline import run
from tests.recordings.scenario_files import ScenarioFile
from tools.differential.case import Case, Json
from tools.differential.chances import without_chance
from tools.differential.properties import find_broken_properties

CHANCE = "chance"
"""It differed, and did not when it was run again."""
OTHER_SEEDS = range(2, 8)
"""What is drawn there is drawn here too (equal pods go by their uids): one of our draws may be theirs."""
NO_METRICS = "(get pods.metrics.k8s.io)"
"""What an autoscaler says where there is no metrics server. Ours has one that knows nothing yet."""


@dataclass(frozen=True)
class Verdict:
    """`marks` tell one difference from another, so that a smaller scenario is known to show the same."""

    case: Case
    word: str
    marks: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()
    """The same with what the real cluster did: where two recordings share none of it, it is chance."""
    text: str = ""

    @property
    def is_sound(self) -> bool:
        return self.word in ("same", "coalesced", "sound", CHANCE)


def judge_alone(case: Case) -> Verdict:
    """Without a real cluster: what must hold of every run."""
    broken = find_broken_properties(case)
    marks = frozenset(text.partition(":")[0] for text in broken)
    return Verdict(case, "broken" if broken else "sound", marks, marks, "\n".join(broken))


def judge_beside(case: Case, recording: Path, release: str, timing: Json | None = None) -> Verdict:
    """Beside what a real cluster of a release did.

    Ours is given each manifest, and takes each step, at the instant at which it was sent there. The
    case's epoch says at which time of day that began. `timing`: latencies of the nodes that it ran on, where
    they are known.
    """
    file = case.to_file(release)
    file.timing = timing or {}
    instants = _read_instants(recording)
    given = len(file.given)
    file.given_at_seconds = tuple(instants[:given])
    steps = zip(instants[given:], file.steps, strict=True)
    file.steps = [replace(step, at_seconds=at_seconds) for at_seconds, step in steps]
    real = read_real(recording)
    first = result = _compare_to(file, real)
    for seed in () if first.agrees else OTHER_SEEDS:
        file.seed = seed
        result = _compare_to(file, real)
        if result.agrees:
            break
    else:
        result = first
    marks = frozenset(f"{one.kind} {one.where.partition('/')[0]} {one.what}" for one in result.findings)
    shown = frozenset(f"{one.kind} {one.where} {one.what} {_tell_real(one)}" for one in result.findings)
    return Verdict(case, result.verdict, marks, shown, describe_findings(result))


def _compare_to(file: ScenarioFile, real: Json) -> Result:
    mine = read_podline(run(file))
    result = compare(file.name, real, mine)
    findings = [one for one in result.findings if NO_METRICS not in str(one.real)]
    result.findings = without_chance(findings, real, mine)
    return result


def _tell_real(finding: Finding) -> str:
    """No instant: it is never the same twice."""
    return "" if finding.kind == "times" else str(finding.real)


def _read_instants(recording: Path) -> list[float]:
    """When each manifest was given and each step was taken, in seconds from the start."""
    with gzip.open(recording, "rt") as file:
        rows = [json.loads(line) for line in file]
    return [row["t"] for row in rows if row["type"] == "call"]
