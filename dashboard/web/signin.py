"""The one-time way in that `manage.py up` prints: no password to read, choose or lose.

Only the token's digest is kept, it works once and for a day, and a second use says what to do.
"""

import hashlib
import json
import secrets
from contextlib import suppress
from datetime import timedelta
from ipaddress import ip_address, ip_network
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from lifecycle.models import EntryLink

LIFETIME = timedelta(days=1)
# Wrong passwords for one name from one address, from one address, and for one name from anywhere.
MOST_FAILURES, MOST_OF_AN_ADDRESS, MOST_OF_A_NAME = 10, 50, 100
FAILURE_SECONDS = 300
# Who is slowed down may try each name once in so long.
SLOW_SECONDS = 10
LONGEST_NAME = 150
KNOWN = f"{settings.SESSION_COOKIE_NAME}_known"
KNOWN_SECONDS = 365 * 86_400


def make_entry_token(user: User) -> str:
    """A token for `/enter/<token>/` that signs `user` in once; those made before are void."""
    EntryLink.objects.filter(created_at__lt=timezone.now() - LIFETIME).delete()
    EntryLink.objects.filter(user=user, used_at=None).delete()
    token = secrets.token_urlsafe(24)
    EntryLink.objects.create(digest=_digest(token), user=user)
    return token


@never_cache
@require_safe
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in with a one-time token and go to the first page."""
    # The update picks one winner of two requests that come together. A HEAD is a preview, not a person.
    fresh = EntryLink.objects.filter(
        digest=_digest(token), used_at=None, created_at__gte=timezone.now() - LIFETIME
    )
    if request.method == "HEAD":
        return HttpResponse(status=200 if fresh.exists() else 410)
    if not fresh.update(used_at=timezone.now()):
        if request.user.is_authenticated:
            return HttpResponseRedirect("/")
        return render(request, "registration/used_link.html", status=410)
    user = EntryLink.objects.select_related("user").get(digest=_digest(token)).user
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return HttpResponseRedirect("/")


class SlowedLoginView(LoginView):
    """Signing in with a password; after several wrong ones: wait.

    They are counted for one name from one address and for one name from everywhere, which hold that name up
    for five minutes, and for one address, which only slows it down: behind it may be a whole office, and
    whoever invents names there locks nobody out. All that is for strangers. A browser that has signed in as
    somebody is known by its cookie; it answers for its own mistakes alone, and those slow it down at most.
    """

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        name, address = request.POST.get("username", "")[:LONGEST_NAME], _address(request)
        is_known = _is_known(request, name)
        if seconds := _count_wait_seconds(name, address, is_known):
            return _refuse(seconds)
        response = super().post(request, *args, **kwargs)
        if response.status_code == 200:  # the form again
            for key in _list_keys(name, address, is_known):
                _count(key)
        else:
            cache.delete(_key("known", name) if is_known else _key("both", name, address))
            _make_known(response, name)
        return response


def _list_keys(name: str, address: str, is_known: bool) -> list[str]:
    """What a wrong password counts for."""
    if is_known:
        return [_key("known", name)]
    return [_key("both", name, address), _key("name", name), _key("address", address)]


def _count_wait_seconds(name: str, address: str, is_known: bool) -> int:
    """How long to wait before the password is looked at; 0: not at all."""
    if is_known:
        return _slow_down("known", name) if _count_failures("known", name) >= MOST_FAILURES else 0
    if _count_failures("both", name, address) >= MOST_FAILURES:
        return FAILURE_SECONDS
    if _count_failures("name", name) >= MOST_OF_A_NAME:
        return FAILURE_SECONDS
    if _count_failures("address", address) >= MOST_OF_AN_ADDRESS:
        return _slow_down("both", name, address)
    return 0


def _slow_down(*texts: str) -> int:
    """One try now and then; the one that takes the turn need not wait."""
    return 0 if cache.add(_key("turn", *texts), 1, SLOW_SECONDS) else SLOW_SECONDS


def _count_failures(*texts: str) -> int:
    found: int = cache.get(_key(*texts), 0)
    return found


def _refuse(seconds: int) -> HttpResponse:
    wait = "five minutes" if seconds == FAILURE_SECONDS else f"{seconds} seconds"
    response = HttpResponse(
        f"Too many wrong passwords: wait {wait}.\n", status=429, content_type="text/plain"
    )
    response["Retry-After"] = str(seconds)
    return response


def _count(key: str) -> None:
    cache.add(key, 0, FAILURE_SECONDS)
    with suppress(ValueError):
        cache.incr(key)


def _key(*texts: str) -> str:
    return f"signin-{_digest(json.dumps(texts))}"


def _is_known(request: HttpRequest, name: str) -> bool:
    """Whether somebody has signed in as this user from this browser."""
    known = request.get_signed_cookie(KNOWN, default="", salt=KNOWN, max_age=KNOWN_SECONDS)
    return bool(known) and known == _digest(name)


def _make_known(response: HttpResponse, name: str) -> None:
    response.set_signed_cookie(
        KNOWN,
        _digest(name),
        salt=KNOWN,
        max_age=KNOWN_SECONDS,
        path=reverse("login"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _address(request: HttpRequest) -> str:
    """Of IPv6 the network: whoever has one address of it has them all."""
    text = str(request.META.get("REMOTE_ADDR", ""))
    try:
        address = ip_address(text)
    except ValueError:
        return text
    return text if address.version == 4 else str(ip_network((int(address) >> 64 << 64, 64)))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
