"""What is wrong before anything is done is one finding, and no ordeal is blamed for it."""

from __future__ import annotations

import pytest

from lifecycle.check import checking
from lifecycle.check.checking import Checked, check
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.outputs.scorecard import NOT_TRIED, make_scorecard
from lifecycle.check.report import Report, Where
from lifecycle.check.settled import settle
from lifecycle.check.untouched import UNTOUCHED
from lifecycle.input.manifests import read_documents
from lifecycle.simulation.plan import make_plan

pytestmark = pytest.mark.slow

TRIED = ("rollout-healthy", "rollout-crashing", "drain-each")
CONTAINER = '{name: app, image: "web:1", ports: [{containerPort: 80}]}'
WORKLOAD = """
apiVersion: apps/v1
kind: KIND
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {podline.dev/behavior: "app: {onTerm: {takes: 1s}}"}}
    spec: {containers: [CONTAINER]}
"""
SERVICE = """
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80}]}
"""
BUDGET = """
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: shop}
spec: {maxUnavailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow, selector: {matchLabels: {app: web}}}
"""
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: seed, namespace: shop}
spec:
  backoffLimit: 1
  template:
    metadata: {annotations: {podline.dev/behavior: "app: {runs: [{for: 3s, exit: 1}]}"}}
    spec: {restartPolicy: Never, containers: [CONTAINER]}
"""


@pytest.fixture(autouse=True)
def cures(monkeypatch):
    """What helps is not looked for, unless a test does."""
    found = checking.cure
    monkeypatch.setattr(checking, "cure", lambda *_: [])
    return found


def make(kind: str = "Deployment", behavior: str = "", pod: str = "", replicas: int = 2) -> str:
    text = WORKLOAD.replace("KIND", kind).replace("replicas: 2", f"replicas: {replicas}")
    if kind == "DaemonSet":
        text = text.replace(f"  replicas: {replicas}\n", "")
    if behavior:
        text = text.replace("app: {onTerm: {takes: 1s}}", f"app: {behavior}")
    return text.replace("containers: [", f"{pod}containers: [")


def try_all(text: str, ordeals: tuple[str, ...] = TRIED, seeds: tuple[int, ...] = (1,)) -> Checked:
    documents = read_documents(text.replace("CONTAINER", CONTAINER), "web.yaml")
    return check(settle(make_plan(documents)), [one for one in list_ordeals() if one.name in ordeals], seeds)


CRASHES = "{runs: [{for: 3s, exit: 1}]}"
APART = (
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
    " [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}, "
)


@pytest.mark.spec("CHECK-FIND-03")
@pytest.mark.parametrize(
    "text, claim, severity, words",
    [
        pytest.param(
            make(behavior=CRASHES) + SERVICE + BUDGET, "nothing-stuck", "critical", "CrashLoopBackOff",
            id="it crashes",
        ),
        pytest.param(
            make(behavior="{pull: {error: ErrImagePull}}") + SERVICE, "nothing-stuck", "critical",
            "ImagePullBackOff", id="its image cannot be pulled",
        ),
        pytest.param(
            make("StatefulSet", pod="nodeSelector: {disk: ssd}, ") + SERVICE, "nothing-stuck", "critical",
            "Unschedulable", id="no node fits it",
        ),
        pytest.param(
            make("DaemonSet", CRASHES), "nothing-stuck", "critical", "CrashLoopBackOff", id="on every node",
        ),
        pytest.param(
            make(pod=APART, replicas=4) + BUDGET, "nothing-stuck", "serious", "Unschedulable",
            id="one of four has no node",
        ),
        pytest.param(
            make(behavior="{runs: [{for: 4m, exit: 1}]}", replicas=1), "no-restart-storm", "serious",
            "2 restarts of its containers in 10m", id="it ends again and again",
        ),
        pytest.param(
            make(behavior="{runs: [{for: 25s, exit: 1}]}") + SERVICE, "nothing-stuck", "critical",
            "CrashLoopBackOff", id="it is up for moments",
        ),
        pytest.param(JOB, "nothing-stuck", "serious", "BackoffLimitExceeded", id="a Job fails by itself"),
    ],
)  # fmt: skip
def test_what_is_wrong_from_the_start_is_told_once(text, claim, severity, words):
    checked = try_all(text)
    ((one),) = [one for one in checked.findings if one.worst.trial.ordeal.name == UNTOUCHED.name]
    assert (one.claim, one.severity, one.times, one.of) == (claim, severity, 1, 1)
    assert one.worst.violation.text.startswith("before anything is done: ")
    assert words in one.worst.violation.text
    assert one.ordeal == checked.summaries[0].ordeal.name
    # What is left is what ordeals do to the pods that are well.
    others = [other.claim for other in checked.findings if other is not one]
    assert not {"nothing-stuck", "no-restart-storm", "rollout-keeps-its-budget"}.intersection(others)
    assert severity == "serious" or others == []


def test_what_is_well_is_blamed_for_no_other():
    broken = make(behavior=CRASHES).replace("web", "bad")
    alone, beside = (
        {(one.ordeal, one.claim, one.object, one.severity) for one in try_all(text).findings}
        for text in (make() + SERVICE, make() + SERVICE + "---" + broken)
    )
    assert alone
    assert {one for one in beside if one[2] == "Deployment/shop/web"} == alone


@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet"])
def test_what_is_updated_by_hand_alone_is_well(kind):
    text = make(kind).replace("  selector:", "  updateStrategy: {type: OnDelete}\n  selector:")
    assert [one for one in try_all(text, ("drain-each",)).findings if one.claim == "nothing-stuck"] == []


@pytest.mark.spec("CHECK-FIND-03")
def test_only_what_grows_worse_than_it_was_is_an_ordeals_fault():
    four = make(pod=APART, replicas=4).replace("maxUnavailable: 1", "maxUnavailable: 3")
    found = try_all(four, ("node-crash",)).findings
    assert [(one.claim, one.worst.violation.text[:20]) for one in found if one.claim == "whole-again"] == [
        ("whole-again", "2 of 3 pods availabl")
    ]


def test_what_never_came_up_passes_no_ordeal():
    checked = try_all(make(behavior=CRASHES))
    report = Report(checked, lambda one: Where(), lambda one: "", lambda one: None)
    (row,) = make_scorecard(report).rows
    marks = {family: cell.mark for family, cell in row.cells.items()}
    assert marks.pop(UNTOUCHED.name) == "critical"
    assert set(marks.values()) == {NOT_TRIED}
    assert {one.end for one in checked.summaries} == {"stuck"}


def test_of_what_was_not_tried_nothing_is_told():
    checked = try_all(make(behavior=CRASHES), ("cron-away",))
    assert checked.summaries == checked.findings == ()


@pytest.mark.parametrize("ordeal", ["restart-all", "drain-each"])
def test_it_is_told_in_the_first_ordeal_that_was_tried_of_it(ordeal):
    (found,) = try_all(make(behavior=CRASHES), (ordeal,), (1, 2)).findings
    assert (found.ordeal, found.claim, found.times, found.of) == (ordeal, "nothing-stuck", 2, 2)


def test_a_change_that_lets_it_come_up_is_offered(cures, monkeypatch):
    monkeypatch.setattr(checking, "cure", cures)
    text = make(pod="nodeSelector: {disk: ssd}, ")
    (found,) = [one for one in try_all(text, ("rollout-healthy",)).findings if one.severity == "critical"]
    assert [one.text for one in found.remedies] == ["no nodeSelector"]
