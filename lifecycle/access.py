"""Who may do what to a cluster, and what they call it: the questions every surface asks.

Owners and superusers may do everything, others nothing; at a past instant all only look. Sharing will widen
`may` and `_seen_by` here, and nowhere else. Someone else's cluster does not exist for a stranger: it answers
404, never 403, and nothing tells that there is one of a name.

Names are their owners'. In addresses and commands `demo` is the asker's own cluster, `demo@alice` the one of
alice, for who may see it; the first `@` divides, as users' names may have more. Who has no `demo` and may see
just one may look at it by `demo` alone; to change it, or to tell two apart, its owner has to be named.
"""

from enum import StrEnum
from importlib import import_module

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Case, QuerySet, When
from django.http import Http404

from lifecycle.models import Cluster

User = AbstractBaseUser | AnonymousUser
MOST_NAMED = 5
"""So many addresses are told at most to who may have meant any of them."""


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
    return _seen_by(user).filter(is_look=False)


def _seen_by(user: User) -> QuerySet[Cluster]:
    """What others have is left out by the database itself: it is no more work when there is something."""
    if not (user.is_authenticated and user.is_active):
        return Cluster.objects.none()
    every = Cluster.objects.all()
    return every if getattr(user, "is_superuser", False) else every.filter(owner_id=user.pk)


def get_cluster_or_404(user: User, address: str, verb: str = Verb.VIEW) -> Cluster:
    """The cluster at an address. Http404 for who may not view it, PermissionDenied when only `verb` lacks."""
    cluster = find_cluster(user, address, is_exact=verb != Verb.VIEW)
    if cluster is None:
        hint = hint_at(address, user)
        raise Http404(f"There is no cluster {address!r}{f' of yours: {hint}' if hint else ''}.")
    if not may(user, cluster, verb):
        raise PermissionDenied(f"You may look at the cluster {address!r}, but not {verb} it.")
    return cluster


def find_cluster(user: User, address: str, is_exact: bool = False) -> Cluster | None:
    """The cluster at an address, for one who may view it; None when there is none or it is not clear which.

    `is_exact`: somebody else's is found by its owner's name only. What is found has its `address`.
    """
    found = _find(_seen_by(user), address, user, is_exact)
    if found is None or not may(user, found, Verb.VIEW):
        return None
    return give_address(user, found)


def find_any_cluster(address: str, user: User | None = None) -> Cluster | None:
    """The cluster at an address, for who runs the installation and may ask in the stead of `user`."""
    return _find(Cluster.objects.all(), address, user or AnonymousUser())


def _find(seen: QuerySet[Cluster], address: str, user: User, is_exact: bool = False) -> Cluster | None:
    name, is_full, owner = address.partition("@")
    named = seen.filter(name=name).select_related("owner")
    if is_full:
        return named.filter(owner__username=owner).first()
    own_first = Case(When(owner=user.pk, then=0), default=1)
    found = list(named.order_by(own_first, "pk")[:2])
    is_clear = len(found) == 1 and not is_exact
    return found[0] if found and (is_clear or found[0].owner_id == user.pk) else None


def hint_at(name: str, user: User | None = None) -> str:
    """How to name one of the clusters of others that are called so, in words; "" when there are none.

    Of those that `user` may see; None: who runs the installation.
    """
    seen = Cluster.objects.all() if user is None else _seen_by(user)
    named = seen.filter(name=name).select_related("owner").order_by("pk")[:MOST_NAMED]
    addresses = [f"{cluster.name}@{cluster.owner.get_username()}" for cluster in named]
    return f"name whose you mean, {' or '.join(addresses)}" if addresses else ""


def address_for(user: User, cluster: Cluster) -> str:
    """What `user` calls a cluster in addresses: `shop` one's own, `shop@alice` that of alice."""
    return cluster.name if cluster.owner_id == user.pk else f"{cluster.name}@{cluster.owner.get_username()}"


def give_address(user: User, cluster: Cluster) -> Cluster:
    """The cluster with its `address` for `user`; what it is a look at has its own as well."""
    cluster.address = address_for(user, cluster)
    if cluster.is_look and cluster.parent is not None:
        cluster.parent.address = address_for(user, cluster.parent)
    return cluster


def is_signed_in(session_key: str, user_id: int) -> bool:
    """Whether a session is still that user's: signing out ends it, and so does its age. Writes nothing."""
    store = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    return bool(store.get(SESSION_KEY) == str(user_id))
