"""The tally counts change by change what a full count would give."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifecycle.engine.controllers.owner.tally import OwnerTally, Tally
from lifecycle.engine.objects.condition import Condition
from lifecycle.engine.objects.meta import ObjectMeta, OwnerReference
from lifecycle.engine.objects.pods.pod import Pod, PodSpec
from lifecycle.engine.objects.pods.status import PodStatus
from lifecycle.engine.objects.selector import Selector

pytestmark = pytest.mark.slow

OWNER = OwnerReference("apps/v1", "ReplicaSet", "web", "owner", True, True)
TEMPLATE_LABELS = {"app": "web", "extra": "yes"}
SELECTOR = Selector({"matchLabels": {"app": "web"}})
SPEC = PodSpec({})

pods = st.fixed_dictionaries(
    {
        "phase": st.sampled_from(["Pending", "Running", "Succeeded", "Failed", "Unknown"]),
        "node": st.sampled_from(["", "node-1", "node-2"]),
        "ready_ms": st.none() | st.integers(0, 20_000),
        "deleted": st.booleans(),
        "labels": st.sampled_from([TEMPLATE_LABELS, {"app": "web"}, {"app": "other"}]),
    }
)
changes = st.lists(st.tuples(st.integers(0, 4), st.none() | pods), max_size=40)


def make_pod(number: int, data: dict[str, Any], former: Pod | None) -> Pod:
    conditions = (
        () if data["ready_ms"] is None else (Condition("Ready", "True", last_transition_ms=data["ready_ms"]),)
    )
    meta = ObjectMeta(
        f"web-{number}",
        "default",
        f"uid-{number}",
        data["labels"],
        owner_references=(OWNER,),
        deletion_ms=1 if data["deleted"] else None,
    )
    # A write shares what it does not change.
    if former is not None and former.meta == meta:
        meta = former.meta
    return Pod(meta=meta, spec=SPEC, status=PodStatus(data["phase"], conditions), node_name=data["node"])


def numbers(tally: OwnerTally) -> dict[str, Any]:
    return {
        "active": tally.active,
        "ready": tally.ready,
        "available": tally.available,
        "labeled": tally.labeled,
        "terminating": tally.terminating,
        "unfinished": tally.unfinished,
        "strays": set(tally.strays),
        "unranked": set(tally.unranked),
        "ranked": {node: set(members) for node, members in tally.ranked.items()},
        "nodes": tally.nodes,
        "due": tally.next_due_ms,
    }


def full_count(pods: list[Pod], min_ready_ms: int, now_ms: int) -> dict[str, Any]:
    active = [pod for pod in pods if pod.is_active]
    ready = [pod for pod in active if pod.is_ready]
    # Kubernetes keeps whole seconds: recorded in deploy-min-ready-seconds, six seconds after the second.
    since = [pod.ready_condition.last_transition_ms // 1000 * 1000 for pod in ready]
    dues = [since_ms + min_ready_ms for since_ms in since if min_ready_ms]
    ranked = [pod for pod in ready if pod.node_name and pod.status.phase == "Running"]
    by_node: dict[str, set[str]] = {}
    for pod in ranked:
        by_node.setdefault(pod.node_name, set()).add(pod.meta.uid)
    nodes: dict[str, int] = {}
    for pod in active:
        if pod.node_name:
            nodes[pod.node_name] = nodes.get(pod.node_name, 0) + 1
    return {
        "active": len(active),
        "ready": len(ready),
        "available": len(ready) - sum(due > now_ms for due in dues),
        "labeled": sum(pod.meta.labels == TEMPLATE_LABELS for pod in active),
        "terminating": sum(
            pod.meta.deletion_ms is not None and not pod.is_finished and pod.meta.labels["app"] == "web"
            for pod in pods
        ),
        "unfinished": sum(not pod.is_finished for pod in pods),
        "strays": {pod.meta.uid for pod in active if pod.meta.labels["app"] != "web"},
        "unranked": {pod.meta.uid for pod in active if pod not in ranked},
        "ranked": by_node,
        "nodes": nodes,
        "due": min((due for due in dues if due > now_ms), default=None),
    }


@given(changes, st.sampled_from([0, 5]))
def test_a_tally_equals_a_full_count(steps: list[tuple[int, Any]], min_ready_seconds: int):
    tally = Tally()
    owner = tally.of(OWNER, "default")
    owner.describe_owner(SELECTOR, TEMPLATE_LABELS, min_ready_seconds, list)
    alive: dict[int, Pod] = {}
    for now_ms, (number, data) in enumerate(steps, 10_000):
        old = alive.pop(number, None)
        new = make_pod(number, data, old) if data is not None else None
        if new is not None:
            alive[number] = new
        if old is None and new is None:
            continue
        before = numbers(owner)
        changed = tally.on_pod_change(old, new)
        owner.advance(now_ms)
        after = numbers(owner)
        assert after == full_count(list(alive.values()), min_ready_seconds * 1000, now_ms)
        shown = ("active", "ready", "labeled", "terminating", "unfinished", "strays")
        if any(before[name] != after[name] for name in shown):
            assert list(changed) == [owner]
    again = OwnerTally(OWNER, "default")
    again.describe_owner(SELECTOR, TEMPLATE_LABELS, min_ready_seconds, lambda: alive.values())
    again.advance(10_000 + len(steps))
    owner.advance(10_000 + len(steps))
    assert numbers(again) == numbers(owner)
