"""Where pods are: a StatefulSet's ordinals with their claims, a DaemonSet's nodes, of real runs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.pages.workload.places import Place, Places
from dashboard.pages.workload.readings import read_workload
from dashboard.plots.replicas import EARLIER, LATEST
from lifecycle.engine.kinds.daemon_set import DAEMON_SET
from lifecycle.engine.kinds.entry import KindEntry
from lifecycle.engine.kinds.stateful_set import STATEFUL_SET
from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.template import PodTemplate
from lifecycle.engine.rules.workloads.daemon_pods import decide_fit, explain_fit, tolerate_trouble
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.recorded.objects import find_object
from tests.engine.controllers.door import MISSING, Door
from tests.engine.controllers.fleet import AGENT, Fleet, make_agent
from tests.engine.kinds.kept import keep

pytestmark = pytest.mark.django_db


def make_set(replicas: int = 3, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web"},
        "spec": {
            "serviceName": "web",
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "terminationGracePeriodSeconds": 1,
                    "containers": [{"name": "nginx", "image": "nginx:1"}],
                },
            },
            **spec,
        },
    }


CLAIMS: list[dict[str, Any]] = [
    {
        "metadata": {"name": "www"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
]


def read(cluster: Cluster, entry: KindEntry, name: str) -> Places:
    stored = find_object(cluster, entry.kind.id, "default", name)
    assert stored is not None
    context = read_workload(cluster, stored, entry)
    places = context["ladder"] or context["matrix"]
    assert isinstance(places, Places)
    return places


def ladder(cluster: Cluster) -> Places:
    return read(cluster, STATEFUL_SET, "web")


def by_label(places: Places) -> dict[str, Place]:
    return {place.label: place for place in places.shown}


# --- ordinals ---------------------------------------------------------------------------------------------


def test_ordinals_below_the_partition_are_held_back() -> None:
    door = Door()
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    door.apply(make_set(4, updateStrategy=rolling, ordinals={"start": 5}))
    door.run(60)
    door.change("setImage", "web", "StatefulSet", container="nginx", image="nginx:2")
    cluster = keep(door.run(60).cluster)
    places = ladder(cluster)
    held = {place.label: place.is_held_back for place in places.shown}
    # The partition counts replicas, not ordinals: with a start of 5 those below 7 stay.
    assert held == {"web-5": True, "web-6": True, "web-7": False, "web-8": False}
    revisions = {place.label: place.pods[0].revision for place in places.shown}
    assert [one.number for one in revisions.values() if one] == [1, 1, 2, 2]
    assert places.notes == ["partition 2: ordinals below 7 are not updated"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "images, turns", [([], [LATEST]), (["nginx:2", "nginx:3"], [LATEST, EARLIER, EARLIER])]
)
def test_revisions_have_the_colours_of_the_chart(images: list[str], turns: list[int]) -> None:
    """It has one for the latest and one for all before it."""
    door = Door()
    door.apply(make_set())
    for image in images:
        door.run(60)
        door.change("setImage", "web", "StatefulSet", container="nginx", image=image)
    cluster = keep(door.run(60).cluster)
    found = find_object(cluster, STATEFUL_SET.kind.id, "default", "web")
    assert found is not None
    assert [one.turn for one in read_workload(cluster, found, STATEFUL_SET)["revisions"]] == turns


@pytest.mark.slow
def test_an_update_that_is_stuck_says_for_which_ordinal_it_waits(client: Client) -> None:
    door = Door()
    door.apply(make_set())
    door.run(60)
    door.change("setImage", "web", "StatefulSet", container="nginx", image=MISSING)
    cluster = keep(door.run(120).cluster)
    places = ladder(cluster)
    found = by_label(places)
    assert [place.is_waited_for for place in places.shown] == [False, False, True]
    assert found["web-2"].pods[0].tone.name == "stuck"
    assert places.notes == ["the update waits for web-2 to be available"]
    # Each place leads to why: to the last row about its pod.
    for place in places.shown:
        (pod,) = place.pods
        last = Transition.objects.filter(cluster=cluster, uid=pod.uid).order_by("-seq").first()
        assert last is not None and pod.seq == last.seq
    client.force_login(cluster.owner)
    page = client.get(f"/clusters/{cluster.name}/statefulsets/default/web/").content.decode()
    assert f'data-why="{found["web-2"].pods[0].seq}"' in page
    assert "waits for web-2 to be available" in page


def test_an_ordinal_that_cannot_start_keeps_the_next_from_being_made() -> None:
    door = Door()
    manifest = make_set()
    manifest["spec"]["template"]["spec"]["containers"][0]["image"] = MISSING
    door.apply(manifest)
    places = ladder(keep(door.run(30).cluster))
    found = by_label(places)
    assert found["web-0"].is_waited_for
    assert [found[name].why_empty for name in ("web-1", "web-2")] == ["not made yet: waits for web-0"] * 2
    assert places.notes == ["the next pod waits for web-0 to be available"]


def test_pods_made_in_parallel_wait_for_nobody() -> None:
    door = Door()
    manifest = make_set(podManagementPolicy="Parallel")
    manifest["spec"]["template"]["spec"]["containers"][0]["image"] = MISSING
    door.apply(manifest)
    places = ladder(keep(door.run(30).cluster))
    assert places.notes == []
    assert [len(place.pods) for place in places.shown] == [1, 1, 1]


def test_claims_are_bound_and_stay_when_their_ordinal_goes() -> None:
    door = Door()
    door.apply(make_set(volumeClaimTemplates=CLAIMS))
    door.run(120)
    door.change("scale", "web", "StatefulSet", replicas=1)
    places = ladder(keep(door.run(60).cluster))
    claims = {
        place.label: [(one.name, one.phase, one.size) for one in place.claims] for place in places.shown
    }
    assert claims == {f"web-{n}": [(f"www-web-{n}", "Bound", "1Gi")] for n in range(3)}
    found = by_label(places)
    assert found["web-0"].pods and found["web-0"].is_wanted
    assert [found[name].why_empty for name in ("web-1", "web-2")] == ["no pod; kept"] * 2
    # What became of the pod that was there is told as well.
    assert found["web-2"].seq is not None


def test_a_claim_that_nobody_can_serve_is_pending_beside_its_pod() -> None:
    door = Door()
    claim = {**CLAIMS[0], "spec": {**CLAIMS[0]["spec"], "storageClassName": "nosuch"}}
    door.apply(make_set(volumeClaimTemplates=[claim]))
    places = ladder(keep(door.run(60).cluster))
    first = by_label(places)["web-0"]
    assert [one.phase for one in first.claims] == ["Pending"]
    assert first.pods[0].tone.name in ("pending", "stuck") and first.is_waited_for


# --- nodes ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_node_without_a_pod_says_why(client: Client) -> None:
    fleet = Fleet(4)
    fleet.taint("node-2", "dedicated:NoSchedule")
    fleet.done("taint", node="node-4", taints=[{"key": "dedicated", "value": "db", "effect": "NoExecute"}])
    for node in ("node-1", "node-2", "node-4"):
        fleet.label(node, disk="ssd")
    fleet.apply(make_agent({"nodeSelector": {"disk": "ssd"}}))
    cluster = keep(fleet.run(10).cluster)
    # Such a value is refused today; a cluster may be older.
    node = StoredObject.objects.get(cluster=cluster, kind="Node", name="node-4")
    node.data["spec"]["taints"][0]["value"] = "<b>db"
    node.save()
    found = by_label(read(cluster, DAEMON_SET, AGENT))
    assert {name: place.why_empty for name, place in found.items()} == {
        "node-1": "",
        "node-2": "not for this node: taint dedicated:NoSchedule",
        "node-3": "not for this node: node selector disk=ssd",
        "node-4": "not for this node: taint dedicated=<b>db:NoExecute",
    }
    assert [place.is_settled for place in found.values()] == [True] * 4
    client.force_login(cluster.owner)
    page = client.get(f"/clusters/{cluster.name}/daemonsets/default/{AGENT}/").content.decode()
    assert "taint dedicated=&lt;b&gt;db:NoExecute" in page and "<b>db" not in page


def test_a_pod_that_stays_where_no_new_one_would_go_is_told_of() -> None:
    fleet = Fleet(2)
    fleet.apply(make_agent())
    fleet.run(10)
    fleet.taint("node-2", "dedicated:NoSchedule")
    found = by_label(read(keep(fleet.run(10).cluster), DAEMON_SET, AGENT))
    assert len(found["node-2"].pods) == 1
    assert found["node-2"].why_unwanted == "not for this node: taint dedicated:NoSchedule"
    assert not found["node-2"].is_settled


def test_with_a_surge_both_pods_stand_at_their_node() -> None:
    fleet = Fleet(2, start={"nginx:1": "1s", "nginx:2": "1h"})
    rolling = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    never = {"exec": {"command": ["false"]}}
    agent = make_agent(updateStrategy={"type": "RollingUpdate", **rolling})
    fleet.apply(agent)
    fleet.run(10)
    agent["spec"]["template"]["spec"]["containers"][0] |= {"image": MISSING, "readinessProbe": never}
    fleet.apply(agent)
    found = by_label(read(keep(fleet.run(20).cluster), DAEMON_SET, AGENT))
    told = {
        name: sorted((pod.revision.number, pod.tone.name) for pod in place.pods if pod.revision)
        for name, place in found.items()
    }
    assert sorted(told.values()) == [[(1, "ready")], [(1, "ready"), (2, "stuck")]]


def test_a_pod_that_has_no_room_stands_at_the_node_it_is_meant_for() -> None:
    fleet = Fleet(2)
    fleet.apply(make_agent(requests={"cpu": "100"}))
    found = by_label(read(keep(fleet.run(10).cluster), DAEMON_SET, AGENT))
    assert [len(found[name].pods) for name in ("node-1", "node-2")] == [1, 1]


TAINT = {"key": "a", "value": "b", "effect": "NoSchedule"}
TERM = {"matchExpressions": [{"key": "x", "operator": "In", "values": ["y"]}]}
AFFINITY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [TERM]}}}


@pytest.mark.parametrize(
    "spec, labels, taints, expected",
    [
        pytest.param({}, {}, [], "", id="any"),
        pytest.param({"nodeName": "other"}, {}, [], "the pods are for other", id="named"),
        pytest.param({"nodeName": "n"}, {}, [], "", id="named itself"),
        pytest.param({"nodeSelector": {"a": "1", "b": "2"}}, {"a": "1"}, [], "node selector b=2", id="label"),
        pytest.param({"affinity": AFFINITY}, {}, [], "node affinity", id="affinity"),
        pytest.param({"affinity": AFFINITY}, {"x": "y"}, [], "", id="affinity fits"),
        pytest.param({}, {}, [TAINT], "taint a=b:NoSchedule", id="taint"),
        pytest.param(
            {},
            {},
            [TAINT, {"key": "c", "effect": "NoExecute"}],
            "taint a=b:NoSchedule, c:NoExecute",
            id="two",
        ),
        pytest.param({}, {}, [{**TAINT, "effect": "PreferNoSchedule"}], "", id="preferred"),
        pytest.param({"tolerations": [{"key": "a", "operator": "Exists"}]}, {}, [TAINT], "", id="tolerated"),
        pytest.param(
            {}, {}, [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}], "", id="automatic"
        ),
    ],
)
@pytest.mark.spec("DS-NODE-05")
def test_why_a_node_gets_no_pod_is_what_the_controller_decides(
    spec: Any, labels: Any, taints: Any, expected: str
) -> None:
    node = Node.from_json({"metadata": {"name": "n", "labels": labels}, "spec": {"taints": taints}})
    template = tolerate_trouble(PodTemplate.from_json({"spec": {"containers": [], **spec}}))
    assert explain_fit(template, node) == expected
    assert decide_fit(template, node).should_run == (not expected)
