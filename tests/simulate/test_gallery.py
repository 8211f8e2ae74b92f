"""Every scenario of the gallery: its claims hold, and its lanes are those of the specification, to the ms."""

import pytest

from tests.simulate.running import GALLERY, run_file

SCENARIOS = sorted(path.stem for path in GALLERY.glob("*.yaml"))
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
    "drains-sessions": ("POD-TERM-15",),
    "sc-sts-08-storage-follows": ("STS-VOL-05", "STS-VOL-06", "STS-VOL-08", "WL-06"),
}


def cases(names):
    """One case for each name; those of NOT_YET are expected to fail."""
    marks = {name: [pytest.mark.xfail(reason=reason, strict=True)] for name, reason in NOT_YET.items()}
    for name, ids in SHOWN.items():
        marks.setdefault(name, []).append(pytest.mark.spec(*ids))
    return [pytest.param(name, marks=marks.get(name, ())) for name in names]


@pytest.mark.parametrize("name", cases(SCENARIOS))
def test_the_claims_hold(name):
    outcome = run_file(GALLERY / f"{name}.yaml").outcome
    assert outcome.failures == ()
    assert outcome.refusals == ()


@pytest.mark.parametrize("name", cases(SCENARIOS))
def test_the_claims_hold_with_realistic_latencies_too(name):
    outcome = run_file(GALLERY / f"{name}.yaml", timing="realistic").outcome
    assert outcome.failures == ()
    assert outcome.refusals == ()
