"""A client's own scheduler: a pod is given to a node by the binding it sends.

Models the binding subresource of the API server: a pod that goes, that has a node or that waits behind gates
is not given away. What a node has room for is the scheduler's to ask, and not asked here.
"""

from __future__ import annotations

from ..heart.errors import Conflict
from ..objects.condition import Condition, with_condition
from ..objects.pods.pod import POD_KIND, Pod
from .client import Answer, Client, Payload

SCHEDULED = "PodScheduled"


def bind(client: Client, payload: Payload) -> Answer:
    """A POST to a pod's /binding. Raises Conflict, NotFound."""
    pod = client.find(payload, POD_KIND)
    assert isinstance(pod, Pod), "it was asked for by kind"
    problem = _find_problem(pod)
    if problem:
        name = pod.meta.name
        raise Conflict(
            f'Operation cannot be fulfilled on pods/binding "{name}": {problem}', "pods/binding", name
        )
    told = Condition(SCHEDULED, "True", "", "", client.clock.now_ms, None, None, pod.meta.generation)
    conditions = with_condition(pod.status.conditions, told)
    bound = pod.with_status(pod.status.with_conditions(conditions, ""), payload["node"])
    client.store.update(pod, bound)
    return 201, bound


def _find_problem(pod: Pod) -> str:
    name = pod.meta.name
    if pod.meta.deletion_ms is not None:
        return f"pod {name} is being deleted, cannot be assigned to a host"
    if pod.node_name:
        return f'pod {name} is already assigned to node "{pod.node_name}"'
    if pod.spec.scheduling_gates:
        return f"pod {name} has non-empty .spec.schedulingGates"
    return ""
