"""Who asks for an export: `Authorization: Bearer …`, as kubectl sends it."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import TokenAuthentication

from lifecycle.rest_tokens import digest


class BearerAuthentication(TokenAuthentication):
    """The REST framework's, which knows tokens by their digests."""

    keyword = "Bearer"

    def authenticate_credentials(self, key: str) -> Any:
        """(user, token) of a token's text. Raises AuthenticationFailed."""
        return super().authenticate_credentials(digest(key))
