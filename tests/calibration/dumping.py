"""Dumps for tests: a test names only what matters to it, everything else is as kubectl writes it."""

from __future__ import annotations

import json
from typing import Any

from lifecycle.calibration.dumps import Dump, read_dump
from lifecycle.calibration.measure import measure
from lifecycle.calibration.measured import Measured
from lifecycle.input.manifests import read_documents

Json = dict[str, Any]
IMAGE = "shop/api:1.4"
DAY = "2026-11-27T10:"


def at(clock: str) -> str:
    """A time of the dump's day: `00:07` is 10:00:07."""
    return f"{DAY}{clock}Z"


def make_pod(name: str = "api-0", *, containers: list[Json] | None = None, **more: Any) -> Json:
    """A pod of one container, running since 00:05. `ready`: since when; `statuses`: of its containers."""
    ready = more.get("ready")
    spec = {"nodeName": more.get("node", "node-1"), "containers": containers or [make_container()]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": "shop", "name": name, "uid": f"uid-{name}"},
        "spec": spec | more.get("spec", {}),
        "status": {
            "conditions": [
                {"type": "ContainersReady", "status": "True" if ready else "False"}
                | {"lastTransitionTime": at(ready or "00:05")}
            ],
            "containerStatuses": more.get("statuses", [make_status()]),
        },
    }


def make_container(name: str = "app", **fields: Any) -> Json:
    return {"name": name, "image": IMAGE, "imagePullPolicy": "IfNotPresent"} | fields


def make_status(name: str = "app", started: str | None = "00:05", **fields: Any) -> Json:
    """Of a container that runs since `started`."""
    state = (
        {"running": {"startedAt": at(started)}} if started else {"waiting": {"reason": "CrashLoopBackOff"}}
    )
    return {"name": name, "restartCount": 0, "state": state, "lastState": {}} | fields


def make_end(code: int, started: str, finished: str, reason: str = "Error") -> Json:
    times = {"startedAt": at(started), "finishedAt": at(finished)}
    return {"terminated": {"exitCode": code, "reason": reason, **times}}


def make_event(reason: str, clock: str, message: str = "", **more: Any) -> Json:
    """An event of the kubelet. `last`, `count`: of one that repeats; `pod`, `container`, `node`."""
    pod, container = more.get("pod", "api-0"), more.get("container", "app")
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": "shop", "name": more.get("name", f"{pod}.{reason}.{container}.{clock}")},
        "involvedObject": {
            "kind": "Pod", "namespace": "shop", "name": pod, "uid": f"uid-{pod}",
            "fieldPath": f"spec.containers{{{container}}}",
        },
        "reason": reason,
        "message": message or f"Container {reason.lower()}",
        "source": {"component": "kubelet", "host": more.get("node", "node-1")},
        "firstTimestamp": at(clock),
        "lastTimestamp": at(more.get("last", clock)),
        "count": more.get("count", 1),
        "eventTime": None,
    }  # fmt: skip


def make_pulled(clock: str, took: str = "2.3s", image: str = IMAGE, **more: Any) -> Json:
    message = (
        f'Successfully pulled image "{image}" in {took} ({took} including waiting). Image size: 5 bytes.'
    )
    return make_event("Pulled", clock, message, **more)


def read(*objects: Json) -> Dump:
    """As kubectl writes them: one List."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [*objects]})
    return read_dump(read_documents(text, "dump.json"))


def measure_image(*objects: Json, image: str = IMAGE) -> Measured:
    """What was measured of one image."""
    found = {one.image: one for one in measure(read(*objects))}
    return found.get(image) or Measured(image)
