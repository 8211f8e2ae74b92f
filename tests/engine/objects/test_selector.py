"""Label selectors."""

from typing import Any

import pytest

from lifecycle.engine.objects.selector import Selector

LABELS = {"app": "web", "tier": "frontend"}


@pytest.mark.spec("RS-SPEC-06", "DEP-CREATE-04")
@pytest.mark.parametrize(
    "raw, matches",
    [
        pytest.param(None, False, id="absent selects nothing"),
        pytest.param({}, True, id="empty selects everything"),
        ({"matchLabels": {"app": "web"}}, True),
        ({"matchLabels": {"app": "web", "tier": "cache"}}, False),
        ({"matchLabels": {"zone": "a"}}, False),
        ({"matchExpressions": [{"key": "tier", "operator": "In", "values": ["frontend", "cache"]}]}, True),
        ({"matchExpressions": [{"key": "tier", "operator": "In", "values": ["cache"]}]}, False),
        ({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["cache"]}]}, True),
        ({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["frontend"]}]}, False),
        ({"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "zone", "operator": "Exists"}]}, False),
        ({"matchExpressions": [{"key": "zone", "operator": "DoesNotExist"}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False),
        ({"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "zone", "operator": "Exists"}]}, False),
    ],
)
def test_matching(raw: Any, matches: bool):
    assert Selector(raw).matches(LABELS) == matches


@pytest.mark.parametrize(
    "raw, anchors",
    [
        ({"matchLabels": {"b": "2", "a": "1"}}, (("a", "1"),)),
        (
            {"matchExpressions": [{"key": "t", "operator": "In", "values": ["y", "x"]}]},
            (("t", "x"), ("t", "y")),
        ),
        ({"matchExpressions": [{"key": "t", "operator": "Exists"}]}, ()),
    ],
)
def test_an_index_files_a_selector_under_what_every_match_has(raw: Any, anchors: Any):
    assert Selector(raw).anchors == anchors


def test_a_service_without_labels_selects_nothing():
    assert not Selector.of_labels({}).matches(LABELS)
    assert Selector.of_labels({"app": "web"}).matches(LABELS)


def test_narrowing_keeps_the_rest():
    raw = {"matchExpressions": [{"key": "app", "operator": "Exists"}]}
    narrow = Selector(raw).with_label("hash", "x")
    assert narrow.matches({"app": "web", "hash": "x"})
    assert not narrow.matches({"app": "web"}) and not narrow.matches({"hash": "x"})
    assert raw == {"matchExpressions": [{"key": "app", "operator": "Exists"}]}
