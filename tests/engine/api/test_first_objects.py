"""What every cluster has from its beginning is found out once, and is each cluster's own."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine import Cluster, Settings
from lifecycle.engine.api import definitions, first_objects

NODES = 3
SERVICE = ("Service", "default", "kubernetes")


@pytest.fixture
def validated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of what is looked through from here on, where nothing is known yet."""
    first_objects._known_by.cache_clear()
    seen: list[str] = []
    validate = definitions.validate_create
    monkeypatch.setattr(
        definitions, "validate_create", lambda data, gates: seen.append(data["kind"]) or validate(data, gates)
    )
    return seen


def begin(**settings: Any) -> tuple[list[str], dict[str, Any]]:
    """The rows of a new cluster, and what it is saved as."""
    cluster = Cluster(settings=Settings(nodes={"count": NODES}, **settings))
    rows = [repr(row) for row in cluster.take_changes().rows]
    return rows, cluster.save()


def test_the_second_cluster_looks_at_none_of_them_again_and_is_the_same(validated: list[str]) -> None:
    first = begin()
    assert {"Namespace", "Service", "PriorityClass", "ConfigMap", "ServiceAccount"} < {*validated}
    validated.clear()
    assert begin() == first
    assert {*validated} == {"Node"}


def test_a_cluster_of_other_gates_looks_for_itself(validated: list[str]) -> None:
    begin()
    validated.clear()
    begin(feature_gates={"JobPodReplacementPolicy": False})
    assert {"Namespace", "Service"} < {*validated}


def test_who_changes_what_a_cluster_was_asked_for_changes_no_other(validated: list[str]) -> None:
    begin()
    shown = Cluster().get(*SERVICE)
    assert shown is not None and shown["spec"]["ports"]
    shown["spec"]["ports"].clear()
    another = Cluster().get(*SERVICE)
    assert another is not None and len(another["spec"]["ports"]) == 1


def test_nothing_is_kept_of_namespaces_that_users_make() -> None:
    known = first_objects.KnownObjects()
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    assert known.of({**account, "metadata": {"name": "default", "namespace": "shop"}}) is None
    assert known.of({**account, "metadata": {"name": "default", "namespace": "default"}}) is not None
