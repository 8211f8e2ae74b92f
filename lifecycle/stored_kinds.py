"""Kinds as the columns of tables have them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from lifecycle.engine.objects.kinds import kind_id, kind_of_id
from lifecycle.models import StoredObject


def of_kind(*kinds: str) -> Q:
    """Rows about objects of these kinds, by their ids."""
    named = [kind_of_id(kind) for kind in kinds]
    found = reduce(or_, (Q(kind=one.name, group=one.group) for one in named))
    # Databases find no index for a choice of pairs.
    return found if len(named) == 1 else found & Q(kind__in={one.name for one in named})


def kind_of_stored(stored: StoredObject) -> str:
    """The id of a stored object's kind."""
    return kind_id(stored.group, stored.kind)


def kind_of_row(row: Mapping[str, Any]) -> str:
    """The id of the kind that a row of the trace is about."""
    return kind_id(row["group"], row["kind"])
