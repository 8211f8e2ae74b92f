"""NamespaceLifecycle and PodSecurity for objects in a namespace, and the deletion of a namespace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...heart.errors import ApiError, Forbidden, NotFound
from ...objects.kinds import Kind
from ...objects.meta import ObjectMeta, StoredObject
from ...rules.validation.pods.pod_security import ENFORCE, find_violations
from ...store.store import Store
from ..context import Context
from ..deletion import finish_deletion

TERMINATING = "NamespaceTerminating"
_IMMORTAL = ("default", "kube-system", "kube-public")


def require_namespace(store: Store, kind: Kind, metadata: Mapping[str, Any], asked: str) -> None:
    """A new object's namespace has to be there to stay, whatever else it is. Raises NotFound, Forbidden.

    `asked`: the object's name as it was given, or what one is made of.
    """
    namespace = metadata.get("namespace")
    if namespace is None or not kind.namespaced:
        return
    found = store.get("Namespace", "", namespace)
    if found is None:
        raise NotFound(f'namespaces "{namespace}" not found', "namespaces", namespace)
    require_lasting(found, kind, asked)


def find_namespace(store: Store, meta: ObjectMeta) -> StoredObject | None:
    """The namespace that an object names, if it exists."""
    return store.get("Namespace", "", meta.namespace or "")


def require_lasting(namespace: StoredObject | None, kind: Kind, name: str) -> None:
    """Nothing is made in a namespace that is being deleted. Raises Forbidden."""
    if namespace is not None and namespace.meta.deletion_ms is not None:
        raise _make_ending(namespace, kind, name)


def _make_ending(namespace: StoredObject, kind: Kind, name: str) -> Forbidden:
    ending = namespace.meta.name
    cause = {
        "reason": TERMINATING,
        "message": f"namespace {ending} is being terminated",
        "field": "metadata.namespace",
    }
    return Forbidden(
        f'{kind.resource} "{name}" is forbidden: unable to create new content in namespace {ending}'
        " because it is being terminated",
        kind.plural,
        name,
        [cause],
        kind.group,
    )


def is_namespace_ending(refusal: ApiError) -> bool:
    """Whether something was refused because its namespace is being deleted."""
    return any(cause.get("reason") == TERMINATING for cause in refusal.causes)


def delete_namespace(context: Context, old: StoredObject) -> StoredObject:
    """Delete a namespace: it is marked, and goes when its controller has emptied it. Raises Forbidden."""
    meta = old.meta
    if meta.name in _IMMORTAL:
        message = f'namespaces "{meta.name}" is forbidden: this namespace may not be deleted'
        raise Forbidden(message, old.kind.plural, meta.name)
    if meta.deletion_ms is not None:
        return old
    status = {**(old.status or {}), "phase": "Terminating"}
    new = old.replace(meta=meta.replace(deletion_ms=context.clock.now_ms), status=status)
    context.store.update(old, new)
    return finish_deletion(context, new)


def require_security(
    namespace: StoredObject | None, spec: Mapping[str, Any], meta: ObjectMeta, features: Mapping[str, bool]
) -> None:
    """A pod's spec (JSON) keeps to the Pod Security Standard its namespace enforces. Raises Forbidden."""
    level = namespace.meta.labels.get(ENFORCE) if namespace is not None else None
    violations = find_violations(spec, level, features) if level else ""
    if violations:
        raise Forbidden(f'pods "{meta.name}" is forbidden: {violations}', "pods", meta.name)
