"""How many pods a controller wants: what the scale sub-resource of its kind says."""

from __future__ import annotations

from ...api.context import Context
from ...kinds.registry import entry_of
from ...objects.kinds import kind_of_id
from ...objects.meta import OwnerReference, StoredObject
from ...objects.workloads.deployment import DEPLOYMENT_KIND
from ...rules.custom_resources.definition import ScalePaths
from ...rules.scaling.scales import BUILT_IN, size_of


class NoScaleError(Exception):
    """A controller's kind has no size, or there is no such controller: the text for the budget's status."""


def find_scale(context: Context, namespace: str, reference: OwnerReference) -> tuple[str, int] | None:
    """(uid, size) of a pod's controller, or of the Deployment above it; None where the controller is gone.

    Raises NoScaleError for a kind that has no size.
    """
    store = context.store
    owner = store.get(reference.kind_id, namespace, reference.name)
    paths = _find_paths(context, reference, owner)
    if owner is None or owner.meta.uid != reference.uid:
        return None
    above = owner.meta.controller
    if above is not None and above.kind_id == DEPLOYMENT_KIND.id:
        # Of a ReplicaSet whose Deployment is gone its own scale sub-resource is asked.
        found = store.get(above.kind_id, namespace, above.name)
        if found is not None and found.meta.uid == above.uid:
            owner, paths = found, BUILT_IN
    return owner.meta.uid, size_of(owner, paths.spec)


def _find_paths(context: Context, reference: OwnerReference, owner: StoredObject | None) -> ScalePaths:
    kind = kind_of_id(reference.kind_id)
    found = context.definitions.find_scale_paths(kind)
    if found is not None:
        return found
    if entry_of(kind).is_custom and context.definitions.find(kind.id) is None:
        if owner is None:
            raise NoScaleError(f'no matches for kind "{reference.kind}" in version "{reference.api_version}"')
        if "replicas" in (owner.to_json().get("spec") or {}):
            # Nobody has said what it is, but it has a size like all others.
            return BUILT_IN
    kind = context.definitions.kind_of(kind)
    raise NoScaleError(f"{kind.resource} does not implement the scale subresource")
