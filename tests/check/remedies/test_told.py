"""How changes are told: where they are made, what other tools call it, what they cost."""

import pytest

from lifecycle.check.life import Figures, Future
from lifecycle.check.remedies.changes import placing, probes, rollouts, sizes
from lifecycle.check.remedies.fields import find_field, list_fields
from lifecycle.check.remedies.known import list_known_as
from lifecycle.check.remedies.prices import tell_price
from tests.check.remedies.making import make_autoscaler, make_budget, make_case, make_workload

DATA = {
    "spec": {
        "replicas": 3,
        "strategy": {"rollingUpdate": {"maxUnavailable": 1}},
        "containers": [{"name": "proxy"}, {"name": "app", "livenessProbe": {"failureThreshold": 3}}],
    }
}


@pytest.mark.parametrize(
    "spec, path",
    [
        pytest.param({"replicas": 4}, ("spec", "replicas"), id="a field"),
        pytest.param({"minReadySeconds": 4}, ("spec",), id="a field that is not there"),
        pytest.param(
            {"strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}},
            ("spec", "strategy", "rollingUpdate", "maxUnavailable"),
            id="of two fields the one that is there",
        ),
        pytest.param(
            {"containers": [{"name": "app", "livenessProbe": {"failureThreshold": 9}}]},
            ("spec", "containers", 1, "livenessProbe", "failureThreshold"),
            id="in an entry of a list",
        ),
        pytest.param(
            {"containers": [{"name": "app", "lifecycle": {}}]}, ("spec", "containers", 1), id="in none"
        ),
        pytest.param(
            {"strategy": {"rollingUpdate": None}}, ("spec", "strategy", "rollingUpdate"), id="what goes"
        ),
    ],
)
def test_the_field_at_fault_is_the_one_that_changes(spec, path):
    patch = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    assert find_field(DATA, patch) == path


def test_all_that_a_patch_says_has_a_path():
    containers = [{"name": "app", "livenessProbe": None}, {"name": "b"}]
    found = list_fields({"kind": "Deployment", "spec": {"replicas": 1, "containers": containers}})
    expected = ["spec replicas", "spec containers name", "spec containers livenessProbe"]
    assert [" ".join(one) for one in found] == expected


CACHE = {
    "affinity": {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "cache"}}}
            ]
        }
    }
}
SAME = {"readinessProbe": {"tcpSocket": {"port": 80}}, "livenessProbe": {"tcpSocket": {"port": 80}}}
PROBES = ["kube-linter/no-readiness-probe", "kube-score/pod-probes", "polaris/readinessProbeMissing"]
NEVER_MORE = "polaris/pdbMinAvailableGreaterThanHPAMinReplicas"
AUTOSCALER = make_autoscaler(2, 12)
OF_AUTOSCALER = [
    "kube-linter/hpa-minimum-three-replicas",
    "kube-score/horizontalpodautoscaler-replicas",
    "polaris/hpaMinAvailability",
]
APART = ["kube-linter/no-anti-affinity", "kube-score/deployment-has-host-podantiaffinity"]


@pytest.mark.parametrize(
    "change, objects, names",
    [
        pytest.param(probes.ask_readiness, [make_workload()], PROBES, id="readiness"),
        pytest.param(
            sizes.add_replicas,
            [make_workload()],
            [
                "kube-linter/minimum-three-replicas",
                "kube-score/deployment-replicas",
                "polaris/deploymentMissingReplicas",
            ],
            id="one pod",
        ),
        pytest.param(
            sizes.add_replicas,
            [make_workload(replicas=3)],
            [],
            id="three pods, which none of them complains of",
        ),
        pytest.param(
            sizes.loosen_budgets,
            [make_workload(), make_budget(minAvailable=1)],
            ["kube-linter/pdb-min-available", "polaris/pdbDisruptionsIsZero"],
            id="minAvailable",
        ),
        pytest.param(
            sizes.loosen_budgets,
            [make_workload(), AUTOSCALER, make_budget(minAvailable=2)],
            ["kube-linter/pdb-min-available", "polaris/pdbDisruptionsIsZero", NEVER_MORE],
            id="minAvailable as many as the autoscaler leaves",
        ),
        pytest.param(
            sizes.add_replicas,
            [make_workload(), AUTOSCALER, make_budget(minAvailable="90%")],
            [*OF_AUTOSCALER, NEVER_MORE],
            id="minReplicas, all of which a budget keeps",
        ),
        pytest.param(
            sizes.add_replicas,
            [make_workload(), AUTOSCALER, make_budget(minAvailable="50%")],
            OF_AUTOSCALER,
            id="minReplicas, of which a budget lets one go",
        ),
        pytest.param(
            sizes.leave_one_budget,
            [make_workload(), make_budget(maxUnavailable=1), make_budget(maxUnavailable=1, name="ops")],
            [],
            id="two budgets, of which none of them complains",
        ),
        pytest.param(
            sizes.loosen_budgets,
            [make_workload(), make_budget(maxUnavailable=0)],
            ["kube-linter/pdb-max-unavailable", "polaris/pdbDisruptionsIsZero"],
            id="maxUnavailable",
        ),
        pytest.param(
            sizes.evict_unhealthy,
            [make_workload(), make_budget(maxUnavailable=1)],
            ["kube-linter/pdb-unhealthy-pod-eviction-policy"],
            id="unhealthy pods",
        ),
        pytest.param(
            sizes.add_budget,
            [make_workload("StatefulSet", serviceName="web", replicas=2)],
            ["kube-score/statefulset-has-poddisruptionbudget", "polaris/missingPodDisruptionBudget"],
            id="no budget",
        ),
        pytest.param(
            placing.spread,
            [make_workload()],
            [*APART, "polaris/topologySpreadConstraint", "kube-score/pod-topology-spread-constraints"],
            id="nothing spreads them",
        ),
        pytest.param(
            placing.relax,
            [make_workload(pod=CACHE)],
            [*APART, "polaris/topologySpreadConstraint"],
            id="drawn to one node",
        ),
        pytest.param(
            rollouts.surge,
            [make_workload(strategy={"type": "Recreate"})],
            ["kube-linter/no-rolling-update-strategy", "kube-score/deployment-strategy"],
            id="Recreate",
        ),
        pytest.param(rollouts.surge, [make_workload()], [], id="a rolling update with other room"),
        pytest.param(
            placing.ask_for_cpu,
            [make_workload()],
            [
                "kube-linter/unset-cpu-requirements",
                "kube-score/container-resources",
                "polaris/cpuRequestsMissing",
            ],
            id="no CPU is asked for",
        ),
        pytest.param(
            probes.be_patient,
            [make_workload(container=SAME)],
            ["kube-score/pod-probes-identical"],
            id="one question",
        ),
    ],
)
def test_what_other_tools_call_it_stands_beside_it(change, objects, names):
    case = make_case(*objects)
    assert list_known_as(case, next(iter(change(case))).patch) == names


def test_a_drain_that_does_not_end_is_no_end_of_it():
    """All pods are well, and nobody may take them from their node."""
    stuck = make_future(recovery_ms=0)._replace(end="stuck")
    assert tell_price([stuck], [make_future()], 0) == "whole after 5s instead of never"


def make_future(lost_ms=0, fewest=2, below_ms=0, recovery_ms=5_000, restarts=0):
    return Future(1, Figures(lost_ms, fewest, below_ms, recovery_ms, restarts), "whole", ())


@pytest.mark.parametrize(
    "before, after, pods, told",
    [
        pytest.param({}, {}, 0, "", id="nothing"),
        pytest.param({"lost_ms": 4_100}, {}, 0, "lost nothing instead of 4.1s", id="requests"),
        pytest.param({"fewest": 0}, {}, 1, "fewest available 2 instead of 0; 1 pod more", id="pods"),
        pytest.param({"recovery_ms": None}, {}, 0, "whole after 5s instead of never", id="it ends"),
        pytest.param(
            {}, {"recovery_ms": 74_000}, 0, "whole after 1m 14s instead of after 5s", id="it takes longer"
        ),
        pytest.param({"below_ms": 1_200}, {"below_ms": 1_900}, 0, "", id="what reads the same is not told"),
        pytest.param(
            {"restarts": 9}, {"restarts": 1}, -2, "restarts 1 instead of 9; 2 pods fewer", id="restarts"
        ),
    ],
)
def test_a_price_is_what_differs_with_it_at_worst(before, after, pods, told):
    calm = make_future()
    assert tell_price([calm, make_future(**before)], [make_future(**after), calm], pods) == told
