"""Owners that go, never were or cannot be: what becomes of what they own, as Kubernetes collects it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.engine.api.desk import Desk, Json, make, make_deployment, make_pod, said

HOLD = "lab.example/hold"
NOBODY = "00000000-0000-0000-0000-000000000000"


def refer(owner: Json, block: bool = False, **fields: Any) -> Json:
    """An owner reference to a stored object, with some fields as they are not."""
    meta = owner["metadata"]
    found = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": meta["name"],
        "uid": meta["uid"],
    }
    return {**found, **({"blockOwnerDeletion": True} if block else {}), **fields}


def owned(name: str, *references: Json, kind: str = "ConfigMap", **metadata: Any) -> Json:
    return make(kind, name, metadata={"ownerReferences": list(references), **metadata})


def settled(desk: Desk, seconds: int = 10) -> Desk:
    desk.cluster.run_until(desk.cluster.now_ms + seconds * 1000)
    return desk


def is_there(desk: Desk, name: str, kind: str = "ConfigMap") -> bool:
    return desk.get(kind, name) is not None


@pytest.mark.parametrize(
    "changes, stays",
    [
        pytest.param({}, True, id="its owner"),
        pytest.param({"uid": NOBODY}, False, id="another uid under its name"),
        pytest.param({"name": "other"}, False, id="its uid under another name"),
        pytest.param({"kind": "Secret"}, False, id="its uid and name as another kind"),
        pytest.param({"kind": "Rollout", "apiVersion": "lab.example/v1"}, True, id="a kind nobody knows"),
    ],
)
def test_an_owner_is_found_by_all_that_a_reference_says(changes: Json, stays: bool) -> None:
    desk = Desk()
    owner = desk.created(make("ConfigMap", "owner"))
    desk.created(owned("one", refer(owner, **changes)))
    assert is_there(settled(desk), "one") == stays


def test_an_owner_in_another_namespace_is_none_and_that_is_said() -> None:
    desk = Desk()
    desk.created({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "lab"}})
    owner = desk.created(make("ConfigMap", "owner", metadata={"namespace": "lab"}))
    desk.cluster.take_changes()
    desk.created(owned("one", refer(owner)))
    assert not is_there(settled(desk), "one")
    (told,) = (row for row in desk.cluster.take_changes().rows if hasattr(row, "event_type"))
    uid = owner["metadata"]["uid"]
    assert (told.event_type, told.reason, told.message) == (
        "Warning",
        "OwnerRefInvalidNamespace",
        f"ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: {uid}] does not exist in namespace"
        ' "default"',
    )


def test_an_owner_without_a_namespace_owns_in_all_of_them() -> None:
    desk = Desk()
    owner = desk.created({"apiVersion": "v1", "kind": "PersistentVolume", **volume("disk")})
    desk.created(owned("one", refer(owner)))
    assert is_there(settled(desk), "one")
    assert desk.delete("PersistentVolume", "disk").ok
    assert not is_there(settled(desk), "one")


def test_what_has_no_namespace_cannot_be_owned_by_what_has_one() -> None:
    desk = Desk()
    owner = desk.created(make("ConfigMap", "owner"))
    meta = {"name": "disk", "ownerReferences": [refer(owner)]}
    desk.created({"apiVersion": "v1", "kind": "PersistentVolume", **volume("disk"), "metadata": meta})
    assert desk.delete("ConfigMap", "owner").ok
    assert settled(desk).get("PersistentVolume", "disk", "") is not None


def volume(name: str) -> Json:
    path = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/tmp/a"}}
    return {"metadata": {"name": name}, "spec": path}


def test_one_owner_that_stays_is_enough_and_the_others_are_let_go() -> None:
    desk = Desk()
    owners = [desk.created(make("ConfigMap", name)) for name in ("first", "second")]
    desk.created(owned("one", *map(refer, owners), refer(owners[0], uid=NOBODY)))
    assert desk.delete("ConfigMap", "first").ok
    found = settled(desk).get("ConfigMap", "one")
    assert found is not None
    assert [one["name"] for one in found["metadata"]["ownerReferences"]] == ["second"]
    assert desk.delete("ConfigMap", "second").ok
    assert not is_there(settled(desk), "one")


@pytest.mark.spec("RS-DEL-04", "KCTL-27", "KCTL-28")
def test_in_the_foreground_an_owner_waits_for_what_blocks_it() -> None:
    desk = Desk()
    desk.created(make_deployment(2))
    pod = settled(desk).cluster.list("Pod", "default")[0]["metadata"]["name"]
    assert desk.patch("Pod", {"metadata": {"finalizers": [HOLD]}}, pod).ok
    assert desk.delete("Deployment", propagationPolicy="Foreground").ok
    settled(desk, 60)
    # The whole tree waits from the top down: the Deployment for its ReplicaSet, that for the one pod.
    (left,) = desk.cluster.list("Pod", "default")
    assert left["metadata"]["name"] == pod
    for kind in ("Deployment", "ReplicaSet"):
        (waiting,) = desk.cluster.list(kind, "default")
        assert waiting["metadata"]["finalizers"] == ["foregroundDeletion"]
        assert waiting["metadata"]["deletionTimestamp"]
    assert desk.patch("Pod", {"metadata": {"finalizers": None}}, pod).ok
    settled(desk, 1)
    assert not [
        one for kind in ("Deployment", "ReplicaSet", "Pod") for one in desk.cluster.list(kind, "default")
    ]


@pytest.mark.parametrize("block", [True, False])
def test_only_what_blocks_an_owner_keeps_it(block: bool) -> None:
    desk = Desk()
    owner = desk.created(make("ConfigMap", "owner"))
    desk.created(owned("one", refer(owner, block), finalizers=[HOLD]))
    assert desk.delete("ConfigMap", "owner", propagationPolicy="Foreground").ok
    settled(desk)
    held = desk.get("ConfigMap", "one")
    assert held is not None and held["metadata"]["deletionTimestamp"]
    assert is_there(desk, "owner") == block


def test_a_block_that_is_taken_off_frees_the_owner() -> None:
    desk = Desk()
    owner = desk.created(make("ConfigMap", "owner"))
    desk.created(owned("one", refer(owner, block=True), finalizers=[HOLD]))
    assert desk.delete("ConfigMap", "owner", propagationPolicy="Foreground").ok
    assert desk.patch("ConfigMap", {"metadata": {"ownerReferences": [refer(owner)]}}, "one").ok
    assert not is_there(settled(desk), "owner")


def test_owners_of_each_other_do_not_wait_for_each_other_for_ever() -> None:
    desk = Desk()
    first = desk.created(make("ConfigMap", "first"))
    second = desk.created(owned("second", refer(first, block=True)))
    loop = {"ownerReferences": [refer(second, block=True)]}
    assert desk.patch("ConfigMap", {"metadata": loop}, "first").ok
    assert desk.delete("ConfigMap", "first", propagationPolicy="Foreground").ok
    settled(desk)
    assert not is_there(desk, "first") and not is_there(desk, "second")


@pytest.mark.slow
@pytest.mark.spec("OVER-10")
@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_left_without_an_owner_that_should_have_one(seed: int) -> None:
    """Random trees, random deletions: who names owners has one that is there, or is going."""
    chance, desk = random.Random(seed), Desk()
    objects: dict[str, Json] = {}
    for number in range(14):
        names = chance.sample(sorted(objects), min(len(objects), chance.choice([0, 1, 1, 2])))
        references = [refer(objects[name], chance.random() < 0.5) for name in names]
        held = {"finalizers": [HOLD]} if chance.random() < 0.15 else {}
        objects[f"c{number}"] = desk.created(owned(f"c{number}", *references, **held))
    for name in chance.sample(sorted(objects), 6):
        policy = chance.choice(["Background", "Foreground", "Orphan"])
        desk.delete("ConfigMap", name, propagationPolicy=policy)
        settled(desk, chance.choice([0, 0, 2]))
    settled(desk)
    there = {one["metadata"]["uid"]: one["metadata"] for one in desk.cluster.list("ConfigMap", "default")}
    for meta in there.values():
        owners = [one["uid"] for one in meta.get("ownerReferences") or ()]
        is_going = "deletionTimestamp" in meta
        assert is_going or not owners or all(uid in there for uid in owners), meta["name"]
        assert not is_going or HOLD in meta["finalizers"] or _waits(meta, there), meta["name"]


def _waits(meta: Json, there: dict[str, Json]) -> bool:
    """Whether something that blocks it is still there."""
    return any(
        reference["uid"] == meta["uid"] and reference.get("blockOwnerDeletion")
        for one in there.values()
        for reference in one.get("ownerReferences") or ()
    )


@pytest.mark.parametrize("policy, is_kept", [("Foreground", False), ("Orphan", True), ("Background", False)])
def test_a_pod_goes_with_or_without_what_it_owns(policy: str, is_kept: bool) -> None:
    desk = Desk()
    pod = desk.created(make_pod(terminationGracePeriodSeconds=1))
    desk.created(owned("one", refer(pod, block=True)))
    settled(desk, 1)
    deleted = desk.delete("Pod", propagationPolicy=policy).object
    finalizers = {"Foreground": ["foregroundDeletion"], "Orphan": ["orphan"]}
    assert deleted is not None and deleted["metadata"].get("finalizers") == finalizers.get(policy)
    settled(desk)
    assert desk.get("Pod") is None
    assert is_there(desk, "one") == is_kept


def test_a_class_that_the_system_needs_stays() -> None:
    name = "system-node-critical"
    refused = Desk().delete("PriorityClass", name)
    assert (refused.code, said(refused)) == (
        403,
        f'priorityclasses.scheduling.k8s.io "{name}" is forbidden: this is a system priority class and cannot'
        " be deleted",
    )


@pytest.mark.spec("KCTL-31")
def test_the_namespaces_of_a_cluster_are_there_from_its_start() -> None:
    names = {one["metadata"]["name"] for one in Desk().cluster.list("Namespace")}
    assert names == {"default", "kube-system", "kube-public", "kube-node-lease"}
    made = Desk().created({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
    assert made["metadata"]["namespace"] == "default"


@pytest.mark.spec("KCTL-08")
def test_a_pod_says_who_made_it() -> None:
    desk = Desk()
    desk.created(make_deployment(1))
    (pod,) = settled(desk).cluster.list("Pod", "default")
    (made,) = desk.cluster.list("ReplicaSet", "default")
    meta = made["metadata"]
    assert (pod["apiVersion"], pod["kind"]) == ("v1", "Pod")
    assert pod["metadata"]["generateName"] == f"{meta['name']}-"
    assert pod["metadata"]["name"].startswith(f"{meta['name']}-") and pod["metadata"]["creationTimestamp"]
    assert pod["metadata"]["namespace"] == "default" and pod["metadata"]["labels"]["app"] == "web"
    assert pod["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": meta["name"],
            "uid": meta["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
