"""What the summary says of workloads that a run saw go."""

import io

import pytest
import yaml

from lifecycle.input.scenario import read_until
from lifecycle.simulation import Overrides, make_plan
from lifecycle.simulation.run import run
from lifecycle.simulation.summaries import SummarySink
from tests.texts import read_manifests


def make_job(script, **spec):
    container = {"name": "c", "image": "busybox", "command": ["sh", "-c", script]}
    return {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}, **spec}


def make(kind, spec, api="batch/v1"):
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "work"}, "spec": spec}


def tell(lines, subject):
    """What is said of an object, in a line or in a block."""
    at = next(number for number, line in enumerate(lines) if line.split(": ")[0] == subject)
    return lines[at].partition(": ")[2].partition("; node")[0] or lines[at + 1].removeprefix("  verdict   ")


def summarize(objects, until="330s", steps=()):
    scenario = {
        "apiVersion": "podline.dev/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "x"},
        "spec": {"timing": "instant", "steps": list(steps)},
    }
    text = yaml.safe_dump_all([*objects, scenario])
    plan = make_plan(read_manifests(text), Overrides(untils=(read_until(until),)))
    out = io.BytesIO()
    sink = SummarySink(out.write, plan)
    sink.finish(*run(plan, sink))
    return out.getvalue().decode().splitlines()


@pytest.mark.parametrize(
    "script, told",
    [
        ("sleep 5", "Complete after 5s; gone since 00:01:05."),
        (
            "exit 3",
            "Failed at 00:00:00: BackoffLimitExceeded: Job has reached the specified backoff limit;"
            " gone since 00:01:00.",
        ),
    ],
)
@pytest.mark.spec("JOB-CLEAN-07")
def test_a_job_that_its_ttl_took_away_says_how_it_ended(script, told):
    lines = summarize([make("Job", make_job(script, backoffLimit=0, ttlSecondsAfterFinished=60))])
    assert lines[lines.index("Job default/work") + 1] == f"  verdict   {told}"


@pytest.mark.slow
def test_a_cron_job_counts_the_runs_that_it_no_longer_keeps():
    """Three Jobs that succeeded are kept, and one that failed, unless it says otherwise."""
    lines = summarize([make("CronJob", {"schedule": "* * * * *", "jobTemplate": {"spec": make_job("true")}})])
    assert any(line.endswith("; gone 2 runs: 2 complete") for line in lines)
    spec = {
        "schedule": "* * * * *",
        "concurrencyPolicy": "Replace",
        "jobTemplate": {"spec": make_job("exit 1", backoffLimit=0)},
    }
    lines = summarize([make("CronJob", spec)])
    assert any(line.endswith("; gone 4 runs: 4 failed") for line in lines)
    spec["jobTemplate"]["spec"] = make_job("sleep 90")
    lines = summarize([make("CronJob", spec)])
    assert any(line.endswith("; gone 4 runs: 4 unfinished") for line in lines)


def test_a_workload_that_is_deleted_says_since_when():
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    step = {"at": "2m", "delete": {"kind": "Deployment", "name": "work"}}
    lines = summarize([make("Deployment", spec, "apps/v1")], steps=[step])
    assert lines[lines.index("Deployment default/work") + 1] == "  verdict   Gone since 00:02:00."
    assert not any(line.startswith("ReplicaSet") for line in lines), "those it owned are not told"


@pytest.mark.parametrize(
    "script, told",
    [
        ("sleep 5", "Succeeded at 00:00:05; nothing will change by itself any more"),
        ("exit 3", "Failed at 00:00:00, Error; nothing will change by itself any more"),
    ],
)
def test_a_pod_that_nobody_controls_has_a_verdict_of_its_own(script, told):
    lone = make("Pod", make_job(script)["template"]["spec"], "v1")
    lines = summarize([lone, make("Job", make_job("sleep 1d"))], until="1m")
    assert tell(lines, "Pod default/work").startswith(told)
    (owned,) = (line for line in lines if line.startswith("Pod default/work-"))
    assert ": Running, ready 1/1" in owned, "the verdict on the Job's pod is the Job's"
