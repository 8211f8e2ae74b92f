"""Tokens of the REST export: one a user, kept as a digest only."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from django.db import transaction
from rest_framework.authtoken.models import Token

RANDOM_BYTES = 32
# As many as the column has room for.
DIGITS = 40


def issue(user: Any) -> str:
    """A new token as text, which is kept nowhere; the user's last one ends."""
    token = secrets.token_hex(RANDOM_BYTES)
    with transaction.atomic():
        Token.objects.filter(user=user).delete()
        Token.objects.create(user=user, key=digest(token))
    return token


def digest(token: str) -> str:
    """What is kept of a token. It is as random as a key: it needs no salt and no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def find_user(header: str) -> Any:
    """Whose token the header `Authorization: Bearer …` shows; None for none, or for who may not come in."""
    word, _, token = header.partition(" ")
    if word.lower() != "bearer":
        return None
    found = (
        Token.objects.select_related("user").filter(key=digest(token.strip()), user__is_active=True).first()
    )
    return found.user if found is not None else None
