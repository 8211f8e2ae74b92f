"""What is offered was run under the same chances, holds there, and says what it costs and what it breaks."""

import pytest

from lifecycle.check.checking import check, live_all
from lifecycle.check.findings import find_findings
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.remedies.candidates import change_plan
from lifecycle.check.remedies.curing import cure
from lifecycle.check.settled import settle
from lifecycle.check.trials import list_trials
from tests.check.remedies.making import (
    LABELS,
    make_all_plan,
    make_budget,
    make_job,
    make_other,
    make_service,
    make_workload,
)

HOST = "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
READY = {"readinessProbe": {"tcpSocket": {"port": 80}, "periodSeconds": 1}}
LASTS = {"lifecycle": {"preStop": {"sleep": {"seconds": 3}}}}
WAITS = {**READY, **LASTS}
APART = {
    "affinity": {
        "podAntiAffinity": {REQUIRED: [{"topologyKey": HOST, "labelSelector": {"matchLabels": LABELS}}]}
    }
}
SURGES = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
CLAIM = make_other(
    "v1",
    "PersistentVolumeClaim",
    "data",
    spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
)
ON_VOLUME = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
QUOTA = make_other("v1", "ResourceQuota", "team", spec={"hard": {"pods": "2"}})
LOW = make_other("scheduling.k8s.io/v1", "PriorityClass", "low", "", value=-1000)
BELOW = {"priorityClassName": "low"}
ASKS = {"resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}
ENDS_LATE = "app: {onTerm: {takes: 75s, exit: 0}}"
STARTS_LATE = "app: {listens: {after: 45s}}"
KILLS = {"livenessProbe": {"tcpSocket": {"port": 80}, "periodSeconds": 5, "failureThreshold": 3}}


def choose(*names):
    return [one for one in list_ordeals() if one.name in names]


def check_all(objects, *ordeals, seeds=(1,), **options):
    return check(settle(make_all_plan(*objects)), choose(*ordeals), seeds, **options)


def find(checked, claim):
    return next(one for one in checked.findings if one.claim == claim)


CASES = {
    "rules lag behind": (
        [make_workload(replicas=3, container=READY), make_service()],
        "rollout-healthy", "no-request-lost", "preStop sleep", "lost nothing instead of",
    ),
    "ready before it listens": (
        [make_workload(replicas=2, container=LASTS, behavior="app: {listens: {after: 9s}}"), make_service()],
        "rollout-healthy", "no-request-lost", "readiness probe of port 80", "lost nothing instead of",
    ),
    "all go before any come": (
        [make_workload(replicas=2, container=WAITS, strategy={"type": "Recreate"}), make_service()],
        "rollout-healthy", "no-request-lost", "maxSurge 1, maxUnavailable 0", "lost nothing instead of",
    ),
    "a budget that nobody can keep": (
        [make_workload(container=READY), make_budget(minAvailable=1)],
        "drain-each", "drain-ends", "replicas 2", "1 pod more",
    ),
    "two budgets": (
        [
            make_workload(replicas=2, container=READY),
            make_budget(maxUnavailable=1),
            make_budget(name="ops", minAvailable=1),
        ],
        "drain-each", "drain-ends", "app notin (web) in PodDisruptionBudget ops", "whole",
    ),
    "as many replicas as nodes, all apart": (
        [make_workload(replicas=3, pod=APART, strategy=SURGES, container=READY)],
        "rollout-healthy", "nothing-stuck", "preferred in place of required podAntiAffinity", "of never",
    ),
    "a volume for one": (
        [make_workload(pod=ON_VOLUME), CLAIM],
        "rollout-healthy", "one-writer", "strategy Recreate", "fewest available 0 instead of 1",
    ),
    "a quota without room": (
        [make_workload(replicas=2, strategy=SURGES), QUOTA],
        "rollout-healthy", "nothing-stuck", "pods 3 in ResourceQuota team", "instead of never",
    ),
    "a grace that is too short": (
        [make_workload(replicas=2, behavior=ENDS_LATE)],
        "rollout-healthy", "no-hard-kill", "terminationGracePeriodSeconds 90", "whole after",
    ),
    "killed before it has started": (
        [make_workload(replicas=2, container=KILLS, behavior="app: {listens: {after: 9s}}")],
        "rollout-slow", "no-restart-storm", "startup probe of 30 × 10s for app", "restarts 0 instead of",
    ),
    "a class below all others": (
        [make_workload(replicas=2, pod=BELOW, container=ASKS), LOW, make_budget(maxUnavailable=1)],
        "preempted", "budget-kept", "no priorityClassName low", "too few pods for 0s instead of",
    ),
    "one attempt": (
        [make_job(backoffLimit=0, behavior="app: {runs: [{for: 30m, exit: 0}], onTerm: {exit: 143}}")],
        "drain-each", "nothing-stuck", "backoffLimit 6", "holds",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("objects, ordeal, claim, text, price", CASES.values(), ids=CASES)
def test_the_smallest_change_that_holds_is_offered_with_its_price(objects, ordeal, claim, text, price):
    found = find(check_all(objects, ordeal), claim)
    told = [f"{one.text}: {one.price}" for one in found.remedies]
    assert any(one.startswith(text) and price in one for one in told), told


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rules lag behind", "a quota without room", "a grace that is too short"])
def test_what_is_offered_holds_when_it_is_made_and_checked_again(name):
    objects, ordeal, claim, *_ = CASES[name]
    found = find(check_all(objects, ordeal, seeds=(1, 2)), claim)
    best = found.remedies[0]
    again = check(settle(change_plan(make_all_plan(*objects), best.patch)), choose(ordeal), (1, 2))
    assert claim not in [one.claim for one in again.findings]


@pytest.mark.slow
def test_where_two_rules_fight_both_are_shown():
    """Recreate ends the deadlock of a rollout, and takes all that serves away with it."""
    objects = [
        make_workload(replicas=3, pod=APART, strategy=SURGES, container=WAITS),
        make_service(),
        make_budget(maxUnavailable=1),
    ]
    found = find(check_all(objects, "rollout-healthy"), "nothing-stuck")
    prices = {one.text: one.price for one in found.remedies}
    assert "but then rollout-healthy: " in prices["strategy Recreate"]
    assert "no-request-lost of Deployment/default/web" in prices["strategy Recreate"]
    # What breaks nothing comes first.
    assert "but then" not in found.remedies[0].price


@pytest.mark.slow
def test_nothing_is_offered_that_does_not_hold():
    """It never ends by itself: a longer grace only has all wait for longer."""
    objects = [make_workload(replicas=2, behavior="app: {onTerm: {ignore: true}}")]
    found = find(check_all(objects, "rollout-healthy"), "no-hard-kill")
    assert found.remedies == ()
    assert (found.field_object, found.field_path, found.known_as) == ("", (), ())


@pytest.fixture(scope="module")
def lived():
    """A state, and what befell it: requests are lost, and a drain does not end."""
    settled = settle(
        make_all_plan(make_workload(container=READY), make_service(), make_budget(minAvailable=1))
    )
    trials = list_trials(settled, choose("rollout-healthy", "drain-each"))
    return settled, list(live_all(settled, trials, (1, 2)))


def find_all(lived, **options):
    settled, futures = lived
    findings = find_findings(settled, futures, 2)
    return findings, cure(settled, futures, findings, **options)


@pytest.mark.slow
def test_the_same_is_offered_however_many_processes_look(lived):
    first, second = (find_all(lived, processes=count) for count in (1, 2))
    assert [one.remedies for one in first[0]] == [one.remedies for one in second[0]]
    assert any(one.remedies for one in first[0])


def test_what_is_not_tried_is_said(lived):
    findings, said = find_all(lived, futures=0)
    assert said == [f"for {len(findings)} findings not all was tried that may help"]
    assert not any(one.remedies for one in findings)


@pytest.mark.slow
def test_the_field_at_fault_and_what_others_call_it_are_told(lived):
    findings, _ = find_all(lived)
    found = next(one for one in findings if one.claim == "drain-ends")
    texts = [one.text for one in found.remedies]
    assert texts[:2] == [
        "replicas 2",
        "maxUnavailable 1 in place of minAvailable 1 in PodDisruptionBudget web",
    ]
    # Nobody has written `replicas`: it would be in the spec.
    assert (found.field_object, found.field_path) == ("Deployment/default/web", ("spec",))
    assert {"polaris/deploymentMissingReplicas", "kube-linter/pdb-min-available"} <= set(found.known_as)
