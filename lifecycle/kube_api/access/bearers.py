"""Whom a bearer token lets in: a user of Podline by one of theirs, a service account by its own."""

from dataclasses import dataclass
from typing import Any

from lifecycle import tokens
from lifecycle.engine.rules.access.attributes import UserInfo
from lifecycle.kube_api.access import service_tokens
from lifecycle.kube_api.access.callers import Caller, describe_user
from lifecycle.models import Cluster


@dataclass(frozen=True, slots=True)
class Bearer:
    """Who shows a good token. `account`: the service account it is one of; `token_id`: else its number."""

    user: Any
    cluster: Cluster
    account: UserInfo | None = None
    token_id: int | None = None

    @property
    def caller(self) -> Caller:
        """Who that is inside of the cluster."""
        if self.account is not None:
            return Caller(self.user, self.cluster, self.account, is_restricted=True)
        return Caller(self.user, self.cluster, describe_user(self.user, self.cluster))


def find_bearer(token: str, address: str | None = None) -> Bearer | None:
    """Who shows a token; None for nonsense, for one that has ended, or one of another cluster.

    As with tokens of users the cluster's name in its `address` has but to be right.
    """
    try:
        verified = service_tokens.verify(token)
    except service_tokens.NotGood:
        return None
    if verified is not None:
        cluster = verified.cluster
        is_there = address is None or tokens.is_at(address, cluster.name, cluster.owner.get_username())
        return Bearer(verified.user, cluster, verified.info) if is_there else None
    found = tokens.find(token, address)
    if found is None or not found.user.is_active:
        return None
    return Bearer(found.user, found.cluster, token_id=found.pk)
