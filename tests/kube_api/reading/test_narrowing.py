"""Lists of few objects among many: the database leaves the others out, and nothing that is meant."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import QueryDict

from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.describing import resources
from lifecycle.kube_api.reading import lists, reads
from tests.kube_api.conftest import Shop
from tests.seeds import each_once

pytestmark = pytest.mark.slow

Json = dict[str, Any]
LABELS: dict[str, dict[str, str]] = {
    "a": {"app": "web", "example.org/tier": "front"},
    "b": {"app": "web", "123": "one"},
    "c": {"app": "db", "0": "zero", "example.org/tier": "back"},
    "d": {},
}


@pytest.fixture
def maps(shop: Shop) -> Shop:
    for name, labels in LABELS.items():
        shop.create("ConfigMap", name, labels, data={"k": name})
    return shop


def read(shop: Shop, query: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], int]:
    """(names that a list answers, how many objects were read for it)."""
    resource = resources.find(shop.cluster, "", "v1", "configmaps")
    assert resource is not None
    count = 0
    plain = reads.as_row

    def counted(*row: Any) -> Any:
        nonlocal count
        count += 1
        return plain(*row)

    monkeypatch.setattr(reads, "as_row", counted)
    options = Options(QueryDict(query))
    page = lists.read_page(shop.cluster, lists.select(resource, "default", "", options), options)
    monkeypatch.setattr(reads, "as_row", plain)
    return [one["metadata"]["name"] for one in page.items], count


@pytest.mark.parametrize(
    "row, paging",
    each_once(
        [
            ("labelSelector=app%3Dweb", ["a", "b"], 2),
            ("labelSelector=app in (web,db)", ["a", "b", "c"], 3),
            ("labelSelector=app%3Dweb,example.org/tier%3Dfront", ["a"], 1),
            ("labelSelector=app%3Dweb,example.org/tier!%3Dfront", ["b"], 2),
            ("labelSelector=123%3Done", ["b"], 5),
            ("labelSelector=0%3Dzero,app%3Ddb", ["c"], 1),
            ("labelSelector=app%3Dnone", [], 0),
            ("labelSelector=!app", ["d", "kube-root-ca.crt"], 5),
            ("fieldSelector=metadata.name%3Dc", ["c"], 1),
            ("fieldSelector=metadata.name!%3Dc", ["a", "b", "d", "kube-root-ca.crt"], 5),
            ("fieldSelector=metadata.namespace%3Dother", [], 0),
            ("fieldSelector=metadata.name%3D", [], 5),
            ("fieldSelector=metadata.name%3Da&labelSelector=app%3Ddb", [], 0),
        ],
        ["", "&limit=50"],
    ),
)
def test_only_what_may_be_meant_is_read(maps, monkeypatch, row, paging):
    query, found, count = row
    assert read(maps, query + paging, monkeypatch) == (found, count)


def test_a_past_version_is_read_with_the_labels_of_then(maps, monkeypatch):
    version = maps.cluster.rv
    maps.patch("ConfigMap", "a", metadata={"labels": {"app": "db"}})
    maps.delete("ConfigMap", "b")
    query = f"resourceVersion={version}&resourceVersionMatch=Exact&labelSelector=app%3Dweb"
    assert read(maps, query, monkeypatch)[0] == ["a", "b"]
    assert read(maps, "labelSelector=app%3Dweb", monkeypatch)[0] == []


def test_pods_of_a_node_are_found_by_its_name(shop):
    shop.create("Pod", "p", spec={"nodeName": "node-1", "containers": [{"name": "app", "image": "nginx"}]})
    shop.create("Pod", "q", spec={"nodeName": "node-2", "containers": [{"name": "app", "image": "nginx"}]})
    resource = resources.find(shop.cluster, "", "v1", "pods")
    assert resource is not None
    for query, names in (
        ("spec.nodeName%3Dnode-1", ["p"]),
        ("spec.nodeName!%3Dnode-1", ["q"]),
        ("status.phase%3DSucceeded", []),
    ):
        options = Options(QueryDict(f"fieldSelector={query}"))
        page = lists.read_page(shop.cluster, lists.select(resource, "default", "", options), options)
        assert [one["metadata"]["name"] for one in page.items] == names
