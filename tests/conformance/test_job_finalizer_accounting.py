"""Adapter of job_finalizer_accounting.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.job.decide.accounting import take_account
from lifecycle.engine.controllers.job.decide.look import Look, look_at, make_condition
from lifecycle.engine.objects.job import Job
from lifecycle.engine.rules.jobs.backoff import NO_FAILURES
from lifecycle.engine.rules.jobs.gates import JobGates
from lifecycle.engine.rules.jobs.indexes import parse_indexes
from tests.conformance.cases import load_cases
from tests.conformance.jobs import NOW_MS, check_status, read_job, read_pods, see


@pytest.mark.spec("JOB-FIN-02", "JOB-FIN-03", "JOB-FIN-04", "JOB-TERM-09", "JOB-TERM-10", "JOB-TERM-11")
@pytest.mark.parametrize("case", load_cases("job_finalizer_accounting"))
def test_each_ended_pod_is_counted_once(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    job = read_job(given["job"])
    pods = {pod.meta.uid: pod for pod in read_pods(given["pods"], job)}
    seen = see(job, pods, gates=JobGates.read(given.get("featureGates") or {}))
    if "statusUpdates" not in expect:
        look = look_at(seen, NOW_MS)
        assert (look.succeeded, look.failed) == (expect["succeeded"], expect["failed"])
        return
    account = take_account(seen, _look(job, seen), job.status, _end(given), seen.pods.terminating, NOW_MS)
    written = []
    if account.told != job.status.replace(uncounted=account.told.uncounted) or _has_news(job, account.told):
        written.append(account.told)
    if given.get("injectedError") == "statusUpdate":
        # The first write is refused, and nothing follows it.
        assert expect["error"]
        assert expect["finalizersRemoved"] == 0
    else:
        assert len(account.released) == expect["finalizersRemoved"]
        written += [account.final] if account.final != account.told else []
    assert len(written) == len(expect["statusUpdates"])
    for status, wanted in zip(written, expect["statusUpdates"], strict=True):
        check_status(status, wanted)
        assert (status.completion_ms is not None) == wanted.get("completionTimeSet", False)


def _has_news(job: Job, told: Any) -> bool:
    before = job.status.uncounted.to_json() if job.status.uncounted else {}
    return bool(told.uncounted.to_json() != before)


def _look(job: Job, seen: Any) -> Look:
    """What the table's call is handed: the indexes that are written, and the pods that wait."""
    full = look_at(seen, NOW_MS)
    done = (
        parse_indexes(job.status.completed_indexes, job.spec.completions or 0) if job.spec.is_indexed else ()
    )
    return Look(None, 0, 0, NO_FAILURES, (), done, full.lost, full.awaiting)


def _end(given: dict[str, Any]) -> Any:
    wanted = given["finishedCondition"]
    if wanted is None:
        return None
    return make_condition(wanted["type"], wanted.get("reason", ""), wanted.get("message", ""), NOW_MS)
