"""Pulls that fail, under realistic timing: what each look of a worker tells (recorded with v1.35.6)."""

from tests.engine.kubelet.world import World

PULL = {"app": {"pull": {"error": "ErrImagePull"}}}


def test_each_look_shows_what_the_one_before_found() -> None:
    """Recording init-image-missing: pulled at 0.4 and 13.2, told of in between."""
    world = World(timing="realistic")
    world.pod(behavior=PULL, restartPolicy="Never")
    world.to(60)
    waits = [(at, reason) for at, reason in world.waits() if reason != "ContainerCreating"]
    assert [reason for _, reason in waits][:4] == [
        "ErrImagePull",
        "ImagePullBackOff",
        "ErrImagePull",
        "ImagePullBackOff",
    ]
    pulls = [at for at, _ in world.events("Pulling")]
    assert pulls[1] - pulls[0] >= 10 and pulls[2] - pulls[1] >= 20
    # One look falls into each pause.
    assert [at < pulls[1] for at, _ in world.events("BackOff")][:2] == [True, False]


def test_another_image_is_pulled_at_once() -> None:
    world = World(timing="realistic")
    world.pod({"name": "app", "image": "registry.invalid/missing:1"}, behavior=PULL)
    world.to(25)
    image = {"spec": {"containers": [{"name": "app", "image": "registry.invalid/missing:2"}]}}
    world.submit("patch", kind="Pod", namespace="default", name="web", type="strategic", patch=image)
    world.to(26)
    told = [row["message"] for row in world.rows if row.get("reason") == "Pulling"]
    assert told[-1] == 'Pulling image "registry.invalid/missing:2"'


def test_a_name_that_is_none_is_told_by_each_look() -> None:
    """Recording image-invalid-name."""
    world = World(timing="realistic")
    world.pod({"name": "app", "image": "Busy//Box:1.36"})
    world.to(34)
    assert 3 <= len(world.events("InspectFailed")) <= 5
    assert [reason for _, reason in world.waits()] == ["ContainerCreating", "InvalidImageName"]
