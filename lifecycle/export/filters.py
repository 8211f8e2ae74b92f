"""What a caller asks for: filters read from a query string, every mistake named.

A repeated filter means or: one of the kinds, from the earlier `since`, to the later `until`.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Q, QuerySet
from django.http import QueryDict
from rest_framework.exceptions import ValidationError

from lifecycle.engine.objects.condition import ALIASES
from lifecycle.input.instants import parse_instant
from lifecycle.models import Cluster, Event, StoredObject

SUBJECT = ["kind", "group", "namespace", "name", "uid", "owner"]
RANGE = ["since", "until", "after", "limit"]
TRANSITION_FILTERS = [*SUBJECT, "field", "reason", *RANGE]
EVENT_FILTERS = [*SUBJECT, "reason", *RANGE]
OBJECT_FILTERS = [*SUBJECT, "after", "deleted", "view"]
LOG_FILTERS = ["namespace", "pod", "container", "previous"]

LARGEST = 2**63 - 1
FIELD_ALIASES = {f"condition.{alias}": f"condition.{name}" for alias, name in ALIASES.items()}
"""A condition may be asked for by its name in the API too."""
Value = TypeVar("Value")


def check_names(query: QueryDict, allowed: list[str]) -> None:
    """ValidationError naming every parameter that is not allowed, or that no database could look for."""
    known = f"there are {', '.join(allowed)}"
    if unknown := [name for name in query if name not in allowed]:
        raise ValidationError({name: [f"There is no parameter {name!r} here; {known}."] for name in unknown})
    # No name has one, and PostgreSQL takes none.
    if broken := [name for name in query if "\0" in "".join(query.getlist(name))]:
        raise ValidationError({name: ["A NUL character is no part of any name."] for name in broken})


def read_values(query: QueryDict, name: str, parse: Callable[[str], Value]) -> list[Value]:
    """Every value given under `name`; ValidationError when one is not what it should be."""
    try:
        return [parse(text) for text in query.getlist(name)]
    except ValueError as error:
        raise ValidationError({name: [str(error)]}) from None


def parse_count(text: str) -> int:
    """A whole number from 0 on. Raises ValueError saying so."""
    digits = text.lstrip("0") or text[:1]
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and int(digits) <= LARGEST):
        raise ValueError(f"{text!r} is no whole number from 0 on")
    return int(digits)


def parse_yes_or_no(text: str) -> bool:
    """`true` or `false`. Raises ValueError saying so."""
    if text not in {"true", "false"}:
        raise ValueError(f"{text!r}: use true or false")
    return text == "true"


def select_subjects(rows: QuerySet[Any], query: QueryDict, cluster: Cluster) -> QuerySet[Any]:
    """The rows whose subject, field and reason are among those asked for."""
    rows = rows.filter(cluster=cluster)
    for name in ("kind", "group", "name", "uid", "field", "reason"):
        if wanted := query.getlist(name):
            names = [FIELD_ALIASES.get(one, one) for one in wanted] if name == "field" else wanted
            rows = rows.filter(**{f"{name}__in": names})
    if wanted := query.getlist("namespace"):
        # Objects outside namespaces have none: `namespace=` asks for them.
        outside = Q(namespace__isnull=True) if "" in wanted else Q()
        rows = rows.filter(Q(namespace__in=wanted) | outside)
    if owners := query.getlist("owner"):
        rows = rows.filter(_is_owned_by(rows, owners, cluster))
    return rows


def _is_owned_by(rows: QuerySet[Any], owners: list[str], cluster: Cluster) -> Q:
    """Events do not carry their subject's owner: the stored object does."""
    if rows.model is not Event:
        return Q(owner__in=owners)
    return Q(uid__in=StoredObject.objects.filter(cluster=cluster, owner__in=owners).values("uid"))


def select_range(rows: QuerySet[Any], query: QueryDict, cluster: Cluster) -> tuple[QuerySet[Any], int]:
    """The rows before the end of the asked time, and the number after which they count.

    Rows above the cluster's cursor do not exist yet.
    """
    since = read_values(query, "since", lambda text: parse_instant(text, cluster.epoch_ms))
    until = read_values(query, "until", lambda text: parse_instant(text, cluster.epoch_ms))
    after = read_values(query, "after", parse_count)
    history = rows.model._default_manager.filter(cluster=cluster, seq__lte=cluster.seq)
    low = max(cluster.oldest_seq, min(after) + 1 if after else 0)
    high = cluster.seq + 1
    if since:
        low = first_seq_at(history, min(since), low, high)
    if until:
        high = first_seq_at(history, max(until), low, high)
    return rows.filter(seq__lt=high), low - 1


def first_seq_at(history: QuerySet[Any], instant_ms: int, low: int, high: int) -> int:
    """The first seq in [low, high) not before the instant, `high` if none: both grow together, so bisect."""

    def instant_from(seq: int) -> int:
        found = history.filter(seq__gte=seq).order_by("seq").values_list("at_ms", flat=True).first()
        return LARGEST if found is None else found

    if low >= high:
        return high
    return low + bisect_left(range(low, high), instant_ms, key=instant_from)


def select_stored(query: QueryDict, cluster: Cluster, with_deleted: bool) -> QuerySet[Any]:
    """Objects as they are now; `after` keeps those written since that resource version."""
    rows = select_subjects(StoredObject.objects.all(), query, cluster)
    if after := read_values(query, "after", parse_count):
        rows = rows.filter(rv__gt=min(after))
    deleted = read_values(query, "deleted", parse_yes_or_no)
    if not deleted and not with_deleted:
        deleted = [False]
    if len(set(deleted)) == 1:
        rows = rows.filter(deleted_ms__isnull=not deleted[0])
    return rows
