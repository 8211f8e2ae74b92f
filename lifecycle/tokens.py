"""Ways in without a password: bearer tokens of the Kubernetes API, and entry links.

A token is one user's for one cluster. Of each only its digest is kept.
"""

from __future__ import annotations

import hashlib
import secrets
from functools import cache
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection, models

from lifecycle.models.rows import Rows

if TYPE_CHECKING:
    from django.db.models import QuerySet

PREFIX = "podline_"
RANDOM_BYTES = 32
MOST_TOKENS = 100
"""So many of one user for one cluster: a further one ends the oldest."""
_FOUND = """
    SELECT {columns} FROM lifecycle_apitoken AS token
    JOIN {users} AS asker ON asker.id = token.user_id
    JOIN lifecycle_cluster AS cluster ON cluster.id = token.cluster_id
    WHERE token.digest = %s
"""


class ApiToken(models.Model):
    """One token: whoever shows it is its user, at its cluster and nowhere else. Deleted, it is revoked."""

    digest = models.CharField(max_length=64, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    cluster = models.ForeignKey("lifecycle.Cluster", models.CASCADE, related_name="api_tokens")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"token of {self.user} for {self.cluster}"


def issue(user: Any, cluster: Any) -> str:
    """A new token as text, which is kept nowhere: what is shown now is never shown again."""
    token = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    ApiToken.objects.create(digest=make_digest(token), user=user, cluster=cluster)
    old = list_issued(user, cluster).values_list("pk", flat=True)[MOST_TOKENS:]
    ApiToken.objects.filter(pk__in=list(old)).delete()
    return token


def list_issued(user: Any, cluster: Any) -> QuerySet[ApiToken]:
    """The tokens of a user for a cluster that are good still, the newest first."""
    return ApiToken.objects.filter(user=user, cluster=cluster)


def find(token: str, address: str | None = None) -> ApiToken | None:
    """What a text is the token of; None for nonsense, one that was revoked, or another cluster's.

    It says itself which cluster is meant: the name in its `address` (`shop`, or in full `shop@alice`) has but
    to be right. Whether its user may still do anything is not asked here.
    """
    question, tokens, users, clusters = _how_to_find()
    with connection.cursor() as cursor:
        cursor.execute(question, [make_digest(token)])
        row = cursor.fetchone()
    if row is None:
        return None
    of_user = len(tokens)
    of_cluster = of_user + len(users)
    found, user = tokens.read(row[:of_user]), users.read(row[of_user:of_cluster])
    cluster = clusters.read(row[of_cluster:])
    found.user, found.cluster = user, cluster
    if cluster.owner_id == user.pk:
        cluster.owner = user
    is_meant = address is None or is_at(address, cluster.name, cluster.owner.get_username())
    return found if is_meant else None


@cache
def _how_to_find() -> tuple[str, Rows[ApiToken], Rows[Any], Rows[Any]]:
    """One question for a token, its user and its cluster, and what reads each of them."""
    model = get_user_model()
    tokens, users = Rows(ApiToken), Rows(model)
    clusters = Rows(apps.get_model("lifecycle", "Cluster"))
    columns = f"{tokens.columns('token')}, {users.columns('asker')}, {clusters.columns('cluster')}"
    return _FOUND.format(columns=columns, users=model._meta.db_table), tokens, users, clusters


def is_at(address: str, cluster_name: str, owner_name: str) -> bool:
    """Whether an address is one of a cluster of that name and owner."""
    name, is_full, owner = address.partition("@")
    return cluster_name == name and (not is_full or owner_name == owner)


def make_digest(token: str) -> str:
    """What is kept of a token."""
    # The token is as random as a key: it needs no salt and no slow hash.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class EntryLink(models.Model):
    """A one-time way in, printed by `manage.py up`; only its digest is kept."""

    digest = models.CharField(max_length=64, primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"entry for {self.user}"
