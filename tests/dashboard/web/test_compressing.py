"""Pages are compressed for who asks for it, and nothing else is."""

from __future__ import annotations

import gzip

import pytest
from django.test import Client

from tests.dashboard.conftest import make_shop

pytestmark = pytest.mark.django_db
GZIP = {"HTTP_ACCEPT_ENCODING": "gzip, br"}


def test_a_page_is_compressed_for_who_asks_and_data_is_not(client: Client) -> None:
    make_shop(client)
    plain = client.get("/clusters/shop/")
    packed = client.get("/clusters/shop/", **GZIP)
    assert "Content-Encoding" not in plain.headers and b"<title>shop" in plain.content
    assert packed.headers["Content-Encoding"] == "gzip" and "Accept-Encoding" in packed.headers["Vary"]
    assert b"<title>shop" in gzip.decompress(packed.content)
    assert len(packed.content) < len(plain.content) / 3
    # How long it is tells nothing.
    lengths = {len(client.get("/clusters/shop/verdict/", **GZIP).content) for _ in range(8)}
    assert len(lengths) > 1 or "Content-Encoding" not in client.get("/clusters/shop/verdict/", **GZIP).headers
    for data in ("/api/clusters/shop/transitions?format=ndjson", "/healthz"):
        assert "Content-Encoding" not in client.get(data, **GZIP).headers
