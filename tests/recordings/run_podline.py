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
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import orjson
import yaml

from lifecycle.engine import Changes
from lifecycle.engine.heart.trace import row_to_json
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
        overrides = Overrides(
            nodes=NODE_COUNTS[file.nodes],
            epoch_ms=_find_epoch_ms(file),
            kubernetes=file.release,
            seed=file.seed,
        )
        plan = make_plan(documents, overrides)
    except ManifestError as error:
        return PodlineRun(file, [], "\n".join(map(str, error.problems)))
    outcome, _ = run_plan(plan, rows)
    return PodlineRun(file, rows.all, "\n".join((*plan.notes, *outcome.refusals, *outcome.failures)))


def _find_epoch_ms(file: ScenarioFile) -> int | None:
    """The recording's time of day, which matters to CronJobs."""
    if not file.has_cron_jobs:
        return None
    if file.name not in list_scenarios():
        given = (file.scenario.get("spec") or {}).get("epoch")
        return read_epoch_ms(given) - 1000 * WARM_SECONDS - file.start_fraction_ms if given else None
    with gzip.open(recording_of(file.name, file.release), "rt") as recording:
        wall = datetime.fromisoformat(json.loads(recording.readline())["wall"])
    instant = (wall - timedelta(seconds=WARM_SECONDS)).isoformat(timespec="milliseconds")
    return read_epoch_ms(instant.replace("+00:00", "Z"))


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
    given, move = zip(instants, file.given, strict=True), partial(_move, file)
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


def _move(file: ScenarioFile, seconds: float) -> str:
    return f"{round((seconds + WARM_SECONDS) * 1000) + file.start_fraction_ms}ms"


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
