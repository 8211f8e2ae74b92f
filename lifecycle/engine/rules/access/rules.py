"""Whether one rule of a role allows a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .attributes import Attributes

Rule = Mapping[str, Any]
ALL = "*"


def list_of(rule: Rule, field: str) -> Sequence[str]:
    """What a rule says of a field; nothing where it says nothing."""
    return rule.get(field) or ()


def is_allowed_by(rule: Rule, asked: Attributes) -> bool:
    """Whether a rule allows what is asked for."""
    if not _has(list_of(rule, "verbs"), asked.verb):
        return False
    if asked.path is not None:
        return any(covers_path(path, asked.path) for path in list_of(rule, "nonResourceURLs"))
    return (
        _has(list_of(rule, "apiGroups"), asked.group)
        and _has_resource(list_of(rule, "resources"), asked)
        and _has_name(list_of(rule, "resourceNames"), asked.name)
    )


def covers_path(pattern: str, path: str) -> bool:
    """Whether a path is one's of a rule: `*`, the very same, or what begins with all before its last `*`."""
    return pattern in (ALL, path) or (pattern.endswith(ALL) and path.startswith(pattern.rstrip(ALL)))


def _has(allowed: Sequence[str], one: str) -> bool:
    return ALL in allowed or one in allowed


def _has_resource(allowed: Sequence[str], asked: Attributes) -> bool:
    if _has(allowed, asked.combined):
        return True
    # `*/scale` is that part of any resource; `pods/*` means nothing.
    return bool(asked.subresource) and f"*/{asked.subresource}" in allowed


def _has_name(names: Sequence[str], name: str) -> bool:
    # A rule with names never fits a request without one: to list or create has none.
    return not names or name in names
