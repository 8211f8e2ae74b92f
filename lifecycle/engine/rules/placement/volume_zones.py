"""Zones and regions that volumes of old say in their labels: the plugin VolumeZone. Pure."""

from __future__ import annotations

from ...objects.meta import StoredObject
from ...objects.names import OLD_REGION, OLD_ZONE, REGION, ZONE
from ...objects.node import Node

NO_ZONE = "node(s) had no available volume zone"
_TODAYS = {
    OLD_ZONE: ZONE,
    OLD_REGION: REGION,
}
_LABELS = (*_TODAYS, *_TODAYS.values())
_BETWEEN = "__"
"""What parts the zones of a volume that is in several."""


def says_zone(volume: StoredObject) -> bool:
    """Whether a volume says by its labels where it is."""
    return any(key in volume.meta.labels for key in _LABELS)


def is_in_zone(volume: StoredObject, node: Node) -> bool:
    """Whether a node is where a volume is; one that says nothing of itself is anywhere."""
    here, there = node.meta.labels, volume.meta.labels
    if not any(key in here for key in _LABELS):
        return True
    for key in _LABELS:
        if key not in there:
            continue
        own = here.get(key, here.get(_TODAYS.get(key, key)))
        zones = {zone.strip() for zone in there[key].split(_BETWEEN)}
        # Where one of several is empty, Kubernetes reads none of them.
        if own not in zones and "" not in zones:
            return False
    return True
