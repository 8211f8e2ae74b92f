"""`kubeadm upgrade`, a cluster in steps: its control plane, then its kubelets, which may be older meanwhile.

Models what kubeadm does as far as it is seen: new components take over at once, and a kubelet restarts. The
version skew policy is held to: a control plane goes up one minor release at a time, and no kubelet is newer
than it, or more than three minor releases older.
"""

from __future__ import annotations

from typing import Any

from ..heart.errors import BadRequest, Conflict
from ..heart.settings import Settings, find_kubelet_release
from ..kinds.namespace import NAMESPACE
from ..objects.meta import StoredObject
from ..objects.node import NODE_KIND, Node, find_kubelet_version
from ..releases.known import find_release
from ..releases.release import Release

Cluster = Any
"""What stands above all that an upgrade replaces, and hands itself in."""
MOST_OLDER = 3
"""By how many minor releases a kubelet may be older than its API server."""
_USE = "upgrade: use {controlPlane: v1.36} or {node: node-1, kubernetes: v1.36}"


def upgrade(cluster: Cluster, payload: dict[str, Any]) -> tuple[int, StoredObject]:
    """`{controlPlane}`, or `{node, kubernetes}`. Raises BadRequest, NotFound, and Conflict for the skew.

    The answer shows the Node, or the namespace of the cluster's own parts.
    """
    given = {name: payload[name] for name in ("controlPlane", "node", "kubernetes") if payload.get(name)}
    if given.keys() not in ({"controlPlane"}, {"node", "kubernetes"}):
        raise BadRequest(_USE)
    field = "kubernetes" if "node" in given else "controlPlane"
    try:
        release = find_release(given[field])
    except ValueError as problem:
        raise BadRequest(f"upgrade.{field}: {problem}") from None
    if "node" in given:
        return _upgrade_node(cluster, given["node"], release)
    _require_next(cluster, release)
    become(cluster, release)
    return 200, cluster._store.require(NAMESPACE.kind.id, None, "kube-system")


def _upgrade_node(cluster: Cluster, name: str, release: Release) -> tuple[int, StoredObject]:
    store = cluster._store
    node = store.require(NODE_KIND.id, "", name)
    assert isinstance(node, Node), "it was asked for by kind"
    problem = find_skew(release, cluster.settings.release)
    if problem:
        raise Conflict(f'node "{name}": {problem}', NODE_KIND.plural, name)
    raw = node.status.raw
    info = {**(raw.get("nodeInfo") or {}), "kubeletVersion": release.version}
    data = {**node.to_json(cluster.epoch_ms), "status": {**raw, "nodeInfo": info}}
    new = Node.from_json(data, cluster.epoch_ms)
    store.update(node, node.replace(status=new.status))
    cluster._faults.run({"node": name, "kind": "kubeletRestart"})
    return 200, store.require(NODE_KIND.id, "", name)


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


def _require_next(cluster: Cluster, release: Release) -> None:
    """A control plane goes up one minor release at a time, and takes no kubelet along that is too old."""
    now = cluster.settings.release
    steps = release.minor[1] - now.minor[1]
    if steps not in (0, 1) or (not steps and release.patch < now.patch):
        raise Conflict(
            f"the control plane is of {now.name}: it is upgraded by one minor release at a time, to"
            f" v{now.minor[0]}.{now.minor[1] + 1}, and never downgraded; {release.name} is asked for"
        )
    for node in cluster._store.list(NODE_KIND.id):
        kubelet = find_kubelet_release(find_kubelet_version(node))
        problem = find_skew(kubelet, release) if kubelet is not None else ""
        if problem:
            raise Conflict(f'node "{node.meta.name}": {problem}', NODE_KIND.plural, node.meta.name)


def become(cluster: Cluster, release: Release) -> None:
    """Have all of the control plane anew, of another release, with what the cluster knows.

    What waits to be taken goes on waiting.
    """
    former = cluster._context
    waiting = (*former.trace.take(), former.store.versions, former.logs)
    former.store.versions, former.logs = [], []
    data = cluster.save()
    settings = Settings.from_saved({**cluster.settings.to_json(), "kubernetes": release.name})
    cluster._build(cluster.seed, cluster.epoch_ms, settings)
    cluster._restore(data)
    context = cluster._context
    context.trace.entries, context.store.versions, context.logs = waiting[0], waiting[2], waiting[3]
    context.trace.cause = former.trace.cause
    context.assumed_images |= former.assumed_images
    context.guesses |= former.guesses
