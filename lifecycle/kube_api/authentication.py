"""Who asks: a bearer token, or the session of somebody who is signed in."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware

from lifecycle.access import get_cluster_or_404
from lifecycle.kube_api.status import Refusal, forbidden, unauthorized
from lifecycle.models import Cluster

SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}


def authenticate(request: HttpRequest, cluster_name: str) -> Any:
    """The user who sent a request to a cluster. Raises Refusal: 401, as from the API server.

    A session's unsafe requests are held to their CSRF token; a bearer's cannot be forged.
    """
    if request.headers.get("Authorization"):
        # Whoever shows a token means it: a session is no way around a wrong one.
        scheme, _, token = request.headers["Authorization"].partition(" ")
        found = find_user(token.strip(), cluster_name) if scheme.lower() == "bearer" else None
        if found is None:
            raise unauthorized()
        return found
    user = getattr(request, "user", None)
    if user is None or not (user.is_authenticated and user.is_active):
        raise unauthorized()
    if request.method not in SAFE_METHODS:
        _check_csrf(request)
    return user


def find_user(token: str, cluster_name: str) -> Any:
    """The active user whose token for a cluster this is; None when it is nobody's."""
    return None


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
