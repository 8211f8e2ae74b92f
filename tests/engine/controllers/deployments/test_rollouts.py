"""Deployments in a cluster of controllers alone: the worked scenarios SC-DEP-*.

`A3 B1 A2` reads: the first ReplicaSet scaled to 3, the second to 1, the first to 2.
"""

import re
from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.rollout_status import decide_rollout_status
from lifecycle.engine.objects.condition import find_condition
from lifecycle.engine.objects.pods.pod import Pod
from tests.engine.controllers.world import World, make_deployment


def image_of(pod: Pod) -> str:
    return pod.spec.containers[0].image


def ready_unless(image: str) -> Any:
    """Pods become Ready after a second, those of one image never."""
    return lambda pod, number: None if image_of(pod) == image else 1000


def started(manifest: dict[str, Any], ready_ms: Any = lambda pod, number: 1000, **settings: Any) -> World:
    world = World(ready_ms, **settings)
    world.apply(manifest)
    world.run(60_000)
    return world


@pytest.mark.spec(
    "DEP-CREATE-01", "DEP-CREATE-02", "DEP-CREATE-03", "DEP-CREATE-06", "DEP-CREATE-07", "DEP-CREATE-09",
    "DEP-CREATE-10", "DEP-CREATE-12", "WL-04",
)  # fmt: skip
def test_a_deployment_makes_one_set_of_full_size():
    world = started(make_deployment())
    (made,) = world.sets()
    assert world.scaled() == "A3"
    # The recording deploy-first-rollout outranks the specification for v1.35: the former size is told too.
    assert world.events()[0] == "Scaled up replica set A from 0 to 3"
    assert made.meta.name.startswith("web-") and made.meta.controller.kind == "Deployment"
    assert [pod.meta.controller.name for pod in world.pods()] == [made.meta.name] * 3
    assert all(pod.meta.name.startswith(f"{made.meta.name}-") for pod in world.pods())
    assert world.numbers() == (3, 3, 3, 3, 0)
    for obj in (world.deployment(), made):
        assert obj.meta.annotations["deployment.kubernetes.io/revision"] == "1"
    assert world.deployment().status.observed_generation == 1
    assert world.condition("Available") == ("True", "MinimumReplicasAvailable")
    assert world.condition("Progressing") == ("True", "NewReplicaSetAvailable")


@pytest.mark.spec("DEP-HASH-01", "DEP-HASH-02", "DEP-HASH-04", "DEP-HASH-05", "DEP-HASH-07", "DEP-CREATE-04")
def test_the_hash_is_in_four_places():
    world = started(make_deployment())
    (made,) = world.sets()
    value = made.meta.labels["pod-template-hash"]
    assert made.meta.name == f"web-{value}"
    assert set(value) <= set("bcdfghjklmnpqrstvwxz2456789")
    assert made.spec.selector.match_labels == {"app": "nginx", "pod-template-hash": value}
    assert made.spec.template.labels["pod-template-hash"] == value
    assert {pod.meta.labels["pod-template-hash"] for pod in world.pods()} == {value}
    assert "pod-template-hash" not in str(world.deployment().spec.raw)
    assert [entry.meta.name for entry in started(make_deployment()).sets()] == [made.meta.name]


UPDATES = [
    pytest.param(3, {}, "B1 A2 B2 A1 B3 A0", 3, 4, id="SC-DEP-02 three by default"),
    pytest.param(4, {}, "B1 A3 B2 A2 B3 A1 B4 A0", 3, 5, id="SC-DEP-03 four by default"),
    pytest.param(3, {"maxUnavailable": 1}, "B1 A2 B2 A1 B3 A0", 2, 4, id="SC-DEP-25 A"),
    pytest.param(3, {"maxSurge": 1}, "B1 A2 B2 A1 B3 A0", 3, 4, id="SC-DEP-25 B"),
    pytest.param(3, {"maxSurge": 1, "maxUnavailable": 1}, "B1 A2 B2 A1 B3 A0", 2, 4, id="SC-DEP-25 C"),
    pytest.param(
        3, {"maxSurge": 0, "maxUnavailable": 1}, "A2 B1 A1 B2 A0 B3", 2, 3, id="SC-DEP-25 without surge"
    ),
    pytest.param(
        10, {"maxUnavailable": "30%"}, "B3 A7 B6 A6 B7 A5 B8 A4 B9 A3 B10 A2 A1 A0", 7, 13, id="SC-DEP-26 A"
    ),
    pytest.param(
        10, {"maxSurge": "30%"}, "B3 A8 B5 A7 B6 A6 B7 A5 B8 A4 B9 A3 B10 A2 A1 A0", 8, 13, id="SC-DEP-26 B"
    ),
    pytest.param(3, {"maxSurge": "0%", "maxUnavailable": "1%"}, "A2 B1 A1 B2 A0 B3", 2, 3, id="DEP-ROLL-07"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.spec(
    "DEP-ROLL-09", "DEP-ROLL-10", "DEP-ROLL-11", "DEP-ROLL-12", "DEP-ROLL-13", "DEP-ROLL-15", "DEP-ROLL-16",
    "DEP-ROLL-17", "DEP-ROLL-18", "DEP-ROLL-19", "DEP-ROLL-07", "DEP-UPD-04", "DEP-UPD-05", "DEP-UPD-06",
)  # fmt: skip
@pytest.mark.parametrize("replicas, rolling, sequence, least, most", UPDATES)
def test_a_rolling_update_stays_between_floor_and_ceiling(
    replicas: int, rolling: dict[str, Any], sequence: str, least: int, most: int
):
    # New pods become Ready one by one.
    world = started(
        make_deployment(replicas, rolling=rolling),
        lambda pod, number: 1000 if image_of(pod) == "nginx:1.14.2" else 1000 + number,
    )
    before = {pod.meta.uid for pod in world.pods()}
    since_ms = world.clock.now_ms
    world.patch("web", image="nginx:1.16.1")
    seen = []
    for _ in range(400):
        world.run(100)
        active = sum(entry.spec.replicas for entry in world.sets())
        seen.append((world.deployment().status.available_replicas, active))
    assert world.scaled(since_ms) == sequence
    assert min(available for available, _ in seen) >= least
    assert max(active for _, active in seen) <= most
    assert world.sizes() == [(0, 0, 0), (replicas, replicas, replicas)]
    assert {image_of(pod) for pod in world.pods()} == {"nginx:1.16.1"}
    assert not before & {pod.meta.uid for pod in world.pods()}
    assert world.condition("Progressing") == ("True", "NewReplicaSetAvailable")


@pytest.mark.spec("DEP-OVER-01", "DEP-OVER-02", "DEP-OVER-03", "DEP-OVER-04", "DEP-OVER-05", "DEP-ROLL-14")
def test_a_rollover_takes_the_unready_pods_first():
    """SC-DEP-04: three of five old pods are ready when the next template arrives."""
    world = World(
        lambda pod, number: (
            (1000 if number <= 3 else 600_000) if image_of(pod) == "nginx:1.14.2" else 1000 + number
        )
    )
    world.apply(make_deployment(5))
    world.run(20_000)
    unready = {pod.meta.uid for pod in world.pods() if not pod.is_ready}
    world.patch("web", image="nginx:1.16.1")
    assert world.scaled(20_000) == "B2 A4 B3"
    left = {pod.meta.uid for pod in world.pods() if pod.is_active}
    assert len(unready - left) == 1
    world.run(30_000)
    assert world.scaled(20_000) == "B2 A4 B3 A3 B4 A2 B5 A1 A0"
    assert world.sizes() == [(0, 0, 0), (5, 5, 5)]
    assert max(new for at, new in world.transitions("ReplicaSet", "readyReplicas") if at < 20_000) == 3


@pytest.mark.spec("DEP-OVER-06", "DEP-OVER-03", "DEP-ROLL-14")
def test_a_stuck_middle_revision_goes_at_once():
    """SC-DEP-05."""
    world = started(
        make_deployment(10, rolling={"maxSurge": 3, "maxUnavailable": 2}),
        lambda pod, number: None if image_of(pod) == "b" else 1000 + 10 * number,
    )
    world.patch("web", image="b")
    world.run(10_000)
    assert world.scaled(60_000) == "B3 A8 B5"
    assert world.sizes() == [(8, 8, 8), (5, 5, 0)]
    world.patch("web", image="c")
    assert world.scaled(70_000) == "B0 C5"
    world.run(60_000)
    assert world.scaled(70_000) == "B0 C5 A7 C6 A6 C7 A5 C8 A4 C9 A3 C10 A2 A1 A0"
    assert [size for size, _, _ in world.sizes()] == [0, 0, 10]


def stuck(**settings: Any) -> World:
    """SC-DEP-06: created, updated, and updated again to an image that does not exist."""
    world = started(make_deployment(), ready_unless("nginx:1.161"), **settings)
    world.patch("web", image="nginx:1.16.1")
    world.run(20_000)
    world.patch("web", image="nginx:1.161")
    world.run(10_000)
    return world


@pytest.mark.spec("DEP-RBK-02", "DEP-RBK-03", "DEP-RBK-04")
def test_a_bad_image_stops_after_one_pod():
    world = stuck()
    assert world.sizes() == [(0, 0, 0), (3, 3, 3), (1, 1, 0)]
    assert world.numbers() == (4, 1, 3, 3, 1)
    assert world.condition("Available") == ("True", "MinimumReplicasAvailable")
    assert world.condition("Progressing") == ("True", "ReplicaSetUpdated")
    assert world.scaled(80_000) == "C1"
    told = decide_rollout_status(world.deployment())
    assert told.text == (
        'Waiting for deployment "web" rollout to finish: 1 out of 3 new replicas have been updated...'
    )
    assert (told.is_done, told.has_failed) == (False, False)


@pytest.mark.spec("DEP-FAIL-03", "DEP-FAIL-04", "DEP-FAIL-07", "DEP-FAIL-12", "DEP-RBK-15", "DEP-FAIL-13")
def test_the_deadline_runs_from_the_last_progress():
    """SC-DEP-18: last progress at 80 s, when the new pod was made."""
    world = stuck()
    template = world.deployment().spec.template.identity
    world.run(590_000)
    assert world.condition("Progressing") == ("True", "ReplicaSetUpdated")
    world.run(1_500)
    assert world.condition("Progressing") == ("False", "ProgressDeadlineExceeded")
    assert world.transitions("Deployment", "condition.Progressing")[-1] == (681_000, "False")
    assert world.condition("Available") == ("True", "MinimumReplicasAvailable")
    assert world.deployment().spec.template.identity == template
    told = decide_rollout_status(world.deployment())
    assert told.text == 'deployment "web" exceeded its progress deadline'
    assert told.has_failed
    # The cause goes away: the rollout completes by itself.
    for pod in world.pods():
        world.set_ready(pod.meta.uid, True)
    world.ready_ms = lambda pod, number: 1000
    world.run(20_000)
    assert world.condition("Progressing") == ("True", "NewReplicaSetAvailable")
    assert world.sizes()[-1] == (3, 3, 3)


@pytest.mark.spec("DEP-FAIL-06", "DEP-STAT-09", "DEP-STAT-10")
def test_a_complete_rollout_stays_complete():
    """SC-DEP-17: later losses change Available alone."""
    world = started(make_deployment())
    world.run(700_000)
    for pod in world.pods():
        world.set_ready(pod.meta.uid, False)
    world.run(700_000)
    assert world.condition("Progressing") == ("True", "NewReplicaSetAvailable")
    assert world.condition("Available") == ("False", "MinimumReplicasUnavailable")
    for pod in world.pods():
        world.set_ready(pod.meta.uid, True)
    world.drain()
    assert world.condition("Available") == ("True", "MinimumReplicasAvailable")


@pytest.mark.spec("DEP-UPD-08", "DEP-RBK-08", "DEP-RBK-10", "DEP-RBK-11", "DEP-HIST-07", "DEP-HIST-02")
def test_going_back_moves_the_revision_up():
    """SC-DEP-08: back from the bad third revision to the second."""
    world = stuck()
    kept = sorted(pod.meta.uid for pod in world.pods() if pod.is_ready)
    world.patch("web", image="nginx:1.16.1")
    # The recording deploy-undo-previous outranks the specification for v1.35: an undo is a patch of the
    # template, so no controller tells of it.
    assert world.events(since_ms=90_000) == ["Scaled down replica set C from 1 to 0"]
    world.run(10_000)
    assert sorted(pod.meta.uid for pod in world.pods()) == kept
    assert world.numbers() == (3, 3, 3, 3, 0)
    annotations = [entry.meta.annotations for entry in world.sets()]
    assert [entry["deployment.kubernetes.io/revision"] for entry in annotations] == ["1", "4", "3"]
    assert annotations[1]["deployment.kubernetes.io/revision-history"] == "2"
    assert world.deployment().meta.annotations["deployment.kubernetes.io/revision"] == "4"
    assert world.condition("Progressing") == ("True", "NewReplicaSetAvailable")


@pytest.mark.spec("DEP-RBK-09")
def test_a_rollback_is_told_where_a_setting_asks_for_it():
    # The recording deploy-undo-to-revision outranks the specification for v1.35: it is not told by itself.
    world = stuck(switches={"deploymentRollbackEvents": True})
    world.patch("web", image="nginx:1.16.1")
    assert world.events(since_ms=90_000)[0] == 'Rolled back deployment "web" to revision 2'


@pytest.mark.spec("DEP-SCALE-01", "DEP-SCALE-02", "DEP-SCALE-08", "DEP-PROP-10", "DEP-UPD-02")
def test_scaling_is_one_step_and_no_revision():
    """SC-DEP-10."""
    world = started(make_deployment())
    world.patch("web", replicas=10)
    world.run(5_000)
    assert (world.scaled(60_000), world.sizes()) == ("A10", [(10, 10, 10)])
    world.patch("web", replicas=0)
    world.run(5_000)
    assert (world.scaled(65_000), world.sizes()) == ("A0", [(0, 0, 0)])
    assert world.deployment().meta.annotations["deployment.kubernetes.io/revision"] == "1"


def blocked() -> World:
    """SC-DEP-12: ten replicas, surge 3, unavailable 2, the new image cannot be pulled."""
    world = started(
        make_deployment(10, rolling={"maxSurge": 3, "maxUnavailable": 2}), ready_unless("nginx:sometag")
    )
    world.patch("web", image="nginx:sometag")
    world.run(10_000)
    assert world.scaled(60_000) == "B3 A8 B5"
    assert world.sizes() == [(8, 8, 8), (5, 5, 0)]
    return world


@pytest.mark.spec("DEP-PROP-01", "DEP-PROP-02", "DEP-PROP-03", "DEP-PROP-06", "DEP-PROP-09", "DEP-STAT-11")
def test_a_resize_of_a_blocked_rollout_is_proportional():
    world = blocked()
    world.patch("web", replicas=15)
    assert world.scaled(70_000) == "A11 B7"
    assert world.deployment().status.available_replicas == 8
    world.run(5_000)
    assert world.sizes() == [(11, 11, 11), (7, 7, 0)]
    assert world.numbers() == (18, 7, 11, 11, 7)
    assert world.scaled(70_000) == "A11 B7"
    assert world.condition("Available") == ("False", "MinimumReplicasUnavailable")


@pytest.mark.spec("DEP-PROP-05", "DEP-SCALE-08")
@pytest.mark.parametrize(
    "replicas, sequence, sizes",
    [
        pytest.param(5, "A5 B3 A3 B5", [(3, 3, 3), (5, 5, 0)], id="SC-DEP-13 to five"),
        pytest.param(0, "A0 B0", [(0, 0, 0), (0, 0, 0)], id="SC-DEP-13 to zero"),
    ],
)
def test_a_blocked_rollout_shrinks_in_proportion(replicas: int, sequence: str, sizes: list[Any]):
    world = blocked()
    world.patch("web", replicas=replicas)
    world.run(5_000)
    assert (world.scaled(70_000), world.sizes()) == (sequence, sizes)


@pytest.mark.spec("DEP-PROP-08")
def test_a_resized_rollout_heals():
    """SC-DEP-14: one by one the seven stuck pods become Ready, later ones at once."""
    world = blocked()
    world.patch("web", replicas=15)
    world.run(5_000)
    world.ready_ms = lambda pod, number: 1000 + number
    for number, pod in enumerate(pod for pod in world.pods() if not pod.is_ready):
        world.context.later(1000 + number, "ready", pod.meta.uid)
    world.run(60_000)
    assert world.scaled(75_000).startswith("A10 B8 A9 B9 A8 B10 A7 B11 A6 B12 A5 B13 A4 B14 A3 B15 A2 A1 A0")
    assert world.sizes() == [(0, 0, 0), (15, 15, 15)]
    assert world.condition("Progressing") == ("True", "NewReplicaSetAvailable")


@pytest.mark.spec(
    "DEP-PAUSE-02", "DEP-PAUSE-03", "DEP-PAUSE-04", "DEP-PAUSE-05", "DEP-PAUSE-08", "DEP-PAUSE-09"
)
def test_edits_of_a_paused_deployment_become_one_rollout():
    """SC-DEP-15."""
    world = started(make_deployment(rolling={"maxSurge": 1, "maxUnavailable": 1}))
    world.patch("web", paused=True)
    world.patch("web", image="nginx:1.16.1")
    world.run(10_000)
    assert world.sizes() == [(3, 3, 3)]
    assert world.condition("Progressing") == ("Unknown", "DeploymentPaused")
    assert world.deployment().status.updated_replicas == 0
    world.patch("web", image="nginx:1.17")
    world.patch("web", paused=False)
    world.run(20_000)
    assert world.sizes() == [(0, 0, 0), (3, 3, 3)]
    assert {image_of(pod) for pod in world.pods()} == {"nginx:1.17"}
    assert world.deployment().meta.annotations["deployment.kubernetes.io/revision"] == "2"


@pytest.mark.spec("DEP-PAUSE-06", "DEP-PAUSE-07", "DEP-PAUSE-08")
def test_a_pause_freezes_all_but_scaling():
    """SC-DEP-16."""
    world = started(
        make_deployment(10, rolling={"maxSurge": 3, "maxUnavailable": 2}),
        lambda pod, number: 30_000 + number if image_of(pod) == "new" else 1000,
    )
    world.patch("web", image="new")
    world.run(5_000)
    world.patch("web", paused=True)
    world.run(60_000)
    assert world.sizes() == [(8, 8, 8), (5, 5, 5)]
    world.patch("web", replicas=15)
    world.run(2_000)
    assert [size for size, _, _ in world.sizes()] == [11, 7]
    world.run(900_000)
    assert world.condition("Progressing") == ("Unknown", "DeploymentPaused")
    world.patch("web", paused=False)
    world.run(300_000)
    assert world.sizes() == [(0, 0, 0), (15, 15, 15)]
    assert "ProgressDeadlineExceeded" not in str(
        [row.reason for row in world.rows if getattr(row, "field", "") == "condition.Progressing"]
    )


@pytest.mark.spec("DEP-FAIL-08", "DEP-FAIL-10", "DEP-FAIL-11", "DEP-FAIL-14")
def test_a_quota_blocks_and_its_cure_completes():
    """SC-DEP-19: no pod may be made beyond two."""
    world = started(make_deployment(rolling={"maxSurge": 1, "maxUnavailable": 1}))
    world.limit(pods="2")
    world.patch("web", image="nginx:1.16.1")
    world.run(30_000)
    assert world.scaled(60_000) == "B1 A2 B2"
    assert world.numbers() == (2, 0, 2, 2, 2)
    assert world.condition("ReplicaFailure") == ("True", "FailedCreate")
    assert world.condition("Progressing") == ("True", "ReplicaSetUpdated")
    assert world.condition("Available") == ("True", "MinimumReplicasAvailable")
    failure = find_condition(world.deployment().status.conditions, "ReplicaFailure")
    # What was recorded of quotas outranks the specification for v1.35: it names the pod as it would have
    # been, and says "Error creating" in its events only.
    assert failure is not None and re.fullmatch(
        rf'pods "{world.sets()[1].meta.name}-[a-z0-9]{{5}}" is forbidden: exceeded quota: object-counts,'
        " requested: pods=1, used: pods=3, limited: pods=2",
        failure.message or "",
    )
    world.run(700_000)
    assert world.condition("Progressing") == ("False", "ProgressDeadlineExceeded")
    world.limit()
    world.run(1_000_000)
    assert [(entry.type, entry.reason) for entry in world.deployment().status.conditions] == [
        ("Available", "MinimumReplicasAvailable"),
        ("Progressing", "NewReplicaSetAvailable"),
    ]


@pytest.mark.spec("DEP-FAIL-15")
def test_refused_creations_are_retried_with_growing_delays():
    world = started(make_deployment())
    world.limit(pods="3")
    world.patch("web", image="nginx:1.16.1")
    world.run(1_000)
    refused = [row.at_ms for row in world.event_rows("ReplicaSet", "FailedCreate")]
    # The condition that it wrote has the set looked at once more: 5 ms pass, then 20, 40, 80.
    assert refused[:6] == [60_000, 60_000, 60_005, 60_025, 60_065, 60_145]


@pytest.mark.spec("DEP-FAIL-05")
def test_a_set_that_cannot_be_created_is_reported():
    """SC-DEP-20."""
    world = started(make_deployment())
    world.limit(**{"count/replicasets.apps": "1"})
    world.patch("web", image="nginx:1.16.1")
    world.run(5_000)
    assert world.sizes() == [(3, 3, 3)]
    assert world.condition("Progressing") == ("False", "ReplicaSetCreateError")
    assert world.event_rows("Deployment", "ReplicaSetCreateError")
    world.limit()
    world.run(60_000)
    assert world.sizes() == [(0, 0, 0), (3, 3, 3)]
    assert world.condition("Progressing") == ("True", "NewReplicaSetAvailable")


@pytest.mark.spec("DEP-FAIL-14")
def test_a_failed_rollout_can_be_scaled():
    """SC-DEP-22 (a)."""
    world = stuck()
    world.run(700_000)
    world.patch("web", replicas=5)
    world.run(5_000)
    assert world.scaled(790_000) == "B5 C2 B4 C3"


@pytest.mark.slow
@pytest.mark.spec("DEP-CLEAN-01", "DEP-CLEAN-02", "DEP-CLEAN-03", "DEP-CLEAN-04", "DEP-CLEAN-05")
@pytest.mark.parametrize(
    "limit, kept", [(10, list(range(3, 14))), (2, [11, 12, 13]), (0, [13])], ids=["default", "two", "none"]
)
def test_old_sets_beyond_the_limit_go(limit: int, kept: list[int]):
    """SC-DEP-23: twelve updates, each complete."""
    world = started(make_deployment(revisionHistoryLimit=limit))
    for number in range(12):
        world.patch("web", image=f"nginx:{number}")
        world.run(20_000)
    revisions = [int(entry.meta.annotations["deployment.kubernetes.io/revision"]) for entry in world.sets()]
    assert revisions == kept
    world.patch("web", revisionHistoryLimit=0)
    world.run(1_000)
    assert len(world.sets()) == 1


@pytest.mark.spec("DEP-CLEAN-04")
def test_a_stuck_rollout_keeps_its_old_set():
    world = started(make_deployment(revisionHistoryLimit=0), ready_unless("bad"))
    world.patch("web", image="bad")
    world.run(10_000)
    assert world.sizes() == [(3, 3, 3), (1, 1, 0)]


@pytest.mark.spec("DEP-RECR-01", "DEP-RECR-02", "DEP-RECR-03")
def test_recreate_waits_for_the_last_old_pod():
    """SC-DEP-24: old pods need five seconds to exit."""
    world = started(make_deployment(strategy={"type": "Recreate"}))
    world.exit_ms = 5_000
    world.patch("web", image="nginx:1.16.1")
    assert world.scaled(60_000) == "A0"
    assert world.condition("Available") == ("False", "MinimumReplicasUnavailable")
    world.run(4_999)
    assert {image_of(pod) for pod in world.pods()} == {"nginx:1.14.2"}
    world.run(1)
    assert world.scaled(60_000) == "A0 B3"
    assert {image_of(pod) for pod in world.pods()} == {"nginx:1.16.1"}
    world.run(1_000)
    assert world.condition("Progressing") == ("True", "NewReplicaSetAvailable")


@pytest.mark.spec("DEP-RECR-05")
def test_recreate_replaces_a_deleted_pod_at_once():
    world = started(make_deployment(strategy={"type": "Recreate"}))
    world.delete(world.pods()[0])
    world.drain()
    assert len(world.pods()) == 4


@pytest.mark.spec("DEP-ROLL-21", "DEP-SPEC-11", "DEP-SPEC-12")
def test_available_is_ready_for_long_enough():
    """SC-DEP-30."""
    world = World()
    world.apply(make_deployment(2, minReadySeconds=30))
    world.run(10_000)
    assert world.numbers() == (2, 2, 2, 0, 2)
    assert world.condition("Available") == ("False", "MinimumReplicasUnavailable")
    # One pod loses readiness for a moment: its count starts again.
    first, _ = world.pods()
    world.run(10_000)
    world.set_ready(first.meta.uid, False)
    world.run(1_000)
    world.set_ready(first.meta.uid, True)
    world.run(9_999)
    assert world.numbers() == (2, 2, 2, 0, 2)
    world.run(1)
    assert world.numbers() == (2, 2, 2, 1, 1)
    world.run(19_999)
    assert world.numbers()[3] == 1
    world.run(1)
    assert world.numbers()[3] == 2


@pytest.mark.spec("DEP-SPEC-13", "DEP-UPD-02")
def test_min_ready_seconds_reach_the_set_without_a_rollout():
    world = started(make_deployment())
    world.patch("web", minReadySeconds=20)
    world.run(1_000)
    assert [entry.spec.min_ready_seconds for entry in world.sets()] == [20]


@pytest.mark.spec("DEP-HIST-03", "DEP-HIST-05")
def test_the_cause_of_a_change_reaches_its_set():
    world = started(make_deployment())
    cause = {"kubernetes.io/change-cause": "kubectl apply"}
    world.annotate(world.deployment(), **cause)
    assert world.sets()[0].meta.annotations["kubernetes.io/change-cause"] == "kubectl apply"


@pytest.mark.spec("DEP-SEL-03", "DEP-SEL-05", "DEP-STAT-05", "WL-09")
def test_a_wider_selector_takes_over_what_was_left_behind():
    """SC-DEP-29 (d)."""
    manifest = make_deployment()
    manifest["spec"]["selector"] = {"matchLabels": {"app": "nginx", "tier": "web"}}
    manifest["spec"]["template"]["metadata"]["labels"] = {"app": "nginx", "tier": "web"}
    world = started(manifest)
    pods = [pod.meta.uid for pod in world.pods()]
    world.delete(world.deployment(), "Orphan")
    world.run(1_000)
    assert [entry.meta.owner_references for entry in world.store.list("ReplicaSet")] == [()]
    manifest["spec"]["selector"] = {"matchLabels": {"app": "nginx"}}
    world.apply(manifest)
    world.run(1_000)
    (taken,) = world.sets()
    assert taken.meta.labels["tier"] == "web"
    assert [pod.meta.uid for pod in world.pods()] == pods
    reasons = [row.reason for row in world.rows if getattr(row, "field", "") == "condition.Progressing"]
    assert (
        reasons[-2:] == ["FoundNewReplicaSet", "NewReplicaSetAvailable"]
        or reasons[-1] == "NewReplicaSetAvailable"
    )


@pytest.mark.spec("DEP-SEL-03", "DEP-SEL-04")
def test_another_selector_leaves_the_old_set_alone():
    """SC-DEP-29 (b)."""
    world = started(make_deployment())
    world.delete(world.deployment(), "Orphan")
    world.run(1_000)
    manifest = make_deployment()
    manifest["spec"]["selector"] = {"matchLabels": {"app": "nginx", "tier": "web"}}
    manifest["spec"]["template"]["metadata"]["labels"] = {"app": "nginx", "tier": "web"}
    world.apply(manifest)
    world.run(5_000)
    assert (len(world.pods()), len(world.sets()), world.store.count("ReplicaSet")) == (6, 1, 2)


@pytest.mark.spec("DEP-HASH-06")
def test_a_taken_name_is_a_collision():
    """A foreign set has the computed name: it is left alone, another hash is used."""
    name = started(make_deployment()).sets()[0].meta.name
    world = World()
    world.apply(
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": name, "labels": {"app": "other"}},
            "spec": {
                "replicas": 0,
                "selector": {"matchLabels": {"app": "other"}},
                "template": {
                    "metadata": {"labels": {"app": "other"}},
                    "spec": {"containers": [{"name": "x", "image": "x"}]},
                },
            },
        }
    )
    world.apply(make_deployment())
    world.run(5_000)
    (made,) = world.sets()
    assert made.meta.name != name
    assert world.deployment().status.collision_count == 1
    assert world.sizes() == [(3, 3, 3)]


@pytest.mark.spec("DEP-SPEC-09", "WL-02", "WL-03", "RS-ALT-01")
def test_surplus_and_foreign_pods():
    """SC-DEP-32 and SC-RS-10 (e)."""
    world = started(make_deployment())
    (made,) = world.sets()
    bare = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "x", "image": "x"}]}}
    world.ready_ms = lambda pod, number: None
    world.apply({**bare, "metadata": {"name": "same", "labels": made.spec.selector.match_labels}})
    world.apply({**bare, "metadata": {"name": "foreign", "labels": {"app": "nginx"}}})
    world.run(2_000)
    assert "Deleted pod: same" in world.events("ReplicaSet")
    assert [pod.meta.name for pod in world.pods() if pod.meta.controller is None] == ["foreign"]
    gone = world.pods()[0]
    world.ready_ms = lambda pod, number: 1000
    world.delete(gone)
    world.run(2_000)
    assert gone.meta.name not in [pod.meta.name for pod in world.pods()]
    assert world.sizes() == [(3, 3, 3)]
    world.update(made.replace(spec=made.spec.with_numbers(replicas=7)))
    world.run(5_000)
    assert world.sizes() == [(3, 3, 3)]
