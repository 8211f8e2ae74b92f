"""Each claim: a manifest of which it fails in an ordeal, and the same one mended, of which it holds."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from lifecycle.check.life import Future, live
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.settled import Settled, settle
from lifecycle.check.trials import list_trials
from lifecycle.input.manifests import Document
from lifecycle.simulation.plan import make_plan

Json = dict[str, Any]


def make(kind: str, api: str, name: str, spec: Json, **metadata: Any) -> Json:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def make_workload(kind: str = "Deployment", acts: str = "", spec: Json | None = None, **pod: Any) -> Json:
    """Two pods of `web`, which listens on 80."""
    labels = {"app": "web"}
    container = {
        "name": "app",
        "image": "web:1",
        "ports": [{"containerPort": 80}],
        **pod.pop("container", {}),
    }
    annotations = {"podline.dev/behavior": acts} if acts else {}
    template = {
        "metadata": {"labels": labels, "annotations": annotations},
        "spec": {"containers": [container], **pod},
    }
    own = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template, **(spec or {})}
    if kind == "DaemonSet":
        own.pop("replicas")
    return make(kind, "apps/v1", "web", own)


SERVICE = make("Service", "v1", "web", {"selector": {"app": "web"}, "ports": [{"port": 80}]})
READY = {"readinessProbe": {"tcpSocket": {"port": 80}, "periodSeconds": 1}}
GENTLE = {"lifecycle": {"preStop": {"sleep": {"seconds": 5}}}}
ONE_AT_A_TIME = {"strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}


def make_budget(**rule: Any) -> Json:
    selector = {"matchLabels": {"app": "web"}}
    return make("PodDisruptionBudget", "policy/v1", "web", {"selector": selector, **rule})


def make_claim(mode: str = "ReadWriteOnce") -> Json:
    size = {"requests": {"storage": "1Gi"}}
    return make("PersistentVolumeClaim", "v1", "data", {"accessModes": [mode], "resources": size})


VOLUME = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
PROBE = {"livenessProbe": {"tcpSocket": {"port": 80}, "periodSeconds": 2, "failureThreshold": 2}}
PATIENT = {**PROBE, "startupProbe": {"tcpSocket": {"port": 80}, "periodSeconds": 2, "failureThreshold": 60}}
APART = {
    "affinity": {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
            ]
        }
    }
}
THREE = {"replicas": 3, "strategy": {"rollingUpdate": {"maxUnavailable": 0}}, "progressDeadlineSeconds": 60}
MOVING = {**THREE, "strategy": {"rollingUpdate": {"maxUnavailable": 1}}}
ON_ONE = {"nodeSelector": {"kubernetes.io/hostname": "node-1"}}
SLOW_END = "app: {onTerm: {takes: 20s}}"

CASES = {
    "rollout-keeps-its-budget": (
        "rollout-crashing",
        [make_workload(spec=ONE_AT_A_TIME), SERVICE],
        [make_workload(spec={**ONE_AT_A_TIME, "minReadySeconds": 20}), SERVICE],
    ),
    "budget-kept": (
        "rollout-healthy",
        [make_workload(spec={"strategy": {"type": "Recreate"}}), make_budget(minAvailable=1)],
        [make_workload(spec=ONE_AT_A_TIME), make_budget(minAvailable=1)],
    ),
    "no-request-lost": (
        "rollout-healthy",
        [make_workload(spec=ONE_AT_A_TIME), SERVICE],
        [make_workload(spec=ONE_AT_A_TIME, container={**GENTLE, **READY}), SERVICE],
    ),
    "nothing-stuck": (
        "rollout-healthy",
        [make_workload(spec=THREE, **deepcopy(APART))],
        [make_workload(spec=MOVING, **deepcopy(APART))],
    ),
    "drain-ends": (
        "drain-each",
        [make_workload(spec={"replicas": 1}), make_budget(minAvailable=1)],
        [make_workload(), make_budget(minAvailable=1)],
    ),
    "whole-again": ("node-crash", [make_workload(**ON_ONE), SERVICE], [make_workload(), SERVICE]),
    "no-hard-kill": (
        "rollout-healthy",
        [make_workload(acts=SLOW_END, terminationGracePeriodSeconds=5)],
        [make_workload(acts=SLOW_END, terminationGracePeriodSeconds=30)],
    ),
    "no-restart-storm": (
        "rollout-slow",
        [make_workload(container=PROBE)],
        [make_workload(container=PATIENT)],
    ),
    "one-writer": (
        "rollout-healthy",
        [make_claim(), make_workload(spec={"replicas": 1}, **deepcopy(VOLUME), **ON_ONE)],
        [
            make_claim(),
            make_workload(
                spec={"replicas": 1, "strategy": {"type": "Recreate"}}, **deepcopy(VOLUME), **ON_ONE
            ),
        ],
    ),
}
"""By claim: an ordeal, what fails in it, what does not."""


def settle_all(objects: list[Json]) -> Settled:
    return settle(make_plan([Document(one) for one in objects]))


def live_all(objects: list[Json], ordeal: str) -> list[Future]:
    settled = settle_all(objects)
    chosen = [one for one in list_ordeals() if one.name == ordeal]
    return [live(settled, trial, 1) for trial in list_trials(settled, chosen)]


def list_failed(futures: list[Future]) -> set[str]:
    return {one.claim for future in futures for one in future.violations}


@pytest.mark.slow
@pytest.mark.spec("CHECK-CLAIM-01")
@pytest.mark.spec("CHECK-CLAIM-02")
@pytest.mark.spec("CHECK-CLAIM-03")
@pytest.mark.spec("CHECK-CLAIM-04")
@pytest.mark.spec("CHECK-CLAIM-05")
@pytest.mark.spec("CHECK-CLAIM-06")
@pytest.mark.spec("CHECK-CLAIM-07")
@pytest.mark.spec("CHECK-CLAIM-08")
@pytest.mark.spec("CHECK-CLAIM-09")
@pytest.mark.parametrize("claim", CASES)
def test_a_claim_fails_of_what_breaks_it_and_holds_of_what_is_mended(claim: str) -> None:
    ordeal, broken, mended = CASES[claim]
    failing, holding = live_all(broken, ordeal), live_all(mended, ordeal)
    assert not [one for future in (*failing, *holding) for one in future.refusals]
    assert claim in list_failed(failing)
    assert claim not in list_failed(holding)


@pytest.mark.spec("CHECK-CLAIM-10")
def test_nobody_is_blamed_for_the_restart_of_a_container_that_the_ordeal_kills() -> None:
    futures = live_all([make_workload(spec={"replicas": 3})], "kill-each")
    assert futures and sum(future.figures.restarts for future in futures) >= 1
    assert list_failed(futures) == set()


@pytest.mark.spec("CHECK-CLAIM-05")
def test_a_drain_that_two_budgets_hold_up_says_so() -> None:
    other = make_budget(minAvailable=1)
    other["metadata"] = {"name": "web-too"}
    futures = live_all([make_workload(), make_budget(maxUnavailable=1), other], "drain-each")
    texts = {one.text for future in futures for one in future.violations if one.claim == "drain-ends"}
    assert texts
    assert all("several budgets select it (web, web-too)" in one for one in texts)


@pytest.mark.spec("CHECK-CLAIM-02")
def test_a_budget_that_selects_nobody_keeps_nothing_and_breaks_nothing() -> None:
    budget = make(
        "PodDisruptionBudget",
        "policy/v1",
        "web",
        {"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}},
    )
    assert "budget-kept" not in list_failed(live_all([make_workload(), budget], "drain-each"))


ONE, MANY = {"replicas": 1}, {"replicas": 3}
RECREATE = {"strategy": {"type": "Recreate"}}
SLOW, LATE = "app: {listens: {after: 15s}}", "app: {listens: {after: 90s}}"
PEERS = make(
    "Service",
    "v1",
    "web",
    {**SERVICE["spec"], "clusterIP": "None", "publishNotReadyAddresses": True},
)
NAMES = make("Service", "v1", "web", {**SERVICE["spec"], "clusterIP": "None"})


@pytest.mark.slow
@pytest.mark.spec("CHECK-CLAIM-03")
@pytest.mark.parametrize(
    "ordeal, objects, gravest",
    [
        pytest.param(
            "rollout-healthy",
            [make_workload("Deployment", SLOW, {**MANY, **RECREATE}, container=READY), SERVICE],
            "critical",
            id="three pods that all end first",
        ),
        pytest.param(
            "rollout-healthy",
            [make_workload("StatefulSet", SLOW, ONE, container=READY), SERVICE],
            "minor",
            id="the only pod of a set",
        ),
        pytest.param(
            "rollout-healthy",
            [
                make_claim(),
                make_workload("Deployment", SLOW, {**ONE, **RECREATE}, container=READY, **deepcopy(VOLUME)),
                SERVICE,
            ],
            "minor",
            id="the only pod that may write",
        ),
        pytest.param(
            "undo",
            [
                make_workload(
                    "StatefulSet", SLOW, {**ONE, "podManagementPolicy": "Parallel"}, container=READY
                ),
                SERVICE,
            ],
            "minor",
            id="the only pod of a set, while its bad image is left",
        ),
        pytest.param(
            "drain-all",
            [make_workload("StatefulSet", "app: {listens: {after: 35s}}", ONE, container=READY), SERVICE],
            "minor",
            id="the only pod of a set, moved again and again",
        ),
        pytest.param(
            "rollout-healthy",
            [make_workload("StatefulSet", LATE, ONE, container=READY), SERVICE],
            "serious",
            id="the only pod of a set, and it takes long",
        ),
        pytest.param(
            "rollout-healthy",
            [make_workload("Deployment", SLOW, {**ONE, **RECREATE}, container=READY), SERVICE],
            "serious",
            id="one pod that could have been two",
        ),
        pytest.param(
            "drain-all",
            [make_workload("Deployment", SLOW, MANY, container=READY, **ON_ONE), PEERS],
            "minor",
            id="pods that look for each other",
        ),
        pytest.param(
            "drain-all",
            [make_workload("Deployment", SLOW, MANY, container=READY, **ON_ONE), NAMES],
            "critical",
            id="pods that are asked by their names",
        ),
        pytest.param(
            "spot",
            [make_workload("DaemonSet", container={**READY, **GENTLE}), SERVICE],
            "minor",
            id="what no drain evicts goes with its machine",
        ),
    ],
)
def test_lost_requests_are_as_grave_as_what_a_manifest_could_spare(ordeal, objects, gravest) -> None:
    found = [
        one.severity
        for future in live_all(objects, ordeal)
        for one in future.violations
        if one.claim == "no-request-lost"
    ]
    assert min(found, key=("critical", "serious", "minor").index) == gravest


@pytest.mark.spec("CHECK-CLAIM-08")
def test_a_machine_that_starts_anew_is_no_storm_however_many_containers_a_pod_has() -> None:
    workload = make_workload(spec=ONE)
    pod = workload["spec"]["template"]["spec"]
    pod["containers"] = [{"name": f"app-{number}", "image": "web:1"} for number in range(4)]
    futures = live_all([workload], "node-reboot")
    assert sum(future.figures.restarts for future in futures) >= 4
    assert "no-restart-storm" not in list_failed(futures)


@pytest.mark.spec("CHECK-RUN-01")
@pytest.mark.spec("CHECK-RUN-02")
def test_futures_begin_with_one_state_and_leave_it_as_it_was() -> None:
    settled = settle_all([make_workload(), SERVICE])
    before = deepcopy(settled.saved)
    (trial,) = list_trials(settled, [one for one in list_ordeals() if one.name == "rollout-healthy"])
    first, second, again = live(settled, trial, 1), live(settled, trial, 2), live(settled, trial, 1)
    assert settled.saved == before
    assert first == again
    assert first.figures.recovery_ms != second.figures.recovery_ms


@pytest.mark.spec("CHECK-RUN-06")
def test_what_has_nothing_to_befall_is_not_tried() -> None:
    settled = settle_all([make("ConfigMap", "v1", "settings", {})])
    assert list_trials(settled, list_ordeals()) == []
