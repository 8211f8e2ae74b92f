"""The worked scenarios of StatefulSets, pods' readiness and ends being what a test says."""

from itertools import pairwise
from typing import Any

import pytest

from lifecycle.engine.heart.errors import Invalid
from tests.engine.controllers.stateful_sets import Web, make_stateful_set

WAITING = {"minReadySeconds": 10}


@pytest.mark.spec(
    "STS-ORDN-01", "STS-ORDN-02", "STS-NET-01", "STS-ORD-01", "STS-ORD-03", "STS-ORD-07", "STS-SPEC-04"
)
def test_pods_come_one_after_the_other():
    """SC-STS-01."""
    web = Web(make_stateful_set(**WAITING))
    web.run(60_000)
    assert web.made() == [(0, "web-0"), (12_000, "web-1"), (24_000, "web-2")]
    assert web.made("PersistentVolumeClaim") == [
        (0, "www-web-0"),
        (12_000, "www-web-1"),
        (24_000, "www-web-2"),
    ]
    assert web.counts() == (3, 3, 3, 3, 3)
    assert web.lane("availableReplicas", "StatefulSet")[-1][0] == 36_000


def test_without_a_wait_readiness_is_enough():
    web = Web()
    web.run(10_000)
    assert [at for at, _name in web.made()] == [0, 2000, 4000]


@pytest.mark.spec(
    "STS-GEN-01", "STS-LBL-01", "STS-LBL-02", "STS-LBL-03", "STS-VOL-01", "STS-VOL-03", "STS-SPEC-05"
)
def test_who_a_pod_is():
    web = Web()
    web.run(10_000)
    pod, (revision,) = web.pod("web-1").to_json(), web.revisions()
    assert pod["metadata"]["labels"] == {
        "app": "nginx",
        "apps.kubernetes.io/pod-index": "1",
        "controller-revision-hash": revision,
        "statefulset.kubernetes.io/pod-name": "web-1",
    }
    assert (pod["metadata"]["generateName"], pod["spec"]["hostname"], pod["spec"]["subdomain"]) == (
        "web-",
        "web-1",
        "nginx",
    )
    assert pod["spec"]["volumes"][0] == {"name": "www", "persistentVolumeClaim": {"claimName": "www-web-1"}}
    claim = web.claim("www-web-1").to_json()
    assert claim["metadata"]["labels"] == {"app": "nginx"}
    assert "ownerReferences" not in claim["metadata"]
    assert claim["spec"]["resources"] == {"requests": {"storage": "1Gi"}}


@pytest.mark.spec("STS-VOL-07")
def test_the_claim_is_made_first_and_both_are_told():
    """In the words of the recording sts-retention-scaled-delete."""
    web = Web()
    assert web.told("SuccessfulCreate") == [
        "Create Claim www-web-0 Pod web-0 in StatefulSet web success",
        "Create Pod web-0 in StatefulSet web successful",
    ]


@pytest.mark.spec("STS-LIM-03")
def test_the_service_is_the_users_job():
    web = Web()
    web.run(10_000)
    assert not list(web.store.list("Service"))


@pytest.mark.spec("STS-ORD-05")
def test_a_pod_that_fails_holds_up_the_next():
    """SC-STS-02."""
    web = Web(make_stateful_set(**WAITING))
    web.run(16_000)
    web.unready("web-0")
    web.run(24_000)
    assert web.names() == ["web-0", "web-1"]
    web.unready("web-0", True)
    web.run(60_000)
    assert web.made()[-1] == (50_000, "web-2")


# --- scaling ----------------------------------------------------------------------------------------------


@pytest.mark.spec("STS-ORD-02", "STS-ORD-04", "STS-LIM-02", "STS-PVC-04", "STS-VOL-06", "STS-VOL-08")
def test_the_highest_goes_first_and_claims_stay():
    """SC-STS-03."""
    web = Web()
    web.run(60_000)
    former = web.claim("www-web-2").meta.uid
    web.change(replicas=1)
    web.run(30_000)
    assert web.marked() == [(60_000, "web-2"), (64_000, "web-1")]
    assert web.gone() == [(64_000, "web-2"), (68_000, "web-1")]
    assert web.names() == ["web-0"]
    assert web.claims() == ["www-web-0", "www-web-1", "www-web-2"]
    web.change(replicas=3)
    web.run(30_000)
    assert web.claim("www-web-2").meta.uid == former
    assert web.counts() == (3, 3, 3, 3, 3)


@pytest.mark.spec("STS-ORD-06")
def test_a_pod_that_fails_holds_up_the_next_end():
    """SC-STS-04."""
    web = Web(make_stateful_set(**WAITING))
    web.run(60_000)
    web.change(replicas=1)
    web.run(2_000)
    web.unready("web-0")
    web.run(58_000)
    assert web.names() == ["web-0", "web-1"]
    assert web.marked() == [(60_000, "web-2")]
    web.unready("web-0", True)
    web.run(60_000)
    assert web.marked()[-1] == (130_000, "web-1")


@pytest.mark.spec("STS-PMP-01", "STS-PMP-02", "STS-PMP-03")
def test_parallel_waits_for_nobody_but_updates_do():
    """SC-STS-05."""
    web = Web(make_stateful_set(podManagementPolicy="Parallel", **WAITING), exit_ms=1000)
    assert web.made() == [(0, "web-0"), (0, "web-1"), (0, "web-2")]
    web.run(60_000)
    web.change(image="nginx:2")
    web.run(60_000)
    assert web.marked() == [(60_000, "web-2"), (73_000, "web-1"), (86_000, "web-0")]
    web.change(replicas=1)
    web.run(10_000)
    assert web.marked()[3:] == [(120_000, "web-2"), (120_000, "web-1")]


@pytest.mark.spec("STS-PMP-04", "STS-SPEC-07")
@pytest.mark.parametrize(
    "field, value",
    [("podManagementPolicy", "Parallel"), ("serviceName", "other"), ("volumeClaimTemplates", [])],
)
def test_what_stays_for_life(field: str, value: Any):
    web = Web()
    with pytest.raises(Invalid, match="updates to statefulset spec for fields other than"):
        web.change(**{field: value})


@pytest.mark.spec("STS-ORDN-03", "STS-PART-05", "STS-PVC-12")
def test_ordinals_may_start_elsewhere():
    """SC-STS-06."""
    web = Web(make_stateful_set(ordinals={"start": 5}))
    web.run(60_000)
    assert [name for _at, name in web.made()] == ["web-5", "web-6", "web-7"]
    assert web.claims() == ["www-web-5", "www-web-6", "www-web-7"]
    assert web.pod("web-6").meta.labels["apps.kubernetes.io/pod-index"] == "6"
    web.change(image="nginx:2", updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 1}})
    web.run(60_000)
    assert web.images() == {"web-5": "nginx:1", "web-6": "nginx:2", "web-7": "nginx:2"}
    web.change(replicas=2)
    web.run(60_000)
    assert web.names() == ["web-5", "web-6"]


def test_a_moved_start_condemns_what_lies_below_it():
    web = Web()
    web.run(60_000)
    web.change(ordinals={"start": 2})
    web.run(60_000)
    assert web.names() == ["web-2", "web-3", "web-4"]
    assert [name for _at, name in web.marked()] == ["web-1", "web-0"]


@pytest.mark.spec("STS-REPL-03", "STS-ORD-08")
def test_a_deleted_pod_comes_back_when_the_old_one_is_gone():
    web = Web()
    web.run(60_000)
    former = web.pod("web-1").meta.uid
    web.remove("web-1")
    assert web.counts() == (3, 3, 2, 2, 3)
    web.run(30_000)
    assert web.made()[-1] == (64_000, "web-1")
    assert web.pod("web-1").meta.uid != former


@pytest.mark.spec("STS-ORD-09", "WL-02", "WL-06")
@pytest.mark.parametrize("phase", ["Failed", "Succeeded"])
@pytest.mark.parametrize("policy", ["OrderedReady", "Parallel"])
def test_a_pod_that_has_ended_is_made_again(phase: str, policy: str):
    """Without an event of its own in v1.35: it is deleted as any other."""
    web = Web(make_stateful_set(podManagementPolicy=policy))
    web.run(60_000)
    web.end("web-1", phase)
    assert web.told("SuccessfulDelete") == ["Delete Pod web-1 in StatefulSet web successful"]
    web.run(30_000)
    assert web.counts() == (3, 3, 3, 3, 3)
    assert [name for _at, name in web.made(since_ms=60_000)] == ["web-1"]


# --- updates ----------------------------------------------------------------------------------------------


@pytest.mark.spec("STS-UPD-01", "STS-UPD-03", "STS-UPD-04", "STS-UPD-05")
def test_an_update_goes_from_the_highest_down():
    """SC-STS-09."""
    web = Web(make_stateful_set(**WAITING), exit_ms=1000)
    web.run(60_000)
    claims = {name: web.claim(name).meta.uid for name in web.claims()}
    web.change(image="nginx:2")
    first, second = web.revisions()
    assert (web.set.status.current_revision, web.set.status.update_revision) == (first, second)
    web.run(60_000)
    assert web.marked() == [(60_000, "web-2"), (73_000, "web-1"), (86_000, "web-0")]
    assert web.made(since_ms=60_000) == [(61_000, "web-2"), (74_000, "web-1"), (87_000, "web-0")]
    assert web.lane("availableReplicas", "StatefulSet")[-1][0] == 99_000
    assert min(new for _at, _name, new in web.lane("availableReplicas", "StatefulSet", 60_000)) == 2
    assert web.set.status.current_revision == web.set.status.update_revision == second
    assert {name: web.claim(name).meta.uid for name in web.claims()} == claims


@pytest.mark.spec("STS-PART-01", "STS-PART-02", "STS-PART-03", "STS-PART-04")
def test_a_partition_keeps_the_lower_ones():
    """SC-STS-10."""
    web = Web(make_stateful_set(rolling={"partition": 2}))
    web.run(60_000)
    web.change(image="nginx:2")
    web.run(60_000)
    assert web.images() == {"web-0": "nginx:1", "web-1": "nginx:1", "web-2": "nginx:2"}
    assert web.counts() == (3, 3, 2, 1, 3)
    web.remove("web-0")
    web.run(20_000)
    web.remove("web-2")
    web.run(60_000)
    assert web.images() == {"web-0": "nginx:1", "web-1": "nginx:1", "web-2": "nginx:2"}
    for partition, updated in ((1, 2), (0, 3)):
        web.change(updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": partition}})
        web.run(60_000)
        assert web.set.status.updated_replicas == updated
    web.change(image="nginx:3", updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 4}})
    web.run(60_000)
    web.remove("web-2")
    web.run(60_000)
    assert set(web.images().values()) == {"nginx:2"}
    assert web.set.status.updated_replicas == 0


@pytest.mark.spec("STS-UPD-02")
def test_on_delete_leaves_it_to_the_user():
    """SC-STS-11."""
    web = Web(make_stateful_set(updateStrategy={"type": "OnDelete"}))
    web.run(60_000)
    web.change(image="nginx:2")
    web.run(60_000)
    assert set(web.images().values()) == {"nginx:1"}
    web.remove("web-1")
    web.run(60_000)
    assert web.images() == {"web-0": "nginx:1", "web-1": "nginx:2", "web-2": "nginx:1"}
    assert web.set.status.current_revision != web.set.status.update_revision


def update_five(is_on: bool, most: Any, unready: str = "", **settings: Any) -> Web:
    manifest = make_stateful_set(5, podManagementPolicy="Parallel", rolling={"maxUnavailable": most})
    web = Web(manifest, exit_ms=1000, feature_gates={"MaxUnavailableStatefulSet": is_on}, **settings)
    web.run(60_000)
    if unready:
        web.unready(unready)
    web.change(image="nginx:2")
    web.run(60_000)
    return web


@pytest.mark.spec("STS-MAXU-01", "STS-MAXU-02", "STS-MAXU-03")
@pytest.mark.parametrize(
    "is_on, most, settings, expected",
    [
        pytest.param(True, 2, {}, [60_000, 60_000, 63_000, 63_000, 66_000], id="two at once"),
        pytest.param(True, "30%", {}, [60_000, 63_000, 66_000, 69_000, 72_000], id="rounded down"),
        pytest.param(
            True,
            "30%",
            {"switches": {"statefulSetMaxUnavailableRoundsUp": True}},
            [60_000, 60_000, 63_000, 63_000, 66_000],
            id="rounded up, as documented",
        ),
        pytest.param(False, 2, {}, [60_000, 63_000, 66_000, 69_000, 72_000], id="gate off"),
    ],
)
def test_as_many_as_may_be_go_at_once(is_on: bool, most: Any, settings: Any, expected: list[int]):
    """SC-STS-12."""
    web = update_five(is_on, most, **settings)
    assert [at for at, _name in web.marked()] == expected
    assert [name for _at, name in web.marked()] == ["web-4", "web-3", "web-2", "web-1", "web-0"]
    rolling = web.set.spec.raw["updateStrategy"]["rollingUpdate"]
    assert rolling == ({"partition": 0, "maxUnavailable": most} if is_on else {"partition": 0})


@pytest.mark.spec("STS-MAXU-02")
def test_one_that_is_unavailable_uses_up_the_budget():
    web = update_five(True, 2, unready="web-0")
    assert web.marked()[:3] == [(60_000, "web-4"), (63_000, "web-3"), (66_000, "web-2")]


@pytest.mark.spec("STS-MAXU-01")
def test_none_may_be_unavailable_is_refused():
    manifest = make_stateful_set(rolling={"maxUnavailable": 0})
    with pytest.raises(Invalid, match="cannot be 0"):
        Web(manifest, feature_gates={"MaxUnavailableStatefulSet": True})


@pytest.mark.spec("STS-FRB-01", "STS-FRB-02", "STS-FRB-03", "STS-LIM-05")
def test_a_broken_update_stays_until_its_pod_is_deleted():
    """SC-STS-13."""
    web = Web(ready=lambda pod, number: None if "broken" in pod.spec.containers[0].image else 2000)
    web.run(60_000)
    web.change(image="nginx:broken")
    web.run(60_000)
    assert [name for _at, name in web.marked()] == ["web-2"]
    web.change(image="nginx:1")
    web.run(1_800_000)
    assert web.images()["web-2"] == "nginx:broken"
    web.remove("web-2")
    web.run(60_000)
    assert set(web.images().values()) == {"nginx:1"}
    assert web.counts() == (3, 3, 3, 3, 3)
    assert [name for _at, name in web.made(since_ms=60_000)] == ["web-2", "web-2"]


# --- claims -----------------------------------------------------------------------------------------------


def owners(web: Web) -> dict[str, list[str]]:
    found = {name: web.claim(name).meta.owner_references for name in web.claims()}
    return {name: [f"{one.kind}/{one.name}" for one in references] for name, references in found.items()}


@pytest.mark.slow
@pytest.mark.spec(
    "STS-PVC-01", "STS-PVC-02", "STS-PVC-03", "STS-PVC-05", "STS-PVC-06", "STS-PVC-07", "STS-PVC-08"
)
@pytest.mark.parametrize(
    "deleted, scaled, kept_when_scaled, kept_when_deleted",
    [
        ("Retain", "Retain", 3, 3),
        ("Retain", "Delete", 1, 3),
        ("Delete", "Retain", 3, 0),
        ("Delete", "Delete", 1, 0),
    ],
)
def test_what_becomes_of_claims(deleted: str, scaled: str, kept_when_scaled: int, kept_when_deleted: int):
    """SC-STS-14."""
    web = Web(make_stateful_set(retention=(deleted, scaled)))
    web.run(60_000)
    owner = ["StatefulSet/web"] if deleted == "Delete" else []
    assert owners(web) == {"www-web-0": owner, "www-web-1": owner, "www-web-2": owner}
    web.change(replicas=1)
    web.run(60_000)
    assert len(web.claims()) == kept_when_scaled
    assert owners(web)["www-web-0"] == owner
    pods_gone = {name: at for at, name in web.gone()}
    for at, name in web.gone("PersistentVolumeClaim"):
        assert at >= pods_gone[name.removeprefix("www-")]
    web.change(replicas=3)
    web.run(60_000)
    assert web.counts() == (3, 3, 3, 3, 3)
    web.delete(web.set)
    web.run(60_000)
    assert web.names() == []
    assert len(web.claims()) == kept_when_deleted


@pytest.mark.spec("STS-PVC-10", "STS-PVC-11", "STS-PVC-15")
@pytest.mark.parametrize("deleted", ["Retain", "Delete"])
def test_a_condemned_pod_owns_its_claims_before_it_goes(deleted: str):
    web = Web(make_stateful_set(retention=(deleted, "Delete")))
    web.run(60_000)
    web.change(replicas=1)
    assert owners(web) == {
        "www-web-0": ["StatefulSet/web"] if deleted == "Delete" else [],
        "www-web-1": ["Pod/web-1"],
        "www-web-2": ["Pod/web-2"],
    }
    owner = web.claim("www-web-1").meta.owner_references[0]
    assert (owner.controller, owner.block_owner_deletion, owner.uid) == (
        True,
        True,
        web.pod("web-1").meta.uid,
    )
    assert [name for _at, name in web.marked()] == ["web-2"]


@pytest.mark.spec("STS-PVC-09")
def test_failures_do_not_touch_claims():
    """SC-STS-15 (b)."""
    web = Web(make_stateful_set(retention=("Delete", "Delete")))
    web.run(60_000)
    former = web.claim("www-web-1").meta.uid
    web.remove("web-1")
    web.run(30_000)
    web.end("web-1")
    web.run(30_000)
    assert web.claim("www-web-1").meta.uid == former
    assert owners(web)["www-web-1"] == ["StatefulSet/web"]


def test_another_policy_changes_the_owners_of_claims():
    """It is told as an update of the pods."""
    web = Web()
    web.run(60_000)
    web.change(persistentVolumeClaimRetentionPolicy={"whenDeleted": "Delete", "whenScaled": "Retain"})
    assert set(map(tuple, owners(web).values())) == {("StatefulSet/web",)}
    assert web.told("SuccessfulUpdate") == [
        f"Update Pod web-{n} in StatefulSet web successful" for n in range(3)
    ]
    web.change(persistentVolumeClaimRetentionPolicy={"whenDeleted": "Retain", "whenScaled": "Retain"})
    assert set(map(tuple, owners(web).values())) == {()}


def test_a_claim_of_another_controller_is_left_alone():
    web = Web(make_stateful_set(1))
    web.run(10_000)
    claim = web.claim("www-web-0")
    other = {"apiVersion": "x/v1", "kind": "Keeper", "name": "k", "uid": "k", "controller": True}
    data = claim.to_json()
    data["metadata"]["ownerReferences"] = [other]
    # The garbage collector has nothing against it: its owner is there.
    web.create({"apiVersion": "x/v1", "kind": "Keeper", "metadata": {"name": "k", "namespace": "default"}})
    keeper = web.store.require("Keeper.x", "default", "k")
    other["uid"] = keeper.meta.uid
    web.api.update_json(claim, data)
    web.change(persistentVolumeClaimRetentionPolicy={"whenDeleted": "Delete", "whenScaled": "Retain"})
    web.run(10_000)
    assert owners(web) == {"www-web-0": ["Keeper/k"]}


def test_a_claim_that_goes_is_waited_for():
    """In the words of the recording sts-claim-in-use; here it takes longer to go."""
    web = Web(make_stateful_set(1))
    web.run(10_000)
    claim = web.claim("www-web-0")
    web.update(claim.replace(meta=claim.meta.replace(finalizers=("example.com/hold",))))
    web.delete(web.claim("www-web-0"))
    web.run(5_000)
    assert web.names() == ["web-0"]
    web.remove("web-0")
    web.run(5_000)
    told = "Create Pod web-0 in StatefulSet web failed error: pvc www-web-0 is being deleted"
    assert web.names() == [] and told in web.told("FailedCreate")
    going = web.claim("www-web-0")
    web.update(going.replace(meta=going.meta.replace(finalizers=())))
    web.run(30_000)
    assert web.counts() == (1, 1, 1, 1, 1)


# --- the end of the set, and what is refused ----------------------------------------------------------------


@pytest.mark.spec("STS-LIM-04", "STS-PVC-05")
def test_a_deleted_set_takes_all_pods_at_once():
    """SC-STS-16."""
    web = Web()
    web.run(60_000)
    web.delete(web.set)
    web.run(60_000)
    assert {at for at, _name in web.marked()} == {60_000}
    assert web.names() == [] and web.claims() == ["www-web-0", "www-web-1", "www-web-2"]
    assert not web.revisions()


@pytest.mark.spec("STS-LIM-04")
def test_scaled_to_nothing_it_ends_in_order():
    web = Web()
    web.run(60_000)
    web.change(replicas=0)
    web.run(60_000)
    assert [name for _at, name in web.marked()] == ["web-2", "web-1", "web-0"]
    assert all(gone >= marked for (gone, _), (marked, _) in zip(web.gone(), web.marked()[1:], strict=False))
    assert web.counts() == (0, 0, 0, 0, 0)


@pytest.mark.spec("STS-SPEC-01", "STS-SPEC-02", "STS-SPEC-08", "KCTL-30")
@pytest.mark.parametrize(
    "change, path",
    [
        pytest.param(lambda m: m["metadata"].update(name="my.web"), "metadata.name", id="dots in the name"),
        pytest.param(
            lambda m: m["spec"]["selector"].update(matchLabels={"app": "other"}),
            "spec.template.metadata.labels",
            id="selector beside the template",
        ),
        pytest.param(
            lambda m: m["spec"]["template"]["spec"].update(restartPolicy="OnFailure"),
            "spec.template.spec.restartPolicy",
            id="restart policy",
        ),
    ],
)
def test_what_is_refused(change: Any, path: str):
    """SC-STS-18."""
    manifest = make_stateful_set()
    change(manifest)
    with pytest.raises(Invalid, match=path):
        Web(manifest)


@pytest.mark.spec("STS-SPEC-03", "STS-SPEC-06", "STS-REPL-02")
def test_what_is_filled_in():
    manifest = make_stateful_set()
    del manifest["spec"]["replicas"]
    manifest["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 0
    spec = Web(manifest).set.spec.raw
    assert (spec["replicas"], spec["podManagementPolicy"], spec["revisionHistoryLimit"]) == (
        1,
        "OrderedReady",
        10,
    )
    assert spec["updateStrategy"] == {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}
    assert spec["persistentVolumeClaimRetentionPolicy"] == {"whenDeleted": "Retain", "whenScaled": "Retain"}


def test_a_quota_is_told_and_tried_again():
    web = Web(make_stateful_set(0))
    web.limit(pods="1")
    web.change(replicas=2)
    web.run(60_000)
    assert web.names() == ["web-0"]
    refused = web.told("FailedCreate")
    assert refused[0].startswith(
        'Create Pod web-1 in StatefulSet web failed error: pods "web-1" is forbidden: '
    )
    web.limit()
    web.run(600_000)
    assert web.counts() == (2, 2, 2, 2, 2)


def test_claims_that_are_refused_are_told_twice():
    web = Web(make_stateful_set(0))
    web.limit(persistentvolumeclaims="1")
    web.change(replicas=2)
    web.run(10_000)
    claim, pod = web.told("FailedCreate")[:2]
    assert claim.startswith(
        "Create Claim www-web-1 for Pod web-1 in StatefulSet web failed error: persistent"
    )
    assert pod.startswith(
        "Create Pod web-1 in StatefulSet web failed error: failed to create PVC www-web-1: pers"
    )
    assert web.names() == ["web-0"]


def test_parallel_tries_one_batch_at_a_time():
    """The batches of eight are 0, 1 and 2, 3 to 6, and 7."""
    web = Web(make_stateful_set(0, claims=False, podManagementPolicy="Parallel"))
    web.limit(pods="2")
    web.change(replicas=8)
    assert web.names() == ["web-0", "web-1"]
    assert {message.split()[2] for message in web.told("FailedCreate")} == {"web-2"}


def test_a_name_that_is_taken_is_tried_in_silence():
    web = Web(make_stateful_set(1, claims=False))
    web.change(replicas=0)
    web.run(10_000)
    spec = {"containers": [{"name": "c", "image": "other"}]}
    web.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web-0", "namespace": "default"},
            "spec": spec,
        }
    )
    web.change(replicas=1)
    web.run(10_000)
    assert web.images() == {"web-0": "other"}
    assert not web.told("FailedCreate")
    web.remove("web-0")
    web.run(600_000)
    assert web.images() == {"web-0": "nginx:1"}


def test_only_members_are_adopted():
    web = Web(make_stateful_set(0, claims=False))
    for name in ("web-0", "web-00", "web-x", "other-0"):
        labels = {"app": "nginx"}
        meta = {"name": name, "namespace": "default", "labels": labels}
        spec = {"containers": [{"name": "nginx", "image": "bare"}]}
        web.create({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
    web.change(replicas=1)
    web.run(10_000)
    owned = {pod.meta.name: pod.meta.controller is not None for pod in web.pods()}
    # What it adopted is of no revision of its own, so it is replaced.
    assert owned == {"web-0": True, "web-00": False, "web-x": False, "other-0": False}
    assert web.images()["web-0"] == "nginx:1"


def test_a_pod_that_matches_no_more_is_let_go():
    web = Web(make_stateful_set(2, claims=False))
    web.run(10_000)
    pod = web.pod("web-1")
    web.update(pod.replace(meta=pod.meta.replace(labels={**pod.meta.labels, "app": "debug"})))
    web.run(10_000)
    assert web.pod("web-1").meta.controller is None
    assert web.counts()[0] == 1


def test_a_lost_label_is_put_back():
    web = Web(make_stateful_set(1))
    web.run(10_000)
    pod = web.pod("web-0")
    labels = {name: value for name, value in pod.meta.labels.items() if not name.startswith("statefulset.")}
    web.update(pod.replace(meta=pod.meta.replace(labels=labels)))
    web.run(1_000)
    assert web.pod("web-0").meta.labels["statefulset.kubernetes.io/pod-name"] == "web-0"
    assert web.told("SuccessfulUpdate") == ["Update Pod web-0 in StatefulSet web successful"]


# --- revisions ----------------------------------------------------------------------------------------------


def test_a_template_that_comes_back_takes_the_highest_number():
    web = Web()
    web.run(10_000)
    (first,) = web.revisions()
    for image in ("nginx:2", "nginx:1"):
        web.change(image=image)
        web.run(60_000)
    second = next(name for name in web.revisions() if name != first)
    assert web.revisions() == {first: 3, second: 2}
    assert web.set.status.current_revision == first


@pytest.mark.spec("STS-LBL-03")
def test_the_history_is_kept_within_its_limit():
    web = Web(make_stateful_set(1, claims=False, revisionHistoryLimit=2))
    for number in range(2, 8):
        web.run(20_000)
        web.change(image=f"nginx:{number}")
    web.run(20_000)
    assert sorted(web.revisions().values()) == [5, 6, 7]


def test_revisions_of_pods_stay():
    web = Web(make_stateful_set(2, claims=False, revisionHistoryLimit=0, rolling={"partition": 2}))
    web.run(20_000)
    for number in (2, 3):
        web.change(image=f"nginx:{number}")
        web.run(20_000)
    assert sorted(web.revisions().values()) == [1, 3]


def test_a_name_that_another_revision_has_makes_another_hash():
    web = Web(make_stateful_set(0))
    (name,) = web.revisions()
    web.delete(web.set)
    web.run(1_000)
    meta = {"name": name, "namespace": "default"}
    foreign = {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": meta,
        "revision": 1,
        "data": {},
    }
    web.create(foreign)
    web.apply(make_stateful_set(1))
    web.run(10_000)
    assert web.set.status.collision_count == 1
    assert web.set.status.update_revision != name
    made = web.store.require("ControllerRevision", "default", web.set.status.update_revision)
    # The label tells of the hash that was tried first.
    assert made.meta.labels["controller.kubernetes.io/hash"] == name.removeprefix("web-")


def test_orphaned_pods_and_revisions_find_their_successor():
    web = Web()
    web.run(10_000)
    pods, revisions = {pod.meta.uid for pod in web.pods()}, web.revisions()
    web.delete(web.set, "Orphan")
    web.run(10_000)
    assert web.names() == ["web-0", "web-1", "web-2"] and web.revisions() == revisions
    web.apply(make_stateful_set())
    web.run(10_000)
    assert {pod.meta.uid for pod in web.pods()} == pods
    assert web.revisions() == revisions
    assert all(one.meta.controller is not None for one in web.store.list("ControllerRevision"))


def test_availability_lags_behind_readiness_in_the_status():
    web = Web(make_stateful_set(podManagementPolicy="Parallel", **WAITING))
    web.run(60_000)
    ready = {new: at for at, _name, new in web.lane("readyReplicas", "StatefulSet")}
    available = {new: at for at, _name, new in web.lane("availableReplicas", "StatefulSet")}
    assert (ready[3], available[3]) == (2_000, 12_000)


def test_no_two_pods_of_a_name_at_once():
    web = Web(exit_ms=3_000)
    web.run(20_000)
    for name in ("web-0", "web-2", "web-1", "web-2"):
        web.remove(name)
        web.run(7_000)
    web.run(60_000)
    for name in ("web-0", "web-1", "web-2"):
        rows = [new for _at, who, new in web.lane("exists") if who == name]
        assert all(one != other for one, other in pairwise(rows))
    assert web.counts() == (3, 3, 3, 3, 3)


def test_a_name_that_is_too_long_for_labels_shows_only_when_pods_are_made():
    """`<set>-<hash>` is a label: a set of 54 letters is accepted, its pods are not."""
    manifest = make_stateful_set(1, claims=False)
    manifest["metadata"]["name"] = "w" * 54
    web = Web(manifest)
    web.run(60_000)
    assert web.names() == []
    told = web.told("FailedCreate")
    assert len(told) > 3
    assert (
        f'failed error: Pod "{"w" * 54}-0" is invalid: metadata.labels: Invalid value: "{"w" * 54}-'
        in told[0]
    )
    assert told[0].endswith("must be no more than 63 bytes")


@pytest.mark.spec("STS-REPL-03")
def test_scaling_goes_before_updating():
    web = Web()
    web.run(60_000)
    web.change(image="nginx:2", replicas=2)
    web.run(60_000)
    assert web.marked() == [(60_000, "web-2"), (64_000, "web-1"), (70_000, "web-0")]


def test_an_adopted_pod_without_its_volumes_holds_up_the_others():
    """Its claims are made; but a pod's volumes stay for life, so it has to be deleted by hand."""
    web = Web(make_stateful_set(0))
    spec = {"containers": [{"name": "nginx", "image": "nginx:1"}]}
    meta = {"name": "web-0", "namespace": "default", "labels": {"app": "nginx"}}
    web.create({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
    web.change(replicas=2)
    web.run(30_000)
    assert (web.names(), web.claims()) == (["web-0"], ["www-web-0"])
    told = 'Pod web-0 in StatefulSet web failed error: Pod "web-0" is invalid: spec: Forbidden: pod updates'
    assert web.told("FailedUpdate")[0].startswith(f"Update {told}")
    web.remove("web-0")
    web.run(600_000)
    assert web.counts() == (2, 2, 2, 2, 2)
