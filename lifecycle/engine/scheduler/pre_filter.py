"""PreFilterState: what a pod requires of its node, read once for all pods of a template.

In Kubernetes, each plugin writes a state of its own in PreFilter and PreScore.
"""

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
from .node_resources_fit import PodResources

_LEAST_IMAGE, _LARGEST_IMAGE = 23 << 20, 1000 << 20


class PreFilterState:
    """The requirements of one pod.

    `selectors`: of its Services and its workload, for default constraints. `labels_of`: the labels of a
    namespace. `unreadable`: the error of a preferred node affinity term, or "".
    `needs_all_labels`: nodes that lack the key of a ScheduleAnyway constraint score 0 (requireAllTopologies).
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
        self.pod_resources = PodResources(
            effective_requests(spec), assumed_requests(spec), list_host_ports(spec)
        )
        self.terms = read_terms(spec.affinity, self.namespace, self.labels)
        own = spec.topology_spread_constraints
        self.hard_constraints = read_constraints(own, self.labels, DO_NOT_SCHEDULE)
        self.soft_constraints = read_constraints(own, self.labels, SCHEDULE_ANYWAY)
        self.needs_all_labels = bool(own)
        if not own:
            self.soft_constraints = make_default_constraints(selectors)
        self.has_preferences = has_preferences(spec)
        self.unreadable = tell_unreadable(spec) if self.has_preferences else ""
        containers = (*spec.init_containers, *spec.containers)
        self.images = tuple(_with_tag(one.image) for one in containers)

    @property
    def namespaces(self) -> frozenset[str] | None:
        """The namespaces that its terms and constraints select; None if a selector may match any."""
        terms = (*self.terms.near, *self.terms.apart, *self.terms.preferred)
        if any(one.of_namespaces.raw is not None for one in terms):
            return None
        return frozenset((self.namespace, *(space for one in terms for space in one.namespaces)))

    def matches_inclusion_policies(self, constraint: Constraint, keys: Sequence[str], node: Node) -> bool:
        """Whether pods on a node count for a constraint. `keys`: labels that the node must have."""
        labels = node.meta.labels
        if any(key not in labels for key in keys):
            return False
        if constraint.honors_affinity and not wants_node(self.spec, node):
            return False
        is_kept_away = constraint.honors_taints and has_untolerated(
            self.spec, node, ("NoSchedule", "NoExecute")
        )
        return not is_kept_away

    def is_selected_by(self, term: Term) -> bool:
        """Whether a term of another pod selects this pod."""
        return term.matches(self.namespace, self.labels, self.labels_of(self.namespace))

    def score_images(self, name: str, images: Mapping[str, Mapping[str, int]], node_count: int) -> int:
        """ImageLocality: 0 to 100, by the size of the images on the node and the number of nodes with them.

        `images`: the size in bytes, by image name and node name.
        """
        total = 0
        for image in self.images:
            sizes = images.get(image)
            if sizes and name in sizes:
                total += int(sizes[name] * (len(sizes) / node_count))
        most = _LARGEST_IMAGE * len(self.images)
        return 100 * (min(max(total, _LEAST_IMAGE), most) - _LEAST_IMAGE) // (most - _LEAST_IMAGE)


def _with_tag(image: str) -> str:
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"
