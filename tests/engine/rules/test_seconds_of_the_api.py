"""What is compared by the seconds that the API tells of; here it began 700 ms into one."""

from __future__ import annotations

import pytest

from lifecycle.engine.objects.meta import ObjectMeta, PlainObject
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.storage import CLASS_KIND
from lifecycle.engine.rules.placement.preemption import sort_by_importance
from lifecycle.engine.rules.volumes.claims import choose_default

from .build import make_pod

EPOCH_MS = 700


def make_class(name: str, created_ms: int) -> PlainObject:
    annotations = {"storageclass.kubernetes.io/is-default-class": "true"}
    return PlainObject(CLASS_KIND, ObjectMeta(name, annotations=annotations, creation_ms=created_ms))


@pytest.mark.parametrize(
    "created_ms, chosen",
    [
        pytest.param({"a": 299, "b": 300}, "b", id="of another second"),
        pytest.param({"a": 300, "b": 1299}, "a", id="of one second"),
        pytest.param({"a": 1299, "b": 1300}, "b", id="of the next"),
    ],
)
def test_the_newest_default_class_is_taken(created_ms: dict[str, int], chosen: str) -> None:
    classes = [make_class(name, at_ms) for name, at_ms in created_ms.items()]
    found = choose_default(classes, EPOCH_MS)
    assert found is not None and found.meta.name == chosen


def start(name: str, start_ms: int | None) -> Pod:
    return make_pod(metadata={"name": name}, start_ms=start_ms)


@pytest.mark.parametrize(
    "pods, names",
    [
        pytest.param([start("b", 300), start("a", 299)], ["a", "b"], id="of two seconds"),
        pytest.param([start("b", 1299), start("a", 300)], ["b", "a"], id="of one second, as they come"),
        pytest.param([start("b", None), start("a", 1300)], ["a", "b"], id="who has not started did so now"),
    ],
)
def test_who_started_earlier_is_more_important(pods: list[Pod], names: list[str]) -> None:
    found = sort_by_importance(pods, now_ms=1400, epoch_ms=EPOCH_MS)
    assert [pod.meta.name for pod in found] == names
