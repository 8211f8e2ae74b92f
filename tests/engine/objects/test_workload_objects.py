"""Deployments, ReplicaSets, templates, numbers and percentages."""

import pytest

from lifecycle.engine.objects.int_or_percent import resolve_fenceposts
from lifecycle.engine.objects.pods.template import HASH_LABEL, PodTemplate, is_same_template, make_hash
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet

EPOCH_MS = 1_767_225_600_000


@pytest.mark.spec("DEP-ROLL-04", "DEP-ROLL-05", "DEP-ROLL-20")
@pytest.mark.parametrize(
    "replicas, surge_and_unavailable",
    [
        (1, (1, 0)),
        (2, (1, 0)),
        (3, (1, 0)),
        (4, (1, 1)),
        (5, (2, 1)),
        (6, (2, 1)),
        (7, (2, 1)),
        (8, (2, 2)),
        (10, (3, 2)),
        (15, (4, 3)),
        (20, (5, 5)),
        (100, (25, 25)),
    ],
)
def test_default_percentages(replicas: int, surge_and_unavailable: tuple[int, int]):
    assert resolve_fenceposts("25%", "25%", replicas) == surge_and_unavailable


@pytest.mark.spec("DEP-ROLL-03", "DEP-ROLL-07", "DEP-ROLL-19")
@pytest.mark.parametrize(
    "surge, unavailable, expected",
    [
        pytest.param("25%", 1, (1, 1), id="unavailable given"),
        pytest.param(1, "25%", (1, 0), id="surge given"),
        pytest.param(1, 1, (1, 1), id="both given"),
        pytest.param("0%", "1%", (0, 1), id="nothing could move"),
        pytest.param("200%", 0, (6, 0), id="surge has no limit"),
    ],
)
def test_three_replicas(surge: int | str, unavailable: int | str, expected: tuple[int, int]):
    assert resolve_fenceposts(surge, unavailable, 3) == expected


def test_a_text_that_is_no_percentage_is_refused():
    with pytest.raises(ValueError, match=r"'many' is neither a whole number nor a percentage such as 25%"):
        resolve_fenceposts("many", 0, 3)


DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default", "creationTimestamp": "2026-01-01T00:00:05Z"},
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}, "creationTimestamp": None},
            "spec": {"containers": [{"name": "app", "image": "web:1", "unknown": {"kept": True}}]},
        },
        "unknownToo": [1, 2],
    },
    "status": {
        "observedGeneration": 2,
        "replicas": 3,
        "updatedReplicas": 1,
        "readyReplicas": 2,
        "availableReplicas": 2,
        "unavailableReplicas": 1,
        "terminatingReplicas": 0,
        "collisionCount": 1,
        "conditions": [
            {
                "type": "Available",
                "status": "True",
                "lastUpdateTime": "2026-01-01T00:00:07Z",
                "lastTransitionTime": "2026-01-01T00:00:06Z",
                "reason": "MinimumReplicasAvailable",
                "message": "Deployment has minimum availability.",
            }
        ],
        "later": "kept",
    },
}


def test_a_deployment_reads_and_writes_the_same_json():
    assert Deployment.from_json(DEPLOYMENT, EPOCH_MS).to_json(EPOCH_MS) == DEPLOYMENT


def test_a_replica_set_reads_and_writes_the_same_json():
    status = {
        "replicas": 0,
        "terminatingReplicas": 2,
        "observedGeneration": 1,
        "fullyLabeledReplicas": 4,
        "readyReplicas": 3,
        "availableReplicas": 1,
        "later": "kept",
    }
    data = {**DEPLOYMENT, "kind": "ReplicaSet", "status": status}
    replica_set = ReplicaSet.from_json(data, EPOCH_MS)
    assert replica_set.to_json(EPOCH_MS) == data
    resized = replica_set.with_spec(replica_set.spec.with_numbers(replicas=7))
    assert resized.to_json(EPOCH_MS)["spec"] == {**data["spec"], "replicas": 7}
    assert resized.spec.template is replica_set.spec.template
    assert replica_set.spec.replicas == 3


def template(image: str = "web:1", **labels: str) -> PodTemplate:
    return PodTemplate.from_json(
        {"metadata": {"labels": {"app": "web", **labels}}, "spec": {"containers": [{"image": image}]}}
    )


@pytest.mark.spec("DEP-HASH-03", "DEP-HASH-05")
def test_a_hash_follows_template_and_collisions():
    value = make_hash(template(), None)
    assert value == make_hash(template(), None) == make_hash(template(**{HASH_LABEL: "x"}), None)
    assert set(value) <= set("bcdfghjklmnpqrstvwxz2456789")
    assert (
        len({value, make_hash(template("web:2"), None), make_hash(template(), 1), make_hash(template(), 2)})
        == 4
    )


def test_absent_and_empty_are_equal_where_the_api_says_so():
    bare = PodTemplate.from_json({"spec": {"containers": [{"image": "web:1"}]}})
    wordy = PodTemplate.from_json(
        {
            "metadata": {"creationTimestamp": None, "labels": {}, "annotations": {}},
            "spec": {"containers": [{"image": "web:1", "env": []}]},
        }
    )
    assert is_same_template(bare, wordy)
    volumes = {"volumes": [{"name": "a", "emptyDir": {}}]}, {"volumes": [{"name": "a"}]}
    one, other = (PodTemplate.from_json({"spec": spec}) for spec in volumes)
    assert not is_same_template(one, other)
