"""Rules about other pods: affinity, anti-affinity and topology spread, filter by filter and score by score.

The cases are those that Kubernetes holds its own plugins to, in other words.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.scheduler.worlds import HOST, ZONE, Cluster, apart, near, prefers, selects, spread

SKEWED = "didn't match pod topology spread constraints"
APART, AWAY, NEAR = (
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
    "node(s) didn't match pod affinity rules",
)


def zones(*names: str, **nodes: Any) -> Cluster:
    """Two nodes a zone: a1, a2, b1, b2, …"""
    cluster = Cluster()
    for zone in names:
        for number in (1, 2):
            cluster.node(f"{zone}{number}", zone, **nodes)
    return cluster


def put(cluster: Cluster, node: str, count: int = 1, app: str = "web", **spec: Any) -> None:
    """Pods that are on a node already."""
    for _ in range(count):
        cluster.pod(f"{node}-{len(cluster.store.pods)}", app, nodeName=node, **spec)


# --- topology spread --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "there, spec, allowed",
    [
        pytest.param({}, spread(), "a1 a2 b1 b2", id="nobody is there"),
        pytest.param({"a1": 1}, spread(), "b1 b2", id="one zone is ahead"),
        pytest.param({"a1": 1}, spread(skew=2), "a1 a2 b1 b2", id="ahead by less than it may be"),
        pytest.param({"a1": 2, "b1": 1}, spread(), "b1 b2", id="two and one"),
        pytest.param({"a1": 1, "b1": 1}, spread(), "a1 a2 b1 b2", id="equal"),
        pytest.param({"a1": 1}, spread(HOST), "a2 b1 b2", id="by node"),
        pytest.param({"a1": 5}, spread(app="db"), "a1 a2 b1 b2", id="others do not count"),
        pytest.param({"a1": 1}, spread(minDomains=3), "b1 b2", id="too few zones: the least counts as none"),
        pytest.param({"a1": 1, "b1": 1}, spread(minDomains=3), "", id="too few zones, none is left"),
        pytest.param({"a1": 1, "b1": 1}, spread(minDomains=2), "a1 a2 b1 b2", id="enough zones"),
        pytest.param({"a1": 3}, spread(labelSelector={}), "a1 a2 b1 b2", id="all selected, none counted"),
        pytest.param({"a1": 3}, spread(when="ScheduleAnyway"), "a1 a2 b1 b2", id="only preferred"),
        pytest.param(
            {"a1": 1, "b1": 2}, spread() | {"nodeSelector": {ZONE: "b"}}, "b1 b2", id="other zones"
        ),
        pytest.param(
            {"a1": 0, "b1": 2}, spread(nodeAffinityPolicy="Ignore") | {"nodeSelector": {ZONE: "b"}}, "",
            id="zones it does not select count if they are to",
        ),
    ],
)  # fmt: skip
def test_pods_are_spread_over_domains(there: dict[str, int], spec: dict[str, Any], allowed: str) -> None:
    assert find_allowed(zones("a", "b"), there, spec) == allowed.split()


def find_allowed(
    cluster: Cluster, there: dict[str, int], spec: dict[str, Any], app: str = "web"
) -> list[str]:
    """The nodes that take such a pod: all others are cordoned for a moment."""
    for node, count in there.items():
        put(cluster, node, count)
    cluster.pod("asked", app, schedulerName="none", **spec)
    pod = cluster.find("asked")
    scheduler = cluster.scheduler
    pod_class = scheduler._finder.class_of(pod, pod.spec, None, None)
    return [name for name in pod_class.names() if pod_class.refusal_of(name) is None]


def test_tainted_zones_count_unless_they_are_not_to() -> None:
    taint = {"key": "gpu", "effect": "NoSchedule"}
    for policy, allowed in (("Ignore", []), ("Honor", ["a1", "a2"])):
        cluster = zones("a", "b")
        put(cluster, "a1")
        for name in ("b1", "b2"):
            cluster.change_node(name, taints=[taint])
        assert find_allowed(cluster, {}, spread(nodeTaintsPolicy=policy)) == allowed


def test_a_node_without_the_label_is_no_place_for_those_that_are_spread() -> None:
    cluster = zones("a")
    cluster.node("bare")
    assert cluster.pod("one", nodeSelector={HOST: "bare"}, **spread()) == ""
    assert f"1 node(s) {SKEWED} (missing required label)" in cluster.why("one")


def test_ending_pods_do_not_count() -> None:
    cluster = zones("a", "b")
    cluster.pod("old", nodeName="a1", terminationGracePeriodSeconds=60)
    assert find_allowed(cluster, {}, spread()) == ["b1", "b2"]
    cluster.delete("old", grace=60)
    cluster.delete("asked")
    assert find_allowed(cluster, {}, spread()) == ["a1", "a2", "b1", "b2"]


def test_constraints_hold_together() -> None:
    both = spread()["topologySpreadConstraints"] + spread(HOST)["topologySpreadConstraints"]
    there = {"a1": 1, "b1": 1, "b2": 1}
    assert find_allowed(zones("a", "b"), there, {"topologySpreadConstraints": both}) == ["a2"]


def test_each_revision_is_spread_by_itself() -> None:
    cluster = zones("a", "b")
    spec = spread(matchLabelKeys=["pod-template-hash"])
    for number in range(3):
        cluster.pod(f"old-{number}", nodeName="a1", labels={"pod-template-hash": "one"})
    placed = [
        cluster.pod(f"new-{number}", labels={"pod-template-hash": "two"}, **spec) for number in range(4)
    ]
    assert sorted(one[0] for one in placed) == ["a", "a", "b", "b"]


def test_pods_that_are_held_back_say_so_and_go_when_a_place_is_free() -> None:
    cluster = zones("a", "b")
    put(cluster, "a1")
    for name in ("b1", "b2"):
        cluster.change_node(name, unschedulable=True)
    assert cluster.pod("one", **spread()) == ""
    assert cluster.why("one") == f"2 node(s) {SKEWED}, 2 node(s) were unschedulable"
    cluster.change_node("b1", unschedulable=False)
    assert cluster.node_of("one") == "b1"


def test_pods_of_a_workload_are_spread_by_default() -> None:
    """Over zones and nodes, and without a word in their manifest: six over two zones of two nodes."""
    cluster = zones("a", "b")
    container = {"name": "app", "image": "x"}
    owner = cluster.make(
        "apps/v1", "ReplicaSet", "web", metadata={"namespace": "default"},
        spec={
            "selector": selects("web"),
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
        },
    )  # fmt: skip
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": owner.meta.uid}
    for number in range(8):
        meta = {
            "namespace": "default",
            "labels": {"app": "web"},
            "ownerReferences": [{**reference, "controller": True}],
        }
        cluster.make("v1", "Pod", f"p{number}", metadata=meta, spec={"containers": [container]})
    placed = sorted(pod.node_name for pod in cluster.store.pods.values())
    assert placed == ["a1", "a1", "a2", "a2", "b1", "b1", "b2", "b2"]


def test_pods_of_a_service_are_spread_by_default() -> None:
    cluster = zones("a", "b")
    put(cluster, "b1", 6, "else", tolerations=[])
    cluster.make(
        "v1",
        "Service",
        "web",
        metadata={"namespace": "default"},
        spec={"selector": {"app": "web"}, "ports": [{"port": 80}]},
    )
    placed = [cluster.pod(f"p{number}") for number in range(4)]
    assert sorted(placed) == ["a1", "a2", "b1", "b2"]


# --- pod affinity -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "there, app, spec, allowed",
    [
        pytest.param({"a1": 1}, "db", near("web"), "a1 a2", id="near, by zone"),
        pytest.param({"a1": 1}, "db", near("web", HOST), "a1", id="near, by node"),
        pytest.param({"a1": 1}, "db", near("other"), "", id="near nobody"),
        pytest.param({}, "web", near("web"), "a1 a2 b1 b2", id="the first of its kind goes anywhere"),
        pytest.param({}, "db", near("web"), "", id="the first of another kind does not"),
        pytest.param({"a1": 1}, "db", apart("web"), "b1 b2", id="apart, by zone"),
        pytest.param({"a1": 1}, "db", apart("web", HOST), "a2 b1 b2", id="apart, by node"),
        pytest.param({"a1": 1}, "db", apart("web", "rack"), "a1 a2 b1 b2", id="apart, nobody has the label"),
        pytest.param({"a1": 1}, "db", near("web", "rack"), "", id="near, nobody has the label"),
        pytest.param({"a1": 1}, "db", near("web", namespaces=["other"]), "", id="near, in another namespace"),
        pytest.param(
            {"a1": 1}, "db", near("web", namespaceSelector={}), "a1 a2", id="near, in any namespace"
        ),
        pytest.param(
            {"a1": 1}, "db", apart("web", namespaceSelector={"matchLabels": {"team": "x"}}), "a1 a2 b1 b2",
            id="apart, in namespaces that are not meant",
        ),
    ],
)  # fmt: skip
def test_pods_are_near_and_apart(there: dict[str, int], app: str, spec: dict[str, Any], allowed: str) -> None:
    assert find_allowed(zones("a", "b"), there, spec, app) == allowed.split()


def test_all_terms_of_affinity_are_about_one_pod() -> None:
    cluster = zones("a", "b")
    cluster.pod("one", "web", nodeName="a1")
    cluster.pod("other", "db", nodeName="a2", labels={"tier": "x"})
    terms = [
        {"labelSelector": selects("web"), "topologyKey": ZONE},
        {"labelSelector": {"matchLabels": {"tier": "x"}}, "topologyKey": ZONE},
    ]
    spec = {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}
    assert find_allowed(cluster, {}, spec, "third") == []
    cluster.pod("both", "web", nodeName="b1", labels={"tier": "x"})
    cluster.delete("asked")
    assert find_allowed(cluster, {}, spec, "third") == ["b1", "b2"]


def test_who_wants_to_be_apart_keeps_others_away() -> None:
    """Anti-affinity holds both ways, though only the pod that is there says it."""
    cluster = zones("a", "b")
    put(cluster, "a1", app="lonely", **apart("web"))
    assert cluster.pod("one") in ("b1", "b2")
    for name in ("b1", "b2"):
        cluster.change_node(name, unschedulable=True)
    assert cluster.pod("two") == ""
    assert cluster.why("two") == f"2 {AWAY}, 2 node(s) were unschedulable"


def test_why_a_pod_is_not_near_and_not_apart() -> None:
    cluster = zones("a")
    put(cluster, "a1")
    assert cluster.pod("far", **near("nobody")) == ""
    assert cluster.why("far") == f"2 {NEAR}"
    assert cluster.pod("lone", **apart("web")) == ""
    assert cluster.why("lone") == f"2 {APART}"


def test_namespaces_are_meant_by_their_labels() -> None:
    cluster = zones("a", "b")
    cluster.namespace("blue", team="blue")
    cluster.pod("there", space="blue", nodeName="b1")
    spec = near("web", namespaceSelector={"matchLabels": {"team": "blue"}})
    assert find_allowed(cluster, {}, spec, "db") == ["b1", "b2"]


@pytest.mark.parametrize("key, allowed", [("matchLabelKeys", "b1 b2"), ("mismatchLabelKeys", "a1 a2")])
def test_keys_of_the_pod_narrow_whom_a_term_means(key: str, allowed: str) -> None:
    cluster = zones("a", "b")
    cluster.pod("other", nodeName="a1", labels={"tenant": "y"})
    cluster.pod("same", nodeName="b1", labels={"tenant": "x"})
    cluster.pod(
        "asked", "web", labels={"tenant": "x"}, schedulerName="none", **near("web", **{key: ["tenant"]})
    )
    pod = cluster.find("asked")
    pod_class = cluster.scheduler._finder.class_of(pod, pod.spec, None, None)
    assert [name for name in pod_class.names() if pod_class.refusal_of(name) is None] == allowed.split()


# --- preferences ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec, zone",
    [
        pytest.param(prefers("podAffinity", "web"), "b", id="near"),
        pytest.param(prefers("podAntiAffinity", "web"), "a", id="apart"),
    ],
)
def test_a_pod_goes_where_it_prefers_to_be(spec: dict[str, Any], zone: str) -> None:
    cluster = zones("a", "b")
    put(cluster, "b1", 3)
    assert cluster.pod("one", "db", **spec)[0] == zone


def test_pods_that_are_there_draw_others_near_and_keep_them_off() -> None:
    cluster = zones("a", "b")
    put(cluster, "b1", app="shop", **prefers("podAffinity", "web"))
    assert cluster.pod("one")[0] == "b"
    cluster = zones("a", "b")
    put(cluster, "a1", app="shop", **prefers("podAntiAffinity", "web"))
    assert cluster.pod("one")[0] == "b"


def test_what_a_pod_requires_draws_those_it_is_about() -> None:
    cluster = zones("a", "b")
    put(cluster, "b1", app="shop", **near("web"))
    assert cluster.pod("one")[0] == "b"


def test_preferred_nodes_and_welcoming_ones_come_first() -> None:
    cluster = Cluster()
    cluster.node("one", taints=[{"key": "k", "effect": "PreferNoSchedule"}])
    cluster.node("two")
    cluster.node("ssd", labels={"disk": "ssd"}, cpu="1")
    assert cluster.pod("plain") == "two"
    term = {"weight": 10, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}
    preferred = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [term]}}
    assert cluster.pod("picky", affinity=preferred) == "ssd"
