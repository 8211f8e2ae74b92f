"""Patches in words, as flags and chains of causes tell them; the first ones are what kubectl sends."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.reading.patch_words import MOST_TOLD, tell_patch


def of_template(**fields: Any) -> dict[str, Any]:
    return {"spec": {"template": {"spec": fields}}}


@pytest.mark.parametrize(
    "patch, said",
    [
        pytest.param(
            of_template(
                **{
                    "$setElementOrder/containers": [{"name": "main"}],
                    "containers": [{"name": "main", "image": "nginx:1.28"}],
                }
            ),
            "main image nginx:1.28",
            id="set image",
        ),
        pytest.param(
            {
                "spec": {
                    "template": {
                        "metadata": {
                            "annotations": {"kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z"}
                        }
                    }
                }
            },
            "restart of the rollout",
            id="rollout restart",
        ),
        pytest.param(
            {
                "metadata": {
                    "annotations": {"kubectl.kubernetes.io/last-applied-configuration": '{"spec":{}}'},
                    "labels": {"tier": "back", "old": None},
                },
                "spec": {"replicas": 3, "strategy": {"rollingUpdate": {"maxSurge": 1}}},
            },
            "label tier back, label old removed, replicas 3, strategy.rollingUpdate.maxSurge 1",
            id="apply",
        ),
        pytest.param(
            of_template(
                containers=[
                    {"name": "main", "env": [{"name": "A", "value": "1"}, {"name": "B", "$patch": "delete"}]},
                    {"name": "side", "$patch": "delete"},
                ]
            ),
            "main env A 1, main env B removed, side removed",
            id="set env",
        ),
        pytest.param(
            of_template(containers=[{"name": "main", "resources": {"limits": {"memory": "64Mi"}}}]),
            "main resources.limits.memory 64Mi",
            id="set resources",
        ),
        pytest.param(
            [
                {"op": "replace", "path": "/spec/template", "value": {"spec": {"containers": []}}},
                {"op": "replace", "path": "/spec/replicas", "value": 2},
                {"op": "remove", "path": "/metadata/labels/tier"},
            ],
            "replace template, replace replicas 2, remove labels.tier",
            id="rollout undo",
        ),
        pytest.param({"spec": {"suspend": True}}, "suspend true", id="suspend"),
        pytest.param(
            {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.org/a"], "finalizers": ["b"]}},
            "finalizers without example.org/a, finalizers b",
            id="finalizers",
        ),
        pytest.param(
            of_template(containers=[{"command": ["sh", "-c", "true"]}]), "command sh -c true", id="keyless"
        ),
        pytest.param({}, "", id="empty"),
        pytest.param("replicas: 3", "", id="text"),
        pytest.param([1, {"op": "add"}, {"path": 7}], "add, 7", id="hostile operations"),
        pytest.param({"spec": {"containers": ["a", {"name": {}, "x": [{}]}]}}, "", id="hostile entries"),
    ],
)
def test_a_patch_says_what_changes(patch: Any, said: str) -> None:
    assert ", ".join(tell_patch(patch)) == said


def test_a_large_or_deep_patch_is_told_in_part() -> None:
    assert len(list(tell_patch({"spec": {str(number): number for number in range(1000)}}))) == MOST_TOLD
    deep: dict[str, Any] = {"end": 1}
    for _ in range(5000):
        deep = {"a": deep}
    assert list(tell_patch(deep)) == []
    assert len(next(tell_patch({"finalizers": ["x"] * 1000})).split()) == MOST_TOLD + 1
