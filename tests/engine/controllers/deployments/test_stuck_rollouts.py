"""Why a rollout hangs (SC-DEP-21): each cause by itself, what shows it, and that it goes on without it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.rollout_status import decide_rollout_status
from lifecycle.engine.objects.workloads.deployment import Deployment
from tests.engine.kubelet.world import World

pytestmark = pytest.mark.slow

Json = dict[str, Any]
LABELS = {"app": "nginx"}
DEADLINE_SECONDS = 60
SMALL = {"limits": [{"type": "Container", "max": {"cpu": "100m"}}]}
ASKS = {"limits": {"cpu": "200m"}, "requests": {"cpu": "200m"}}


def template(behavior: Json | None = None, container: Json | None = None, **spec: Any) -> Json:
    app = {"name": "app", "image": "sim/server:2", **(container or {})}
    annotations = {"podline.dev/behavior": json.dumps({"app": behavior})} if behavior else {}
    return {"metadata": {"labels": LABELS, "annotations": annotations}, "spec": {"containers": [app], **spec}}


def apply(world: World, kind: str, name: str, api_version: str = "v1", **fields: Any) -> None:
    meta = {"name": name, "namespace": "default"}
    made = world.submit("apply", object={"apiVersion": api_version, "kind": kind, "metadata": meta, **fields})
    assert made.ok, made.status


def roll_out(world: World, new: Json) -> None:
    spec = {"replicas": 3, "selector": {"matchLabels": LABELS}, "progressDeadlineSeconds": DEADLINE_SECONDS}
    apply(world, "Deployment", "nginx", "apps/v1", spec={**spec, "template": new})


def first() -> Json:
    return template(container={"image": "sim/server:1"})


def read(world: World) -> tuple[Json, dict[str, tuple[str, str]]]:
    found = world.get("nginx", "Deployment")
    assert found is not None
    conditions = {one["type"]: (one["status"], one["reason"]) for one in found["status"]["conditions"]}
    return found, conditions


READY = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 1}
FAILS = {"runs": [{"forever": True}], "probes": {"readiness": [{"at": "0s", "result": "failure"}]}}
CRASHES = {"runs": [{"for": "1s", "exit": 1}]}
NO_IMAGE = {"pull": {"error": "ErrImagePull"}}


@pytest.mark.spec("DEP-FAIL-01")
@pytest.mark.parametrize(
    "cause, new, shown",
    [
        pytest.param(
            ("ResourceQuota", {"hard": {"pods": "3"}}),
            template(),
            "exceeded quota: cause, requested: pods=1, used: pods=3, limited: pods=3",
            id="the quota is too small",
        ),
        pytest.param(
            ("LimitRange", SMALL),
            template(container={"resources": ASKS}),
            "maximum cpu usage per Container is 100m, but limit is 200m",
            id="more than a limit range allows",
        ),
        pytest.param(
            None,
            template(serviceAccountName="robot"),
            'error looking up service account default/robot: serviceaccount "robot" not found',
            id="an account that is not there",
        ),
        pytest.param(
            None, template(FAILS, {"readinessProbe": READY}), ("Running", "0/1"), id="it is never ready"
        ),
        pytest.param(None, template(NO_IMAGE), ("ImagePullBackOff", "0/1"), id="no such image"),
        pytest.param(
            # Without a probe it would count as ready for the second that it runs.
            None,
            template(CRASHES, {"readinessProbe": {**READY, "initialDelaySeconds": 5}}),
            ("CrashLoopBackOff", "0/1"),
            id="it crashes",
        ),
    ],
)
def test_a_rollout_hangs_and_goes_on_without_its_cause(
    cause: tuple[str, Json] | None, new: Json, shown: str | tuple[str, str]
) -> None:
    world = World(nodes=3)
    roll_out(world, first())
    world.to(10)
    if cause is not None:
        apply(world, cause[0], "cause", spec=cause[1])
    roll_out(world, new)
    # Where not even a pod came, nothing has moved since the new ReplicaSet did.
    begun = "NewReplicaSetCreated" if isinstance(shown, str) else "ReplicaSetUpdated"
    for seconds, progressing in ((50, ("True", begun)), (90, ("False", "ProgressDeadlineExceeded"))):
        found, conditions = read(world.to(seconds))
        assert found["status"]["readyReplicas"] == 3 and conditions["Available"][0] == "True"
        assert conditions["Progressing"] == progressing
        newest = world.cluster.list("ReplicaSet", "default")[-1]
        assert (newest["spec"]["replicas"], newest["status"].get("readyReplicas", 0)) == (1, 0)
        _check_evidence(world, newest, conditions, shown)
    assert decide_rollout_status(Deployment.from_json(found)).has_failed
    _remove(world, cause, new)
    found, conditions = read(world.to(1_200))
    assert conditions["Progressing"] == ("True", "NewReplicaSetAvailable")
    assert "ReplicaFailure" not in conditions and found["status"]["updatedReplicas"] == 3


def _check_evidence(
    world: World, newest: Json, conditions: dict[str, tuple[str, str]], shown: str | tuple[str, str]
) -> None:
    uid = newest["metadata"]["uid"]
    pods = [
        one
        for one in world.cluster.list("Pod", "default")
        if one["metadata"]["ownerReferences"][0]["uid"] == uid
    ]
    if isinstance(shown, str):
        (failure,) = (one for one in newest["status"]["conditions"] if one["type"] == "ReplicaFailure")
        assert not pods and conditions["ReplicaFailure"] == ("True", "FailedCreate")
        assert failure["message"].endswith(f"is forbidden: {shown}")
        assert world.events("FailedCreate", name=newest["metadata"]["name"])
        return
    (pod,) = pods
    told = {field: world.lane(field, pod["metadata"]["name"]) for field in ("status", "ready")}
    assert shown[0] in [value for _at, value in told["status"]] and told["ready"][-1][1] == shown[1]


def _remove(world: World, cause: tuple[str, Json] | None, new: Json) -> None:
    if cause is not None:
        assert world.submit("delete", kind=cause[0], namespace="default", name="cause").ok
    elif "serviceAccountName" in new["spec"]:
        apply(world, "ServiceAccount", "robot")
    else:
        roll_out(world, template())
