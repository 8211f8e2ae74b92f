"""Connections that are forwarded to a port of a pod, whatever their bytes travel by.

As on a node the port is connected to at once: where nobody listens, the runtime's own words come back. A
program that listens is simulated, and answers HTTP/1.x as it answers a check.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from lifecycle import limits, threads
from lifecycle.kube_api.access.authentication import Right
from lifecycle.kube_api.containers.carrying import IDLE_SECONDS, ask
from lifecycle.kube_api.containers.http import NotHttp, Request, Requests, write_answer
from lifecycle.kube_api.containers.inlet import Inlet
from lifecycle.kube_api.status import Refusal, exceeded
from lifecycle.models import Cluster, StoredObject
from lifecycle.threads import reading as in_thread

Write = Callable[[bytes], Awaitable[None]]
MOST_CONNECTIONS = 32
"""So many at once by one request of a client's."""
NO_BYTES = "the program is simulated: it answers HTTP/1.x, and no other bytes travel"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Forwarding:
    """The ports of one pod, for somebody who may."""

    def __init__(self, cluster: Cluster, pod: StoredObject, user: Any, right: Right) -> None:
        self._cluster, self._pod, self._user, self._right = cluster, pod, user, right

    async def serve(self, port: int, inlet: Inlet, write: Write) -> str:
        """One connection, to its end. What went wrong, as the kubelet tells it; "" when nothing did."""
        try:
            problem = await self._serve(port, inlet, write)
        except Refusal as refusal:
            problem = refusal.message
        except NotHttp:
            problem = NO_BYTES
        pod = self._pod
        return f"error forwarding port {port} to pod {pod.name}, uid {pod.uid}: {problem}" if problem else ""

    async def _serve(self, port: int, inlet: Inlet, write: Write) -> str:
        met = await self._connect(port, "/")
        if not met["isConnected"]:
            return tell_refused(port)
        requests = Requests()
        while await inlet.wait(IDLE_SECONDS):
            has_ended = inlet.has_ended
            for request in requests.feed(inlet.take()):
                if not await self._answer(port, request, write):
                    return ""
            if has_ended:
                return ""
            if requests.wants_more:
                requests.wants_more = False
                await write(CONTINUE)
        return ""

    async def _answer(self, port: int, request: Request, write: Write) -> bool:
        """Answer a request; whether the connection goes on."""
        if not await in_thread(self._right)():
            return False
        met = await self._connect(port, request.path)
        if met["isConnected"]:
            await write(write_answer(request, met))
        return bool(met["isConnected"] and request.keeps_open)

    async def _connect(self, port: int, path: str) -> dict[str, Any]:
        """What the cluster says. Each waits in a thread, of which one user has only so many."""
        holder = _Holder()
        try:
            leave = limits.take_exec(self._user, holder)
        except limits.Exceeded as excess:
            raise exceeded(excess) from None
        try:
            met: dict[str, Any] = await threads.waiting(connect)(
                self._cluster, self._pod, port, path, self._user
            )
        finally:
            leave()
        return met


class _Holder:
    """What holds a place for the time of one question."""


def connect(cluster: Cluster, pod: StoredObject, port: int, path: str, user: Any) -> dict[str, Any]:
    """What a connection to a port of a pod meets, and what a path is answered there. Raises Refusal."""
    payload = {"namespace": pod.namespace, "pod": pod.name, "port": port, "path": path}
    result = ask(cluster, "connect", payload, user)
    if result["object"] is None:
        raise Refusal.of_status(result["status"])
    found: dict[str, Any] = result["object"]
    return found


def tell_refused(port: int) -> str:
    """What containerd says of a port on which nobody listens (its `portForward`)."""
    return (
        f"failed to execute portforward in network namespace: failed to connect to localhost:{port} inside"
        f" namespace, IPv4: dial tcp4 127.0.0.1:{port}: connect: connection refused IPv6 dial tcp6:"
        " address localhost: no suitable address"
    )
