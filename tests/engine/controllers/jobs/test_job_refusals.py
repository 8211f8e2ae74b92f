"""Which Jobs are refused, and what may not change of one: by what each requirement names."""

import copy
from typing import Any

import pytest

from lifecycle.engine.kinds.presentation import decide_columns
from tests.engine.controllers.shift import Shift, make_job

INDEXED = {"completionMode": "Indexed", "completions": 4, "parallelism": 2}
PER_INDEX = {**INDEXED, "backoffLimitPerIndex": 1}


def rule(**fields: Any) -> dict[str, Any]:
    return {"podFailurePolicy": {"rules": [{"action": "FailJob", **fields}]}}


def codes(*values: int, operator: str = "In", **fields: Any) -> dict[str, Any]:
    return {"onExitCodes": {"operator": operator, "values": list(values), **fields}}


def success(*rules: dict[str, Any]) -> dict[str, Any]:
    return {**INDEXED, "successPolicy": {"rules": list(rules)}}


CONDITIONS = {"onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
CASES = [
    ("JOB-SPEC-07", {}, "Always", "spec.template.spec.restartPolicy"),
    ("JOB-SPEC-08", {"parallelism": -1}, "Never", "must be greater than or equal to 0"),
    ("JOB-SEL-03", {"selector": {"matchLabels": {"a": "b"}}}, "Never", "`selector` not auto-generated"),
    ("JOB-IDX-09", {**INDEXED, "parallelism": 100_001}, "Never", "must be less than or equal to 100000"),
    ("JOB-BLPI-02", {"backoffLimitPerIndex": 1}, "Never", "requires indexed completion mode"),
    ("JOB-BLPI-13", {**INDEXED, "maxFailedIndexes": 1}, "Never", "spec.backoffLimitPerIndex"),
    ("JOB-BLPI-13", {**PER_INDEX, "maxFailedIndexes": 5}, "Never", "less than or equal to completions"),
    ("JOB-PFP-03", rule(**codes(1)), "OnFailure", 'only "Never" is supported'),
    ("JOB-PFP-07", rule(**codes(1, containerName="other")), "Never", "must be one of the container or"),
    ("JOB-PFP-09", rule(**codes(2, 1)), "Never", "must be ordered"),
    ("JOB-PFP-09", rule(**codes(0, 1)), "Never", "must not be 0 for the In operator"),
    ("JOB-PFP-12", {**INDEXED, **rule(**codes(1), action="FailIndex")}, "Never", "FailIndex"),
    ("JOB-PFP-19", rule(**codes(1), **CONDITIONS), "Never", "OnExitCodes and OnPodConditions"),
    ("JOB-REPL-04", {**rule(**codes(1)), "podReplacementPolicy": "TerminatingOrFailed"}, "Never", "Failed"),
    ("JOB-SUCC-01", {"successPolicy": {"rules": [{"succeededCount": 1}]}}, "Never", "requires indexed"),
    ("JOB-SUCC-08", success({"succeededIndexes": "0,9"}), "Never", "succeededIndexes"),
    ("JOB-SUCC-12", success(), "Never", "successPolicy.rules"),
    ("JOB-SUCC-12", success({"succeededCount": 5}), "Never", "succeededCount"),
    ("JOB-MANAGED-03", {"managedBy": "queue"}, "Never", "spec.managedBy"),
]  # fmt: skip


@pytest.mark.parametrize(
    "spec, policy, text",
    [
        pytest.param(*case, marks=pytest.mark.spec(name), id=f"{name}-{n}")
        for n, (name, *case) in enumerate(CASES)
    ],
)
def test_a_job_that_breaks_a_rule_is_refused(spec: dict[str, Any], policy: str, text: str):
    job = make_job(policy=policy, **copy.deepcopy(spec))
    job["metadata"]["namespace"] = "default"
    shift = Shift()
    result = shift.submit("create", object=job)
    assert (result.code, result.ok) == (422, False)
    assert text in (result.status or {})["message"]
    assert shift.cluster.list("Job") == []


@pytest.mark.spec("JOB-SPEC-09", "JOB-MANAGED-03", "JOB-ELASTIC-03")
@pytest.mark.parametrize(
    "patch",
    [
        {"completions": 3},
        {"completionMode": "Indexed"},
        {"managedBy": "example.com/queue"},
        {"selector": {"matchLabels": {"a": "b"}}},
        {"template": {"spec": {"containers": [{"name": "main", "image": "other"}]}}},
    ],
)
def test_most_of_a_job_stays_for_life(patch: dict[str, Any]):
    shift = Shift()
    shift.apply(make_job())
    result = shift.submit(
        "patch", kind="Job", namespace="default", name="work", patch={"spec": patch}, type="merge"
    )
    assert result.code == 422
    assert "field is immutable" in (result.status or {})["message"]


@pytest.mark.spec("JOB-SPEC-10", "JOB-BACKOFF-11", "JOB-IDX-01")
@pytest.mark.parametrize(
    "given, expected",
    [
        ({}, {"completions": 1, "parallelism": 1, "backoffLimit": 6}),
        ({"completions": 3}, {"completions": 3, "parallelism": 1}),
        ({"parallelism": 3}, {"completions": None, "parallelism": 3, "completionMode": "NonIndexed"}),
        (PER_INDEX, {"backoffLimit": 2**31 - 1, "suspend": False}),
    ],
)
def test_what_is_left_out_has_a_default(given: dict[str, Any], expected: dict[str, Any]):
    shift = Shift()
    spec = shift.apply(make_job(**given))["spec"]
    assert {name: spec.get(name) for name in expected} == expected


@pytest.mark.spec("JOB-API-02", "JOB-API-03", "JOB-API-04", "JOB-SUSP-13", "JOB-EX-07", "JOB-EX-08")
@pytest.mark.parametrize(
    "spec, command, at, expected",
    [
        ({"completions": 2}, "sleep 5", 3, ("Running", "0/2", "3s")),
        ({"completions": 2}, "sleep 5", 60, ("Complete", "2/2", "10s")),
        ({"parallelism": 3}, "sleep 5", 3, ("Running", "0/1 of 3", "3s")),
        ({"backoffLimit": 0}, "sleep 5; exit 1", 60, ("Failed", "0/1", "60s")),
        ({"suspend": True}, "sleep 5", 60, ("Suspended", "0/1", "")),
        ({"activeDeadlineSeconds": 10}, "trap '' TERM; sleep 99", 20, ("FailureTarget", "0/1", "20s")),
    ],
)
def test_what_a_table_shows_of_a_job(spec: dict[str, Any], command: str, at: int, expected: tuple[str, ...]):
    shift = Shift()
    shift.apply(make_job(command=command, **spec))
    shift.run(at)
    job, cluster = shift.get("Job", "work"), shift.cluster
    columns = decide_columns(job, cluster.now_ms, epoch_ms=cluster.epoch_ms)
    assert tuple(columns[name] for name in ("STATUS", "COMPLETIONS", "DURATION")) == expected
