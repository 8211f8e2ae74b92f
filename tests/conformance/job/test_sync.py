"""Adapters of the tables about one whole sync of a Job.

`podControlError` has no counterpart: here the API server refuses no deletion and no patch of a controller.
"""

from typing import Any

import pytest

from lifecycle.engine.objects.times import parse_time, parse_time_or_none
from lifecycle.engine.rules.jobs.backoff import NO_FAILURES, Failures
from tests.conformance.cases import load_cases
from tests.conformance.jobs import NOW_MS, Play, check_status, play, read_job, read_pods


@pytest.mark.spec("JOB-PAR-03", "JOB-PAR-07", "JOB-PAR-11", "JOB-FIN-03", "JOB-SUSP-06", "JOB-IDX-11")
@pytest.mark.parametrize("case", load_cases("job_sync"))
def test_one_sync(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    if given.get("podControlError"):
        pytest.skip("deletions and patches of a controller are never refused here")
    done = _play(given)
    assert len(done.created) == expect["creations"]
    assert len(done.deleted) == expect["deletions"]
    assert len(done.released) == expect["podPatches"]
    check_status(done.status, expect["status"])
    assert (done.status.start_ms is not None) == expect["startTimeSet"]
    if expect["syncError"] is not None:
        assert done.is_failure == expect["syncError"]
    if "createdIndexes" in expect:
        assert done.created_indexes == expect["createdIndexes"]


def _play(given: dict[str, Any]) -> Play:
    now_ms = parse_time(given["now"], 0) if "now" in given else NOW_MS
    job = read_job(given["job"], now_ms)
    return play(
        job,
        read_pods(given["pods"], job),
        now_ms,
        given.get("featureGates"),
        _read_failures(given.get("backoffRecord")),
        given.get("podCreateLimit"),
        is_settled=not given.get("outstandingExpectations"),
    )


def _read_failures(record: dict[str, Any] | None) -> Failures:
    if record is None:
        return NO_FAILURES
    return Failures(record["failuresAfterLastSuccess"], parse_time_or_none(record["lastFailureTime"], 0))


@pytest.mark.spec("JOB-DEADLINE-02", "JOB-TERM-03")
@pytest.mark.parametrize("case", load_cases("job_deadline"))
def test_deadline(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    done = _play(given)
    assert (len(done.created), len(done.deleted)) == (expect["creations"], expect["deletions"])
    check_status(done.status, expect["status"])
    assert (done.status.start_ms is not None) == expect["startTimeSet"]


@pytest.mark.spec("JOB-BLPI-03", "JOB-BLPI-07", "JOB-SUCC-09", "JOB-SUCC-13", "JOB-TERM-15")
@pytest.mark.parametrize("case", load_cases("job_index_policies_sync"))
def test_policies_of_indexes(case: dict[str, Any]):
    done = _play(case["input"])
    check_status(done.status, case["expect"]["status"])


@pytest.mark.spec("JOB-PFP-11", "JOB-PFP-13", "JOB-PFP-15", "JOB-PFP-20")
@pytest.mark.parametrize("case", load_cases("job_pod_failure_policy_sync"))
def test_policy_of_failures(case: dict[str, Any]):
    done = _play(case["input"])
    # Of pods that terminate only that there are none is said.
    expected = {
        name: value for name, value in case["expect"]["status"].items() if name != "terminating" or not value
    }
    check_status(done.status, expected)


@pytest.mark.spec("JOB-MANAGED-01", "JOB-MANAGED-02")
@pytest.mark.parametrize("case", load_cases("job_managed_by"))
def test_managed_elsewhere(case: dict[str, Any]):
    status = _play(case["input"]).status
    shown = {name: value for name, value in status.to_json().items() if name != "uncountedTerminatedPods"}
    assert shown == case["expect"]["status"]
