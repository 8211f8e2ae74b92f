"""The judge is not silent: what Kubernetes warns of, or says in a condition, its owner's verdict tells."""

import ast
import re
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from lifecycle.engine.kinds.registry import list_workloads
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.job import JOB_KIND, Job
from lifecycle.engine.rules.pods.state import decide_state
from lifecycle.engine.rules.telling.losses import WINDOW_MS
from lifecycle.engine.rules.telling.noticed import Noticed
from lifecycle.engine.rules.telling.retries import tell_back_off
from lifecycle.judge import Seen, judge_workload
from lifecycle.pod_judge import SeenPod, judge_pod
from tests.test_floors import is_in, modules

# The process that reads the trees for the floors reads them for these too.
pytestmark = [pytest.mark.together("floors"), pytest.mark.slow]

KINDS = [entry.kind for entry in list_workloads()]
NOW_MS, STARTED = 300_000, "1970-01-01T00:01:00Z"
_REASON = re.compile(r"[A-Z][a-z]+([A-Z][a-z]*)*|BackOff")


def read_trees() -> list[ast.Module]:
    return [tree for name, tree in modules().items() if is_in(name, "lifecycle.engine")]


def list_constants() -> dict[str, str]:
    """The texts that the engine's modules give a name."""
    named = {}
    for node in (one for tree in read_trees() for one in tree.body if isinstance(one, ast.Assign)):
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=True))
        for name, text in pairs:
            if isinstance(name, ast.Name) and isinstance(text, ast.Constant) and isinstance(text.value, str):
                named[name.id] = text.value
    return named


@cache
def list_warnings() -> tuple[str, ...]:
    """Every reason that stands behind the word Warning in the engine, read from its syntax trees."""
    found, named = set(), list_constants() | {"WARNING": "Warning"}

    def read(node: ast.AST) -> str:
        text = node.value if isinstance(node, ast.Constant) else named.get(getattr(node, "id", ""), "")
        return text if isinstance(text, str) else ""

    for node in (one for tree in read_trees() for one in ast.walk(tree)):
        parts = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
        for one, after in pairwise(parts):
            if read(one) == "Warning" and _REASON.fullmatch(read(after)):
                found.add(read(after))
    return tuple(sorted(found - {"Warning"}))


def make_pod(conditions: list[dict[str, Any]], ready: bool = False, **status: Any) -> dict[str, Any]:
    state = {"running": {"startedAt": STARTED}}
    container = {"name": "app", "ready": ready, "started": True, "restartCount": 0, "state": state}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "web-0",
            "namespace": "default",
            "uid": "u",
            "creationTimestamp": "1970-01-01T00:00:30Z",
        },
        "spec": {"nodeName": "node-1", "containers": [{"name": "app", "image": "web:1"}]},
        "status": {
            "phase": "Running",
            "conditions": [condition("PodScheduled", "True"), *conditions],
            "containerStatuses": [{**container, **status}],
        },
    }


def condition(type: str, status: str, reason: str = "", message: str = "") -> dict[str, Any]:
    told = {"type": type, "status": status, "lastTransitionTime": STARTED}
    return {**told, **({"reason": reason} if reason else {}), **({"message": message} if message else {})}


NOT_READY = [condition("Ready", "False", "ContainersNotReady", "containers with unready status: [app]")]


def judge(kind, pods, noticed=None, status=None) -> str:
    meta = {"name": "web", "namespace": "default", "uid": "w", "generation": 1}
    spec = {
        "replicas": 1,
        "schedule": "0 0 1 1 *",
        "selector": {"matchLabels": {"app": "web"}},
        "template": {},
    }
    data = {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": meta,
        "spec": spec,
        "status": status or {},
    }
    seen = [SeenPod(one, decide_state(Pod.from_json(one)).name, told) for one, told in pods]
    return judge_workload(Seen(kind.id, data, NOW_MS, 0, seen, noticed or Noticed())).sentence


def warn(reason: str, at_ms: int = 200_000) -> Noticed:
    noticed = Noticed()
    noticed.take_event("Warning", reason, f"what {reason} says", at_ms, at_ms)
    return noticed


def test_the_engine_has_many_warnings() -> None:
    assert {"FailedAttachVolume", "BackOff", "Unhealthy", "FailedCreatePodSandBox"} <= {*list_warnings()}
    assert len(list_warnings()) >= 25


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_warnings_of_a_pod_that_is_not_ready_are_in_the_verdict_of_its_owner(kind) -> None:
    silent = [
        reason
        for reason in list_warnings()
        if f"what {reason} says" not in judge(kind, [(make_pod(NOT_READY), warn(reason))])
    ]
    assert silent == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_warnings_of_a_workload_are_in_its_verdict(kind) -> None:
    refused = {"FailedCreate"}
    silent = [
        reason
        for reason in list_warnings()
        if reason not in refused and f"what {reason} says" not in judge(kind, [], warn(reason))
    ]
    assert silent == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_warning_of_an_earlier_start_is_over(kind) -> None:
    """FailedScheduling of a pod that was scheduled since says nothing of why it is not ready."""
    told = judge(kind, [(make_pod(NOT_READY), warn("FailedScheduling", 40_000))])
    assert "FailedScheduling" not in told


@pytest.mark.parametrize(
    "conditions, expected",
    [
        pytest.param(
            [condition("Ready", "False", "ReadinessGatesNotReady", "no example.com/lb")],
            "ReadinessGatesNotReady (no example.com/lb)",
            id="a readiness gate that nobody sets",
        ),
        pytest.param(
            [*NOT_READY, condition("Mounted", "False", "NoDisk", "disk 1 is away")],
            "Mounted is False since 00:01:00: NoDisk (disk 1 is away)",
            id="a condition of somebody else",
        ),
        pytest.param(
            NOT_READY,
            "Ready is False since 00:01:00: ContainersNotReady (containers with unready status: [app])",
            id="nothing but that it is not ready, for long",
        ),
    ],
)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_condition_that_is_false_is_told(kind, conditions, expected) -> None:
    assert expected in judge(kind, [(make_pod(conditions), Noticed())])


# --- conditions -------------------------------------------------------------------------------------------


@cache
def list_reasons() -> tuple[str, ...]:
    """Every word that may be the reason of a condition, read from the engine's syntax trees.

    It stands behind the status of one, among the arguments of a function that is named for conditions, or as
    `reason` in a mapping. Words that are types of conditions may be among them: a verdict tells any.
    """
    found, named = set(), list_constants()

    def read(node: ast.AST | None) -> list[str]:
        if isinstance(node, ast.IfExp):
            return [*read(node.body), *read(node.orelse)]
        text = node.value if isinstance(node, ast.Constant) else named.get(getattr(node, "id", ""), "")
        return [text] if isinstance(text, str) else []

    for node in (one for tree in read_trees() for one in ast.walk(tree)):
        parts = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
        behind = [after for one, after in pairwise(parts) if {*read(one)} & {"True", "False", "Unknown"}]
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            behind += node.args if "condition" in name.lower() else []
        elif isinstance(node, ast.Dict):
            behind += [
                value for key, value in zip(node.keys, node.values, strict=True) if read(key) == ["reason"]
            ]
        found |= {text for one in behind for text in read(one) if _REASON.fullmatch(text)}
    return tuple(sorted(found - {"True", "False", "Unknown"}))


def test_the_engine_has_many_reasons_of_conditions() -> None:
    known = {
        "ReadinessGatesNotReady",
        "SchedulingGated",
        "MinimumReplicasUnavailable",
        "ReplicaSetCreateError",
    }
    assert known | {"PodFailurePolicy", "PreemptionByScheduler"} <= {*list_reasons()}
    assert len(list_reasons()) >= 40


OF_PODS = [
    pytest.param("Ready", "False", False, id="not ready"),
    pytest.param("example.com/Mounted", "False", False, id="a condition of somebody else"),
    pytest.param("PodResizePending", "True", True, id="a wish that is not fulfilled"),
    pytest.param("PodResizeInProgress", "True", True, id="one that is being fulfilled"),
]


@pytest.mark.parametrize("type, status, is_ready", OF_PODS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_reason_of_a_pods_condition_is_in_the_verdict_of_its_owner(
    kind, type, status, is_ready
) -> None:
    silent = []
    for reason in list_reasons():
        conditions = [condition(type, status, reason, f"what {reason} says")]
        conditions += [condition("Ready", "True")] if is_ready else [] if type == "Ready" else NOT_READY
        told = judge(kind, [(make_pod(conditions, is_ready), Noticed())])
        silent += [] if reason in told and f"what {reason} says" in told else [reason]
    assert silent == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_reason_for_which_no_node_takes_a_pod_is_in_the_verdict_of_its_owner(kind) -> None:
    silent = []
    for reason in list_reasons():
        pod = make_pod([])
        pod["status"] = {
            "phase": "Pending",
            "conditions": [condition("PodScheduled", "False", reason, "why not")],
        }
        del pod["spec"]["nodeName"]
        silent += (
            [] if f"{reason}" in (told := judge(kind, [(pod, Noticed())])) and "why not" in told else [reason]
        )
    assert silent == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_reason_for_which_a_pod_was_made_to_go_is_in_the_verdict_of_its_owner(kind) -> None:
    """What drains do by evictions is told with them."""
    silent = []
    for reason in list_reasons():
        noticed = Noticed()
        noticed.take_transition(
            "condition.DisruptionTarget", None, "True", 200_000, reason, "make room", None
        )
        told = judge(kind, [(make_pod([condition("Ready", "True")], ready=True), noticed)])
        silent += [] if "(make room)" in told else [reason]
    assert silent == []


TOLD_BY_NUMBERS = ("ProgressDeadlineExceeded", "MinimumReplicasUnavailable")
"""`exceeded its progress deadline`, and `0 of 1 updated replicas are available`."""
OF_WORKLOADS = [
    *((kind, "ReplicaFailure", "True") for kind in ("Deployment", "ReplicaSet", "ReplicationController")),
    *(("Deployment", "Progressing", "False"), ("Deployment", "Available", "False")),
    *(("Job", "FailureTarget", "True"), ("Job", "Failed", "True"), ("Job", "SuccessCriteriaMet", "True")),
]


@pytest.mark.parametrize("name, type, status", OF_WORKLOADS)
def test_every_reason_of_a_workloads_own_condition_is_in_its_verdict(name, type, status) -> None:
    (kind,) = [one for one in KINDS if one.name == name]
    silent = []
    for reason in list_reasons():
        own = {
            "conditions": [condition(type, status, reason, f"what {reason} says")],
            "observedGeneration": 1,
        }
        told = judge(kind, [], status=own)
        is_told = reason in TOLD_BY_NUMBERS or f"what {reason} says" in told
        silent += [] if is_told else [reason]
    assert silent == []


def end(code: int, reason: str, started: str = "00:01:10", finished: str = "00:01:50") -> dict[str, Any]:
    times = {"startedAt": f"1970-01-01T{started}Z", "finishedAt": f"1970-01-01T{finished}Z"}
    return {"terminated": {"exitCode": code, "reason": reason, **times}}


BACK_OFF = {
    "waiting": {
        "reason": "CrashLoopBackOff",
        "message": "back-off 5m0s restarting failed container=app pod=web-0",
    }
}


@pytest.mark.parametrize(
    "last, checks, expected",
    [
        pytest.param(end(3, "Error"), [], "app ended with exit code 3 (Error)", id="by itself"),
        pytest.param(end(0, "Completed"), [], "app ended with exit code 0 (Completed)", id="well, too early"),
        pytest.param(
            end(139, "Error"), [], "app ended with exit code 139 (Error, SIGSEGV)", id="by a signal"
        ),
        pytest.param(
            end(137, "OOMKilled"), [], "app ended with exit code 137 (OOMKilled, memory limit 64Mi)", id="OOM"
        ),
        pytest.param(
            end(143, "Error"),
            [("liveness", 108_000, 1)],
            "app ended with exit code 143 (Error, SIGTERM) because its liveness probe failed (HTTP 503)",
            id="by its liveness probe",
        ),
        pytest.param(
            end(137, "Error"),
            [("startup", 80_000, 3), ("startup", 100_000, 3)],
            "app ended with exit code 137 (Error, SIGKILL) because its startup probe failed (HTTP 503)",
            id="by its startup probe, at the threshold",
        ),
        pytest.param(
            end(1, "Error"),
            [("liveness", 108_000, 3)],
            "app ended with exit code 1 (Error)",
            id="by itself, though a check had failed once",
        ),
        pytest.param(
            end(1, "Error"),
            [("liveness", 20_000, 1)],
            "app ended with exit code 1 (Error)",
            id="by itself, though a check ended the run before",
        ),
    ],
)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_last_end_is_told_with_its_cause(kind, last, checks, expected) -> None:
    pod = make_pod(NOT_READY, state=BACK_OFF, lastState=last, restartCount=4)
    pod["spec"]["containers"][0]["resources"] = {"limits": {"memory": "64Mi"}}
    noticed, before = Noticed(), None
    for check, at_ms, threshold in checks:
        detail = {"threshold": threshold}
        noticed.take_transition(f"probe.app.{check}", before, "Failure", at_ms, None, "HTTP 503", detail)
        before = "Failure"
    told = judge(kind, [(pod, noticed)])
    assert expected in told
    assert ("because" in told) == ("because" in expected)


def test_a_pod_between_two_runs_tells_the_last_end_and_no_success() -> None:
    """After exit 0, before its kubelet says CrashLoopBackOff, and while it waits to be ready again."""
    pod = make_pod(NOT_READY, lastState=end(0, "Completed"), state=end(0, "Completed"), restartCount=3)
    told = judge_pod(SeenPod(pod, "crashing"), NOW_MS, 0)
    assert told.startswith("Completed, not ready since 00:01:00: app ended with exit code 0 (Completed)")


def test_a_resize_that_cannot_be_made_is_told_of_a_pod_that_is_well() -> None:
    ready = [
        condition("Ready", "True"),
        condition("PodResizePending", "True", "Infeasible", "too much memory"),
    ]
    pod = make_pod(ready, ready=True)
    said = "PodResizePending since 00:01:00: Infeasible (too much memory)"
    assert said in judge_pod(SeenPod(pod, "ready"), NOW_MS, 0)
    assert said in judge(KINDS[0], [(pod, Noticed())])


@pytest.mark.parametrize(
    "reason, words",
    [
        ("PreemptionByScheduler", "preempted for pods of a higher priority"),
        ("DeletionByTaintManager", "evicted from a node with a taint"),
        ("TerminationByKubelet", "ended by the kubelet"),
        ("DeletionByPodGC", "deleted, as their node is no more"),
        ("Quarantine", "made to go by Quarantine"),
    ],
)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_pods_that_were_made_to_go_are_told(kind, reason, words) -> None:
    noticed = Noticed()
    noticed.take_transition("condition.DisruptionTarget", None, "True", 200_000, reason, "make room", None)
    pod = make_pod([condition("Ready", "True")], ready=True)
    told = judge(kind, [(pod, noticed)])
    assert f"1 pod was {words}" in told
    assert "last at 00:03:20 (make room)" in told


@pytest.mark.parametrize(
    "failed, parallelism, completions, now_ms, expected",
    [
        (10, 10, 10, 130_000, ["backs off after 10 failures: 10 pods start at 00:12:00, in 9m 50s"]),
        (1, 1, 1, 121_000, ["backs off after 1 failure: 1 pod starts at 00:02:10, in 9s"]),
        (2, 5, 3, 121_000, ["backs off after 2 failures: 3 pods start at 00:02:20, in 19s"]),
        (1, 1, 1, 131_000, []),
        (0, 1, 1, 121_000, []),
    ],
)
def test_a_job_that_backs_off_says_how_many_pods_start_when(
    failed, parallelism, completions, now_ms, expected
) -> None:
    """10 s, doubled by each failure, 10 minutes at most, from the end of the last one."""
    spec = {"parallelism": parallelism, "completions": completions, "backoffLimit": 20, "template": {}}
    job = Job.from_json({"metadata": {"name": "j"}, "spec": spec, "status": {"failed": failed}})
    pod = make_pod([], state=end(1, "Error", finished="00:02:00"))
    pod["status"]["phase"] = "Failed"
    assert tell_back_off(job, [Pod.from_json(pod)] * failed, now_ms) == expected


# --- whatever happens ---------------------------------------------------------------------------------------

READY = [condition("Ready", "True")]
LIKELY = {
    "well": (READY, True, {}),
    "not ready": (NOT_READY, False, {}),
    "crashing": (NOT_READY, False, {"state": BACK_OFF, "lastState": end(1, "Error"), "restartCount": 2}),
    "restarted": (READY, True, {"lastState": end(1, "Error"), "restartCount": 1}),
}


def draw(seed: int) -> tuple[str, list[str], bool, bool]:
    """Kind, how each pod is, whether an eviction of the first stands open, whether any pod is missing."""
    chance = Random(seed)
    pods = [chance.choice([*LIKELY, "well", "well", "well"]) for _ in range(chance.randint(1, 4))]
    kind = chance.choice(["StatefulSet", "ReplicaSet", "ReplicationController", "DaemonSet"])
    return kind, pods, chance.random() < 0.1, chance.random() < 0.1


def see(seed: int, now_ms: int) -> tuple[Seen, bool]:
    """What is seen, and whether anything is wrong with it."""
    name, drawn, is_open, is_missing = draw(seed)
    kind, ready = next(one for one in KINDS if one.name == name), 0
    pods = []
    for number, one in enumerate(drawn):
        conditions, is_ready, status = LIKELY[one]
        pod, noticed = make_pod(conditions, is_ready, **status), Noticed()
        pod["metadata"] |= {"name": f"web-{number}", "uid": str(number)}
        if is_open and not number:
            noticed.take_transition("eviction", None, "refused", 100_000, "web", None)
        pods.append(SeenPod(pod, decide_state(Pod.from_json(pod)).name, noticed))
        ready += is_ready
    size = len(pods) + is_missing
    numbers = {"readyReplicas": ready, "replicas": len(pods), "updatedReplicas": len(pods)}
    numbers |= {"currentReplicas": len(pods), "availableReplicas": ready, "observedGeneration": 1}
    numbers |= {"desiredNumberScheduled": size, "updatedNumberScheduled": size} if name == "DaemonSet" else {}
    numbers |= {"numberReady": ready, "numberAvailable": ready} if name == "DaemonSet" else {}
    meta = {"name": "web", "namespace": "default", "uid": "w", "generation": 1}
    strategy = {"updateStrategy": {"type": "RollingUpdate"}} if name in ("StatefulSet", "DaemonSet") else {}
    data = {"metadata": meta, "spec": {"replicas": size, **strategy}, "status": numbers}
    is_lately = now_ms < 110_000 + WINDOW_MS and "restarted" in drawn
    is_wrong = is_open or is_missing or is_lately or bool({*drawn} & {"not ready", "crashing"})
    return Seen(kind.id, data, now_ms, 0, pods), is_wrong


@pytest.mark.parametrize("seeds", [200, pytest.param(1_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize("now_ms", [NOW_MS, 60 * 60_000], ids=["now", "an hour later"])
def test_a_workload_is_well_exactly_if_nothing_is_wrong(now_ms: int, seeds: int) -> None:
    """A pod that is wanted and not ready, one that restarted lately, and an open eviction are wrong."""
    seen = [see(seed, now_ms) for seed in range(seeds)]
    odd = [seed for seed, (one, is_wrong) in enumerate(seen) if judge_workload(one).is_well == is_wrong]
    assert odd == []
    assert {is_wrong for _, is_wrong in seen} == {True, False}


@pytest.mark.parametrize("type, is_well", [("FailureTarget", False), ("Failed", False), ("Complete", True)])
def test_a_job_that_fails_or_is_to_fail_is_not_well(type: str, is_well: bool) -> None:
    meta = {"name": "web", "namespace": "default", "uid": "w", "generation": 1}
    status = {"conditions": [condition(type, "True", "Reason", "why")], "failed": 1}
    data = {"metadata": meta, "spec": {"template": {}}, "status": status}
    assert judge_workload(Seen(JOB_KIND.id, data, NOW_MS, 0)).is_well == is_well
