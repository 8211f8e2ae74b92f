"""What a namespace asks of what is made in it: to be there, an account for its pods, their security."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..heart.errors import Forbidden, NotFound
from ..objects.meta import ObjectMeta, StoredObject
from ..objects.pod import PodSpec
from ..rules.validation.pod_security import ENFORCE, find_violations
from ..store.store import Store

ACCOUNT, DEFAULT_ACCOUNT = "ServiceAccount", "default"


def require_namespace(store: Store, new: StoredObject) -> None:
    """An object's namespace has to be there to stay. Raises NotFound, Forbidden."""
    namespace = new.meta.namespace
    if namespace is None or not new.kind.namespaced:
        return
    found = store.get("Namespace", "", namespace)
    if found is None:
        raise NotFound(f'namespaces "{namespace}" not found', "namespaces", namespace)
    if found.meta.deletion_ms is not None:
        raise Forbidden(
            f'{new.kind.plural} "{new.meta.name}" is forbidden: unable to create new content in namespace'
            f" {namespace} because it is being terminated",
            new.kind.plural,
            new.meta.name,
        )


def require_account(store: Store, spec: PodSpec, meta: ObjectMeta) -> None:
    """A pod runs as an account that is there; every namespace has a `default` one. Raises Forbidden."""
    account, namespace = spec.service_account_name, meta.namespace
    if account == DEFAULT_ACCOUNT or store.get(ACCOUNT, namespace, account) is not None:
        return
    raise Forbidden(
        f'pods "{meta.name}" is forbidden: error looking up service account {namespace}/{account}:'
        f' serviceaccount "{account}" not found',
        "pods",
        meta.name,
    )


def require_security(
    store: Store, spec: Mapping[str, Any], meta: ObjectMeta, features: Mapping[str, bool]
) -> None:
    """A pod's spec (JSON) keeps to the Pod Security Standard its namespace enforces. Raises Forbidden."""
    found = store.get("Namespace", "", meta.namespace or "")
    level = found.meta.labels.get(ENFORCE) if found is not None else None
    violations = find_violations(spec, level, features) if level else ""
    if violations:
        raise Forbidden(f'pods "{meta.name}" is forbidden: {violations}', "pods", meta.name)
