"""Two clusters let run on beside each other, so that there is something to compare."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from dashboard.asking.answers import Answer, answer_result, read_version
from dashboard.live.live_figures import tell_time
from dashboard.pages.compare.readings import Comparison
from lifecycle.access import User, Verb, find_cluster, may
from lifecycle.engine.kinds import registry
from lifecycle.engine.kinds.entry import RESTART
from lifecycle.input.differences import Key, name_key
from lifecycle.models import Cluster, RunControl
from lifecycle.recorded.objects import find_object
from lifecycle.runs import inbox

SPAN_MS = 15 * 60 * 1000
"""So far both go on: as far as a preview looks ahead."""
WAIT_SECONDS, LOOK_SECONDS = 8.0, 0.05


class Restart(NamedTuple):
    """What to restart, for a form and for people. `is_wanted`: nothing of the difference was seen yet."""

    value: str
    name: str
    is_wanted: bool


def list_runnable(user: User, addresses: Sequence[str]) -> list[Cluster]:
    """Those of the clusters at these addresses whose clock the user may move, each once."""
    found = [find_cluster(user, address, is_exact=True) for address in dict.fromkeys(addresses)]
    return [one for one in found if one is not None and may(user, one, Verb.RUN)]


def find_restart(told: Comparison) -> Restart | None:
    """What has to be restarted in both for what it has otherwise to show; None where nothing is like that."""
    both = (told.left, told.right)
    for changed in told.changed:
        value = "/".join(changed.key)
        if changed.is_of_rollouts and read_restart(value, both):
            is_seen = any(one.differs and one.subject == changed.key for one in told.workloads)
            return Restart(value, changed.name, not is_seen)
    return None


def read_restart(text: str, clusters: Sequence[Cluster]) -> Key | None:
    """What `Deployment/shop/web` is to restart; None where that is not in all of them, or never restarts."""
    kind, _, rest = text.partition("/")
    namespace, _, name = rest.partition("/")
    restarting = {entry.kind.id for entry in registry.list_workloads() if RESTART in entry.rollout}
    if kind not in restarting or "\0" in text:
        return None
    stored = [find_object(one, kind, namespace, name) for one in clusters]
    is_there = all(one is not None and one.deleted_ms is None for one in stored)
    return (kind, namespace, name) if is_there else None


def run_on(user: User, clusters: Sequence[Cluster], restart: Key | None) -> list[Answer]:
    """Let clusters run, as fast as possible, to one instant 15 minutes from now, and stand there.

    `restart`: what is restarted in each as they begin. What was refused is returned. Waits some seconds for
    them; what takes longer goes on.
    """
    for one in clusters:
        if not one.paused:
            inbox.wait_for_control(inbox.control(one, RunControl.Kind.PAUSE, user=user))
            one.refresh_from_db()
    begin_ms = max(tell_time(one)["at_ms"] for one in clusters)
    known = [read_version(one) for one in clusters]
    payload = _restart(*restart) if restart else {}
    try:
        commands = [
            inbox.append(one, "rollout", payload, user, pinned_ms=begin_ms) for one in clusters if payload
        ]
    except inbox.Refused as refused:
        return [Answer(False, "", str(refused))]
    for one in clusters:
        inbox.control(one, RunControl.Kind.RUN, {"untilMs": begin_ms + SPAN_MS, "fast": True}, user=user)
    _wait(clusters, begin_ms + SPAN_MS)
    subject = name_key(restart) if restart else ""
    results = [inbox.wait_for_result(one, LOOK_SECONDS) for one in commands]
    answers = [
        answer
        for cluster, result, version in zip(clusters, results, known, strict=False)
        for answer in answer_result(
            cluster, result, ("rollout", payload, f"{subject} in {cluster.address}"), version
        )
        if result is not None
    ]
    return [one for one in answers if not one.is_good]


def _restart(kind: str, namespace: str, name: str) -> dict[str, str]:
    return {"kind": kind, "namespace": namespace, "name": name, "action": RESTART}


def _wait(clusters: Sequence[Cluster], until_ms: int) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    left = list(clusters)
    while left and time.monotonic() < deadline:
        time.sleep(LOOK_SECONDS)
        for one in left:
            one.refresh_from_db()
        left = [one for one in left if not one.failure and (not one.paused or one.instant_ms < until_ms)]
