"""A scenario that was drawn: what is given, what is done when, and how long it lives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from tests.recordings.scenario_files import ScenarioFile, parse

Json = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """`family` and `seed` say how it was drawn, also when it has been made smaller since."""

    family: str
    seed: int
    manifests: tuple[Json, ...]
    steps: tuple[Json, ...]
    until_seconds: int
    epoch: str = ""
    """The time of day at its start, where a recording has one: it matters to CronJobs."""

    @property
    def name(self) -> str:
        return f"{self.family}-{self.seed}"

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

    def to_file(self) -> ScenarioFile:
        """The scenario as the comparison reads it."""
        return parse(self.name, self.to_text())


class _Plain(yaml.SafeDumper):
    """Without anchors: what is said twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def read_case(text: str) -> Case:
    """A case from the text that `to_text` wrote. Raises ValueError for another."""
    found = re.search(r"family (\S+), seed (\d+)", text)
    if found is None:
        raise ValueError("the file was not drawn by tools/differential: its first line does not say so")
    *manifests, scenario = (one for one in yaml.safe_load_all(text) if one)
    spec = scenario["spec"]
    return Case(
        found[1],
        int(found[2]),
        tuple(manifests),
        tuple(spec["steps"]),
        int(spec["until"].removesuffix("s")),
        spec.get("epoch", ""),
    )
