"""Who takes connections, as the kubelets know it, and who follows that.

The kubelets answer what a connection to a pod meets, and say when that may have changed; who counts requests
says of which pods it wants to hear. What a node's kube-proxy knows of a Service is asked here by programs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lifecycle.lean_tuples import NamedTuple

ACCEPTS, REFUSES, SILENT = "accepts", "refuses", "silent"
"""A connection is taken; it is refused, since nobody listens; nobody answers at all."""


class Answer(NamedTuple):
    """What a new connection to a port of a pod meets now.

    `holder`: the run of a container that takes connections there, or took those that are still open; "" for
    none. `until_ms`: when that changes by itself, as far as is known. `is_dropped`: what was under way there
    has been dropped. `finished`: runs that have ended when all that was under way there was done. `is_off`:
    there is no machine to tell anybody that a connection has ended.
    """

    state: str
    holder: str = ""
    until_ms: int | None = None
    is_dropped: bool = False
    finished: tuple[str, ...] = ()
    is_off: bool = False


class Standing(NamedTuple):
    """A node: whether its machine is on, and whether it hears from the API server."""

    is_on: bool
    hears: bool


def _answer_nothing(_uid: str, _port: int, _node: str, _address: str) -> Answer:
    return Answer(SILENT)


class Connections:
    """Set by the kubelets (`find_…`), and by who counts requests (`on_…`, `list_known`)."""

    __slots__ = ("find_answer", "find_standing", "list_known", "on_end", "on_node", "on_pod", "watched")

    def __init__(self) -> None:
        # uids of the pods that somebody wants to hear of.
        self.watched: dict[str, Any] = {}
        # By a pod's uid, a port, and the node and the address that its endpoint has.
        self.find_answer: Callable[[str, int, str, str], Answer] = _answer_nothing
        self.find_standing: Callable[[str], Standing] = lambda node: Standing(True, True)
        self.on_pod: Callable[[str], None] = lambda uid: None
        self.on_end: Callable[[str], None] = lambda uid: None
        self.on_node: Callable[[str], None] = lambda node: None
        # The slices of a Service (by uid) as a node's kube-proxy knows them; None where it knows them all.
        self.list_known: Callable[[str, str], Sequence[dict[str, Any]] | None] = lambda service, node: None

    def note_pod(self, uid: str) -> None:
        """A program of a pod has run, begun, ended or been signalled, or its network has gone."""
        if uid in self.watched:
            self.on_pod(uid)

    def note_end(self, uid: str) -> None:
        """A program of a pod has ended, and its pod is still there: what becomes of what was under way."""
        if uid in self.watched:
            self.on_end(uid)
