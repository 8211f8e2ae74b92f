"""What counts from a time in an object counts from the second that the API tells of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.times import parse_time_or_none
from lifecycle.engine.rules.columns.ages import Ages
from lifecycle.engine.rules.jobs.pods import find_finish_ms

Json = dict[str, Any]
WHOLE_MS = 1_767_225_600_000
EPOCHS_MS = [WHOLE_MS, WHOLE_MS + 1, WHOLE_MS + 450, WHOLE_MS + 999]
WAIT_SECONDS, SLACK_MS = 7, 250


def make(kind: str, **spec: Any) -> Json:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "nginx:1"}]}}
    given = {"template": template, **spec}
    if kind == "Job":
        template["spec"]["restartPolicy"] = "Never"  # type: ignore[index]
    else:
        given["selector"] = {"matchLabels": labels}
    version = "batch/v1" if kind == "Job" else "apps/v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "web"}, "spec": given}


def find_instant(cluster: Cluster, kind: str, is_so: Callable[[Json], bool]) -> int:
    """The first instant at which something holds of the status of `web`."""
    while (due_ms := cluster.next_wake()) is not None and due_ms < 120_000:
        cluster.run_until(due_ms)
        if is_so((cluster.get(kind, "default", "web") or {}).get("status") or {}):
            return due_ms
    raise AssertionError("it never holds")


def find_condition(status: Json, kind: str, value: str = "True") -> Json | None:
    found = status.get("conditions") or ()
    return next((one for one in found if (one["type"], one["status"]) == (kind, value)), None)


@pytest.mark.slow
@pytest.mark.parametrize("epoch_ms", EPOCHS_MS)
@pytest.mark.parametrize(
    "kind, count, slack_ms",
    [
        ("ReplicaSet", "availableReplicas", SLACK_MS),
        ("StatefulSet", "availableReplicas", SLACK_MS),
        # It looks so long after it saw the pod ready, which may be nearly a second later.
        ("DaemonSet", "numberAvailable", 1_000 + SLACK_MS),
    ],
)
def test_a_pod_is_available_so_long_after_the_second_in_which_it_became_ready(
    epoch_ms: int, kind: str, count: str, slack_ms: int
) -> None:
    cluster = Cluster(seed=3, epoch_ms=epoch_ms)
    cluster.submit(Command("a", "create", {"object": make(kind, minReadySeconds=WAIT_SECONDS)}))
    at_ms = find_instant(cluster, kind, lambda status: bool(status.get(count)))
    ready = [find_condition(pod["status"], "Ready") for pod in cluster.list("Pod", "default")]
    since_ms = min(
        parse_time_or_none(one["lastTransitionTime"], epoch_ms) or 0 for one in ready if one is not None
    )
    assert 0 <= at_ms - (since_ms + WAIT_SECONDS * 1000) < slack_ms


@pytest.mark.parametrize("epoch_ms", EPOCHS_MS)
def test_deadlines_count_from_the_second_that_is_told(epoch_ms: int) -> None:
    job = Cluster(seed=3, epoch_ms=epoch_ms)
    job.submit(Command("a", "create", {"object": make("Job", activeDeadlineSeconds=WAIT_SECONDS)}))
    at_ms = find_instant(job, "Job", lambda status: bool(find_condition(status, "FailureTarget")))
    started = (job.get("Job", "default", "web") or {})["status"]["startTime"]
    assert 0 <= at_ms - (parse_time_or_none(started, epoch_ms) or 0) - WAIT_SECONDS * 1000 < SLACK_MS

    rollout, wanted = Cluster(seed=3, epoch_ms=epoch_ms), make("Deployment", progressDeadlineSeconds=20)
    wanted["spec"]["template"]["spec"]["nodeSelector"] = {"no": "such"}
    rollout.submit(Command("a", "create", {"object": wanted}))
    told: list[str] = []

    def has_failed(status: Json) -> bool:
        if going_on := find_condition(status, "Progressing"):
            told.append(going_on["lastUpdateTime"])
        return find_condition(status, "Progressing", "False") is not None

    at_ms = find_instant(rollout, "Deployment", has_failed)
    # It is looked at a second after its deadline.
    assert 0 <= at_ms - (parse_time_or_none(told[-1], epoch_ms) or 0) - 21_000 < SLACK_MS


@pytest.mark.parametrize(
    "extra_ms, finish_ms, age",
    [
        # Ended 5.6 s after the beginning: at second 5 of the clock, at 6 if that began at 450 ms.
        pytest.param(0, 5_000, "4s", id="a whole second"),
        pytest.param(450, 5_550, "3s", id="with milliseconds"),
    ],
)
def test_an_end_and_an_age_are_of_the_second_that_is_told(extra_ms: int, finish_ms: int, age: str) -> None:
    epoch_ms = WHOLE_MS + extra_ms
    pod = Pod.from_json({"kind": "Pod", "metadata": {"name": "a", "namespace": "b"}, "spec": {}}, epoch_ms)
    pod.meta = pod.meta.replace(creation_ms=5_600)
    assert find_finish_ms(pod, epoch_ms) == finish_ms
    told = "2026-01-01T00:00:05Z" if not extra_ms else "2026-01-01T00:00:06Z"
    assert Ages(9_450, epoch_ms).age_of(told) == age
