"""What tools/differential asks of a real cluster, and how it writes down what it hears."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.recordings.read_real import read_real
from tools.differential.case import Case
from tools.differential.client import JSON_PATCH, MERGE, STRATEGIC, Answer, Json
from tools.differential.hollow_nodes import HollowNodes
from tools.differential.judging import Verdict
from tools.differential.parts import end_after, make_pod, run_for_ever
from tools.differential.recorder import Recording, Slot, fit_to_slot
from tools.differential.searching import run_again
from tools.differential.steps import Sender
from tools.differential.watches import Heard

SLOT = Slot("s2", ["hollow-7", "hollow-8", "hollow-9"])
SPEAKS = ["namespaces/kube-node-lease/leases/x", "nodes/x/status"]
"""What a node says that is back, before it tells of its pods."""


class Recorded:
    """A client that only writes down what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, Any, str]] = []

    def ask(self, method: str, path: str, body: Any = None, type_: str = "application/json") -> Answer:
        self.asked.append((method, path, body, type_))
        return Answer(200, {})


@pytest.mark.parametrize(
    "kind, value, method, path, body, type_",
    [
        pytest.param(
            "patch",
            {"kind": "Job", "name": "w", "type": "merge", "patch": {"spec": {"suspend": True}}},
            "PATCH",
            "apis/batch/v1/namespaces/n/jobs/w",
            {"spec": {"suspend": True}},
            MERGE,
            id="patch",
        ),
        pytest.param(
            "patch",
            {"kind": "Pod", "name": "p", "type": "json", "patch": [], "subresource": "status"},
            "PATCH",
            "api/v1/namespaces/n/pods/p/status",
            [],
            JSON_PATCH,
            id="patch of a status",
        ),
        pytest.param(
            "scale",
            {"statefulset": "w", "replicas": 3},
            "PATCH",
            "apis/apps/v1/namespaces/n/statefulsets/w/scale",
            {"spec": {"replicas": 3}},
            MERGE,
            id="scale",
        ),
        pytest.param(
            "setImage",
            {"deployment": "w", "container": "app", "image": "b:2"},
            "PATCH",
            "apis/apps/v1/namespaces/n/deployments/w",
            {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "b:2"}]}}}},
            STRATEGIC,
            id="setImage",
        ),
        pytest.param(
            "delete",
            {"kind": "Pod", "name": "p", "gracePeriodSeconds": 0},
            "DELETE",
            "api/v1/namespaces/n/pods/p",
            {"gracePeriodSeconds": 1, "propagationPolicy": "Background"},
            "application/json",
            id="delete: kubectl's policy and grace",
        ),
        pytest.param(
            "evict",
            {"pod": "p"},
            "POST",
            "api/v1/namespaces/n/pods/p/eviction",
            {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p", "namespace": "n"}},
            "application/json",
            id="evict",
        ),
        pytest.param(
            "cordon", "x", "PATCH", "api/v1/nodes/x", {"spec": {"unschedulable": True}}, MERGE, id="cordon"
        ),
        pytest.param(
            "taint",
            {"node": "x", "taints": []},
            "PATCH",
            "api/v1/nodes/x",
            {"spec": {"taints": [{"key": "lab/own", "value": "yes", "effect": "NoSchedule"}]}},
            MERGE,
            id="taint: what keeps the nodes to one scenario stays",
        ),
    ],
)
def test_a_step_is_the_request_that_kubectl_sends(
    kind: str, value: Any, method: str, path: str, body: Any, type_: str
) -> None:
    client = Recorded()
    Sender(client, "n").take(kind, value)  # type: ignore[arg-type]
    assert client.asked == [(method, path, body, type_)]


@pytest.mark.parametrize(
    "kind, value, words",
    [
        ("chance", 7, "a step `chance` cannot be taken"),
        ("rollout", {"restart": "deployment/web"}, "needs kubectl"),
        ("fault", {"node": "x", "kind": "partition", "for": "5s"}, "cannot be made there"),
    ],
)
def test_a_step_that_cannot_be_taken_is_refused(kind: str, value: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Sender(Recorded(), "n").take(kind, value)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["Pod", "Deployment", "CronJob"])
def test_pods_are_kept_to_the_nodes_of_their_slot(kind: str) -> None:
    pod: Json = {"nodeName": "hollow-2", "tolerations": [{"key": "gpu"}]}
    template = {"template": {"spec": pod}}
    spec = {"Pod": pod, "Deployment": template, "CronJob": {"jobTemplate": {"spec": template}}}[kind]
    fitted = json.dumps(fit_to_slot({"kind": kind, "metadata": {"name": "x"}, "spec": spec}, SLOT))
    assert '"nodeName": "hollow-8"' in fitted
    assert '"nodeSelector": {"lab/slot": "s2"}' in fitted
    assert '[{"key": "gpu"}, {"key": "lab/own", "operator": "Exists", "effect": "NoSchedule"}]' in fitted


def test_what_was_heard_is_read_as_a_recording(tmp_path: Path) -> None:
    found = Recording("lab-x", SLOT, started=100.0)
    pod = {"metadata": {"name": "p", "namespace": "lab-x", "uid": "1"}, "status": {"phase": "Pending"}}
    stranger = {"metadata": {"name": "q", "namespace": "lab-y", "uid": "2"}}
    found.note("manifest 1, Pod p", Answer(201, {}), 0.0)
    for at, event, thing in ((100.5, "ADDED", pod), (101, "ADDED", stranger), (104, "DELETED", pod)):
        found.hear(Heard(at, event, "Pod", {"kind": "Pod", **thing}))
    found.note("step 1, evict at 6s", Answer(404, {"message": 'pods "p" not found'}), 6.0)
    path = tmp_path / "x.gz"
    found.write(Case("x", 1, (), (), 10), "2026-01-01T00:00:00+00:00", "v1.35.6", path)
    history = read_real(path)
    assert history["refusals"] == {"step 1, evict at 6s": 'pods "p" not found'}
    (one,) = history["objects"].values()
    assert one["fields"]["exists"] == [[0.5, "created", ""], [4.0, "deleted", ""]]
    assert one["fields"]["phase"] == [[0.5, "Pending", ""]]


@pytest.mark.parametrize(
    "first, second, expected",
    [
        pytest.param(("differs", "a b"), ("differs", "b c"), ("differs", "b"), id="the same again"),
        pytest.param(("differs", "a"), ("differs", "c"), ("chance", ""), id="something else"),
        pytest.param(("differs", "a"), ("same", ""), ("chance", ""), id="nothing"),
        pytest.param(("not recorded", ""), ("not recorded", ""), ("not recorded", ""), id="never recorded"),
        pytest.param(("not recorded", ""), ("differs", "a"), ("differs", "a"), id="recorded late"),
        pytest.param(("differs", "a"), ("not recorded", ""), ("not recorded", "a"), id="not recorded again"),
    ],
)
def test_what_is_not_shown_again_is_chance(
    first: tuple[str, str], second: tuple[str, str], expected: tuple[str, str]
) -> None:
    one, other = (
        Verdict(Case("x", 1, (), (), 10), word, shown=frozenset(shown.split()))
        for word, shown in (first, second)
    )

    class Search:
        def judge(self, cases: Any) -> list[Verdict]:
            return [other for _ in cases]

    (found,) = run_again(Search(), [one], 1)  # type: ignore[arg-type]
    assert (found.word, " ".join(sorted(found.shown))) == expected


# --- nodes that are not there -----------------------------------------------------------------------------


class Kubelet:
    """Hollow nodes with a clock that is moved by hand."""

    def __init__(self, acts: Json) -> None:
        self.now = 0.0
        self.client = Recorded()
        self.nodes = HollowNodes(self.client, {"x": {}}, lambda: self.now)  # type: ignore[arg-type]
        self.pod = make_pod("p", {}, acts, nodeName="x")
        self.pod["metadata"] |= {"uid": "1", "namespace": "n"}

    def hear(self, **meta: Any) -> None:
        self.pod = {**self.pod, "metadata": self.pod["metadata"] | meta}
        self.nodes.hear(Heard(self.now, "MODIFIED", "Pod", self.pod))

    def pass_to(self, now: float) -> list[str]:
        """What it says until then."""
        said: list[str] = []
        self.now = now
        self.client.asked.clear()
        self.nodes.run_due()
        for method, path, body, _ in self.client.asked:
            if method == "DELETE":
                said.append("gone")
                continue
            if "/pods/" not in path:
                said.append(path.rpartition("/v1/")[2])
                continue
            self.pod = {**self.pod, "status": body["status"]}
            self.nodes.hear(Heard(now, "MODIFIED", "Pod", self.pod))
            ready = next(one["status"] for one in body["status"]["conditions"] if one["type"] == "Ready")
            said.append(f"{body['status']['phase']} {ready}")
        return said


@pytest.mark.parametrize(
    "acts, expected",
    [
        pytest.param(run_for_ever(), {0: [], 1: ["Running True"], 60: []}, id="a server"),
        pytest.param(run_for_ever(0, 4), {1: ["Running False"], 4: [], 5: ["Running True"]}, id="ready late"),
        pytest.param(run_for_ever(0, None), {1: ["Running False"], 60: []}, id="never ready"),
        pytest.param(end_after(3, 0), {1: ["Running True"], 4: ["Succeeded False"]}, id="ends well"),
        pytest.param(end_after(3, 1), {1: ["Running True"], 3: [], 4: ["Failed False"]}, id="ends badly"),
    ],
)
def test_a_hollow_pod_lives_as_it_is_told(acts: Json, expected: dict[int, list[str]]) -> None:
    kubelet = Kubelet(acts)
    kubelet.hear()
    assert {now: kubelet.pass_to(now) for now in expected} == expected


@pytest.mark.parametrize(
    "acts, grace_seconds, expected",
    [
        pytest.param(run_for_ever(), 30, {10: ["Succeeded False", "gone"]}, id="at once"),
        pytest.param(run_for_ever(3), 30, {10: [], 12: [], 13: ["Succeeded False", "gone"]}, id="takes 3 s"),
        pytest.param(run_for_ever(3), 1, {10: [], 11: ["Failed False", "gone"]}, id="is killed"),
        pytest.param(end_after(60, 0), 30, {10: ["Failed False", "gone"]}, id="ends badly when stopped"),
        pytest.param(end_after(5, 0), 30, {10: ["gone"]}, id="had ended"),
    ],
)
def test_a_hollow_pod_ends_when_it_is_deleted(
    acts: Json, grace_seconds: int, expected: dict[int, list[str]]
) -> None:
    kubelet = Kubelet(acts)
    kubelet.hear()
    kubelet.pass_to(1)
    kubelet.pass_to(9)
    kubelet.now = 10
    kubelet.hear(deletionTimestamp="2026-01-01T00:00:00Z", deletionGracePeriodSeconds=grace_seconds)
    assert {now: kubelet.pass_to(now) for now in expected} == expected


def test_what_is_deleted_before_it_ran_fails() -> None:
    kubelet = Kubelet(run_for_ever(3))
    kubelet.hear()
    kubelet.hear(deletionTimestamp="2026-01-01T00:00:00Z", deletionGracePeriodSeconds=30)
    assert {now: kubelet.pass_to(now) for now in (0, 60)} == {0: ["Failed False", "gone"], 60: []}


def test_a_silent_node_tells_of_its_pods_when_it_is_back() -> None:
    kubelet = Kubelet(run_for_ever(0, 4))
    kubelet.hear()
    kubelet.pass_to(1)
    kubelet.nodes.silence("x", 20)
    assert {now: kubelet.pass_to(now) for now in (5, 20)} == {5: [], 20: []}
    assert kubelet.pass_to(21) == [*SPEAKS, "Running True"]


def test_a_node_that_is_back_says_again_that_its_pods_are_ready() -> None:
    """The node lifecycle controller has marked them as not ready while it was silent."""
    kubelet = Kubelet(run_for_ever())
    kubelet.hear()
    kubelet.pass_to(1)
    kubelet.nodes.silence("x", 60)
    assert kubelet.pass_to(61)[-1] == "Running True"


def test_what_the_watch_has_not_told_yet_is_not_asked_for() -> None:
    kubelet = Kubelet(run_for_ever(0, 4))
    kubelet.hear()
    kubelet.now = 1
    kubelet.nodes.run_due()
    assert kubelet.pass_to(5) == ["Running True"]
    kubelet = Kubelet(run_for_ever())
    kubelet.hear()
    kubelet.nodes.silence("x", 1)
    assert kubelet.pass_to(1) == ["Running True", *SPEAKS]


@pytest.mark.parametrize("seconds, ends", [(20, 35), (1, 21)])
def test_a_node_is_silent_as_long_as_its_longest_silence(seconds: float, ends: int) -> None:
    kubelet = Kubelet(run_for_ever())
    kubelet.pass_to(1)
    kubelet.nodes.silence("x", 20)
    kubelet.pass_to(15)
    kubelet.nodes.silence("x", seconds)
    assert {now: kubelet.pass_to(now) for now in (16, 21, 35)} == {16: [], 21: [], 35: []} | {ends: SPEAKS}
