"""Runs a scenario as `manage.py simulate` would, under the conditions of its recording.

The real nodes knew their images already. So a run begins WARM_SECONDS early with a pod on each node that
pulls them; manifests become `create` steps at that instant, steps and `until` move by as much, and the reader
takes it off again.
"""

from __future__ import annotations

import copy
import gzip
import json
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import yaml

from lifecycle.engine import Changes
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.engine.objects.times import format_time
from lifecycle.input.problems import ManifestError
from lifecycle.input.scenario import read_epoch_ms
from lifecycle.simulation import Overrides, make_plan
from lifecycle.simulation import run as run_plan
from tests.recordings.scenario_files import (
    HOLLOW,
    PODLINE_ONLY,
    REAL,
    SEVERAL,
    Json,
    ScenarioFile,
    list_scenarios,
    recording_of,
)
from tests.texts import read_manifests
from tests.timing import MIDDLE

WARM_SECONDS = 20
WARM_NAMESPACE = "lab-warm"
IMAGES = [
    f"{place}busybox:{tag}"
    for place in ("", "docker.io/library/")
    for tag in ("1.28", "1.36", "1.37", "latest")
]
NODE_COUNTS = {REAL: 1, SEVERAL: 3, HOLLOW: 3}
REAL_NODE = {"cpu": "2", "memory": "24581696Ki", "pods": 200}
"""Allocatable of the machine that was recorded; hollow nodes are as large as Podline's own."""
ASK = "(the lab asks for the text)"
"""What no refusal says: a step that must be refused with this tells its true text."""
HOLLOW_TIMING = {
    **MIDDLE,
    "sandbox": "10ms",
    "container_start": "10ms",
    "volume_mount": "0ms",
    "kill_pod": "10ms",
}
"""Pods of a hollow node are Ready as soon as its kubelet has seen them."""


@dataclass(frozen=True)
class PodlineRun:
    """What `simulate` writes: rows to standard output, the rest to standard error."""

    file: ScenarioFile
    rows: list[Json]
    said: str


class _Rows:
    """Keeps the rows as they stand in NDJSON."""

    def __init__(self) -> None:
        self.all: list[Json] = []

    def take(self, changes: Changes) -> None:
        self.all += (orjson.loads(orjson.dumps(row_to_json(row))) for row in changes.rows)


def run(file: ScenarioFile) -> PodlineRun:
    """Run one scenario to its end in this process."""
    rows = _Rows()
    try:
        documents = read_manifests(make_input(file).encode(), "standard input")
        overrides = Overrides(nodes=NODE_COUNTS[file.nodes], kubernetes=file.release, seed=file.seed)
        plan = make_plan(documents, overrides)
    except ManifestError as error:
        return PodlineRun(file, [], "\n".join(map(str, error.problems)))
    outcome, _ = run_plan(plan, rows)
    return PodlineRun(file, rows.all, "\n".join((*plan.notes, *outcome.refusals, *outcome.failures)))


def find_start_ms(file: ScenarioFile) -> int:
    """How far into its run a scenario begins: at the recording's part of a second, where that is known.

    The run itself begins at a whole second. The API tells whole seconds, and controllers go by what it tells.
    """
    return 1000 * WARM_SECONDS + (_find_wall_ms(file) or 0) % 1000


def _find_wall_ms(file: ScenarioFile) -> int | None:
    """The time of day at which a scenario begins, where its recording tells it and it matters."""
    wall = (file.scenario.get("spec") or {}).get("epoch")
    if file.name in list_scenarios():
        wall = _read_wall(recording_of(file.name, file.release)) if file.has_cron_jobs else None
    return read_epoch_ms(str(wall)) if wall else None


def _read_wall(recording: Path) -> str:
    with gzip.open(recording, "rt") as rows:
        wall: str = json.loads(rows.readline())["wall"]
    return wall


def make_input(file: ScenarioFile) -> str:
    """The scenario for Podline, as YAML."""
    documents = [_make_warm_pod(number) for number in range(1, NODE_COUNTS[file.nodes] + 1)]
    documents.append(_make_profile("lab-missing", "registry.invalid/*", MISSING_IMAGE))
    if file.nodes == HOLLOW:
        documents.append(_make_profile("lab-hollow", "*", HOLLOW_CONTAINER))
    documents += [one for one in file.manifests if one.get("kind") in PODLINE_ONLY]
    text = yaml.dump_all([*documents, _make_scenario(file)], Dumper=yaml.CSafeDumper, sort_keys=False)
    return re.sub(r"\bhollow-(\d+)\b", r"node-\1", text)


def _make_scenario(file: ScenarioFile) -> Json:
    scenario = copy.deepcopy(file.scenario)
    spec = scenario.setdefault("spec", {})
    instants = file.given_at_seconds or [0.0] * len(file.given)
    start_ms, wall_ms = find_start_ms(file), _find_wall_ms(file)
    if wall_ms is not None:
        spec["epoch"] = format_time(wall_ms, -start_ms)
    given, move = zip(instants, file.given, strict=True), partial(_move, start_ms)
    spec["steps"] = [{"at": move(at_seconds), "create": manifest} for at_seconds, manifest in given]
    for step in file.steps:
        asked = {"refused": ASK} if "refused" in step.entry else {}
        spec["steps"].append({"at": move(step.at_seconds), step.kind: step.payload, **asked})
    spec["until"] = move(file.until_seconds)
    if file.nodes != HOLLOW:
        spec["nodes"] = REAL_NODE | (spec.get("nodes") or {})
    spec["timing"] = (HOLLOW_TIMING if file.nodes == HOLLOW else MIDDLE) | file.timing
    spec.pop("expect", None)
    head = {"apiVersion": "podline.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": file.name}}
    return scenario | head


def _move(start_ms: int, seconds: float) -> str:
    return f"{start_ms + round(1000 * seconds)}ms"


MISSING_IMAGE = {"pull": {"error": "ErrImagePull", "takes": "100ms"}}
HOLLOW_CONTAINER = {
    "pull": {"takes": "0s"},
    "runs": [{"forever": True}],
    "onTerm": {"takes": "0s", "exit": 0},
}
"""It runs for ever, whatever its script, and stops as soon as it is told to."""


def _make_profile(name: str, image: str, behavior: dict[str, Any]) -> Json:
    return {
        "apiVersion": "podline.dev/v1alpha1",
        "kind": "ContainerProfile",
        "metadata": {"name": name},
        "spec": {"match": {"image": image}, "behavior": behavior},
    }


def _make_warm_pod(number: int) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"warm-{number}", "namespace": WARM_NAMESPACE},
        "spec": {
            "nodeName": f"node-{number}",
            "restartPolicy": "Never",
            # Where containers run for ever this ends them: no drain is to be held up by them.
            "activeDeadlineSeconds": WARM_SECONDS - 2,
            "containers": [
                {"name": f"warm-{index}", "image": image, "command": ["sh", "-c", "exit 0"]}
                for index, image in enumerate(IMAGES)
            ],
        },
    }
