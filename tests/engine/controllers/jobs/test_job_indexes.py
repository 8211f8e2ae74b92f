"""Indexed Jobs: which index runs, is done or given up, and when that is enough."""

from typing import Any

import pytest

from tests.engine.controllers.shift import Shift, make_job

INDEX = "batch.kubernetes.io/job-completion-index"
FAILURES, IGNORED = (
    "batch.kubernetes.io/job-index-failure-count",
    "batch.kubernetes.io/job-index-ignored-failure-count",
)


def make_indexed(completions: int, parallelism: int | None = None, **fields: Any) -> dict[str, Any]:
    parallel = completions if parallelism is None else parallelism
    return make_job(completionMode="Indexed", completions=completions, parallelism=parallel, **fields)


def pods_of(shift: Shift, index: int) -> list[dict[str, Any]]:
    return [pod for pod in shift.pods() if pod["metadata"]["annotations"][INDEX] == str(index)]


@pytest.mark.spec(
    "JOB-IDX-01", "JOB-IDX-03", "JOB-IDX-04", "JOB-IDX-05", "JOB-IDX-06", "JOB-IDX-07", "JOB-IDX-08",
    "JOB-IDX-10", "JOB-IDX-13", "JOB-BLPI-04",
)  # fmt: skip
def test_a_pod_knows_its_index_in_four_ways():
    shift = Shift()
    job = make_indexed(3, command="sleep $(( JOB_COMPLETION_INDEX + 1 ))")
    spec = job["spec"]["template"]["spec"]
    own = {"name": "JOB_COMPLETION_INDEX", "value": "mine"}
    spec["initContainers"] = [
        {"name": "init", "image": "busybox:1.36", "command": ["true"]},
        {"name": "other", "image": "busybox:1.36", "command": ["true"], "env": [own]},
    ]
    shift.apply(job)
    shift.run(2.5)
    field = {"apiVersion": "v1", "fieldPath": f"metadata.labels['{INDEX}']"}
    for index, pod in enumerate(shift.pods()):
        name, metadata = f"work-{index}", pod["metadata"]
        assert metadata["name"].startswith(name + "-")
        assert metadata["generateName"] == name + "-"
        assert (metadata["annotations"][INDEX], metadata["labels"][INDEX]) == (str(index), str(index))
        assert pod["spec"]["hostname"] == name
        variables = [one["env"] for one in (*pod["spec"]["containers"], *pod["spec"]["initContainers"])]
        told = [{"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": field}}]
        assert variables == [told, told, [own]]
    assert shift.status()["completedIndexes"] == "0,1"
    shift.run(10)
    assert shift.status()["completedIndexes"] == "0-2"
    assert (shift.status()["succeeded"], shift.job().has_succeeded) == (3, True)


@pytest.mark.spec("JOB-IDX-11")
def test_missing_indexes_start_lowest_first_and_a_failed_one_is_tried_again():
    shift = Shift()
    command = "test $JOB_COMPLETION_INDEX = 0 && sleep 2 && exit 1; sleep 4"
    shift.apply(make_indexed(4, 2, command=command, backoffLimit=2))
    shift.run(60)
    order = [
        row["name"].split("-")[1]
        for row in shift.rows
        if row["kind"] == "Pod" and row.get("field") == "exists" and row["new"] == "created"
    ]
    # A success takes away the delay that a failure before it has left.
    assert order == ["0", "1", "0", "2", "0", "3"]
    assert [at_ms // 1000 for at_ms in shift.created()] == [0, 0, 4, 4, 8, 8]
    assert shift.conditions()[1] == ("Failed", "True", "BackoffLimitExceeded")


@pytest.mark.spec("JOB-IDX-12")
def test_of_two_pods_of_one_index_one_goes():
    shift = Shift()
    shift.apply(make_indexed(2, command="sleep 50"))
    shift.run(5)
    first = pods_of(shift, 0)[0]
    annotations = {"metadata": {"annotations": {INDEX: "1"}}}
    shift.change("patch", first["metadata"]["name"], "Pod", patch=annotations, type="merge")
    shift.run(120)
    assert shift.status()["succeeded"] == 2
    assert shift.status()["completedIndexes"] == "0,1"
    assert shift.told().count("SuccessfulDelete") == 1


@pytest.mark.spec("JOB-BLPI-01", "JOB-BLPI-03", "JOB-BLPI-05", "JOB-BLPI-06", "JOB-BLPI-12", "JOB-TERM-04")
def test_each_index_has_tries_and_delays_of_its_own():
    shift = Shift()
    command = "sleep 1; test $JOB_COMPLETION_INDEX = 1"
    shift.apply(make_indexed(2, command=command, backoffLimitPerIndex=2))
    shift.run(200)
    pods = pods_of(shift, 0)
    assert [pod["metadata"]["annotations"][FAILURES] for pod in pods] == ["0", "1", "2"]
    assert [at_ms // 1000 for at_ms in shift.created()] == [0, 0, 11, 32]
    status = shift.status()
    assert (status["completedIndexes"], status["failedIndexes"], status["failed"]) == ("1", "0", 3)
    assert shift.conditions()[1] == ("Failed", "True", "FailedIndexes")
    assert shift.get("Job", "work")["spec"]["backoffLimit"] == 2**31 - 1


@pytest.mark.spec("JOB-BLPI-12")
def test_the_last_failed_pod_of_an_index_stays_until_it_is_replaced():
    shift = Shift()
    shift.apply(make_indexed(1, command="sleep 1; exit 1", backoffLimitPerIndex=3))
    shift.run(5)
    [pod] = shift.pods()
    shift.change("delete", pod["metadata"]["name"], "Pod", gracePeriodSeconds=0)
    shift.run(1)
    assert [one["metadata"]["name"] for one in shift.pods()] == [pod["metadata"]["name"]]
    shift.run(6)
    [pod] = shift.pods()
    assert pod["metadata"]["annotations"][FAILURES] == "1"


@pytest.mark.spec("JOB-BLPI-07", "JOB-BLPI-08", "JOB-BLPI-10", "JOB-TERM-05")
def test_too_many_failed_indexes_end_the_job():
    shift = Shift()
    command = "test $JOB_COMPLETION_INDEX -lt 2 && exit 1; trap '' TERM; sleep 500"
    pod = {"terminationGracePeriodSeconds": 5}
    shift.apply(make_indexed(4, command=command, pod=pod, backoffLimitPerIndex=0, maxFailedIndexes=1))
    shift.run(60)
    assert shift.conditions() == [
        ("FailureTarget", "True", "MaxFailedIndexesExceeded"),
        ("Failed", "True", "MaxFailedIndexesExceeded"),
    ]
    assert shift.lane("Job", "condition.Failed") == [(5000, "True")]
    # What was stopped counts as failed, and is no failed index.
    assert (shift.status()["failedIndexes"], shift.status()["failed"]) == ("0,1", 4)


# --- policies -----------------------------------------------------------------------------------------------


def rules(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"podFailurePolicy": {"rules": list(entries)}}


def on_exit(action: str, *values: int, operator: str = "In") -> dict[str, Any]:
    return {"action": action, "onExitCodes": {"operator": operator, "values": list(values)}}


@pytest.mark.spec(
    "JOB-PFP-01", "JOB-PFP-02", "JOB-PFP-04", "JOB-PFP-11", "JOB-PFP-15", "JOB-PFP-16", "JOB-TERM-06"
)
def test_the_first_rule_that_matches_decides():
    for first, second, tries in (("FailJob", "Ignore", 1), ("Ignore", "FailJob", 3)):
        shift = Shift()
        policy = rules(on_exit(first, 42), on_exit(second, 42))
        shift.apply(make_job(command="sleep 1; exit 42", backoffLimit=0, **policy))
        shift.run(40)
        assert len(shift.created()) == tries
        if first == "FailJob":
            assert shift.conditions()[1] == ("Failed", "True", "PodFailurePolicy")
            name = shift.pods()[0]["metadata"]["name"]
            why = f"Container main for pod default/{name} failed with exit code 42 matching FailJob rule"
            assert shift.status()["conditions"][0]["message"] == f"{why} at index 0"


@pytest.mark.spec("JOB-PFP-13", "JOB-PFP-14", "JOB-PFP-05")
@pytest.mark.parametrize("action, code, failed", [("Ignore", 3, 0), ("Count", 3, 1), ("Ignore", 4, 1)])
def test_an_ignored_failure_counts_for_nothing_but_the_delay(action: str, code: int, failed: int):
    shift = Shift()
    shift.apply(make_job(command=f"sleep 1; exit {code}", backoffLimit=5, **rules(on_exit(action, 3))))
    shift.run(10)
    assert shift.status().get("failed", 0) == failed
    assert [at_ms // 1000 for at_ms in shift.created()] == [0]
    shift.run(2)
    assert [at_ms // 1000 for at_ms in shift.created()] == [0, 11]


@pytest.mark.spec(
    "JOB-FAIL-07", "JOB-FAIL-08", "JOB-FAIL-09", "JOB-PFP-10", "JOB-PFP-18", "JOB-PFP-20", "JOB-REPL-04"
)
@pytest.mark.spec("DCOND-09")
def test_an_evicted_pod_is_judged_when_it_has_ended():
    shift = Shift()
    policy = rules({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]})
    shift.apply(make_job(command="trap '' TERM; sleep 60", backoffLimit=0, **policy))
    shift.run(5)
    shift.done("evict", name=shift.pods()[0]["metadata"]["name"], namespace="default")
    shift.run(10)
    assert (shift.status()["terminating"], "failed" in shift.status(), len(shift.created())) == (1, False, 1)
    shift.run(200)
    assert (len(shift.created()), "failed" in shift.status(), shift.job().has_succeeded) == (2, False, True)
    assert shift.get("Job", "work")["spec"]["podReplacementPolicy"] == "Failed"


@pytest.mark.spec("JOB-BLPI-11", "JOB-PFP-12")
def test_ignored_failures_of_an_index_are_counted_apart():
    shift = Shift()
    policy = rules(on_exit("Ignore", 3))
    shift.apply(make_indexed(1, command="sleep 1; exit 3", backoffLimitPerIndex=1, **policy))
    shift.run(40)
    counts = [pod["metadata"]["annotations"] for pod in shift.pods()]
    assert [(one[FAILURES], one.get(IGNORED)) for one in counts] == [("0", None), ("0", "1"), ("0", "2")]


@pytest.mark.spec(
    "JOB-SUCC-01", "JOB-SUCC-02", "JOB-SUCC-03", "JOB-SUCC-09", "JOB-SUCC-10", "JOB-SUCC-11", "JOB-TERM-08"
)
def test_a_leader_that_succeeds_is_enough():
    shift = Shift()
    command = "test $JOB_COMPLETION_INDEX = 0 && sleep 3 && exit 0; trap '' TERM; sleep 100"
    policy = {"successPolicy": {"rules": [{"succeededIndexes": "0"}]}}
    shift.apply(make_indexed(3, command=command, pod={"terminationGracePeriodSeconds": 4}, **policy))
    shift.run(60)
    assert shift.lane("Job", "condition.SuccessCriteriaMet") == [(3000, "True")]
    assert shift.lane("Job", "condition.Complete") == [(7000, "True")]
    assert shift.conditions()[1] == ("Complete", "True", "SuccessPolicy")
    assert (shift.status()["succeeded"], "failed" in shift.status()) == (1, False)


@pytest.mark.spec("JOB-SUCC-13")
def test_what_fails_after_the_criteria_are_met_does_not_matter():
    shift = Shift()
    command = "test $JOB_COMPLETION_INDEX = 0 && sleep 3 && exit 0; trap 'exit 1' TERM; sleep 100 & wait"
    policy = {"successPolicy": {"rules": [{"succeededCount": 1}]}}
    shift.apply(make_indexed(3, command=command, backoffLimit=0, **policy))
    shift.run(60)
    assert shift.conditions()[1] == ("Complete", "True", "SuccessPolicy")


@pytest.mark.spec("JOB-ELASTIC-01", "JOB-ELASTIC-02", "JOB-ELASTIC-03", "JOB-ELASTIC-04")
def test_an_elastic_job_loses_its_highest_indexes_and_gets_them_back():
    shift = Shift()
    shift.apply(make_indexed(5, command="trap 'exit 0' TERM; sleep 900 & wait"))
    shift.run(5)
    shift.patch(completions=3, parallelism=3)
    shift.run(5)
    assert sorted(pod["metadata"]["annotations"][INDEX] for pod in shift.pods()) == ["0", "1", "2"]
    shift.patch(completions=6, parallelism=6)
    shift.run(5)
    assert shift.status()["active"] == 6
    result = shift.submit(
        "patch",
        kind="Job",
        namespace="default",
        name="work",
        patch={"spec": {"completions": 4}},
        type="merge",
    )
    assert "can only be modified in tandem with spec.parallelism" in (result.status or {})["message"]


@pytest.mark.spec("JOB-ELASTIC-02")
def test_indexes_that_are_done_and_no_more_wanted_no_longer_count():
    shift = Shift()
    shift.apply(make_indexed(4, command="test $JOB_COMPLETION_INDEX = 0 && sleep 900; sleep 1"))
    shift.run(5)
    assert shift.status()["completedIndexes"] == "1-3"
    shift.patch(completions=2, parallelism=2)
    shift.run(5)
    assert (shift.status()["completedIndexes"], shift.status()["succeeded"]) == ("1", 1)


def test_a_failure_is_not_counted_while_another_pod_is_ready_and_its_index_waits():
    """Recorded by v1.35 (own-job-index-delay-each): no more ready pods than active ones are taken."""
    shift = Shift()
    command = "sleep 3; [ $JOB_COMPLETION_INDEX = 0 ] && exit 1; sleep 60"
    shift.apply(make_indexed(2, command=command, parallelism=2, backoffLimitPerIndex=1))
    shift.run(10)
    assert "failed" not in shift.status()
    assert (shift.status()["active"], shift.status()["ready"]) == (2, 2)
    shift.run(5)
    assert shift.status()["failed"] == 1
