"""How objects of each kind stand, as their rows tell it (docs/formats.md, section Trace)."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.plots.object_lanes import ObjectStory, make_object_lanes
from dashboard.plots.object_words import Standing, tell_standing
from tests.dashboard.rows import transition

Said = tuple[str, Any, str | None]


@pytest.mark.parametrize(
    "kind, rows, tone, word",
    [
        ("Deployment", [], "idle", "no replicas"),
        (
            "Deployment",
            [("replicas", 4, None), ("updatedReplicas", 1, None), ("availableReplicas", 3, None)],
            "waiting",
            "3/4 available",
        ),
        (
            "Deployment",
            [
                ("replicas", 4, None),
                ("updatedReplicas", 4, None),
                ("availableReplicas", 4, None),
                ("condition.Progressing", "True", "NewReplicaSetAvailable"),
            ],
            "good",
            "4/4 available",
        ),
        (
            "Deployment",
            [("replicas", 2, None), ("condition.Progressing", "False", "ProgressDeadlineExceeded")],
            "bad",
            "ProgressDeadlineExceeded, 0/2 available",
        ),
        (
            "Deployment",
            [("replicas", 2, None), ("condition.Progressing", "Unknown", "DeploymentPaused")],
            "idle",
            "paused, 0/2 available",
        ),
        ("StatefulSet", [("replicas", 2, None), ("availableReplicas", 2, None)], "good", "2/2 available"),
        (
            "DaemonSet",
            [
                ("desiredNumberScheduled", 3, None),
                ("numberAvailable", 2, None),
                ("updatedNumberScheduled", 3, None),
            ],
            "waiting",
            "2/3 available",
        ),
        ("Job", [("active", 2, None), ("failed", 1, None)], "waiting", "2 active, 1 failed"),
        (
            "Job",
            [("condition.Failed", "True", "BackoffLimitExceeded")],
            "bad",
            "Failed: BackoffLimitExceeded",
        ),
        ("Job", [("condition.Suspended", "True", "JobSuspended")], "idle", "Suspended: JobSuspended"),
        ("CronJob", [("suspended", True, None)], "idle", "suspended"),
        ("Service", [], "idle", "0 ready endpoints"),
        ("Service", [("requests.pods", 1000, "nobody")], "bad", "all requests lost, 0 ready endpoints"),
        (
            "PodDisruptionBudget",
            [("disruptionsAllowed", 1, None), ("currentHealthy", 3, None), ("desiredHealthy", 2, None)],
            "good",
            "allows 1",
        ),
        (
            "PodDisruptionBudget",
            [("currentHealthy", 2, None), ("desiredHealthy", 2, None)],
            "waiting",
            "allows 0",
        ),
        ("PodDisruptionBudget", [("desiredHealthy", 2, None)], "bad", "allows 0"),
        (
            "HorizontalPodAutoscaler",
            [("desiredReplicas", 4, None), ("currentReplicas", 2, None)],
            "waiting",
            "wants 4",
        ),
        (
            "HorizontalPodAutoscaler",
            [("condition.ScalingActive", "False", "FailedGetResourceMetric")],
            "bad",
            "FailedGetResourceMetric",
        ),
        ("Node", [("condition.Ready", "True", "KubeletReady")], "good", "Ready"),
        ("Node", [("condition.Ready", "Unknown", "NodeStatusUnknown")], "bad", "NotReady"),
        (
            "Node",
            [("condition.Ready", "True", None), ("condition.MemoryPressure", "True", None)],
            "bad",
            "MemoryPressure",
        ),
        ("Node", [("condition.Ready", "True", None), ("unschedulable", True, None)], "leaving", "cordoned"),
        (
            "Node",
            [("condition.Ready", "True", None), ("unschedulable", True, None), ("drain", "blocked", "web")],
            "leaving",
            "drain blocked",
        ),
        ("PersistentVolumeClaim", [], "waiting", "Pending"),
        ("PersistentVolumeClaim", [("phase", "Bound", None)], "good", "Bound"),
        ("Widget.example.com", [], "idle", "there"),
        ("Widget.example.com", [("condition.Ready", "False", "Why")], "bad", "not Ready"),
        ("ConfigMap", [("deletion", "requested", None)], "leaving", "being deleted"),
        ("Deployment", [("replicas", "²", None)], "idle", "no replicas"),
    ],
)
def test_rows_say_how_an_object_stands(kind: str, rows: list[Said], tone: str, word: str) -> None:
    standing = Standing()
    for field, new, reason in rows:
        standing.take({"field": field, "new": new, "reason": reason})
    said = tell_standing(kind, standing)
    assert (said.tone.name, said.word) == (f"value-{tone}", word)


def test_a_service_counts_the_endpoints_of_pods_and_a_cron_job_the_jobs_that_run() -> None:
    service = ObjectStory(("Service", "default", "web"))
    service.feed(transition(0, "exists", "created", "web", kind="Service"))
    for at_ms, pod, new in [(5, "a", "ready"), (7, "b", "ready"), (9, "a", "terminating"), (11, "a", None)]:
        service.feed_endpoint(transition(at_ms, "endpoint.web", new, pod))
    assert [(span.start_ms, span.word) for span in service.spans] == [
        (0, "0 ready endpoints"),
        (5, "1 ready endpoint"),
        (7, "2 ready endpoints"),
        (9, "1 ready endpoint"),
        (11, "1 ready endpoint"),
    ]
    cron = ObjectStory(("CronJob", "default", "often"))
    cron.feed(transition(0, "exists", "created", "often", kind="CronJob"))
    cron.feed_child(transition(60, "exists", "created", "often-1", kind="Job"))
    cron.feed_child(transition(70, "condition.Complete", "True", "often-1", kind="Job"))
    assert [(span.start_ms, span.end_ms, span.word) for span in cron.spans] == [
        (0, 60, "waits for its time"),
        (60, 70, "1 Job running"),
        (70, None, "waits for its time"),
    ]


def test_several_rows_of_one_instant_leave_one_bar_and_the_gone_one_ends() -> None:
    story = ObjectStory(("StatefulSet", "default", "db"))
    rows = [
        (0, "exists", "created"),
        (0, "replicas", 2),
        (9, "availableReplicas", 2),
        (20, "exists", "deleted"),
    ]
    for at_ms, field, new in rows:
        story.feed(transition(at_ms, field, new, "db", kind="StatefulSet"))
    assert [(span.start_ms, span.end_ms, span.word) for span in story.spans] == [
        (0, 9, "0/2 available"),
        (9, 20, "2/2 available"),
    ]
    assert story.to_lane().tone == "gone"
    # Another of its name goes on with the lane; out of the window nothing of it is drawn.
    story.feed(transition(30, "exists", "created", "db", kind="StatefulSet"))
    assert story.spans[-1].start_ms == 30 and not story.is_gone


def test_a_mark_asks_for_what_was_changed_and_names_are_plain_text() -> None:
    story = ObjectStory(("ConfigMap", "default", "<b>x</b>"))
    story.begin(0, {}, {})
    story.mark(5, 12, ["data.a", "data.b", "data.c", "data.<i>d</i>"])
    figure = make_object_lanes([story], 10, left_out=3)
    marks = figure["data"][-1]
    assert (marks["x"], marks["seqs"]) == ([5], ["change/12"])
    assert marks["hovertext"][0].startswith(
        "<b>&lt;b&gt;x&lt;/b&gt;: changed data.a, data.b, data.c and 1 more</b>"
    )
    assert [row["label"] for row in figure["layout"]["meta"]["rows"]] == ["ConfigMap in default", "<b>x</b>"]
    assert figure["layout"]["meta"]["left_out"] == 3
