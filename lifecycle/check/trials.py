"""From ordeals and what is there to trials: one ordeal befalling one thing, with the steps that do it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lifecycle.check.holes.filling import HoleError, fill, fill_steps, find_list
from lifecycle.check.ordeals import Ordeal, Variant
from lifecycle.check.settled import Settled, Workload
from lifecycle.check.targets import Target, list_targets, renew
from lifecycle.engine.heart.timing import read_duration_ms
from lifecycle.input.manifests import Document
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.scenario import API_VERSION, KIND, Expect, Scenario, read_scenario
from lifecycle.input.scenario_steps import Step
from lifecycle.lean_dataclasses import dataclass

Json = Mapping[str, Any]
NEW_IMAGE = "${newImage}"


@dataclass(frozen=True, slots=True)
class Trial:
    """One ordeal of one thing. Steps count from the fork. `workloads`: those it is told of."""

    ordeal: Ordeal
    target: str
    workloads: tuple[Workload, ...]
    steps: tuple[Step, ...]
    expects: tuple[Expect, ...] = ()
    lasts_ms: int = 0
    """So long it goes on."""
    written: tuple[Json, ...] = ()
    """The steps as a Scenario has them."""

    @property
    def title(self) -> str:
        """`rollout-slow Deployment/shop/web`"""
        return f"{self.ordeal.name} {self.target}".rstrip()


def list_trials(settled: Settled, ordeals: Iterable[Ordeal]) -> list[Trial]:
    """Every ordeal of everything that it can befall. Raises ManifestError for one that cannot be read."""
    return [trial for ordeal in ordeals for trial in _list_of(settled, ordeal)]


def _list_of(settled: Settled, ordeal: Ordeal) -> Iterator[Trial]:
    for variant in ordeal.variants:
        for target in list_targets(settled, ordeal, variant):
            if _has_all(ordeal, variant, target):
                yield _make(settled, ordeal, variant, target)


def _has_all(ordeal: Ordeal, variant: Variant, target: Target) -> bool:
    """Whether the lists that it needs hold something."""
    try:
        return all(find_list(need, target.holes) for need in variant.needs)
    except HoleError as error:
        raise _refuse(ordeal, "spec.needs", str(error)) from None


def _refuse(ordeal: Ordeal, path: str, message: str, remedy: str = "") -> ManifestError:
    return ManifestError([Problem(message, remedy, path, f"Ordeal {ordeal.name}", ordeal.file)])


def _make(settled: Settled, ordeal: Ordeal, variant: Variant, target: Target) -> Trial:
    written: list[Json] = []
    holes = dict(target.holes)
    new = renew(settled, target, variant.image) if NEW_IMAGE in str(variant.steps) else None
    if new is not None:
        holes["newImage"] = new.patch
        written += [{"at": "0s", "apply": one} for one in new.profiles]
    try:
        written += fill_steps(variant.steps, holes)
        lasts_ms = read_duration_ms(fill(variant.lasts, holes)) or 0
        expects = [dict(one) for one in fill_steps(ordeal.expects, holes)]
    except HoleError as error:
        raise _refuse(ordeal, "spec.steps", str(error)) from None
    try:
        scenario = read_steps(ordeal.name, written, expects)
    except ManifestError as error:
        first = error.problems[0]
        raise _refuse(ordeal, first.path, first.message, first.remedy) from None
    # In the order of the steps as they are read.
    written.sort(key=lambda one: read_duration_ms(one["at"]) or 0)
    name = f"{target.name} {variant.name}".strip()
    workloads = tuple(target.workloads)
    return Trial(ordeal, name, workloads, scenario.steps, scenario.expects, lasts_ms, tuple(written))


def read_steps(name: str, written: Sequence[Json], expects: Sequence[Json] = ()) -> Scenario:
    """Steps as a Scenario reads them. Raises ManifestError."""
    head = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": name}}
    return read_scenario(Document({**head, "spec": {"steps": list(written), "expect": list(expects)}}))
