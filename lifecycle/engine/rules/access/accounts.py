"""Service accounts as users: their names and their groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..validation.words.names import check_label, check_subdomain
from .attributes import AUTHENTICATED, UserInfo

PREFIX = "system:serviceaccount:"
ALL_ACCOUNTS = "system:serviceaccounts"


def make_username(namespace: str, name: str) -> str:
    """What a service account is called as a user."""
    return f"{PREFIX}{namespace}:{name}"


def list_groups(namespace: str) -> tuple[str, ...]:
    """The groups that every service account of a namespace is in."""
    return (ALL_ACCOUNTS, f"{ALL_ACCOUNTS}:{namespace}")


def split_username(username: str) -> tuple[str, str] | None:
    """Namespace and name of the service account that a user is; None of any other user."""
    words = username.removeprefix(PREFIX).split(":")
    if not username.startswith(PREFIX) or len(words) != 2:
        return None
    namespace, name = words
    return None if check_label(namespace) or check_subdomain(name) else (namespace, name)


def make_account_user(
    namespace: str, name: str, uid: str = "", extra: Mapping[str, Sequence[str]] | None = None
) -> UserInfo:
    """A service account that has shown who it is."""
    groups = (*list_groups(namespace), AUTHENTICATED)
    return UserInfo(make_username(namespace, name), groups, uid, extra or {})
