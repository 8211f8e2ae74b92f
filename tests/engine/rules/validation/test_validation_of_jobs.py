"""What the API server says to Jobs and CronJobs, word by word as a real v1.35.6 where that was recorded."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import list_warnings, validate_manifest, validate_update
from lifecycle.input.manifests import Document
from lifecycle.input.schema import check_document

Json = dict[str, Any]
POD = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1.36"}]}
NOT_NEGATIVE = "must be greater than or equal to 0"
LABELS = ("controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name")


def make_job(name: str = "x", pod: Json | None = None, **spec: Any) -> Json:
    template = {"spec": {**POD, **(pod or {})}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": template, **spec},
    }


def make_cron_job(name: str = "x", job: Json | None = None, **spec: Any) -> Json:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name},
        "spec": {
            "schedule": "* * * * *",
            "jobTemplate": {"spec": {"template": {"spec": POD}, **(job or {})}},
            **spec,
        },
    }


def refusals(data: Json) -> list[str]:
    return list(dict.fromkeys(map(str, validate_manifest(apply_defaults(data)))))


class Server:
    """A cluster in which no container ever runs."""

    def __init__(self) -> None:
        self.cluster = Cluster(settings=Settings(timing="instant", nodes={"count": 0}))
        self._count = 0

    def submit(self, command: str, /, **payload: Any) -> Any:
        self._count += 1
        return self.cluster.submit(Command(str(self._count), command, payload))

    def create(self, data: Json) -> Json:
        result = self.submit("create", object=copy.deepcopy(data))
        assert result.ok, result.status
        return result.object

    def patch(self, of: str, name: str, patch: Json, how: str = "merge", **more: Any) -> Any:
        where = {"kind": of, "namespace": "default", "name": name}
        return self.submit("patch", **where, type=how, patch=patch, **more)

    def refused(self, of: str, name: str, patch: Json, **more: Any) -> list[str]:
        status = self.patch(of, name, patch, **more).status
        assert status is not None, "it was accepted"
        causes = status["details"]["causes"]
        return list(dict.fromkeys(f"{one['field']}: {one['message']}" for one in causes))


def test_a_job_whose_pods_never_end_is_refused() -> None:
    job = make_job()
    del job["spec"]["template"]["spec"]["restartPolicy"]
    needed = 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'
    assert refusals(job) == [needed]
    assert refusals(make_job(pod={"restartPolicy": "Always"})) == [needed]


@pytest.mark.spec("JOB-SPEC-07", "JOB-SPEC-08", "JOB-MANAGED-03", "JOB-ALT-03")
@pytest.mark.parametrize(
    "spec, expected",
    [
        # Answered by a real server.
        (
            {
                "parallelism": -1,
                "completions": -1,
                "backoffLimit": -1,
                "activeDeadlineSeconds": -1,
                "ttlSecondsAfterFinished": -1,
            },
            [
                f"spec.{field}: Invalid value: -1: {NOT_NEGATIVE}"
                for field in (
                    "parallelism",
                    "completions",
                    "activeDeadlineSeconds",
                    "backoffLimit",
                    "ttlSecondsAfterFinished",
                )
            ],
        ),
        ({"completionMode": "Indexed"}, []),
        (
            {"backoffLimitPerIndex": 1},
            ["spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"],
        ),
        (
            {
                "completionMode": "Indexed",
                "completions": 2,
                "backoffLimitPerIndex": 1,
                "maxFailedIndexes": 5,
            },
            ["spec.maxFailedIndexes: Invalid value: 5: must be less than or equal to completions"],
        ),
        (
            {"manualSelector": True},
            [
                "spec.selector: Required value",
                "spec.template.metadata.labels: Invalid value: null: `selector` does not match template"
                " `labels`",
            ],
        ),
        (
            {
                "podFailurePolicy": {
                    "rules": [
                        {"action": "Explode", "onExitCodes": {"operator": "In", "values": [0, 1, 1]}},
                        {"action": "Ignore"},
                        {
                            "action": "Count",
                            "onExitCodes": {
                                "containerName": "none",
                                "operator": "NotIn",
                                "values": [3, 2],
                            },
                        },
                        {
                            "action": "FailIndex",
                            "onPodConditions": [{"type": "bad type", "status": "Maybe"}],
                        },
                    ]
                }
            },
            [
                'spec.podFailurePolicy.rules[0].action: Unsupported value: "Explode": supported values:'
                ' "Count", "FailIndex", "FailJob", "Ignore"',
                "spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for"
                " the In operator",
                "spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 1",
                "spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and"
                " OnPodConditions is required",
                'spec.podFailurePolicy.rules[2].onExitCodes.containerName: Invalid value: "none": must be one'
                " of the container or initContainer names in the pod template",
                "spec.podFailurePolicy.rules[2].onExitCodes.values: Invalid value: [3,2]: must be ordered",
                'spec.podFailurePolicy.rules[3].action: Invalid value: "FailIndex": requires the'
                " backoffLimitPerIndex to be set",
                'spec.podFailurePolicy.rules[3].onPodConditions[0].type: Invalid value: "bad type": name part'
                " must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
                " alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for"
                " validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
                'spec.podFailurePolicy.rules[3].onPodConditions[0].status: Unsupported value: "Maybe":'
                ' supported values: "False", "True", "Unknown"',
            ],
        ),
        (
            {
                "podReplacementPolicy": "TerminatingOrFailed",
                "podFailurePolicy": {
                    "rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]
                },
            },
            [
                'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values:'
                ' "Failed"'
            ],
        ),
        (
            {
                "completionMode": "Indexed",
                "completions": 3,
                "successPolicy": {
                    "rules": [
                        {},
                        {"succeededIndexes": "2-1"},
                        {"succeededIndexes": "0-9"},
                        {"succeededCount": 9},
                    ]
                },
            },
            [
                "spec.successPolicy.rules[0]: Required value: at least one of succeededCount or"
                " succeededIndexes must be specified",
                'spec.successPolicy.rules[1].succeededIndexes: Invalid value: "2-1": error parsing'
                " succeededIndexes: non-increasing order, previous: 2, current: 1",
                'spec.successPolicy.rules[2].succeededIndexes: Invalid value: "0-9": error parsing'
                ' succeededIndexes: too large index: "9"',
                "spec.successPolicy.rules[3].succeededCount: Invalid value: 9: must be less than or equal to"
                " 3 (the number of specified completions)",
            ],
        ),
        # By the rules of the API server.
        (
            {"completionMode": "Indexed", "parallelism": 2},
            ["spec.completions: Required value: when completion mode is Indexed"],
        ),
        (
            {"completionMode": "Sorted"},
            [
                'spec.completionMode: Unsupported value: "Sorted": supported values: "NonIndexed", "Indexed"',
            ],
        ),
        (
            {"completionMode": "Indexed", "completions": 3, "maxFailedIndexes": 1},
            ["spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"],
        ),
        (
            {
                "completionMode": "Indexed",
                "completions": 100_001,
                "parallelism": 10_001,
                "backoffLimitPerIndex": 1,
            },
            [
                "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
                "spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions"
                " are above 100000 and used with backoff limit per index",
            ],
        ),
        (
            {"successPolicy": {"rules": [{"succeededCount": 1}]}},
            [
                'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}:'
                " requires indexed completion mode"
            ],
        ),
        (
            {"completionMode": "Indexed", "completions": 2, "successPolicy": {"rules": []}},
            [
                "spec.successPolicy.rules: Required value: at least one rules must be specified when the"
                " successPolicy is specified"
            ],
        ),
        (
            {
                "completionMode": "Indexed",
                "completions": 5,
                "successPolicy": {"rules": [{"succeededIndexes": "0-1", "succeededCount": 3}]},
            },
            [
                "spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than or equal to"
                " 2 (the number of indexes in the specified succeededIndexes field)"
            ],
        ),
        (
            {
                "podFailurePolicy": {
                    "rules": [
                        {
                            "action": "Ignore",
                            "onExitCodes": {"operator": "In", "values": []},
                            "onPodConditions": [{"type": "DisruptionTarget"}],
                        },
                        {"onPodConditions": [{"type": "DisruptionTarget"}]},
                    ]
                }
            },
            [
                "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is"
                " required",
                "spec.podFailurePolicy.rules[0]: Invalid value: specifying both OnExitCodes and"
                " OnPodConditions is not supported",
                'spec.podFailurePolicy.rules[1].action: Required value: valid values: ["Count" "FailIndex"'
                ' "FailJob" "Ignore"]',
            ],
        ),
        ({"managedBy": "kubernetes.io/job-controller"}, []),
        (
            {"managedBy": "mine"},
            ['spec.managedBy: Invalid value: "mine": must be a domain-prefixed path (such as "acme.io/foo")'],
        ),
        (
            {"managedBy": f"acme.io/{'a' * 60}"},
            ["spec.managedBy: Too long: may not be more than 63 bytes"],
        ),
    ],
)
def test_a_job_is_refused_in_these_words(spec: Json, expected: list[str]) -> None:
    assert refusals(make_job(**spec)) == expected


def test_very_large_jobs_are_warned_of() -> None:
    large = {"completionMode": "Indexed", "completions": 100_001, "parallelism": 10_001}
    (warning,) = list_warnings(make_job(**large))
    assert warning.startswith("spec: In Indexed Jobs with a number of completions higher than 10^5")
    (warning,) = list_warnings(make_cron_job(job=large))
    assert warning.startswith("spec.jobTemplate.spec: In Indexed Jobs")
    assert list_warnings(make_job(**{**large, "parallelism": 10_000})) == []


def test_pods_that_failed_are_looked_at_only_where_they_are_not_started_again() -> None:
    rules = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
    job = make_job(pod={"restartPolicy": "OnFailure"}, podFailurePolicy={"rules": rules})
    assert refusals(job) == [
        'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when'
        " podFailurePolicy is specified"
    ]


@pytest.mark.spec("JOB-SPEC-01", "JOB-SPEC-04", "JOB-SPEC-05")
def test_a_job_needs_a_template_and_nothing_else() -> None:
    assert refusals(make_job()) == []
    containers = "spec.template.spec.containers: Required value"
    policy = 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'
    assert refusals({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x"}, "spec": {}}) == [
        containers,
        policy,
    ]


@pytest.mark.spec("JOB-SPEC-03")
def test_a_jobs_name_is_a_label_of_its_pods() -> None:
    # Answered by a real server.
    value = (
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and"
        " must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345',"
        " regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
    )
    assert refusals(make_job("Bad_"))[1:] == [f'spec.template.labels: Invalid value: "Bad_": {value}']
    long = "x" * 64
    assert refusals(make_job(long)) == [
        f'spec.template.labels: Invalid value: "{long}": must be no more than 63 bytes'
    ]
    assert refusals(make_job("x" * 63)) == []


def test_the_pods_of_an_indexed_job_have_host_names() -> None:
    name = "x" * 62
    assert refusals(make_job(name, completionMode="Indexed", completions=10)) == [
        f'metadata.name: Invalid value: "{name}": will not able to create pod with invalid DNS label:'
        f" {name}-9"
    ]
    assert refusals(make_job("x" * 61, completionMode="Indexed", completions=10)) == []


@pytest.mark.spec("TTL-01")
def test_only_jobs_have_a_limited_life() -> None:
    spec = {"selector": {}, "template": {}, "ttlSecondsAfterFinished": 5}
    data = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": spec}
    (problem,) = check_document(Document(data))
    assert problem.path == "spec.ttlSecondsAfterFinished"
    assert check_document(Document(make_job(ttlSecondsAfterFinished=5))) == []


# --- what is made of a Job's uid --------------------------------------------------------------------------


@pytest.mark.spec("JOB-LABEL-01", "JOB-LABEL-02", "JOB-LABEL-03", "JOB-LABEL-04", "JOB-SEL-01", "JOB-EX-11")
def test_a_job_has_a_selector_and_labels_of_its_uid() -> None:
    job = Server().create(make_job("pi"))
    uid = job["metadata"]["uid"]
    labels = dict(zip(LABELS, (uid, "pi", uid, "pi"), strict=True))
    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    assert job["spec"]["template"]["metadata"]["labels"] == labels
    assert job["metadata"]["labels"] == labels
    told = {"parallelism": 1, "completions": 1, "completionMode": "NonIndexed", "suspend": False}
    told |= {
        "manualSelector": False,
        "backoffLimit": 6,
        "podReplacementPolicy": "TerminatingOrFailed",
    }
    assert {name: job["spec"][name] for name in told} == told


@pytest.mark.spec("JOB-LABEL-03", "JOB-SPEC-06")
def test_a_jobs_own_labels_are_kept_apart_from_its_template() -> None:
    server, same = Server(), {"app": "x"}
    job = make_job("a")
    job["spec"]["template"]["metadata"] = {"labels": dict(same)}
    assert set(server.create(job)["metadata"]["labels"]) == {"app", *LABELS}
    job["metadata"] = {"name": "b", "labels": dict(same)}
    assert server.create(job)["metadata"]["labels"] == same
    # Without labels it is given its template's again.
    taken = server.patch("Job", "b", {"metadata": {"labels": None}}).object
    assert set(taken["metadata"]["labels"]) == {"app", *LABELS}


@pytest.mark.spec("JOB-SEL-02")
def test_a_job_of_the_same_name_has_another_selector() -> None:
    server = Server()
    first = server.create(make_job("a"))
    server.submit("delete", kind="Job", namespace="default", name="a", propagationPolicy="Background")
    assert first["spec"]["selector"] != server.create(make_job("a"))["spec"]["selector"]


@pytest.mark.spec("JOB-SEL-03", "JOB-SPEC-06")
def test_what_is_generated_may_not_be_given_otherwise() -> None:
    given = {"matchLabels": {"app": "x"}}
    made = '{"matchLabels":{"app":"x","batch.kubernetes.io/controller-uid":"its-uid"}}'
    labels = {
        "batch.kubernetes.io/controller-uid": "its-uid",
        "batch.kubernetes.io/job-name": "x",
        "controller-uid": "its-uid",
        "job-name": "x",
    }
    shown = ",".join(f'"{name}":"{value}"' for name, value in labels.items())
    assert refusals(make_job(selector=given)) == [
        f"spec.selector: Invalid value: {made}: `selector` not auto-generated",
        f"spec.template.metadata.labels: Invalid value: {{{shown}}}: `selector` does not match template"
        " `labels`",
    ]
    job = make_job()
    job["spec"]["template"]["metadata"] = {"labels": {"job-name": "y"}}
    (problem,) = refusals(job)
    assert problem.startswith("spec.template.metadata.labels[job-name]: Invalid value: {")
    assert problem.endswith("}: must be 'x'")


@pytest.mark.spec("JOB-SEL-04", "JOB-SEL-05", "JOB-SEL-09")
def test_a_manual_selector_is_stored_as_it_is() -> None:
    server, selector = Server(), {"matchLabels": {"app": "x"}}
    job = make_job("a", manualSelector=True, selector=selector)
    (problem,) = refusals(job)
    assert problem == (
        "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`"
    )
    job["spec"]["template"]["metadata"] = {"labels": {"app": "x"}}
    for name in ("a", "b"):
        made = server.create({**job, "metadata": {"name": name}})
        assert made["spec"]["selector"] == selector
        assert made["spec"]["template"]["metadata"]["labels"] == {"app": "x"}


# --- changes ----------------------------------------------------------------------------------------------


def change(before: Json, status: Json | None = None, **fields: Any) -> list[str]:
    """What is said to a Job, as it is stored, whose spec is changed."""
    job = Server().create(make_job(**before))
    if status is not None:
        job["status"] = status
    after = copy.deepcopy(job)
    for name, value in fields.items():
        if value is None:
            after["spec"].pop(name)
        else:
            after["spec"][name] = value
    return [str(error) for error in validate_update(job, after)]


INDEXED = {"completionMode": "Indexed", "completions": 3, "parallelism": 3}


@pytest.mark.spec("JOB-SPEC-09", "JOB-ELASTIC-01", "JOB-ELASTIC-03", "JOB-MANAGED-03")
@pytest.mark.parametrize(
    "before, fields, expected",
    [
        # Answered by a real server.
        ({}, {"completions": 3}, ["spec.completions: Invalid value: 3: field is immutable"]),
        ({}, {"backoffLimit": 2}, []),
        # By the rules of the API server.
        (
            {},
            {"parallelism": 2, "suspend": True, "activeDeadlineSeconds": 5, "ttlSecondsAfterFinished": 5},
            [],
        ),
        (INDEXED, {"completions": 5, "parallelism": 5}, []),
        (
            INDEXED,
            {"completions": 5},
            ["spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism"],
        ),
        (INDEXED, {"parallelism": 5}, []),
        (
            INDEXED,
            {"completionMode": "NonIndexed"},
            ['spec.completionMode: Invalid value: "NonIndexed": field is immutable'],
        ),
        (
            INDEXED,
            {"backoffLimitPerIndex": 1},
            ["spec.backoffLimitPerIndex: Invalid value: 1: field is immutable"],
        ),
        (
            {},
            {"managedBy": "acme.io/a"},
            ['spec.managedBy: Invalid value: "acme.io/a": field is immutable'],
        ),
        (
            INDEXED,
            {"successPolicy": {"rules": [{"succeededCount": 1}]}},
            [
                'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}:'
                " field is immutable"
            ],
        ),
        (
            {},
            {
                "podFailurePolicy": {
                    "rules": [{"action": "Ignore", "onPodConditions": [{"type": "Ready", "status": "False"}]}]
                },
                "podReplacementPolicy": "Failed",
            },
            [
                'spec.podFailurePolicy: Invalid value: {"Rules":[{"Action":"Ignore","OnExitCodes":null,'
                '"OnPodConditions":[{"Type":"Ready","Status":"False"}]}]}: field is immutable'
            ],
        ),
    ],
)
def test_little_may_change_of_a_job(before: Json, fields: Json, expected: list[str]) -> None:
    assert change(before, **fields) == expected


def with_template(**changes: Any) -> Json:
    """A change of the template: fields of its pod's spec, and `labels`."""

    def apply(job: Json) -> Json:
        template = job["spec"]["template"]
        labels = changes.pop("labels", None)
        template["metadata"]["labels"].update(labels or {})
        template["spec"].update(changes)
        return job

    return apply


ZONED = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
    {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}
]}}}  # fmt: skip


@pytest.mark.spec("JOB-SCHED-01", "JOB-SCHED-02", "JOB-SCHED-03", "JOB-SPEC-09")
@pytest.mark.parametrize(
    "fields, is_directive",
    [
        ({"nodeSelector": {"disk": "ssd"}}, True),
        ({"tolerations": [{"key": "gpu", "operator": "Exists"}]}, True),
        ({"schedulingGates": [{"name": "acme.io/wait"}]}, True),
        ({"affinity": ZONED}, True),
        ({"labels": {"queue": "a"}}, True),
        ({"affinity": {"podAffinity": {}}}, False),
        ({"containers": [{**POD["containers"][0], "image": "busybox:1.37"}]}, False),
        ({"priorityClassName": "high"}, False),
    ],
)
def test_where_pods_go_may_change_until_the_first_start(fields: Json, is_directive: bool) -> None:
    immutable = ["field is immutable"]
    for suspend, status, is_free in (
        (True, {}, True),
        (True, {"startTime": "2026-01-01T00:00:00Z"}, False),
        (False, {}, False),
    ):
        job = Server().create(make_job(suspend=suspend))
        after = with_template(**fields)(copy.deepcopy(job))
        errors = validate_update({**job, "status": status}, apply_defaults(after))
        allowed = is_free and is_directive
        assert [error.detail for error in errors] == ([] if allowed else immutable)
        # Since v1.36 a template of which some may change is compared but for that, as a PodSpec.
        path = "spec.template.spec" if is_free else "spec.template"
        assert {error.path for error in errors} <= {path}


# --- status -----------------------------------------------------------------------------------------------


def condition(type: str, status: str = "True") -> Json:
    return {"type": type, "status": status}


START, END = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"
COMPLETE = {
    "startTime": START,
    "completionTime": END,
    "succeeded": 1,
    "conditions": [condition("SuccessCriteriaMet"), condition("Complete")],
}


@pytest.mark.spec("JOB-TERM-01", "JOB-TERM-13")
@pytest.mark.parametrize(
    "before, after, expected",
    [
        ({}, COMPLETE, []),
        ({}, {"active": -1}, ["status.active: Invalid value: -1: must be greater than or equal to 0"]),
        (
            {},
            {"active": 1, "ready": 2},
            ["status.ready: Invalid value: 2: cannot set more ready pods than active"],
        ),
        (
            {},
            {"startTime": START, "conditions": [condition("Failed")]},
            [
                "status.conditions: Invalid value: cannot set Failed=True condition without the"
                " FailureTarget=true condition"
            ],
        ),
        (
            {},
            {**COMPLETE, "conditions": [condition("Complete")]},
            [
                "status.conditions: Invalid value: cannot set Complete=True condition without the"
                " SuccessCriteriaMet=true condition"
            ],
        ),
        (
            {},
            {"conditions": COMPLETE["conditions"], "active": 1},
            [
                "status.completionTime: Required value: completionTime is required for Complete jobs",
                "status.active: Invalid value: 1: active>0 is invalid for finished job",
                "status.startTime: Required value: startTime is required for finished job",
            ],
        ),
        (
            {},
            {**COMPLETE, "completionTime": "2025-01-01T00:00:00Z"},
            [
                'status.completionTime: Invalid value: "2025-01-01T00:00:00Z": must be equal to or after'
                " `startTime`"
            ],
        ),
        (
            COMPLETE,
            {**COMPLETE, "conditions": [condition("SuccessCriteriaMet")], "completionTime": None},
            ["status.conditions: Invalid value: cannot disable the terminal Complete=True condition"],
        ),
        (
            {"failed": 2},
            {"failed": 1},
            ["status.failed: Invalid value: 1: cannot decrease the failed counter"],
        ),
        (
            {},
            {**COMPLETE, "uncountedTerminatedPods": {"succeeded": ["a"], "failed": ["a"]}},
            [
                'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
                'status.uncountedTerminatedPods: Invalid value: {"Succeeded":["a"],"Failed":["a"]}: must be'
                " empty for finished job",
            ],
        ),
        (
            {},
            {"completedIndexes": "0,1"},
            [
                'status.completedIndexes: Invalid value: "0,1": error parsing completedIndexes: too large'
                ' index: "1"',
                'status.completedIndexes: Invalid value: "0,1": cannot set non-empty completedIndexes when'
                " non-indexed completion mode",
            ],
        ),
        (
            {"startTime": START},
            {"startTime": END},
            ["status.startTime: Required value: startTime cannot be removed for unsuspended job"],
        ),
        # What broke a rule before may stay as it is while something else is mended.
        ({"active": 1, "ready": 2}, {"active": 1, "ready": 2, "failed": 1}, []),
    ],
)
def test_a_jobs_status_makes_sense_whoever_writes_it(before: Json, after: Json, expected: list[str]) -> None:
    job = Server().create(make_job())
    errors = validate_update({**job, "status": before}, {**job, "status": after}, "status")
    assert [str(error) for error in errors] == expected


def test_indexes_are_completed_or_failed_and_not_both() -> None:
    job = Server().create(make_job(**INDEXED, backoffLimitPerIndex=1))
    after = {**job, "status": {"completedIndexes": "0,2", "failedIndexes": "1-2"}}
    assert [str(error) for error in validate_update(job, after, "status")] == [
        'status.failedIndexes: Invalid value: "1-2": failedIndexes and completedIndexes overlap at index: 2'
    ]


def test_another_controller_may_keep_a_jobs_status() -> None:
    server = Server()
    server.create(make_job("a", managedBy="acme.io/jobs"))
    assert server.refused("Job", "a", {"status": {"active": -1}}, subresource="status") == [
        "status.active: Invalid value: -1: must be greater than or equal to 0"
    ]
    assert server.patch("Job", "a", {"status": COMPLETE}, subresource="status").ok


# --- CronJobs ---------------------------------------------------------------------------------------------


@pytest.mark.spec("CRON-SPEC-02", "CRON-SPEC-04", "CRON-TZ-04", "CRON-TZ-05", "CRON-TMPL-01", "CRON-TMPL-04")
@pytest.mark.parametrize(
    "data, expected",
    [
        # Answered by a real server.
        (
            make_cron_job(schedule="61 * * * *"),
            ['spec.schedule: Invalid value: "61 * * * *": end of range (61) above maximum (59): 61'],
        ),
        (
            make_cron_job(schedule="CRON_TZ=UTC * * * * *"),
            [
                'spec.schedule: Invalid value: "CRON_TZ=UTC * * * * *": cannot use TZ or CRON_TZ in'
                " schedule, use timeZone field instead"
            ],
        ),
        (make_cron_job(schedule=""), ["spec.schedule: Required value"]),
        (
            make_cron_job(timeZone="Mars/Olympus"),
            ['spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus'],
        ),
        (
            make_cron_job(concurrencyPolicy="Sometimes"),
            [
                'spec.concurrencyPolicy: Unsupported value: "Sometimes": supported values: "Allow", "Forbid",'
                ' "Replace"'
            ],
        ),
        (
            make_cron_job(job={"manualSelector": True, "selector": {}}),
            [
                "spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated",
                "spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "
                '"nil", "false"',
            ],
        ),
        # By the rules of the API server.
        (
            make_cron_job(schedule="TZ=0"),
            [
                'spec.schedule: Invalid value: "TZ=0": invalid schedule format: runtime error: slice bounds'
                " out of range [:-1]",
                'spec.schedule: Invalid value: "TZ=0": cannot use TZ or CRON_TZ in schedule, use timeZone'
                " field instead",
            ],
        ),
        (
            make_cron_job(timeZone=""),
            ['spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
        ),
        (
            make_cron_job(timeZone="Local"),
            [
                'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in'
                " https://www.iana.org/time-zones"
            ],
        ),
        (
            make_cron_job(timeZone="../etc/passwd"),
            ['spec.timeZone: Invalid value: "../etc/passwd": unknown time zone ../etc/passwd'],
        ),
        (
            make_cron_job(
                startingDeadlineSeconds=-1, successfulJobsHistoryLimit=-2, failedJobsHistoryLimit=-3
            ),
            [
                f"spec.startingDeadlineSeconds: Invalid value: -1: {NOT_NEGATIVE}",
                f"spec.successfulJobsHistoryLimit: Invalid value: -2: {NOT_NEGATIVE}",
                f"spec.failedJobsHistoryLimit: Invalid value: -3: {NOT_NEGATIVE}",
            ],
        ),
        (
            make_cron_job(job={"parallelism": -1}),
            [f"spec.jobTemplate.spec.parallelism: Invalid value: -1: {NOT_NEGATIVE}"],
        ),
        (
            {
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "metadata": {"name": "x"},
                "spec": {"schedule": "@daily"},
            },
            [
                "spec.jobTemplate.spec.template.spec.containers: Required value",
                "spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "
                '"OnFailure", "Never"',
            ],
        ),
    ],
)
def test_a_cron_job_is_refused_in_these_words(data: Json, expected: list[str]) -> None:
    assert refusals(data) == expected


@pytest.mark.spec("CRON-NAME-01", "CRON-NAME-02")
def test_a_cron_jobs_name_leaves_room_for_the_minute() -> None:
    # Answered by a real server.
    assert refusals(make_cron_job("x" * 53)) == [
        f'metadata.name: Invalid value: "{"x" * 53}": must be no more than 52 characters'
    ]
    assert refusals(make_cron_job("x" * 52)) == []
    assert refusals(make_cron_job("X")) != []


@pytest.mark.spec("CRON-SPEC-03")
def test_a_cron_job_keeps_a_few_jobs_unless_it_says_otherwise() -> None:
    spec = Server().create(make_cron_job("x"))["spec"]
    # Answered by a real server: the Job's own defaults come when it is made.
    assert {name: spec[name] for name in spec if name != "jobTemplate"} == {
        "schedule": "* * * * *",
        "concurrencyPolicy": "Allow",
        "suspend": False,
        "successfulJobsHistoryLimit": 3,
        "failedJobsHistoryLimit": 1,
    }
    assert set(spec["jobTemplate"]["spec"]) == {"template"}


@pytest.mark.spec("CRON-TZ-06")
def test_a_time_zone_in_a_stored_schedule_may_stay() -> None:
    old = apply_defaults(make_cron_job(schedule="TZ=UTC 0 3 * * 1"))
    new = copy.deepcopy(old)
    new["spec"]["schedule"] = "CRON_TZ=Europe/Kyiv 0 4 * * 1"
    assert validate_update(old, new) == []
    new["spec"]["timeZone"] = "Etc/UTC"
    (problem,) = validate_update(old, new)
    assert problem.detail == "cannot use both timeZone field and TZ or CRON_TZ in schedule"
    assert list_warnings(new) == [
        "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see"
        " https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
    ]
    # As may a zone that there is no more, and a name of before there was a limit.
    old = apply_defaults(make_cron_job("x" * 60, timeZone="Mars/Olympus"))
    assert validate_update(old, {**old, "spec": {**old["spec"], "suspend": True}}) == []
