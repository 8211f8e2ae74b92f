"""A cluster is not called well where something is wrong: now, a moment ago, or soon."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.pages.cluster import verdict as cluster_verdict
from dashboard.pages.cluster.readings import list_workloads
from dashboard.pages.cluster.verdict import Verdict, read_verdict
from dashboard.pages.states import count_states
from lifecycle.models import Cluster
from lifecycle.pod_judge import UNWELL, keeps_restarting, read_state
from tests.dashboard.conftest import make_cluster
from tests.dashboard.pages.test_places import make_set
from tests.dashboard.pages.test_pod_verdicts import SERVER, make_pod
from tests.dashboard.pages.test_verdicts import make_deployment_json, page_verdict, verdict
from tests.engine.controllers.door import MISSING, Door
from tests.engine.disruption.site import Site, make_budget, make_workload
from tests.engine.kinds.kept import keep, keep_changes

pytestmark = pytest.mark.django_db


def judge(door: Door, seconds: float) -> Verdict:
    return look(keep(door.run(seconds).cluster), seconds)


def look(cluster: Cluster, seconds: float) -> Verdict:
    return read_verdict(cluster, round(seconds * 1000))


def make_script(script: str, image: str = "busybox") -> dict[str, Any]:
    return {"name": "c", "image": image, "command": ["sh", "-c", script]}


def make_scripts(name: str, script: str, replicas: int = 2) -> dict[str, Any]:
    manifest = make_deployment_json(name, replicas)
    manifest["spec"]["template"]["spec"]["containers"] = [make_script(script)]
    return manifest


# --- images that nobody knows -----------------------------------------------------------------------------


def test_an_image_that_nobody_knows_is_a_condition() -> None:
    door = Door()
    door.apply(make_pod(containers=[SERVER | {"image": "ngnix:1.27"}]))
    told = judge(door, 30)
    assert told.sentence == (
        "Nothing is wrong, if ngnix:1.27 can be pulled and starts (did you mean nginx:1.27?) · 1 ready."
    )


def test_beside_other_trouble_the_condition_is_said_too() -> None:
    door = Door()
    door.apply(make_pod(containers=[SERVER | {"image": "shop/api:1"}]))
    door.apply(make_pod("two", containers=[SERVER | {"image": MISSING}]))
    told = judge(door, 30)
    assert told.sentence == "1 problem: 1 pod is not well."
    assert told.condition == "if shop/api:1 can be pulled and starts"


def test_a_workload_says_the_condition() -> None:
    """On its page, and in the summary of a run."""
    door = Door()
    manifest = make_deployment_json("web", 2)
    manifest["spec"]["template"]["spec"]["containers"] = [SERVER | {"image": "ngnix"}]
    door.apply(manifest)
    assert verdict(door.run(30), "Deployment", "web") == (
        "Successfully rolled out, if ngnix can be pulled and starts (did you mean nginx?)."
    )


# --- what was a moment ago --------------------------------------------------------------------------------


@pytest.mark.parametrize("script", ["sleep 5; exit 1", "sleep 5", "sleep 40; exit 137"])
def test_the_verdict_does_not_turn_while_pods_come_up_for_a_moment(script: str) -> None:
    """From the second end on. That one ends with 0 makes no difference to whom it serves."""
    door = Door(timing="realistic")
    door.apply(make_pod(containers=[make_script(script)]))
    told, states = set(), set()
    for seconds in range(120, 240, 4):
        door.cluster.run_until(seconds * 1000)
        (pod,) = door.cluster.list("Pod")
        state = read_state(pod, door.cluster.epoch_ms)
        is_unwell = state in UNWELL or keeps_restarting(pod, door.cluster.now_ms, door.cluster.epoch_ms)
        states.add(state)
        told.add(is_unwell)
    assert "ready" in states and told == {True}


def test_restarts_are_told_beside_other_trouble() -> None:
    door = Door()
    door.apply(make_pod("down", containers=[SERVER | {"image": MISSING}]))
    door.apply(make_pod("once", containers=[make_script("sleep 100; exit 137")]))
    told = judge(door, 130)
    assert told.sentence == "2 problems: 1 pod is not well, 1 restarted lately."
    assert [one.name for one in told.troubles] == ["down", "once"]
    assert "restarted lately, 1 time so far: c ended with exit code 137" in told.troubles[1].sentence


def test_a_workload_is_one_problem_however_its_pods_are() -> None:
    door = Door()
    manifest = make_set(2)
    script = "case $HOSTNAME in *-0) sleep 100; exit 1;; *) exit 1;; esac"
    manifest["spec"]["template"]["spec"]["containers"] = [make_script(script)]
    door.apply(manifest)
    told = judge(door, 130)
    counts = [one["status"]["containerStatuses"][0]["restartCount"] for one in door.cluster.list("Pod")]
    assert counts[0] == 1 < counts[1], "one ended once, the other goes on to"
    assert told.sentence == "1 problem: 1 pod is not well."
    assert [one.name for one in told.troubles] == [manifest["metadata"]["name"]]


@pytest.mark.slow
def test_pods_that_restart_again_and_again_are_not_well_while_they_are_ready() -> None:
    door = Door()
    door.apply(make_scripts("worker", "sleep 170; exit 137"))
    cluster = keep(door.run(600).cluster)
    assert {tone.name: count for tone, count in count_states(cluster)}["ready"] == 2
    told = look(cluster, 600)
    assert told.sentence == "1 problem: 2 pods are not well."
    (trouble,) = told.troubles
    assert (trouble.tone.name, trouble.page) == ("crashing", "deployments/default/worker/")
    (listed,) = list_workloads(cluster)
    assert listed.restarts == 6
    assert listed.summary == "2 of 2 ready · successfully rolled out, but not well"


@pytest.mark.slow
def test_a_workload_whose_pods_restart_again_and_again_is_not_just_rolled_out() -> None:
    door = Door()
    door.apply(make_scripts("worker", "sleep 170; exit 137"))
    told = verdict(door.run(600), "Deployment", "worker")
    assert told.startswith("Successfully rolled out, but not well; worker-")
    assert "restarted lately, 3 times so far: c ended with exit code 137" in told
    assert "2 pods were ready and then not 6 times in the last 10 minutes" in told


@pytest.mark.slow
def test_a_workload_whose_pods_are_now_and_then_not_ready_is_not_well() -> None:
    """Nothing restarts: only its readiness comes and goes."""
    door = Door()
    manifest = make_deployment_json("web", 2)
    points = [{"at": f"{at}s", "result": "success" if at % 120 else "failure"} for at in range(60, 541, 60)]
    door.profile("flaps", "flaps:1", {"probes": {"readiness": [{"at": "0s", "result": "success"}, *points]}})
    probe = {"httpGet": {"port": 80}, "periodSeconds": 5, "failureThreshold": 1}
    container = {"name": "c", "image": "flaps:1", "readinessProbe": probe}
    manifest["spec"]["template"]["spec"]["containers"] = [container]
    door.apply(manifest)
    changes = door.run(570).cluster.take_changes()
    cluster = keep_changes(changes, door.cluster.now_ms)
    assert page_verdict(cluster, "Deployment", "web").startswith(
        "Successfully rolled out, but not well; 2 pods were ready and then not 8 times in the last 10 minutes"
    )
    told = look(cluster, 570)
    assert told.sentence == "1 problem: 1 workload has pods that come and go."
    assert told.troubles[0].page == "deployments/default/web/"


@pytest.mark.slow
def test_a_rollout_and_a_smaller_size_are_no_losses() -> None:
    door = Door()
    door.apply(make_deployment_json("web", 4))
    for number, (replicas, image) in enumerate(
        [(4, "nginx:2"), (2, "nginx:2"), (4, "nginx:3"), (1, "nginx:3")]
    ):
        door.run(60 * (number + 1))
        door.submit("scale", kind="Deployment", namespace="default", name="web", replicas=replicas)
        target = {"kind": "Deployment", "namespace": "default", "name": "web", "container": "nginx"}
        door.done("setImage", **target, image=image)
    assert judge(door, 400).sentence == "Nothing is wrong: 1 ready."


# --- what is asked and not done ---------------------------------------------------------------------------


def make_site(replicas: int, **budget: object) -> Site:
    site = Site(nodes=2)
    site.apply(make_workload(replicas=replicas))
    site.apply(make_budget(**budget))
    site.run(20)
    return site


@pytest.mark.slow
@pytest.mark.parametrize(
    "replicas, budget, waits",
    [
        (1, {"minAvailable": 1}, "web (1 of 1 healthy, 1 needed)"),
        (2, {"maxUnavailable": 0}, "web (2 of 2 healthy, 2 needed)"),
        (2, {"minAvailable": "100%"}, "web (2 of 2 healthy, 2 needed)"),
    ],
)
def test_a_drain_that_waits_for_ever_is_a_problem(
    client: Client, replicas: int, budget: dict[str, object], waits: str
) -> None:
    site = make_site(replicas, **budget)
    (node, *_) = {one["spec"]["nodeName"] for one in site.cluster.list("Pod")}
    site.done("drain", node=node)
    cluster = keep(site.run(30).cluster)
    told = look(cluster, 30)
    assert told.sentence == "1 problem: 1 drain cannot go on."
    (trouble,) = told.troubles
    assert (trouble.name, trouble.page) == (node, f"nodes/{node}/")
    assert trouble.rest == (
        f"its drain is blocked since 00:00:20 by budget {waits};"
        " it waits for ever unless somebody scales up or relaxes the budget"
    )
    client.force_login(cluster.owner)
    assert told.sentence in client.get("/").content.decode()


def test_a_drain_that_goes_on_is_no_problem() -> None:
    """Its budget lets one go after another: there is nothing to do but to wait."""
    site = Site(nodes=2, start="8s")
    site.apply(make_workload(replicas=4))
    site.apply(make_budget(maxUnavailable=1))
    site.run(20)
    site.done("drain", node="node-1")
    cluster = keep(site.run(25).cluster)
    assert look(cluster, 25).sentence.startswith("Nothing is wrong: ")


def test_a_drain_that_is_cancelled_waits_for_nothing() -> None:
    site = make_site(1, minAvailable=1)
    (pod,) = site.cluster.list("Pod")
    site.done("drain", node=pod["spec"]["nodeName"])
    site.run(30)
    site.done("drain", node=pod["spec"]["nodeName"], cancel=True)
    assert look(keep(site.run(40).cluster), 40).sentence == "Nothing is wrong: 1 ready."


@pytest.mark.slow
def test_an_eviction_that_was_refused_is_told_for_a_while() -> None:
    site = make_site(1, minAvailable=1)
    (pod,) = site.cluster.list("Pod")
    assert site.submit("evict", kind="Pod", namespace="default", name=pod["metadata"]["name"]).code == 429
    cluster = keep(site.run(30).cluster)
    told = look(cluster, 30)
    assert told.sentence == "1 problem: 1 eviction was refused."
    assert told.troubles[0].rest == "its eviction was refused at 00:00:20 by budget web"
    assert look(cluster, 700).sentence == "Nothing is wrong: 1 ready."


# --- where it is said -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_card_says_what_the_page_says_and_is_not_judged_anew(client: Client, monkeypatch: Any) -> None:
    door = Door()
    door.apply(make_pod(containers=[SERVER | {"image": "ngnix"}]))
    cluster = keep(door.run(30).cluster)
    client.force_login(cluster.owner)
    said = "Nothing is wrong, if ngnix can be pulled"
    assert said in client.get("/").content.decode()
    assert said in client.get(f"/clusters/{cluster.name}/").content.decode()
    make_cluster(cluster.owner, "empty")
    assert "No pods yet." in client.get("/").content.decode()
    # Time stands, and nothing changed: whoever looks again does not wait for it.
    monkeypatch.setattr(cluster_verdict, "read_verdict", lambda *_: pytest.fail("judged once more"))
    assert said in client.get("/").content.decode()
    Cluster.objects.filter(pk=cluster.pk).update(seq=cluster.seq + 1)
    with pytest.raises(pytest.fail.Exception, match="judged once more"):
        client.get("/cards/")
