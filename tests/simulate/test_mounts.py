"""Pods wait for the ConfigMaps and Secrets they mount, and look again as the kubelet does."""

import pytest

from lifecycle.engine.kubelet.starting.mounts import next_try_ms
from lifecycle.simulation.plan import make_plan
from tests.simulate.running import run_plan
from tests.texts import read_manifests

POD = """
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers: [{name: app, image: "sim/server:1", volumeMounts: [{name: v, mountPath: /v}]}]
  volumes: [{name: v, SOURCE}]
---
"""
SCENARIO = """
apiVersion: podline.dev/v1alpha1
kind: Scenario
metadata: {name: s}
spec:
  timing: instant
  steps:
  - {at: 10s, apply: {apiVersion: v1, kind: KIND, metadata: {name: late}, data: {}}}
  until: 60s
"""


@pytest.mark.parametrize(
    "source, kind, is_waiting",
    [
        ("configMap: {name: late}", "ConfigMap", True),
        ("secret: {secretName: late}", "Secret", True),
        ("projected: {sources: [{configMap: {name: late}}]}", "ConfigMap", True),
        ("configMap: {name: late, optional: true}", "ConfigMap", False),
    ],
)
def test_a_pod_waits_for_what_it_mounts(source, kind, is_waiting):
    text = POD.replace("SOURCE", source) + SCENARIO.replace("KIND", kind)
    lanes = run_plan(make_plan(read_manifests(text))).lanes()["a"]
    # Tries are at 0, 0.5, 1.5, 3.5, 7.5 and 15.5 s.
    assert lanes["starts app"] == [(15.5 if is_waiting else 0.0, "")]
    assert ("FailedMount" in [reason for _, reason in lanes["events"]]) is is_waiting


@pytest.mark.parametrize(
    "now_ms, expected", [(0, 500), (500, 1500), (1499, 1500), (120_000, 127_500), (127_500, 249_500)]
)
def test_pauses_double_up_to_two_minutes(now_ms, expected):
    assert next_try_ms(0, now_ms) == expected


def test_a_pod_without_its_claim_is_not_scheduled_until_the_claim_is_made():
    claim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: late},"
    claim += " spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}"
    step = f"  - {{at: 10s, apply: {claim}}}\n"
    text = POD.replace("SOURCE", "persistentVolumeClaim: {claimName: late}")
    text += SCENARIO.replace(next(line for line in SCENARIO.splitlines(True) if "apply" in line), step)
    run = run_plan(make_plan(read_manifests(text)))
    lanes = run.lanes()["a"]
    assert lanes["condition.PodScheduled"] == [(0.0, "False/Unschedulable"), (10.0, "True")]
    assert lanes["starts app"] == [(10.0, "")]
    (message,) = [row["message"] for row in run.rows if row.get("reason") == "FailedScheduling"]
    assert message.startswith('0/3 nodes are available: persistentvolumeclaim "late" not found.')


def test_a_pod_may_not_run_as_an_account_that_is_not_there():
    pod = POD.replace("SOURCE", "emptyDir: {}").replace(
        "  containers:", "  serviceAccountName: robot\n  containers:"
    )
    refused = run_plan(make_plan(read_manifests(pod))).outcome.refusals
    assert refused == (
        'Pod a was refused: pods "a" is forbidden: error looking up service account default/robot: '
        'serviceaccount "robot" not found',
    )
    account = "---\n{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot}}\n---\n"
    assert run_plan(make_plan(read_manifests(account + pod))).outcome.refusals == ()
