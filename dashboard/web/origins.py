"""Where a page may open a socket from: this site alone, by scheme, host and port, as its forms have it.

Cookies know no ports: without this, whatever else serves on the same machine could watch with them.
"""

from __future__ import annotations

from typing import Any

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host


class SameOriginOnly:
    """ASGI middleware: another origin, or none, is refused with 403."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self.denier = WebsocketDenier()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        headers = dict(scope["headers"])
        if is_own(headers.get(b"origin", b""), headers.get(b"host", b""), _is_secure(scope, headers)):
            return await self.application(scope, receive, send)
        return await self.denier(scope, receive, send)


def is_own(origin: bytes, host: bytes, is_secure: bool) -> bool:
    """Whether `Origin` is that of `Host`, a name this site answers to, or is trusted by a setting."""
    text, asked = origin.decode("latin-1").lower(), host.decode("latin-1").lower()
    if text in settings.CSRF_TRUSTED_ORIGINS:
        return True
    name, _ = split_domain_port(asked)
    is_ours = bool(name) and (settings.DEBUG or validate_host(name, settings.ALLOWED_HOSTS))
    return is_ours and text == f"{'https' if is_secure else 'http'}://{asked}"


def _is_secure(scope: dict[str, Any], headers: dict[bytes, bytes]) -> bool:
    if settings.SECURE_PROXY_SSL_HEADER:
        return headers.get(b"x-forwarded-proto") == b"https"
    return scope.get("scheme") in ("wss", "https")
