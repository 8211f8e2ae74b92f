"""A browser watching one cluster: frames as they come, gaps closed from the database, figures kept fresh.

`/ws/clusters/<cluster>/?after=seq&figure=timeline&window_ms=…`. Every message is a frame (docs/formats.md),
or, for pages that ask for figures, one of `{"clock": …}`, `{"figure": name, …}`, `{"patch": name, …}`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

import orjson
from channels.generic.websocket import AsyncWebsocketConsumer
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser

from dashboard.live.catch_up import Head, read_frame, read_head, shared
from dashboard.live.feeds import MOST_FIGURES, OBJECTS
from dashboard.live.live_figures import tell_time
from dashboard.live.load import Load, of_this_loop
from dashboard.live.shared_figures import SharedFigures, share_figures
from dashboard.live.timeline_feed import Asked
from dashboard.plots.timeline import BY_NAME
from lifecycle import frames, limits
from lifecycle.access import Verb, admit, find_cluster, is_signed_in, may
from lifecycle.models import Cluster
from lifecycle.models.shares import Guest, find_again
from lifecycle.threads import reading as in_thread

log = logging.getLogger(__name__)

HEAD_SECONDS = 2.0
# Browsers of one cluster, and of one person, are answered alike for so long.
SHARED_SECONDS = 1.0
# A browser this many frames behind loses the oldest: it has a gap, which is closed from the database.
MOST_WAITING = 50
LARGEST_MESSAGE = 4096
NOT_FOUND, TOO_LARGE, FAILED = 4404, 1009, 1011
LATEST = 2**63 - 1


@dataclass(slots=True, eq=False)
class Watched:
    """Figures that a browser looks at, and which version of them it has; None for none."""

    figures: SharedFigures
    version: int | None = None


class ClusterConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """Relays; what is read and drawn stands in `catch_up` and `live_figures`."""

    cluster: Cluster
    head: Head
    group = ""
    news = ""
    figures: Watched | None = None
    # Lanes of the objects that it has opened.
    objects: Watched | None = None
    load: Load | None = None
    leave: Callable[[], object] | None = None
    tasks: tuple[asyncio.Task[None], ...] = ()

    async def connect(self) -> None:
        found = await in_thread(_find)(self.scope["user"], self.scope["url_route"]["kwargs"]["cluster"])
        if found is None:
            await self._refuse()
            return
        try:
            self.leave = limits.take_socket(self.scope["user"], self)
        except limits.Exceeded as excess:
            await self._refuse(excess.code, f"{excess}\n")
            return
        self.cluster, self.group = found, found.group
        try:
            await self._begin(parse_qs(self.scope["query_string"].decode("utf-8", "replace")))
        except BaseException:
            # Nobody would say goodbye for a browser that was never let in.
            await self.disconnect(FAILED)
            raise

    async def _begin(self, query: dict[str, list[str]]) -> None:
        self.outbox: deque[dict[str, Any]] = deque(maxlen=MOST_WAITING)
        self.has_frames = asyncio.Event()
        # First the group, then the head: what happens in between is seen twice rather than never.
        await self.channel_layer.group_add(self.group, self.channel_name)
        self.lock = asyncio.Lock()
        self.head = await in_thread(read_head)(self.cluster)
        await self.accept()
        self.load = of_this_loop()
        self.load.join()
        if (after := _whole(query.get("after"))) is not None:
            self.head.seq, self.head.rv = min(after, self.head.seq), 0
            await self._catch_up()
        self._start(query)

    async def disconnect(self, code: int) -> None:
        if self.leave is not None:
            self.leave()
        for task in self.tasks:
            task.cancel()
        if self.load:
            self.load.leave()
        self._look_away()
        if self.group:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """`{"after": seq}` asks for what followed; `{"window_ms": …}` shows another stretch of time, `q`,
        `page` and `order` other pods, `open` lanes of other objects."""
        message = _read_message(text_data)
        if message is None:
            await self.close(TOO_LARGE)
            return
        if (after := _whole([message.get("after")])) is not None:
            async with self.lock:
                self.head.seq = min(after, self.head.seq)
                await self._catch_up()
        if self.figures is None:
            return
        shown = self.figures.figures.figures
        window_ms = _whole([message["window_ms"]]) if "window_ms" in message else shown.window_ms
        if message.keys() & {"window_ms", "q", "page", "order"}:
            asked = Asked(
                str(message.get("q", shown.asked.query) or ""),
                _whole([message["page"]]) if "page" in message else shown.asked.page,
                str(message.get("order", shown.asked.order)),
            )
            self.figures = self._look_at(self.figures, shown.names, window_ms, asked)
        if "open" in message:
            self._open(str(message["open"] or ""), window_ms)
        elif self.objects and "window_ms" in message:
            self.objects = self._look_at(self.objects, self.objects.figures.figures.names, window_ms)

    async def cluster_frame(self, message: dict[str, Any]) -> None:
        """A frame from the group. Here nobody waits for the browser: it may have stopped reading."""
        self.outbox.append(message)
        self.has_frames.set()

    async def cluster_check(self, message: dict[str, Any]) -> None:
        """A check of the cluster has come further: of many such words the browser gets the last."""
        self.news = message["check"]
        self.has_frames.set()

    async def _relay(self) -> None:
        """Frames go on when they follow what was sent; a gap is closed otherwise."""
        while True:
            await self.has_frames.wait()
            self.has_frames.clear()
            while self.outbox:
                async with self.lock:
                    await self._take(self.outbox.popleft())
            if self.news:
                news, self.news = self.news, ""
                await self.send(text_data=orjson.dumps({"check": news}).decode())

    async def _take(self, message: dict[str, Any]) -> None:
        is_same = message["epoch_id"] == self.head.epoch_id
        if is_same and message["from"] == self.head.seq:
            self.head.seq = message["seq"]
            await self._pass_on(message["text"])
        elif not is_same or message["seq"] > self.head.seq:
            await self._catch_up()

    def _start(self, query: dict[str, list[str]]) -> None:
        self.tasks = (self._keep(self._compare_heads()), self._keep(self._relay()))
        if names := query.get("figure"):
            asked = Asked(
                query.get("q", [""])[0], _whole(query.get("page")), query.get("order", [BY_NAME])[0]
            )
            self.changed, window_ms = asyncio.Event(), _whole(query.get("window_ms"))
            self.figures = self._look_at(None, names[:MOST_FIGURES], window_ms, asked)
            if opened := query.get("open"):
                self._open(opened[0], window_ms)
            self.tasks += (self._keep(self._draw()), self._keep(self._tell_time()))

    def _open(self, branches: str, window_ms: int | None) -> None:
        """Look at the lanes of other objects; "" for none."""
        if branches:
            names = [f"{OBJECTS}:{branches[:LARGEST_MESSAGE]}"]
            self.objects = self._look_at(self.objects, names, window_ms)
        elif self.objects:
            self.objects.figures.leave()
            self.objects = None

    def _look_at(
        self, before: Watched | None, names: list[str], window_ms: int | None, asked: Asked | None = None
    ) -> Watched:
        """Look at other figures than before."""
        if before:
            before.figures.leave()
        watched = Watched(share_figures(self.cluster, names, window_ms, asked or Asked()))
        watched.figures.join()
        self.changed.set()
        return watched

    @property
    def _watched(self) -> list[Watched]:
        return [one for one in (self.figures, self.objects) if one]

    def _look_away(self) -> None:
        for one in self._watched:
            one.figures.leave()
        self.figures = self.objects = None

    def _keep(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run beside the messages. Should it fail, the socket closes and the browser begins anew."""

        async def run() -> None:
            try:
                await work
            except OSError:
                # The browser has gone: whoever serves its socket says so as well.
                return
            except Exception:
                log.exception("watching failed", extra={"cluster": self.cluster.log_name})
                await self.close(FAILED)

        return asyncio.create_task(run())

    async def _pass_on(self, text: str) -> None:
        await self.send(text_data=text)
        for one in self._watched:
            one.figures.add(text, self.head.epoch_id, self.head.seq)
            self.changed.set()

    async def _catch_up(self) -> None:
        """Send everything after the last seq sent, as one frame (`refetch` when it is too much)."""
        frame = await in_thread(read_frame)(self.cluster, self.head)
        if frame is None:
            await self.close(NOT_FOUND)
            return
        self.head = Head(frame["epoch_id"], frame["seq"], frame["rv"])
        await self._pass_on(frames.encode(frame))

    async def _compare_heads(self) -> None:
        """Sends to a group may be dropped: look for oneself whether there is more."""
        while True:
            await asyncio.sleep(HEAD_SECONDS)
            stored = await self._read_shared()
            if stored is None:
                await self.close(NOT_FOUND)
                return
            async with self.lock:
                if stored.epoch_id != self.head.epoch_id or stored.seq > self.head.seq:
                    await self._catch_up()

    async def _read_shared(self) -> Head | None:
        """The stored head, for one who may still see it."""
        answers, user = shared(SHARED_SECONDS), self.scope["user"]
        session_key = getattr(self.scope.get("session"), "session_key", None)
        stored = await answers.ask(self.cluster.pk, lambda: in_thread(read_head)(self.cluster))
        may_see = await answers.ask(
            (user.pk, self.cluster.pk, session_key),
            lambda: in_thread(_may_still)(user, self.cluster.pk, session_key),
        )
        return stored if may_see else None

    async def _tell_time(self) -> None:
        """A quiet cluster sends no frames, but its clock moves on, or stops."""
        while True:
            clock, seq = await in_thread(_read_time)(self.cluster.pk), self.head.seq
            await self.send(text_data=orjson.dumps({"clock": clock}).decode())
            await asyncio.sleep(HEAD_SECONDS)
            for one in self._watched:
                one.figures.check(seq)
                self.changed.set()

    async def _draw(self) -> None:
        while True:
            await self.changed.wait()
            self.changed.clear()
            for one in self._watched:
                version, texts = await one.figures.tell(one.version)
                # Meanwhile it may have begun to look at something else.
                if one in self._watched:
                    one.version = version
                    for text in texts:
                        await self.send(text_data=text)

    async def _refuse(self, status: int = 404, why: str = "No such cluster.\n") -> None:
        """Someone else's cluster is not there: 404, where the server can say so before the upgrade."""
        if "websocket.http.response" not in (self.scope.get("extensions") or {}):
            await self.close(4000 + status)
            return
        await self.base_send({"type": "websocket.http.response.start", "status": status, "headers": []})
        await self.base_send({"type": "websocket.http.response.body", "body": why.encode()})


def _read_time(cluster_id: int) -> dict[str, Any]:
    return tell_time(Cluster.objects.get(pk=cluster_id))


def _find(user: Any, address: str) -> Cluster | None:
    """The cluster at an address, for one who may see it."""
    return find_cluster(_stored(user), address)


def _may_still(user: Any, cluster_id: int, session_key: str | None) -> bool:
    """Whether a user as stored now, not as it was when the socket was opened, may see the cluster still.

    By the very session that opened it: of several browsers one may have signed out.
    """
    if session_key is not None and not is_signed_in(session_key, user.pk):
        return False
    cluster = Cluster.objects.filter(pk=cluster_id).first()
    return cluster is not None and may(_stored(user), cluster, Verb.VIEW)


def _stored(user: Any) -> Any:
    """The user as stored; nobody when there is none any more, or the password is another.

    A guest is one as long as the link is good.
    """
    if isinstance(user, Guest):
        return admit(find_again(user.share.pk)) or AnonymousUser()
    stored = get_user_model().objects.filter(pk=user.pk).first() if user.is_authenticated else None
    is_same = stored is not None and stored.get_session_auth_hash() == user.get_session_auth_hash()
    return stored if is_same else AnonymousUser()


def _whole(values: list[Any] | None) -> int | None:
    """A whole number from 0 on, or None for anything else a stranger may send."""
    text = str(values[0]) if values else ""
    return min(int(text), LATEST) if text.isascii() and text.isdigit() and len(text) < 25 else None


def _read_message(text: str | None) -> dict[str, Any] | None:
    if text is None or len(text) > LARGEST_MESSAGE:
        return None
    try:
        message = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return message if isinstance(message, dict) else {}
