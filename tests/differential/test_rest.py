"""What tools/differential counts anew at the end of a run: a status that is not true is found."""

from __future__ import annotations

from typing import Any

import pytest

from tools.differential.rest import find_untrue_counts

Json = dict[str, Any]


def make(kind: str, name: str, owner: str = "", **more: Any) -> Json:
    references = [{"kind": "Owner", "name": owner, "uid": owner, "controller": True}] if owner else []
    meta = {"name": name, "namespace": "default", "uid": name, "generation": 1, "ownerReferences": references}
    return {"kind": kind, "metadata": meta | more.pop("metadata", {}), **more}


def make_pod(name: str, owner: str, is_ready: bool = True, phase: str = "Running", **meta: Any) -> Json:
    ready = {"type": "Ready", "status": str(is_ready)}
    labels = {"labels": {"app": "web", "controller-revision-hash": "r"}}
    status = {"phase": phase, "conditions": [ready]}
    return make("Pod", name, owner, metadata=labels | meta, spec={"nodeName": name}, status=status)


PODS = [make_pod("web-0", "web"), make_pod("web-1", "web")]
SEEN = {"observedGeneration": 1}
OF_TWO = SEEN | {"replicas": 2, "readyReplicas": 2, "availableReplicas": 2}
OLD = make("ReplicaSet", "old", "web", spec={"replicas": 0}, status=SEEN)
NEW = make("ReplicaSet", "new", "web", spec={"replicas": 2}, status=OF_TWO)
OF_NEW = [make_pod("a", "new"), make_pod("b", "new")]
SETS = {"ReplicaSet": [OLD, NEW], "Pod": OF_NEW}
UPDATED = OF_TWO | {"updatedReplicas": 2}
SET = OF_TWO | {"updatedReplicas": 2, "updateRevision": "r"}
COMPLETE = {"conditions": [{"type": "Complete", "status": "True"}], "succeeded": 1}
FORBID = {"concurrencyPolicy": "Forbid", "successfulJobsHistoryLimit": 0, "failedJobsHistoryLimit": 1}
ONE = {"selector": {"matchLabels": {"app": "web"}}}
SOUND = {"expectedPods": 2, "desiredHealthy": 1, "currentHealthy": 2, "disruptionsAllowed": 1}


@pytest.mark.parametrize(
    "kind, spec, status, others, expected",
    [
        pytest.param("ReplicaSet", {"replicas": 2}, OF_TWO, {"Pod": PODS}, [], id="a true ReplicaSet"),
        pytest.param(
            "ReplicaSet",
            {"replicas": 2},
            OF_TWO | {"readyReplicas": 1},
            {"Pod": PODS},
            ["readyReplicas is 1, counted 2"],
            id="ready pods",
        ),
        pytest.param(
            "ReplicaSet",
            {"replicas": 3},
            OF_TWO,
            {"Pod": PODS},
            ["wanted is 3, counted 2"],
            id="too few pods",
        ),
        pytest.param(
            "ReplicaSet",
            {"replicas": 2},
            OF_TWO | {"observedGeneration": 0},
            {"Pod": PODS},
            ["observedGeneration is 0, counted 1"],
            id="a change that was not seen",
        ),
        pytest.param("Deployment", {"replicas": 2}, UPDATED, SETS, [], id="a true Deployment"),
        pytest.param(
            "Deployment",
            {"replicas": 2, "revisionHistoryLimit": 0},
            UPDATED,
            SETS,
            ["1 old ReplicaSets, and its limit is 0"],
            id="a history that is too long",
        ),
        pytest.param(
            "Deployment",
            {"replicas": 3},
            UPDATED | {"replicas": 3},
            SETS,
            ["replicas is 3, counted 2"],
            id="replicas that no set has",
        ),
        pytest.param("StatefulSet", {"replicas": 2}, SET, {"Pod": PODS}, [], id="a true StatefulSet"),
        pytest.param(
            "StatefulSet",
            {"replicas": 2, "ordinals": {"start": 1}},
            SET,
            {"Pod": PODS},
            ["pods is ['web-0', 'web-1'], counted ['web-1', 'web-2']"],
            id="pods of other ordinals",
        ),
        pytest.param(
            "DaemonSet",
            {},
            SEEN | {"currentNumberScheduled": 2, "desiredNumberScheduled": 3},
            {"Pod": PODS},
            ["pods on 2 nodes, wanted on 3"],
            id="a node without its pod",
        ),
        pytest.param(
            "Job",
            {"completions": 1},
            COMPLETE,
            {"Pod": [make_pod("x", "web", phase="Succeeded")]},
            [],
            id="a Job that is over",
        ),
        pytest.param(
            "Job",
            {"completions": 2},
            COMPLETE | {"active": 2},
            {"Pod": PODS},
            ["it is over, and 2 pods go on", "complete with 1 of 2 pods"],
            id="a Job that is over too early",
        ),
        pytest.param(
            "Job",
            {},
            COMPLETE,
            {"Pod": [make_pod("x", "web", phase="Failed", finalizers=["batch.kubernetes.io/job-tracking"])]},
            ["it is over, and pods wait to be counted"],
            id="a pod that was not counted",
        ),
        pytest.param(
            "CronJob",
            FORBID,
            {"active": [{"uid": "1"}, {"uid": "2"}]},
            {"Job": [make("Job", name, "web", status=COMPLETE) for name in ("j", "k")]},
            ["2 Jobs are Complete, and its limit is 0", "2 Jobs at once, with Forbid"],
            id="too many Jobs",
        ),
        pytest.param("PodDisruptionBudget", ONE, SOUND, {"Pod": PODS}, [], id="a true budget"),
        pytest.param(
            "PodDisruptionBudget",
            ONE,
            SOUND | {"disruptionsAllowed": 2},
            {"Pod": PODS},
            ["disruptionsAllowed is 2, counted 1"],
            id="a budget that allows too much",
        ),
        pytest.param(
            "ResourceQuota",
            {"hard": {"pods": "4"}},
            {"hard": {"pods": "3"}, "used": {"pods": "1"}},
            {"Pod": PODS},
            ["hard is {'pods': '3'}, counted {'pods': '4'}", "pods is 1, counted 2"],
            id="a quota",
        ),
        pytest.param(
            "HorizontalPodAutoscaler",
            {"minReplicas": 3, "maxReplicas": 4, "scaleTargetRef": {"kind": "Deployment"}},
            {},
            {"Deployment": [make("Deployment", "d", spec={"replicas": 2, "paused": True}, status=SEEN)]},
            ["2 replicas, and its bounds are 3 and 4"],
            id="bounds of an autoscaler",
        ),
    ],
)
def test_a_status_that_is_not_true_is_found(
    kind: str, spec: Json, status: Json, others: dict[str, list[Json]], expected: list[str]
) -> None:
    one = make(kind, "web", spec=spec, status=status)
    objects = others | {kind: [*others.get(kind, []), one]}
    assert find_untrue_counts(objects) == [f"{kind} web: {text}" for text in expected]


def test_what_outlives_its_owner_is_found() -> None:
    found = find_untrue_counts({"ConfigMap": [make("ConfigMap", "left", "gone")]})
    assert found == ["ConfigMap left: its owner Owner gone is gone"]
