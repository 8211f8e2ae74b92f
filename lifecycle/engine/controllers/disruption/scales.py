"""How many pods a controller wants: what the scale sub-resource of its kind says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kinds.registry import entry_of
from ...objects.deployment import DEPLOYMENT_KIND
from ...objects.kinds import id_for, kind_of_id
from ...objects.meta import OwnerReference, StoredObject
from ...store.store import Store

_DEFINITIONS = id_for("apiextensions.k8s.io/v1", "CustomResourceDefinition")


class NoScaleError(Exception):
    """A controller's kind has no size, or there is no such controller: the text for the budget's status."""


def find_scale(store: Store, namespace: str, reference: OwnerReference) -> tuple[str, int] | None:
    """(uid, size) of a pod's controller, or of the Deployment above it; None where it is gone.

    Raises NoScaleError for a kind that has no size.
    """
    owner = store.get(reference.kind_id, namespace, reference.name)
    path = _find_path(store, reference, owner)
    if owner is None or owner.meta.uid != reference.uid:
        return None
    above = owner.meta.controller
    if above is not None and above.kind_id == DEPLOYMENT_KIND.id:
        # A ReplicaSet of a Deployment that is gone counts for nothing.
        found = store.get(above.kind_id, namespace, above.name)
        if found is None or found.meta.uid != above.uid:
            return None
        owner = found
    # Asked at every change of a pod: of most kinds no more than the spec is read.
    size: Any = owner.spec_json() if path[0] == "spec" else owner.to_json()
    for name in path[1:] if path[0] == "spec" else path:
        size = size.get(name) if isinstance(size, Mapping) else None
    return owner.meta.uid, size if isinstance(size, int) else 0


def _find_path(store: Store, reference: OwnerReference, owner: StoredObject | None) -> tuple[str, ...]:
    """Where the size of a kind is written: as its definition says, if it is a custom one."""
    kind = kind_of_id(reference.kind_id)
    entry = entry_of(kind)
    if entry.replicas_path:
        return entry.replicas_path
    resource = f"{kind.plural}.{kind.group}"
    if entry.is_custom:
        scale = _find_custom(store, kind.group, kind.name)
        if scale is not None:
            resource, path = scale
            if path:
                return path
        elif owner is None:
            raise NoScaleError(f'no matches for kind "{reference.kind}" in version "{reference.api_version}"')
        elif "replicas" in (owner.to_json().get("spec") or {}):
            # Nobody has said what it is, but it has a size like all others.
            return ("spec", "replicas")
    raise NoScaleError(f"{resource} does not implement the scale subresource")


def _find_custom(store: Store, group: str, kind: str) -> tuple[str, tuple[str, ...]] | None:
    """(resource, where its size is) of a custom kind; () where it has none, None where nobody defines it."""
    for definition in store.list(_DEFINITIONS):
        spec = definition.to_json().get("spec") or {}
        names = spec.get("names") or {}
        if spec.get("group") != group or names.get("kind") != kind:
            continue
        scales = [(one.get("subresources") or {}).get("scale") for one in spec.get("versions") or ()]
        paths = [str(one.get("specReplicasPath") or "") for one in scales if one]
        return f"{names.get('plural')}.{group}", tuple(paths[0].strip(".").split(".")) if paths else ()
    return None
