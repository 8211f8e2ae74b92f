"""What becomes of dependents whose owners go, and of owners that wait for them."""

from typing import Any

import pytest

from lifecycle.engine.controllers.garbage.decide import (
    SeenDependent,
    decide_dependent,
    decide_orphaning,
    decide_waiting,
    is_orphaning,
    is_waiting_for_dependents,
)
from lifecycle.engine.controllers.node_taints.decide import decide_taints
from lifecycle.engine.objects.kinds import kind_for
from lifecycle.engine.objects.meta import ObjectMeta, OwnerReference, PlainObject, StoredObject
from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.actions import Action, Delete, DeletePod, Update


def owned_by(*uids: str, block: bool = True) -> tuple[OwnerReference, ...]:
    return tuple(OwnerReference("v1", "ConfigMap", uid, uid, False, block) for uid in uids)


def make(*owners: str, kind: str = "ConfigMap", block: bool = True, **fields: Any) -> StoredObject:
    meta = ObjectMeta("one", "default", "one", owner_references=owned_by(*owners, block=block), **fields)
    return Pod(meta=meta) if kind == "Pod" else PlainObject(kind_for("", kind), meta)


def told(actions: list[Action]) -> list[Any]:
    """In short: a deletion by its policy, a pod's as `pod`, an update by the owners that are left."""
    words: list[Any] = []
    for action in actions:
        match action:
            case Delete(propagation=propagation):
                words.append(propagation)
            case DeletePod():
                words.append("pod")
            case Update(new=new):
                words.append([entry.uid for entry in new.meta.owner_references])
    return words


FOREGROUND, ORPHAN = "foregroundDeletion", "orphan"


@pytest.mark.spec("RS-DEL-01", "RS-DEL-02", "RS-DEL-03", "RS-DEL-04")
@pytest.mark.parametrize(
    "dependent, absent, waiting, has_dependents, expected",
    [
        pytest.param(make("a"), [], [], False, [], id="its owner is there"),
        pytest.param(make("a"), ["a"], [], False, ["Background"], id="its owner is gone"),
        pytest.param(make("a", kind="Pod"), ["a"], [], False, ["pod"], id="a pod goes gracefully"),
        pytest.param(make("a", "b"), ["a"], [], False, [["b"]], id="one owner stays: its reference alone"),
        pytest.param(make("a", "b"), ["a", "b"], [], False, ["Background"], id="both owners are gone"),
        pytest.param(make("a", "b"), ["a"], ["b"], False, ["Background"], id="one gone, one waiting"),
        pytest.param(make("a"), [], ["a"], True, ["Foreground"], id="a waiting owner, and a tree below"),
        pytest.param(make("a"), [], ["a"], False, ["Background"], id="a waiting owner, nothing below"),
        pytest.param(make("a", finalizers=(ORPHAN,)), ["a"], [], False, ["Orphan"], id="it keeps its own"),
        pytest.param(
            make("a", finalizers=(FOREGROUND,)), ["a"], [], False, ["Foreground"], id="it waits for its own"
        ),
        pytest.param(make("a", deletion_ms=5), ["a"], [], False, [], id="it is going already"),
    ],
)
def test_a_dependent(
    dependent: StoredObject, absent: list[str], waiting: list[str], has_dependents: bool, expected: list[Any]
):
    assert told(decide_dependent(SeenDependent(dependent, absent, waiting, has_dependents))) == expected


@pytest.mark.spec("RS-DEL-05", "RS-DEL-06")
def test_orphans_are_let_go_before_their_owner():
    owner = PlainObject(
        kind_for("", "ConfigMap"), ObjectMeta("a", "default", "a", deletion_ms=5, finalizers=("x", ORPHAN))
    )
    assert is_orphaning(owner) and not is_waiting_for_dependents(owner)
    actions = decide_orphaning(owner, [make("a"), make("b", "a"), make("b")])
    assert told(actions) == [[], ["b"], []]
    assert actions[-1].new.meta.finalizers == ("x",)


@pytest.mark.parametrize(
    "dependents, is_over",
    [
        pytest.param([], True, id="none left"),
        pytest.param([make("a")], False, id="one that blocks"),
        pytest.param([make("a", block=False)], True, id="one that does not block"),
        pytest.param([make("b")], True, id="one that blocks another"),
    ],
)
def test_an_owner_in_the_foreground_waits_for_those_that_block_it(
    dependents: list[StoredObject], is_over: bool
):
    owner = PlainObject(
        kind_for("", "ConfigMap"), ObjectMeta("a", "default", "a", deletion_ms=5, finalizers=(FOREGROUND,))
    )
    actions = decide_waiting(owner, dependents)
    assert [action.new.meta.finalizers for action in actions] == ([()] if is_over else [])


def test_an_owner_that_is_not_being_deleted_waits_for_nobody():
    owner = PlainObject(kind_for("", "ConfigMap"), ObjectMeta("a", "default", "a", finalizers=(FOREGROUND,)))
    assert decide_waiting(owner, []) == []


# --- taints that follow conditions ------------------------------------------------------------------------

OWN = {"key": "gpu", "effect": "NoSchedule"}
DISK = {"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}
MEMORY = {"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    "conditions, taints, expected",
    [
        pytest.param({}, [OWN], None, id="nothing to say"),
        pytest.param({"DiskPressure": "False"}, [], None, id="no pressure"),
        pytest.param({"DiskPressure": "True"}, [OWN], [OWN, {**DISK, "timeAdded": "now"}], id="pressure"),
        pytest.param({"DiskPressure": "True"}, [DISK], None, id="it is told already"),
        pytest.param({"DiskPressure": "False"}, [OWN, DISK], [OWN], id="pressure is over"),
        pytest.param(
            {"DiskPressure": "False", "MemoryPressure": "True"}, [DISK], [{**MEMORY, "timeAdded": "now"}],
            id="one for another",
        ),
        pytest.param({}, [{**DISK, "effect": "NoExecute"}], None, id="of another effect: somebody else's"),
        pytest.param({"DiskPressure": "Unknown"}, [DISK], [], id="nobody knows"),
    ],
)  # fmt: skip
def test_taints_follow_conditions(conditions: dict[str, str], taints: list[Any], expected: list[Any] | None):
    listed = [{"type": type_, "status": status} for type_, status in conditions.items()]
    data = {"metadata": {"name": "n"}, "spec": {"taints": taints}, "status": {"conditions": listed}}
    actions = decide_taints(Node.from_json(data), "now")
    found = [action.new.spec.raw.get("taints", []) for action in actions]
    assert found == ([expected] if expected is not None else [])
