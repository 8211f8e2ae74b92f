"""The summary of a run says the cause, since when, and what comes next, whatever the cause."""

# ruff: noqa: E501 - a line of a manifest is a line
import re

import pytest

from tests.simulate.running import summarize


def scenario(until: str, steps: str = "", nodes: int = 3) -> str:
    return f"""
---
apiVersion: podline.dev/v1alpha1
kind: Scenario
metadata: {{name: trial}}
spec: {{nodes: {{count: {nodes}}}, until: {until}, steps: [{steps}]}}
"""


def workload(kind: str, pod: str, more: str = "", meta: str = "", api: str = "apps/v1") -> str:
    return f"""
apiVersion: {api}
kind: {kind}
metadata: {{name: web}}
spec:
  {more}
  template:
    metadata: {{labels: {{app: web}}{meta}}}
    spec: {{{pod}}}
"""


SELECT = "selector: {matchLabels: {app: web}}"
APP = "containers: [{name: app, image: 'nginx:1.25'}]"
CRASH = "containers: [{name: app, image: busybox, command: [sh, -c, 'sleep 2; exit 3']}]"
DEPLOYMENTS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")


def each(pod: str, meta: str = "") -> list[str]:
    return [workload(kind, pod, SELECT, meta) for kind in DEPLOYMENTS]


def job(pod: str, **spec: object) -> str:
    fields = "\n  ".join(f"{name}: {value}" for name, value in spec.items())
    return workload("Job", f"restartPolicy: Never, {pod}", fields, api="batch/v1")


CASES = [
    ("a readiness gate that nobody sets", each(f"{APP}, readinessGates: [{{conditionType: example.com/lb}}]"), "2m",
     r"ReadinessGatesNotReady \(.*example.com/lb"),
    ("a scheduling gate", each(f"{APP}, schedulingGates: [{{name: example.com/quota}}]"), "2m",
     "SchedulingGated: not to be scheduled before the gate example.com/quota of it is taken off"),
    ("a scheduler that is not there", each(f"{APP}, schedulerName: volcano"), "2m",
     "no scheduler looks at it: is there one named volcano\\?"),
    ("a crash", each(CRASH), "3m", r"(CrashLoopBackOff|Error), not ready since 00:0\d:\d\d.*: app ended with exit code 3"),
    ("a secret that is not there",
     each("containers: [{name: app, image: 'nginx:1.25', volumeMounts: [{name: key, mountPath: /key}]}],"
          " volumes: [{name: key, secret: {secretName: nosuch}}]"), "2m",
     'a volume cannot be mounted since .*secret "nosuch" not found'),
    ("a secret of a volume that no container mounts",
     each(f"{APP}, volumes: [{{name: key, secret: {{secretName: nosuch}}}}]"), "2m", "if Secret nosuch is there"),
    ("a node that no pod fits", each(f"{APP}, nodeSelector: {{gpu: 'true'}}"), "2m", "Unschedulable|No node is for it"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "manifest, until, expected",
    [
        pytest.param(manifest, until, expected, id=f"{name}, {kind}")
        for name, manifests, until, expected in CASES
        for kind, manifest in zip(DEPLOYMENTS, manifests, strict=True)
    ],
)
def test_every_workload_says_what_keeps_its_pods(manifest, until, expected):
    told = summarize(manifest + scenario(until))
    kind = re.search(r"kind: (\w+)", manifest)[1]
    verdict = re.search(rf"^{kind} default/web(?:\n  verdict   |: )(.*)$", told, re.M)[1]
    assert re.search(expected, verdict, re.I), verdict


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec: {%s}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text, expected",
    [
        pytest.param(
            job(CRASH, parallelism=3, completions=3, backoffLimit=9) + scenario("20s"),
            r"0 active, 3 failed; backs off after 3 failures: 3 pods start at 00:00:4\d, in \d\ds",
            id="a Job that backs off",
        ),
        pytest.param(
            job(
                "terminationGracePeriodSeconds: 60, initContainers: [{name: proxy, image: busybox,"
                " restartPolicy: Always, command: [sh, -c, 'trap : TERM; while true; do sleep 1; done']}],"
                " containers: [{name: app, image: busybox, command: [sleep, '3']}]"
            )
            + scenario("20s"),
            r"app ended with exit code 0 \(Completed\) at 00:00:\d\d; proxy still runs and is being stopped",
            id="a Job that waits for its sidecar",
        ),
        pytest.param(
            POD % f"{APP}, schedulingGates: [{{name: example.com/quota}}]" + scenario("1m"),
            r"Pod default/one\n  verdict   Pending since 00:00:00: SchedulingGated",
            id="a pod alone",
        ),
        pytest.param(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: child, ownerReferences: [{apiVersion: v1, kind:"
            " ConfigMap, name: parent, uid: 11111111-2222-4333-8444-555555555555}]}\n" + scenario("1m"),
            r"ConfigMap default/child\n  verdict   Collected at 00:00:00: its owner ConfigMap parent",
            id="an orphan",
        ),
        pytest.param(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {storageClassName: nosuch,"
            " accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n" + scenario("1m"),
            r"PersistentVolumeClaim default/data\n  verdict   Lately: ProvisioningFailed at",
            id="a claim that nobody fills",
        ),
        pytest.param(
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec:"
            " {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, metrics: [{type:"
            " Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}\n---"
            + workload("Deployment", APP, SELECT)
            + scenario("2m"),
            r"Deployment default/web\n  verdict   .*its autoscaler web does not scale it: FailedGetResourceMetric; there are"
            r" metrics of its pods where `usage` of a behaviour says what they use, or podline.dev/load of a",
            id="an autoscaler that cannot reckon",
        ),
        pytest.param(
            "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n---"
            + workload(
                "Deployment",
                "containers: [{name: app, image: nginx, resources: {requests: {cpu: '3'}}}]",
                SELECT,
            )
            + scenario(
                "2m",
                "{at: 30s, apply: {apiVersion: v1, kind: Pod, metadata: {name: vip}, spec: {priorityClassName: high,"
                " containers: [{name: app, image: nginx, resources: {requests: {cpu: '3'}}}]}}}",
                nodes=1,
            ),
            r"1 pod was preempted for pods of a higher priority, last at 00:00:30",
            id="a pod that was preempted",
        ),
    ],
)
def test_the_summary_says_what_keeps_it(text, expected):
    told = summarize(text)
    assert re.search(expected, told), told


def test_what_restarts_again_and_again_is_not_called_well_while_it_is_up():
    """An end at the memory limit each half minute: at 150 s it is ready, and was not 43 s before."""
    usage = "usage: [{at: 0s, memory: 40Mi}, {at: 30s, memory: 90Mi}]"
    grows = f", annotations: {{podline.dev/behavior: 'app: {{{usage}}}'}}"
    pod = "containers: [{name: app, image: 'sim/server:1', resources: {limits: {memory: 64Mi}}}]"
    told = summarize(workload("Deployment", pod, SELECT, grows) + scenario("150s"))
    assert told.splitlines()[0] == "1 workload: none is well; not: Deployment default/web"
    assert "readyReplicas 1" in told


@pytest.mark.parametrize(
    "until, restarts", [("35s", 2), ("3m", 1)], ids=["while it begins", "when it has begun"]
)
def test_restarts_are_counted_as_kubectl_counts_them(until, restarts):
    """Those of init containers until all are done, and then those of containers and sidecars alone."""
    runs = "i: {runs: [{for: 2s, exit: 1}, {for: 2s, exit: 1}, {for: 40s, exit: 0}]}, app: {runs: [{for: 30s, exit: 1}, {forever: true}]}"
    told = summarize(
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: one, annotations: {{podline.dev/behavior: '{{{runs}}}'}}}}\nspec:"
        " {initContainers: [{name: i, image: 'own/i:1'}], containers: [{name: app, image: 'own/a:1'}]}\n",
        until,
    )
    assert f", restarts {restarts}" in told, told
