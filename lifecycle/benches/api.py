"""`bench api`: the Kubernetes API of a whole installation, over its port: reads, writes, a watch's fan-out.

Requests a second are those of one object, and of a list of a hundred, over kept connections, against a page
that asks no database. Beside them stands what each costs the web server and the worker in processor time,
which says more than the clock on a machine that has other work; and how long one client waits for a change,
as so many times what it waits for that page. The change is of an object whose kind was read a moment ago, so
that the web server has it in memory, and nobody watches yet. For the fan-out a client changes a ConfigMap
again and again while so many watch; what is measured is from the moment the change is sent until each watcher
has read its event. No event may be missed or doubled.
"""

import asyncio
import contextlib
import time
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import orjson

from lifecycle import tokens
from lifecycle.benches.installation import Installation, installation
from lifecycle.benches.report import Report
from lifecycle.management.processes import read_stat
from lifecycle.runs import inbox

CONNECTIONS = 16
CONNECT_AT_ONCE = 50
LISTED = 100
PATIENCE_SECONDS = 60.0
PATH = "/api/v1/namespaces/default/configmaps"
PAGE = "/palette.css"


class Client:
    """One connection that is kept, and a token."""

    def __init__(self, base: str, root: str, token: str) -> None:
        self.address = urlsplit(base)
        self.root, self.token = root, token

    async def connect(self) -> None:
        self.reader, self.writer = await asyncio.open_connection(self.address.hostname, self.address.port)

    async def renew(self) -> None:
        """Connect anew: the server ends what is idle for some seconds, and others were measured meanwhile."""
        self.close()
        await self.connect()

    async def ask(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> bytes:
        """The body of an answer."""
        await self.send(method, path, body, kind)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        return await self.reader.readexactly(int(length.partition(b":")[2]))

    async def send(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> None:
        text = b"" if body is None else orjson.dumps(body)
        # Pages come without a token: it would lead them to the cluster.
        shown = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        head = f"{method} {self.root}{path} HTTP/1.1\r\nHost: {self.address.netloc}\r\n{shown}"
        head += f"Content-Type: {kind}\r\nContent-Length: {len(text)}\r\n\r\n"
        self.writer.write(head.encode() + text)
        await self.writer.drain()

    def close(self) -> None:
        self.writer.close()


def run(watchers: int, changes: int, seconds: int) -> Report:
    """Read for so many seconds; then `changes` of one object in front of all `watchers`."""
    with installation(workers=1) as podline:
        cluster = inbox.create_cluster(podline.owner(), "api")
        token = tokens.issue(podline.owner(), cluster)
        return asyncio.run(_measure(podline, token, watchers, changes, seconds))


async def _measure(podline: Installation, token: str, watchers: int, changes: int, seconds: int) -> Report:
    def make(root: str = "/k8s/api", shown: str = token) -> Client:
        return Client(podline.base, root, shown)

    writer = make()
    await writer.connect()
    await _wait_until_there(writer)
    page = await _count_requests([make("", "") for _ in range(CONNECTIONS)], PAGE, seconds)
    costs = Costs(podline)
    reads = await _count_requests([make() for _ in range(CONNECTIONS)], f"{PATH}/told", seconds)
    get_ms = costs.since_last(reads * seconds)
    await writer.renew()
    await _fill(writer)
    costs.since_last(1)
    all_lists = await _count_requests([make() for _ in range(CONNECTIONS)], PATH, seconds)
    list_ms = costs.since_last(all_lists * seconds)
    await writer.renew()
    patch_p50_ms = await _change(writer, changes)
    patch_ms = costs.since_last(changes)
    page_p50_ms = await _time_pages(make("", ""), changes)
    await writer.renew()
    late, doubled, writes = await _fan_out(writer, [make() for _ in range(watchers)], changes)
    writer.close()
    return Report(
        bench="api",
        work={"watchers": watchers, "changes": changes, "seconds": seconds, "connections": CONNECTIONS},
        figures={
            "gets_per_second": round(reads, 1),
            "lists_per_second": round(all_lists, 1),
            "get_cpu_ms": get_ms,
            "list_cpu_ms": list_ms,
            "patch_cpu_ms": patch_ms,
            "patch_p50_ms": round(patch_p50_ms, 2),
            "patch_p50_to_page": round(patch_p50_ms / page_p50_ms, 1),
            "patches_per_second": round(writes, 1),
            "fan_out_p50_ms": round(late[len(late) // 2], 1),
            "fan_out_p99_ms": round(late[int(len(late) * 0.99)], 1),
            "fan_out_worst_ms": round(late[-1], 1),
            "missed": watchers * changes - len(late),
            "doubled": doubled,
        },
        limit_what="pages a second that ask no database, same server and connections",
        limit_value=round(page, 1),
        ratio=round(reads / page, 4),
    )


class Costs:
    """The processor time of the web server and the workers."""

    def __init__(self, podline: Installation) -> None:
        self.processes = [*podline.children("web"), *podline.children("worker")]
        self.before_ms = self._read()

    def since_last(self, requests: float) -> float:
        """Milliseconds for each of so many requests since this was asked last."""
        before_ms, self.before_ms = self.before_ms, self._read()
        return round((self.before_ms - before_ms) / max(requests, 1), 3)

    def _read(self) -> float:
        return sum(read_stat(process)[1] for process in self.processes) * 1000


async def _fill(writer: Client) -> None:
    """A hundred objects, with the one that is told of."""
    for number in range(LISTED - 1):
        metadata = {"name": f"listed-{number}"}
        made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"text": "x" * 1000}}
        await writer.ask("POST", PATH, made)


async def _change(writer: Client, changes: int) -> float:
    """The median of milliseconds until a change is answered."""
    taken_ms = []
    for number in range(changes):
        began = time.perf_counter()
        patch = {"data": {"n": f"alone-{number}"}}
        await writer.ask("PATCH", f"{PATH}/told", patch, "application/merge-patch+json")
        taken_ms.append((time.perf_counter() - began) * 1000)
    return median(taken_ms)


async def _time_pages(client: Client, count: int) -> float:
    """The median of milliseconds until a page is answered that asks no database."""
    taken_ms = []
    await client.connect()
    for _ in range(count):
        began = time.perf_counter()
        await client.ask("GET", PAGE)
        taken_ms.append((time.perf_counter() - began) * 1000)
    client.close()
    return median(taken_ms)


async def _wait_until_there(writer: Client) -> None:
    """The cluster is made by its worker first."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "told"}, "data": {"n": "-1"}}
    while time.monotonic() < deadline:
        answer = orjson.loads(await writer.ask("POST", PATH, made))
        if answer["kind"] == "ConfigMap":
            return
        await asyncio.sleep(0.1)
    raise RuntimeError(f"the bench's object was not created: {answer}")


async def _count_requests(clients: list[Client], path: str, seconds: int) -> float:
    """Answers a second over all connections."""
    ends, count = time.monotonic() + seconds, 0

    async def go_on(client: Client) -> None:
        nonlocal count
        await client.connect()
        while time.monotonic() < ends:
            await client.ask("GET", path)
            count += 1
        client.close()

    began = time.monotonic()
    await asyncio.gather(*map(go_on, clients))
    return count / (time.monotonic() - began)


async def _fan_out(writer: Client, watching: list[Client], changes: int) -> tuple[list[float], int, float]:
    """(how late each event was in ms, sorted; how many came twice; changes a second)."""
    sent: dict[str, float] = {}
    late: list[float] = []
    doubled = 0

    async def watch(client: Client, is_there: asyncio.Event) -> None:
        nonlocal doubled
        seen: set[str] = set()
        await client.connect()
        await client.send("GET", f"{PATH}?watch=true&fieldSelector=metadata.name%3Dtold")
        await client.reader.readuntil(b"\r\n\r\n")
        while len(seen) < changes:
            line = await client.reader.readline()
            if not line.startswith(b"{"):
                continue
            number = orjson.loads(line)["object"]["data"]["n"]
            is_there.set()
            if number in sent:
                doubled += number in seen
                seen.add(number)
                late.append((time.perf_counter() - sent[number]) * 1000)

    tasks: list[asyncio.Task[None]] = []
    for first in range(0, len(watching), CONNECT_AT_ONCE):
        there = [asyncio.Event() for _ in watching[first : first + CONNECT_AT_ONCE]]
        group = zip(watching[first : first + CONNECT_AT_ONCE], there, strict=True)
        tasks += [asyncio.create_task(watch(client, event)) for client, event in group]
        await asyncio.wait_for(asyncio.gather(*(event.wait() for event in there)), PATIENCE_SECONDS)
    # What was idle for so long the server has closed.
    await writer.connect()
    began = time.monotonic()
    for number in range(changes):
        sent[str(number)] = time.perf_counter()
        patch = {"data": {"n": str(number)}}
        await writer.ask("PATCH", f"{PATH}/told", patch, "application/merge-patch+json")
    rate = changes / (time.monotonic() - began)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_SECONDS)
    return sorted(late) or [0.0], doubled, rate
