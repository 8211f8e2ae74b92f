"""Adapter of job_finalizer_accounting.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.job.decide.accounting import take_account
from lifecycle.engine.controllers.job.decide.look import Look, look_at, make_condition
from lifecycle.engine.objects.workloads.job import Job
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
    pods = {pod.meta.uid: pod for pod in read_pods(_list_tracked(given), job)}
    seen = see(job, pods, gates=JobGates.read(given.get("featureGates") or {}))
    if "statusUpdates" not in expect:
        look = look_at(seen, NOW_MS)
        assert (look.succeeded, look.failed) == (expect["succeeded"], expect["failed"])
        return
    account = take_account(seen, _look(job, seen), job.status, _end(given), seen.pods.terminating, NOW_MS)
    finals = [account.final] if account.final != account.told else []
    written, tried = finals, len(account.released)
    if given.get("needsFlush") or _has_news(job, account.told):
        written = [account.told, *finals]
    # Nothing follows what is refused: the first write of the status, or taking the finalizers off.
    match given.get("injectedError"):
        case "statusUpdate" if written:
            assert expect["error"]
            written, tried = written[:1], 0 if written[0] is account.told else tried
        case str(_) if tried:
            assert expect["error"]
            written = [one for one in written if one is account.told]
        case _:
            assert not expect.get("error")
    assert tried == expect["finalizersRemoved"]
    assert len(written) == len(expect["statusUpdates"])
    for status, wanted in zip(written, expect["statusUpdates"], strict=True):
        check_status(status, wanted)
        assert (status.completion_ms is not None) == wanted.get("completionTimeSet", False)


def _list_tracked(given: dict[str, Any]) -> list[dict[str, Any]]:
    """The pods; those whose finalizer is as good as gone have none (`expectedRmFinalizers`)."""
    gone, pods = set(given.get("expectedRmFinalizers") or ()), []
    for pod in given["pods"]:
        metadata = pod.get("metadata") or {}
        is_gone = metadata.get("uid") in gone
        pods.append({**pod, "metadata": {**metadata, "finalizers": []}} if is_gone else pod)
    return pods


def _has_news(job: Job, told: Any) -> bool:
    before = job.status.uncounted.to_json() if job.status.uncounted else {}
    return bool(told != job.status.replace(uncounted=told.uncounted) or told.uncounted.to_json() != before)


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
