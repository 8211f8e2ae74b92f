"""The one-time way in that `manage.py up` prints: no password to read, choose or lose.

Only the token's digest is kept, it works once and for a day, and a second use says what to do.
"""

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from lifecycle.models import EntryLink

LIFETIME = timedelta(days=1)
MOST_FAILURES = 10
FAILURE_SECONDS = 300


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
    """Signing in with a password; after several wrong ones from one address or for one name: wait."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        keys = [f"signin-{_digest(text)}" for text in (_address(request), request.POST.get("username", ""))]
        if any(cache.get(key, 0) >= MOST_FAILURES for key in keys):
            return HttpResponse(
                "Too many wrong passwords: wait five minutes.\n", status=429, content_type="text/plain"
            )
        response = super().post(request, *args, **kwargs)
        if response.status_code == 200:  # the form again
            for key in keys:
                cache.add(key, 0, FAILURE_SECONDS)
                cache.incr(key)
        return response


def _address(request: HttpRequest) -> str:
    return str(request.META.get("REMOTE_ADDR", ""))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
