"""Rows of requests to the Service `web`, as the engine writes them."""

from __future__ import annotations

from typing import Any

from lifecycle.models import Cluster, StoredObject
from tests.dashboard.rows import transition

Row = dict[str, Any]
LABELS = {"app": "web"}


def told(at_ms: int, old: int | None, new: int | None, reason: str | None = None, **more: Any) -> Row:
    """From now on so many of a thousand are lost; `sender`, `name`, and more of `detail`."""
    sender, name = more.pop("sender", "pods"), more.pop("name", "web")
    detail = {"served": 1000 - (new or 0)} | ({reason: new} if reason else {}) | more
    field, told = f"requests.{sender}", {"old": old, "reason": reason, "detail": detail}
    return transition(at_ms, field, new, name, kind="Service", uid=f"service-{name}", **told)


def gone(at_ms: int, name: str = "web") -> Row:
    """The Service is deleted."""
    uid = f"service-{name}"
    return transition(at_ms, "exists", "deleted", name, kind="Service", uid=uid, old="created")


def lost_a_third(name: str = "web") -> list[Row]:
    """333 of a thousand from 2 s to 5 s: 999 ms' worth."""
    steps = [(1_000, None, 0), (2_000, 0, 333, "refused")]
    return [*(told(*step, name=name) for step in steps), told(5_000, 333, 0, name=name, lostMs=999)]


def store_web(cluster: Cluster, **selector: str) -> None:
    """The Service and the Deployment `web`, of whose rows there are some, as they are stored."""
    metadata = {"name": "web", "namespace": "default", "uid": "service-web"}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": metadata}
    service |= {"spec": {"selector": selector or LABELS, "ports": [{"port": 80}]}}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata}
    deployment |= {"spec": {"replicas": 3, "template": {"metadata": {"labels": LABELS}, "spec": {}}}}
    for data in (service, deployment):
        StoredObject.objects.filter(cluster=cluster, kind=data["kind"]).update(data=data, owner=None)
