"""Random clusters: no node is overcommitted, no hard rule is broken, nobody equal or better is pushed out.

And what the scheduler keeps from pod to pod is what it would find if it looked at everything anew.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.placement.host_ports import list_host_ports
from lifecycle.engine.rules.placement.node_filters import why_not
from lifecycle.engine.rules.pods.resources import effective_requests
from lifecycle.engine.scheduler.classes import list_selectors
from lifecycle.engine.scheduler.matching_pods import MatchingPods
from lifecycle.engine.scheduler.pod_class import PodClass
from lifecycle.engine.scheduler.pre_filter import PreFilterState
from tests.engine.scheduler.worlds import HOST, ZONE, Cluster, apart, near, prefers, spread
from tests.seeds import first_of

pytestmark = pytest.mark.slow

APPS = ("web", "db", "cache")
LEVELS = {"": 0, "low": 10, "high": 1000}
INDEX = "apps.kubernetes.io/pod-index"
TAINT = {"key": "k", "effect": "NoSchedule"}


class Life:
    """One random cluster, step by step."""

    def __init__(self, seed: int) -> None:
        self.draw = Random(seed)
        self.cluster = Cluster(seed)
        for name, value in LEVELS.items():
            if name:
                self.cluster.priority(name, value)
        self.cluster.namespace("other", team="x")
        self.made = 0
        # In some clusters pods have labels as those of StatefulSets have, and at times rules are about them.
        self.has_ordinals, self.tells_from = self.draw.random() < 0.6, self.draw.choice((0, 5, 10, 100))
        self.joined = self.draw.randint(2, 7)
        for number in range(self.joined):
            self.cluster.node(f"n{number}", self.draw.choice(("a", "b", "c", "")), self.draw.choice("248"))

    def live(self, steps: int) -> None:
        for _ in range(steps):
            before = {pod.meta.uid: pod for pod in self.cluster.store.pods.values()}
            self.draw.choice(
                (self._make,) * 6
                + (self._end, self._change_node, self._label, self._serve) * 2
                + (self._come, self._go)
            )()
            self._check(before)
            self.cluster.to(self.cluster.context.clock.now_ms / 1000 + self.draw.choice((0.1, 3, 40)))

    # --- what happens -------------------------------------------------------------------------------------

    def _make(self) -> None:
        self.made += 1
        draw, level = self.draw, self.draw.choice((*LEVELS, "", ""))
        spec: dict[str, Any] = {"priorityClassName": level} if level else {}
        key, app = draw.choice((ZONE, HOST)), draw.choice(APPS)
        rules = (
            {}, {}, spread(key, draw.randint(1, 2), app=app), spread(key, when="ScheduleAnyway", app=app),
            near(app, key), apart(app, key), prefers("podAffinity", app, key=key),
            prefers("podAntiAffinity", app, key=key), {"nodeSelector": {ZONE: draw.choice("ab")}},
            apart(app, key, namespaceSelector={}), {"tolerations": [{"operator": "Exists"}]},
        )  # fmt: skip
        spec |= draw.choice(rules) | draw.choice(rules)
        cpu, space = draw.choice(("100m", "500m", "1", "2")), draw.choice(("default", "default", "other"))
        labels = {}
        if self.has_ordinals:
            # Of few templates, so that there are pods that only their ordinals tell apart.
            labels, cpu = {INDEX: draw.choice("01")}, "100m"
            spec = draw.choice(({}, {}, {}, apart("web", HOST), *self._rules_about_one(key)))
        self.cluster.pod(f"p{self.made}", draw.choice(APPS), cpu, space, labels, **spec)

    def _rules_about_one(self, key: str) -> tuple[dict[str, Any], ...]:
        keys = [INDEX] if self.made > self.tells_from else []
        return (
            apart("db", key, matchLabelKeys=keys),
            spread(key, when="ScheduleAnyway", app="web", matchLabelKeys=keys),
            prefers("podAffinity", "cache", key=key),
        )

    def _serve(self) -> None:
        """A Service by which pods are spread, if nothing else is said."""
        self.made += 1
        selector = {"app": self.draw.choice(APPS)}
        if self.has_ordinals and self.draw.random() < 0.3:
            selector[INDEX] = self.draw.choice("01")
        meta, spec = {"namespace": "default"}, {"selector": selector, "ports": [{"port": 80}]}
        self.cluster.make("v1", "Service", f"s{self.made}", metadata=meta, spec=spec)

    def _end(self) -> None:
        pods = list(self.cluster.store.pods.values())
        if pods:
            pod = self.draw.choice(pods)
            grace = self.draw.choice((0, 0, 30)) if pod.meta.deletion_ms is None else 0
            self.cluster.delete(pod.meta.name, pod.meta.namespace or "", grace)

    def _change_node(self) -> None:
        name = self.draw.choice([node.meta.name for node in self.cluster.store.list("Node")])
        if self.draw.random() < 0.5:
            self.cluster.change_node(name, unschedulable=self.draw.random() < 0.4)
        else:
            self.cluster.change_node(name, taints=self.draw.choice(([], [TAINT])))

    def _label(self) -> None:
        node = self.draw.choice(list(self.cluster.store.list("Node")))
        data = node.to_json()
        labels = {**node.meta.labels, ZONE: self.draw.choice("abc")}
        self.cluster.api.update_json(node, {**data, "metadata": {**data["metadata"], "labels": labels}})
        self.cluster.drain()

    def _come(self) -> None:
        self.joined += 1
        zone, cpu = self.draw.choice(("a", "b", "c", "")), self.draw.choice("248")
        self.cluster.node(f"n{self.joined}", zone, cpu)

    def _go(self) -> None:
        """A node is removed; its pods stay, as nobody here collects them."""
        nodes = list(self.cluster.store.list("Node"))
        if len(nodes) > 1:
            self.cluster.api.delete(self.draw.choice(nodes))
            self.cluster.drain()

    # --- what must hold -----------------------------------------------------------------------------------

    def _check(self, before: dict[str, Pod]) -> None:
        store = self.cluster.store
        nodes = {node.meta.name: node for node in store.list("Node") if isinstance(node, Node)}
        placed = [pod for pod in store.pods.values() if pod.node_name in nodes and not pod.is_finished]
        for name, node in nodes.items():
            self._check_room(node, [pod for pod in placed if pod.node_name == name])
        new = [pod for pod in placed if not before.get(pod.meta.uid, Pod()).node_name]
        for pod in new:
            assert why_not(pod.spec, nodes[pod.node_name]) == "", pod.meta.name
        if len(new) == 1:
            self._check_rules(new[0], placed, nodes)
        self._check_victims(before)
        for kept in list(self.cluster.scheduler._classes._by_content.values()):
            self._check_class(kept)

    def _check_room(self, node: Node, pods: list[Pod]) -> None:
        wanted: Counter[str] = Counter()
        ports: list[Any] = []
        for pod in pods:
            wanted.update(effective_requests(pod.spec))
            ports += list_host_ports(pod.spec)
        has = node.status.allocatable
        assert all(amount <= has[name] for name, amount in wanted.items()), (node.meta.name, wanted)
        assert len(pods) <= has["pods"] and len(ports) == len(set(ports))
        node_info = self.cluster.scheduler._snapshot.by_name[node.meta.name]
        assert {name: has[name] - node_info.resources.free[name] for name in wanted} == dict(wanted)
        assert sorted(node_info.uids) == sorted(pod.meta.uid for pod in pods)

    def _check_rules(self, new: Pod, placed: list[Pod], nodes: dict[str, Node]) -> None:
        """The rules about other pods, told as the documentation tells them."""
        home = nodes[new.node_name].meta.labels
        others = [pod for pod in placed if pod is not new and pod.node_name in nodes]

        def is_beside(pod: Pod, key: str) -> bool:
            return key in home and nodes[pod.node_name].meta.labels.get(key) == home[key]

        for one, other in [(new, pod) for pod in others] + [(pod, new) for pod in others]:
            for term in required(one, "podAntiAffinity"):
                beside = is_beside(other if one is new else one, term["topologyKey"])
                assert not (beside and is_meant(term, one, other)), (one.meta.name, other.meta.name)
        for term in required(new, "podAffinity"):
            key = term["topologyKey"]
            # Who is in no domain of the key is near nobody (Kubernetes counts pods by their domains).
            meant = [
                pod for pod in others if is_meant(term, new, pod) and key in nodes[pod.node_name].meta.labels
            ]
            is_first = not meant and is_meant(term, new, new) and key in home
            assert is_first or any(is_beside(pod, key) for pod in meant), new.meta.name
        for one in new.spec.topology_spread_constraints:
            if one["whenUnsatisfiable"] == "DoNotSchedule":
                self._check_spread(new, one, others, nodes)

    def _check_spread(self, new: Pod, one: dict[str, Any], others: list[Pod], nodes: dict[str, Node]) -> None:
        key, keys = one["topologyKey"], [each["topologyKey"] for each in new.spec.topology_spread_constraints]
        wanted = new.spec.node_selector.items()
        counts = {
            node.meta.labels[key]: 0
            for node in nodes.values()
            if set(keys) <= set(node.meta.labels) and wanted <= node.meta.labels.items()
        }
        app = one["labelSelector"]["matchLabels"]["app"]
        for pod in others:
            labels = nodes[pod.node_name].meta.labels
            is_counted = set(keys) <= set(labels) and wanted <= labels.items()
            is_same = pod.meta.namespace == new.meta.namespace and pod.meta.labels["app"] == app
            if is_counted and is_same and pod.meta.deletion_ms is None:
                counts[labels[key]] += 1
        own = nodes[new.node_name].meta.labels[key]
        after = counts[own] + (new.meta.labels["app"] == app)
        assert after - min(counts.values()) <= one["maxSkew"], (new.meta.name, counts)

    def _check_victims(self, before: dict[str, Pod]) -> None:
        for uid, old in before.items():
            pod = self.cluster.store.pods.get(uid)
            if pod is None or old.meta.deletion_ms is not None or pod.meta.deletion_ms is None:
                continue
            if any(one.reason == "PreemptionByScheduler" for one in pod.status.conditions):
                by = [row.message for row in self.cluster.rows if getattr(row, "reason", "") == "Preempted"]
                preemptor = self.cluster.store.pods[by[-1].split()[3]]
                assert preemptor.spec.priority > pod.spec.priority

    def _check_class(self, kept: PodClass) -> None:
        kept.follow()
        fresh = PodClass(kept.state, self.cluster.scheduler._snapshot, self._count_exactly(), is_kept=False)
        assert told(kept) == told(fresh)

    def _count_exactly(self) -> MatchingPods:
        """All pods by all their labels."""
        matching_pods = MatchingPods()
        for pod in self.cluster.store.pods.values():
            if pod.node_name in self.cluster.scheduler._snapshot.by_name and not pod.is_finished:
                matching_pods.add_pod(pod, pod.node_name)
        return matching_pods

    def check_next(self) -> None:
        """Each pod is of a class of pods that go where it goes."""
        scheduler, store = self.cluster.scheduler, self.cluster.store
        for pod in list(store.pods.values()):
            kept = scheduler._classes.find(pod, pod.spec)
            services = store.list("Service", pod.meta.namespace)
            state = PreFilterState(
                pod, pod.spec, list_selectors(pod, services, None), scheduler._classes.labels_of
            )
            fresh = PodClass(state, scheduler._snapshot, self._count_exactly(), is_kept=False)
            assert told(kept) == told(fresh), pod.meta.name


def told(pod_class: PodClass) -> Any:
    """All that a class of pods says of the nodes."""
    best = pod_class.best()
    scores = {one.line.key: one[1:] for one in pod_class.score_lines()}
    refusals = {name: pod_class.refusal_of(name) for name in pod_class.names()}
    open_ = {
        name: scores[line.key]
        for name in refusals
        if (line := pod_class.line_of(name)) and not refusals[name]
    }
    return best and best.node.meta.name, open_, refusals, pod_class.list_refusals()


def required(pod: Pod, kind: str) -> list[dict[str, Any]]:
    rules = pod.spec.affinity.get(kind) or {}
    return rules.get("requiredDuringSchedulingIgnoredDuringExecution") or []


def is_meant(term: dict[str, Any], by: Pod, pod: Pod) -> bool:
    in_space = term.get("namespaceSelector") == {} or pod.meta.namespace == by.meta.namespace
    own, labels = by.meta.labels, pod.meta.labels
    are_alike = all(labels.get(key) == own[key] for key in term.get("matchLabelKeys") or () if key in own)
    return in_space and are_alike and labels["app"] == term["labelSelector"]["matchLabels"]["app"]


@pytest.mark.parametrize("block", first_of(range(8)))
def test_random_clusters_keep_every_rule(block: int) -> None:
    for seed in range(block * 4, block * 4 + 4):
        try:
            life = Life(seed)
            for _ in range(3):
                life.live(10)
                life.check_next()
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
