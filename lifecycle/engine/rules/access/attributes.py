"""Who asks, and what for: what a decision about access is made of.

Models the user of a request, its attributes, and what it is told when it is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

Json = dict[str, Any]
MASTERS = "system:masters"
"""The group that may do everything, whatever roles say."""
AUTHENTICATED, UNAUTHENTICATED = "system:authenticated", "system:unauthenticated"
ANONYMOUS = "system:anonymous"


@dataclass(frozen=True, slots=True)
class UserInfo:
    """A user as Kubernetes knows one."""

    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def is_master(self) -> bool:
        """Whether nothing is kept from it."""
        return MASTERS in self.groups

    def to_json(self) -> Json:
        """As reviews show it."""
        found: Json = {"username": self.name}
        if self.uid:
            found["uid"] = self.uid
        if self.groups:
            found["groups"] = list(self.groups)
        if self.extra:
            found["extra"] = {name: list(self.extra[name]) for name in sorted(self.extra)}
        return found


@dataclass(frozen=True, slots=True)
class Attributes:
    """A request as rules see it: for a resource, or for a `path` that is none's."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str | None = None

    @property
    def combined(self) -> str:
        """The resource with its part: `pods/log`."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


def tell_forbidden(user: UserInfo, asked: Attributes, reason: str = "") -> str:
    """Why a request is refused, as the API server's handlers say it (responsewriters/errors.go)."""
    head = _name_refused(asked)
    said = f"{head} is forbidden" if head else "forbidden"
    message = _sanitize(_tell_cannot(user, asked))
    return f"{said}: {message}{f': {reason}' if reason else ''}"


def _name_refused(asked: Attributes) -> str:
    """What is refused, as errors of the API name it: `pods "web"`, `deployments.apps`."""
    if not asked.resource:
        return ""
    qualified = f"{asked.resource}.{asked.group}" if asked.group else asked.resource
    return f"{qualified} {quote(asked.name)}" if asked.name else qualified


def _tell_cannot(user: UserInfo, asked: Attributes) -> str:
    who = f"User {quote(user.name)} cannot {asked.verb}"
    if asked.path is not None:
        return f"{who} path {quote(asked.path)}"
    where = f"in the namespace {quote(asked.namespace)}" if asked.namespace else "at the cluster scope"
    return f"{who} resource {quote(asked.combined)} in API group {quote(asked.group)} {where}"


def _sanitize(text: str) -> str:
    """So that no answer looks like a page."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quote(text: str) -> str:
    """A text in quotes, nearly as Go's %q writes it: letters stay, signs that cannot be seen are escaped."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return json.dumps(text, ensure_ascii=not text.isprintable())


def quote_all(texts: Sequence[str]) -> str:
    """A list of texts as Go's %q writes it: `["get" "list"]`."""
    return f"[{' '.join(map(quote, texts))}]"
