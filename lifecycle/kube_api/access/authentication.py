"""Who asks: a bearer token, or the session of somebody who is signed in."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware

from lifecycle import tokens
from lifecycle.access import Verb, find_cluster, hint_at, is_signed_in, may
from lifecycle.kube_api.access import bearers
from lifecycle.kube_api.access.bearers import Bearer
from lifecycle.kube_api.access.callers import Caller, describe_user
from lifecycle.kube_api.access.impersonation import Headers, act_as_asked
from lifecycle.kube_api.status import Refusal, forbidden, unauthorized
from lifecycle.models import Cluster

# Where a request remembers the token that let it in, None of a service account's; no header has such a name.
TOKEN_KEY = "podline.token"
SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}


def authenticate(request: HttpRequest, address: str) -> Caller:
    """Who sent a request, to which cluster, and as whom it is to be done. Raises Refusal: 401, as from the
    API server, 404 for a cluster that the user may not look at, 403 for who may not act as somebody else.
    """
    return act_as_asked(_authenticate(request, address), list_headers(request))


def _authenticate(request: HttpRequest, address: str) -> Caller:
    """A session's unsafe requests are held to their CSRF token; a bearer's cannot be forged."""
    if request.headers.get("Authorization"):
        # Whoever shows a token means it: a session is no way around a wrong one.
        found = find_bearer(request.headers["Authorization"], address)
        request.META[TOKEN_KEY] = found.token_id
        if not may(found.user, found.cluster, Verb.VIEW):
            raise _no_cluster(address)
        return found.caller
    user = getattr(request, "user", None)
    if user is None or not (user.is_authenticated and user.is_active):
        raise unauthorized()
    is_safe = request.method in SAFE_METHODS
    if not is_safe:
        _check_csrf(request)
    cluster = find_cluster(user, address, is_exact=not is_safe)
    if cluster is None:
        raise _no_cluster(address, hint_at(address, user))
    return Caller(user, cluster, describe_user(user, cluster))


def list_headers(request: HttpRequest) -> Headers:
    """The headers as they were sent: Django joins those of one name."""
    scope = getattr(request, "scope", None)
    return request.headers.items() if scope is None else read_headers(scope)


def read_headers(scope: Any) -> Headers:
    """The headers of a connection."""
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]


def find_bearer(shown: str, address: str) -> Bearer:
    """Who shows the token of an Authorization header. Raises Refusal (401)."""
    scheme, _, text = shown.partition(" ")
    found = bearers.find_bearer(text.strip(), address) if scheme.lower() == "bearer" else None
    if found is None:
        raise unauthorized()
    return found


@dataclass(frozen=True, slots=True)
class Right:
    """What a request that goes on for long rests on. Called, it says whether it still holds."""

    cluster_id: int
    user_id: int
    token_id: int | None
    session_key: str | None = None
    verb: Verb = Verb.VIEW
    """What the user has to be allowed to do to the cluster."""

    @classmethod
    def of(cls, request: HttpRequest, cluster: Cluster, user: Any) -> "Right":
        """The right by which a request was let in."""
        token_id = request.META.get(TOKEN_KEY)
        session = None if TOKEN_KEY in request.META else getattr(request, "session", None)
        session_key = session.session_key if session is not None else None
        return cls(cluster.pk, user.pk, token_id, session_key)

    def __call__(self) -> bool:
        """Asks the database: whether the user may still do that to the cluster, and the token or the session
        is still good."""
        user = get_user_model().objects.filter(pk=self.user_id).first()
        cluster = Cluster.objects.filter(pk=self.cluster_id).first()
        if user is None or cluster is None or not may(user, cluster, self.verb):
            return False
        if self.session_key is not None and not is_signed_in(self.session_key, self.user_id):
            return False
        return self.token_id is None or tokens.ApiToken.objects.filter(pk=self.token_id).exists()


def _no_cluster(address: str, hint: str = "") -> Refusal:
    message = f'clusters.podline.dev "{address}" not found{f": {hint}" if hint else ""}'
    return Refusal(404, message, "NotFound", {"name": address, "group": "podline.dev", "kind": "clusters"})


class _Check(CsrfViewMiddleware):
    def _reject(self, request: HttpRequest, reason: str) -> Any:
        return reason


def _check_csrf(request: HttpRequest) -> None:
    check = _Check(lambda request: HttpResponse())
    check.process_request(request)
    reason = check.process_view(request, lambda request: HttpResponse(), (), {})
    if reason:
        raise forbidden(f"CSRF Failed: {reason}")
