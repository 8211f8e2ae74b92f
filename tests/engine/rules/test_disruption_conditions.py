"""What a pod says of the disruption that ends it: who said so last, since when, and of which generation."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.controllers.disruption.decide import decide_stale
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.actions import Update
from lifecycle.engine.rules.nodes.eviction import with_disruption
from lifecycle.engine.rules.nodes.shutdown import TERMINATED_TEXT
from lifecycle.engine.rules.nodes.taint_evictions import mark_for_deletion

Json = dict[str, Any]
SINCE, NOW, NOW_MS = "2024-01-01T12:00:00Z", "2024-01-01T12:05:00Z", 300_000
EPOCH_MS = 1_704_110_400_000
TAINTED = {"reason": "DeletionByTaintManager", "message": "Taint manager: deleting due to NoExecute taint"}
SHUT_DOWN = {
    "reason": "TerminationByKubelet",
    "message": "Pod was terminated in response to imminent node shutdown.",
}
EVICTED = {"reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting"}


def make_pod(**told: str) -> Pod:
    """Of generation 3; `told`: its condition DisruptionTarget."""
    conditions = [{"type": "DisruptionTarget", "lastTransitionTime": SINCE, **told}] if told else []
    status = {"phase": "Running", "conditions": conditions}
    raw = {"metadata": {"name": "web-0", "generation": 3}, "spec": {}, "status": status}
    return Pod.from_json({"apiVersion": "v1", "kind": "Pod", **raw}, EPOCH_MS)


def read_condition(pod: Pod) -> Json:
    (found,) = pod.to_json(EPOCH_MS)["status"]["conditions"]
    return found


def says(status: str, since: str, **why: str) -> Json:
    head = {"type": "DisruptionTarget", "status": status, "observedGeneration": 3}
    return {**head, "lastTransitionTime": since, **why}


@pytest.mark.parametrize(
    "told, since",
    [
        pytest.param({}, NOW, id="the first to say so"),
        pytest.param({"status": "True", **EVICTED}, SINCE, id="after another"),
        pytest.param({"status": "False"}, NOW, id="after one that came to nothing"),
    ],
)
def test_who_disrupts_a_pod_last_is_told(told: dict[str, str], since: str):
    assert read_condition(mark_for_deletion(make_pod(**told), NOW_MS)) == says("True", since, **TAINTED)
    pod = make_pod(**told)
    by_kubelet = with_disruption(pod.status.conditions, TERMINATED_TEXT, NOW_MS, pod.meta.generation)
    ended = pod.with_status(pod.status.replace(conditions=by_kubelet))
    assert read_condition(ended) == says("True", since, **SHUT_DOWN)


def test_a_pod_that_says_so_already_is_not_written():
    pod = make_pod(status="True", **TAINTED)
    assert mark_for_deletion(pod, NOW_MS) is pod


def test_what_is_taken_back_is_of_the_present_generation():
    (action,) = decide_stale(make_pod(status="True", **EVICTED), NOW_MS).actions
    assert isinstance(action, Update) and isinstance(action.new, Pod)
    assert read_condition(action.new) == says("False", NOW)
