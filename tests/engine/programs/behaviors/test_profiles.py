"""ContainerProfile: which one applies to a container."""

from typing import Any

import pytest

from lifecycle.engine.programs import Duration, PullPlan, choose_profile, read_profile, resolve_behavior
from tests.engine.programs.worlds import pod_spec


def profile(name: str, match: dict[str, Any], takes: str = "1s") -> Any:
    found, problems = read_profile(
        {"metadata": {"name": name}, "spec": {"match": match, "behavior": {"pull": {"takes": takes}}}}
    )
    assert problems == ()
    return found


@pytest.mark.parametrize(
    ("match", "image", "labels", "expected"),
    [
        pytest.param({"image": "nginx:*"}, "nginx:1.25", {}, True, id="glob over the tag"),
        pytest.param({"image": "nginx:*"}, "docker.io/library/nginx:1.25", {}, True, id="default registry"),
        pytest.param({"image": "nginx:*"}, "mirror.example/nginx:1", {}, False, id="another registry"),
        pytest.param({"image": "*/nginx:*"}, "mirror.example/nginx:1", {}, True, id="any registry"),
        pytest.param({"container": "app"}, "x", {}, True, id="by container name"),
        pytest.param({"container": "web*"}, "x", {}, False, id="other container name"),
        pytest.param({"podSelector": {"matchLabels": {"a": "1"}}}, "x", {"a": "1"}, True, id="label"),
        pytest.param({"podSelector": {"matchLabels": {"a": "1"}}}, "x", {"a": "2"}, False, id="other label"),
        pytest.param(
            {"podSelector": {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}},
            "x",
            {},
            True,
            id="NotIn holds for an absent label",
        ),
        pytest.param(
            {"podSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}},
            "x",
            {},
            False,
            id="Exists needs the label",
        ),
        pytest.param({}, "anything", {}, True, id="an empty match takes all"),
    ],
)
def test_profile_matches(match: dict[str, Any], image: str, labels: dict[str, str], expected: bool) -> None:
    assert profile("p", match).matches(image, "app", labels) is expected


def test_most_specific_image_wins_then_the_name() -> None:
    profiles = [
        profile("d", {}),
        profile("c", {"image": "*"}),
        profile("b", {"image": "nginx:*"}),
        profile("a", {"image": "ng*:*"}),
        profile("e", {"image": "nginx:1.25"}),
    ]
    chosen = []
    while profiles:
        best = choose_profile(profiles, "nginx:1.25", "app", {})
        assert best is not None
        chosen.append(best.name)
        profiles.remove(best)
    assert chosen == ["e", "b", "a", "c", "d"]
    assert choose_profile([profile("z", {}), profile("y", {})], "x", "app", {}).name == "y"  # type: ignore[union-attr]


def test_annotation_beats_profile_part_by_part() -> None:
    spec = pod_spec({"image": "x:1"})
    annotation = {"podline.dev/behavior": "app: {onTerm: {ignore: true}}"}
    behavior = resolve_behavior(spec, spec.containers[0], annotation, [profile("p", {}, "7s")], {})
    assert behavior.pull == PullPlan(takes=Duration.fixed(7_000))
    assert behavior.on_term is not None and behavior.on_term.ignore


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"match": {}}, "spec.behavior"),
        ({"behavior": {"runs": [{"for": "x", "exit": 1}]}}, "spec.behavior.runs[0].for"),
        ({"behavior": {}, "match": {"images": "x"}}, "spec.match.images"),
        (
            {
                "behavior": {},
                "match": {"podSelector": {"matchExpressions": [{"key": "a", "operator": "Gt"}]}},
            },
            "spec.match.podSelector.matchExpressions[0].operator",
        ),
    ],
)
def test_mistake_in_a_profile_has_a_path(spec: dict[str, Any], path: str) -> None:
    _, problems = read_profile({"metadata": {"name": "p"}, "spec": spec})
    assert [problem.path for problem in problems] == [path]
