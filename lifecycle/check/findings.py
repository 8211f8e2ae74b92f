"""From futures to findings: what failed, how often, and the worst case, with what led to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from lifecycle.check.facts import list_about, list_facts
from lifecycle.check.scene import SEVERITIES, Violation
from lifecycle.check.settled import Settled
from lifecycle.check.trials import Trial
from lifecycle.check.untouched import Lived, find_carrier
from lifecycle.lean_dataclasses import dataclass, replace
from lifecycle.lean_tuples import NamedTuple

Json = Mapping[str, Any]


class Seen(NamedTuple):
    """A violation, and in which future it was seen."""

    violation: Violation
    trial: Trial
    seed: int

    @property
    def rank(self) -> tuple[int, int, int]:
        """The worst first: the gravest, the largest, the first seed."""
        return SEVERITIES.index(self.violation.severity), -self.violation.amount, self.seed


class Remedied(NamedTuple):
    """A cure that was run under the same chances. `figures`: those of the ordeal with it."""

    text: str
    patch: Json
    figures: Json
    price: str
    known_as: tuple[str, ...] = ()


@dataclass(slots=True)
class Finding:
    """A claim about an object that failed in `times` of `of` seeds; `worst`: its counter-example."""

    ordeal: str
    claim: str
    object: str
    worst: Seen
    times: int
    of: int
    because: tuple[str, ...] = ()
    known_as: tuple[str, ...] = ()
    remedies: tuple[Remedied, ...] = ()
    field_object: str = ""
    """The object that the best remedy changes, "" where none of the input; and the path of the field."""
    field_path: tuple[str | int, ...] = ()

    @property
    def id(self) -> str:
        """The same for the same claim about the same object in the same ordeal, in whatever run."""
        text = "\x1f".join((self.ordeal, self.claim, self.object))
        return blake2b(text.encode(), digest_size=6).hexdigest()

    @property
    def severity(self) -> str:
        """`critical`, `serious` or `minor`."""
        return self.worst.violation.severity


def find_findings(settled: Settled, lived: Lived, seeds: int, untouched: Lived = ()) -> list[Finding]:
    """One for each ordeal, claim and object, the gravest first; what was wrong before all once."""
    seen: dict[tuple[str, str, str], list[Seen]] = {}
    for trial, future in lived:
        for one in future.violations:
            key = trial.ordeal.name, one.claim, one.object
            seen.setdefault(key, []).append(Seen(one, trial, future.seed))
    found = [
        Finding(*key, min(all_seen, key=lambda one: one.rank), len({one.seed for one in all_seen}), seeds)
        for key, all_seen in seen.items()
    ]
    tried = {trial.title: trial for trial, _ in lived}
    faults = list_faults(settled, list(tried.values()), seeds, untouched)
    return sorted([*faults, *found], key=lambda one: SEVERITIES.index(one.severity))


def list_faults(settled: Settled, tried: Sequence[Trial], seeds: int, untouched: Lived) -> Iterator[Finding]:
    """What is wrong in the state that all futures begin with, told in the first ordeal that fits."""
    for trial, future in untouched:
        for one in future.violations:
            carrier = find_carrier(one.claim, one.object, settled, tried)
            if carrier is not None:
                titles = list_about(one.object, settled)
                concerned = tuple(other for other in carrier.workloads if other.title in titles)
                seen = Seen(one, replace(trial, workloads=concerned or carrier.workloads), future.seed)
                yield Finding(carrier.ordeal.name, one.claim, one.object, seen, seeds, seeds)


def explain(settled: Settled, findings: Sequence[Finding]) -> None:
    """Write down what led to each: what the manifests say, then the rows of its counter-example."""
    for one in findings:
        one.because = (*list_facts(one.claim, one.object, settled), *one.worst.violation.because)
