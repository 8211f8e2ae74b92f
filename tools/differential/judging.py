"""What a scenario came to: what differs from a real cluster, and which properties are broken."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.recordings.check import describe_findings
from tests.recordings.compare import compare
from tests.recordings.read_podline import read_podline
from tests.recordings.read_real import read_real
from tests.recordings.run_podline import run
from tools.differential.case import Case
from tools.differential.properties import find_broken_properties


@dataclass(frozen=True)
class Verdict:
    """`marks` tell one difference from another, so that a smaller scenario is known to show the same."""

    case: Case
    word: str
    marks: frozenset[str] = frozenset()
    text: str = ""

    @property
    def is_sound(self) -> bool:
        return self.word in ("same", "coalesced", "sound")


def judge_alone(case: Case) -> Verdict:
    """Without a real cluster: what must hold of every run."""
    broken = find_broken_properties(case)
    marks = frozenset(text.partition(":")[0] for text in broken)
    return Verdict(case, "broken" if broken else "sound", marks, "\n".join(broken))


def judge_beside(case: Case, recording: Path) -> Verdict:
    """Beside what a real cluster did."""
    result = compare(case.name, read_real(recording), read_podline(run(case.to_file())))
    marks = frozenset(f"{one.kind} {one.where.partition('/')[0]} {one.what}" for one in result.findings)
    return Verdict(case, result.verdict, marks, describe_findings(result))
