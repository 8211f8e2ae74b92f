"""Rules of v1.35.6 that its source tells and small scenarios show; each file says what to expect and why."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.recordings.run_podline import WARM_SECONDS, PodlineRun, run
from tests.recordings.scenario_files import read

RULES = Path(__file__).parent / "rules"
FORBIDDEN_OF_EPHEMERAL = ("ports", "resources", "readinessProbe", "lifecycle")
Row = dict[str, Any]


@cache
def live(name: str) -> PodlineRun:
    return run(read(RULES / f"{name}.yaml"))


def list_events(name: str, reason: str, of: str | None = None) -> list[Row]:
    """The latest row of each event for a reason, in the order in which they were first told."""
    rows = [row for row in live(name).rows if row["type"] == "event" and row["reason"] == reason]
    return list({row["eventId"]: row for row in rows if of in (None, row["name"])}.values())


def lane(name: str, of: str, field: str) -> list[tuple[float, Any]]:
    """(seconds, new value) of a field of an object."""
    return [
        (round(row["at_ms"] / 1000 - WARM_SECONDS, 3), row["new"])
        for row in live(name).rows
        if row["type"] == "transition" and (row["name"], row["field"]) == (of, field)
    ]


def at(name: str, of: str, field: str, value: Any) -> list[float]:
    return [seconds for seconds, new in lane(name, of, field) if new == value]


def test_failed_execs_are_events_of_their_own_until_they_are_combined() -> None:
    """events_cache.go: ten that differ in their messages alone, within 600 s, are one from the tenth on."""
    told = list_events("failed-execs-are-events-of-their-own", "Unhealthy", "no-curl")
    assert [row["count"] for row in told[:9]] == [1] * 9
    assert len({row["message"] for row in told[:9]}) == 9
    (combined,) = told[9:]
    assert combined["message"].startswith("(combined from similar events): Readiness probe errored")


def test_liveness_begins_a_tick_after_the_startup_probe_has_succeeded() -> None:
    name = "liveness-begins-a-tick-after-startup"
    (started,) = at(name, "gate", "probe.srv.startup", "Success")
    failed = at(name, "gate", "probe.srv.liveness", "Failure")[0]
    assert 12 <= started < 13 and failed == pytest.approx(started + 4, abs=0.2)
    killed = [row["at_ms"] for row in list_events(name, "Killing", "gate")]
    assert killed == pytest.approx([1000 * (started + 8 + WARM_SECONDS)], abs=200)


def test_another_user_than_root_may_not_write_what_is_roots() -> None:
    name = "user-may-not-write-roots-folders"
    assert at(name, "plain-user", "phase", "Failed")
    (end,) = [
        row["detail"]["exitCode"]
        for row in live(name).rows
        if row["type"] == "transition"
        and (row["name"], row["field"], row["new"]) == ("plain-user", "container.app.state", "Terminated")
    ]
    assert end == 5


def test_the_start_that_a_returned_kubelet_makes_of_an_ended_container_counts() -> None:
    name = "first-restart-after-kubelet-return-counts"
    starts = at(name, "worker", "container.loop.state", "Running")
    ends = at(name, "worker", "container.loop.state", "Terminated")
    assert len(starts) == 3 and len(ends) >= 2
    # It waits at its second end, 10 s and more.
    assert 34.5 <= starts[2] <= 41.5
    assert at(name, "worker", "container.loop.state", "Waiting")


def test_probes_go_on_until_the_kubelet_knows_that_their_container_has_ended() -> None:
    """Of ends a second apart at most half are met, and what is said of them counts for nothing."""
    told = list_events("probe-between-end-and-relist", "Unhealthy", "brief")
    assert any("container is in CONTAINER_EXITED state" in row["message"] for row in told)
    assert all("errored and resulted in unknown state" in row["message"] for row in told)


def test_a_bare_replica_set_deletes_its_youngest_whoever_shares_a_node() -> None:
    name = "bare-replicaset-shares-nodes"
    assert at(name, "young", "deletion", "requested")
    assert not at(name, "old-a", "deletion", "requested") + at(name, "old-b", "deletion", "requested")


def test_a_pod_with_resources_of_its_own_is_not_resized() -> None:
    name = "no-resize-with-pod-level-resources"
    assert (
        'Pod "duo" is invalid: []: Forbidden: resize of pods with pod-level resources is forbidden when'
        " InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled"
    ) in live(name).said
    assert not [row for row in live(name).rows if str(row.get("reason")).startswith("Resize")]


def test_what_an_ephemeral_container_may_not_have_is_told_in_the_order_of_its_type() -> None:
    said = live("ephemeral-fields-in-order").said
    places = [said.index(f"spec.ephemeralContainers[0].{one}: Forbidden") for one in FORBIDDEN_OF_EPHEMERAL]
    assert places == sorted(places)
    assert (
        'existing ephemeral containers "probe" may not be changed\n@@ -1,6 +1,6 @@\n {\n  "Name": "probe",\n'
        '- "Image": "busybox:1.36",\n+ "Image": "busybox:1.37",\n'
    ) in said


def test_any_change_of_any_volume_has_pods_tried_again_that_wait_for_one() -> None:
    told = list_events("any-volume-change-retries-volume-waiters", "FailedScheduling", "idle")
    assert [row["count"] for row in told] == [1, 2]
    tried = [(row["first_ms"] / 1000 - WARM_SECONDS, row["last_ms"] / 1000 - WARM_SECONDS) for row in told]
    assert tried[1] == pytest.approx((10, 14), abs=0.2)


def test_the_end_of_a_user_wakes_nobody_whose_claim_is_being_deleted() -> None:
    told = list_events("end-of-a-user-wakes-only-exclusive-waiters", "FailedScheduling", "next")
    assert [row["count"] for row in told] == [1, 1]
    assert 'persistentvolumeclaim "ledger" is being deleted' in told[0]["message"]
    assert 'persistentvolumeclaim "ledger" not found' in told[1]["message"]


def test_owners_and_finalizers_have_no_kubelet_look_at_a_pod() -> None:
    waits = lane("adoption-does-not-wake-the-kubelet", "stuck", "container.web.state")
    told = [
        (round(row["at_ms"] / 1000 - WARM_SECONDS, 3), row["reason"])
        for row in live("adoption-does-not-wake-the-kubelet").rows
        if row["type"] == "transition" and (row["name"], row["field"]) == ("stuck", "container.web.state")
    ]
    assert waits and [reason for _at, reason in told if reason][-1] == "ImagePullBackOff"
    (first,) = [at for at, reason in told if reason == "ImagePullBackOff"]
    assert 10 <= first <= 16


def test_a_cron_job_is_looked_at_between_the_last_two_writes_of_its_job() -> None:
    (told,) = list_events("cron-looks-between-criteria-and-complete", "JobAlreadyActive", "digest")
    assert told["count"] == 3


def test_rival_autoscalers_are_named_as_they_came_and_read_what_they_scale_first() -> None:
    name = "rival-autoscalers-in-order-of-arrival"
    told = {row["message"] for row in live(name).rows if row["type"] == "event"}
    assert any("controlled by multiple HPAs: [default/zeta default/alpha]" in text for text in told), told
    counts = [number for _at, number in lane(name, "alpha", "currentReplicas")]
    assert counts[:2] == [2, 4], counts
