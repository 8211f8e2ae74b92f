"""A scenario file as both sides need it: its manifests, its steps one by one, how long it runs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
RELEASES = ("v1.35", "v1.36", "v1.34")
"""Those that were recorded. The first one's folder holds the scenarios too, the others' only recordings."""
RECORDINGS = HERE / RELEASES[0]
"""What ran on a real cluster of that release: a folder a family, in it each scenario beside its recording."""

Json = dict[str, Any]

REAL, SEVERAL, HOLLOW = "real", "several", "hollow"
SECONDS_OF = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
PODLINE_ONLY = ("KubeletConfiguration", "ContainerProfile")
"""Kinds that only Podline has; the real cluster was not told of them."""


@dataclass(frozen=True)
class Step:
    """One command. An `apply` of several documents makes several."""

    at_seconds: float
    kind: str
    payload: Any
    entry: Json


@dataclass
class ScenarioFile:
    """What a file says. `nodes` is `real` for one node, `several` for three of them, or `hollow`."""

    name: str
    nodes: str
    manifests: list[Json]
    scenario: Json
    has_cron_jobs: bool
    steps: list[Step] = field(default_factory=list)
    until_seconds: float = 60.0
    release: str = RELEASES[0]
    given_at_seconds: tuple[float, ...] = ()
    """When each manifest was given, where that is known; else all of them at the start."""
    seed: int | None = None
    """What ours draws its uids and other chances from; None: the usual seed."""
    timing: Json = field(default_factory=dict)
    """Latencies of the nodes that it ran on, where they are known."""

    @property
    def given(self) -> list[Json]:
        """The manifests that the real cluster got, in their order."""
        return [one for one in self.manifests if one.get("kind") not in PODLINE_ONLY]

    @property
    def step_titles(self) -> list[str]:
        """As the recordings name them: counted from 1 in order of time."""
        return [
            f"step {number}, {step.kind} at {step.at_seconds:g}s" for number, step in enumerate(self.steps, 1)
        ]


def list_names(release: str = RELEASES[0]) -> list[str]:
    """All scenarios that have a recording of a release."""
    return sorted(name for name in list_scenarios() if recording_of(name, release).exists())


@cache
def list_scenarios() -> dict[str, Path]:
    """The file of every scenario by the scenario's name."""
    return {path.stem: path for path in sorted(RECORDINGS.glob("*/*.yaml"))}


def recording_of(name: str, release: str = RELEASES[0]) -> Path:
    """What a real cluster did with a scenario."""
    return HERE / release / list_scenarios()[name].parent.name / f"{name}.real.jsonl.gz"


def load(name: str, release: str = RELEASES[0]) -> ScenarioFile:
    """Read a scenario by its name, for a cluster of a release. Raises KeyError when there is none."""
    return read(list_scenarios()[name], release)


def read(path: Path, release: str = RELEASES[0]) -> ScenarioFile:
    """Read the scenario of a file."""
    return parse(path.stem, path.read_text(), release)


def parse(name: str, text: str, release: str = RELEASES[0]) -> ScenarioFile:
    """Read a scenario from its text."""
    documents = [one for one in yaml.load_all(text, yaml.CSafeLoader) if one]
    documents = [item for one in documents for item in (one["items"] if one.get("kind") == "List" else [one])]
    scenario = next((one for one in documents if one.get("kind") == "Scenario"), {"spec": {}})
    spec = scenario.get("spec") or {}
    steps = [step for entry in spec.get("steps") or () for step in _split(entry)]
    steps.sort(key=lambda step: step.at_seconds)
    return ScenarioFile(
        name=name,
        nodes=_find_nodes(text),
        manifests=[one for one in documents if one.get("kind") != "Scenario"],
        scenario=scenario,
        has_cron_jobs="CronJob" in text,
        steps=steps,
        until_seconds=_read_until_seconds(spec.get("until"), steps),
        release=release,
    )


def _find_nodes(text: str) -> str:
    found = re.search(r"^#\s*nodes:\s*(\w+)", "\n".join(text.splitlines()[:2]), re.M)
    return found[1] if found else REAL


def _split(entry: Json) -> list[Step]:
    at_seconds = read_seconds(entry.get("at", 0))
    kind = next(name for name in entry if name not in ("at", "refused"))
    payload = entry[kind]
    if kind in ("apply", "create", "replace") and isinstance(payload, str):
        documents = yaml.load_all(payload, yaml.CSafeLoader)
        return [Step(at_seconds, kind, one, entry) for one in documents if one]
    return [Step(at_seconds, kind, payload, entry)]


def _read_until_seconds(until: Any, steps: list[Step]) -> float:
    try:
        return read_seconds(until)
    except ValueError:
        return max([step.at_seconds for step in steps], default=0.0) + 60


def read_seconds(text: Any) -> float:
    """`90s`, `1m30s`, `250ms` or a number of ms, as Podline reads them."""
    if isinstance(text, int | float):
        return text / 1000
    parts = re.findall(r"([0-9.]+)(ms|s|m|h)", str(text))
    if not parts:
        raise ValueError(f"{text!r} is no duration: write 90s or 1m30s")
    return sum(float(number) * SECONDS_OF[unit] for number, unit in parts)
