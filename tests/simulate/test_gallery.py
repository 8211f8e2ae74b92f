"""Every scenario of the gallery: its claims hold, and its lanes are those of the specification, to the ms."""

import pytest

from lifecycle.simulation.stories import find_story, list_stories
from tests.seeds import first_if, one_in
from tests.simulate.running import plan_of, run_file, run_plan
from tests.timing import MIDDLE

pytestmark = pytest.mark.slow

SCENARIOS = list(list_stories())
# What the engine does not do yet. Strict: a scenario that begins to pass has to leave this list.
NOT_YET = {}
# Requirements whose observable is a lane of the scenario.
SHOWN = {
    "static-control-plane": ("STATIC-05",),
    "crash-loop-application-error": ("RESTART-10",),
    "crash-loop-wrong-variable": ("RESTART-10",),
    "crash-loop-missing-file": ("RESTART-10",),
    "crash-loop-out-of-memory": ("RESTART-10",),
    "crash-loop-slow-to-serve": ("RESTART-10",),
    "crash-loop-liveness-probe": ("RESTART-10",),
    "crash-loop-startup-probe": ("RESTART-10",),
    "s06-restart-all-containers": ("RALL-09",),
    "s10-readiness-gate": ("RGATE-08", "RGATE-09", "COND-13"),
    "s12-stop-signal": ("STOPSIG-03",),
    "s12-image-stop-signal": ("STOPSIG-01",),
    "s12-default-stop-signal": ("STOPSIG-02",),
    "s16-forced-node-unreachable": ("FORCE-08",),
    "s23-disk-failure": ("NODELOSS-09",),
    "s24-node-cut-off": (
        "NODELOSS-01",
        "NODELOSS-02",
        "NODELOSS-03",
        "NODELOSS-04",
        "NODELOSS-05",
        "NODELOSS-06",
        "NODELOSS-07",
        "POD-LIFE-11",
        "DCOND-03",
        "COND-15",
    ),
    "s24-node-returns-late": ("NODELOSS-08", "POD-LIFE-13"),
    "s24-node-returns-early": ("NODELOSS-04",),
    "s24-out-of-service": ("PODGC-05", "NODELOSS-06"),
    "node-graceful-shutdown": ("DCOND-06",),
    "s37-finished-pods": ("PODGC-02", "PODGC-08"),
    "s37-node-deleted": ("PODGC-03", "PODGC-06", "PODGC-07", "PODGC-09", "DCOND-05", "DCOND-08"),
    "s37-unscheduled-held": ("PODGC-04", "PODGC-06"),
    "s37-out-of-service": ("PODGC-05", "PODGC-06"),
    "s38-kubelet-down": ("KUBELET-07", "NODELOSS-05"),
    "sc-rs-10-node-removed": ("RS-GEN-05", "RS-GEN-06"),
    "sc-ds-02-nodes-leave": ("DS-GEN-02",),
    "sc-sts-15-node-removed": ("STS-PVC-09",),
    "stateful-set-on-lost-node": ("NODELOSS-06", "STS-ORDN-02"),
    "job-node-lost": ("JOB-FAIL-03", "JOB-EX-04", "JOB-ALT-01"),
    "s38-kubelet-restart": ("KUBELET-01", "KUBELET-02", "KUBELET-05"),
    "s38-kubelet-restart-evaluates": ("KUBELET-06",),
    "s36-scheduling-gates": ("SGATE-02", "COND-07"),
    "s39-files-survive": ("INIT-21",),
    "s17-sidecars-end-in-order": ("SCTERM-08",),
    "s31-log-shipper": ("SIDECAR-20",),
    "sidecar-monitoring": ("SIDECAR-20",),
    "sidecar-security-proxy": ("SIDECAR-20",),
    "sidecar-data-sync": ("SIDECAR-20",),
    "sidecar-service-mesh": ("SIDECAR-20",),
    "slow-start-startup-probe": ("PROBE-39",),
    "slow-start-readiness-probe": ("PROBE-39",),
    "manage-nginx-app": ("MANAGE-01", "MANAGE-09"),
    "manage-update-without-outage": ("MANAGE-20", "MANAGE-23", "MANAGE-24", "MANAGE-25"),
    "manage-rollouts": ("MANAGE-29",),
    "manage-canary": ("MANAGE-30", "MANAGE-31", "MANAGE-33"),
    "manage-annotated-pod": ("MANAGE-40",),
    "manage-scaled-down": ("MANAGE-41",),
    "manage-replaced-by-force": ("MANAGE-50",),
    "autoscale-by-queue": ("KEDA-01", "KEDA-02"),
    "autoscale-by-schedule": ("KEDA-03", "KEDA-04"),
    "autoscale-by-cluster-size": ("CPA-01", "CPA-02"),
    "autoscale-vertical-off": ("VPA-05",),
    "autoscale-vertical-recreate": ("VPA-03",),
    "autoscale-vertical-auto": ("VPA-02",),
    "hpa-my-nginx": ("HPA-01", "HPA-03", "HPA-05", "HPA-06", "MANAGE-43", "SCALE-03"),
    "hpa-at-its-maximum": ("HPA-11",),
    "hpa-without-requests": ("HPA-09", "RS-HPA-04"),
    "hpa-php-apache": ("HPA-03", "HPA-11"),
    "hpa-php-apache-with-behavior": ("HPA-07",),
    "hpa-slow-down": ("HPA-07",),
    "hpa-other-metrics": ("HPA-08",),
    "hpa-paused-at-zero": ("HPA-14",),
    "sc-dep-11-autoscaled": ("DEP-SCALE-03", "DEP-SCALE-04", "DEP-SCALE-05"),
    "sc-rs-09-autoscaled": ("RS-HPA-01", "RS-HPA-02"),
    "sc-rs-09-without-requests": ("HPA-09", "RS-HPA-04"),
    "job-pi": ("JOB-EX-19",),
    "job-fixed-completions": ("JOB-CLEAN-04", "JOB-PATTERN-06"),
    "job-work-queue": ("JOB-PATTERN-07",),
    "job-one-for-each-item": ("JOB-PATTERN-01", "JOB-PATTERN-02", "JOB-PATTERN-10"),
    "job-pod-for-each-message": ("JOB-PATTERN-03", "JOB-PATTERN-04", "JOB-PATTERN-06"),
    "job-queue-in-redis": ("JOB-PATTERN-03", "JOB-PATTERN-04", "JOB-PATTERN-07"),
    "job-runs-twice": ("JOB-PAR-19",),
    "replication-controller-node-removed": ("RC-04", "POD-TPL-06"),
    "job-indexed": ("JOB-IDX-06", "JOB-PATTERN-05", "JOB-PATTERN-08", "JOB-PATTERN-09"),
    "job-back-off-per-index": ("JOB-BLPI-09", "JOB-FAIL-06"),
    "job-fails-on-exit-code": ("JOB-PFP-17",),
    "job-fails-on-no-exit-code": ("JOB-PFP-17",),
    "job-fails-on-other-exit-code": ("JOB-PFP-17",),
    "job-pods-that-talk": ("JOB-PATTERN-09", "JOB-IDX-06"),
    "job-ignores-disruptions": ("JOB-PFP-18",),
    "job-manual-selector": ("JOB-SEL-07", "JOB-SEL-08", "JOB-SEL-10"),
    "job-deadline-beats-retries": ("JOB-DEADLINE-03",),
    "job-replaced-at-once": ("JOB-REPL-01", "JOB-REPL-05"),
    "s32-job-with-sidecar": ("SIDECAR-12",),
    "drains-sessions": ("POD-TERM-15",),
    "cron-hello": (
        "CRON-SPEC-01",
        "CRON-NAME-03",
        "CRON-HIST-01",
        "CRON-CHG-04",
        "CRON-API-01",
        "CRON-API-03",
        "CRON-API-05",
        "CRON-TMPL-03",
        "OVER-08",
    ),
    "cron-allow": ("CRON-CONC-01", "CRON-SPEC-05"),
    "cron-forbid": ("CRON-CONC-02", "CRON-CONC-03", "CRON-CONC-05", "CRON-MISS-05"),
    "cron-forbid-with-deadline": ("CRON-CONC-03", "CRON-DEADLINE-02"),
    "cron-replace": ("CRON-CONC-04",),
    "cron-few-missed": ("CRON-DEADLINE-04",),
    "cron-too-many-missed-by-the-book": ("CRON-MISS-02", "CRON-MISS-06"),
    "cron-missed-with-deadline": ("CRON-MISS-04", "CRON-MISS-07"),
    "cron-history": ("CRON-HIST-01", "CRON-HIST-02", "JOB-CLEAN-06"),
    "cron-no-history": ("CRON-HIST-01", "CRON-HIST-02"),
    "cron-time-zones": ("CRON-TZ-01", "CRON-TZ-02", "CRON-TZ-04", "CRON-TZ-05"),
    "cron-suspended": ("CRON-NAME-02", "CRON-SUSP-01", "CRON-SUSP-02", "CRON-SUSP-03"),
    "cron-new-image": ("CRON-CHG-01", "CRON-CHG-02"),
    "cron-backup-late": ("CRON-DEADLINE-01", "CRON-DEADLINE-06"),
    "cron-backup-skipped": ("CRON-DEADLINE-02", "CRON-DEADLINE-06"),
    "job-ttl": ("OVER-11", "TTL-02", "TTL-03", "TTL-04", "TTL-05", "TTL-07", "TTL-10", "JOB-CLEAN-07"),
    "job-ttl-variants": ("TTL-06", "TTL-08", "TTL-09", "TTL-11", "TTL-14", "TTL-15", "TTL-16"),
    "job-ttl-fast-clock": ("TTL-17",),
    "job-ttl-slow-clock": ("TTL-17", "TTL-18"),
    "sc-ds-01-one-pod-a-node": ("DS-GEN-01", "DS-GEN-04", "DS-COMM-01"),
    "sc-ds-01-control-plane-left-out": ("DS-TOL-11",),
    "sc-ds-02-nodes-join": ("DS-GEN-02", "DS-GEN-03"),
    "sc-ds-03-node-labels": ("DS-NODE-01", "DS-NODE-04"),
    "sc-ds-03-node-affinity": ("DS-NODE-02", "DS-NODE-04"),
    "sc-ds-04-another-scheduler": ("DS-SCHED-05",),
    "sc-ds-05-cordoned-node": ("DS-TOL-06",),
    "sc-ds-05-no-network": ("DS-TOL-07",),
    "sc-ds-06-taints": ("DS-NODE-05",),
    "sc-ds-06-taint-tolerated": ("DS-TOL-09",),
    "sc-ds-07-preemption": ("DS-SCHED-04",),
    "sc-ds-07-without-priority": ("DS-SCHED-04",),
    "preemption-with-budget": ("DCOND-02", "DISRUPT-06"),
    "sc-ds-08-taken-over": ("DS-UPD-02", "DS-UPD-03"),
    "sc-ds-08-replaced": ("DS-UPD-03",),
    "sc-ds-08-taken-over-on-delete": ("DS-UPD-03", "DS-UPD-06"),
    "sc-ds-09-rolling-update": ("DS-UPD-04", "DS-UPD-05"),
    "sc-ds-09-half-at-a-time": ("DS-UPD-04",),
    "sc-ds-09-surge": ("DS-UPD-04",),
    "sc-ds-10-host-ports": ("DS-COMM-02",),
    "sc-ds-13-evicted-pod": ("DS-GEN-06",),
    "sc-ds-12-network-plugin": ("DS-TOL-10", "DS-ALT-05"),
    "s29-drain-with-a-budget": (
        "PDB-01",
        "PDB-05",
        "PDB-07",
        "PDB-08",
        "PDB-09",
        "PDB-16",
        "PDB-17",
        "PDB-18",
        "PDB-20",
        "PDB-21",
        "PDB-22",
        "PDB-23",
        "PDB-24",
    ),
    "nodes-upgraded-with-downtime": ("DISRUPT-08",),
    "nodes-upgraded-beside-new-ones": ("DISRUPT-08",),
    "nodes-upgraded-under-a-budget": ("DISRUPT-06", "DISRUPT-08"),
    "nodes-compacted-by-an-autoscaler": ("DISRUPT-06",),
    "s30a-drain-of-a-stateful-set": ("PDB-19", "DCOND-04"),
    "s30b-one-eviction-at-a-time": ("PDB-06", "PDB-07", "DISRUPT-07"),
    "s30c-unhealthy-pods-wait": ("PDB-09", "PDB-12"),
    "s30c-unhealthy-pods-may-go": ("PDB-12",),
    "s30d-node-crash-under-a-budget": ("PDB-10",),
    "s30e-rolling-update-under-a-budget": ("PDB-11",),
    "s30f-evicted-with-a-grace-of-60": ("PDB-13", "DCOND-01", "DCOND-04"),
    "sc-sts-08-storage-follows": ("STS-VOL-05", "STS-VOL-06", "STS-VOL-08", "WL-06"),
}


def cases(names):
    """One case for each name; those of NOT_YET are expected to fail."""
    marks = {name: [pytest.mark.xfail(reason=reason, strict=True)] for name, reason in NOT_YET.items()}
    for name, ids in SHOWN.items():
        marks.setdefault(name, []).append(pytest.mark.spec(*ids))
    return [pytest.param(name, marks=marks.get(name, ())) for name in names]


# Those that show a requirement, and one of four of the others.
FIRST = {*SHOWN, *[name for name in SCENARIOS if name not in SHOWN][::4]}


@pytest.mark.parametrize("name", first_if(lambda case: case.values[0] in FIRST, cases(SCENARIOS)))
def test_the_claims_hold(name):
    outcome = run_file(find_story(name)).outcome
    assert outcome.failures == ()
    assert outcome.refusals == ()


@pytest.mark.parametrize("name", one_in(24, cases(SCENARIOS)))
def test_the_claims_hold_with_realistic_latencies_too(name):
    path = find_story(name)
    plan = plan_of(path, timing=MIDDLE)
    outcome = run_plan(plan).outcome
    assert outcome.failures == ()
    assert outcome.refusals == ()
