"""Whose generation counts how often what is wanted has changed (PrepareForCreate and PrepareForUpdate of
each kind)."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..objects.meta import StoredObject
from .registry import entry_of

# Nobody counts how often what these want has changed, although they have a spec.
_NOT_COUNTED = frozenset(
    "APIService CSIDriver CSINode CertificateSigningRequest HorizontalPodAutoscaler LimitRange Lease"
    " Namespace Node PersistentVolume PersistentVolumeClaim ResourceClaim ResourceClaimTemplate"
    " ResourceQuota Service VolumeAttachment IPAddress ServiceCIDR".split()
)
# Of these it is counted, although what they want stands in no spec.
_COUNTED = frozenset(
    "EndpointSlice PodTemplate MutatingWebhookConfiguration ValidatingWebhookConfiguration".split()
)
# Of these too, and it stays the first.
_COUNTED_ONCE = frozenset(("PriorityClass",))


def has_generation(new: StoredObject) -> bool:
    """Whether a new object gets a generation."""
    kind = new.kind.id
    is_told = new.spec is not None or entry_of(new.kind).is_custom
    return kind in _COUNTED | _COUNTED_ONCE or (is_told and kind not in _NOT_COUNTED)


def keeps_counting(kind: Kind) -> bool:
    """Whether a generation, where an object of a kind has one, goes up."""
    return kind.id not in _COUNTED_ONCE
