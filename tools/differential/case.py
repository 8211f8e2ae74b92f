"""A scenario, drawn or read: what is given, what is done when, and how long it lives."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import yaml

from tests.recordings.scenario_files import RELEASES, ScenarioFile, parse, read_seconds

Json = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """`family` and `seed` say how it was drawn, also when it has been made smaller since.

    One that nobody drew is a family of its own, without a seed.
    """

    family: str
    seed: int | None
    manifests: tuple[Json, ...]
    steps: tuple[Json, ...]
    until_seconds: int
    epoch: str = ""
    """The time of day at its start, where a recording has one: it matters to CronJobs."""

    @property
    def name(self) -> str:
        return self.family if self.seed is None else f"{self.family}-{self.seed}"

    def to_text(self) -> str:
        """The scenario as a file of tests/recordings: for `podline simulate`, `epoch` and all."""
        spec: Json = {"steps": list(self.steps), "until": f"{self.until_seconds}s"}
        if self.epoch:
            spec["epoch"] = self.epoch
        scenario = {
            "apiVersion": "podline.dev/v1alpha1",
            "kind": "Scenario",
            "metadata": {"name": self.name},
            "spec": spec,
        }
        head = (
            f"# shows: drawn by tools/differential, family {self.family}, seed {self.seed}\n# nodes: hollow\n"
        )
        return head + yaml.dump_all([*self.manifests, scenario], Dumper=_Plain, sort_keys=False)

    def to_file(self, release: str = RELEASES[0]) -> ScenarioFile:
        """The scenario as the comparison reads it, for a cluster of a release."""
        return parse(self.name, self.to_text(), release)


class _Plain(yaml.SafeDumper):
    """Without anchors: what is said twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def read_case(name: str, text: str) -> Case:
    """A case from the text that `to_text` wrote, or from another scenario that says how long it lives.

    Raises ValueError for one that does not.
    """
    found = re.search(r"family (\S+), seed (\d+)", text)
    documents = [one for one in yaml.safe_load_all(text) if one]
    scenario = next((one for one in documents if one["kind"] == "Scenario"), None)
    if scenario is None:
        raise ValueError(f"{name}: there is no Scenario; write one with `until: 30s`")
    spec = scenario["spec"]
    return Case(
        found[1] if found else name,
        int(found[2]) if found else None,
        tuple(one for one in documents if one is not scenario),
        tuple(spec.get("steps", ())),
        math.ceil(read_seconds(spec.get("until", "none"))),
        spec.get("epoch", ""),
    )
