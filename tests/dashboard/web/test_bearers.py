"""What shows a token goes past pages' middleware, and loses nothing by it that protects anybody."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from asgiref.sync import sync_to_async
from channels.testing import HttpCommunicator

from dashboard.web.bearers import past_pages
from lifecycle import threads, tokens
from lifecycle.kube_api import serving
from lifecycle.kube_api.watching.feed import feed_of
from tests.kube_api.conftest import Shop, channels_in_memory, shop, shop_settings

__all__ = ["channels_in_memory", "shop", "shop_settings"]
pytestmark = pytest.mark.django_db(transaction=True)
PODS = "/k8s/shop/api/v1/namespaces/default/pods"


@pytest.fixture(autouse=True)
def crew() -> Iterator[None]:
    yield
    threads.answering.close()


@sync_to_async
def issue(shop: Shop) -> str:
    return tokens.issue(shop.cluster.owner, shop.cluster)


async def pages(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 299, "headers": []})
    await send({"type": "http.response.body", "body": b"a page"})


application = past_pages(pages)


async def ask(path: str, token: str = "", method: str = "GET", host: str = "localhost", body: bytes = b""):
    """(status, headers, body)"""
    headers = [(b"host", host.encode()), (b"content-type", b"application/json")]
    headers += [(b"authorization", f"Bearer {token}".encode())] if token else []
    # The path as a server gives it: without what its letters were written by.
    asked = HttpCommunicator(application, method, path.replace("\0", "%00"), body, headers)
    asked.scope["path"] = path.partition("?")[0]
    got = await asked.get_response(timeout=10)
    return got["status"], {name.decode(): value.decode() for name, value in got["headers"]}, got["body"]


async def test_a_token_is_answered_without_a_page_and_others_by_pages(shop: Shop, caplog: Any, monkeypatch):
    token = await issue(shop)
    status, headers, body = await ask(PODS, token)
    assert (status, orjson.loads(body)["kind"]) == (200, "PodList")
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Content-Length"] == str(len(body))
    assert headers["Cache-Control"] == "no-cache, private"
    for path, shown in ((PODS, ""), ("/clusters/", token), ("/k8s/", token), ("/k8sish/shop/api", token)):
        assert (await ask(path, shown))[0] == 299, path
    for path, shown, right in (
        (PODS, "wrong", 401),
        (PODS, tokens.PREFIX + "é", 401),
        (PODS.replace("shop", "other"), token, 401),
        (f"{PODS}/a\0b", token, 400),
        (f"{PODS}?fieldSelector=%00", token, 400),
        (f"{PODS}?{'&'.join(['a=b'] * 2000)}", token, 400),
        (f"{PODS}/none", token, 404),
        ("/k8s/shop/nothing", token, 404),
        ("/k8s/shop", token, 200),
    ):
        assert (await ask(path, shown))[0] == right, path[:80]
    assert (await ask(PODS, token, host="elsewhere"))[0] == 400

    def fail(*_: Any) -> None:
        raise RuntimeError("broken inside")

    monkeypatch.setattr(serving, "respond", fail)
    status, headers, body = await ask("/k8s/shop/version", token)
    assert (status, orjson.loads(body)["reason"]) == (500, "InternalError")
    assert b"broken inside" not in body
    assert "broken inside" in caplog.text
    await sync_to_async(tokens.ApiToken.objects.all().delete)()
    assert (await ask(PODS, token))[0] == 401


async def test_plain_text_is_sent_away_where_only_tls_is_wanted(shop: Shop, settings: Any):
    settings.SECURE_SSL_REDIRECT = True
    token = await issue(shop)
    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {token}".encode())]
    got = await HttpCommunicator(past_pages(pages), "GET", PODS, b"", headers).get_response()
    assert got["status"] == 301
    assert dict(got["headers"])[b"Location"] == f"https://localhost{PODS}".encode()


async def test_a_watch_ends_when_its_client_goes(shop: Shop):
    token = await issue(shop)
    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {token}".encode())]
    asked = HttpCommunicator(application, "GET", f"{PODS}?watch=true&resourceVersion=4", b"", headers)
    await asked.send_input({"type": "http.request", "body": b""})
    assert (await asked.receive_output(timeout=10))["status"] == 200
    feed = feed_of(shop.cluster)
    async with asyncio.timeout(10):
        while not feed.checks:
            await asyncio.sleep(0.01)
    await asked.send_input({"type": "http.disconnect"})
    await asked.wait(timeout=10)
    assert not feed.checks
    feed.close(None)


async def test_threads_are_as_many_as_there_is_work_and_few_stay():
    crew = threads.Crew("trial", kept=2)
    begun, go_on = [], asyncio.Event()
    loop = asyncio.get_running_loop()

    def work(number: int) -> int:
        loop.call_soon_threadsafe(begun.append, number)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result(10)
        return number

    together = asyncio.gather(*(crew(work)(number) for number in range(5)))
    async with asyncio.timeout(10):
        while len(begun) < 5:
            await asyncio.sleep(0.01)
        go_on.set()
        assert await together == [0, 1, 2, 3, 4]
    with pytest.raises(ZeroDivisionError):
        await crew(lambda: 1 / 0)()
    async with asyncio.timeout(10):
        while crew.count_idle() != 2:
            await asyncio.sleep(0.01)
    crew.close()
    assert crew.count_idle() == 0
