"""What is said of requests that were lost: claims, the summary, reports, and what would help."""

import json
import textwrap

import pytest

from lifecycle.lost_requests import BY_CHANCE
from lifecycle.simulation import Overrides, make_plan, take_inputs
from lifecycle.simulation.reports.sink import ReportSink
from lifecycle.simulation.run import run
from podline import Cluster, ExpectationFailed, simulate
from tests.simulate.running import summarize

# Every latency is 0 but this: the rules of the nodes follow a change a second later.
SLOW_PROXY = "{preset: instant, service_proxy: 1s}"
WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "sim/server:1"}]}
---
apiVersion: v1
kind: Service
metadata:
  name: web
  annotations: {podline.dev/requests: "%s"}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: podline.dev/v1alpha1
kind: Scenario
metadata: {name: lost}
spec:
  timing: %s
  steps: [%s]
  until: 30s
"""
SCALE_DOWN = "{at: 10s, scale: {deployment: web, replicas: 1}}"
"""One of two endpoints is away, and its network, until rules follow a second later: half of all for 1 s."""


def make(step=SCALE_DOWN, requests="{perSecond: 200}", timing=SLOW_PROXY, claims=(), more=""):
    text = WEB % (requests, timing, step)
    if not claims:
        return text + more
    return text + textwrap.indent("\n".join(["expect:", *(f"- {one}" for one in claims)]), "  ")


@pytest.mark.parametrize(
    "claim, failure",
    [
        pytest.param('{at: 30s, holds: "service/web .requests.lostMs == 500"}', "", id="half of a second"),
        pytest.param('{at: 30s, holds: "service/web .requests.lost == 100"}', "", id="in requests"),
        pytest.param('{at: 30s, holds: "service/web .requests.pods.lostMs == 500"}', "", id="of pods"),
        pytest.param('{always: "service/web .requests.lostMs == 0"}', "at 11s: 500", id="always none"),
        pytest.param('{always: "service/web .requests.lostMs == 0", to: 10s}', "", id="none before"),
        pytest.param('{at: 10.5s, holds: "service/web .requests.lostMs == 250"}', "", id="in between"),
        pytest.param('{eventually: "service/web .requests.lost >= 100", within: 11s}', "", id="in time"),
        pytest.param(
            '{eventually: "service/web .requests.lost >= 101"}', "not until 30s; last seen: 100", id="never"
        ),
        pytest.param('{at: 30s, holds: "service/kubernetes .requests.lost == 0"}', "", id="gets none"),
        pytest.param(
            '{at: 30s, holds: "service/shop .requests.lost == 0"}', "there is no such object", id="no Service"
        ),
    ],
)
def test_a_claim_sees_what_was_lost_so_far(claim, failure):
    problems = simulate(make(claims=[claim])).problems
    assert [failure in one for one in problems] == ([True] if failure else [])


def test_a_run_ends_when_so_much_was_lost():
    ended = simulate(make(), until="service/web .requests.lostMs >= 500")
    assert (ended.ok, ended.outcome.why, ended.outcome.at_ms) == (True, "condition", 11_000)


def test_the_library_expects_that_nothing_is_lost():
    cluster = Cluster(timing="instant")
    cluster.apply(WEB.partition("---\napiVersion: podline")[0] % "{perSecond: 200}")
    cluster.run_for("10s")
    cluster.patch("deployment/web", {"spec": {"replicas": 1}})
    cluster.run_for("10s")
    cluster.expect("service/web .requests.lostMs == 0")
    cluster.patch("deployment/web", {"spec": {"replicas": 0}})
    cluster.run_for("1s")
    # Nobody is there: all of a second.
    with pytest.raises(ExpectationFailed, match="not so; seen: 200"):
        cluster.expect("service/web .requests.lost == 0")


INGRESS = """---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}
"""
LOST = "  requests  lost"
PROXIES = "a change of endpoints is followed by kube-proxies after 1s"


@pytest.mark.slow
@pytest.mark.parametrize(
    "given, said",
    [
        pytest.param(
            {},
            [
                # 200 with a chance of 1/2: a variance of 50.
                f"{LOST} 100 of 5,800 requests (85 to 115 {BY_CHANCE}),"
                " worst 1 of 2 timed out from 00:00:10.0 to 00:00:11.0",
                f"assumed of requests: they come evenly; {PROXIES}",
            ],
            id="one of two is away for a second",
        ),
        pytest.param(
            {"requests": "{from: [pods]}"},
            [f"{LOST} 500ms of all requests, worst 1 of 2 timed out"],
            id="nobody says how many there are",
        ),
        pytest.param(
            # Of three two are away for a second: 666.7 ms' worth, and exactly 200 of 300.
            {
                "requests": "{perSecond: 300}",
                "step": "{at: 5s, scale: {deployment: web, replicas: 3}},"
                " {at: 10s, scale: {deployment: web, replicas: 1}}",
            },
            [f"{LOST} 200 of 8,700 requests (183 to 217 {BY_CHANCE}), worst 2 of 3 timed out"],
            id="as many as a claim counts",
        ),
        pytest.param(
            {"step": "{at: 10s, scale: {deployment: web, replicas: 0}}", "timing": "instant"},
            [f"{LOST} 4,000 of 6,000 requests, worst all sent to nobody since 00:00:10.0"],
            id="to its end nobody is there",
        ),
        pytest.param(
            # A fifth of a second is under way at the one of two that drops it.
            {"requests": "{perSecond: 200, takes: 200ms}", "timing": "instant"},
            [f"{LOST} 20 of 6,000 requests (13 to 27 {BY_CHANCE}), "],
            id="under way",
        ),
        pytest.param(
            {"timing": "{preset: instant, ingress: 3s}", "more": INGRESS},
            [
                f"{LOST} 300 of 6,000 requests (274 to 326 {BY_CHANCE}) through the ingress,"
                " worst 1 of 2 timed out",
                "is followed by ingresses after 3s",
            ],
            id="an ingress that follows late",
        ),
        pytest.param(
            {
                "step": f"{SCALE_DOWN}, {{at: 20s, scale: {{deployment: web, replicas: 2}}}},"
                " {at: 24s, scale: {deployment: web, replicas: 1}}"
            },
            [
                f"{LOST} 200 of 5,800 requests (179 to 221 {BY_CHANCE})",
                "  lost in   00:00:10.0 to 00:00:11.0, 00:00:24.0 to 00:00:25.0",
            ],
            id="twice",
        ),
    ],
)
def test_a_summary_says_what_was_lost_when_and_how(given, said):
    told = summarize(make(**given))
    assert [one for one in said if one not in told] == []


@pytest.mark.parametrize(
    "step, is_said",
    [
        pytest.param(SCALE_DOWN, True, id="another size"),
        pytest.param("{at: 10s, rollout: {restart: deployment/web}}", True, id="a rollout"),
        pytest.param("{at: 10s, drain: {node: node-1}}, {at: 15s, drain: {node: node-2}}", True, id="drains"),
        pytest.param(
            "{at: 10s, patch: {kind: Deployment, name: web, patch: {metadata: {labels: {a: b}}}}},"
            " {at: 12s, fault: {node: node-1, kind: crash}}, {at: 12s, fault: {node: node-2, kind: crash}}",
            False,
            id="nobody planned it",
        ),
    ],
)
def test_a_verdict_says_what_a_planned_change_cost(step, is_said):
    cluster = simulate(make(step)).cluster
    with pytest.raises(ExpectationFailed):
        cluster.expect("service/web .requests.lostMs == 0")
    assert ("Service web lost" in cluster.why("deployment/web")) == is_said


def test_a_workload_that_lost_requests_is_well():
    told = summarize(make())
    assert "1 workload: it is well" in told
    assert "Successfully rolled out; Service web lost 100 of 5,800 requests" in told


def test_a_summary_says_what_pods_that_are_not_ready_served():
    probes = {"readiness": [{"at": "0s", "result": "success"}, {"at": "8s", "result": "failure"}]}
    behavior = json.dumps({"app": {"probes": probes}})
    probe = "readinessProbe: {periodSeconds: 1, failureThreshold: 1, exec: {command: [ok]}}"
    text = make("", timing="instant").replace(
        "labels: {app: web}}", f"labels: {{app: web}}, annotations: {{podline.dev/behavior: '{behavior}'}}}}"
    )
    text = text.replace('image: "sim/server:1"', f'image: "sim/server:1", {probe}')
    told = summarize(
        text.replace(
            "spec: {selector: {app: web}, ports",
            "spec: {publishNotReadyAddresses: true, selector: {app: web}, ports",
        )
    )
    assert "  served by pods that are not ready: 22.0s of all\n" in told
    assert "would help" not in told.partition("Service default/web")[2].partition("\nPod")[0]


def test_nothing_is_said_where_nothing_was_lost():
    told = summarize(make(timing="instant"))
    assert "requests" not in told.replace("podline.dev/requests", "")


def test_json_tells_of_each_service_that_lost_any(tmp_path, capsys):
    for timing, expected in (("instant", []), (SLOW_PROXY, [("default", "web", 500, 100, 500, 85, 115)])):
        path = tmp_path / "web.yaml"
        path.write_text(make(timing=timing))
        sink = []
        reading = take_inputs([str(path)])
        plan = make_plan(reading.documents, Overrides())
        report = ReportSink(sink.append, plan, "json", (), reading.documents)
        report.finish(*run(plan, report))
        services = json.loads(b"".join(sink))["services"]
        found = [(one["namespace"], one["name"], one["requests"]) for one in services]
        assert [
            (
                *(namespace, name, sums["lostMs"], sums["lost"], sums["pods"]["lostMs"]),
                *(sums["lowest"], sums["highest"]),
            )
            for namespace, name, sums in found
        ] == expected
        assert [one["text"].startswith("lost 100 of 5,800 requests") for one in services] == [True] * len(
            expected
        )
