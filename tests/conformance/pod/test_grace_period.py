"""`grace_period.json`: the pod-wide effective grace period, and the value of one container's kill."""

import pytest

from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.pods.grace import decide_effective_grace_seconds, decide_kill_grace_seconds
from tests.conformance.cases import Case, load_cases


@pytest.mark.parametrize("case", load_cases("grace_period"))
def test_grace_period(case: Case) -> None:
    given = case["input"]
    pod = Pod.from_json(given["pod"])
    deletion, spec_seconds = pod.meta.deletion_grace_seconds, pod.spec.termination_grace_seconds
    if given["op"] == "calculateEffectiveGracePeriod":
        seconds, _ = decide_effective_grace_seconds(
            given.get("earlierGracePeriod") or 0, deletion, given.get("gracePeriodOverride"), spec_seconds
        )
    else:
        container = next(one for one in pod.spec.containers if one.name == given["container"])
        probes = {"StartupProbe": container.startup_probe, "LivenessProbe": container.liveness_probe}
        probe = probes.get(given["killReason"])
        seconds = decide_kill_grace_seconds(
            deletion,
            spec_seconds,
            reason=given["killReason"],
            probe_seconds=probe.termination_grace_seconds if probe is not None else None,
        )
    assert seconds == case["expect"]["gracePeriodSeconds"]
