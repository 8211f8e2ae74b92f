"""What a Deployment says of its progress, and what kubectl makes of it."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.progress import (
    deadline_wait_ms,
    has_timed_out,
    set_condition,
)
from lifecycle.engine.controllers.deployment.decide.rollout_status import decide_rollout_status
from lifecycle.engine.controllers.deployment.decide.scaling import decide_fraction
from lifecycle.engine.objects.condition import Condition
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet

WAITING = 'Waiting for deployment "web" rollout to finish: '


def make(status: dict[str, Any], generation: int = 1, **spec: Any) -> Deployment:
    return Deployment.from_json(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "generation": generation},
            "spec": {"replicas": 3, **spec},
            "status": {"observedGeneration": 1, **status},
        }
    )


@pytest.mark.spec("KCTL-12")
@pytest.mark.parametrize(
    "status, text",
    [
        ({"updatedReplicas": 2}, f"{WAITING}2 out of 3 new replicas have been updated..."),
        ({"updatedReplicas": 3, "replicas": 4}, f"{WAITING}1 old replicas are pending termination..."),
        (
            {"updatedReplicas": 3, "replicas": 3, "availableReplicas": 2},
            f"{WAITING}2 of 3 updated replicas are available...",
        ),
        (
            {"updatedReplicas": 3, "replicas": 3, "availableReplicas": 3},
            'deployment "web" successfully rolled out',
        ),
    ],
)
def test_rollout_status(status: dict[str, Any], text: str):
    found = decide_rollout_status(make(status))
    assert (found.text, found.is_done, found.has_failed) == (text, "successfully" in text, False)


@pytest.mark.spec("KCTL-13", "DEP-FAIL-13")
def test_rollout_status_past_the_deadline():
    stalled = make(
        {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]}
    )
    found = decide_rollout_status(stalled)
    assert found.text == 'deployment "web" exceeded its progress deadline'
    assert (found.is_done, found.has_failed) == (False, True)


def test_rollout_status_of_a_spec_not_yet_seen():
    found = decide_rollout_status(make({}, generation=2))
    assert found.text == "Waiting for deployment spec update to be observed..."
    assert (found.is_done, found.has_failed) == (False, False)


@pytest.mark.spec("DEP-STAT-12")
def test_the_transition_time_moves_with_the_status_only():
    first = Condition("Progressing", "True", "A", "", 10, 10)
    same_status = set_condition((first,), Condition("Progressing", "True", "B", "", 20, 20))
    assert [(entry.last_transition_ms, entry.last_update_ms) for entry in same_status] == [(10, 20)]
    turned = set_condition(same_status, Condition("Progressing", "False", "B", "", 30, 30))
    assert [(entry.last_transition_ms, entry.last_update_ms) for entry in turned] == [(30, 30)]
    again = Condition("Progressing", "False", "B", "other words", 40, 40)
    assert set_condition(turned, again) is turned


@pytest.mark.spec("DEP-PROP-04", "DEP-PROP-07")
@pytest.mark.parametrize("size, share", [(8, 3), (5, 2)])
def test_shares_of_a_resize(size: int, share: int):
    """From 10 to 15 replicas with surge 3: ceilings 13 and 18."""
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}}
    annotations = {"deployment.kubernetes.io/max-replicas": "13"}
    replica_set = ReplicaSet.from_json({"metadata": {"annotations": annotations}, "spec": {"replicas": size}})
    assert decide_fraction(make({}, replicas=15, strategy=strategy), replica_set) == share


@pytest.mark.parametrize("now_ms, late", [(65_000, False), (65_001, True)])
def test_the_deadline_runs_from_the_whole_second_of_the_last_progress(now_ms: int, late: bool):
    """As in the recording deploy-rollback-of-stuck: progress at 8.09 s of a clock at 29.45, 10 s of deadline.

    The controller looks again at 37 + 10 + 1 = 48 s by that clock, 18.55 s after the start.
    """
    known = Condition("Progressing", "True", "ReplicaSetUpdated", "", 5_700, 5_700)
    deployment = make({}, progressDeadlineSeconds=60)
    status = deployment.status.replace(conditions=(known,))
    assert has_timed_out(deployment, status, now_ms) == late
    assert deadline_wait_ms(deployment.with_status(status), status, 60_000) == 5_000
