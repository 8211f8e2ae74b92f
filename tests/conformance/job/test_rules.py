"""Adapters of the tables about single rules of Jobs."""

from typing import Any

import pytest

from lifecycle.engine.controllers.job.decide.look import Look, look_at
from lifecycle.engine.controllers.job.decide.pods import list_missing, name_indexed_pods, sort_by_index
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.times import parse_time, parse_time_or_none
from lifecycle.engine.objects.workloads.job import Job
from lifecycle.engine.rules.jobs.backoff import (
    NO_FAILURES,
    Failures,
    decide_index_wait_ms,
    decide_wait_ms,
    with_ends,
)
from lifecycle.engine.rules.jobs.failure_policy import judge
from lifecycle.engine.rules.jobs.gates import JobGates
from lifecycle.engine.rules.jobs.indexes import Intervals, has_index, parse_indexes
from lifecycle.engine.rules.jobs.pods import find_finish_ms
from lifecycle.engine.rules.jobs.success_policy import find_success
from tests.conformance.cases import load_cases
from tests.conformance.jobs import read_job, read_pods, see


def _spec(**fields: Any) -> Any:
    return Job.from_json({"kind": "Job", "spec": fields}).spec


@pytest.mark.spec("JOB-PFP-04", "JOB-PFP-05", "JOB-PFP-06", "JOB-PFP-08", "JOB-PFP-10", "JOB-PFP-16")
@pytest.mark.parametrize("case", load_cases("job_pod_failure_policy"))
def test_failure_policy(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    rules = _spec(podFailurePolicy=given["podFailurePolicy"]).failure_rules
    gates = JobGates.read(given.get("featureGates") or {})
    verdict = judge(rules, Pod.from_json(given["failedPod"]), gates.limit_per_index)
    assert verdict.message == expect["jobFailureMessage"]
    assert verdict.counts == expect["countFailed"]
    assert (verdict.action or None) == expect["action"]


@pytest.mark.spec("JOB-SUCC-04", "JOB-SUCC-05", "JOB-SUCC-06", "JOB-SUCC-07", "JOB-SUCC-11")
@pytest.mark.parametrize("case", load_cases("job_success_policy"))
def test_success_policy(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    rules = _spec(successPolicy=given["successPolicy"]).success_rules
    succeeded = _intervals(given["succeededIndexIntervals"])
    gates = JobGates.read(given.get("featureGates") or {})
    message = find_success(rules, given["completions"], succeeded) if gates.success_policy else None
    assert (message is not None, message or "") == (expect["met"], expect["message"])


@pytest.mark.spec("JOB-BACKOFF-02", "JOB-BACKOFF-03")
@pytest.mark.parametrize("case", load_cases("job_backoff"))
def test_back_off(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    match given["op"]:
        case "newBackoffRecord":
            stored = given["storedRecord"]
            known = NO_FAILURES if stored is None else _failures(stored)
            succeeded, failed = (
                [parse_time(text, 0) for text in given[f"new{phase}PodsFinishedAt"]]
                for phase in ("Succeeded", "Failed")
            )
            assert with_ends(known, succeeded, failed) == _failures(expect)
        case "getFinishedTime":
            found = find_finish_ms(Pod.from_json(given["pod"]))
            assert found == parse_time(expect["finishedTime"], 0)
        case "getRemainingTime":
            seconds = given["secondsSinceLastFailure"]
            failures = Failures(
                given["failuresAfterLastSuccess"], None if seconds is None else -seconds * 1000
            )
            first_ms, most_ms = given["defaultBackoffSeconds"] * 1000, given["maxBackoffSeconds"] * 1000
            assert decide_wait_ms(failures, 0, first_ms, most_ms) == expect["remainingSeconds"] * 1000
        case other:
            raise AssertionError(other)


def _failures(record: dict[str, Any]) -> Failures:
    return Failures(record["failuresAfterLastSuccess"], parse_time_or_none(record["lastFailureTime"], 0))


@pytest.mark.spec("JOB-BLPI-12")
@pytest.mark.parametrize("case", load_cases("job_backoff_per_index"))
def test_back_off_of_an_index(case: dict[str, Any]):
    given = case["input"]
    failed = given["lastFailedPod"]
    wait_ms = decide_index_wait_ms(
        None if failed is None else Pod.from_json(failed),
        parse_time(given["now"], 0),
        given["defaultBackoffSeconds"] * 1000,
        given["maxBackoffSeconds"] * 1000,
    )
    assert wait_ms == case["expect"]["remainingSeconds"] * 1000


@pytest.mark.spec("JOB-IDX-10", "JOB-IDX-11", "JOB-IDX-12", "JOB-IDX-13")
@pytest.mark.parametrize("case", load_cases("job_indexed"))
def test_indexes(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    match given["function"]:
        case "calculateSucceededIndexes":
            job = read_job(given["job"])
            pods = {pod.meta.uid: pod for pod in read_pods(given["pods"], job)}
            look = look_at(see(job, pods), 0)
            assert look.known == _intervals(expect["statusIntervals"])
            assert look.done == _intervals(expect["intervals"])
        case "intervals.has":
            assert has_index(_intervals(given["intervals"]), given["index"]) == expect["has"]
        case "appendDuplicatedIndexPodsForRemoval":
            found = sort_by_index([Pod.from_json(pod) for pod in given["pods"]], given["completions"])
            for pods, wanted in ((found.removed, expect["remove"]), (found.kept, expect["keep"])):
                assert _describe(pods) == _describe([Pod.from_json(pod) for pod in wanted])
        case "firstPendingIndexes":
            _check_missing(given, expect)
        case "podGenerateNameWithIndex":
            assert name_indexed_pods(given["jobName"], given["index"]) == expect["generateName"]
        case other:
            raise AssertionError(other)


def _check_missing(given: dict[str, Any], expect: dict[str, Any]) -> None:
    spec = {"completions": given["completions"], "completionMode": "Indexed"}
    job = read_job(given.get("job") or {"spec": spec})
    entries = [*given.get("activePods", given.get("pods", [])), *given.get("terminatingPods", [])]
    pods = {pod.meta.uid: pod for pod in read_pods(entries, job)}
    done, lost = (_read_set(given.get(name), job) for name in ("succeededIndexes", "failedIndexes"))
    look = Look(None, 0, 0, NO_FAILURES, done=done, lost=lost)
    count = given["count"] if "count" in given else given["cnt"]
    assert list_missing(see(job, pods), look, count) == (expect.get("indexes") or [])


def _read_set(given: str | list[list[int]] | None, job: Job) -> Intervals:
    """Indexes as text, or as pairs."""
    if isinstance(given, str):
        return parse_indexes(given, job.spec.completions or 0)
    return _intervals(given or [])


def _intervals(pairs: list[list[int]]) -> Intervals:
    return tuple((first, last) for first, last in pairs)


def _describe(pods: list[Pod]) -> list[tuple[str, str]]:
    index = "batch.kubernetes.io/job-completion-index"
    return sorted((pod.meta.annotations.get(index, ""), pod.status.phase) for pod in pods)
