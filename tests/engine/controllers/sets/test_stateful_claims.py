"""Claims of StatefulSets that somebody else has a hand in, and a set that goes but is held."""

from typing import Any

import pytest

from lifecycle.engine.controllers.stateful_set.decide import decide, identity
from lifecycle.engine.controllers.stateful_set.decide.members import Members
from lifecycle.engine.controllers.stateful_set.decide.replicas import needs_claims
from lifecycle.engine.controllers.stateful_set.decide.seen import Seen
from lifecycle.engine.objects.meta import PlainObject
from lifecycle.engine.objects.names import REVISION_LABEL
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.stateful_set import StatefulSet
from lifecycle.engine.rules.actions import RecordEvent, Update
from lifecycle.engine.rules.workloads.revisions import hash_patch, make_revision
from tests.engine.controllers.stateful_sets import Web, make_stateful_set

SET: Any = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "set", "controller": True}
FORMER: Any = {**SET, "uid": "former"}
KEEPER: Any = {"apiVersion": "x/v1", "kind": "Keeper", "name": "k", "uid": "k", "controller": True}
NAMESAKE: Any = {"apiVersion": "v1", "kind": "Pod", "name": "other", "uid": "set"}


def see(references: list[Any], deleted: str, phase: str) -> Seen:
    """A set of one pod, and two claims: `www` has these owners, `home` the set."""
    data = make_stateful_set(1, retention=(deleted, "Retain"))
    data["metadata"]["uid"] = "set"
    data["spec"]["volumeClaimTemplates"].append({"metadata": {"name": "home"}})
    owner = StatefulSet.from_json(data)
    revision = make_revision(owner, owner.spec.template, 1, hash_patch(owner.spec.template.patch_text, 0))
    labels = {
        "app": "nginx",
        "statefulset.kubernetes.io/pod-name": "web-0",
        REVISION_LABEL: revision.meta.name,
    }
    volumes = [
        {"name": name, "persistentVolumeClaim": {"claimName": f"{name}-web-0"}} for name in ("www", "home")
    ]
    meta = {"name": "web-0", "namespace": "default", "uid": "pod", "labels": labels}
    ready = {"type": "Ready", "status": "True" if phase == "Running" else "False"}
    status = {"phase": phase, "conditions": [ready]}
    pod = Pod.from_json({"metadata": meta, "spec": {"containers": [], "volumes": volumes}, "status": status})
    members = Members("StatefulSet", "default", "web")
    members.claim_names = owner.spec.claim_names
    members.change(None, pod)
    claims = {name: {0: make_claim(name, own)} for name, own in (("www", references), ("home", [SET]))}
    seen = Seen(owner, members, {"pod": pod}, [revision], claims)
    members.mismatched.put(0, needs_claims(seen, 0))
    return seen


def make_claim(template: str, references: list[Any]) -> PlainObject:
    meta = {"name": f"{template}-web-0", "namespace": "default", "ownerReferences": references}
    return PlainObject.from_json({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta})


@pytest.mark.parametrize(
    "references, deleted, phase, warned, written",
    [
        pytest.param([KEEPER], "Delete", "Pending", ["www"], [], id="told of while the pod is Pending"),
        pytest.param([KEEPER], "Delete", "Running", [], [], id="else left alone in silence"),
        pytest.param([KEEPER], "Retain", "Pending", [], ["home"], id="no matter where nothing is deleted"),
        pytest.param([KEEPER, SET], "Delete", "Running", ["www"], ["www"], id="told of with its change"),
        pytest.param([SET, FORMER], "Delete", "Running", ["www"], ["www"], id="a former set is another"),
        pytest.param([SET], "Delete", "Pending", [], [], id="as it should be"),
        pytest.param([NAMESAKE], "Delete", "Running", [], [], id="what no write would change"),
    ],
)
def test_who_else_controls_a_claim(
    references: list[Any], deleted: str, phase: str, warned: list[str], written: list[str]
):
    """The real controller warns whenever it goes over a pod's claims: with a change, and while it waits."""
    actions = decide(see(references, deleted, phase)).actions
    told = [one.message for one in actions if isinstance(one, RecordEvent) and "conflicting" in one.message]
    claims = [one.new.meta.name for one in actions if isinstance(one, Update)]
    assert [text.split()[1] for text in told] == [f"{name}-web-0" for name in warned]
    assert [name for name in claims if name.endswith("-web-0")] == [f"{name}-web-0" for name in written]


def test_other_claims_of_a_pod_are_told_of_with_the_one_that_is_changed():
    seen = see([KEEPER], "Delete", "Running")
    seen.claims["home"][0] = make_claim("home", [])  # type: ignore[index]
    seen.members.mismatched.put(0, needs_claims(seen, 0))
    first, second = decide(seen).actions[:2]
    assert isinstance(first, RecordEvent) and first.reason == "ConflictingController"
    assert isinstance(second, Update) and second.new.meta.name == "home-web-0"


def test_a_set_that_goes_keeps_its_history_and_its_status():
    """Only its pods are the garbage collector's."""
    web = Web(make_stateful_set(1))
    web.run(10_000)
    web.update(web.set.replace(meta=web.set.meta.replace(finalizers=("example.com/hold",))))
    web.delete(web.set)
    former = web.set.status.update_revision
    web.change(image="nginx:2")
    web.run(1_000)
    assert sorted(web.revisions().values()) == [1, 2]
    assert web.set.status.current_revision == former != web.set.status.update_revision
    assert web.images() == {"web-0": "nginx:1"}


@pytest.mark.parametrize(
    "own, selector, labels",
    [
        pytest.param({"a": "1"}, {"b": "2"}, {"a": "1", "b": "2"}, id="the template's and the selector's"),
        pytest.param({"a": "1"}, {"a": "2"}, {"a": "2"}, id="of one name the selector's"),
        pytest.param({}, {}, None, id="none is none, not an empty map"),
    ],
)
def test_labels_of_a_claim(own: dict[str, str], selector: dict[str, str], labels: dict[str, str] | None):
    data = make_stateful_set(1)
    data["spec"]["volumeClaimTemplates"][0]["metadata"]["labels"] = own
    data["spec"]["selector"] = {"matchLabels": selector}
    made = identity.make_claim(StatefulSet.from_json(data), 0, 0)
    assert (made["metadata"]["name"], made["metadata"].get("labels")) == ("www-web-0", labels)
    assert ("labels" in made["metadata"]) == (labels is not None)
