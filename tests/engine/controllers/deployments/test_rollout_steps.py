"""What one step of a Deployment writes and tells, and when it is tried no more."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide import decide
from lifecycle.engine.controllers.deployment.decide.revisions import decide_cleanup
from lifecycle.engine.controllers.deployment.decide.rollout import Seen, make_new_set, new_set_name
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from lifecycle.engine.rules.actions import Create, Delete, RecordEvent, Refusal, Update
from tests.engine.controllers.world import World, make_deployment

REVISION = "deployment.kubernetes.io/revision"


def make_seen(strategy: Any, sets: list[ReplicaSet], replicas: int = 4, **fields: Any) -> Seen:
    data = make_deployment(replicas, strategy=strategy, revisionHistoryLimit=0)
    data["metadata"] |= {"uid": "web", "generation": 1}
    return Seen(Deployment.from_json({**data, "status": {"observedGeneration": 1}}), sets, **fields)


def make_set(name: str, size: int, available: int, image: str = "nginx:1.14.2") -> ReplicaSet:
    """A set that knows the Deployment's size: 4, and 5 with the surge."""
    annotations = {
        "deployment.kubernetes.io/desired-replicas": "4",
        "deployment.kubernetes.io/max-replicas": "5",
        REVISION: name[-1],
    }
    spec = make_deployment(size, image=image)["spec"]
    return ReplicaSet.from_json(
        {
            "metadata": {"name": name, "uid": name, "annotations": annotations},
            "spec": {"replicas": size, "template": spec["template"]},
            "status": {"replicas": size, "readyReplicas": available, "availableReplicas": available},
        }
    )


ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}


@pytest.mark.spec("DEP-ROLL-14")
@pytest.mark.parametrize(
    "size, available, told",
    [
        pytest.param(3, 3, ["from 3 to 1"], id="healthy ones alone"),
        pytest.param(3, 2, ["from 3 to 2", "from 2 to 1"], id="first what is not available, then the rest"),
        pytest.param(3, 1, ["from 3 to 1"], id="those that are not available alone"),
    ],
)
def test_unhealthy_pods_go_with_a_write_of_their_own(size: int, available: int, told: list[str]):
    """4 replicas, at least 3 available; 2 new ones are."""
    sets = [make_set("web-1", size, available, "nginx:1"), make_set("web-2", 2, 2)]
    actions = decide(make_seen(ROLLING, sets), 0).actions
    writes = [
        one.new.spec.replicas
        for one in actions
        if isinstance(one, Update) and isinstance(one.new, ReplicaSet) and one.new.meta.name == "web-1"
    ]
    events = [one.message for one in actions if isinstance(one, RecordEvent)]
    assert events == [f"Scaled down replica set web-1 {text}" for text in told]
    assert writes == [int(text.split()[-1]) for text in told]


@pytest.mark.parametrize("unfinished, deleted", [(0, ["web-1"]), (1, [])])
def test_a_recreate_that_waits_for_old_pods_keeps_old_sets(unfinished: int, deleted: list[str]):
    sets = [make_set("web-1", 0, 0, "nginx:1"), make_set("web-2", 4, 4)]
    seen = make_seen({"type": "Recreate"}, sets, unfinished_pods={"web-1": unfinished})
    actions = decide(seen, 0).actions
    assert [one.old.meta.name for one in actions if isinstance(one, Delete)] == deleted


def test_nothing_is_said_of_a_set_that_cannot_be_made_as_its_namespace_goes():
    made = make_new_set(make_seen(ROLLING, []).deployment, [])
    decision = decide(make_seen(ROLLING, [], refusal=Refusal(Create(made), "no", is_ending=True)), 0)
    assert (list(decision.actions), decision.is_failure) == ([], False)


def test_a_set_that_cannot_be_made_is_tried_fifteen_times_more():
    """At once, for the status it wrote, then after 5 ms, 20 ms, … 81.92 s: then it waits for a change."""
    world = World()
    world.limit(**{"count/replicasets.apps": "0"})
    world.apply(make_deployment())
    world.run(3_600_000)
    told = [row.at_ms for row in world.event_rows("Deployment", "ReplicaSetCreateError")]
    assert (len(told), told[-1]) == (16, 5 + 5 * (2**15 - 2**2))
    world.limit()
    world.run(3_600_000)
    assert world.sets() == []
    world.patch("web", replicas=2)
    world.run(10_000)
    assert world.sizes() == [(2, 2, 2)]


@pytest.mark.parametrize("length, kept", [(10, 10), (243, 243), (253, 243)])
def test_the_name_of_a_set_is_cut_so_that_it_fits(length: int, kept: int):
    """253 characters are the most: a hyphen and the nine of the hash go off."""
    data = make_deployment(name="w" * length)
    deployment = Deployment.from_json(data)
    stem, digest = new_set_name(deployment).split("-")
    assert (stem, len(digest)) == ("w" * kept, 9)
    assert make_new_set(deployment, []).meta.name == f"{stem}-{digest}"


@pytest.mark.parametrize(
    "revisions, deleted",
    [
        pytest.param({"a": "2", "b": "1"}, "b", id="the lower revision"),
        pytest.param({"a": "1", "b": "1"}, "a", id="of one revision the older"),
        pytest.param({"a": "2", "b": "x"}, "a", id="with one that cannot be read the older"),
        pytest.param({"a": "2", "b": None}, "b", id="without a revision it is the lowest"),
    ],
)
def test_which_old_set_goes_first(revisions: dict[str, str | None], deleted: str):
    sets = []
    for minute, (name, revision) in enumerate(revisions.items()):
        made = make_set(f"web-{name}", 0, 0)
        annotations = {} if revision is None else {REVISION: revision}
        meta = made.meta.replace(annotations=annotations, creation_ms=minute * 60_000)
        sets.append(made.replace(meta=meta))
    assert [one.meta.name for one in decide_cleanup(sets, 1)] == [f"web-{deleted}"]
