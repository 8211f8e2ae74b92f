"""All that pods of one template ask of their place, read once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..objects.node import Node
from ..objects.pods.pod import Pod, PodSpec
from ..objects.selector import Selector
from ..rules.placement.host_ports import list_host_ports
from ..rules.placement.node_filters import has_preferences, has_untolerated, tell_unreadable, wants_node
from ..rules.placement.terms import (
    DO_NOT_SCHEDULE,
    SCHEDULE_ANYWAY,
    Constraint,
    Term,
    make_default_constraints,
    read_constraints,
    read_terms,
)
from ..rules.pods.resources import assumed_requests, effective_requests
from .node_resources_fit import Load

_LEAST_IMAGE, _LARGEST_IMAGE = 23 << 20, 1000 << 20


class Wishes:
    """What a pod asks for. `selectors`: of the Services and the workload that it is one of.

    `labels_of`: the labels of a namespace.
    `unreadable`: why nodes cannot be compared, "" where they can.
    `needs_all_labels`: nodes without the label of a preferred constraint are the last choice.
    """

    def __init__(
        self,
        pod: Pod,
        spec: PodSpec,
        selectors: Sequence[Selector],
        labels_of: Callable[[str], Mapping[str, str]],
    ) -> None:
        self.spec, self.namespace, self.labels = spec, pod.meta.namespace or "", pod.meta.labels
        self.labels_of = labels_of
        self.load = Load(effective_requests(spec), assumed_requests(spec), list_host_ports(spec))
        self.terms = read_terms(spec.affinity, self.namespace, self.labels)
        own = spec.topology_spread_constraints
        self.hard = read_constraints(own, self.labels, DO_NOT_SCHEDULE)
        self.soft = read_constraints(own, self.labels, SCHEDULE_ANYWAY)
        self.needs_all_labels = bool(own)
        if not own:
            self.soft = make_default_constraints(selectors)
        self.has_preferences = has_preferences(spec)
        self.unreadable = tell_unreadable(spec) if self.has_preferences else ""
        containers = (*spec.init_containers, *spec.containers)
        self.images = tuple(_with_tag(one.image) for one in containers)

    @property
    def namespaces(self) -> frozenset[str] | None:
        """The namespaces of all pods that it asks for; None: any may be one."""
        terms = (*self.terms.near, *self.terms.apart, *self.terms.preferred)
        if any(one.of_namespaces.raw is not None for one in terms):
            return None
        return frozenset((self.namespace, *(space for one in terms for space in one.namespaces)))

    def counts_on(self, constraint: Constraint, keys: Sequence[str], node: Node) -> bool:
        """Whether pods on a node count for a constraint; `keys`: the labels that it has to have for that."""
        labels = node.meta.labels
        if any(key not in labels for key in keys):
            return False
        if constraint.honors_affinity and not wants_node(self.spec, node):
            return False
        is_kept_away = constraint.honors_taints and has_untolerated(
            self.spec, node, ("NoSchedule", "NoExecute")
        )
        return not is_kept_away

    def is_meant(self, term: Term) -> bool:
        """Whether a term of another pod is about this one."""
        return term.matches(self.namespace, self.labels, self.labels_of(self.namespace))

    def score_images(self, name: str, images: Mapping[str, Mapping[str, int]], node_count: int) -> int:
        """How much of its images a node has, 0 to 100, less for what few nodes have (ImageLocality)."""
        total = 0
        for image in self.images:
            sizes = images.get(image)
            if sizes and name in sizes:
                total += int(sizes[name] * (len(sizes) / node_count))
        most = _LARGEST_IMAGE * len(self.images)
        return 100 * (min(max(total, _LEAST_IMAGE), most) - _LEAST_IMAGE) // (most - _LEAST_IMAGE)


def _with_tag(image: str) -> str:
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"
