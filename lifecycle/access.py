"""Who may do what to a cluster: the one question every surface asks.

Owners and superusers may do everything, others nothing; at a past instant all only look. Sharing will widen
`may` and `clusters_for` here, and nowhere else. Someone else's cluster does not exist for a stranger: it
answers 404, never 403.
"""

from enum import StrEnum

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404

from lifecycle.models import Cluster

User = AbstractBaseUser | AnonymousUser


class Verb(StrEnum):
    """What a surface is about to do."""

    VIEW = "view"  # read objects and history
    CHANGE = "change"  # send a command
    RUN = "run"  # pause, step, change the speed
    OWN = "own"  # rename, share, delete


def may(user: User, cluster: Cluster, verb: str) -> bool:
    """Whether `user` may do `verb` to `cluster`; ValueError when there is no such verb."""
    Verb(verb)
    if not (user.is_authenticated and user.is_active):
        return False
    if cluster.is_look and verb != Verb.VIEW:
        return False
    return getattr(user, "is_superuser", False) or cluster.owner_id == user.pk


def clusters_for(user: User) -> QuerySet[Cluster]:
    """The clusters `user` may view, by name, as `may` has it; what only shows a past is not listed."""
    if not (user.is_authenticated and user.is_active):
        return Cluster.objects.none()
    listed = Cluster.objects.filter(is_look=False)
    return listed if getattr(user, "is_superuser", False) else listed.filter(owner_id=user.pk)


def get_cluster_or_404(user: User, name: str, verb: str = Verb.VIEW) -> Cluster:
    """The cluster of that name. Http404 for who may not view it, PermissionDenied when only `verb` lacks."""
    cluster = Cluster.objects.filter(name=name).first()
    if cluster is None or not may(user, cluster, Verb.VIEW):
        raise Http404(f"There is no cluster {name!r}.")
    if not may(user, cluster, verb):
        raise PermissionDenied(f"You may look at the cluster {name!r}, but not {verb} it.")
    return cluster
