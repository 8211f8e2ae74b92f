"""Two clusters let run on beside each other, so that there is something to compare."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction

from dashboard.asking.answers import Answer, answer_result
from dashboard.live.live_figures import tell_time
from dashboard.pages.compare.readings import Comparison
from lifecycle.access import User, Verb, may
from lifecycle.engine.kinds import registry
from lifecycle.engine.kinds.entry import RESTART
from lifecycle.input.differences import Key, name_key
from lifecycle.models import Cluster, Command, RunControl
from lifecycle.recorded.objects import find_object
from lifecycle.runs import inbox
from lifecycle.runs.driving import clocks

SPAN_MS = 15 * 60 * 1000
"""So far both go on: as far as a preview looks ahead."""
WAIT_SECONDS, LOOK_SECONDS = 8.0, 0.05


class Restart(NamedTuple):
    """What to restart, for a form and for people. `is_wanted`: nothing of the difference was seen yet."""

    value: str
    name: str
    is_wanted: bool


def list_runnable(user: User, clusters: Iterable[Cluster]) -> list[Cluster]:
    """Those of the clusters whose clock the user may move, each once."""
    return [one for one in {one.pk: one for one in clusters}.values() if may(user, one, Verb.RUN)]


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

    `restart`: what is restarted in each as they begin. What was refused is returned, and then none has run.
    Waits some seconds for them; what takes longer goes on.
    """
    if stopped := [one for one in clusters if one.failure]:
        return [Answer(False, one.address, f"It takes no commands: {one.failure}") for one in stopped]
    payload = _restart(*restart) if restart else {}
    try:
        for one in clusters:
            if not one.paused:
                clocks.ask(one, RunControl.Kind.PAUSE, {}, user)
                one.refresh_from_db()
        begin_ms = max(tell_time(one)["at_ms"] for one in clusters)
        with transaction.atomic():
            commands = [
                inbox.append(one, "rollout", payload, user, pinned_ms=begin_ms) for one in clusters if payload
            ]
        for one in clusters:
            clocks.ask(one, RunControl.Kind.RUN, {"untilMs": begin_ms + SPAN_MS, "fast": True}, user)
    except ValidationError as error:
        return [Answer(False, one.address, message) for message in error.messages]
    except inbox.Refused as refused:
        return [Answer(False, "", str(refused))]
    deadline = time.monotonic() + WAIT_SECONDS
    for one in clusters:
        clocks.wait_until_it_stands(one, deadline - time.monotonic())
    return [*_list_refused(clusters, commands, payload, name_key(restart) if restart else "")]


def _list_refused(
    clusters: Sequence[Cluster], commands: Sequence[Command], payload: dict[str, str], subject: str
) -> Iterator[Answer]:
    for cluster, command in zip(clusters, commands, strict=False):
        result = inbox.wait_for_result(command, LOOK_SECONDS)
        if result is not None and result["code"] >= 400:
            asked = ("rollout", payload, f"{subject} in {cluster.address}")
            yield from answer_result(cluster, result, asked, known=0)


def _restart(kind: str, namespace: str, name: str) -> dict[str, str]:
    return {"kind": kind, "namespace": namespace, "name": name, "action": RESTART}
