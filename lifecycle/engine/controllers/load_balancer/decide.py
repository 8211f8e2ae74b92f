"""What the cloud is asked for, and what is told of its answer."""

from __future__ import annotations

from ...objects.meta import StoredObject
from ...rules.actions import Action, RecordEvent, Update
from ...rules.network.services import list_ingress, wants_load_balancer

FINALIZER = "service.kubernetes.io/load-balancer-cleanup"
SOURCE = "service-controller"
ENSURE, DELETE = "ensure", "delete"
_STARTED = {
    ENSURE: ("EnsuringLoadBalancer", "Ensuring load balancer"),
    DELETE: ("DeletingLoadBalancer", "Deleting load balancer"),
}
_DONE = {
    ENSURE: ("EnsuredLoadBalancer", "Ensured load balancer"),
    DELETE: ("DeletedLoadBalancer", "Deleted load balancer"),
}


def find_task(service: StoredObject) -> str:
    """What the cloud has to do for a Service: ENSURE, DELETE, or "" for nothing."""
    if service.meta.deletion_ms is None and wants_load_balancer(service.spec or {}):
        return "" if list_ingress(service.status_json()) else ENSURE
    return DELETE if FINALIZER in service.meta.finalizers else ""


def decide_start(service: StoredObject, task: str) -> list[Action]:
    """Ask the cloud. The Service stays until its load balancer is taken down."""
    actions: list[Action] = [RecordEvent(service, "Normal", *_STARTED[task], SOURCE)]
    if task == ENSURE and FINALIZER not in service.meta.finalizers:
        finalizers = (*service.meta.finalizers, FINALIZER)
        actions.append(Update(service.replace(meta=service.meta.replace(finalizers=finalizers))))
    return actions


def decide_end(service: StoredObject, task: str, address: str) -> list[Action]:
    """The cloud has done it; `address`: what it gave."""
    event = RecordEvent(service, "Normal", *_DONE[task], SOURCE)
    if task == ENSURE:
        given = {"ip": address, "ipMode": "VIP"}
        return [Update(service.replace(status={"loadBalancer": {"ingress": [given]}})), event]
    finalizers = tuple(one for one in service.meta.finalizers if one != FINALIZER)
    meta = service.meta.replace(finalizers=finalizers)
    return [event, Update(service.replace(meta=meta, status={"loadBalancer": {}}))]
