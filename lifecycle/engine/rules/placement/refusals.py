"""Why a node does not take a pod, in the scheduler's words, and which plugin says so. Pure."""

from __future__ import annotations

from lifecycle.lean_tuples import NamedTuple

from ...objects.node import Node
from ...objects.pods.pod import PodSpec
from .host_ports import NO_FREE_PORTS
from .node_filters import CORDONED, NOT_WANTED, UNTOLERATED, why_not

CORDON, TAINTS, NODE_AFFINITY = "NodeUnschedulable", "TaintToleration", "NodeAffinity"
PORTS, FIT = "NodePorts", "NodeResourcesFit"
VOLUMES = "VolumeBinding"
SPREAD, POD_AFFINITY = "PodTopologySpread", "InterPodAffinity"
BALANCE, IMAGES = "NodeResourcesBalancedAllocation", "ImageLocality"


class Refusal(NamedTuple):
    """What a plugin says of a node. `is_final`: it would say so also if pods made room there."""

    plugin: str
    reasons: tuple[str, ...]
    is_final: bool = True


NO_PORTS = Refusal(PORTS, (NO_FREE_PORTS,), False)
SKEWED = Refusal(SPREAD, ("node(s) didn't match pod topology spread constraints",), False)
UNLABELLED = Refusal(
    SPREAD, ("node(s) didn't match pod topology spread constraints (missing required label)",)
)
NOT_NEAR = Refusal(POD_AFFINITY, ("node(s) didn't match pod affinity rules",))
NOT_APART = Refusal(POD_AFFINITY, ("node(s) didn't match pod anti-affinity rules",), False)
KEPT_AWAY = Refusal(POD_AFFINITY, ("node(s) didn't satisfy existing pods anti-affinity rules",), False)
_OF_NODES = {
    CORDONED: Refusal(CORDON, (CORDONED,)),
    UNTOLERATED: Refusal(TAINTS, (UNTOLERATED,)),
    NOT_WANTED: Refusal(NODE_AFFINITY, (NOT_WANTED,)),
}
TOO_MANY_PODS = "Too many pods"


def find_refusal(spec: PodSpec, node: Node) -> Refusal | None:
    """What the node itself has against a pod, whatever else is on it."""
    why = why_not(spec, node)
    return _OF_NODES[why] if why else None


def make_shortage(reasons: list[str], is_final: bool) -> Refusal:
    """A node has too little of something. `is_final`: it would have too little also if it were empty."""
    return Refusal(FIT, tuple(reasons), is_final)
