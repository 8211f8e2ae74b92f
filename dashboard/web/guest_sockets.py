"""A guest's browser watching what a link shares."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from dashboard.live.consumers import ClusterConsumer
from dashboard.web.guests import find_watcher
from lifecycle.threads import reading as in_thread


class GuestConsumer(ClusterConsumer):
    """As any other, for whoever has the link: a session of theirs counts for nothing here."""

    async def connect(self) -> None:
        found = await in_thread(find_watcher)(self.scope["url_route"]["kwargs"]["token"])
        self.scope["user"], self.scope["session"] = found or AnonymousUser(), None
        await super().connect()
