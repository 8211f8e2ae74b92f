"""`kubeadm upgrade`, a cluster in steps: its control plane, then its kubelets, which may be older meanwhile.

Models what kubeadm does as far as it is seen: new components take over at once, and a kubelet restarts. The
version skew policy is held to: a control plane goes up one minor release at a time, and no kubelet is newer
than it, or more than three minor releases older.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..api.context import Context
from ..heart.errors import BadRequest, Conflict
from ..heart.settings import find_kubelet_release
from ..kinds.namespace import NAMESPACE
from ..objects.node import NODE_KIND, Node, find_kubelet_version
from ..releases.known import find_release
from ..releases.release import Release
from .client import Answer, Payload

MOST_OLDER = 3
"""By how many minor releases a kubelet may be older than its API server."""
_USE = "upgrade: use {controlPlane: v1.36} or {node: node-1, kubernetes: v1.36}"


class Upgrades:
    """Carries upgrades out: made when somebody asks for one (`nodes.make_upgrades`).

    `run_fault`: has a kubelet started anew. `become`: has all of the control plane anew, of a release.
    """

    __slots__ = ("_become", "_context", "_run_fault")

    def __init__(
        self,
        context: Context,
        run_fault: Callable[[dict[str, Any]], object],
        become: Callable[[Release], Context],
    ) -> None:
        self._context, self._run_fault, self._become = context, run_fault, become

    def run(self, payload: Payload) -> Answer:
        """`{controlPlane}`, or `{node, kubernetes}`. Raises BadRequest, NotFound, and Conflict for the skew.

        The answer shows the Node, or the namespace of the cluster's own parts.
        """
        given = {name: payload[name] for name in ("controlPlane", "node", "kubernetes") if payload.get(name)}
        if given.keys() not in ({"controlPlane"}, {"node", "kubernetes"}):
            raise BadRequest(_USE)
        if "node" in given:
            return self.upgrade_node(given["node"], given["kubernetes"], "upgrade.kubernetes")
        release = _read_release(given["controlPlane"], "upgrade.controlPlane")
        self._require_next(release)
        return 200, self._become(release).store.require(NAMESPACE.kind.id, None, "kube-system")

    def upgrade_node(self, name: str, text: str, field: str) -> Answer:
        """Give a node a kubelet of a release, which a field of the payload names.

        Raises BadRequest, NotFound, and Conflict for the skew.
        """
        release = _read_release(text, field)
        node = self._require_node(name, release)
        store, epoch_ms = self._context.store, self._context.clock.epoch_ms
        raw = node.status.raw
        info = {**(raw.get("nodeInfo") or {}), "kubeletVersion": release.version}
        data = {**node.to_json(epoch_ms), "status": {**raw, "nodeInfo": info}}
        store.update(node, node.replace(status=Node.from_json(data, epoch_ms).status))
        self._run_fault({"node": name, "kind": "kubeletRestart"})
        return 200, store.require(NODE_KIND.id, "", name)

    def check_kubelets(self, names: Iterable[str], text: str) -> None:
        """Whether nodes may have such kubelets once they are drained. Raises as `upgrade_node` does."""
        release = _read_release(text, "drain.upgrade")
        for name in names:
            self._require_node(name, release)

    def _require_node(self, name: str, release: Release) -> Node:
        node = self._context.store.require(NODE_KIND.id, "", name)
        assert isinstance(node, Node), "it was asked for by kind"
        if problem := find_skew(release, self._context.release):
            raise Conflict(f'node "{name}": {problem}', NODE_KIND.plural, name)
        return node

    def _require_next(self, release: Release) -> None:
        """A control plane goes up one minor release at a time, and takes no kubelet along that is too old."""
        now = self._context.release
        steps = release.minor[1] - now.minor[1]
        if steps not in (0, 1) or (not steps and release.patch < now.patch):
            raise Conflict(
                f"the control plane is of {now.name}: it is upgraded by one minor release at a time, to"
                f" v{now.minor[0]}.{now.minor[1] + 1}, and never downgraded; {release.name} is asked for"
            )
        for node in self._context.store.list(NODE_KIND.id):
            kubelet = find_kubelet_release(find_kubelet_version(node))
            problem = find_skew(kubelet, release) if kubelet is not None else ""
            if problem:
                raise Conflict(f'node "{node.meta.name}": {problem}', NODE_KIND.plural, node.meta.name)


def _read_release(text: str, field: str) -> Release:
    try:
        return find_release(text)
    except ValueError as problem:
        raise BadRequest(f"{field}: {problem}") from None


def find_skew(kubelet: Release, control_plane: Release) -> str:
    """Why a kubelet may not work with a control plane; "" when it may."""
    older = control_plane.minor[1] - kubelet.minor[1]
    if older < 0:
        return (
            f"a kubelet of {kubelet.name} is newer than the API server, {control_plane.name}:"
            " upgrade the control plane first"
        )
    if older > MOST_OLDER:
        return (
            f"a kubelet of {kubelet.name} is more than {MOST_OLDER} minor releases older than the API server,"
            f" {control_plane.name}: upgrade the node first"
        )
    return ""
