"""Pages are compressed for who asks for it, and nothing else is."""

from __future__ import annotations

import gzip

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from dashboard.web.compressing import compress_pages
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


@pytest.mark.parametrize("kind, is_packed", [("text/html; charset=utf-8", True), ("application/json", False)])
def test_how_long_it_becomes_tells_nothing_and_data_is_left_alone(kind: str, is_packed: bool) -> None:
    compress = compress_pages(
        lambda request: HttpResponse(b"<p>always the same</p>" * 100, content_type=kind)
    )
    answers = [compress(RequestFactory().get("/", **GZIP)) for _ in range(20)]
    assert {"Content-Encoding" in one.headers for one in answers} == {is_packed}
    assert (len({len(one.content) for one in answers}) > 1) is is_packed
