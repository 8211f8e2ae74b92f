"""`bench live`: from a change to the browsers that watch it, over real WebSockets, with a sequence audit.

The clusters are pods that keep becoming ready and not ready: steady changes, as many a second as asked for.
A change's time is the wall time its instant was due at; what is measured is until a client has read the
frame that holds it. Frames may be refused or widened, rows may not be missed.
"""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

import orjson
from asgiref.sync import sync_to_async
from django.db import connection
from websockets.asyncio.client import connect
from websockets.typing import Origin

from lifecycle.benches.installation import Installation, installation
from lifecycle.benches.report import Report
from lifecycle.models import Cluster
from lifecycle.runs import inbox

# Change to client, p99: what the design allows.
LIMIT_MS = 250.0
PATIENCE_SECONDS = 60.0
# Ready and not ready by turns, about once a second: five transitions each time, and an event.
FLIPPING = "while true; do touch /tmp/ready; sleep 1.03; rm /tmp/ready; sleep 1.03; done"
CHANGES_A_POD = 5
# Until the pods have been pulled and are flipping.
WARM_UP_SECONDS = 12.0
# Clients connect in groups, as people do who open a page.
CONNECT_AT_ONCE = 50


@dataclass
class Watcher:
    """One client: where it is in the history, and how late each row came."""

    cluster: str
    seq: int = -1
    rows: int = 0
    began_at: int = 0
    gaps: int = 0
    refetches: int = 0
    frames: int = 0
    connected: asyncio.Event = field(default_factory=asyncio.Event)
    late_ms: list[float] = field(default_factory=list)

    def see(self, frame: dict[str, Any], wall: float, anchors: dict[str, float]) -> None:
        """Check that the frame follows the last one, and note how old its rows are."""
        if "seq" not in frame:
            return
        if self.seq < 0:
            self.seq = self.began_at = frame["from"]
        self.frames += 1
        self.gaps += frame["from"] > self.seq
        self.refetches += bool(frame.get("refetch"))
        rows = frame["transitions"] + frame["events"]
        # Told to ask for the rows: that is not missing them.
        told = frame["seq"] - self.seq if frame.get("refetch") else 0
        self.rows += told + sum(row["seq"] > self.seq for row in rows)
        self.seq = max(self.seq, frame["seq"])
        began = anchors.get(self.cluster)
        if began is not None:
            self.late_ms += [(wall - began) * 1000 - row["at_ms"] for row in rows]


def run(clients: int, clusters: int, changes: int, seconds: int) -> Report:
    """`changes` a second in each of `clusters`, while all clients listen."""
    with installation(workers=2) as podline:
        made = [_make_cluster(podline, number, changes) for number in range(clusters)]
        time.sleep(WARM_UP_SECONDS)
        before = _heads(made)
        watchers = [Watcher(made[number % clusters].name) for number in range(clients)]
        listened = asyncio.run(_listen(podline, made, watchers, seconds))
        heads = _heads(made)
    late = sorted(ms for watcher in watchers for ms in watcher.late_ms)
    missed = sum(heads[watcher.cluster] != watcher.began_at + watcher.rows for watcher in watchers)
    p99 = late[int(len(late) * 0.99)]
    rows = sum(heads.values()) - sum(before.values())
    return Report(
        bench="live",
        work={"clients": clients, "clusters": clusters, "changes": changes, "seconds": seconds},
        figures={
            "rows_per_second_and_cluster": round(rows / clusters / listened, 1),
            "frames_per_second_and_client": round(_frames(watchers) / clients / listened, 2),
            "p50_ms": round(late[len(late) // 2], 1),
            "p99_ms": round(p99, 1),
            "worst_ms": round(late[-1], 1),
            "clients_that_missed_rows": missed,
            "gaps": sum(watcher.gaps for watcher in watchers),
            "refetches": sum(watcher.refetches for watcher in watchers),
        },
        limit_what="p99 allowed from change to client, ms",
        limit_value=LIMIT_MS,
        ratio=round(p99 / LIMIT_MS, 4),
    )


def _heads(made: list[Cluster]) -> dict[str, int]:
    return dict(Cluster.objects.filter(pk__in=[cluster.pk for cluster in made]).values_list("name", "seq"))


def _frames(watchers: list[Watcher]) -> int:
    return sum(watcher.frames for watcher in watchers)


def _make_cluster(podline: Installation, number: int, changes: int) -> Cluster:
    pods = max(1, round(changes / CHANGES_A_POD))
    cluster = inbox.create_cluster(podline.owner(), f"live-{number}")
    created = [inbox.append(cluster, "create", {"object": make_flipping_pod(pod)}) for pod in range(pods)]
    for command in created:
        result = inbox.wait_for_result(command)
        if result is None or result["code"] >= 400:
            raise RuntimeError(f"the bench's pod was not created: {result}")
    return cluster


def make_flipping_pod(number: int) -> dict[str, Any]:
    """A pod that becomes ready and not ready by turns: `CHANGES_A_POD` a second."""
    look = {"exec": {"command": ["test", "-e", "/tmp/ready"]}, "periodSeconds": 1, "failureThreshold": 1}
    container = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", FLIPPING]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"flipping-{number}", "namespace": "default"},
        "spec": {"containers": [container | {"readinessProbe": look}]},
    }


async def _listen(podline: Installation, made: list[Cluster], watchers: list[Watcher], seconds: int) -> float:
    """How long was listened, in seconds; from the first client's connection on."""
    # The thread that serves these calls may still hold a connection to another database.
    await sync_to_async(_leave_database)()
    cookie = await sync_to_async(podline.session_cookie)()
    anchors = {cluster.name: await sync_to_async(_wall_of_instant_0)(cluster) for cluster in made}
    began, tasks = time.monotonic(), []
    for first in range(0, len(watchers), CONNECT_AT_ONCE):
        group = watchers[first : first + CONNECT_AT_ONCE]
        tasks += [asyncio.create_task(_watch(podline.base, cookie, one, anchors)) for one in group]
        await asyncio.gather(*[one.connected.wait() for one in group])
    await asyncio.sleep(seconds)
    for cluster in made:
        await sync_to_async(_pause)(cluster)
    listened = time.monotonic() - began
    await _wait_for_the_last(watchers, await sync_to_async(_heads)(made))
    broken = [task for task in tasks if task.done()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await sync_to_async(_leave_database)()
    if broken:
        raise RuntimeError(f"{len(broken)} clients were cut off: {broken[0]}")
    return listened


def _pause(cluster: Cluster) -> None:
    inbox.wait_for_control(inbox.control(cluster, "pause"), PATIENCE_SECONDS)


async def _wait_for_the_last(watchers: list[Watcher], heads: dict[str, int]) -> None:
    """Late is not lost: who has not been told everything in a minute will not be."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < ends and any(one.seq < heads[one.cluster] for one in watchers):
        await asyncio.sleep(0.1)


def _leave_database() -> None:
    connection.close()


def _wall_of_instant_0(cluster: Cluster) -> float:
    """At speed 1 an instant is due at this wall time plus its milliseconds."""
    cluster.refresh_from_db()
    assert cluster.anchor_wall is not None, cluster
    return cluster.anchor_wall.timestamp() - cluster.anchor_instant_ms / 1000


async def _watch(base: str, cookie: str, watcher: Watcher, anchors: dict[str, float]) -> None:
    address = f"{base.replace('http', 'ws', 1)}/ws/clusters/{watcher.cluster}/"
    headers = {"Cookie": cookie}
    async with connect(
        address, additional_headers=headers, origin=Origin(base), max_size=None, compression=None
    ) as socket:
        watcher.connected.set()
        async for text in socket:
            watcher.see(orjson.loads(text), time.time(), anchors)
