"""Adapter of daemonset_rolling_update.json: each step is a sync over pods that go as soon as deleted."""

import re
from collections import Counter
from typing import Any

import pytest

from lifecycle.engine.controllers.daemon_set.decide.node_state import Rules, decide_node_state
from lifecycle.engine.controllers.daemon_set.decide.plan import decide_plan
from lifecycle.engine.controllers.daemon_set.decide.sums import Sums
from lifecycle.engine.objects.names import REVISION_LABEL
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.daemon_set import DaemonSet
from lifecycle.engine.rules.workloads.daemon_pods import Fit
from tests.conformance.cases import load_cases

MARK = re.compile(
    r"(\d+|one|two|three|all)?(?: of)?(?: the)? ?(new|updated|old)? ?\bpods?\b(.*?)(not |un)?ready"
)


def spell(clause: str) -> str:
    """In small letters, words that were written as one apart: `markPodsReady`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", clause).strip().lower()


class Nodes:
    """Nodes that all fit, and the pods of one DaemonSet on them, by uid."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.spec = {name: given[name] for name in ("updateStrategy", "minReadySeconds") if name in given}
        self.names = [f"node-{number}" for number in range(given["nodes"])]
        self.pods: dict[str, dict[str, Any]] = {}
        self.revision, self.now_ms, self.made = 1, 0, 0
        self.sync()
        if given["initialPodsReady"]:
            self.mark(True)

    def do(self, step: str) -> tuple[int, int]:
        """Carry out the clauses of a step; how many pods its syncs made and deleted."""
        creates = deletes = 0
        for clause in filter(None, map(spell, step.split(";"))):
            if not self.change(clause) and "sync" not in clause:
                raise ValueError(f"unknown step: {clause}")
            if "sync" in clause:
                made, deleted = self.sync()
                creates, deletes = creates + made, deletes + deleted
        return creates, deletes

    def change(self, clause: str) -> bool:
        """Do what a clause says of time, the set and its pods; whether it says anything of them."""
        is_known = False
        if found := re.search(r"\b(?:time|at|t) ?=? ?(\d+)", clause):
            self.now_ms, is_known = int(found[1]) * 1000, True
        if found := re.search(r"min ready seconds\D*(\d+)", clause):
            self.spec["minReadySeconds"], is_known = int(found[1]), True
        if re.search(r"\bchange .*(template|image)", clause):
            self.revision, is_known = self.revision + 1, True
        if found := MARK.search(clause):
            most = {None: None, "all": None, "one": 1, "two": 2, "three": 3}
            number = most[found[1]] if found[1] in most else int(found[1])
            self.mark(not found[4], found[2] or "", number, "without" in found[3])
            is_known = True
        return is_known

    def mark(self, is_ready: bool, which: str = "", most: int | None = None, is_alone: bool = False) -> None:
        """So many of the new or the old pods are Ready from now on, or are not; `is_alone`: on their node."""
        since = f"1970-01-01T00:{self.now_ms // 60_000:02}:{self.now_ms // 1000 % 60:02}Z"
        condition = {"type": "Ready", "status": str(is_ready), "lastTransitionTime": since}
        found = [pod for pod in self.pods.values() if not which or (which != "old") == self.is_new(pod)]
        if is_alone:
            nodes = Counter(pod["spec"]["nodeName"] for pod in self.pods.values())
            found = [pod for pod in found if nodes[pod["spec"]["nodeName"]] == 1]
        for pod in found[:most]:
            pod["status"] = {"conditions": [condition]}

    def is_new(self, pod: dict[str, Any]) -> bool:
        return bool(pod["metadata"]["labels"][REVISION_LABEL] == str(self.revision))

    def sync(self) -> tuple[int, int]:
        daemon_set = DaemonSet.from_json({"metadata": {"name": "foo"}, "spec": self.spec})
        spec, sums = daemon_set.spec, Sums()
        rules = Rules(str(self.revision), None, spec.min_ready_seconds * 1000, spec.allows_surge)
        for number, name in enumerate(self.names):
            pods = [Pod.from_json(one) for one in self.pods.values() if one["spec"]["nodeName"] == name]
            sums.put(name, (number, name), decide_node_state(pods, Fit(True, True), rules, self.now_ms))
        plan = decide_plan(daemon_set, sums)
        for uid in plan.doomed:
            del self.pods[uid]
        for name in plan.nodes:
            self.made += 1
            labels = {REVISION_LABEL: str(self.revision)}
            meta = {"name": f"foo-{self.made:04}", "uid": str(self.made), "labels": labels}
            self.pods[meta["uid"]] = {"metadata": meta, "spec": {"nodeName": name}}
        return len(plan.nodes), len(plan.doomed)


@pytest.mark.parametrize("case", load_cases("daemonset_rolling_update"))
def test_pods_are_replaced_step_by_step(case: dict[str, Any]):
    nodes = Nodes(case["input"])
    found = [nodes.do(step) for step in case["input"]["steps"]]
    assert found == [(one["creates"], one["deletes"]) for one in case["expect"]["afterEachStep"]]
