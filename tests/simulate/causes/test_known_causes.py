"""Situations that people who run workloads have reported: a summary says cause, since when, and what comes next.

The inputs are in `inputs/`. What each has to say follows from the source and the documentation of v1.35.
"""

# ruff: noqa: E501 - what a summary says is a line
import re
from pathlib import Path

import pytest

from tests.seeds import first_if
from tests.simulate.running import summarize

INPUTS = Path(__file__).parent / "inputs"
NAME = r"[\w.-]+"
# (input, until when, what the summary says; each a regular expression)
CASES = [
    ("01-surge-blocked-by-host-port", "700s", [
        rf"Deployment default/edge\n  verdict   Exceeded its progress deadline; edge-{NAME}: Unschedulable since 00:01:00"
        r" \(0/1 nodes are available: 1 node\(s\) didn't have free ports for the requested pod ports\)\.",
        "  by itself not whole within 15m 00s",
        r"  would help maxSurge 0, maxUnavailable 1: whole after \d+s",
    ]),
    ("01-surge-blocked-by-host-port", "", ["1 workload: it is well", "Deployment default/edge: Successfully rolled out"]),
    ("03-max-surge-zero-pending-beside-terminating", "70s", [
        r"Rolling out revision 2: 1 out of 3 new replicas have been updated, 1 fewer available than wanted;"
        rf" traefik-{NAME}: Unschedulable since 00:01:00 \(.*didn't match pod anti-affinity rules\)",
        r"  by itself whole after 1m \d\ds\nReplicaSet",
    ]),
    ("04-anti-affinity-as-many-as-nodes", "14m", [
        r"Exceeded its progress deadline; .*: Unschedulable since 00:01:00 \(.*3 node\(s\) didn't match pod anti-affinity rules\)",
        "  by itself not whole within 15m 00s",
        "  would help undo the rollout: whole after",
    ]),
    ("04-anti-affinity-as-many-as-nodes", "", ["1 workload: it is well"]),
    ("06-crash-after-complete", "", [
        rf"Deployment default/api\n  verdict   0 of 2 .*; api-{NAME} and 1 more pod: CrashLoopBackOff, not ready since 00:1\d:\d\d,"
        r" next retry in .*: api ended with exit code 1 \(Error\)",
        r"Progressing True \(NewReplicaSetAvailable\)",
    ]),
    ("07-daemonset-surge-host-port", "5m", [
        r"DaemonSet default/ds\n  verdict   0 out of 3 new pods have been updated; ds-\w+ and 1 more pod: Unschedulable since 00:01:00"
        r" \(.*1 node\(s\) didn't have free ports",
        "  by itself not whole within 15m 00s",
    ]),
    ("11-probes-while-terminating", "50s", [
        "Pod default/web\n  verdict   Ending since 00:00:30; what still runs is killed in 40s, at 00:01:30;"
        r" its readiness probe gives no answer since 00:00:3\d, and the last one stays: a defect of Kubernetes \(kubernetes#140881\)",
    ]),
    ("12-clean-exit-every-minute-backs-off", "60m", [
        rf"tainter-{NAME}: CrashLoopBackOff, not ready since 00:5\d:\d\d, next retry in .*: app ended with exit code 0 \(Completed\)",
    ]),
    ("12-clean-exit-every-minute-backs-off", "130s", [
        rf"tainter-{NAME}: Completed, not ready since 00:02:0\d, next retry in \ds: app ended with exit code 0 \(Completed\)",
        r"Pod default/long-run\n  verdict   Error, not ready since 00:02:0\d: app ended with exit code 1 \(Error\); next start in \ds",
    ]),
    ("12-clean-exit-every-minute-backs-off", "3m", [
        r"not: .*Deployment default/tainter", r"restarted lately, 2 times so far: app ended with exit code 0 \(Completed\) \d+s ago",
    ]),
    ("13-limit-range-default-below-request", "", [
        r"Deployment default/big\n  verdict   .*no pod can be made since 00:00:00 \(Pod .* must be less than or equal to cpu limit of 500m\)",
        r"StatefulSet default/db\n  verdict   .*no pod can be made since 00:00:00 \(Pod .* must be less than or equal to memory limit of 512Mi\)",
        r"Job default/once\n  verdict   .*no pod can be made since 00:00:00 \(Pod .* must be less than or equal to cpu limit of 500m\)",
        "  by itself not whole within 15m 00s",
    ]),
    ("14-quota-wants-limits", "50s", [
        r"no pod can be made since 00:00:00 \(failed quota: compute: must specify limits.cpu for: app,side; limits.memory for: app,side;"
        r" requests.cpu for: app,side\)",
    ]),
    ("14-quota-wants-limits", "", ["1 workload: it is well"]),
    ("16-job-parallel-back-off", "5m", [
        r"0 active, 10 failed; backs off after 10 failures: 10 pods start at 00:10:0\d, in 5m 0\ds; last, error-\w+ failed at 00:00:0\d:"
        r" job ended with exit code 1 \(Error\)",
    ]),
    ("16-job-parallel-back-off", "", [
        r"Failed at 00:10:\d\d: BackoffLimitExceeded: .*; last, error-\w+ failed at 00:10:\d\d: job ended with exit code 1 \(Error\);"
        " nothing will change by itself any more",
    ]),
    ("17-job-random-failures-count", "", [
        r"Failed at .*BackoffLimitExceeded.*random-error ended with exit code 1", "failed 3",
    ]),
    ("19-cron-resume-after-many-missed", "", ["2 workloads: all are well", r"next run at 02:34:00, in 40s; lately: TooManyMissedTimes at 02:30:30"]),
    ("20-cron-replace-overlaps", "170s", ["CronJob default/sync: 1 run active; next run at 00:03:00, in 10s, instead of the active one"]),
    ("21-spread-skewed-by-rollout", "", ["2 workloads: all are well"]),
    ("22-spread-counts-tainted-node", "", [
        rf"Deployment default/dep\n  verdict   3 of 7 .*; dep-{NAME} and 3 more pods: Unschedulable since 00:00:00 \(.*1 node\(s\) had untolerated"
        r" taint\(s\), 3 node\(s\) didn't match pod topology spread constraints\); not tolerated:"
        " node-role.kubernetes.io/control-plane:NoSchedule of control-plane",
        "Deployment default/honor: Successfully rolled out",
    ]),
    ("25-apply-overrides-autoscaler", "", [
        "Deployment default/php\n  verdict   Successfully rolled out; somebody sets its replicas out of the bounds of its autoscaler php,"
        " which put them back 3 times, last at 00:04:",
    ]),
    ("26-autoscaler-during-rolling-update", "", ["1 workload: it is well", "Holds Deployment/svc at 4 replicas; cpu is at 50% of 50%"]),
    ("27-autoscaler-sees-strangers-pods", "4m", [
        r"Deployment default/a\n  verdict   .*its autoscaler a does not scale it: FailedGetResourceMetric \(.*missing request for cpu in"
        rf" container worker of Pod b-{NAME}\)",
        "HorizontalPodAutoscaler default/a\n  verdict   Leaves Deployment/a at 2 replicas",
    ]),
    ("28-namespace-owner-references", "", [
        "ConfigMap other/child-of-nobody\n  verdict   Collected at 00:00:0\\d: its owner ConfigMap parent .* is not there",
        "Pod other/orphan-pod\n  verdict   Collected at 00:00:0\\d: its owner ReplicaSet gone .* is not there",
    ]),
    ("30-apply-ports-of-two-protocols", "", ["2 workloads: all are well"]),
    ("32-job-ends-only-with-its-sidecar", "20s", [
        r"myjob ended with exit code 0 \(Completed\) at 00:00:\d\d; logshipper still runs and is being stopped, with 30s to end",
    ]),
    ("32-job-ends-only-with-its-sidecar", "", ["Job default/myjob: Complete after 4\\ds"]),
    ("33-sidecar-fails-to-start-with-never", "4m", [
        r"Pod default/p\n  verdict   (Error|CrashLoopBackOff), not ready since 00:00:00: proxy ended with exit code 1 \(Error\); next start in",
    ]),
    ("35-node-label-taken-away", "", [
        r"Deployment default/api\n  verdict   .*Unschedulable since 00:02:00 \(.*3 node\(s\) didn't match Pod's node affinity/selector\)",
        r"DaemonSet default/route-reflector: No node is for it; .*not on master-1 \(node selector role=master\)",
    ]),
    ("37-drain-counts-against-a-job", "45s", [
        r"Job default/counted\n  verdict   .*1 failed; it fails when its pods have ended: BackoffLimitExceeded \(.*\) since 00:00:3\d; counted-\w+"
        r" is ending since 00:00:30 \(evicted\), until 00:01:00 at the latest",
        r"Job default/ignored\n  verdict   .*ignored-\w+ is ending since 00:00:30 \(evicted\), until 00:01:00 at the latest",
    ]),
    ("37-drain-counts-against-a-job", "", [
        r"Job default/counted\n  verdict   Failed at 00:01:0\d: BackoffLimitExceeded: .*; last, one was evicted at 00:00:30",
    ]),
    ("38-sub-path-never-updates", "", ["1 workload: it is well"]),
    ("40-rolling-update-with-rwo-volume", "3m", [
        rf"wordpress-{NAME}: FailedAttachVolume since 00:01:00 \(Multi-Attach error for volume \"pvc-{NAME}\" Volume is already used by pod\(s\)"
        rf" wordpress-{NAME}\); next: 1 pod to become available; progress deadline in 8m 0\ds",
        "  would help maxSurge 0, maxUnavailable 1: whole after",
    ]),
    ("41-stateful-set-fix-after-bad-image", "5m", [
        "StatefulSet default/ordered\n  verdict   .*ordered-0: ImagePullBackOff, not ready since 00:00:00 .*ordered-0 is of an older revision,"
        r" and Kubernetes does not replace it by itself \(a defect of Kubernetes, kubernetes#67250\): it has to be deleted",
        "  by itself not whole within 15m 00s\n  would help delete ordered-0: whole after",
        "StatefulSet default/parallel: ",
    ]),
    ("42-vertical-autoscaler-one-replica", "3h", [
        r"VerticalPodAutoscaler default/one\n  verdict   Recommends a: cpu \d+m, memory \w+; evicts nobody: of Deployment/one 1 pod runs, and fewer"
        r" than 2 are left alone \(updatePolicy.minReplicas\)",
        "VerticalPodAutoscaler default/two\n  verdict   Recommends a: .*; evicts pods whose requests are out of its bounds",
    ]),
    ("43-ephemeral-container-in-a-job", "70s", [
        r"Pod default/solo\n  verdict   Not ready since 00:01:\d\d: main ended with exit code 0 \(Completed\) at 00:01:0\d; debugger still runs and is"
        " being stopped, with 20s to end",
    ]),
    ("44-downward-api-amounts", "", ["1 workload: it is well"]),
    ("45-pressure-evicts-and-piles-up", "8m", [
        rf"Deployment default/hog\n  verdict   2 of 3 .*; hog-{NAME}: Unschedulable since 00:0\d:\d\d .*; not tolerated:"
        r" node.kubernetes.io/memory-pressure:NoSchedule of node-1; 2 pods were ended by the kubelet, last at 00:07:\d\d \(The node was low on"
        " resource: memory",
        r"  by itself whole after \dm",
    ]),
    ("47-cron-at-the-change-of-clocks", "35m", ["CronJob default/backup: No run is active; next run at 01:30:00, in 55m 00s"]),
    ("48-graceful-shutdown-cuts-the-grace", "2m", [
        rf"Deployment default/web\n  verdict   .*not well; web-{NAME}: its node node-1 is not ready since 00:01:00 \(node is shutting down\);"
        " it is deleted when that has lasted 5m 00s",
    ]),
    ("48-graceful-shutdown-cuts-the-grace", "", [
        rf"web-{NAME}: Terminated, .* \(Pod was terminated in response to imminent node shutdown\)",
    ]),
    ("49-service-selects-nothing", "", [
        r"Service default/web\n  verdict   Selects no pod \(app=wbe: did you mean app=web\?\); every connection to it is refused",
        r"Service default/wrong-port\n  verdict   Names the port htttp, which none of its pods has \(did you mean http\?\)",
    ]),
    ("50-liveness-kills-a-slow-start", "", [
        rf"java-{NAME}: CrashLoopBackOff, not ready since 00:0\d:\d\d, next retry in .*: app ended with exit code 143 \(Error, SIGTERM\) because its"
        r" liveness probe failed \(.*connection refused\)",
        r"  would help initialDelaySeconds \d+ for the liveness probe of app: whole after \d+s, no restart in the next hour",
    ]),
    ("51-namespace-cannot-go", "2m", [
        r"Namespace shop\n  verdict   Cannot go since 00:01:\d\d \(.*example.com/protect in 1 resource instances\): held by ConfigMap held \(example.com/protect\)",
    ]),
    ("54-rollout-drops-requests", "", [r"Deployment default/plain: Successfully rolled out, if example/echo:1 can be pulled and starts"]),
    ("56-grace-zero-in-the-spec", "3m", [
        r"StatefulSet default/db\n  verdict   .*db-0: its node node-1 is not ready since 00:01:4\d \(Kubelet stopped posting node status\); it is deleted"
        " when that has lasted 5m 00s",
    ]),
    ("57-sandbox-cannot-be-made", "", [
        rf"Deployment default/web\n  verdict   .*web-{NAME}: FailedCreatePodSandBox since 00:00:0\d \(Failed to create pod sandbox: .*\); next:"
        " 1 pod to become available; progress deadline in",
        r"Deployment default/gates\n  verdict   .*SchedulingGated: not to be scheduled before the gate example.com/quota of it is taken off",
        r"Pod default/gated\n  verdict   Pending since 00:00:00: SchedulingGated: .*somebody has to fix it",
    ]),
    ("60-kubectl-rollout-refusals", "", ["3 workloads: all are well", "StatefulSet default/od: All pods are of the latest revision"]),
    ("61-kubectl-wait-for-a-job-that-goes", "15s", [r"Job default/quick: Complete after \ds; it is deleted in \ds"]),
]  # fmt: skip


# Takes as long as all others; what becomes of requests is claimed in `test_request_remedies`.
LONG = ("54-rollout-drops-requests",)


def test_every_input_is_tried():
    assert {path.stem for path in INPUTS.glob("*.yaml")} == {name for name, _, _ in CASES}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, until, expected",
    first_if(
        lambda row: row.id not in LONG,
        (pytest.param(*case, id=f"{case[0]}{f' at {case[1]}' if case[1] else ''}") for case in CASES),
    ),
)
def test_a_summary_names_the_cause_since_when_and_what_comes_next(name, until, expected):
    told = summarize((INPUTS / f"{name}.yaml").read_text(), until)
    assert [one for one in expected if not re.search(one, told)] == [], told
