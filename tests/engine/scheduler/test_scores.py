"""What the scoring plugins of the default profile make of nodes: 0 to 100 each, as Kubernetes' have it."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.objects.node import Node
from lifecycle.engine.rules.pods.resources import assumed_requests
from lifecycle.engine.scheduler.explanation import judge_nodes
from tests.engine.scheduler.worlds import HOST, PREFERRED, REQUIRED, ZONE, Cluster, Json, selects

WEIGHTS = {"TaintToleration": 3, "NodeAffinity": 2, "PodTopologySpread": 2, "InterPodAffinity": 2}


def score(cluster: Cluster, plugin: str, name: str = "asked", space: str = "default") -> dict[str, int]:
    """By the names of the nodes that take the pod."""
    pod, store = cluster.find(name, space), cluster.store
    nodes = [node for node in store.list("Node") if isinstance(node, Node)]
    services = list(store.list("Service", space))

    def labels_of(namespace: str) -> Json:
        return dict(store.require("Namespace", "", namespace).meta.labels)

    verdicts = judge_nodes(pod, nodes, store.pods.values(), services, None, labels_of)
    weight = WEIGHTS.get(plugin, 1)
    return {one.name: dict(one.scores)[plugin] // weight for one in verdicts if one.rank}


def put(cluster: Cluster, there: dict[str, str], **spec: Any) -> None:
    """Pods that are on nodes already, a letter of labels each: `w` web, `d` db, `b` both."""
    for node, letters in there.items():
        for letter in letters:
            labels = {"w": {"app": "web"}, "d": {"role": "db"}, "b": {"app": "web", "role": "db"}}[letter]
            name = f"{node}-{len(cluster.store.pods)}"
            meta = {"namespace": "default", "labels": labels}
            containers = [{"name": "app", "image": "x"}]
            cluster.make("v1", "Pod", name, metadata=meta, spec={"containers": containers, "nodeName": node})


def closed(cluster: Cluster, *names: str) -> None:
    """Nodes that take nobody else, and whose pods count all the same."""
    for name in names:
        cluster.change_node(name, taints=[{"key": "closed", "effect": "NoSchedule"}])


def soft(key: str = HOST, skew: int = 1, selector: Any = None, **fields: Any) -> Json:
    one = {"topologyKey": key, "maxSkew": skew, "whenUnsatisfiable": "ScheduleAnyway"}
    return {**one, "labelSelector": selects("web") if selector is None else selector, **fields}


DB: Json = {"matchLabels": {"role": "db"}}


# --- topology spread --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "there, constraints, closed_nodes, expected",
    [
        pytest.param("-- -- -- --", [soft()], "", "100 100 100 100", id="nobody is there"),
        pytest.param("w w", [soft()], "", "100 100", id="the same everywhere"),
        pytest.param("ww w", [soft()], "b", "100", id="only one is a candidate"),
        pytest.param("ww w -- www", [soft()], "", "20 60 100 0", id="by node"),
        pytest.param("ww w -- www", [soft(skew=2)], "", "33 66 100 16", id="a skew of two evens it out"),
        pytest.param("wwww www ww w", [soft(skew=3)], "", "44 66 77 100", id="a skew of three"),
        pytest.param("ww w -- www", [soft(selector={})], "", "100 100 100 100", id="all selected: nobody is"),
        pytest.param("wwww ww w www", [soft()], "d", "33 83 100", id="three of four are candidates"),
        pytest.param("wwww ww w www", [soft(ZONE)], "d", "75 75 100", id="by zone, those of others count"),
        pytest.param("ww w ww wwww", [soft(ZONE), soft()], "b d", "100 63", id="zone and node"),
        pytest.param("w b -- wd", [soft(ZONE), soft(selector=DB)], "", "60 20 100 60", id="two selectors"),
        pytest.param(
            "-- d w b", [soft(ZONE), soft(selector=DB)], "", "100 60 40 0", id="two selectors, some have none"
        ),
        pytest.param("w b -- wd", [soft(ZONE), soft(selector=DB)], "d", "50 25 100", id="two, three of four"),
    ],
)
def test_pods_are_spread_softly(there: str, constraints: list[Json], closed_nodes: str, expected: str):
    """Nodes a and b are in zone 1, c and d in zone 2."""
    cluster = Cluster()
    pods = dict(zip("abcd", there.split(), strict=False))
    for name in pods:
        cluster.node(name, "zone1" if name in "ab" else "zone2")
    put(cluster, {name: letters.strip("-") for name, letters in pods.items()})
    closed(cluster, *closed_nodes.split())
    cluster.pod("asked", schedulerName="none", labels={"role": "db"}, topologySpreadConstraints=constraints)
    found = score(cluster, "PodTopologySpread")
    candidates = [name for name in pods if name not in closed_nodes.split()]
    assert found == dict(zip(candidates, map(int, expected.split()), strict=True))


@pytest.mark.parametrize("is_by_default", [False, True])
def test_a_node_without_the_label_is_the_last_choice_of_those_that_ask_for_it(is_by_default: bool):
    cluster = Cluster()
    for name in "abcd":
        cluster.node(name, labels={HOST: ""} if name == "b" else None)
    node = cluster.store.require("Node", "", "b").to_json()
    del node["metadata"]["labels"][HOST]
    cluster.api.update_json(cluster.store.require("Node", "", "b"), node)
    put(cluster, {"a": "wwww", "b": "ww", "c": "w", "d": "www"})
    closed(cluster, "d")
    spec = {} if is_by_default else {"topologySpreadConstraints": [soft()]}
    if is_by_default:
        service = {"selector": {"app": "web"}, "ports": [{"port": 80}]}
        cluster.make("v1", "Service", "web", metadata={"namespace": "default"}, spec=service)
    cluster.pod("asked", schedulerName="none", **spec)
    # Constraints that nobody wrote ask for no label: nothing is counted of such a node. The others are three
    # for whom a pod weighs ln 5, and 2 more for the skew of 3: 8, 0 and 4 in whole numbers.
    expected = {"a": 0, "b": 100, "c": 50} if is_by_default else {"a": 16, "b": 0, "c": 100}
    found = score(cluster, "PodTopologySpread")
    assert found == expected


def test_services_spread_their_pods_also_where_no_node_has_a_zone():
    cluster = Cluster()
    for name in "abcd":
        cluster.node(name)
    put(cluster, {"a": "wwww", "b": "www", "c": "ww", "d": "w"})
    service = {"selector": {"app": "web"}, "ports": [{"port": 80}]}
    cluster.make("v1", "Service", "web", metadata={"namespace": "default"}, spec=service)
    cluster.pod("asked", schedulerName="none")
    assert score(cluster, "PodTopologySpread") == {"a": 44, "b": 66, "c": 77, "d": 100}


def test_pods_of_other_namespaces_and_ending_ones_do_not_count():
    cluster = Cluster()
    for name in "ab":
        cluster.node(name)
    cluster.namespace("other")
    cluster.pod("a1", space="other", nodeName="a")
    cluster.pod("a2", nodeName="a", terminationGracePeriodSeconds=60)
    cluster.pod("b1", nodeName="b")
    cluster.delete("a2", grace=60)
    cluster.pod("asked", schedulerName="none", topologySpreadConstraints=[soft()])
    assert score(cluster, "PodTopologySpread") == {"a": 100, "b": 0}


# --- near and apart ---------------------------------------------------------------------------------------


def prefer(*terms: tuple[int, str, str]) -> Json:
    """Affinity (or, with a negative weight, anti-affinity) of (weight, app, topology key)."""
    sides: dict[str, list[Json]] = {"podAffinity": [], "podAntiAffinity": []}
    for weight, app, key in terms:
        term = {"labelSelector": selects(app), "topologyKey": key}
        side = sides["podAffinity" if weight > 0 else "podAntiAffinity"]
        side.append({"weight": abs(weight), "podAffinityTerm": term})
    return {"affinity": {side: {PREFERRED: found} for side, found in sides.items() if found}}


@pytest.mark.parametrize(
    "there, app, spec, expected",
    [
        pytest.param({"a": ["s1"], "b": ["s2"], "c": ["s1"]}, "s1", prefer((5, "s1", ZONE)),
                     {"a": 100, "b": 0, "c": 0}, id="a zone counts, a node without one does not"),
        pytest.param({"a": ["s1", "s2"], "b": ["s1"], "d": ["s1"]}, "s1", prefer((5, "s1", ZONE)),
                     {"a": 100, "b": 50, "c": 0, "d": 100}, id="the zone with more of them"),
        pytest.param({"a": ["s1"], "b": ["s2"]}, "s1", prefer((-5, "s1", ZONE)),
                     {"a": 0, "b": 100, "c": 100}, id="away from them"),
        pytest.param({"a": ["s1", "s1"], "b": ["s1"]}, "s1", prefer((-5, "s1", ZONE)),
                     {"a": 0, "b": 50, "c": 100}, id="the fewer the better"),
        pytest.param({"a": ["s1"], "b": ["s2"]}, "s1", prefer((8, "s1", ZONE), (-5, "s2", ZONE)),
                     {"a": 100, "b": 0, "c": 38}, id="near one and away from another"),
    ],
)  # fmt: skip
def test_pods_are_drawn_near_and_kept_off(
    there: dict[str, list[str]], app: str, spec: Json, expected: dict[str, int]
):
    """Nodes a and d are in one zone, b in another, c in none."""
    cluster = Cluster()
    for name, zone in {"a": "china", "b": "india", "c": ""}.items() | (
        {("d", "china")} if "d" in expected else set()
    ):
        cluster.node(name, zone)
    for node, apps in there.items():
        for one in apps:
            cluster.pod(f"{node}-{len(cluster.store.pods)}", one, nodeName=node)
    cluster.pod("asked", app, schedulerName="none", **spec)
    assert score(cluster, "InterPodAffinity") == expected


def test_what_pods_that_are_there_want_counts_like_what_the_pod_wants():
    """Weights 8 and -5 of its own, 8 and -5 of two that are there: two nodes stand out."""
    cluster = Cluster()
    for name, labels in {
        "a": {"region": "china"},
        "b": {"az": "az1"},
        "c": {"region": "india"},
        "d": {"az": "az2"},
    }.items():
        cluster.node(name, labels=labels)
    both = prefer((8, "s1", "region"), (-5, "s2", "az"))
    cluster.pod("one", "s1", nodeName="a")
    cluster.pod("two", "s2", nodeName="b")
    cluster.pod("three", "other", nodeName="c", **both)
    cluster.pod("four", "other", nodeName="d", **prefer((-5, "s1", "az")))
    cluster.pod("asked", "s1", schedulerName="none", **both)
    assert score(cluster, "InterPodAffinity") == {"a": 100, "b": 0, "c": 100, "d": 0}


def test_required_affinity_of_others_draws_a_little_too():
    cluster = Cluster()
    cluster.node("a", "x")
    cluster.node("b", "y")
    cluster.node("c")
    hard = {"podAffinity": {REQUIRED: [{"labelSelector": {}, "topologyKey": ZONE}]}}
    for name in "ab":
        cluster.pod(f"there-{name}", "s1", nodeName=name, affinity=hard)
    cluster.pod("asked", "s1", schedulerName="none")
    assert score(cluster, "InterPodAffinity") == {"a": 100, "b": 100, "c": 0}


def test_namespaces_of_a_term_are_those_it_names_and_those_its_selector_selects():
    cluster = Cluster()
    for name, team in {
        "sub1-team1": "team1",
        "sub2-team1": "team1",
        "sub1-team2": "team2",
        "named": "",
    }.items():
        cluster.namespace(name, team=team)
    cluster.node("a", "x")
    cluster.node("b", "y")
    for number, space in enumerate(["sub1-team1", "sub1-team1", "named"]):
        cluster.pod(f"a{number}", "s1", space=space, nodeName="a")
    cluster.pod("not-meant", "s1", space="sub1-team2", nodeName="b")
    cluster.pod("b1", "s1", space="sub2-team1", nodeName="b")
    term = {
        "labelSelector": selects("s1"), "topologyKey": ZONE, "namespaces": ["named"],
        "namespaceSelector": {"matchLabels": {"team": "team1"}},
    }  # fmt: skip
    preferred = {PREFERRED: [{"weight": 5, "podAffinityTerm": term}]}
    cluster.pod(
        "asked", "s1", "100m", "sub1-team1", schedulerName="none", affinity={"podAffinity": preferred}
    )
    assert score(cluster, "InterPodAffinity", space="sub1-team1") == {"a": 100, "b": 0}


# --- nodes by themselves ----------------------------------------------------------------------------------


def taint(key: str, effect: str = "PreferNoSchedule") -> Json:
    return {"key": key, "value": "yes", "effect": effect}


@pytest.mark.parametrize(
    "taints, tolerations, expected",
    [
        pytest.param("x -", [{"key": "x", "value": "yes"}], [100, 100], id="tolerated"),
        pytest.param("x y", [{"key": "x", "value": "yes"}], [100, 0], id="another one"),
        pytest.param("- x xy", [{"key": "x", "value": "yes"}], [100, 100, 0], id="some are tolerated"),
        pytest.param("- x xy", [], [100, 50, 0], id="the more the worse"),
        pytest.param("x -", [{"key": "x", "value": "yes", "effect": "NoSchedule"}], [0, 100],
                     id="a toleration of another effect is none"),
        pytest.param("x -", [{"operator": "Exists"}], [100, 100], id="all tolerated"),
    ],
)  # fmt: skip
def test_taints_that_only_ask_weigh(taints: str, tolerations: list[Json], expected: list[int]):
    cluster = Cluster()
    for number, keys in enumerate(taints.split()):
        cluster.node(f"n{number}", taints=[taint(key) for key in keys.strip("-")])
    cluster.pod("asked", schedulerName="none", tolerations=tolerations)
    found = score(cluster, "TaintToleration")
    assert [found[f"n{number}"] for number in range(len(expected))] == expected


def term(weight: int, key: str, operator: str, *values: str) -> Json:
    expression = {"key": key, "operator": operator} | ({"values": list(values)} if values else {})
    return {"weight": weight, "preference": {"matchExpressions": [expression]}}


@pytest.mark.parametrize(
    "terms, expected",
    [
        pytest.param([term(2, "foo", "In", "baz")], [0, 0, 0], id="nobody matches"),
        pytest.param([term(2, "foo", "In", "bar")], [100, 0, 0], id="one does"),
        pytest.param([term(2, "foo", "In", "bar"), term(4, "key", "In", "value"),
                      term(5, "az", "In", "az1")], [22, 44, 100], id="by the sum of weights"),
        pytest.param([term(2, "foo", "Exists"), {"weight": 9, "preference": {}}], [100, 0, 100],
                     id="an empty term is none"),
        pytest.param([term(2, "cores", "Gt", "7"), term(1, "cores", "Lt", "8")], [50, 100, 0], id="numbers"),
    ],
)  # fmt: skip
def test_nodes_are_preferred_by_their_labels(terms: list[Json], expected: list[int]):
    cluster = Cluster()
    cluster.node("a", labels={"foo": "bar", "cores": "4"})
    cluster.node("b", labels={"key": "value", "cores": "16"})
    cluster.node("c", labels={"foo": "car", "key": "value", "az": "az1", "kernel": "x"})
    cluster.pod("asked", schedulerName="none", affinity={"nodeAffinity": {PREFERRED: terms}})
    found = score(cluster, "NodeAffinity")
    assert [found[name] for name in "abc"] == expected


@pytest.mark.parametrize("nodes", [1, 2])
def test_a_preference_that_cannot_be_read_fails_a_pod_that_has_a_choice(nodes: int):
    cluster = Cluster()
    for number in range(nodes):
        cluster.node(f"n{number}")
    bad = {"nodeAffinity": {PREFERRED: [term(1, "cores", "Exists"), term(2, "cores", "Gt", "many")]}}
    node = cluster.pod("asked", affinity=bad)
    if nodes == 1:
        # A single node is compared with no other.
        assert node == "n0"
        return
    (condition,) = cluster.find("asked").status.conditions
    why = 'running PreScore plugin "NodeAffinity": [1].matchExpressions[0].values[0]: Invalid value: "many":'
    assert (node, condition.reason) == ("", "SchedulerError")
    assert condition.message == f"{why} for 'Gt', 'Lt' operators, the value must be an integer"


def size(cpu: int, memory: int) -> Json:
    return {"requests": {"cpu": f"{cpu}m", "memory": str(memory)}}


def add(cluster: Cluster, name: str, *sizes: Json, node: str = "", inits: Any = (), **spec: Any) -> None:
    containers = [{"name": f"c{at}", "image": "x", "resources": one} for at, one in enumerate(sizes)]
    place = {"nodeName": node} if node else {"schedulerName": "none"}
    spec = {"containers": containers, "initContainers": list(inits), **place, **spec}
    cluster.make("v1", "Pod", name, metadata={"namespace": "default"}, spec=spec)


BOTH = (size(1000, 2000), size(2000, 3000))


@pytest.mark.parametrize(
    "nodes, there, asked, empty, even",
    [
        pytest.param([(4000, 10000), (6000, 10000)], [], BOTH, [37, 50], [87, 100], id="nodes of two sizes"),
        pytest.param([(10000, 20000)] * 2, [(0, size(3000, 0)), (1, size(3000, 5000))], BOTH,
                     [57, 45], [82, 95], id="pods are there"),
        pytest.param([(10000, 20000), (10000, 50000)], [(0, size(3000, 0)), (1, size(3000, 5000))], BOTH,
                     [57, 60], [82, 80], id="pods on nodes of two sizes"),
        pytest.param([(6000, 10000)] * 2, [(0, size(3000, 0)), (1, size(3000, 5000))], (size(3000, 0),),
                     [50, 25], [50, 75], id="all CPU is used"),
        pytest.param([(10000, 20000)] * 2, [(0, size(6000, 0)), (1, size(6000, 5000))], (size(0, 0),),
                     [70, 57], [0, 0], id="who asks for nothing is not asked about evenness"),
    ],
)  # fmt: skip
def test_nodes_are_compared_by_what_is_left(
    nodes: list[tuple[int, int]], there: Any, asked: Any, empty: list[int], even: list[int]
):
    cluster = Cluster()
    for number, (cpu, memory) in enumerate(nodes):
        has = {"cpu": f"{cpu}m", "memory": str(memory), "pods": "110"}
        meta = {"labels": {HOST: f"n{number}"}}
        cluster.make("v1", "Node", f"n{number}", metadata=meta, status={"allocatable": has, "capacity": has})
    for number, one in there:
        add(cluster, f"there-{number}", one, node=f"n{number}")
    add(cluster, "asked", *asked)
    for plugin, expected in (("NodeResourcesFit", empty), ("NodeResourcesBalancedAllocation", even)):
        found = score(cluster, plugin)
        assert [found[f"n{number}"] for number in range(len(nodes))] == expected, plugin


@pytest.mark.parametrize(
    "sizes, inits, more, expected",
    [
        pytest.param([{}], [], {}, 100, id="one that asks for nothing counts 100m"),
        pytest.param([{}, {}], [], {}, 200, id="two of them"),
        pytest.param([size(400, 0), {}], [], {}, 500, id="one asks, one does not"),
        pytest.param([size(0, 0)], [], {}, 0, id="nothing, expressly"),
        pytest.param([size(400, 0), {}], [size(1000, 0)], {}, 1000, id="an init container needs more"),
        pytest.param([size(50, 0)], [{}, size(50, 0)], {}, 100, id="an init container counts 100m too"),
        pytest.param([size(50, 0)], [], {"resources": {"requests": {"cpu": "700m"}}}, 700, id="pod level"),
    ],
)
def test_what_a_pod_counts_for_where_it_asks_for_nothing(
    sizes: list[Json], inits: list[Json], more: Json, expected: int
):
    cluster = Cluster()
    has = {"cpu": "1", "memory": "100Gi", "pods": "110"}
    cluster.make("v1", "Node", "n0", status={"allocatable": has, "capacity": has})
    containers = [{"name": f"i{at}", "image": "x", "resources": one} for at, one in enumerate(inits)]
    add(cluster, "asked", *sizes, inits=containers, **more)
    assert assumed_requests(cluster.find("asked").spec)[0] == expected


MB = 1 << 20


@pytest.mark.parametrize(
    "images, asked, expected",
    [
        pytest.param([{"x:1": 40, "y:1": 300}, {"z:1": 250, "y:1": 10}], ["x:1", "z:1"], [0, 5],
                     id="the larger image"),
        pytest.param([{"x:1": 40, "y:1": 140}, {"z:1": 250}], ["x:1", "y:1"], [3, 0], id="both on one"),
        pytest.param([{"z:1": 4000}, {"z:1": 10}], ["x:1", "z:1"], [100, 0], id="no more than so much"),
        pytest.param([{"z:1": 4000}, {"y:1": 10}], ["x:1", "z:1"], [100, 0], id="half of the nodes"),
        pytest.param([{"z:latest": 250}, {}], ["z", "x:1"], [5, 0], id="without a tag it is the latest"),
        pytest.param([{"x:1": 10}, {}], ["x:1"], [0, 0], id="too small to matter"),
    ],
)  # fmt: skip
def test_nodes_that_have_images_are_preferred(
    images: list[dict[str, int]], asked: list[str], expected: list[int]
):
    cluster = Cluster()
    has = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    for number, sizes in enumerate(images):
        listed = [{"names": [name], "sizeBytes": amount * MB} for name, amount in sizes.items()]
        status = {"allocatable": has, "capacity": has, "images": listed}
        cluster.make("v1", "Node", f"n{number}", metadata={"labels": {HOST: f"n{number}"}}, status=status)
    containers = [{"name": f"c{at}", "image": image} for at, image in enumerate(asked)]
    first, *others = containers
    spec = {"containers": [first], "initContainers": others, "schedulerName": "none"}
    cluster.make("v1", "Pod", "asked", metadata={"namespace": "default"}, spec=spec)
    found = score(cluster, "ImageLocality")
    assert [found[f"n{number}"] for number in range(len(images))] == expected
