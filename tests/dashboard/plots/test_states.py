"""The states of the timeline are the engine's: a rollout, crashes, an end and a pod that no node takes."""

from __future__ import annotations

from dashboard.plots.stories import Stories
from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.engine.rules.pods.state import decide_state
from tests.texts import read_manifests

MANIFESTS = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: app
        image: nginx:1
        readinessProbe: {httpGet: {path: /, port: 80}, initialDelaySeconds: 2, periodSeconds: 1}
        lifecycle: {preStop: {exec: {command: [sleep, "3"]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: crashing, namespace: default}
spec:
  containers:
  - {name: app, image: busybox, command: [sh, -c, "sleep 3; exit 1"]}
---
apiVersion: v1
kind: Pod
metadata: {name: once, namespace: default}
spec:
  restartPolicy: Never
  initContainers:
  - {name: prepare, image: busybox, command: [sleep, "2"]}
  containers:
  - {name: work, image: busybox, command: [sleep, "4"]}
---
apiVersion: v1
kind: Pod
metadata: {name: nowhere, namespace: default}
spec:
  nodeSelector: {disk: none}
  containers:
  - {name: app, image: nginx:1}
"""


def run():
    """Rows and versions."""
    cluster = Cluster(seed=3, epoch_ms=1_767_225_600_000, settings=Settings())
    for number, document in enumerate(read_manifests(MANIFESTS)):
        assert cluster.submit(Command(id=f"c{number}", kind="apply", payload={"object": document.data})).ok
    cluster.run_until(40_000)
    target = {"kind": "Deployment", "namespace": "default", "name": "web", "container": "app"}
    assert cluster.submit(Command(id="image", kind="setImage", payload=target | {"image": "nginx:2"})).ok
    cluster.run_until(120_000)
    return cluster.take_changes()


def test_the_timeline_shows_the_states_that_the_versions_have():
    changes = run()
    stories = Stories()
    for row in map(row_to_json, changes.rows):
        if row["type"] == "transition":
            stories.feed(row)
    # What the last write of each instant left is what a person could see.
    decided = {}
    for version in changes.versions:
        if version.new.kind.name == "Pod" and version.type != "DELETED":
            decided[version.new.meta.uid, version.at_ms] = decide_state(version.new).name
    seen = {
        (uid, at_ms): next(
            span.tone.name for span in reversed(stories.by_uid[uid].spans) if span.start_ms <= at_ms
        )
        for uid, at_ms in decided
    }
    assert seen == decided
    assert set(decided.values()) == {
        *("pending", "starting", "notReady", "ready", "crashing", "stuck", "terminating", "succeeded")
    }
