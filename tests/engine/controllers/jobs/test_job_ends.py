"""How Jobs end, pause and go on: interim and terminal conditions, deadlines, suspension."""

from typing import Any

import pytest

from lifecycle.engine import Cluster, Settings
from tests.engine.controllers.shift import Shift, make_job

DEAF = "trap '' TERM; sleep 900"


class WithGates(Shift):
    """A shift whose cluster has gates off."""

    gates: dict[str, bool] = {}

    def make_cluster(self, seed: int, timing: Any) -> Cluster:
        return Cluster(seed=seed, settings=Settings(timing=timing, feature_gates=self.gates))


@pytest.mark.spec(
    "JOB-DEADLINE-01", "JOB-DEADLINE-02", "JOB-TERM-03", "JOB-TERM-09", "JOB-PODTERM-01", "JOB-PODTERM-02",
    "JOB-PODTERM-03", "JOB-PODTERM-06", "JOB-TERM-01",
)  # fmt: skip
def test_a_deadline_is_told_at_once_and_the_end_when_all_pods_are_gone():
    shift = Shift()
    shift.apply(make_job(command=DEAF, activeDeadlineSeconds=20, completions=2, parallelism=2))
    shift.run(30)
    assert shift.conditions() == [("FailureTarget", "True", "DeadlineExceeded")]
    status = shift.status()
    assert ("active" in status, status["terminating"], status["failed"]) == (False, 2, 2)
    shift.run(60)
    assert shift.lane("Job", "condition.FailureTarget") == [(20_000, "True")]
    assert shift.lane("Job", "condition.Failed") == [(50_000, "True")]
    assert shift.status()["terminating"] == 0


@pytest.mark.spec("JOB-PODTERM-04", "JOB-PODTERM-05")
def test_who_waits_for_the_interim_condition_starts_early_and_overlaps():
    shift = Shift()
    shift.apply(make_job("first", command=DEAF, activeDeadlineSeconds=10))
    shift.run(11)
    assert [one[0] for one in shift.conditions("first")] == ["FailureTarget"]
    shift.apply(make_job("second", command="sleep 60"))
    shift.run(5)
    assert [pod["status"]["phase"] for pod in shift.pods()] == ["Running", "Running"]
    shift.run(30)
    assert [one[0] for one in shift.conditions("first")] == ["FailureTarget", "Failed"]
    assert len(shift.pods()) == 1


@pytest.mark.spec("JOB-DEADLINE-03")
def test_past_the_deadline_no_wait_leads_to_another_try():
    shift = Shift()
    shift.apply(make_job(command="sleep 5; exit 1", activeDeadlineSeconds=12))
    shift.run(100)
    assert len(shift.created()) == 1
    assert shift.conditions()[1] == ("Failed", "True", "DeadlineExceeded")
    assert shift.lane("Job", "condition.FailureTarget") == [(12_000, "True")]


@pytest.mark.spec("JOB-DEADLINE-06")
def test_a_deadline_that_is_lowered_below_what_has_passed_ends_the_job():
    shift = Shift()
    shift.apply(make_job(command="sleep 500", activeDeadlineSeconds=300))
    shift.run(60)
    shift.patch(activeDeadlineSeconds=100)
    shift.run(60)
    assert shift.lane("Job", "condition.FailureTarget") == [(100_000, "True")]
    other = Shift()
    other.apply(make_job(command="sleep 500"))
    other.run(60)
    other.patch(activeDeadlineSeconds=30)
    other.run(1)
    assert other.lane("Job", "condition.FailureTarget") == [(60_000, "True")]


@pytest.mark.spec("JOB-CLEAN-01", "JOB-CLEAN-02", "JOB-CLEAN-05")
def test_a_failed_job_stays_failed_whatever_is_changed():
    shift = Shift()
    shift.apply(make_job(command="exit 1", backoffLimit=0))
    shift.run(10)
    shift.patch(backoffLimit=5, parallelism=3)
    shift.run(600)
    assert len(shift.created()) == 1
    assert [one[0] for one in shift.conditions()] == ["FailureTarget", "Failed"]
    assert [pod["status"]["phase"] for pod in shift.pods()] == ["Failed"]


@pytest.mark.spec("JOB-TERM-10", "JOB-TERM-11")
def test_without_the_gates_the_end_does_not_wait_for_the_pods():
    class Old(WithGates):
        gates = {"JobManagedBy": False, "JobPodReplacementPolicy": False}

    shift = Old()
    shift.apply(make_job(command=DEAF, activeDeadlineSeconds=20))
    shift.run(60)
    assert shift.lane("Job", "condition.Failed") == [(20_000, "True")]
    assert [one[0] for one in shift.conditions()] == ["Failed"]
    assert "terminating" not in shift.status()


# --- suspension ---------------------------------------------------------------------------------------------


@pytest.mark.spec(
    "JOB-EX-03", "JOB-SUSP-02", "JOB-SUSP-03", "JOB-SUSP-04", "JOB-SUSP-05", "JOB-SUSP-06", "JOB-SUSP-07",
    "JOB-SUSP-08", "JOB-SUSP-09", "JOB-SUSP-11", "JOB-SUSP-12",
)  # fmt: skip
def test_a_suspended_job_stops_its_pods_and_starts_anew():
    shift = Shift()
    shift.apply(make_job(command="trap 'sleep 3; exit 0' TERM; sleep 900 & wait", completions=5))
    shift.run(10)
    shift.patch(suspend=True)
    shift.run(1)
    assert shift.conditions() == [("Suspended", "True", "JobSuspended")]
    assert shift.status()["terminating"] == 1
    shift.run(60)
    status = shift.status()
    assert not {"active", "succeeded", "failed"} & set(status)
    assert status["startTime"] == "2026-01-01T00:00:00Z"
    times = {status["conditions"][0][name] for name in ("lastProbeTime", "lastTransitionTime")}
    assert times == {"2026-01-01T00:00:10Z"}
    assert len(shift.created()) == 1
    shift.patch(suspend=False)
    shift.run(1)
    assert shift.conditions() == [("Suspended", "False", "JobResumed")]
    assert shift.status()["startTime"] == "2026-01-01T00:01:11Z"
    assert shift.told() == [
        "SuccessfulCreate",
        "SuccessfulDelete",
        "Suspended",
        "SuccessfulCreate",
        "Resumed",
    ]
    assert shift.created() == [0, 71_000]


@pytest.mark.spec("JOB-SUSP-01", "JOB-SUSP-02", "JOB-SUSP-04")
def test_a_job_may_begin_suspended():
    shift = Shift()
    shift.apply(make_job(suspend=True))
    shift.run(60)
    assert (shift.pods(), "startTime" in shift.status()) == ([], False)
    assert shift.conditions() == [("Suspended", "True", "JobSuspended")]


@pytest.mark.spec("JOB-SUSP-10")
def test_a_job_that_was_never_suspended_says_nothing_of_it():
    shift = Shift()
    shift.apply(make_job())
    shift.run(3)
    assert shift.conditions() == []


@pytest.mark.spec("JOB-DEADLINE-05", "JOB-SUSP-03")
@pytest.mark.parametrize(
    "suspended, resumed, failed",
    [
        pytest.param(20, 25, 55, id="it counts from the resumption"),
        pytest.param(0, 100, 130, id="never begun"),
        # syncJob looks at the deadline before it says that the Job is resumed, and since when it runs.
        pytest.param(20, 30, 30, id="resumed at the deadline of its first start"),
        pytest.param(20, 120, 120, id="resumed later than that"),
    ],
)
def test_the_deadline_of_a_resumed_job(suspended: int, resumed: int, failed: int):
    shift = Shift()
    shift.apply(make_job(command="sleep 900", activeDeadlineSeconds=30, suspend=not suspended))
    if suspended:
        shift.run(suspended)
        shift.patch(suspend=True)
    shift.run(resumed - suspended)
    assert shift.conditions() == [("Suspended", "True", "JobSuspended")]
    shift.patch(suspend=False)
    shift.run(200)
    assert shift.lane("Job", "condition.FailureTarget") == [(failed * 1000, "True")]
    # One that fails at once is never told to be resumed.
    assert shift.lane("Job", "condition.Suspended")[-1][1] == ("True" if failed == resumed else "False")


@pytest.mark.spec("JOB-SCHED-01", "JOB-SCHED-02", "JOB-SCHED-03", "JOB-SCHED-04")
@pytest.mark.parametrize("release, is_free_again", [("v1.35", False), ("v1.36", True)])
def test_where_pods_run_may_change_before_the_first_start_and_since_v1_36_while_it_is_suspended(
    release: str, is_free_again: bool
):
    """Gate MutableSchedulingDirectivesForSuspendedJobs, on since v1.36 (kubernetes/kubernetes#135965)."""
    shift = Shift(kubernetes=release)
    shift.apply(make_job(command="sleep 900", suspend=True))
    shift.run(5)
    node = {"nodeSelector": {"kubernetes.io/hostname": "node-3"}}
    shift.patch(template={"spec": node})
    shift.patch(suspend=False)
    shift.run(5)
    assert [pod["spec"]["nodeName"] for pod in shift.pods()] == ["node-3"]
    shift.patch(suspend=True)
    shift.run(60)
    image = {"spec": {"containers": [{"name": "main", "image": "busybox:1.37"}]}}
    node = {"spec": {"nodeSelector": {"kubernetes.io/hostname": "node-1"}}}
    for template, is_free in ((node, is_free_again), (image, False)):
        patch = {"spec": {"template": template}}
        result = shift.submit(
            "patch", kind="Job", namespace="default", name="work", patch=patch, type="merge"
        )
        refusal = (result.status or {}).get("message") or ""
        assert ("field is immutable" not in refusal) is is_free, refusal
