"""A cluster of our own with known times is run, dumped as kubectl does, and measured: the times come back.

And what comes back is run again.
"""

from __future__ import annotations

import json
from typing import Any

import yaml
from jsonschema import Draft7Validator

from lifecycle.calibration.dumps import read_dump
from lifecycle.calibration.measure import measure
from lifecycle.calibration.writing import write_profiles
from lifecycle.engine.objects.names import MEASURED
from lifecycle.engine.objects.times import format_time
from lifecycle.input.json_schemas import make_json_schema
from lifecycle.input.manifests import read_documents
from lifecycle.simulation import Overrides, make_plan
from tests.simulate.running import run_plan
from tests.texts import read_manifests

MANIFESTS = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  replicas: 6
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec:
      containers:
      - name: app
        image: shop/api:1.4
        readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker}
spec:
  replicas: 2
  selector: {matchLabels: {app: worker}}
  template:
    metadata: {labels: {app: worker}}
    spec: {containers: [{name: app, image: shop/worker:2}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: app, image: shop/migrate:3}]}
"""
KNOWN = """
---
apiVersion: podline.dev/v1alpha1
kind: ContainerProfile
metadata: {name: api}
spec:
  match: {image: "shop/api:*"}
  behavior: {pull: {takes: 4s}, start: {takes: 700ms}, listens: {after: 9s}}
---
apiVersion: podline.dev/v1alpha1
kind: ContainerProfile
metadata: {name: worker}
spec:
  match: {image: "shop/worker:*"}
  behavior: {pull: {takes: 2500ms}, runs: [{for: 6s, exit: 3}]}
---
apiVersion: podline.dev/v1alpha1
kind: ContainerProfile
metadata: {name: migrate}
spec:
  match: {image: "shop/migrate:*"}
  behavior: {runs: [{for: 12s, exit: 0}]}
"""


def run_for_three_minutes(text: str) -> Any:
    plan = make_plan(read_manifests(f"{text}\n---\nkind: Scenario\napiVersion: podline.dev/v1alpha1\n"
                                    "spec: {until: 3m}\n"), Overrides())  # fmt: skip
    return run_plan(plan), plan.epoch_ms


def dump(text: str) -> list[dict[str, Any]]:
    """Pods and events as `kubectl get pods,events -o json` writes them; of a series the last row counts."""
    run, epoch_ms = run_for_three_minutes(text)
    last = {row["eventId"]: row for row in run.rows if row["type"] == "event" and row["kind"] == "Pod"}
    events = [
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"namespace": row["namespace"], "name": f"{row['name']}.{place}"},
            "involvedObject": {key: row[key] for key in ("kind", "namespace", "name", "uid", "fieldPath")},
            "reason": row["reason"],
            "message": row["message"],
            "source": {"component": row["source"]},
            "firstTimestamp": format_time(row["first_ms"], epoch_ms),
            "lastTimestamp": format_time(row["last_ms"], epoch_ms),
            "count": row["count"],
        }
        for place, row in enumerate(last.values())
    ]
    return [*run.cluster.list("Pod"), *events]


def calibrate(text: str) -> tuple[dict[str, Any], str]:
    """By image what was measured, and the profiles that are written."""
    items = json.dumps({"apiVersion": "v1", "kind": "List", "items": dump(text)})
    found = read_dump(read_documents(items))
    assert found.problems == ()
    measured = measure(found)
    return {one.image: one for one in measured}, write_profiles(found, measured)


def test_known_times_are_found_again_and_can_be_run():
    measured, written = calibrate(MANIFESTS + KNOWN)
    api, worker = measured["shop/api:1.4"], measured["shop/worker:2"]
    # To the millisecond: messages say so.
    assert {(one.low_ms, one.high_ms) for one in api.pulls} == {(4000, 4000)}
    assert {(one.low_ms, one.high_ms) for one in worker.pulls} == {(2500, 2500)}
    assert len(api.starts) == len(api.readies) == 6
    assert all(one.low_ms <= 700 <= one.high_ms and one.width_ms <= 2000 for one in api.starts)
    # A period of 1 s, and two times in whole seconds.
    assert all(one.low_ms <= 9000 <= one.high_ms and one.width_ms <= 3000 for one in api.readies)
    profiles = {one["spec"]["match"]["image"]: one for one in yaml.safe_load_all(written) if one}
    (runs,) = profiles["shop/worker:2"]["spec"]["behavior"]["runs"]
    assert (runs["exit"], runs["for"]) == (3, "5001ms..6999ms")
    (ends,) = profiles["shop/migrate:3"]["spec"]["behavior"]["runs"]
    assert (ends["exit"], ends["for"]) == (0, "11001ms..12999ms")
    assert "ready 6 samples" in profiles["shop/api:1.4"]["metadata"]["annotations"][MEASURED]

    again, _ = calibrate(MANIFESTS + "\n---\n" + written)
    readies = again["shop/api:1.4"].readies
    assert {(one.low_ms, one.high_ms) for one in again["shop/api:1.4"].pulls} == {(4000, 4000)}
    # Within what the profile leaves open, and the resolution of the dump.
    assert all(one.low_ms >= 9000 - 6000 and one.high_ms <= 9000 + 6000 for one in readies)


def test_profiles_are_what_their_schema_says():
    _, written = calibrate(MANIFESTS + KNOWN)
    validator = Draft7Validator(make_json_schema("ContainerProfile"))
    profiles = [one for one in yaml.safe_load_all(written) if one]
    assert len(profiles) == 3
    assert [error.message for one in profiles for error in validator.iter_errors(one)] == []
