"""What a pod's page shows of it: containers, and whose it is."""

from __future__ import annotations

from typing import Any

from dashboard.addresses import find_page
from dashboard.plots.theme import clock
from lifecycle.engine.objects.times import parse_time_or_none
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.objects import find_object

Json = dict[str, Any]
MOST_OWNERS = 4


def list_containers(data: Json, epoch_ms: int = 0) -> list[Json]:
    """Containers in the order they start, init, main, ephemeral: of spec and status what a table shows."""
    spec, status = data.get("spec") or {}, data.get("status") or {}
    containers = []
    for role, key in (("init", "init"), ("", ""), ("ephemeral", "ephemeral")):
        specs = spec.get(f"{key}Containers" if key else "containers") or ()
        statuses = status.get(f"{key}ContainerStatuses" if key else "containerStatuses") or ()
        by_name = {known["name"]: known for known in statuses}
        for container in specs:
            known = by_name.get(container["name"], {})
            kind = "sidecar" if role == "init" and container.get("restartPolicy") == "Always" else role
            containers.append(_container(container, known, kind, epoch_ms))
    return containers


def _container(spec: Json, status: Json, role: str, epoch_ms: int) -> Json:
    return {
        "name": spec["name"],
        "role": role,
        "image": spec.get("image", ""),
        "ready": status.get("ready", False),
        "restarts": status.get("restartCount", 0),
        "state": state_words(status.get("state")),
        "times": state_times(status.get("state"), epoch_ms),
        "last": state_words(status.get("lastState")),
        "last_times": state_times(status.get("lastState"), epoch_ms),
    }


def state_words(state: Json | None) -> str:
    """`Running`, `Waiting: CrashLoopBackOff`, `Terminated: Error, exit code 1`."""
    for kind, detail in (state or {}).items():
        reason = (detail or {}).get("reason")
        code = (detail or {}).get("exitCode")
        words = [part for part in (reason, f"exit code {code}" if code is not None else None) if part]
        return kind.capitalize() + (f": {', '.join(words)}" if words else "")
    return ""


def state_times(state: Json | None, epoch_ms: int = 0) -> list[tuple[str, str]]:
    """`started 00:00:00` and `finished 00:00:05` as far as a state has these, each with its date and time."""
    detail = next(iter((state or {}).values()), None) or {}
    named = (("started", detail.get("startedAt")), ("finished", detail.get("finishedAt")))
    return [
        (f"{name} {clock(at_ms).partition('.')[0]}", time)
        for name, time in named
        if time and (at_ms := parse_time_or_none(time, epoch_ms)) is not None
    ]


def list_owners(cluster: Cluster, stored: StoredObject) -> list[tuple[str, str, str]]:
    """Whose an object is, and whose that is: kind, name and page of each, the highest first."""
    found: list[tuple[str, str, str]] = []
    owner, namespace = stored.owner, stored.namespace or ""
    while owner and len(found) < MOST_OWNERS:
        kind, _, name = owner.partition("/")
        found.insert(0, (kind, name, find_page(kind, namespace, name)))
        above = find_object(cluster, kind, namespace, name)
        owner = above.owner if above is not None else None
    return found
