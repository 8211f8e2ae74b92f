"""More of the kinds of trouble that a summary names: other workloads, containers, probes, volumes, refusals."""

# ruff: noqa: E501 - a line of a manifest is a line
import re

import pytest

from tests.simulate.causes.test_causes import APP, POD, SELECT, job, scenario, workload
from tests.simulate.running import summarize

pytestmark = pytest.mark.slow

SH = "image: busybox, command: [sh, -c, '%s']"
NAME = r"[\w.-]+"


def kept(kind: str, pod: str, more: str = SELECT, meta: str = "") -> str:
    return workload(kind, pod, more, meta)


def cron(pod: str) -> str:
    spec = f"{{restartPolicy: Never, {pod}}}"
    return (
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: web}\nspec: {schedule: '* * * * *', jobTemplate: {spec:"
        f" {{backoffLimit: 0, template: {{spec: {spec}}}}}}}}}\n"
    )


def other(kind: str, spec: str, name: str = "x", api: str = "v1") -> str:
    return f"---\napiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n"


BAD_PULL = (
    "---\napiVersion: podline.dev/v1alpha1\nkind: ContainerProfile\nmetadata: {name: bad}\nspec: {match: {image: 'shop/*'},"
    " behavior: {pull: {error: ErrImagePull}}}\n"
)
GREEDY = "containers: [{name: app, image: 'nginx:1.25', resources: {requests: {cpu: '9'}}}]"
HALF = "containers: [{name: app, image: 'nginx:1.25', resources: {requests: {cpu: '2'}}}]"
QUOTA = "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: small}\nspec: {hard: {pods: '1'}}\n"
BUDGET = other(
    "PodDisruptionBudget", "minAvailable: 1, selector: {matchLabels: {app: web}}", "keep", "policy/v1"
)
NOSUCH = "env: [{name: A, valueFrom: {configMapKeyRef: {name: nosuch, key: a}}}]"
CLAIM = f"{APP}, volumes: [{{name: d, persistentVolumeClaim: {{claimName: nosuch}}}}]"
FAILS = "{%sProbe: {exec: {command: [sh, -c, 'echo no; exit 1']}, periodSeconds: 5, failureThreshold: 2}, name: app, image: busybox, command: [sleep, '9999']}"


@pytest.mark.parametrize(
    "text, until, expected",
    [
        pytest.param(
            kept("StatefulSet", f"initContainers: [{{name: setup, {SH % 'sleep 1; exit 3'}}}], {APP}"), "3m",
            r"web-0: (Error|CrashLoopBackOff), not ready since 00:0\d:\d\d, next retry .*: setup ended with exit code 3 \(Error\)",
            id="an init container that fails, StatefulSet",
        ),
        pytest.param(
            kept("DaemonSet", f"initContainers: [{{name: proxy, restartPolicy: Always, {SH % 'sleep 2; exit 0'}}}], {APP}"), "2m",
            r"web-\w+ and 2 more pods: (Completed|CrashLoopBackOff), .*next retry .*: proxy ended with exit code 0 \(Completed\)",
            id="a sidecar that ends well again and again, DaemonSet",
        ),
        pytest.param(
            kept("ReplicaSet", f"initContainers: [{{name: setup, image: 'shop/setup:1'}}], {APP}") + BAD_PULL, "30s",
            r"web-\w+: (ErrImagePull|ImagePullBackOff), not ready since 00:00:00 \(.*shop/setup:1",
            id="an init container's image, ReplicaSet",
        ),
        pytest.param(
            kept("ReplicaSet", f"containers: [{FAILS % 'readiness'}]"), "2m",
            r"web-\w+: the readiness probe of app fails since 00:00:\d\d \(no\).*nothing will change by itself until it passes",
            id="a readiness probe by exec, ReplicaSet",
        ),
        pytest.param(
            kept("DaemonSet", f"containers: [{FAILS % 'startup'}]"), "5m",
            r"app ended with exit code 137 \(Error, SIGKILL\) because its startup probe failed \(no\)|the startup probe of app fails since .* \(no\)",
            id="a startup probe by exec, DaemonSet",
        ),
        pytest.param(
            kept("ReplicationController", f"containers: [{FAILS % 'liveness'}]", "selector: {app: web}").replace("apps/v1", "v1"), "5m",
            r"app ended with exit code 137 \(Error, SIGKILL\) because its liveness probe failed \(no\)",
            id="a liveness probe by exec, ReplicationController",
        ),
        pytest.param(
            kept("Deployment", "containers: [{name: app, image: 'nginx:1.25', lifecycle: {postStart: {exec: {command: ['false']}}}}]"), "2m",
            "PostStartHookError|FailedPostStartHook", id="a hook behind the start",
        ),
        pytest.param(
            kept("StatefulSet", f"containers: [{{name: app, image: 'nginx:1.25', {NOSUCH}}}]"), "1m",
            r'web-0: CreateContainerConfigError, not ready since 00:00:00 \(configmap "nosuch" not found\)',
            id="a ConfigMap that an environment asks for",
        ),
        pytest.param(
            kept("DaemonSet", CLAIM), "1m",
            r'Unschedulable since 00:00:00 \(.*persistentvolumeclaim "nosuch" not found', id="a claim that is not there",
        ),
        pytest.param(
            kept("StatefulSet", APP, f"{SELECT}\n  replicas: 3") + QUOTA, "1m",
            r"no more pods can be made since 00:00:\d\d \(exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1\)",
            id="a quota that lets one pod in",
        ),
        pytest.param(
            kept("DaemonSet", f"{APP}, serviceAccountName: robot"), "1m",
            r'no pod can be made since 00:00:00 \(error looking up service account default/robot: serviceaccount "robot" not found\)',
            id="an account that is not there",
        ),
        pytest.param(
            kept("ReplicaSet", f"{APP}, priorityClassName: vip"), "1m",
            r"no pod can be made since 00:00:00 \(no PriorityClass with name vip was found\)", id="a priority that is not there",
        ),
        pytest.param(
            job(f"containers: [{{name: app, {SH % 'sleep 900'}}}]", activeDeadlineSeconds=30), "2m",
            r"Failed at 00:0\d:\d\d: DeadlineExceeded: Job was active longer than specified deadline", id="a Job's deadline",
        ),
        pytest.param(
            job(f"containers: [{{name: app, {SH % 'sleep 2; exit 42'}}}]",
                podFailurePolicy="{rules: [{action: FailJob, onExitCodes: {operator: In, values: [42]}}]}"), "1m",
            r"Failed at 00:00:\d\d: PodFailurePolicy: Container app for pod .* failed with exit code 42 matching FailJob rule at index 0;"
            r" last, web-\w+ failed at 00:00:\d\d: app ended with exit code 42 \(Error\)",
            id="a Job's failure policy",
        ),
        pytest.param(
            job(f"containers: [{{name: app, {SH % 'sleep 2; exit 5'}}}]", completionMode="Indexed", completions=3, parallelism=3,
                backoffLimitPerIndex=0), "1m",
            r"Failed at 00:00:\d\d: FailedIndexes: Job has failed indexes \(0-2\); last, web-\d-\w+ failed at .*exit code 5",
            id="indexes of a Job",
        ),
        pytest.param(
            cron(f"containers: [{{name: app, {SH % 'sleep 2; exit 5'}}}]"), "100s",
            r"CronJob default/web.*its last run, web-\d+, failed at 00:01:\d\d: BackoffLimitExceeded", id="the last run of a CronJob",
        ),
        pytest.param(
            cron("containers: [{name: app, image: 'shop/batch:1'}]") + BAD_PULL, "100s",
            r"Job default/web-\d+\n  verdict   .*1 active.*: (ErrImagePull|ImagePullBackOff), not ready since 00:01:\d\d", id="the image of a CronJob's run",
        ),
        pytest.param(
            kept("Deployment", APP) + BUDGET + scenario("5m", "{at: 50s, drain: {node: node-1}}, {at: 50s, drain: {node: node-2}}, {at: 50s, drain: {node: node-3}}"), "",
            rf"the eviction of web-{NAME} is refused since 00:00:50 by budget keep", id="a drain that a budget holds up",
        ),
        pytest.param(
            kept("DaemonSet", APP) + scenario("5m", "{at: 50s, fault: {node: node-2, kind: kubeletDown, for: 10m}}"), "",
            r"DaemonSet default/web\n  verdict   .*web-\w+: its node node-2 is not ready since 00:01:\d\d \(Kubelet stopped posting node status\)",
            id="a kubelet that is down",
        ),
        pytest.param(
            kept("StatefulSet", APP) + scenario("5m", "{at: 50s, cordon: {node: node-1}}, {at: 50s, cordon: {node: node-2}}, {at: 50s, cordon: {node: node-3}}, {at: 1m, delete: {kind: Pod, name: web-0}}"), "",
            r"web-0: Unschedulable since 00:01:0\d \(0/3 nodes are available: 3 node\(s\) were unschedulable\)", id="cordoned nodes",
        ),
        pytest.param(
            kept("Deployment", APP, meta=", finalizers: [example.com/keep]") + scenario("5m", "{at: 1m, rollout: {restart: deployment/web}}"), "",
            r"web-\w+-\w+: ending since 00:01:0\d and still there: held by the finalizer example.com/keep", id="a finalizer of a pod",
        ),
        pytest.param(
            kept("Deployment", GREEDY), "1m",
            r"Unschedulable since 00:00:00 \(0/3 nodes are available: 3 Insufficient cpu\)", id="no node is so large",
        ),
        pytest.param(
            kept("StatefulSet", HALF) + scenario("3m", "{at: 40s, apply: {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: vip}, value: 9}},"
            " {at: 1m, apply: {apiVersion: v1, kind: Pod, metadata: {name: vip}, spec: {priorityClassName: vip, containers: [{name: a, image: nginx, resources: {requests: {cpu: '3'}}}]}}}", nodes=1), "",
            r"StatefulSet default/web\n  verdict   .*web-0: Unschedulable since 00:01:0\d .*1 pod was preempted for pods of a higher priority, last at 00:01:0\d",
            id="a StatefulSet's pod that was preempted",
        ),
        pytest.param(
            POD % f"restartPolicy: Never, containers: [{{name: app, {SH % 'sleep 2; exit 7'}}}]", "1m",
            r"Pod default/one\n  verdict   Failed at 00:00:0\d, Error.*; nothing will change by itself", id="a pod alone that fails for good",
        ),
        pytest.param(
            POD % f"activeDeadlineSeconds: 20, {APP}", "1m",
            r"Pod default/one\n  verdict   Failed at 00:00:\d\d, DeadlineExceeded: Pod was active on the node longer than the specified deadline",
            id="a pod alone with a deadline",
        ),
        pytest.param(
            POD % "containers: [{name: app, image: 'shop/none:1', imagePullPolicy: Never}]", "1m",
            r"Pod default/one\n  verdict   ErrImageNeverPull, not ready since 00:00:00: .*somebody has to fix it", id="an image that is never pulled",
        ),
        pytest.param(
            kept("Deployment", APP, "replicas: 1\n  paused: true\n  selector: {matchLabels: {app: web}}"), "1m",
            "Deployment default/web\n  verdict   Paused", id="a Deployment that is paused from the start",
        ),
        pytest.param(
            other("HorizontalPodAutoscaler", "maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: nosuch}", "web", "autoscaling/v2"), "1m",
            r'HorizontalPodAutoscaler default/web\n  verdict   Cannot scale Deployment/nosuch: .*deployments.* "nosuch" not found', id="an autoscaler of nothing",
        ),
        pytest.param(
            kept("Deployment", APP) + other("PodDisruptionBudget", "minAvailable: 1, selector: {matchLabels: {app: wbe}}", "keep", "policy/v1"), "1m",
            r"PodDisruptionBudget default/keep\n  verdict   Selects no pod \(app=wbe: did you mean app=web\?\); it keeps nothing", id="a budget of nobody",
        ),
        pytest.param(
            kept("StatefulSet", APP, f"{SELECT}\n  replicas: 2\n  updateStrategy: {{type: OnDelete}}")
            + scenario("3m", "{at: 1m, setImage: {statefulset: web, container: app, image: 'nginx:1.26'}}"), "",
            "StatefulSet default/web: 2 pods of an older revision stay until somebody deletes them", id="a set that is updated by hand",
        ),
        pytest.param(
            kept("Deployment", APP, f"{SELECT}\n  replicas: 2") + scenario("10m", "{at: 1m, fault: {node: node-1, kind: partition, for: 30m}}"), "",
            r"1 pod was evicted from a node with a taint that they do not tolerate, last at 00:06:\d\d", id="a taint drives a pod away",
        ),
    ],
)  # fmt: skip
def test_the_summary_says_what_keeps_it(text, until, expected):
    told = summarize(text, until)
    assert re.search(expected, told), told
