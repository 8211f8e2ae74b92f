"""Pods of one template that differ in name, hostname, claims or node: what is theirs, and what they share."""

import json
from typing import Any

import pytest

from lifecycle.engine.heart.errors import AlreadyExists
from lifecycle.engine.objects.codec import PodSpecs, decode
from lifecycle.engine.objects.meta import controller_reference
from lifecycle.engine.objects.pods.overlay import PodOverlay, overlay_spec
from lifecycle.engine.objects.pods.pod import Pod, PodSpec
from lifecycle.engine.rules.actions import CreatePod
from tests.engine.controllers.world import World

CLAIM = {"name": "data", "persistentVolumeClaim": {"claimName": "data-db-0"}}
AFFINITY = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-2"]}]}
            ]
        }
    }
}
OWN = PodOverlay(
    {"statefulset.kubernetes.io/pod-name": "db-0"},
    {"note": "first"},
    ("batch.kubernetes.io/job-tracking",),
    {"hostname": "db-0", "subdomain": "db", "volumes": [CLAIM], "affinity": AFFINITY},
)
SET: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "metadata": {"name": "db", "namespace": "default"},
    "spec": {
        "replicas": 0,
        "selector": {"matchLabels": {"app": "db"}},
        "template": {
            "metadata": {"labels": {"app": "db"}},
            "spec": {
                "containers": [{"name": "db", "image": "postgres:16"}],
                "volumes": [{"name": "run", "emptyDir": {}}],
            },
        },
    },
}


def make_pod(world: World, name: str = "", overlay: PodOverlay | None = None) -> Pod:
    """A pod of the set's template, as a controller asks the API server for it."""
    owner = world.store.get("ReplicaSet", "default", "db") or world.create(SET)
    reference = controller_reference(owner)
    return world.api.create_pod(CreatePod(owner, owner.spec.template, reference, "db-", "", name, overlay))


def test_the_json_shows_the_whole():
    world = World()
    plain, own = make_pod(world), make_pod(world, "db-0", OWN)
    data, other = own.to_json(), plain.to_json()
    assert data["metadata"]["name"] == "db-0"
    assert data["metadata"]["labels"] == {"app": "db", "statefulset.kubernetes.io/pod-name": "db-0"}
    assert data["metadata"]["annotations"] == {"note": "first"}
    assert data["metadata"]["finalizers"] == ["batch.kubernetes.io/job-tracking"]
    # Both show how they reach the API server.
    volumes = [*OWN.spec["volumes"], other["spec"]["volumes"][-1]]
    assert data["spec"] == {**other["spec"], **OWN.spec, "volumes": volumes}
    # Nothing of it has reached a sibling or the template.
    assert other["spec"]["volumes"][:-1] == [{"name": "run", "emptyDir": {}}]
    assert plain.meta.labels == {"app": "db"} and not plain.meta.finalizers
    assert make_pod(world).to_json()["spec"] == other["spec"]


def test_the_typed_reading_is_the_pods_own():
    world = World()
    plain, own = make_pod(world), make_pod(world, "db-0", OWN)
    assert (own.spec.hostname, own.spec.subdomain) == ("db-0", "db")
    assert own.spec.volumes == (CLAIM,)
    assert own.spec.affinity == AFFINITY
    assert (plain.spec.hostname, plain.spec.subdomain, plain.spec.affinity) == ("", "", {})
    # As a reading of the whole JSON would have it.
    whole = PodSpec.from_json(own.to_json()["spec"])
    own_fields = {"base", "overlay", "notes", "_shown"}
    assert vars(own.spec).keys() == vars(whole).keys() > own_fields
    for name in vars(whole).keys() - own_fields:
        assert getattr(own.spec, name) == getattr(whole, name), name


def test_the_rest_is_shared():
    world = World()
    plain, own = make_pod(world), make_pod(world, "db-0", OWN)
    for shared in ("all_containers", "containers", "notes", "tolerations", "resources"):
        assert getattr(own.spec, shared) is getattr(plain.spec, shared), shared
    assert own.status is plain.status
    assert own.spec.raw["containers"] is plain.spec.raw["containers"]


def test_an_overlay_without_fields_of_the_spec_takes_the_templates_reading():
    world = World()
    plain, named = make_pod(world), make_pod(world, "db-1", PodOverlay(labels={"index": "1"}))
    assert named.spec is plain.spec
    assert named.meta.labels == {"app": "db", "index": "1"}


@pytest.mark.parametrize("field", ["containers", "terminationGracePeriodSeconds", "securityContext"])
def test_what_is_noted_once_per_template_cannot_differ(field: str):
    with pytest.raises(ValueError, match=f"spec.{field}: is of the template; one of affinity, hostname"):
        overlay_spec(PodSpec({"containers": []}), {field: None})


def test_a_name_that_is_taken_is_refused():
    world = World()
    make_pod(world, "db-0")
    with pytest.raises(AlreadyExists, match='pods "db-0" already exists'):
        make_pod(world, "db-0")
    assert [pod.meta.name for pod in world.pods()] == ["db-0"]


def test_pods_are_written_as_what_they_differ_in():
    world = World()
    pods = [make_pod(world), *(make_pod(world, f"db-{number}", OWN) for number in range(3))]
    encoder = PodSpecs()
    data = json.loads(json.dumps([encoder.encode(pod) for pod in pods]))
    assert len(encoder.raws) == 1
    specs = [PodSpec(raw) for raw in json.loads(json.dumps(encoder.raws))]
    again = [decode(entry, specs) for entry in data]
    assert [pod.to_json() for pod in again] == [pod.to_json() for pod in pods]
    assert [pod.spec.hostname for pod in again] == ["", "db-0", "db-0", "db-0"]
    assert {id(pod.spec.notes) for pod in again} == {id(specs[0].notes)}


def test_the_owner_says_nothing_of_a_pod_whose_maker_has_its_own_words():
    world = World()
    world.create(SET)
    owner = world.store.require("ReplicaSet", "default", "db")
    for source in ("", "somebody"):
        order = CreatePod(owner, owner.spec.template, controller_reference(owner), "db-", source)
        world.act(order)
    world.drain()
    created = [row.source for row in world.event_rows("ReplicaSet", "SuccessfulCreate")]
    assert created == ["somebody"]
