"""Whoever looks at a cluster is told that a check of it has come further."""

from __future__ import annotations

from lifecycle.models import Check
from lifecycle.runs import publisher


def tell(check: Check) -> None:
    """Say so; a browser then asks how far it is. Returns at once."""
    publisher.tell_of_check(check.cluster.group, str(check.pk))
