"""The small forms beside the text of an object: which its kind has, their fields, and what each does.

A page fills them from the text and writes into the text what is chosen; nothing is sent but the text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lifecycle.engine.kinds.cron_job import CRON_JOB
from lifecycle.engine.kinds.daemon_set import DAEMON_SET
from lifecycle.engine.kinds.deployment import DEPLOYMENT
from lifecycle.engine.kinds.entry import KindEntry
from lifecycle.engine.kinds.pod_disruption_budget import POD_DISRUPTION_BUDGET
from lifecycle.engine.kinds.registry import entry_of_id
from lifecycle.engine.kinds.replica_set import REPLICA_SET
from lifecycle.engine.kinds.replication_controller import REPLICATION_CONTROLLER
from lifecycle.engine.kinds.stateful_set import STATEFUL_SET
from lifecycle.models import StoredObject
from lifecycle.stored_kinds import kind_of_stored

WHOLE, SHARE, TEXT, PORT, LINES, CHOICE, HANDLER = (
    *("whole", "share", "text", "port", "lines"),
    *("choice", "handler"),
)
WITH_TEMPLATE = (DEPLOYMENT, STATEFUL_SET, DAEMON_SET, REPLICA_SET, REPLICATION_CONTROLLER, CRON_JOB)
"""Kinds whose pods can be made otherwise from now on: a pod, and those of a Job, stay as they are."""


@dataclass(frozen=True, slots=True)
class SmallField:
    """One field. `kind` says what may stand in it: WHOLE from `low` on, SHARE (a number or `25%`), …

    `path` is that in the object, or in the container that was chosen. `within`: shown where this is there.
    `unless`: not shown where a field (path, value) is so; `instead`: what goes when this is given. A HANDLER
    is the one name under its path that there is, of `starts`, which say with what each begins.
    """

    label: str
    path: str
    kind: str
    words: str
    low: int = 0
    choices: tuple[str, ...] = ()
    within: str = ""
    unless: tuple[str, str] = ("", "")
    instead: str = ""
    starts: Mapping[str, Any] | None = None
    of_container: bool = False

    @property
    def id(self) -> str:
        """In the page."""
        return f"small-{self.path.replace('.', '-')}"

    @property
    def starts_text(self) -> str:
        return json.dumps(self.starts or {})


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that belong together."""

    title: str
    fields: tuple[SmallField, ...]


@dataclass(frozen=True, slots=True)
class SmallForm:
    """`containers`: the path of the containers, one of which is chosen first; "" where none is."""

    title: str
    words: str
    groups: tuple[Group, ...]
    containers: str = ""


def list_forms(stored: StoredObject) -> list[SmallForm]:
    """The forms of an object's kind."""
    entry = entry_of_id(kind_of_stored(stored))
    if entry is POD_DISRUPTION_BUDGET:
        return [BUDGET]
    forms = [_STRATEGIES[entry.kind.id]] if entry.kind.id in _STRATEGIES else []
    return [*forms, *_list_pod_forms(entry)] if entry in WITH_TEMPLATE else forms


# --- strategies and budgets -------------------------------------------------------------------------------

_MIN_READY = SmallField(
    *("minReadySeconds", "spec.minReadySeconds", WHOLE),
    "So long a new pod has to stay ready before it counts as available. 0 if not said.",
)
_ROLLING = "spec.strategy.rollingUpdate"
_UPDATING = "spec.updateStrategy.rollingUpdate"
_OF_DEPLOYMENT = SmallForm(
    "Strategy",
    "How new pods take the place of old ones.",
    (
        Group(
            "",
            (
                SmallField(
                    *("type", "spec.strategy.type", CHOICE),
                    "RollingUpdate makes new pods while old ones still serve. Recreate ends all old pods"
                    " first: nothing serves meanwhile.",
                    choices=("RollingUpdate", "Recreate"),
                ),
                SmallField(
                    *("maxSurge", f"{_ROLLING}.maxSurge", SHARE),
                    "So many pods more than replicas there may be at once: a number, or a share such as 25%,"
                    " rounded up.",
                    unless=("spec.strategy.type", "Recreate"),
                ),
                SmallField(
                    *("maxUnavailable", f"{_ROLLING}.maxUnavailable", SHARE),
                    "So many pods fewer than replicas may be available: a number, or a share, rounded down."
                    " Not 0 together with maxSurge.",
                    unless=("spec.strategy.type", "Recreate"),
                ),
                _MIN_READY,
                SmallField(
                    *("progressDeadlineSeconds", "spec.progressDeadlineSeconds", WHOLE),
                    "After so long without progress the rollout is said to have failed; it goes on all the"
                    " same. More than minReadySeconds; 600 if not said.",
                    low=1,
                ),
            ),
        ),
    ),
)
_OF_STATEFUL_SET = SmallForm(
    "Strategy",
    "How new pods take the place of old ones: one after another, from the highest number down.",
    (
        Group(
            "",
            (
                SmallField(
                    *("type", "spec.updateStrategy.type", CHOICE),
                    "RollingUpdate replaces pods by itself. OnDelete waits until somebody deletes each.",
                    choices=("RollingUpdate", "OnDelete"),
                ),
                SmallField(
                    *("partition", f"{_UPDATING}.partition", WHOLE),
                    "Pods with a lower number keep the old template. 0 if not said.",
                    unless=("spec.updateStrategy.type", "OnDelete"),
                ),
                _MIN_READY,
            ),
        ),
    ),
)
_OF_DAEMON_SET = SmallForm(
    "Strategy",
    "How new pods take the place of old ones, node by node.",
    (
        Group(
            "",
            (
                SmallField(
                    *("type", "spec.updateStrategy.type", CHOICE),
                    "RollingUpdate replaces pods by itself. OnDelete waits until somebody deletes each.",
                    choices=("RollingUpdate", "OnDelete"),
                ),
                SmallField(
                    *("maxSurge", f"{_UPDATING}.maxSurge", SHARE),
                    "On so many nodes the new pod comes before the old one goes: a number, or a share."
                    " Not together with maxUnavailable.",
                    unless=("spec.updateStrategy.type", "OnDelete"),
                ),
                SmallField(
                    *("maxUnavailable", f"{_UPDATING}.maxUnavailable", SHARE),
                    "On so many nodes the old pod goes before the new one comes: a number, or a share.",
                    unless=("spec.updateStrategy.type", "OnDelete"),
                ),
                _MIN_READY,
            ),
        ),
    ),
)
_STRATEGIES = {
    DEPLOYMENT.kind.id: _OF_DEPLOYMENT,
    STATEFUL_SET.kind.id: _OF_STATEFUL_SET,
    DAEMON_SET.kind.id: _OF_DAEMON_SET,
}
BUDGET = SmallForm(
    "Budget",
    "How many pods evictions, such as those of a drain, leave. One of the first two, not both.",
    (
        Group(
            "",
            (
                SmallField(
                    *("minAvailable", "spec.minAvailable", SHARE),
                    "So many of the pods stay healthy: a number, or a share of all, rounded up.",
                    instead="spec.maxUnavailable",
                ),
                SmallField(
                    *("maxUnavailable", "spec.maxUnavailable", SHARE),
                    "So many of the pods may be away or unhealthy at once: a number, or a share, rounded up.",
                    instead="spec.minAvailable",
                ),
                SmallField(
                    *("unhealthyPodEvictionPolicy", "spec.unhealthyPodEvictionPolicy", CHOICE),
                    "Whether a pod that runs and is not ready may be evicted: IfHealthyBudget, only while"
                    " enough others are healthy; AlwaysAllow, in any case.",
                    choices=("IfHealthyBudget", "AlwaysAllow"),
                ),
            ),
        ),
    ),
)

# --- probes and hooks -------------------------------------------------------------------------------------

_HTTP = {"path": "/", "port": 80}
_PROBES = {
    "readinessProbe": "Readiness: while it fails, no Service sends requests to the pod.",
    "livenessProbe": "Liveness: when it fails, the container is restarted.",
    "startupProbe": "Startup: until it succeeds, the others wait; when it fails, the container is restarted.",
}
_HOOKS = {
    "lifecycle.preStop": "preStop: runs before the stop signal, within the time that the pod has to end.",
    "lifecycle.postStart": "postStart: runs when the container starts; until it ends, the pod is not ready.",
}


def _list_pod_forms(entry: KindEntry) -> list[SmallForm]:
    pod = ".".join(entry.pod_spec_path)
    probes = tuple(_make_probe(path, title) for path, title in _PROBES.items())
    hooks = tuple(_make_hook(path, title) for path, title in _HOOKS.items())
    grace = SmallField(
        *("terminationGracePeriodSeconds", f"{pod}.terminationGracePeriodSeconds", WHOLE),
        "So long the pod has to end, preStop and all; what runs then is killed. 30 if not said.",
    )
    containers = f"{pod}.containers"
    return [
        SmallForm("Probes", "What a kubelet asks a container, and how often.", probes, containers),
        SmallForm(
            "Hooks",
            "What runs as a container starts and ends. Pods that are there end by their old template.",
            (Group("The whole pod", (grace,)), *hooks),
            containers,
        ),
    ]


def _make_probe(path: str, title: str) -> Group:
    starts = {
        "httpGet": _HTTP,
        "tcpSocket": {"port": 80},
        "exec": {"command": ["true"]},
        "grpc": {"port": 80},
    }
    words = "How the container is asked; none, and there is no such probe."
    handler = SmallField("Asks by", path, HANDLER, words, starts=starts, of_container=True)
    return Group(title, (handler, *_list_details(path, starts), *_list_times(path)))


def _make_hook(path: str, title: str) -> Group:
    starts = {"exec": {"command": ["sleep", "5"]}, "httpGet": _HTTP, "sleep": {"seconds": 5}}
    words = "What the hook does; none, and there is no hook."
    handler = SmallField("Does", path, HANDLER, words, starts=starts, of_container=True)
    return Group(title, (handler, *_list_details(path, starts)))


def _list_details(path: str, starts: Mapping[str, Any]) -> tuple[SmallField, ...]:
    """What the handlers of a probe or a hook need to know; shown is what is of the one there is."""
    http, tcp, program, grpc, sleep = (
        f"{path}.{name}" for name in ("httpGet", "tcpSocket", "exec", "grpc", "sleep")
    )
    port = "A number, or the name of one of the container's ports."
    fields = (
        SmallField("path", f"{http}.path", TEXT, "Anything from 200 to 399 is success.", within=http),
        SmallField("port", f"{http}.port", PORT, port, within=http),
        SmallField("port", f"{tcp}.port", PORT, port, within=tcp),
        SmallField(
            *("command", f"{program}.command", LINES),
            "The program and its arguments, one a line; success is exit status 0.",
            within=program,
        ),
        SmallField("port", f"{grpc}.port", WHOLE, "A number.", low=1, within=grpc),
        SmallField("seconds", f"{sleep}.seconds", WHOLE, "So long it waits.", within=sleep),
    )
    known = {f"{path}.{name}" for name in starts}
    return tuple(replace(one, of_container=True) for one in fields if one.within in known)


def _list_times(path: str) -> tuple[SmallField, ...]:
    times = (
        ("initialDelaySeconds", "So long after the start nobody asks. 0 if not said.", 0),
        ("periodSeconds", "So often it is asked. 10 if not said.", 1),
        ("timeoutSeconds", "So long it may take to answer. 1 if not said.", 1),
        ("failureThreshold", "So many failures in a row are a failure. 3 if not said.", 1),
        ("successThreshold", "So many successes in a row are a success. 1 if not said.", 1),
    )
    return tuple(
        SmallField(name, f"{path}.{name}", WHOLE, words, low, within=path, of_container=True)
        for name, words, low in times
        # Of the others it has to be 1.
        if name != "successThreshold" or path == "readinessProbe"
    )
