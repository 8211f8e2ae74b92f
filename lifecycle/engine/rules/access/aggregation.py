"""The rules of a ClusterRole that gathers those of others.

Models the cluster role aggregation controller: it takes the rules of all roles that a selector fits, by their
names, and each rule once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...objects.selector import Selector
from .rules import Rule, list_of

Json = Mapping[str, Any]
_FIELDS = ("resources", "resourceNames", "apiGroups", "nonResourceURLs", "verbs")


def has_aggregation(role: Json) -> bool:
    """Whether a role's rules are gathered from others."""
    return role.get("aggregationRule") is not None


def gather_rules(role: Json, others: Iterable[Json]) -> list[Rule]:
    """What the rules of a role that gathers are to be."""
    by_name = sorted(others, key=lambda one: str(one["metadata"]["name"]))
    found: list[Rule] = []
    for raw in (role["aggregationRule"] or {}).get("clusterRoleSelectors") or ():
        selector = Selector(raw)
        for other in by_name:
            meta = other["metadata"]
            if meta["name"] != role["metadata"]["name"] and selector.matches(meta.get("labels") or {}):
                found += [rule for rule in other.get("rules") or () if not _is_among(rule, found)]
    return found


def settle_rules(roles: Iterable[Json]) -> dict[str, list[Rule]]:
    """The rules that all roles which gather come to have, by name: they may gather from each other.

    One is looked at after the other, as the controller does, so often that what the first of a row has
    comes to the last.
    """
    by_name = {str(one["metadata"]["name"]): one for one in roles}
    gathering = sorted(name for name, one in by_name.items() if has_aggregation(one))
    found: dict[str, list[Rule]] = {}
    for _ in range(len(gathering) + 1):
        before = dict(found)
        for name in gathering:
            found[name] = gather_rules(by_name[name], by_name.values())
            by_name[name] = {**by_name[name], "rules": found[name]}
        if found == before:
            break
    return found


def is_same(one: Iterable[Rule], other: Iterable[Rule]) -> bool:
    """Whether two lists of rules say the same in the same order."""
    return list(map(_read, one)) == list(map(_read, other))


def _is_among(rule: Rule, rules: Iterable[Rule]) -> bool:
    return any(_read(rule) == _read(one) for one in rules)


def _read(rule: Rule) -> list[list[str]]:
    # What is empty is as what is not there.
    return [list(list_of(rule, field)) for field in _FIELDS]
