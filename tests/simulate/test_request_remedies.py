"""What would have kept requests is run before it is offered, and is the smallest that does."""

import pytest
import yaml

from lifecycle.input.scenario_steps import Step
from lifecycle.lean_dataclasses import replace
from lifecycle.remedies import Patience
from lifecycle.simulation import Overrides, make_plan
from lifecycle.simulation.request_cures import Cure
from lifecycle.simulation.request_remedies import change_plan
from podline import simulate
from tests.simulate.running import summarize
from tests.texts import read_manifests

RESTART = {"at": "20s", "rollout": {"restart": "deployment/web"}}
DROPS = {"strategy": {"type": "Recreate"}}


def make(lag="3s", steps=(RESTART,), container=None, behavior="", **spec):
    """Two pods behind a Service; every latency is 0 but that of the nodes' rules."""
    container = {
        "name": "app",
        "image": "sim/server:1",
        "ports": [{"containerPort": 8080}],
        **(container or {}),
    }
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    if behavior:
        template["metadata"]["annotations"] = {"podline.dev/behavior": behavior}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template, **spec}
    return yaml.safe_dump_all(
        [
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec},
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": {"name": "web"},
                "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]},
            },
            {
                "apiVersion": "podline.dev/v1alpha1",
                "kind": "Scenario",
                "metadata": {"name": "lost"},
                "spec": {
                    "timing": {"preset": "instant", "service_proxy": lag},
                    "steps": [*steps],
                    "until": "1m",
                },
            },
        ]
    )


def list_help(text):
    return [line.strip() for line in summarize(text).splitlines() if line.startswith("  would help")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "given, told",
    [
        pytest.param(
            # Both old pods go at once, and the rules send to them alone for as long as they lag.
            {},
            "preStop sleep 3: lost nothing instead of 3.0s of all requests; pods change for 3s instead of 0s",
            id="as long as the rules lag",
        ),
        pytest.param({"lag": "9s"}, "preStop sleep 9: lost nothing", id="between two powers of two"),
        pytest.param({"lag": "17s"}, "preStop sleep 17: lost nothing", id="past the last of them"),
        pytest.param(
            {"lag": "1s", "steps": [{"at": "20s", "scale": {"deployment": "web", "replicas": 1}}]},
            "preStop sleep 1: lost nothing instead of 500ms of all requests",
            id="another size",
        ),
        pytest.param(
            {"steps": [{"at": "20s", "drain": {"node": name}} for name in ("node-1", "node-2")], "lag": "2s"},
            "preStop sleep 2: lost nothing",
            id="drains",
        ),
        pytest.param(
            {"lag": "2s", "container": {"lifecycle": {"preStop": {"sleep": {"seconds": 1}}}}},
            "preStop sleep 2: lost nothing instead of 1.0s",
            id="a wait that is too short",
        ),
        pytest.param(
            {"lag": "1s", "behavior": "app: {listens: {after: 8s}}"},
            "readiness probe of port 8080 and preStop sleep 1: lost nothing",
            id="ready before it listens",
        ),
        pytest.param(
            {"lag": "1s", "behavior": "app: {start: {takes: 5s}}", **DROPS},
            "maxSurge 1, maxUnavailable 0 and preStop sleep 1: lost nothing",
            id="all go before any come",
        ),
    ],
)
def test_the_smallest_change_that_keeps_all_is_offered_with_its_price(given, told):
    found = list_help(make(**given))
    assert len(found) == 1
    assert found[0].startswith(f"would help {told}")


@pytest.mark.parametrize("seconds, lost_ms", [(2, 1000), (3, 0)])
def test_what_is_offered_holds_and_a_second_less_does_not(seconds, lost_ms):
    """By hand: rules lag 3 s, a pod serves for as long as its hook sleeps, and then all are lost."""
    container = {"lifecycle": {"preStop": {"sleep": {"seconds": seconds}}}}
    cluster = simulate(make(container=container)).cluster
    cluster.expect(f"service/web .requests.lostMs == {lost_ms}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"lag": "0s"}, id="nothing was lost"),
        pytest.param(
            {"container": {"lifecycle": {"preStop": {"exec": {"command": ["true"]}}}}, "lag": "5s"},
            id="a hook of its own, which is left as it is",
        ),
        pytest.param({"steps": [], "behavior": "app: {listens: {after: 8s}}"}, id="nobody planned it"),
        pytest.param(
            {
                "steps": [
                    {"at": "20s", "setImage": {"deployment": "web", "container": "app", "image": "busybox"}}
                ]
            }
            | DROPS,
            id="it is never well again",
        ),
    ],
)
def test_nothing_is_offered_where_nothing_helps(given):
    told = summarize(make(**given))
    assert ("  requests  lost" in told) == (given != {"lag": "0s"})
    assert not any(": lost " in line for line in told.splitlines() if line.startswith("  would help"))


def test_what_is_not_tried_is_said(monkeypatch):
    monkeypatch.setattr("lifecycle.simulation.summaries.Patience", lambda: Patience(10))
    told = summarize(make())
    assert "  would help" not in told
    assert "not all is tried that may help" in told


@pytest.mark.parametrize(
    "seconds, grace, expected",
    [
        pytest.param(15, None, None, id="half of the default"),
        pytest.param(16, None, 46, id="more than half of the default"),
        pytest.param(5, 8, 13, id="more than half of a short one"),
        pytest.param(32, 180, 180, id="a long one"),
    ],
)
def test_a_long_wait_leaves_a_program_time_to_end(seconds, grace, expected):
    pod = {"containers": [{"name": "app"}]} | (
        {} if grace is None else {"terminationGracePeriodSeconds": grace}
    )
    changed = Cure(seconds).change(
        {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": pod}}}
    )
    assert changed["spec"]["template"]["spec"].get("terminationGracePeriodSeconds") == expected
    assert "lifecycle" not in pod["containers"][0]


def test_a_change_is_made_wherever_its_workload_is_applied():
    plan = make_plan(read_manifests(make()), Overrides())
    web = next(one for one in plan.objects if one["kind"] == "Deployment")
    other = {**web, "metadata": {"name": "other", "namespace": "default"}}
    bare = {**web, "spec": {}}
    steps = tuple(Step(1000, "apply", {"object": one}) for one in (web, other, bare))
    steps += (Step(1000, "apply", {"object": web}, refused=""), Step(2000, "scale", {"replicas": 1}))
    changed = change_plan(replace(plan, steps=steps, then=plan), ("Deployment", "default", "web"), Cure(2))

    def waits(data):
        return "lifecycle" in data["spec"]["template"]["spec"]["containers"][0]

    assert [waits(one) for one in changed.objects if one["kind"] == "Deployment"] == [True]
    assert [waits(one.payload["object"]) for one in changed.steps[:2]] == [True, False]
    assert changed.steps[2:] == steps[2:]
    assert [waits(one) for one in changed.then.objects if one["kind"] == "Deployment"] == [True]
    assert not waits(web)
