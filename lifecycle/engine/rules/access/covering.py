"""Whether what somebody may do includes what a role would give: nobody hands out more than they have.

Models the policy comparator and the check against escalation. The missing rights are told as the API server
tells them, verbs of one resource together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .attributes import UserInfo, quote_all
from .rules import ALL, Rule, covers_path, list_of

_FIELDS = {
    "apiGroups": "APIGroups",
    "resources": "Resources",
    "nonResourceURLs": "NonResourceURLs",
    "resourceNames": "ResourceNames",
    "verbs": "Verbs",
}
"""Of a rule, and how they are told, in this order."""
FULL_AUTHORITY: tuple[Rule, ...] = (
    {"verbs": [ALL], "apiGroups": [ALL], "resources": [ALL]},
    {"verbs": [ALL], "nonResourceURLs": [ALL]},
)


def find_missing(held: Sequence[Rule], wanted: Iterable[Rule]) -> list[Rule]:
    """Of what rules would give, piece by piece, what rules that are held do not include."""
    pieces = (piece for rule in wanted for piece in _break_down(rule))
    return [piece for piece in pieces if not any(_covers(rule, piece) for rule in held)]


def tell_escalation(user: UserInfo, missing: Sequence[Rule], problem: str = "") -> str:
    """Why a role is refused to who has not got all that it gives."""
    lines = sorted({_tell(rule) for rule in _compact(missing)})
    head = f"user {_quote_user(user)} is attempting to grant RBAC permissions not currently held"
    resolved = f"; resolution errors: [{problem}]" if problem else ""
    return f"{head}:\n" + "\n".join(lines) + resolved


def _quote_user(user: UserInfo) -> str:
    return f"{quote_all([user.name])[1:-1]} (groups={quote_all(user.groups)})"


def _break_down(rule: Rule) -> Iterator[dict[str, list[str]]]:
    """Rules of one verb, one resource and one name each that give the same."""
    verbs, names = list_of(rule, "verbs"), list_of(rule, "resourceNames")
    for group in list_of(rule, "apiGroups"):
        for resource in list_of(rule, "resources"):
            for verb in verbs:
                piece = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
                yield from ({**piece, "resourceNames": [name]} for name in names) if names else (piece,)
    for path in list_of(rule, "nonResourceURLs"):
        yield from ({"nonResourceURLs": [path], "verbs": [verb]} for verb in verbs)


def _covers(held: Rule, piece: Rule) -> bool:
    """Whether a rule, however wide, includes a piece of another."""
    return (
        _has_all(held, piece, "verbs")
        and _has_all(held, piece, "apiGroups")
        and all(_has_resource(list_of(held, "resources"), one) for one in list_of(piece, "resources"))
        and _has_names(list_of(held, "resourceNames"), list_of(piece, "resourceNames"))
        and all(
            any(covers_path(pattern, path) for pattern in list_of(held, "nonResourceURLs"))
            for path in list_of(piece, "nonResourceURLs")
        )
    )


def _has_all(held: Rule, piece: Rule, field: str) -> bool:
    has = list_of(held, field)
    return ALL in has or set(list_of(piece, field)) <= set(has)


def _has_resource(held: Sequence[str], resource: str) -> bool:
    _, slash, part = resource.partition("/")
    return ALL in held or resource in held or (bool(slash) and f"*/{part}" in held)


def _has_names(held: Sequence[str], wanted: Sequence[str]) -> bool:
    # Who may do something with all of them may do it with each; never the other way round.
    return not held or (bool(wanted) and set(wanted) <= set(held))


def _compact(pieces: Sequence[Rule]) -> list[Rule]:
    """Pieces of one resource, or one name of it, with all their verbs together."""
    joined: dict[Any, dict[str, list[str]]] = {}
    for number, piece in enumerate(pieces):
        key: Any = number
        if piece.get("resources"):
            key = tuple(tuple(list_of(piece, field)) for field in ("apiGroups", "resources", "resourceNames"))
        if key in joined:
            joined[key]["verbs"] += list_of(piece, "verbs")
        else:
            joined[key] = {field: list(piece[field]) for field in _FIELDS if piece.get(field)}
    return list(joined.values())


def _tell(rule: Mapping[str, Any]) -> str:
    shown = (f"{name}:{quote_all(rule[field])}" for field, name in _FIELDS.items() if rule.get(field))
    return f"{{{', '.join(shown)}}}"
