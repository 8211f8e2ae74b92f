"""At the host's root a token says which cluster is meant."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from lifecycle import tokens
from lifecycle.kube_api.access.by_token import by_token
from tests.dashboard.conftest import make_cluster, make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


async def led_to(path: str, token: str | None) -> str:
    """The path that the application is asked for."""
    asked = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["path"])

    headers = [] if token is None else [(b"authorization", f"Bearer {token}".encode())]
    await by_token(application)({"type": "http", "path": path, "headers": headers}, None, None)
    return asked[0]


async def test_a_token_leads_to_its_cluster():
    def begin() -> str:
        return tokens.issue(user := make_user(), make_cluster(user))

    token = await sync_to_async(begin)()
    assert await led_to("/healthz", token) == "/k8s/shop/healthz"
    assert await led_to("/api/v1/pods", token) == "/k8s/shop/api/v1/pods"
    assert await led_to("/k8s/other/api", token) == "/k8s/other/api"
    assert await led_to("/healthz", None) == "/healthz"
    assert await led_to("/healthz", "someone else's") == "/healthz"
    assert await led_to("/healthz", tokens.PREFIX + "wrong") == "/healthz"
