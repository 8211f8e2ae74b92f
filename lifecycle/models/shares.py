"""Who may look at a cluster besides its owner: people by their roles, anybody by a link that was shared.

A link is read only, of one cluster (or of two side by side, and then of nothing else of them), and has an
end. Of its token only the digest is kept.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.utils import timezone

if TYPE_CHECKING:
    from django.db.models import QuerySet

RANDOM_BYTES = 32
LONGEST_PAGE = 2_000
KEPT_AFTER = timedelta(days=30)
"""So long after its end a link still says that it is over; then it is as if there had been none."""


class Role(models.Model):
    """What somebody may do to a cluster: look at all of it, change it, or all that its owner may."""

    class Name(models.TextChoices):
        """The least first."""

        VIEWER = "viewer"
        EDITOR = "editor"
        OWNER = "owner"

    cluster = models.ForeignKey("lifecycle.Cluster", models.CASCADE, related_name="roles")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="cluster_roles")
    name = models.CharField(max_length=15, choices=Name.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["user__username", "pk"]
        constraints = [models.UniqueConstraint(fields=["cluster", "user"], name="one_role_each")]

    def __str__(self) -> str:
        return f"{self.user} is {self.name} of {self.cluster}"


class Share(models.Model):
    """A link that shows a page to whoever has it. Deleted, it is revoked.

    `page` is the address that it opens, below the cluster's own. `beside`: what the cluster is compared with.
    """

    digest = models.CharField(max_length=64, unique=True, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="shares")
    cluster = models.ForeignKey("lifecycle.Cluster", models.CASCADE, related_name="shares")
    beside = models.ForeignKey("lifecycle.Cluster", models.CASCADE, null=True, related_name="+")
    page = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"link of {self.user} to {self.cluster}"

    @property
    def is_over(self) -> bool:
        """Whether its time is up, or who made it is gone from here."""
        return self.expires_at <= timezone.now() or not self.user.is_active


class Guest:
    """Whoever came by a link: as a user, one who may only look, at what is shared, and has no account.

    The number is no user's: limits count by it, for each link by itself.
    """

    is_authenticated = is_active = is_guest = True
    is_superuser = is_staff = is_anonymous = False

    def __init__(self, share: Share) -> None:
        self.share = share
        self.pk = self.id = -share.pk

    def get_username(self) -> str:
        """Nobody's name."""
        return "guest"

    def has_perm(self, permission: str, thing: object = None) -> bool:
        """Of Django's permissions none."""
        return False

    def has_module_perms(self, app: str) -> bool:
        """Of Django's permissions none."""
        return False

    @property
    def cluster_ids(self) -> list[int]:
        """What is shared."""
        return [one for one in (self.share.cluster_id, self.share.beside_id) if one is not None]


def issue(user: Any, cluster: Any, page: str, lifetime: timedelta, beside: Any = None) -> str:
    """A new link's token as text, which is kept nowhere: what is shown now is never shown again."""
    Share.objects.filter(expires_at__lt=timezone.now() - KEPT_AFTER).delete()
    token = secrets.token_urlsafe(RANDOM_BYTES)
    Share.objects.create(
        digest=_digest(token),
        user=user,
        cluster=cluster,
        beside=beside,
        page=page,
        expires_at=timezone.now() + lifetime,
    )
    return token


def list_issued(cluster: Any) -> QuerySet[Share]:
    """The links to a cluster that are good still, whoever made them, the newest first."""
    mine = models.Q(cluster=cluster) | models.Q(beside=cluster)
    return Share.objects.filter(mine, expires_at__gt=timezone.now()).select_related(
        "user", "cluster", "beside"
    )


def count_issued(user: Any) -> int:
    """How many links somebody has that are good still."""
    return Share.objects.filter(user=user, expires_at__gt=timezone.now()).count()


def find(token: str) -> Share | None:
    """What a text is the token of, over or not; None for nonsense and for one that was revoked."""
    return _find(digest=_digest(token))


def find_again(share_id: int) -> Share | None:
    """The same link as it is stored now."""
    return _find(pk=share_id)


def _find(**asked: Any) -> Share | None:
    found = Share.objects.select_related("user", "cluster__owner", "beside__owner")
    return found.filter(**asked).first()


def _digest(token: str) -> str:
    # The token is as random as a key: it needs no salt and no slow hash.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
