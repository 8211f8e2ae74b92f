"""Whatever is done to a Deployment, it ends where its spec says, and keeps its bounds on the way."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifecycle.engine.objects.pods.pod import Pod
from tests.engine.controllers.world import World, make_deployment

pytestmark = pytest.mark.slow

amounts = st.sampled_from([0, 1, 2, "10%", "25%", "50%"])
# (maxSurge, maxUnavailable); both 0 are refused.
budgets = st.tuples(amounts, amounts).filter(lambda pair: pair != (0, 0))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("image"), st.sampled_from(["a", "b", "c", "bad"])),
        st.tuples(st.just("replicas"), st.integers(0, 12)),
        st.tuples(st.just("paused"), st.booleans()),
        st.tuples(st.just("minReadySeconds"), st.integers(0, 3)),
        st.tuples(st.just("lose"), st.integers(0, 11)),
        st.tuples(st.just("unready"), st.integers(0, 11)),
    ),
    max_size=8,
)
stories = st.lists(st.tuples(st.integers(0, 4_000), steps), min_size=1, max_size=5)


def ready_ms(pod: Pod, number: int) -> int | None:
    """Every pod in its own time; those of a bad image never."""
    return None if pod.spec.containers[0].image == "bad" else 300 + 137 * (number % 7)


def do(world: World, what: str, value: Any) -> None:
    pods = world.pods()
    if what in ("lose", "unready"):
        if value < len(pods):
            world.delete(pods[value]) if what == "lose" else world.set_ready(pods[value].meta.uid, False)
            world.drain()
    else:
        world.patch("web", **{what: value})


@given(stories, budgets, st.sampled_from(["RollingUpdate", "Recreate"]))
def test_every_story_ends_where_the_spec_says(stories: Any, budget: Any, strategy: str):
    world = World(ready_ms)
    surge, unavailable = budget
    manifest = make_deployment(5, rolling={"maxSurge": surge, "maxUnavailable": unavailable}, image="a")
    if strategy == "Recreate":
        manifest["spec"]["strategy"] = {"type": "Recreate"}
    world.apply(manifest)
    for pause_ms, steps in stories:
        world.run(pause_ms)
        for what, value in steps:
            do(world, what, value)
    world.patch("web", paused=False, image="good")
    # Readiness that was lost for good comes back: these pods are replaced by hand.
    for pod in world.pods():
        if not pod.is_ready:
            world.delete(pod)
    world.run(300_000)
    deployment = world.deployment()
    wanted = deployment.spec.replicas
    sizes = {entry.meta.name: entry.spec.replicas for entry in world.sets()}
    new = [entry for entry in world.sets() if entry.spec.template.spec.containers[0].image == "good"]
    assert len(new) == 1
    assert sizes == {name: wanted if name == new[0].meta.name else 0 for name in sizes}
    assert len(world.pods()) == wanted
    assert world.numbers() == (wanted, wanted, wanted, wanted, 0)
    assert world.condition("Progressing") == ("True", "NewReplicaSetAvailable")
    assert world.condition("Available") == ("True", "MinimumReplicasAvailable")
    assert deployment.status.observed_generation == deployment.meta.generation
    revisions = [int(entry.meta.annotations["deployment.kubernetes.io/revision"]) for entry in world.sets()]
    assert len(set(revisions)) == len(revisions)
    assert max(revisions) == int(new[0].meta.annotations["deployment.kubernetes.io/revision"])


@pytest.mark.spec("DEP-ROLL-09", "DEP-ROLL-10", "DEP-OVER-05")
@given(
    st.integers(1, 12),
    budgets,
    st.lists(st.tuples(st.integers(0, 5_000), st.sampled_from("abc")), max_size=5),
)
def test_updates_alone_keep_floor_and_ceiling(replicas: int, budget: Any, updates: Any):
    world = World(ready_ms)
    surge, unavailable = budget
    world.apply(
        make_deployment(replicas, rolling={"maxSurge": surge, "maxUnavailable": unavailable}, image="a")
    )
    world.run(10_000)
    spec = world.deployment().spec
    ceiling, floor = spec.replicas + spec.surge_replicas, spec.replicas - spec.unavailable_replicas
    for pause_ms, image in [*updates, (0, "a"), (60_000, "a")]:
        world.run(pause_ms)
        world.patch("web", image=image)
    available = [new for at, new in world.transitions("Deployment", "availableReplicas") if at >= 10_000]
    total = [new for at, new in world.transitions("Deployment", "replicas") if at >= 10_000]
    assert min(available, default=replicas) >= floor
    assert max(total, default=replicas) <= ceiling
