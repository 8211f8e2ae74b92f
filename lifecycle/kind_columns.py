"""Kinds as the columns of tables have them."""

from __future__ import annotations

from django.db.models import Q

from lifecycle.engine.objects.kinds import kind_of_id


def of_kind(*kinds: str) -> Q:
    """Rows about objects of these kinds, by their ids."""
    return Q(kind__in=[kind_of_id(one).name for one in kinds])
