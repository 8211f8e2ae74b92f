"""Who may do what to a cluster, and what they call it: the questions every surface asks.

Who made a cluster is its owner, and gives others roles: a viewer looks at everything and forks it, an editor
changes and runs it, a further owner may do all. Superusers may do everything, guests look at what a link
shares, others nothing; at a past instant all only look. Someone else's cluster does not exist for a stranger:
it answers 404, never 403, and nothing tells that there is one of a name.

Names are their owners'. In addresses and commands `demo` is the asker's own cluster, `demo@alice` the one of
alice, for who may see it; the first `@` divides, as users' names may have more. Who has no `demo` and may see
just one may look at it by `demo` alone; to change it, or to tell two apart, its owner has to be named.
"""

from enum import StrEnum
from importlib import import_module
from typing import Any, cast

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404

from lifecycle.models import Cluster
from lifecycle.models.rows import Rows
from lifecycle.models.shares import Guest, Role, Share

User = AbstractBaseUser | AnonymousUser
Anyone = User | Guest
_CLUSTERS = Rows(Cluster)
_OWN = f"""
    SELECT {_CLUSTERS.columns("cluster")} FROM lifecycle_cluster AS cluster WHERE owner_id = %s AND name = %s
"""
MOST_NAMED = 5
"""So many addresses are told at most to who may have meant any of them."""


class Verb(StrEnum):
    """What a surface is about to do."""

    VIEW = "view"  # read objects and history
    CHANGE = "change"  # send a command
    RUN = "run"  # pause, step, change the speed
    OWN = "own"  # rename, share, delete


_ALLOWED: dict[str, tuple[Verb, ...]] = {
    "": (),
    Role.Name.VIEWER: (Verb.VIEW,),
    Role.Name.EDITOR: (Verb.VIEW, Verb.CHANGE, Verb.RUN),
    Role.Name.OWNER: tuple(Verb),
}


def may(user: Anyone, cluster: Cluster, verb: str) -> bool:
    """Whether `user` may do `verb` to `cluster`; ValueError when there is no such verb."""
    asked = Verb(verb)
    if not (user.is_authenticated and user.is_active):
        return False
    if cluster.is_look:
        return asked == Verb.VIEW and _may_look_back(user, cluster)
    return allows(find_role(user, cluster), asked)


def find_role(user: Anyone, cluster: Cluster) -> str:
    """What somebody is to a cluster; "" for nothing."""
    if isinstance(user, Guest):
        return Role.Name.VIEWER if cluster.pk in user.cluster_ids else ""
    is_superuser, is_maker = getattr(user, "is_superuser", False), cluster.owner_id == user.pk
    if role := decide_role(is_superuser, is_maker, ""):
        return role
    given = Role.objects.filter(cluster=cluster, user_id=user.pk or 0).values_list("name", flat=True)
    return decide_role(is_superuser, is_maker, given.first() or "")


def decide_role(is_superuser: bool, is_maker: bool, given: str) -> str:
    """What a user is to a cluster: who made it owns it, others are what they were `given`, "" for nothing."""
    return Role.Name.OWNER if is_superuser or is_maker else given


def allows(role: str, verb: str) -> bool:
    """Whether who is that to a cluster may do `verb` to it; a look at the past has rules of its own."""
    return Verb(verb) in _ALLOWED[role]


def _may_look_back(user: Anyone, look: Cluster) -> bool:
    """A look is its maker's, as long as what it looks at may be seen."""
    if isinstance(user, Guest):
        return look.share_id == user.share.pk
    is_own = look.share_id is None and look.owner_id == user.pk
    is_seen = look.parent is None or may(user, look.parent, Verb.VIEW)
    return getattr(user, "is_superuser", False) or (is_own and is_seen)


def clusters_for(user: Anyone) -> QuerySet[Cluster]:
    """The clusters `user` may view, by name, as `may` has it; what only shows a past is not listed."""
    return _seen_by(user).filter(is_look=False)


def _seen_by(user: Anyone) -> QuerySet[Cluster]:
    """What others have is left out by the database itself: it is no more work when there is something."""
    if not (user.is_authenticated and user.is_active):
        return Cluster.objects.none()
    every = Cluster.objects.all()
    if isinstance(user, Guest):
        return every.filter(Q(pk__in=user.cluster_ids) | Q(share=user.share))
    if getattr(user, "is_superuser", False):
        return every
    given = Role.objects.filter(user_id=user.pk).values("cluster")
    return every.filter(Q(owner_id=user.pk) | Q(pk__in=given))


def get_cluster_or_404(user: Anyone, address: str, verb: str = Verb.VIEW) -> Cluster:
    """The cluster at an address. Http404 for who may not view it, PermissionDenied when only `verb` lacks."""
    cluster = find_cluster(user, address, is_exact=verb != Verb.VIEW)
    if cluster is None:
        hint = hint_at(address, user)
        raise Http404(f"There is no cluster {address!r}{f' of yours: {hint}' if hint else ''}.")
    if not may(user, cluster, verb):
        raise PermissionDenied(f"You may look at the cluster {address!r}, but not {verb} it.")
    return cluster


def find_cluster(user: Anyone, address: str, is_exact: bool = False) -> Cluster | None:
    """The cluster at an address, for one who may view it; None when there is none or it is not clear which.

    `is_exact`: somebody else's is found by its owner's name only. What is found has its `address`.
    """
    found = _find(_seen_by(user), address, user, is_exact)
    if found is None or not may(user, found, Verb.VIEW):
        return None
    return give_address(user, found)


def find_any_cluster(address: str, user: Anyone | None = None) -> Cluster | None:
    """The cluster at an address, for who runs the installation and may ask in the stead of `user`."""
    return _find(Cluster.objects.all(), address, user or AnonymousUser())


def _find(seen: QuerySet[Cluster], address: str, user: Anyone, is_exact: bool = False) -> Cluster | None:
    name, is_full, owner = address.partition("@")
    if is_full:
        return seen.filter(name=name, owner__username=owner).select_related("owner").first()
    # Their own comes first, and is what most ask for: it takes no look at what others have.
    # Asked with every request, and so in SQL: Django takes three times as long to name all these columns.
    own = _CLUSTERS.find(_OWN, [user.pk, name])
    if own is not None:
        # Who asks need not be read again.
        own.owner = cast(Any, user)
    if own is not None or is_exact:
        return own
    found = seen.filter(name=name).select_related("owner").order_by("pk")[:2]
    return found[0] if len(found) == 1 else None


def hint_at(name: str, user: Anyone | None = None) -> str:
    """How to name one of the clusters of others that are called so, in words; "" when there are none.

    Of those that `user` may see; None: who runs the installation.
    """
    seen = Cluster.objects.all() if user is None else _seen_by(user)
    named = seen.filter(name=name).select_related("owner").order_by("pk")[:MOST_NAMED]
    addresses = [f"{cluster.name}@{cluster.owner.get_username()}" for cluster in named]
    return f"name whose you mean, {' or '.join(addresses)}" if addresses else ""


def address_for(user: Anyone, cluster: Cluster) -> str:
    """What `user` calls a cluster in addresses: `shop` one's own, `shop@alice` that of alice.

    To guests nobody's name is told; what they see has one owner.
    """
    if cluster.owner_id == user.pk or isinstance(user, Guest):
        return cluster.name
    return f"{cluster.name}@{cluster.owner.get_username()}"


def give_address(user: Anyone, cluster: Cluster) -> Cluster:
    """The cluster with its `address` for `user`, and whether that one may change it, and owns it.

    What it is a look at has its own address as well.
    """
    cluster.address = address_for(user, cluster)
    allowed = () if cluster.is_look else _ALLOWED[find_role(user, cluster)]
    cluster.is_editable, cluster.is_owned = Verb.CHANGE in allowed, Verb.OWN in allowed
    if cluster.is_look and cluster.parent is not None:
        give_address(user, cluster.parent)
    return cluster


def admit(share: Share | None) -> Guest | None:
    """The guest of a link that is good: its time is not up, and who made it may share still."""
    if share is None or share.is_over:
        return None
    shown = [one for one in (share.cluster, share.beside) if one is not None]
    return Guest(share) if all(may(share.user, one, Verb.OWN) for one in shown) else None


def is_signed_in(session_key: str, user_id: int) -> bool:
    """Whether a session is still that user's: signing out ends it, and so does its age. Writes nothing."""
    store = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    return bool(store.get(SESSION_KEY) == str(user_id))
