"""Who asks: a bearer token, or the session of somebody who is signed in."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware

from lifecycle import tokens
from lifecycle.access import Verb, get_cluster_or_404, may
from lifecycle.kube_api.status import Refusal, forbidden, unauthorized
from lifecycle.models import Cluster

# Where a request remembers the token that let it in; no header has such a name.
TOKEN_KEY = "podline.token"
SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}


def authenticate(request: HttpRequest, cluster_name: str) -> Any:
    """The user who sent a request to a cluster. Raises Refusal: 401, as from the API server.

    A session's unsafe requests are held to their CSRF token; a bearer's cannot be forged.
    """
    if request.headers.get("Authorization"):
        # Whoever shows a token means it: a session is no way around a wrong one.
        found = find_bearer(request.headers["Authorization"], cluster_name)
        request.META[TOKEN_KEY] = found.pk
        return found.user
    user = getattr(request, "user", None)
    if user is None or not (user.is_authenticated and user.is_active):
        raise unauthorized()
    if request.method not in SAFE_METHODS:
        _check_csrf(request)
    return user


def refuse_impersonation(user: Any, wanted: str) -> None:
    """Nobody acts as somebody else here. Raises Refusal (403), as for a user who may not."""
    name = user.get_username()
    if wanted in ("", name):
        return
    raise forbidden(
        f'users "{wanted}" is forbidden: User "{name}" cannot impersonate resource "users" in API group ""'
        " at the cluster scope",
        {"name": wanted, "kind": "users"},
    )


def find_bearer(shown: str, cluster_name: str) -> tokens.ApiToken:
    """The token that an Authorization header shows. Raises Refusal (401)."""
    scheme, _, text = shown.partition(" ")
    found = tokens.find(text.strip(), cluster_name) if scheme.lower() == "bearer" else None
    if found is None or not found.user.is_active:
        raise unauthorized()
    return found


def find_user(token: str, cluster_name: str) -> Any:
    """The active user whose token for a cluster this is; None when it is nobody's."""
    found = tokens.find(token, cluster_name)
    return found.user if found is not None and found.user.is_active else None


@dataclass(frozen=True, slots=True)
class Right:
    """What a request that goes on for long rests on. Called, it says whether it still holds."""

    cluster_id: int
    user_id: int
    token_id: int | None

    @classmethod
    def of(cls, request: HttpRequest, cluster: Cluster, user: Any) -> "Right":
        """The right by which a request was let in."""
        return cls(cluster.pk, user.pk, request.META.get(TOKEN_KEY))

    def __call__(self) -> bool:
        """Asks the database: whether the user may still look at the cluster, and the token is still good."""
        user = get_user_model().objects.filter(pk=self.user_id).first()
        cluster = Cluster.objects.filter(pk=self.cluster_id).first()
        if user is None or cluster is None or not may(user, cluster, Verb.VIEW):
            return False
        return self.token_id is None or tokens.ApiToken.objects.filter(pk=self.token_id).exists()


def find_cluster(user: Any, name: str) -> Cluster:
    """The cluster of that name; 404 for one that the user may not look at."""
    try:
        return get_cluster_or_404(user, name)
    except Http404:
        message = f'clusters.podline.dev "{name}" not found'
        details = {"name": name, "group": "podline.dev", "kind": "clusters"}
        raise Refusal(404, message, "NotFound", details) from None


class _Check(CsrfViewMiddleware):
    def _reject(self, request: HttpRequest, reason: str) -> Any:
        return reason


def _check_csrf(request: HttpRequest) -> None:
    check = _Check(lambda request: HttpResponse())
    check.process_request(request)
    reason = check.process_view(request, lambda request: HttpResponse(), (), {})
    if reason:
        raise forbidden(f"CSRF Failed: {reason}")
