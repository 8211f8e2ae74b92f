"""Clusters on request, for tests: a request is a line of JSON, and so is its answer.

A test says when time passes; its controllers talk to the Kubernetes API meanwhile.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from typing import IO, Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError

from lifecycle import kubeconfig, tokens
from lifecycle.input import expressions
from lifecycle.input.problems import ManifestError
from lifecycle.input.scenario import Until, read_until
from lifecycle.limits import Exceeded
from lifecycle.management.finding import tell_problem
from lifecycle.models import Cluster, RunControl, StoredObject
from lifecycle.runs import inbox
from lifecycle.runs.driving import new_clusters
from lifecycle.runs.run_controls import IDLE
from lifecycle.stored_kinds import of_kind

Json = dict[str, Any]
LOOK_SECONDS = 0.02
CONTROL_SECONDS = 10.0
_REFUSALS = (ManifestError, Exceeded, ValueError, LookupError)


class Desk:
    """Does what is asked for a user at an address. Each request names what to `do`; others are its fields."""

    def __init__(self, user_name: str, base: str) -> None:
        self._user = get_user_model().objects.get(username=user_name)
        self._base = base

    def serve(self, requests: Iterable[str], answers: IO[str]) -> None:
        """Answer one request after the other until there are no more."""
        for line in requests:
            answers.write(f"{json.dumps(self.answer(json.loads(line)))}\n")
            answers.flush()

    def answer(self, asked: Json) -> Json:
        """What came of a request; `error` says why nothing did."""
        doing: dict[str, Callable[..., Json]] = {
            "create": self._create,
            "delete": self._delete,
            "look": self._look,
            "speed": self._set_speed,
            "pause": self._pause,
            "run": self._run,
        }
        try:
            return doing[asked.pop("do")](**asked)
        except ValidationError as problem:
            return {"error": tell_problem(problem)}
        except _REFUSALS as error:
            return {"error": str(error)}

    def _create(self, name: str, **options: Any) -> Json:
        """A cluster whose time stands at its beginning, and a kubeconfig for it."""
        cluster = new_clusters.make(self._user, {"name": name, "paused": True, **options})
        self._wait(cluster, lambda row: row.seq > 0)
        address, authority = kubeconfig.locate(self._base)
        who = self._user.get_username()
        token = tokens.issue(self._user, cluster)
        text = kubeconfig.make_kubeconfig(name, who, token, address, authority)
        return {"kubeconfig": text, **self._look(name)}

    def _delete(self, name: str) -> Json:
        self._find(name).delete()
        return {}

    def _look(self, name: str) -> Json:
        cluster = self._find(name)
        return {"now_ms": cluster.instant_ms, "paused": cluster.paused, "failure": cluster.failure}

    def _set_speed(self, name: str, speed: float) -> Json:
        self._control(name, RunControl.Kind.SPEED, {"speed": speed})
        self._control(name, RunControl.Kind.RESUME, {})
        return self._look(name)

    def _pause(self, name: str) -> Json:
        self._control(name, RunControl.Kind.PAUSE, {})
        return self._look(name)

    def _run(self, name: str, until: str, limit_ms: int) -> Json:
        """Go as fast as it goes to an end, or to so much later; `reached` says which."""
        cluster = self._find(name)
        end, until_ms = read_until(until), cluster.instant_ms + limit_ms
        if end.at_ms is not None:
            until_ms = min(until_ms, end.at_ms)
        condition = "" if end.at_ms is not None else end.text
        self._control(name, RunControl.Kind.RUN, {"untilMs": until_ms, "condition": condition, "fast": True})
        self._wait(cluster, lambda row: row.paused)
        return {**self._look(name), "reached": _holds(self._find(name), end, until_ms)}

    def _control(self, name: str, kind: str, payload: Json) -> None:
        control = inbox.control(self._find(name), kind, payload, self._user)
        if not inbox.wait_for_control(control, CONTROL_SECONDS):
            raise LookupError(f"the clock of {name} did not answer in {CONTROL_SECONDS:g} s")
        if control.problem:
            raise ValueError(control.problem)

    def _wait(self, cluster: Cluster, is_over: Callable[[Cluster], bool]) -> None:
        cluster.refresh_from_db()
        while not is_over(cluster) and not cluster.failure:
            time.sleep(LOOK_SECONDS)
            cluster.refresh_from_db()

    def _find(self, name: str) -> Cluster:
        found = Cluster.objects.filter(owner=self._user, name=name).first()
        if found is None:
            raise LookupError(f"there is no cluster {name}")
        return found


def _holds(cluster: Cluster, end: Until, until_ms: int) -> bool:
    """Whether what was waited for is so now that time stands."""
    if end.at_ms is not None:
        return cluster.instant_ms >= end.at_ms
    if end.text == IDLE:
        return cluster.instant_ms < until_ms
    asked = expressions.parse(end.text)
    if asked.is_of_requests:
        # Their sums are kept by the engine alone: it stops when they are so, or at the limit.
        return cluster.instant_ms < until_ms
    there = StoredObject.objects.filter(of_kind(asked.kind), cluster=cluster, deleted_ms__isnull=True)
    found = there.filter(namespace=asked.namespace or None, name=asked.name).first()
    return asked.judge(None if found is None else found.data).holds
