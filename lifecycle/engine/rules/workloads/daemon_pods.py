"""Which nodes a DaemonSet's pods are for, and how such a pod is tied to its node. Pure.

Models Kubernetes' `NodeShouldRunDaemonPod` and the changes that its controller makes to the template. Free
room and host ports on the node do not matter: those the scheduler looks at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_tuples import NamedTuple

from ...objects.names import REQUIRED, REVISION_LABEL
from ...objects.node import Node, Taint
from ...objects.pods.pod import Pod
from ...objects.pods.template import PodTemplate
from ...objects.workloads.daemon_set import GENERATION_LABEL
from ..placement.node_filters import has_untolerated, tolerates, wants_node

NO_SCHEDULE, NO_EXECUTE = "NoSchedule", "NoExecute"
_AUTOMATIC = (
    ("node.kubernetes.io/not-ready", NO_EXECUTE),
    ("node.kubernetes.io/unreachable", NO_EXECUTE),
    ("node.kubernetes.io/disk-pressure", NO_SCHEDULE),
    ("node.kubernetes.io/memory-pressure", NO_SCHEDULE),
    ("node.kubernetes.io/pid-pressure", NO_SCHEDULE),
    ("node.kubernetes.io/unschedulable", NO_SCHEDULE),
)
_OF_HOST_NETWORK = ("node.kubernetes.io/network-unavailable", NO_SCHEDULE)
_NODE = "nodeAffinity"

Json = Mapping[str, Any]


class Fit(NamedTuple):
    """Whether a node is to get a pod, and whether a pod that is on it may stay."""

    should_run: bool
    should_continue: bool


NO_FIT = Fit(False, False)


def decide_fit(template: PodTemplate, node: Node) -> Fit:
    """What a node is to a DaemonSet; the template is one with the automatic tolerations (DS-NODE-05).

    A taint `NoSchedule` that is not tolerated keeps new pods away and leaves those that are there.
    """
    if template.node_name not in ("", node.meta.name):
        return NO_FIT
    spec = template.spec
    if not wants_node(spec, node):
        return NO_FIT
    if not has_untolerated(spec, node, (NO_SCHEDULE, NO_EXECUTE)):
        return Fit(True, True)
    return Fit(False, not has_untolerated(spec, node, (NO_EXECUTE,)))


def explain_fit(template: PodTemplate, node: Node) -> str:
    """Why a node is to get no pod, in words that name what is in the way; "" where it is to get one."""
    if decide_fit(template, node).should_run:
        return ""
    if template.node_name not in ("", node.meta.name):
        return f"the pods are for {template.node_name}"
    spec, labels = template.spec, node.meta.labels
    missing = [f"{name}={value}" for name, value in spec.node_selector.items() if labels.get(name) != value]
    if missing:
        return f"node selector {', '.join(missing)}"
    if not wants_node(spec, node):
        return "node affinity"
    taints = [
        one
        for one in node.spec.taints
        if one.effect in (NO_SCHEDULE, NO_EXECUTE) and not tolerates(spec.tolerations, one)
    ]
    return f"taint {', '.join(map(_write_taint, taints))}"


def _write_taint(taint: Taint) -> str:
    """As kubectl writes it: `dedicated=db:NoSchedule`."""
    return f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"


def make_daemon_template(template: PodTemplate, generation: int | None, digest: str) -> PodTemplate:
    """The template of a DaemonSet's pods, each tied to its node later (DS-TOL-01 to -09, DS-GEN-08)."""
    made = tolerate_trouble(template)
    if generation is not None:
        made = made.with_label(GENERATION_LABEL, str(generation))
    return made.with_label(REVISION_LABEL, digest)


def tolerate_trouble(template: PodTemplate) -> PodTemplate:
    """The template with the tolerations that every daemon pod has beside its own, for ever."""
    spec = template.raw.get("spec") or {}
    tolerations = [dict(one) for one in spec.get("tolerations") or ()]
    for key, effect in [*_AUTOMATIC, *([_OF_HOST_NETWORK] if spec.get("hostNetwork") else [])]:
        _tolerate(tolerations, {"key": key, "operator": "Exists", "effect": effect})
    return PodTemplate({**template.raw, "spec": {**spec, "tolerations": tolerations}})


def _tolerate(tolerations: list[dict[str, Any]], wanted: dict[str, Any]) -> None:
    """One of the same key, operator and effect is made to last for ever, else another is added."""
    same = [
        index
        for index, one in enumerate(tolerations)
        if not one.get("value") and all(one.get(name) == wanted[name] for name in wanted)
    ]
    for index in same:
        tolerations[index] = wanted
    if not same:
        tolerations.append(wanted)


def tie_to_node(affinity: Json, name: str) -> dict[str, Any]:
    """The affinity of a template made to want this node alone; its other parts stay (DS-SCHED-02, -06)."""
    of_nodes = affinity.get(_NODE) or {}
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}]
    required = {**(of_nodes.get(REQUIRED) or {}), "nodeSelectorTerms": terms}
    return {**affinity, _NODE: {**of_nodes, REQUIRED: required}}


def find_target(pod: Pod) -> str:
    """The node that a pod is on, or that its affinity names alone; "" where there is no such."""
    if pod.node_name:
        return pod.node_name
    required = (pod.spec.affinity.get(_NODE) or {}).get(REQUIRED) or {}
    for term in required.get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            if (field.get("key"), field.get("operator")) == ("metadata.name", "In"):
                values = list(field.get("values") or ())
                return str(values[0]) if len(values) == 1 else ""
    return ""
