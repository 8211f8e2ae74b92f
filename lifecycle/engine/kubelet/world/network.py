"""Connections between pods: to itself, to another pod's address, or through a Service to a ready pod."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kinds.service import API_SERVER_KEY
from ...objects.meta import StoredObject
from ...objects.pod import Pod
from ...programs import ConnectResult, Process
from ...store.store import Store
from ..roster import Roster
from ..worker import PodWorker
from .cluster_dns import ready_pods

NOWHERE_MS = 1000
"""An address nobody has answers nothing: taken to time out after this long."""


class Network:
    """The pod network of a cluster."""

    __slots__ = ("_roster", "_store")

    def __init__(self, store: Store, roster: Roster) -> None:
        self._store = store
        self._roster = roster

    def connect(self, worker: PodWorker, host: str, port: int, now_ms: int) -> ConnectResult:
        """What a connection from a pod to an address meets now."""
        if host in ("127.0.0.1", "localhost", worker.ip):
            return _try_pod(worker, port, now_ms)
        for service in self._store.list("Service"):
            spec = service.spec or {}
            if spec.get("clusterIP") == host:
                return self._through_service(service, spec, port, now_ms)
        other = self._roster.find_by_address(host)
        if other is not None:
            return _try_pod(other, port, now_ms)
        return ConnectResult("timeout", NOWHERE_MS)

    def _through_service(
        self, service: StoredObject, spec: Mapping[str, Any], port: int, now_ms: int
    ) -> ConnectResult:
        entry = next((one for one in spec.get("ports") or () if one.get("port") == port), None)
        if entry is None:
            return ConnectResult("refused", 1)
        if (service.meta.namespace, service.meta.name) == API_SERVER_KEY:
            # It runs outside of the cluster's pods, and is taken to answer.
            return ConnectResult("connected", 1, is_assumed=True)
        for pod in ready_pods(self._store, service):
            other = self._roster.workers.get(pod.kubelet_uid)
            if other is not None:
                return _try_pod(other, _port_number(pod, entry.get("targetPort", port)), now_ms)
        return ConnectResult("refused", 1)


def _try_pod(worker: PodWorker, port: int, now_ms: int) -> ConnectResult:
    listeners = [one for one in _processes(worker) if one.listens_on(port, now_ms)]
    if not listeners:
        return ConnectResult("refused", 1)
    # One that is known to listen there answers, before those that are taken to answer on every port.
    holder = next((one for one in listeners if one.holds_port(port, now_ms)), None)
    status, _until = (holder or listeners[0]).http_status("/", now_ms)
    return ConnectResult("connected", 1, status, is_assumed=holder is None)


def _processes(worker: PodWorker) -> list[Process]:
    return [run.process for run in worker.runs.values() if run.process is not None]


def _port_number(pod: Pod, target: Any) -> int:
    if isinstance(target, int):
        return target
    sidecars = [one for one in pod.spec.init_containers if one.is_sidecar]
    for container in (*pod.spec.containers, *sidecars):
        for port in container.ports:
            if port.get("name") == target:
                return int(port.get("containerPort", 0))
    return int(target) if str(target).isdigit() else 0
