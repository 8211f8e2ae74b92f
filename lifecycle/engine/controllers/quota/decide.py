"""What is told of a quota."""

from __future__ import annotations

from typing import Any

from ...objects.meta import StoredObject
from ...rules.actions import Action, Update


def decide_status(quota: StoredObject, status: dict[str, Any]) -> list[Action]:
    """Write the status that is right now, where that has changed."""
    return [] if quota.status == status else [Update(quota.replace(status=status))]
