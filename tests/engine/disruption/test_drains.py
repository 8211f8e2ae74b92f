"""`kubectl drain`: who is evicted in which order, who forbids it, how long it takes."""

from __future__ import annotations

import json

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.objects.codec import decode
from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.objects.selector_text import read_selector
from lifecycle.engine.rules.nodes.drains import next_tick_ms, show_duration
from lifecycle.engine.upgrades import Known
from tests.engine.disruption.site import Json, Site, make_budget, make_pod, make_workload

BARE = "cannot delete Pods that declare no controller (use --force to override): default/bare"
DAEMON = "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): default/agent-"
LOCAL = "cannot delete Pods with local storage (use --delete-emptydir-data to override): default/"


def why(site: Site, **flags: object) -> str:
    """What a drain is refused for."""
    refused = site.submit("drain", node="node-1", **flags)
    assert refused.code == 409 and refused.status is not None
    text: str = refused.status["message"]
    return text


def end_of(site: Site, node: str = "node-1") -> str:
    """What is said of a drain that gave up."""
    rows = [row for row in site.rows if row.get("field") == "drain" and row["name"] == node]
    text: str = rows[-1]["message"]
    return text


@pytest.mark.spec("PDB-08", "DISRUPT-04")
def test_a_drain_cordons_evicts_and_waits_for_the_end() -> None:
    site = Site(end="7s")
    site.apply(make_workload(replicas=6))
    site.run(10)
    assert len(site.names("node-1")) == 2
    site.drain()
    assert site.get_node("node-1")["spec"]["unschedulable"] is True
    assert {name for _at, name in site.lane("Pod", "eviction")} == {"accepted"}
    site.run(60)
    assert site.names("node-1") == []
    assert len(site.names()) == 6
    assert site.drains() == [(10_000, "started"), (17_000, "done")]
    assert site.lane("Node", "unschedulable", "node-1") == [(0, False), (10_000, True)]


def test_an_empty_node_is_drained_at_once_and_again() -> None:
    site = Site()
    site.drain()
    site.drain()
    assert [said for _at, said in site.drains()] == ["started", "done", "started", "done"]


def test_kubectl_looks_once_a_second_whether_a_pod_is_gone() -> None:
    site = Site(end="2300ms")
    site.apply(make_workload(replicas=3))
    site.run(10)
    site.drain()
    site.run(60)
    assert site.drains()[-1] == (13_000, "done")


# --- whom it refuses ----------------------------------------------------------------------------------------


def test_what_forbids_a_drain_is_told_together_and_the_node_stays_cordoned() -> None:
    site = Site(nodes=1)
    site.apply(make_pod("bare"))
    site.apply(make_workload("agent", kind="DaemonSet"))
    site.apply(make_workload("cache", 1, volumes=[{"name": "tmp", "emptyDir": {}}]))
    site.run(5)
    text = why(site)
    assert text.startswith(
        'error: unable to drain node "node-1" due to error: [cannot delete DaemonSet-managed'
    )
    assert text.index(DAEMON) < text.index(BARE) < text.index(LOCAL)
    assert "cannot delete cannot delete" not in text
    assert "\nThere are pending nodes to be drained:\n node-1\n" in text
    assert site.get_node("node-1")["spec"]["unschedulable"] is True
    assert site.lane("Pod", "eviction") == site.drains() == []


@pytest.mark.parametrize(
    "flags, left",
    [
        pytest.param({"ignoreDaemonSets": True}, [BARE, LOCAL], id="daemons are let be"),
        pytest.param({"force": True}, [DAEMON, LOCAL], id="forced"),
        pytest.param({"deleteEmptyDirData": True}, [DAEMON, BARE], id="local data goes"),
        pytest.param({"podSelector": "app=cache"}, [LOCAL], id="of some pods only"),
        pytest.param({"podSelector": "app!=cache,app!=agent"}, [BARE], id="of others only"),
    ],
)
def test_each_flag_lifts_one_refusal(flags: Json, left: list[str]) -> None:
    site = Site(nodes=1)
    site.apply(make_pod("bare"))
    site.apply(make_workload("agent", kind="DaemonSet"))
    site.apply(make_workload("cache", 1, volumes=[{"name": "tmp", "emptyDir": {}}]))
    site.run(5)
    text = why(site, **flags)
    assert [one for one in (DAEMON, BARE, LOCAL) if one in text] == left


def test_with_all_flags_all_go_but_daemons_and_what_the_node_runs_by_itself() -> None:
    site = Site(nodes=1)
    site.apply(make_pod("bare"))
    site.apply(make_workload("agent", kind="DaemonSet"))
    site.apply(make_workload("cache", 1, volumes=[{"name": "tmp", "emptyDir": {}}]))
    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "etcd"},
        "spec": make_pod("x")["spec"],
    }
    site.done("staticPod", node="node-1", manifest=manifest)
    site.run(5)
    site.drain(ignoreDaemonSets=True, force=True, deleteEmptyDirData=True)
    row = next(row for row in site.rows if row.get("field") == "drain")
    agent = next(name for name in site.names() if name.startswith("agent-"))
    assert row["message"] == (
        f"2 pods to evict; deleting Pods that declare no controller: default/bare;"
        f" ignoring DaemonSet-managed Pods: default/{agent}"
    ) or row["message"] == (
        f"2 pods to evict; ignoring DaemonSet-managed Pods: default/{agent};"
        f" deleting Pods that declare no controller: default/bare"
    )
    site.run(10)
    assert sorted(name.partition("-")[0] for name in site.names("node-1")) == ["agent", "etcd"]
    assert site.drains()[-1][1] == "done"


def test_finished_pods_go_without_force_and_at_once() -> None:
    site = Site(nodes=1)
    container = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", "exit 0"]}
    site.apply(make_pod("bare", restartPolicy="Never", containers=[container]))
    site.run(10)
    site.drain()
    assert site.names() == []
    assert site.drains() == [(10_000, "started"), (10_000, "done")]


def test_pods_of_a_daemon_set_that_is_gone_go_by_force_alone() -> None:
    site = Site(nodes=1)
    site.apply(make_workload("agent", kind="DaemonSet"))
    site.run(5)
    site.done("delete", kind="DaemonSet", name="agent", propagationPolicy="Orphan")
    (name,) = site.names()
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "u", "controller": True}
    site.change(
        "patch",
        name,
        "Pod",
        type="merge",
        patch={"metadata": {"ownerReferences": [owner], "finalizers": ["x.io/y"]}},
    )
    assert f'cannot delete daemonsets.apps "agent" not found: default/{name}' in why(site)


# --- budgets ------------------------------------------------------------------------------------------------


@pytest.mark.spec("PDB-01", "PDB-09", "PDB-22", "PDB-25")
@pytest.mark.parametrize(
    "start, done_ms",
    [
        # The second pod comes 0.5 s after the first, which was replaced by then.
        pytest.param("200ms", 12_500, id="replaced at once"),
        # Refused at 10.5 s, and again every five seconds until the replacement is ready at 18 s.
        pytest.param("8s", 22_500, id="replaced slowly"),
    ],
)
def test_the_second_pod_waits_until_the_first_is_replaced(start: str, done_ms: int) -> None:
    site = Site(nodes=2, end="2s", start=start)
    site.apply(make_workload(replicas=4))
    site.apply(make_budget(maxUnavailable=1))
    site.run(10)
    assert len(site.names("node-1")) == 2
    site.drain()
    site.run(120)
    assert site.drains()[-1] == (done_ms, "done")
    healthy = site.lane("PodDisruptionBudget", "currentHealthy")
    assert min(count for at_ms, count in healthy if at_ms > 9000) == 3


def test_a_drain_that_waits_costs_nothing_and_goes_on_when_its_budget_is_gone() -> None:
    site = Site(nodes=2)
    site.apply(make_workload(replicas=2))
    site.apply(make_budget(minAvailable="100%"))
    site.run(10)
    site.drain()
    assert not site.cluster.is_idle()
    instants = 0
    while (due_ms := site.cluster.next_wake()) is not None and due_ms <= 3_590_000:
        site.cluster.run_until(due_ms)
        instants += 1
    assert instants < 100
    site.cluster.run_until(3_600_001)
    site.done("delete", kind="PodDisruptionBudget", name="web")
    site.run(60)
    # Tried every five seconds from 10 s on, then gone after two.
    assert site.drains() == [
        (10_000, "started"),
        (10_000, "blocked"),
        (3_605_000, "started"),
        (3_607_000, "done"),
    ]


@pytest.mark.spec("DISRUPT-09")
def test_who_drains_and_who_runs_an_application_meet_in_the_budget_alone() -> None:
    """The one names a node and no application, the other an application and no node."""
    site = Site(nodes=2, end="1s")
    site.apply(make_workload(replicas=2))
    site.apply(make_budget(minAvailable=2))
    site.run(10)
    # The manager of the cluster.
    site.drain(node="node-1")
    site.run(7)
    assert [said for _at, said in site.drains()] == ["started", "blocked"]
    assert site.get_node("node-1")["spec"]["unschedulable"] is True and site.names("node-1")
    # The owner of the application, who has no other part in it.
    fewer = {"spec": {"minAvailable": 1}}
    site.done("patch", kind="PodDisruptionBudget", name="web", type="merge", patch=fewer)
    site.run(20)
    assert site.drains()[-1][1] == "done" and not site.names("node-1")
    healthy = site.lane("PodDisruptionBudget", "currentHealthy")
    assert min(count for at_ms, count in healthy if at_ms > 10_000) >= 1


def test_the_row_of_a_blocked_drain_names_its_budgets() -> None:
    site = Site(nodes=1)
    for name in ("web", "db"):
        site.apply(make_workload(name, 1))
        site.apply(make_budget(name, minAvailable=1))
    site.run(5)
    site.drain()
    row = next(row for row in site.rows if row.get("field") == "drain" and row["new"] == "blocked")
    assert row["reason"] == "db, web"
    assert (
        row["message"] == f"refused for now: {', '.join(f'default/{name}' for name in sorted(site.names()))}"
    )


def test_the_time_of_a_drain_is_over_at_its_next_try() -> None:
    site = Site(nodes=1)
    site.apply(make_workload(replicas=1, kind="StatefulSet"))
    site.apply(make_budget(maxUnavailable=0))
    site.run(10)
    site.drain(timeout="13s")
    site.run(60)
    assert site.drains() == [(10_000, "started"), (10_000, "blocked"), (25_000, "timedOut")]
    said = 'error when evicting pods/"web-0" -n "default": global timeout reached: 13s'
    assert said in end_of(site)
    assert site.get_node("node-1")["spec"]["unschedulable"] is True


def test_a_pod_that_does_not_end_in_time() -> None:
    site = Site(nodes=1, end="60s")
    site.apply(make_workload(replicas=1, kind="StatefulSet", terminationGracePeriodSeconds=100))
    site.run(10)
    site.drain(timeout="13s")
    site.run(60)
    assert site.drains() == [(10_000, "started"), (23_000, "timedOut")]
    said = 'error when waiting for pod "web-0" in namespace "default" to terminate: context deadline exceeded'
    assert said in end_of(site)


def test_of_two_budgets_the_others_go_and_the_drain_fails() -> None:
    site = Site(nodes=1)
    site.apply(make_workload("web", 1, "StatefulSet"))
    site.apply(make_workload("db", 1, "StatefulSet"))
    site.apply(make_budget("one", "web", minAvailable=0))
    site.apply(make_budget("two", "web", minAvailable=0))
    site.run(10)
    site.drain()
    site.run(60)
    assert site.lane("Pod", "eviction", "db-0") == [(10_000, "accepted")]
    assert site.drains() == [(10_000, "started"), (12_000, "failed")]
    said = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
    assert f'error when evicting pods/"web-0" -n "default": {said}' in end_of(site)


def test_without_evictions_no_budget_is_asked() -> None:
    site = Site(nodes=1)
    site.apply(make_workload(replicas=3))
    site.apply(make_budget(maxUnavailable=0))
    site.run(10)
    site.drain(disableEviction=True)
    site.run(60)
    assert site.drains() == [(10_000, "started"), (12_000, "done")]
    assert site.lane("Pod", "eviction") == site.lane("Pod", "condition.DisruptionTarget") == []


@pytest.mark.parametrize("grace, done_ms", [(-1, 70_000), (6, 16_000), (0, 10_000)])
def test_the_drains_grace_replaces_the_pods_own(grace: int, done_ms: int) -> None:
    site = Site(nodes=1, end="100s")
    site.apply(make_workload(replicas=1, terminationGracePeriodSeconds=60))
    site.run(10)
    site.drain(gracePeriodSeconds=grace)
    site.run(120)
    assert site.drains()[-1] == (done_ms, "done")


# --- several nodes ------------------------------------------------------------------------------------------


def test_nodes_are_drained_one_after_another_and_used_again() -> None:
    site = Site(nodes=3)
    site.apply(make_workload(replicas=6))
    site.apply(make_budget(maxUnavailable=2))
    site.run(10)
    site.done("drain", nodes=["node-2", "node-1"], uncordonAfter="30s")
    site.run(200)
    (first, *_), (second, *_) = site.drains("node-2"), site.drains("node-1")
    done_ms = site.drains("node-2")[-1][0]
    assert (first, second) == ((10_000, "started"), (done_ms + 30_000, "started"))
    assert site.drains("node-3") == []
    cordons = site.lane("Node", "unschedulable", "node-2")
    assert cordons == [(0, False), (10_000, True), (done_ms + 30_000, False)]
    assert all("unschedulable" not in one["spec"] for one in site.cluster.list("Node"))


def test_a_drain_of_several_nodes_ends_with_the_first_that_fails() -> None:
    site = Site(nodes=2)
    site.apply(make_workload(replicas=4))
    site.apply(make_budget(maxUnavailable=0))
    site.run(10)
    site.done("drain", nodes=["node-1", "node-2"], uncordonAfter="1s", timeout="1m")
    site.run(600)
    assert site.drains("node-1")[-1] == (70_000, "timedOut")
    assert site.drains("node-2") == []


# --- what cannot be read ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "payload, said",
    [
        ({}, "node: is required"),
        ({"node": "node-9"}, 'nodes "node-9" not found'),
        ({"nodes": ["node-1", "node-9"]}, 'nodes "node-9" not found'),
        ({"nodes": []}, "drain.nodes []: use a list of names of nodes, each once"),
        ({"nodes": ["node-1", "node-1"]}, "use a list of names of nodes, each once"),
        ({"node": "node-1", "timeout": "soon"}, "drain.timeout 'soon': use a duration such as 10m"),
        ({"node": "node-1", "timeout": -5}, "drain.timeout -5: use a duration such as 10m"),
        ({"node": "node-1", "uncordonAfter": []}, "drain.uncordonAfter []: use a duration such as 10m"),
        ({"node": "node-1", "podSelector": "a=b=c"}, "drain.podSelector: 'a=b=c' is no label selector"),
        ({"node": "node-1", "force": "yes"}, "drain.force 'yes': use true or false"),
    ],
)
def test_what_a_drain_cannot_read_changes_nothing(payload: Json, said: str) -> None:
    site = Site(nodes=1)
    site.rows.clear()
    refused = site.submit("drain", **payload)
    assert refused.code in (400, 404) and refused.status is not None
    assert said in refused.status["message"]
    assert site.rows == []


@pytest.mark.parametrize(
    "text, labels, is_selected",
    [
        ("", {}, True),
        ("app=web", {"app": "web"}, True),
        ("app == web", {"app": "db"}, False),
        ("app!=web", {}, True),
        ("app in (web, db),tier", {"app": "db", "tier": "x"}, True),
        ("app notin (web)", {"app": "web"}, False),
        ("!app", {"app": "web"}, False),
        ("x.io/app", {"x.io/app": ""}, True),
    ],
)
def test_selectors_as_people_type_them(text: str, labels: dict[str, str], is_selected: bool) -> None:
    assert read_selector(text).matches(labels) is is_selected


@pytest.mark.parametrize(
    "text", ["=", "a=b,", ",", "a in b", "a in (b", "a b", "-a", "!", "a=b c", "a" * 20_000]
)
def test_what_is_no_selector(text: str) -> None:
    with pytest.raises(ValueError, match="is no label selector"):
        read_selector(text)


@pytest.mark.parametrize(
    "duration_ms, text",
    [(0, "0s"), (250, "250ms"), (1500, "1.5s"), (13_000, "13s"), (90_000, "1m30s"), (7_200_000, "2h0m0s")],
)
def test_durations_as_go_writes_them(duration_ms: int, text: str) -> None:
    assert show_duration(duration_ms) == text


@pytest.mark.parametrize(
    "now_ms, tick_ms", [(10_000, 15_000), (14_999, 15_000), (15_000, 15_000), (17_000, 20_000)]
)
def test_the_next_try(now_ms: int, tick_ms: int) -> None:
    assert next_tick_ms(10_000, 5000, now_ms) == tick_ms


# --- cancelled ----------------------------------------------------------------------------------------------


def test_a_drain_that_is_cancelled_asks_no_more_and_leaves_the_cordon() -> None:
    """As kubectl, stopped by hand: who was evicted goes, who was refused stays, nothing is undone."""
    site = Site(nodes=2, end="20s", start="8s")
    site.apply(make_workload(replicas=4))
    site.apply(make_budget(maxUnavailable=1))
    site.run(10)
    before = set(site.names("node-1"))
    site.done("drain", nodes=["node-1", "node-2"])
    site.run(3)
    site.drain("node-1", cancel=True)
    site.run(300)
    assert site.drains()[-1] == (13_000, "cancelled")
    assert end_of(site) == "1 of its pods stay; 1 end all the same; node-2 not begun; the node stays cordoned"
    assert site.get_node("node-1")["spec"]["unschedulable"] is True
    assert len(before & set(site.names("node-1"))) == 1
    assert site.drains("node-2") == []
    # The refusal of the one that stays is over.
    assert site.lane("Pod", "eviction")[-1] == (13_000, None)
    assert site.cluster.is_idle()
    site.drain()
    assert site.drains()[-1][1] in ("started", "blocked")


def test_a_pause_before_the_next_node_is_cancelled_too() -> None:
    site = Site()
    site.done("drain", nodes=["node-1", "node-2"], uncordonAfter="1m")
    site.run(5)
    site.drain("node-2", cancel=True)
    site.run(300)
    assert [said for _at, said in site.drains()] == ["started", "done", "cancelled"]
    assert site.drains("node-2") == []
    assert site.get_node("node-1")["spec"]["unschedulable"] is True


def test_a_drain_that_does_not_go_on_is_not_cancelled() -> None:
    site = Site()
    site.drain()
    refused = site.submit("drain", node="node-1", cancel=True)
    assert refused.code == 409 and refused.status is not None
    assert refused.status["message"] == 'node "node-1": no drain of it goes on'
    assert site.submit("drain", node="node-9", cancel=True).code == 404
    assert site.submit("drain", node="node-1", cancel="yes").code == 400


# --- save and load ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("cut_ms", [10_000, 10_200, 10_500, 14_000, 18_000, 21_000])
def test_a_drain_goes_on_where_it_was_saved(cut_ms: int) -> None:
    def run(cut: bool) -> list[Json]:
        site = Site(nodes=2, end="2s", start="8s")
        site.apply(make_workload(replicas=4))
        site.apply(make_budget(maxUnavailable=1))
        site.run(10)
        site.done("drain", nodes=["node-1", "node-2"], uncordonAfter="5s", timeout="5m")
        site.cluster.run_until(cut_ms)
        rows = list(site.rows)
        if cut:
            site.cluster = Cluster.load(json.loads(json.dumps(site.cluster.save())))
            site.rows.clear()
        site.run(200)
        return [*rows, *site.rows] if cut else site.rows

    assert run(True) == run(False)


@pytest.mark.slow
@pytest.mark.parametrize("cut_ms", [10_000, 10_200, 10_500, 14_000, 18_000, 21_000, 23_000, 31_000, 60_000])
def test_another_engine_goes_on_with_drains_whose_timers_were_lost(cut_ms: int) -> None:
    site = Site(nodes=2, end="2s", start="8s")
    site.apply(make_workload(replicas=4))
    site.apply(make_budget(maxUnavailable=1))
    site.run(10)
    site.done("drain", nodes=["node-1", "node-2"], uncordonAfter="5s", timeout="10m")
    site.cluster.run_until(cut_ms)
    assert site.rows
    saved = json.loads(json.dumps(site.cluster.save()))
    agenda = saved["agenda"]
    agenda["timers"] = [timer for timer in agenda["timers"] if timer[2] != "drain"]
    objects = [decode(one, [PodSpec(raw) for raw in saved["pod_specs"]]) for one in saved["objects"]]
    listed = [one.to_json(site.cluster.epoch_ms) for one in objects]
    seq, version = saved["trace"]["seq"], saved["resource_version"]
    known = Known(1, site.cluster.epoch_ms, site.cluster.settings, cut_ms, seq, version, listed)
    site.cluster = Cluster.take_up(known, saved)
    site.run(600)
    assert site.drains("node-2")[-1][1] == "done"
    assert not site.get_node("node-2")["spec"].get("unschedulable")
    assert site.submit("drain", node="node-1", cancel=True).code == 409
