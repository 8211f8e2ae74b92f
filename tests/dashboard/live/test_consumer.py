"""The socket: who may watch, that nothing is missed, that figures follow."""

from __future__ import annotations

import asyncio
import gc
from collections import deque
from contextlib import asynccontextmanager

import orjson
import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.contrib.auth.models import AnonymousUser

from dashboard.live import consumers, load
from dashboard.live.live_figures import LiveFigures, read_frame
from dashboard.live.shared_figures import share_figures
from dashboard.live.timeline_feed import Asked
from lifecycle import frames
from tests.dashboard.conftest import make_cluster, make_user, record, watch
from tests.dashboard.rows import event, pod_life, transition

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
made = sync_to_async
LIFE = len(pod_life())


@asynccontextmanager
async def watching(user, cluster, query=""):
    socket = watch(user, cluster, query)
    connected, _ = await socket.connect()
    assert connected
    try:
        yield socket
    finally:
        await socket.disconnect()


async def receive(socket, *kinds):
    """The next message of one of these kinds; others are passed over."""
    while True:
        message = orjson.loads(await socket.receive_from(timeout=30))
        kind = next((name for name in ("figure", "patch", "clock") if name in message), "frame")
        if kind in kinds:
            return message


@sync_to_async
def publish(cluster, rows, **more):
    """What the publisher sends after these rows were recorded."""
    before = cluster.seq
    recorded = record(cluster, rows)
    frame = frames.make_frame(cluster, before, cluster.rv, recorded, []) | more
    return frames.group_message(frame)


async def send(cluster, message):
    await get_channel_layer().group_send(cluster.group, message)


@pytest.fixture
async def ada():
    return await made(make_user)("ada")


@pytest.fixture
async def shop(ada):
    return await made(make_cluster)(ada)


async def refusal(socket):
    connected, code = await socket.connect()
    assert not connected
    return code


async def test_a_stranger_finds_no_cluster(shop):
    eve = await made(make_user)("eve")
    assert await refusal(watch(eve, shop)) == consumers.NOT_FOUND


async def test_nobody_watches_without_signing_in(shop):
    assert await refusal(watch(AnonymousUser(), shop)) == consumers.NOT_FOUND


async def test_another_sites_page_may_not_connect(ada, shop):
    connected, _ = await watch(ada, shop, origin="https://evil.example").connect()
    assert not connected


async def test_a_browser_that_could_not_be_served_leaves_nothing_behind(ada, shop, monkeypatch):
    monkeypatch.setattr(consumers, "read_frame", lambda cluster, head: 1 / 0)
    socket = watch(ada, shop, "?after=0")
    await socket.connect()
    with pytest.raises(ZeroDivisionError):
        await socket.wait()
    assert not get_channel_layer().groups and not load.of_this_loop().watchers


async def test_a_frame_is_passed_on_as_it_is(ada, shop):
    async with watching(ada, shop) as socket:
        message = await publish(shop, pod_life())
        await send(shop, message)
        assert await socket.receive_from(timeout=30) == message["text"]


async def test_after_catches_up_from_the_database(ada, shop):
    await made(record)(shop, [*pod_life(), event(6000, "Started", "Container started")])
    async with watching(ada, shop, "?after=4") as socket:
        frame = await receive(socket, "frame")
    assert (frame["from"], frame["seq"]) == (4, LIFE + 1)
    assert [row["seq"] for row in frame["transitions"]] == list(range(5, LIFE + 1))
    assert [row["reason"] for row in frame["events"]] == ["Started"]


async def test_a_dropped_frame_is_made_up_for(ada, shop):
    async with watching(ada, shop) as socket:
        await publish(shop, pod_life())  # never arrives
        await send(shop, await publish(shop, [transition(7000, "status", "Error")]))
        frame = await receive(socket, "frame")
    assert (frame["from"], frame["seq"]) == (0, LIFE + 1)
    assert [row["seq"] for row in frame["transitions"]] == list(range(1, LIFE + 2))


async def test_a_quiet_loss_is_found_by_comparing_heads(ada, shop, monkeypatch):
    monkeypatch.setattr(consumers, "HEAD_SECONDS", 0.02)
    async with watching(ada, shop) as socket:
        await publish(shop, pod_life())
        assert (await receive(socket, "frame"))["seq"] == LIFE


async def test_a_frame_seen_already_is_not_sent_again(ada, shop):
    async with watching(ada, shop) as socket:
        first = await publish(shop, pod_life())
        await send(shop, first)
        await send(shop, first)
        await send(shop, await publish(shop, [transition(7000, "status", "Error")]))
        assert [(await receive(socket, "frame"))["seq"] for _ in range(2)] == [LIFE, LIFE + 1]


async def test_another_history_asks_to_fetch_everything_again(ada, shop):
    async with watching(ada, shop) as socket:
        message = await publish(shop, pod_life())
        shop.epoch_id = "00000000-0000-4000-8000-000000000000"
        await shop.asave()
        await send(shop, message | {"epoch_id": shop.epoch_id})
        frame = await receive(socket, "frame")
    assert frame["refetch"]
    assert frame["epoch_id"] == shop.epoch_id


async def test_too_much_at_once_asks_to_fetch(ada, shop, monkeypatch):
    monkeypatch.setattr(frames, "MAX_ROWS", 5)
    await made(record)(shop, pod_life())
    async with watching(ada, shop, "?after=0") as socket:
        frame = await receive(socket, "frame")
    assert frame["refetch"]
    assert (frame["seq"], frame["transitions"]) == (LIFE, [])


async def test_a_long_message_closes_the_socket(ada, shop):
    async with watching(ada, shop) as socket:
        await socket.send_to(text_data="x" * (consumers.LARGEST_MESSAGE + 1))
        assert await socket.receive_output(timeout=30) == {
            "type": "websocket.close",
            "code": consumers.TOO_LARGE,
        }


@pytest.mark.parametrize(
    "text", ["not json", "[]", '{"after": "x"}', '{"after": -1}', '{"window_ms": {}}', "{}"]
)
async def test_nonsense_is_ignored(ada, shop, text):
    async with watching(ada, shop) as socket:
        await socket.send_to(text_data=text)
        message = await publish(shop, pod_life())
        await send(shop, message)
        assert await socket.receive_from(timeout=30) == message["text"]


async def test_whoever_loses_the_right_is_told_nothing_more(ada, shop, monkeypatch):
    monkeypatch.setattr(consumers, "HEAD_SECONDS", 0.02)
    eve = await made(make_user)("eve")
    async with watching(ada, shop) as socket:
        shop.owner = eve
        await shop.asave()
        assert await socket.receive_output(timeout=30) == {
            "type": "websocket.close",
            "code": consumers.NOT_FOUND,
        }


async def test_a_page_gets_its_figure_then_patches(ada, shop):
    await made(record)(shop, pod_life())
    async with watching(ada, shop, "?figure=timeline") as socket:
        figure = await receive(socket, "figure")
        assert [row["label"] for row in figure["layout"]["meta"]["rows"]] == ["Bare pods", "web-1"]
        await send(shop, await publish(shop, [transition(7000, "state", "notReady", old="ready")]))
        patch = await receive(socket, "patch", "figure")
    ready = next(str(n) for n, trace in enumerate(figure["data"]) if trace["name"] == "ready")
    assert patch["traces"][ready]["points"]["customdata"] == {"0": 7000}


async def test_lanes_of_other_objects_come_beside_a_pages_figures_when_they_are_opened(ada, shop):
    async with watching(ada, shop, "?figure=timeline") as socket:
        assert (await receive(socket, "figure"))["figure"] == "timeline"
        await socket.send_to(text_data=orjson.dumps({"open": "Deployment/default"}).decode())
        assert (await receive(socket, "figure"))["figure"] == "objects:Deployment/default"
        await socket.send_to(text_data=orjson.dumps({"open": None, "window_ms": 1000}).decode())
        # What is closed is drawn no more.
        assert (await receive(socket, "figure"))["figure"] == "timeline"
    async with watching(ada, shop, "?figure=timeline&open=Node/") as socket:
        assert {(await receive(socket, "figure"))["figure"] for _ in range(2)} == {
            "timeline",
            "objects:Node/",
        }


async def test_figures_that_several_look_at_are_made_once(ada, shop, monkeypatch):
    made_for: list[int] = []
    really_make = LiveFigures.messages

    def make(figures):
        made_for.append(figures.loaded_seq)
        return really_make(figures)

    monkeypatch.setattr(LiveFigures, "messages", make)
    await made(record)(shop, pod_life())
    query = "?figure=timeline&window_ms=900000"
    async with watching(ada, shop, query) as first:
        whole = await receive(first, "figure")
        async with watching(ada, shop, query) as second, watching(ada, shop, "?figure=timeline") as other:
            assert await receive(second, "figure") == whole
            await receive(other, "figure")
            assert len(made_for) == 2
            await send_frame(shop, [transition(9000, "state", "notReady", old="ready")])
            assert await receive(first, "patch") == await receive(second, "patch")
            await receive(other, "patch")
            assert len(made_for) == 4
            await second.send_to(text_data=orjson.dumps({"window_ms": None}).decode())
            assert (await receive(second, "figure"))["figure"] == "timeline"
            assert len(made_for) == 4


async def test_who_comes_after_all_have_left_is_shown_what_happened_meanwhile(ada, shop):
    gc.disable()
    try:
        async with watching(ada, shop, "?figure=timeline") as first:
            assert (await receive(first, "figure"))["layout"]["meta"]["rows"] == []
        await made(record)(shop, pod_life())
        async with watching(ada, shop, "?figure=timeline") as second:
            assert (await receive(second, "figure"))["layout"]["meta"]["rows"]
    finally:
        gc.enable()


async def test_what_nobody_passed_on_is_read_anew(shop):
    figures = share_figures(shop, ["timeline"], None, Asked())
    version, _ = await figures.tell(None)
    await made(record)(shop, pod_life())
    assert await figures.tell(version) == (version, [])
    figures.check(shop.seq)
    later, (text,) = await figures.tell(version)
    assert later == version + 1
    assert any(trace["y"] for trace in orjson.loads(text)["data"])


async def test_a_frame_that_was_too_large_makes_a_page_draw_anew(ada, shop):
    async with watching(ada, shop, "?figure=timeline") as socket:
        figure = await receive(socket, "figure")
        assert figure["layout"]["meta"]["rows"] == []
        before = shop.seq
        recorded = await made(record)(shop, pod_life())
        frame = frames.make_frame(shop, before, shop.rv, recorded, [], is_large=True)
        await send(shop, frames.group_message(frame))
        figure = await receive(socket, "figure")
    assert [row["label"] for row in figure["layout"]["meta"]["rows"]] == ["Bare pods", "web-1"]


def test_a_frame_is_read_once_for_all_who_watch_here():
    text = '{"from":0,"seq":1,"transitions":[]}'
    copy = "".join(text)
    assert read_frame(text) is read_frame(copy)


async def test_a_page_is_told_the_time(ada, shop):
    async with watching(ada, shop, "?figure=timeline") as socket:
        clock = (await receive(socket, "clock"))["clock"]
    assert (clock["at_ms"], clock["speed"], clock["paused"], clock["stalled"]) == (0, 1.0, True, True)


async def test_an_unknown_figure_is_nothing(ada, shop):
    async with watching(ada, shop, "?figure=secrets&figure=timeline") as socket:
        assert (await receive(socket, "figure"))["figure"] == "timeline"


async def test_a_browser_that_stops_reading_piles_nothing_up_and_misses_nothing(ada, shop, monkeypatch):
    """While its socket takes nothing, frames past the last few go; the gap is closed when it reads again."""
    monkeypatch.setattr(consumers, "MOST_WAITING", 5)
    reads, really_send = asyncio.Event(), consumers.ClusterConsumer.send
    outboxes: list[deque] = []

    async def send(consumer, *arguments, **more):
        outboxes.append(consumer.outbox)
        await reads.wait()
        await really_send(consumer, *arguments, **more)

    async with watching(ada, shop) as socket:
        monkeypatch.setattr(consumers.ClusterConsumer, "send", send)
        for number in range(20):
            await send_frame(shop, [transition(number * 10, "phase", None, str(number))])
        while not outboxes or len(outboxes[0]) < 5:
            await asyncio.sleep(0.01)
        reads.set()
        seen: list[int] = []
        while len(seen) < 20:
            frame = await receive(socket, "frame")
            assert frame["from"] == (seen[-1] if seen else 0)
            seen += [row["seq"] for row in frame["transitions"]]
    assert seen == list(range(1, 21))


async def send_frame(cluster, rows):
    await send(cluster, await publish(cluster, rows))
