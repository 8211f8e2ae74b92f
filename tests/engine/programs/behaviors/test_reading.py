"""Behaviours as people write them: every part is read, every mistake has a path."""

from typing import Any

import pytest

from lifecycle.engine.programs import (
    Declared,
    Duration,
    HookPlan,
    ProbePoint,
    PullPlan,
    RunPlan,
    StartPlan,
    TermPlan,
    UsagePoint,
    read_annotation,
    read_behavior,
)

CONTRACT = """
app:
  pull: {takes: 3s}
  start: {takes: 400ms}
  runs:
  - {for: 20s, exit: 1}
  - {for: 90s, exit: 137, reason: OOMKilled}
  - {forever: true}
  onTerm: {takes: 4s, exit: 0}
  probes:
    readiness: [{at: 0s, result: failure}, {at: 8s, result: success}]
    liveness: [{at: 2m, result: failure, message: "HTTP probe failed with statuscode: 500"}]
    startup: [{at: 0s, result: unknown}]
  preStop: {takes: 6s, exit: 0}
  postStart: {takes: 1s, exit: 3}
  usage: [{at: 0s, cpu: 100m, memory: 64Mi}, {at: 60s, cpu: "1"}]
"""


def seconds(count: float) -> Duration:
    return Duration.fixed(round(count * 1000))


def test_the_example_of_the_contract_is_read_completely() -> None:
    reading = read_annotation(CONTRACT)
    assert reading.problems == ()
    assert reading.behaviors == {
        "app": Declared(
            pull=PullPlan(takes=seconds(3)),
            start=StartPlan(takes=seconds(0.4)),
            runs=(RunPlan(seconds(20), 1), RunPlan(seconds(90), 137, "OOMKilled"), RunPlan()),
            on_term=TermPlan(seconds(4), 0),
            probes={
                "readiness": (
                    ProbePoint(seconds(0), "failure"),
                    ProbePoint(seconds(8), "success"),
                ),
                "liveness": (ProbePoint(seconds(120), "failure", "HTTP probe failed with statuscode: 500"),),
                "startup": (ProbePoint(seconds(0), "unknown"),),
            },
            pre_stop=HookPlan(seconds(6), 0),
            post_start=HookPlan(seconds(1), 3),
            usage=(UsagePoint(seconds(0), 100, 64 << 20), UsagePoint(seconds(60), 1000, None)),
        )
    }


@pytest.mark.parametrize(
    ("parsed", "path"),
    [
        ([], "at"),
        ({"app": []}, "at.app"),
        ({"app": {"pul": {}}}, "at.app.pul"),
        ({"app": {"pull": {"takes": 3}}}, "at.app.pull.takes"),
        ({"app": {"pull": {"times": 2}}}, "at.app.pull.times"),
        ({"app": {"pull": {"error": "E", "times": -1}}}, "at.app.pull.times"),
        ({"app": {"runs": []}}, "at.app.runs"),
        ({"app": {"runs": [{"exit": 256}]}}, "at.app.runs[0].exit"),
        ({"app": {"runs": [{"for": "1s"}, {"forever": "yes", "exit": 0}]}}, "at.app.runs[1].forever"),
        ({"app": {"runs": [{"forever": True, "exit": 1}]}}, "at.app.runs[0]"),
        ({"app": {"runs": [{}]}}, "at.app.runs[0]"),
        ({"app": {"onTerm": {"ignore": True, "takes": "1s"}}}, "at.app.onTerm"),
        ({"app": {"probes": {"ready": []}}}, "at.app.probes.ready"),
        (
            {"app": {"probes": {"readiness": [{"at": "0s", "result": "ok"}]}}},
            "at.app.probes.readiness[0].result",
        ),
        ({"app": {"usage": [{"at": "0s", "memory": "64Q"}]}}, "at.app.usage[0].memory"),
        ({"app": {"preStop": {"takes": "soon"}}}, "at.app.preStop.takes"),
    ],
)
def test_mistake_is_told_with_its_path(parsed: Any, path: str) -> None:
    assert [problem.path for problem in read_behavior(parsed, "at").problems] == [path]


@pytest.mark.parametrize(
    ("step", "error", "is_taken"),
    [
        ("pull", "RegistryUnavailable", True),
        ("pull", "NobodyKnowsThis", True),
        ("start", "CreateContainerError", True),
        ("start", "PostStartHookError", True),
        # What says that nothing is wrong yet, or that it ran, is no reason why it is not to be had.
        ("pull", "ContainerCreating", False),
        ("pull", "CrashLoopBackOff", False),
        ("start", "PodInitializing", False),
    ],
)
def test_an_error_is_a_reason_of_its_step(step: str, error: str, is_taken: bool) -> None:
    problems = read_behavior({"app": {step: {"error": error}}}, "b").problems
    assert [problem.path for problem in problems] == ([] if is_taken else [f"b.app.{step}.error"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("app: {pull: {takes: 3s}, pull: {takes: 4s}}", "given twice"),
        ("app: [", "not YAML"),
        ("just text", "must map container names"),
    ],
)
def test_bad_yaml_is_a_problem_and_no_error(text: str, said: str) -> None:
    (problem,) = read_annotation(text).problems
    assert said in str(problem)


def test_yaml_has_only_the_types_of_json() -> None:
    """No dates, no sexagesimal numbers: they stay text, which a duration then refuses."""
    problems = read_annotation("app: {pull: {takes: 1:30}, preStop: {takes: 2026-01-01}}").problems
    assert [problem.path.rpartition(".app.")[2] for problem in problems] == ["pull.takes", "preStop.takes"]


def test_yaml_says_yes_as_in_a_manifest() -> None:
    assert read_annotation("app: {onTerm: {ignore: yes}}").behaviors["app"].on_term == TermPlan(ignore=True)


def test_each_part_of_a_stronger_source_wins_and_probes_join_by_type() -> None:
    strong = Declared(pull=PullPlan(error="E"), probes={"liveness": (ProbePoint(seconds(1), "failure"),)})
    weak = Declared(
        pull=PullPlan(takes=seconds(9)),
        on_term=TermPlan(ignore=True),
        probes={"readiness": (ProbePoint(seconds(2), "success"),)},
    )
    merged = strong.over(weak)
    assert merged.pull == PullPlan(error="E")
    assert merged.on_term == TermPlan(ignore=True)
    assert set(merged.probes or ()) == {"liveness", "readiness"}
