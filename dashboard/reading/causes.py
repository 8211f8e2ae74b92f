"""Why something happened: the chain of rows that led to it, in words, from its root on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Any
from uuid import UUID

from dashboard.addresses import find_page
from dashboard.plots.requests import name_lane
from dashboard.plots.theme import clock, without_uids
from dashboard.reading.patch_words import RESTART, tell_patch
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.rules.network.requests import NOT_READY, OUTCOMES
from lifecycle.lost_requests import AT_ONCE, FIELD, tell_amount, tell_sender, tell_share
from lifecycle.models import Cluster, Command, Event, Transition
from lifecycle.recorded.roots import Row, walk_back

MOST_WORDS = 200
MOST_LINKS = 200
"""A chain that is longer is shown from here on; chains of a crash loop grow with every restart."""

MOST_ALIKE = 3
"""Of more links in a row that say the same the first and the last are told."""
MOST_FOLLOWED, MOST_LOOKED_AT = 200, 20_000
FOLLOWED_MS = 60_000
"""A controller's look comes a little later; by then it has come."""
SAID_OF_PODS = ("phase", "ready", "status", "state")
"""A pod that is made says all of this too."""


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a chain. `seq` is None for what came from outside."""

    at_ms: int
    subject: str
    page: str
    what: str
    why: str
    seq: int | None = None
    # The row of a timeline that it is about.
    lane: str = ""

    @property
    def at(self) -> str:
        """Its instant, as the page's clock shows it."""
        return clock(self.at_ms)


def read_chain(cluster: Cluster, seq: int) -> list[Link]:
    """What led to a row, the root first and the row last; [] where no such row is kept."""
    chain: list[Link] = []
    for one in walk_back(cluster, seq):
        chain.append(tell_command(one) if isinstance(one, Command) else describe_row(one))
        if len(chain) == MOST_LINKS:
            break
    return chain[::-1]


def fold_alike(chain: list[Link]) -> list[Link]:
    """What came again and again, each time because of the time before, is told by its first and last time."""
    told: list[Link] = []
    for _, found in groupby(chain, key=lambda link: (link.subject, link.what, link.why)):
        alike = list(found)
        if len(alike) > MOST_ALIKE:
            alike = [alike[0], replace(alike[-1], what=f"{alike[-1].what}, {len(alike)} times in all")]
        told += alike
    return told


def describe_row(row: Row) -> Link:
    """A row as a step of a chain."""
    page = find_page(kind_id(row.group, row.kind), row.namespace or "", row.name)
    subject, lane = f"{row.kind} {row.name}", _find_lane(row)
    if isinstance(row, Event):
        times = f", {row.count} times" if row.count > 1 else ""
        return Link(
            row.at_ms, subject, page, f"Event {row.reason}{times}", without_uids(row.message), row.seq, lane
        )
    why = without_uids(": ".join(part for part in (row.reason, row.message) if part))
    return Link(row.at_ms, subject, page, _say_change(row), why, row.seq, lane)


def _find_lane(row: Row) -> str:
    """A pod's own; that of requests to a Service; of anything else that of its group, where there is one."""
    kind = kind_id(row.group, row.kind)
    if isinstance(row, Transition) and row.field.startswith(FIELD):
        return name_lane(row.namespace or "", row.name, row.field.removeprefix(FIELD))
    group = f"{row.namespace or ''}/{kind}/{row.name}"
    return f"{row.namespace}/{row.name}" if kind == POD_KIND.id else f"group:{group}"


def _say_change(row: Transition) -> str:
    """What a transition says, as a person would: `app is Terminated, exit code 137`."""
    kind, _, rest = row.field.partition(".")
    name, _, part = rest.rpartition(".")
    say = _CHANGES.get(kind)
    if say is not None:
        return say(row, name, part)
    return (
        f"{row.field}: {_value(row.old)} → {_value(row.new)}"
        if row.old is not None
        else (f"{row.field}: {_value(row.new)}")
    )


def _value(value: Any) -> str:
    return "none" if value is None else str(value)


def _say_container(row: Transition, name: str, part: str) -> str:
    if part != "state":
        return f"{name}: {part} {_value(row.new)}"
    code = (row.detail or {}).get("exitCode")
    return f"{name} is {row.new}" + (f", exit code {code}" if code is not None else "")


def _say_requests(row: Transition, name: str, part: str) -> str:
    """`requests from pods: 2 of 3 lost`; why most of them are is told beside it."""
    head = f"requests {tell_sender(part)}"
    if at_once_ms := (row.detail or {}).get(AT_ONCE):
        return f"{head}: {tell_amount(at_once_ms)} lost that were under way"
    if row.new is None:
        return f"{head}: nobody sends any"
    if not row.new and (unready := (row.detail or {}).get(OUTCOMES[NOT_READY])):
        return f"{head}: {tell_share(unready)} served by pods that are not ready"
    return f"{head}: {f'{tell_share(row.new)} lost' if row.new else 'all served'}"


_CHANGES: dict[str, Callable[[Transition, str, str], str]] = {
    "exists": lambda row, name, part: f"{row.new}",
    "state": lambda row, name, part: f"is {row.new}",
    "node": lambda row, name, part: f"is bound to {row.new}",
    "container": _say_container,
    "probe": lambda row, name, part: f"{part} probe of {name}: {row.new}",
    "hook": lambda row, name, part: f"{part} hook of {name}: {row.new}",
    "signal": lambda row, name, part: f"{row.new} to {part}",
    "condition": lambda row, name, part: f"{part} is {row.new}",
    "deletion": lambda row, name, part: f"deletion: {row.new}",
    "requests": _say_requests,
}


def find_command(cluster: Cluster, command: UUID) -> Command | None:
    """A command of the cluster, up to its cursor."""
    rows = Command.objects.filter(cluster=cluster, pk=command, state=Command.State.DONE)
    return rows.filter(instant_ms__lte=cluster.instant_ms).select_related("user").first()


def list_followed(cluster: Cluster, command: Command) -> list[Transition]:
    """What a command itself led to, in order: what came of that has other causes, and is asked for there."""
    since_ms, cause = command.instant_ms or 0, f"command:{command.trace_id}"
    rows = Transition.objects.filter(cluster=cluster, seq__lte=cluster.seq)
    rows = rows.filter(at_ms__range=(since_ms, since_ms + FOLLOWED_MS)).exclude(field__in=SAID_OF_PODS)
    # Causes cannot be searched for.
    nearby = rows.order_by("seq")[:MOST_LOOKED_AT].iterator()
    return list(islice((row for row in nearby if row.cause == cause), MOST_FOLLOWED))


def tell_followed(command: Command, rows: list[Transition]) -> list[Link]:
    """A command, and what it did itself."""
    return [tell_command(command), *map(describe_row, rows)]


def tell_command(command: Command) -> Link:
    """What somebody asked for."""
    payload = _read(command.payload)
    kind, _namespace, name = read_target(command)
    details = list(_tell_details(command.kind, payload))
    who = f"asked by {command.user.get_username()}" if command.user else "asked by the scenario"
    asked = "" if command.kind == "rollout" or RESTART in details else command.kind
    what = f"{asked} {', '.join(details)}".strip()[:MOST_WORDS]
    return Link(command.instant_ms or 0, f"{kind} {name}".strip(), "", what, who)


def _tell_details(asked: str, payload: dict[str, Any]) -> Iterator[str]:
    """What a command says beside what it is about."""
    if asked == "fault":
        # Of a fault the kind is that of the fault.
        yield str(payload.get("kind") or "")
    if asked == "rollout":
        yield f"{payload.get('action') or ''} of the rollout"
    keys = _OF_FAULTS if asked == "fault" else _TOLD
    yield from (f"{key} {payload[key]}" for key in keys if payload.get(key) is not None)
    yield from tell_patch(payload.get("patch"))


def read_target(command: Command) -> tuple[str, str, str]:
    """Kind, namespace and name of what it is about; "" where it does not say."""
    payload = _read(command.payload)
    data = _read(payload.get("object"))
    meta = _read(data.get("metadata"))
    if command.kind == "fault" and payload.get("component"):
        kind, name = "", payload["component"]
    elif command.kind == "fault":
        pod, node = payload.get("pod"), payload.get("node")
        kind, name = (POD_KIND.id, pod) if pod else (NODE_KIND.id, node)
    elif command.kind in ("cordon", "uncordon", "taint", "drain", "upgrade"):
        nodes = payload.get("nodes")
        first = nodes[0] if isinstance(nodes, list) and nodes else None
        kind, name = NODE_KIND.id, payload.get("node") or payload.get("name") or first
    elif data:
        group = str(data.get("apiVersion") or "").rpartition("/")[0]
        kind, name = kind_id(group, str(data.get("kind") or "")), meta.get("name")
    else:
        default = POD_KIND.id if command.kind == "evict" else ""
        kind, name = payload.get("kind") or default, payload.get("name")
    is_of_node = kind == NODE_KIND.id
    namespace = "" if is_of_node else meta.get("namespace") or payload.get("namespace") or "default"
    return str(kind or ""), str(namespace), str(name or "")


def _read(value: Any) -> dict[str, Any]:
    """What was asked is kept as it came."""
    return value if isinstance(value, dict) else {}


_TOLD = ("container", "image", "replicas", "toRevision", "gracePeriodSeconds", "cancel")
_OF_FAULTS = ("container", "code", "reason", "resource", "available", "for")
