"""Hooks of a rendered chart run in Helm's order, and what is behind a hook waits for its end."""

import pytest
import yaml

from lifecycle.input.reading import Batch, read_batches
from lifecycle.simulation import Overrides, make_plan
from lifecycle.simulation.run import run
from tests.simulate.running import Rows

DONE, BROKEN, ENDLESS = "sleep 20", "exit 1", "sleep 1d"


def annotate(data, hook="", weight=None, policy=None):
    notes = {"hook": hook or None, "hook-weight": weight, "hook-delete-policy": policy}
    found = {f"helm.sh/{name}": str(value) for name, value in notes.items() if value is not None}
    data["metadata"]["annotations"] = found
    return data


def job(name, command=DONE, hook="", **notes):
    container = {"name": "c", "image": "busybox", "command": ["sh", "-c", command]}
    spec = {"backoffLimit": 0, "template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}
    return annotate(
        {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}, hook, **notes
    )


def config(name, hook="", **notes):
    return annotate({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}, hook, **notes)


MAIN = config("main")


def install(*objects, hooks="install"):
    reading = read_batches([Batch({"": yaml.safe_dump_all(objects)})], hooks=hooks)
    scenario = Overrides(timing="instant", hooks=hooks)
    seen = Rows()
    outcome, cluster = run(make_plan(reading.require_sound(), scenario), seen)
    made = [
        (row["name"], row["at_ms"] // 1000)
        for row in seen.rows
        if row["kind"] in ("Job", "ConfigMap") and row.get("field") == "exists" and row["new"] == "created"
        if row["name"] != "kube-root-ca.crt"
    ]
    return made, outcome, cluster


@pytest.mark.slow
@pytest.mark.parametrize(
    "objects, made",
    [
        pytest.param(
            [MAIN, job("after", hook="post-install"), job("before", hook="pre-install")],
            [("before", 0), ("main", 20), ("after", 20)],
            id="before and after",
        ),
        pytest.param(
            [job("c", hook="pre-install", weight=5), job("a", hook="pre-install", weight=-3), MAIN],
            [("a", 0), ("c", 20), ("main", 40)],
            id="lighter ones first",
        ),
        pytest.param(
            [job("b", hook="pre-install"), job("a", hook="pre-install", weight="x"), MAIN],
            [("a", 0), ("b", 20), ("main", 40)],
            id="of one weight by their names",
        ),
        pytest.param(
            [
                MAIN,
                config("settings", hook="pre-install", weight=1),
                job("seed", hook="pre-install", weight=2),
            ],
            [("settings", 0), ("seed", 0), ("main", 20)],
            id="what has no end is not waited for",
        ),
        pytest.param(
            [job("twice", hook="pre-install,post-install"), MAIN],
            [("twice", 0), ("main", 20), ("twice", 20)],
            id="a hook of two times is made anew",
        ),
        pytest.param([job("plain"), MAIN], [("plain", 0), ("main", 0)], id="a Job that is no hook"),
        pytest.param([job("seed", hook="pre-upgrade"), MAIN], [("main", 0)], id="a hook of another time"),
    ],
)
def test_hooks_run_in_helms_order_and_are_waited_for(objects, made):
    found, outcome, _ = install(*objects)
    assert (found, outcome.exit_status) == (made, 0)


def test_hooks_of_an_upgrade_run_where_this_is_one():
    made, _, _ = install(
        MAIN, job("old", hook="pre-install"), job("new", hook="pre-upgrade"), hooks="upgrade"
    )
    assert made == [("new", 0), ("main", 20)]


@pytest.mark.parametrize(
    "command, at_s, why",
    [
        pytest.param(BROKEN, 0, "failed", id="it fails"),
        pytest.param(ENDLESS, 300, "has not ended within 5m", id="it takes longer than Helm waits"),
    ],
)
def test_a_hook_that_does_not_end_well_ends_the_installation(command, at_s, why):
    made, outcome, _ = install(job("seed", command, hook="pre-install"), MAIN, config("more"))
    assert made == [("seed", 0)]
    told = f"pre-install hook Job seed {why}: Helm gives up, 2 objects behind it left to be made"
    assert (outcome.refusals, outcome.exit_status) == ((told,), 1)


@pytest.mark.parametrize(
    "policy, is_there",
    [("hook-succeeded", False), ("before-hook-creation,hook-succeeded", False), (None, True)],
)
def test_hooks_that_ask_for_it_go_when_they_have_ended_well(policy, is_there):
    _, _, cluster = install(job("seed", hook="pre-install", policy=policy), MAIN)
    assert (cluster.get("Job", "default", "seed") is not None) is is_there


def test_a_job_that_makes_a_secret_may_go_at_once():
    maker = job("certs", hook="pre-install", policy="hook-succeeded")
    container = maker["spec"]["template"]["spec"]["containers"][0]
    container["image"] = "registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.5"
    container["command"] = ["/kube-webhook-certgen", "create", "--secret-name=tls", "--namespace=default"]
    _, _, cluster = install(maker, MAIN)
    assert cluster.get("Secret", "default", "tls") is not None


def test_a_run_that_ends_while_a_hook_runs_says_what_is_not_made():
    until = {"apiVersion": "podline.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "s"}}
    until["spec"] = {"until": "5s"}
    reading = read_batches([Batch({"": yaml.safe_dump_all([job("seed", hook="pre-install"), MAIN, until])})])
    outcome, cluster = run(make_plan(reading.require_sound()), Rows())
    assert outcome.endless == "pre-install hook Job seed has not ended, 1 object behind it left to be made"
    assert cluster.get("ConfigMap", "default", "main") is None
