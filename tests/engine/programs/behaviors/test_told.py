"""What people are told of each container: where its behaviour comes from and what is assumed."""

from typing import Any

import pytest

from lifecycle.engine.programs.told import Told, list_assumed_images, list_guesses, tell_behaviors

PROFILE = {"metadata": {"name": "slow"}, "spec": {"match": {"image": "web:*"}, "behavior": {"runs": []}}}
ENDS = {"runs": [{"for": "5s", "exit": 0}]}
KEY = "podline.dev/behavior"
ANNOTATED = {"podline.dev/behavior": "app: {exit: 1}"}


def told(container: dict[str, Any], profiles: Any = (), **meta: Any) -> Told:
    pod = {"metadata": meta, "spec": {"containers": [{"name": "app", "image": "own:1", **container}]}}
    (one,) = tell_behaviors(pod, profiles)
    return one


@pytest.mark.parametrize(
    ("container", "source"),
    [
        ({"command": ["sh", "-c", "sleep 5"]}, "runs its command line as it is written"),
        ({"image": "nginx:1.25"}, "acts as the image nginx is known to"),
        ({"image": "registry.example/library/redis:7"}, "acts as the image redis is known to"),
        ({"image": "registry.example/team/redis:7"}, "nothing is known of its program"),
        ({"image": "own:1"}, "nothing is known of its program"),
        ({"image": "nginx", "command": ["/opt/mine"]}, "nothing is known of its program"),
        ({"image": "web:2"}, "acts as the ContainerProfile slow says"),
    ],
)
def test_source(container: dict[str, Any], source: str) -> None:
    assert told(container, [PROFILE]).source == source


def test_a_measured_profile_says_on_what_it_stands() -> None:
    note = "pull 12 samples; ready 9 samples"
    metadata = {"name": "measured", "annotations": {"podline.dev/measured": note}}
    profiles = [
        PROFILE,
        {**PROFILE, "metadata": metadata, "spec": {**PROFILE["spec"], "match": {"image": "web:2"}}},
    ]
    assert told({"image": "web:2"}, profiles).source == (
        f"acts as the ContainerProfile measured says, measured: {note}"
    )


def test_annotation_comes_first() -> None:
    one = told({"image": "web:2"}, [PROFILE], annotations=ANNOTATED)
    assert one.source == "acts as its annotation podline.dev/behavior says"


def test_assumptions_and_problems_are_told() -> None:
    (assumption,) = told({}).assumptions
    assert assumption.startswith("image own:1: assumed to run for ever")
    assert told({"image": "haproxy:3"}).assumptions == (
        "image haproxy:3: listens where its configuration says",
    )
    refused = told({"command": ["bash", "-c", "select x in a; do echo; done"]})
    assert refused.problems[0].startswith("cannot interpret select in line 1: the container is assumed to")
    assert told({"image": "nginx:1"}) == Told("app", "acts as the image nginx is known to", (), ())


@pytest.mark.parametrize(
    ("container", "meta", "expected"),
    [
        pytest.param({}, {}, ["own:1"], id="unknown image"),
        pytest.param({"command": ["/app/server"]}, {}, ["own:1"], id="and command"),
        pytest.param({"image": "nginx:1"}, {}, [], id="known image"),
        pytest.param({"image": "web:2"}, {}, [], id="profile"),
        pytest.param({"command": ["sh", "-c", "sleep 9"]}, {}, [], id="script"),
        pytest.param({}, {"annotations": {KEY: "app: {pull: {takes: 3s}}"}}, ["own:1"], id="known pull"),
        pytest.param({}, {"annotations": {KEY: "app: {runs: [{for: 3s}]}"}}, [], id="known life"),
        pytest.param({}, {"labels": {"job-name": "sums"}}, [], id="taken to end"),
    ],
)
def test_images_that_are_assumed_to_answer(
    container: dict[str, Any], meta: dict[str, Any], expected: list[str]
) -> None:
    app = {"name": "app", "image": "own:1", **container}
    pod = {"metadata": meta, "spec": {"containers": [app], "initContainers": [{**app, "name": "setup"}]}}
    profile = {"metadata": {"name": "web"}, "spec": {"match": {"image": "web:*"}, "behavior": ENDS}}
    # An init container is there to end, and each image is named once.
    assert list_assumed_images([pod, pod], [profile]) == expected


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("docker.io/library/node:20", []),
        ("registry.k8s.io/pause:3.10", []),
        ("shop.example/team/node:20", []),
        (
            "shop.example/library/node:20",
            ["taken to be node, which ends at once: shop.example/library/node:20"],
        ),
        (
            "shop.example/hub/docker.io/library/postgres:16",
            [
                "taken to be postgres, which ends unless a variable such as POSTGRES_PASSWORD is set:"
                " shop.example/hub/docker.io/library/postgres:16"
            ],
        ),
        ("shop.example/library/redis", ["taken to be redis, which runs as root: shop.example/library/redis"]),
        (
            "shop.example/docker.io/memcached:1",
            ["taken to be memcached: shop.example/docker.io/memcached:1"],
        ),
    ],
)
def test_what_an_image_is_taken_to_be_by_its_name_alone_is_told(image: str, expected: list[str]) -> None:
    pod = {"spec": {"containers": [{"name": "app", "image": image}]}}
    assert list_guesses([pod, pod], ()) == expected
    stated = {"metadata": {"annotations": {KEY: "app: {runs: [{for: 3s}]}"}}, **pod}
    assert list_guesses([stated], ()) == []


def test_a_guess_stands_among_the_assumptions() -> None:
    assert told({"image": "shop.example/library/node:20"}).assumptions == (
        "image shop.example/library/node:20: taken to be node, which ends at once",
    )


def test_every_container_is_told_in_the_order_of_starting() -> None:
    names = {"initContainers": ["a"], "containers": ["b", "c"], "ephemeralContainers": ["d"]}
    spec = {field: [{"name": name, "image": "busybox"} for name in group] for field, group in names.items()}
    assert [one.container for one in tell_behaviors({"spec": spec}, ())] == ["a", "b", "c", "d"]
