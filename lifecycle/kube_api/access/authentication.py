"""Who asks: a bearer token, or the session of somebody who is signed in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware

from lifecycle import tokens
from lifecycle.access import Verb, find_cluster, hint_at, is_signed_in, may
from lifecycle.kube_api.status import Refusal, bad_request, forbidden, unauthorized
from lifecycle.models import Cluster

# Where a request remembers the token that let it in; no header has such a name.
TOKEN_KEY = "podline.token"
_IMPERSONATED = {"impersonate-user": "users", "impersonate-group": "groups", "impersonate-uid": "uids"}
_EXTRA = "impersonate-extra-"
SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}


def authenticate(request: HttpRequest, address: str) -> tuple[Any, Cluster]:
    """The user who sent a request, and the cluster it is for. Raises Refusal: 401, as from the API server,
    and 404 for a cluster that the user may not look at.

    A session's unsafe requests are held to their CSRF token; a bearer's cannot be forged.
    """
    if request.headers.get("Authorization"):
        # Whoever shows a token means it: a session is no way around a wrong one.
        found = find_bearer(request.headers["Authorization"], address)
        request.META[TOKEN_KEY] = found.pk
        if not may(found.user, found.cluster, Verb.VIEW):
            raise _no_cluster(address)
        return found.user, found.cluster
    user = getattr(request, "user", None)
    if user is None or not (user.is_authenticated and user.is_active):
        raise unauthorized()
    is_safe = request.method in SAFE_METHODS
    if not is_safe:
        _check_csrf(request)
    cluster = find_cluster(user, address, is_exact=not is_safe)
    if cluster is None:
        raise _no_cluster(address, hint_at(address, user))
    return user, cluster


def refuse_impersonation(user: Any, headers: Mapping[str, str]) -> None:
    """Nobody acts as somebody else here, nor with what somebody else has. Raises Refusal (400, 403).

    400 for groups, a uid or extra fields of nobody: the API server refuses the request as well, though it
    calls its own answer a 500. 403 as for a user who may not (WithImpersonation).
    """
    name, asked = user.get_username(), dict(_list_impersonated(headers))
    wanted = asked.pop("users", "")
    if asked and not wanted:
        raise bad_request(f"requested {', '.join(asked)} without impersonating a user")
    if wanted not in ("", name):
        asked = {"users": wanted}
    for kind, one in asked.items():
        resource = kind.partition("/")[0]
        group = "" if kind in ("users", "groups") else "authentication.k8s.io"
        qualified = f"{resource}.{group}" if group else resource
        raise forbidden(
            f'{qualified} "{one}" is forbidden: User "{name}" cannot impersonate resource "{kind}" in API'
            f' group "{group}" at the cluster scope',
            {"name": one, "kind": resource} | ({"group": group} if group else {}),
        )


def _list_impersonated(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What of somebody is asked for, as the resource that a right to it is of, and which one."""
    for header, value in headers.items():
        name = header.lower()
        if name in _IMPERSONATED and value:
            yield _IMPERSONATED[name], value
        elif name.startswith(_EXTRA):
            yield f"userextras/{name.removeprefix(_EXTRA)}", value


def find_bearer(shown: str, address: str) -> tokens.ApiToken:
    """The token that an Authorization header shows. Raises Refusal (401)."""
    scheme, _, text = shown.partition(" ")
    found = tokens.find(text.strip(), address) if scheme.lower() == "bearer" else None
    if found is None or not found.user.is_active:
        raise unauthorized()
    return found


@dataclass(frozen=True, slots=True)
class Right:
    """What a request that goes on for long rests on. Called, it says whether it still holds."""

    cluster_id: int
    user_id: int
    token_id: int | None
    session_key: str | None = None

    @classmethod
    def of(cls, request: HttpRequest, cluster: Cluster, user: Any) -> "Right":
        """The right by which a request was let in."""
        token_id = request.META.get(TOKEN_KEY)
        session = getattr(request, "session", None) if token_id is None else None
        session_key = session.session_key if session is not None else None
        return cls(cluster.pk, user.pk, token_id, session_key)

    def __call__(self) -> bool:
        """Asks the database: whether the user may still look at the cluster, and the token or
        the session is still good."""
        user = get_user_model().objects.filter(pk=self.user_id).first()
        cluster = Cluster.objects.filter(pk=self.cluster_id).first()
        if user is None or cluster is None or not may(user, cluster, Verb.VIEW):
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
