"""One look at a Job, decided from what is given: what a whole cluster seldom shows."""

from typing import Any

import pytest

from lifecycle.engine.controllers.job.decide.accounting import take_account
from lifecycle.engine.controllers.job.decide.seen import Look
from lifecycle.engine.objects.condition import Condition
from lifecycle.engine.rules.jobs.backoff import NO_FAILURES
from lifecycle.engine.rules.jobs.gates import ALL_GATES, JobGates
from lifecycle.engine.rules.jobs.pods import find_finish_ms
from tests.conformance.jobs import NOW_MS, Play, play, read_job, read_pods, see, show_conditions

TRACKING = "batch.kubernetes.io/job-tracking"
INDEX, FAILURES = "batch.kubernetes.io/job-completion-index", "batch.kubernetes.io/job-index-failure-count"
STARTED = "2024-06-01T11:59:00Z"
"""A minute before the look."""


def make_pod(
    index: str | None = None, phase: str = "Running", is_tracked: bool = True, **status: Any
) -> dict[str, Any]:
    annotations = {} if index is None else {INDEX: index, FAILURES: "0"}
    metadata = {"annotations": annotations, "finalizers": [TRACKING] if is_tracked else []}
    return {"metadata": metadata, "status": {"phase": phase, **status}}


def look_at(spec: dict[str, Any], status: dict[str, Any], *entries: dict[str, Any]) -> Play:
    job = read_job(
        {"metadata": {"name": "work", "namespace": "default", "uid": "1"}, "spec": spec, "status": status}
    )
    return play(job, read_pods([*entries], job))


SUSPENDED = {"type": "Suspended", "status": "True", "reason": "JobSuspended", "message": "Job suspended"}
RESUMED = {"type": "Suspended", "status": "False", "reason": "JobResumed", "message": "Job resumed"}


@pytest.mark.spec("JOB-SUSP-07", "JOB-SUSP-09")
@pytest.mark.parametrize(
    "suspend, told, expected, has_news",
    [
        pytest.param(True, SUSPENDED, SUSPENDED, False, id="suspended as before"),
        pytest.param(True, {**SUSPENDED, "reason": "ByHand"}, SUSPENDED, True, id="another reason"),
        pytest.param(False, RESUMED, RESUMED, False, id="resumed as before"),
        pytest.param(False, {**RESUMED, "message": "go"}, RESUMED, True, id="another message"),
    ],
)
def test_a_suspension_told_of_in_other_words_is_told_again(suspend, told, expected, has_news):
    status = {"startTime": STARTED, "conditions": [told]}
    done = look_at({"suspend": suspend, "parallelism": 0, "completions": 1}, status)
    assert show_conditions(done.status) == [expected]
    # To resume is to start anew.
    assert (done.status.start_ms == NOW_MS) == (has_news and not suspend)


@pytest.mark.spec("JOB-EX-14")
def test_a_job_that_resumes_only_to_fail_has_a_start():
    status = {"failed": 7, "conditions": [SUSPENDED]}
    done = look_at({"parallelism": 1, "completions": 1}, status)
    assert done.status.start_ms == NOW_MS
    assert [one["type"] for one in show_conditions(done.status)] == ["Suspended", "FailureTarget", "Failed"]


def test_only_what_is_tracked_is_let_go():
    done = look_at({"suspend": True, "completions": 1}, {}, make_pod(is_tracked=False), make_pod())
    assert (len(done.deleted), [pod.meta.name for pod in done.released]) == (2, ["pod-1"])


@pytest.mark.spec("JOB-BLPI-12")
def test_a_replaced_pod_of_an_index_is_counted_by_the_look_that_follows():
    spec = {
        "completionMode": "Indexed",
        "parallelism": 2,
        "completions": 2,
        "backoffLimitPerIndex": 1,
        "backoffLimit": 9,
    }
    failed = make_pod("0", "Failed")
    done = look_at(spec, {}, failed)
    assert (done.created_indexes, done.released, done.status.failed) == ([0, 1], [], 0)
    done = look_at(spec, {}, failed, make_pod("0"), make_pod("1"))
    assert ([pod.meta.name for pod in done.released], done.status.failed) == (["pod-0"], 1)


@pytest.mark.spec("JOB-BLPI-12")
def test_an_index_that_waits_does_not_hide_those_that_start():
    spec = {
        "completionMode": "Indexed",
        "parallelism": 2,
        "completions": 2,
        "backoffLimitPerIndex": 1,
        "backoffLimit": 9,
    }
    just_now = {
        "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": STARTED[:-3] + "59Z"}]
    }
    done = look_at(spec, {}, make_pod("1", "Failed", **just_now))
    assert (done.created_indexes, done.status.active) == ([0], 1)


@pytest.mark.spec("JOB-PFP-05")
@pytest.mark.parametrize(
    "exit_code, expected",
    [pytest.param(42, ["FailureTarget", "Failed"], id="fails"), pytest.param(1, [], id="not")],
)
def test_a_rule_fails_the_job_also_for_a_pod_that_is_not_counted(exit_code, expected):
    rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    spec = {"suspend": True, "completions": 1, "podFailurePolicy": {"rules": [rule]}}
    ended = [{"name": "main", "state": {"terminated": {"exitCode": exit_code}}}]
    status = {"conditions": [SUSPENDED]}
    done = look_at(spec, status, make_pod(None, "Failed", is_tracked=False, containerStatuses=ended))
    assert [one["type"] for one in show_conditions(done.status)][1:] == expected
    assert done.status.failed == 0


@pytest.mark.spec("JOB-ELASTIC-02")
def test_of_indexes_that_rank_alike_the_lower_ones_go():
    spec = {"completionMode": "Indexed", "parallelism": 1, "completions": 3}
    pods = [make_pod("2"), make_pod("0"), make_pod("1")]
    assert [pod.meta.annotations[INDEX] for pod in look_at(spec, {}, *pods).deleted] == ["0", "1"]


OLD = JobGates(replacement_policy=False, success_policy=False, managed_by=False)


@pytest.mark.spec("JOB-PODTERM-01")
@pytest.mark.parametrize(
    "gates, type_, before, expected",
    [
        pytest.param(
            ALL_GATES,
            "SuccessCriteriaMet",
            [],
            ["SuccessCriteriaMet", "Complete"],
            id="success, then the end",
        ),
        pytest.param(
            ALL_GATES,
            "SuccessCriteriaMet",
            ["SuccessCriteriaMet"],
            ["SuccessCriteriaMet", "Complete"],
            id="told once",
        ),
        pytest.param(OLD, "SuccessCriteriaMet", [], ["SuccessCriteriaMet"], id="an end by itself of old"),
        pytest.param(ALL_GATES, "FailureTarget", [], ["FailureTarget", "Failed"], id="failure, then the end"),
    ],
)
def test_what_comes_before_the_end_is_told_first(gates, type_, before, expected):
    conditions = [{"type": one, "status": "True"} for one in before]
    job = read_job({"spec": {}, "status": {"conditions": conditions}})
    seen = see(job, {}, gates=gates)
    end = Condition(type_, "True")
    account = take_account(seen, Look(None, 0, 0, NO_FAILURES), job.status, end, 0, NOW_MS)
    assert [one.type for one in account.final.conditions] == expected


ENDED, RUNNING = {"terminated": {"exitCode": 1, "finishedAt": STARTED}}, {"running": {}}


@pytest.mark.spec("JOB-BACKOFF-03")
@pytest.mark.parametrize(
    "main, sidecar, expected_ms",
    [
        pytest.param(ENDED, ENDED, NOW_MS - 60_000, id="both have ended"),
        pytest.param(RUNNING, ENDED, NOW_MS - 60_000, id="the end of a sidecar stands"),
        pytest.param(ENDED, RUNNING, -62_135_596_800_000, id="a sidecar runs, and nothing else is known"),
    ],
)
def test_when_a_pod_ended(main, sidecar, expected_ms):
    entry = make_pod(
        None,
        "Failed",
        containerStatuses=[{"name": "main", "state": main}],
        initContainerStatuses=[{"name": "side", "state": sidecar}],
    )
    entry["spec"] = {"initContainers": [{"name": "side", "restartPolicy": "Always"}]}
    [pod] = read_pods([entry], read_job({"spec": {}}))
    assert find_finish_ms(pod) == expected_ms
