"""What is said of requests that were lost: claims, the summary, reports, and what would help."""

import textwrap

import pytest

from podline import Cluster, ExpectationFailed, simulate

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
"""One of two endpoints refuses until the rules follow, a second later: half of all for 1 s."""


def make(step=SCALE_DOWN, requests="{perSecond: 200}", timing=SLOW_PROXY, claims=()):
    text = WEB % (requests, timing, step)
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
    run = simulate(make(), until="service/web .requests.lostMs >= 500")
    assert (run.ok, run.outcome.why, run.outcome.at_ms) == (True, "condition", 11_000)


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
