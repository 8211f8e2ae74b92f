"""ControllerRevisions by themselves: names, equality, order, limits, and what undo goes back to."""

from typing import Any

import pytest

from lifecycle.engine.objects.meta import PlainObject
from lifecycle.engine.objects.pods.template import PodTemplate
from lifecycle.engine.objects.workloads.controller_revision import ControllerRevision
from lifecycle.engine.rules.workloads.revisions import (
    UndoError,
    find_equal,
    find_restored,
    find_surplus,
    hash_patch,
    make_revision,
    name_revision,
    next_number,
    sort_revisions,
)


def make_template(command: str, **container: Any) -> PodTemplate:
    """The template of a recording on a real cluster, as its API server showed it."""
    app = {
        "name": "app",
        "image": "busybox:1.36",
        "imagePullPolicy": "IfNotPresent",
        "command": ["sh", "-c", command],
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        **container,
    }
    spec = {
        "containers": [app],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "nodeSelector": {"lab/slot": "real"},
        "securityContext": {},
        "schedulerName": "default-scheduler",
    }
    return PodTemplate.from_json({"metadata": {"labels": {"app": "web"}}, "spec": spec})


POLITE = "trap 'exit 0' TERM; sleep 3600 & wait"


@pytest.mark.spec("STS-LBL-03")
@pytest.mark.parametrize(
    "template, digest",
    [
        pytest.param(make_template(POLITE), "7bf9d774b9", id="sts-broken-update-trap, first"),
        pytest.param(make_template(POLITE, image="registry.invalid/missing:1"), "55fc6c7699", id="second"),
        pytest.param(
            make_template(POLITE, volumeMounts=[{"name": "data", "mountPath": "/data"}]),
            "6dc5d45b45",
            id="sts-claim-in-use",
        ),
        pytest.param(
            make_template("trap 'sleep 5; exit 0' TERM; sleep 3600 & wait"),
            "9f9d594c4",
            id="sts-pod-deleted-in-middle",
        ),
    ],
)
def test_the_hash_is_that_of_a_real_cluster(template: PodTemplate, digest: str):
    assert hash_patch(template.patch_text, 0) == digest


def test_another_collision_count_gives_another_hash():
    text = make_template(POLITE).patch_text
    assert len({hash_patch(text, count) for count in range(20)}) == 20


def test_what_html_could_read_is_escaped_as_go_does():
    text = PodTemplate.from_json({"metadata": {"annotations": {"a": "<&>\u2028é"}}}).patch_text
    assert '"a":"\\u003c\\u0026\\u003e\\u2028é"' in text


def test_absent_and_null_fields_make_equal_patches():
    full = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "env": []}]}}
    less = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "env": None}]}}
    assert PodTemplate.from_json(full).patch_text == PodTemplate.from_json(less).patch_text


def test_a_long_owner_name_leaves_room_for_the_hash():
    assert name_revision("a" * 250, "b" * 10) == "a" * 223 + "-" + "b" * 10


def test_a_revision_tells_whose_it_is_and_what_it_restores():
    owner = PlainObject.from_json(
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {"name": "web", "namespace": "default", "uid": "u", "annotations": {"why": "first"}},
        }
    )
    made = make_revision(owner, make_template(POLITE), 3, "7bf9d774b9").to_json()
    assert made["metadata"]["name"] == "web-7bf9d774b9"
    assert made["metadata"]["labels"] == {"app": "web", "controller.kubernetes.io/hash": "7bf9d774b9"}
    assert made["metadata"]["annotations"] == {"why": "first"}
    assert made["metadata"]["ownerReferences"][0]["controller"] is True
    assert (made["revision"], made["data"]["spec"]["template"]["$patch"]) == (3, "replace")


# --- a history --------------------------------------------------------------------------------------------


def make(name: str, number: int, created_ms: int = 0, image: str = "") -> ControllerRevision:
    found = ControllerRevision.from_json(
        {
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {"name": name},
            "revision": number,
            "data": {"image": image or name},
        }
    )
    return found.replace(meta=found.meta.replace(creation_ms=created_ms))


def names(revisions: list[ControllerRevision]) -> list[str]:
    return [one.meta.name for one in revisions]


HISTORY = [make("a", 1), make("b", 2), make("c", 4)]


def test_the_number_orders_then_the_second_of_creation_then_the_name():
    mixed = [make("d", 2, 5000), make("c", 2, 1999), make("b", 2, 1000), make("a", 9)]
    assert names(sort_revisions(mixed, epoch_ms=0)) == ["b", "c", "d", "a"]
    # An API that began 700 ms into a second tells of 300 ms as of the next one.
    close = [make("c", 1, 299), make("b", 1, 300), make("a", 1, 1299)]
    assert names(sort_revisions(close, epoch_ms=700)) == ["c", "a", "b"]


def test_the_next_number_is_one_above_the_highest():
    assert (next_number([]), next_number(HISTORY)) == (1, 5)


def test_the_latest_of_equal_revisions_is_found():
    twice = [make("old", 1, image="same"), make("new", 2, image="same"), make("other", 3)]
    found = find_equal(twice, twice[0].text)
    assert found is not None and found.meta.name == "new"


@pytest.mark.parametrize(
    "live, limit, gone",
    [
        pytest.param({"c"}, 2, [], id="as many as are kept"),
        pytest.param({"c"}, 1, ["a"], id="the earliest goes"),
        pytest.param({"a", "c"}, 0, ["b"], id="the living stay and do not count"),
        pytest.param(set(), 0, ["a", "b", "c"], id="none is kept"),
        pytest.param(set(), -1, [], id="no limit"),
    ],
)
def test_the_earliest_beyond_the_limit_go(live: set[str], limit: int, gone: list[str]):
    assert names(find_surplus(HISTORY, live, limit)) == gone


@pytest.mark.spec("KCTL-20")
@pytest.mark.parametrize(
    "to_revision, present, restored",
    [
        pytest.param(0, "c", "b", id="the one before the latest"),
        pytest.param(1, "c", "a", id="the one named"),
        pytest.param(4, "c", None, id="the present one"),
    ],
)
def test_undo_goes_back_to(to_revision: int, present: str, restored: str | None):
    found = find_restored(HISTORY, to_revision, make(present, 0).text, epoch_ms=0)
    assert (found.meta.name if found is not None else None) == restored


@pytest.mark.spec("KCTL-20")
@pytest.mark.parametrize(
    "revisions, to_revision, message",
    [
        pytest.param(HISTORY[:1], 0, "no last revision to roll back to", id="only one"),
        pytest.param(HISTORY, 3, "unable to find specified revision 3 in history", id="not there"),
    ],
)
def test_undo_says_what_is_missing(revisions: list[ControllerRevision], to_revision: int, message: str):
    with pytest.raises(UndoError, match=message):
        find_restored(revisions, to_revision, "", epoch_ms=0)
