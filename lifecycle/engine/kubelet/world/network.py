"""Connections between pods: to itself, to another pod's address, or through a Service to an endpoint.

Models kube-proxy as far as it can be seen: addresses of Services, of their load balancers and of nodes,
host ports, traffic policies, and clients that stay with an endpoint. Which endpoint is taken is drawn; a
client that is to stay goes where it is drawn to among those there are, so that a new one may draw it away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv4Network, ip_address
from typing import Any

from ...api.connections import Answer, Standing
from ...api.context import Context
from ...kinds.service import API_SERVER_ADDRESS
from ...objects.meta import StoredObject
from ...objects.names import ZONE
from ...programs import ConnectResult
from ...rules.network.service_routing import Backend, Place, has_endpoints, list_backends
from ...rules.network.services import list_addresses
from ..state.container_run import ContainerRun
from ..state.node_agent import PARTITION, NodeAgent
from ..state.pod_manager import PodManager
from ..state.worker import PodWorker
from .answers import NO_ANSWER, NO_MACHINE, REFUSAL, find_answer
from .cluster_dns import ClusterDns

NOWHERE_MS = 1000
"""An address nobody has answers nothing: taken to time out after this long."""
OUTSIDE_TAKES_MS = 30
"""How long a call to the world outside takes: an assumption, as is that it is answered."""
CLUSTER_RANGE = IPv4Network("10.0.0.0/9")
"""Nodes, pods and Services have their addresses from here."""
_REFUSED = ConnectResult("refused", 1)
_NO_ANSWER = ConnectResult("timeout", NOWHERE_MS)


def is_outside(address: str) -> bool:
    """Whether an address is nobody's of the cluster."""
    try:
        return ip_address(address) not in CLUSTER_RANGE
    except ValueError:
        return False


class Network:
    """The pod network of a cluster, and its DNS."""

    __slots__ = ("_agents", "_context", "_pod_manager", "dns")

    def __init__(self, context: Context, pod_manager: PodManager, agents: Mapping[str, NodeAgent]) -> None:
        self._context = context
        self._pod_manager = pod_manager
        self._agents = agents
        self.dns = ClusterDns(context)
        context.connections.find_answer = self.find_answer
        context.connections.find_standing = self.find_standing

    def connect(self, worker: PodWorker, host: str, port: int, now_ms: int) -> ConnectResult:
        """What a connection from a pod to an address meets now."""
        if host in ("127.0.0.1", "localhost", worker.ip):
            return _try_pods([worker], port, now_ms)
        services = self._context.services.list_by_address(host)
        for service in services:
            entry = _find_port(service, "port", port)
            if entry is not None:
                is_own = host in list_addresses(service.spec or {})
                is_local = is_own and (service.spec or {}).get("internalTrafficPolicy") == "Local"
                return self._through(service, entry, worker, worker.node, is_local, now_ms)
        if services:
            return _REFUSED
        if (host, port) == (API_SERVER_ADDRESS, 6443):
            # It runs outside of the cluster's pods, and is taken to answer.
            return ConnectResult("connected", 1, is_assumed=True)
        node = next((agent.name for agent in self._agents.values() if agent.host_ip == host), None)
        if node is not None:
            return self._to_node(worker, node, port, now_ms)
        other = self._pod_manager.find_by_address(host)
        if other is None or self._agents[other.node].is_off:
            return _NO_ANSWER
        return _try_pods([other], port, now_ms)

    def _to_node(self, worker: PodWorker, node: str, port: int, now_ms: int) -> ConnectResult:
        """A node's own address: ports of Services, of single pods, and of pods in its network."""
        for service in self._context.services.list_by_node_port(port):
            entry = _find_port(service, "nodePort", port)
            if entry is not None:
                is_local = (service.spec or {}).get("externalTrafficPolicy") == "Local"
                return self._through(service, entry, worker, node, is_local, now_ms)
        sharing = []
        for other in self._pod_manager.workers_of(node):
            for container in other.spec.containers:
                for given in container.ports:
                    if given.get("hostPort") == port and not other.spec.host_network:
                        return _try_pods([other], given.get("containerPort", port), now_ms)
            if other.spec.host_network:
                sharing.append(other)
        return _try_pods(sharing, port, now_ms)

    def _through(
        self,
        service: StoredObject,
        entry: Mapping[str, Any],
        worker: PodWorker,
        node: str,
        is_local: bool,
        now_ms: int,
    ) -> ConnectResult:
        """By one of a Service's endpoints, as seen from a node. Without any: refused; not here: no answer."""
        slices, name = self._list_slices(service, node), entry.get("name") or ""
        labels = self._context.store.get("Node", "", node)
        place = Place(node, labels.meta.labels.get(ZONE, "") if labels is not None else "")
        backends = list_backends(slices, name, place, is_local)
        if not backends:
            return _NO_ANSWER if is_local and has_endpoints(slices, name) else _REFUSED
        chosen = self._choose(service, backends, worker, now_ms)
        if is_outside(chosen.address):
            return ConnectResult("connected", OUTSIDE_TAKES_MS, is_assumed=True)
        return self.connect_to_endpoint(worker, chosen, now_ms)

    def _list_slices(self, service: StoredObject, node: str) -> Sequence[Mapping[str, Any]]:
        """The slices of a Service as the kube-proxy of a node knows them by now."""
        known = self._context.connections.list_known(service.meta.uid, node)
        if known is not None:
            return known
        found = self._context.services.slices_of(service.meta.namespace or "", service.meta.name)
        return [one.extra or {} for one in found]

    def find_standing(self, node: str) -> Standing:
        """Whether a node's machine is on, and whether what runs on it hears from the API server."""
        agent = self._agents.get(node)
        return (
            Standing(True, True)
            if agent is None
            else Standing(not agent.is_off, PARTITION not in agent.outages)
        )

    def find_answer(self, uid: str, port: int, node: str, address: str) -> Answer:
        """What a new connection to a port of a pod meets now: see Connections."""
        worker, context = self._pod_manager.workers.get(uid), self._context
        agent = self._agents.get(worker.node if worker is not None else node)
        if agent is None or agent.is_off:
            return NO_MACHINE
        if worker is None:
            # A node's own address stays when a pod in its network goes.
            return REFUSAL if address == agent.host_ip else NO_ANSWER
        stays_ms = context.draw_ms("pod_network", uid) if worker.is_ending else 0
        return find_answer(worker, port, context.clock.now_ms, stays_ms)

    def connect_to_endpoint(self, worker: PodWorker, chosen: Backend, now_ms: int) -> ConnectResult:
        """What a connection meets at an endpoint: a pod, or what else has the address."""
        if self._context.services.list_by_address(chosen.address):
            # An endpoint that is a Service's address would send it round in a ring.
            return _REFUSED
        return self.connect(worker, chosen.address, chosen.port, now_ms)

    def _choose(
        self, service: StoredObject, backends: Sequence[Backend], worker: PodWorker, now_ms: int
    ) -> Backend:
        if len(backends) == 1:
            return backends[0]
        draw, uid = self._context.chance.draw, service.meta.uid
        if (service.spec or {}).get("sessionAffinity") == "ClientIP":
            return max(backends, key=lambda one: draw("affinity", uid, worker.ip, one.address))
        return backends[int(draw("endpoint", uid, worker.uid, now_ms) * len(backends))]


def _find_port(service: StoredObject, field: str, number: int) -> Mapping[str, Any] | None:
    ports = (service.spec or {}).get("ports") or ()
    return next(
        (one for one in ports if one.get(field) == number and one.get("protocol", "TCP") == "TCP"), None
    )


def _try_pods(workers: Iterable[PodWorker], port: int, now_ms: int) -> ConnectResult:
    found = find_listener([run for worker in workers for run in worker.runs.values()], port, now_ms)
    if found is None or found.process is None:
        return _REFUSED
    status, _until = found.process.http_status("/", now_ms)
    is_assumed = not found.process.holds_port(port, now_ms)
    return ConnectResult("connected", 1, status, is_assumed=is_assumed)


def find_listener(runs: Iterable[ContainerRun], port: int, now_ms: int) -> ContainerRun | None:
    """The first that listens; one that is known to listen there before those taken to, on every port."""
    listeners = [one for one in runs if one.process is not None and one.process.listens_on(port, now_ms)]
    holders = (one for one in listeners if one.process is not None and one.process.holds_port(port, now_ms))
    return next(holders, listeners[0] if listeners else None)
