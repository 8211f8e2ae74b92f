"""Objects as they were, from the versions that are kept of them as JSON merge patches."""

from __future__ import annotations

from typing import Any

from lifecycle.engine.api.patching.patches import merge_patch
from lifecycle.models import Cluster, ObjectVersion

ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"


class NotKept(Exception):
    """What an object was before the first of its versions that is kept."""


def replay(cluster: Cluster, uid: str, until_rv: int) -> tuple[dict[str, Any] | None, int]:
    """An object as it was, None when it was not there, and the version that made it so. Raises NotKept."""
    past = ObjectVersion.objects.filter(cluster=cluster, uid=uid, rv__lte=until_rv).order_by("rv")
    data: dict[str, Any] | None = None
    rv = 0
    for rv, kind_of_change, patch in past.values_list("rv", "type", "patch"):  # noqa: B007
        if kind_of_change == ADDED:
            data = patch
        elif data is None:
            raise NotKept
        else:
            data = None if kind_of_change == DELETED else merge_patch(data, patch or {})
    return data, rv
