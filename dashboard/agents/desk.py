"""Stored clusters for agents: each call is one user's, who may do with a cluster what pages let that user do.

What is only looked at or tried is asked of a copy of the engine, as previews are; what is changed goes
through the cluster's inbox, and is answered when its worker has done it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from django.db.models import Q

from dashboard.agents.history import RecordedHistory
from dashboard.pages.compare.markdown import write_markdown
from dashboard.pages.compare.readings import compare
from dashboard.plots.theme import clock
from dashboard.reading.causes import fold_alike, read_chain
from lifecycle import limits
from lifecycle.access import Verb, address_for, clusters_for, get_cluster_or_404
from lifecycle.agents.desk import Desk, Refused
from lifecycle.agents.kubectl.asking import Reply, ask, find_changed
from lifecycle.agents.kubectl.views import View
from lifecycle.agents.telling import tell_course, tell_findings
from lifecycle.engine.heart.timing import parse_milliseconds
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.input import expressions
from lifecycle.models import DNS_LABEL, Check, Cluster, Command, StoredObject, Transition
from lifecycle.models.checks import GOING_ON
from lifecycle.reads import virtual_now_ms
from lifecycle.recorded.objects import find_object
from lifecycle.recorded.seen import judge
from lifecycle.recorded.verdict import read_verdict
from lifecycle.runs import forks, inbox
from lifecycle.runs.ahead import LONGEST_MS, run_ahead
from lifecycle.runs.checks.asking import ask as ask_for_check
from lifecycle.runs.checks.asking import check_ordeals
from lifecycle.runs.driving import clocks, new_clusters
from lifecycle.simulation.verdicts_at_end import VerdictSink

RUN_SECONDS, CHECK_SECONDS, LOOK_SECONDS = 25.0, 60.0, 0.25
MOST_TOLD, MOST_CLUSTERS, MOST_LOOKED_BACK = 100, 200, 200


class StoredDesk(Desk):
    """The clusters that one user may see."""

    def __init__(self, user: Any) -> None:
        self._user = user

    def list_clusters(self) -> str:
        """A line for each cluster the user may look at."""
        found = clusters_for(self._user).select_related("owner")
        lines = [
            f"{address_for(self._user, one)}: at {clock(one.instant_ms)}" for one in found[:MOST_CLUSTERS]
        ]
        return "\n".join(lines) or "There is no cluster yet: make one with create_cluster."

    def create(self, name: str, manifests: str, until: str, settings: dict[str, Any]) -> str:
        """Make a cluster that stands, apply the manifests, let time pass; how it stands then."""
        made = new_clusters.make(self._user, {"name": name, "paused": True, **settings})
        said = [f"The cluster {name} is made."]
        if manifests:
            try:
                said.append(self.change(name, "apply -f -", manifests))
            except Exception:
                # What is corrected is asked for by the same name.
                made.delete()
                raise
        return "\n".join([*said, self._run(made, until, "1h")])

    def delete(self, cluster: str) -> str:
        """Take a cluster away."""
        self._find(cluster, Verb.OWN).delete()
        return f"The cluster {cluster} is gone."

    def look(self, cluster: str, command: str) -> str:
        """Carry out a command line of kubectl that reads."""
        found = self._find(cluster)
        with limits.preview(self._user):
            engine = run_ahead(found, span_ms=0).engine
            reply = ask(View(engine, RecordedHistory(found, engine.now_ms)), command)
            return reply.text if reply.wait is None else reply.wait.tell(engine)

    def change(self, cluster: str, command: str, given: str) -> str:
        """Carry out a command line of kubectl that writes: all of it, or up to what is refused."""
        found = self._find(cluster, Verb.CHANGE)
        with limits.preview(self._user):
            reply = self._ask(found, command, given)
        sent = inbox.append_all(found, find_changed(reply.changes), self._user)
        said = list[str]()
        for change, result in zip(reply.changes, inbox.wait_for_results(sent), strict=True):
            if result is None:
                raise Refused(
                    "\n".join([*said, "the cluster's worker has not answered yet: look again soon"])
                )
            if result["code"] >= 400:
                status = result.get("status") or {}
                problem = f"Error from server: {status.get('message') or result['code']}"
                raise Refused("\n".join([*said, problem]))
            said += [f"Warning: {one}" for one in result.get("warnings") or ()]
            said.append(change.tell(result["code"]))
        return "\n".join(said)

    def _ask(self, found: Cluster, command: str, given: str) -> Reply:
        """What a line of words asks to be done to a cluster as it is now."""
        engine = run_ahead(found, span_ms=0).engine
        reply = ask(View(engine, RecordedHistory(found, engine.now_ms)), command, given)
        if not reply.changes:
            raise Refused("that changes nothing: see `look`, and `run_until` to let time pass")
        return reply

    def try_change(self, cluster: str, command: str, given: str, span: str) -> str:
        """What would come of a change; the cluster stays as it is, and nothing is recorded."""
        found, span_ms = self._find(cluster), min(_read_ms(span), LONGEST_MS)
        sink, engine_rows = VerdictSink(), list[Any]()
        with limits.preview(self._user):
            orders = find_changed(self._ask(found, command, given).changes)
            ahead = run_ahead(found, orders, span_ms, watch=sink.take)
            if ahead.refusals:
                raise Refused("\n".join(f"Error from server: {text}" for text in ahead.refusals))
            engine_rows += map(row_to_json, ahead.rows)
            return tell_course(ahead.engine, sink, engine_rows, ahead.from_ms, _ENDS[ahead.end])

    def run_until(self, cluster: str, until: str, limit: str) -> str:
        """Let time pass; whether it came to that, and how all stands."""
        return self._run(self._find(cluster, Verb.RUN), until, limit)

    def _run(self, found: Cluster, until: str, limit: str) -> str:
        """Ask the cluster's worker to run, and wait a while for it. It stands at `limit` at the latest."""
        wanted, was_auto = {"runUntil": until}, found.is_auto
        clocks.change(found, self._user, {"speed": 1} | wanted if was_auto else wanted, _read_ms(limit))
        stands = clocks.wait_until_it_stands(found, RUN_SECONDS) or bool(found.failure)
        status = clocks.read_status(found)
        said = "\nIts speed was auto, and is 1 from here on." if was_auto else ""
        if not stands:
            goes_on = f"It is {clock(status['atMs'])}, and time goes on: ask again, or look."
            return f"{goes_on}{said}\n{self._tell(found)}"
        how = "reached" if status["reached"] else "not reached"
        return f"It is {clock(status['atMs'])}; {until}: {how}.{said}\n{self._tell(found)}"

    def verdict(self, cluster: str) -> str:
        """How all workloads are."""
        found = self._find(cluster)
        return f"It is {clock(virtual_now_ms(found))}.\n{self._tell(found)}"

    def _tell(self, found: Cluster) -> str:
        now_ms = virtual_now_ms(found)
        lines = [read_verdict(found, now_ms).sentence]
        alone = StoredObject.objects.filter(cluster=found, deleted_ms__isnull=True, owner__isnull=True)
        for one in alone.filter(kind__in=_JUDGED).order_by("namespace", "kind", "name")[:MOST_TOLD]:
            told = judge(found, one, now_ms)
            if told is not None:
                lines.append(f"{one.kind} {one.namespace}/{one.name}: {told.sentence}")
        return "\n".join(lines)

    def why(self, cluster: str, reference: str) -> str:
        """Why an object is as it is, with the chain of causes of what happened to it last."""
        found = self._find(cluster)
        asked = expressions.parse(f"{reference} exists")
        stored = find_object(found, asked.kind, asked.namespace or "", asked.name)
        if stored is None:
            raise LookupError(f"there is no {reference} in {cluster}")
        told = judge(found, stored, virtual_now_ms(found))
        rows = Transition.objects.filter(cluster=found, uid=stored.uid, seq__lte=found.seq).order_by("-seq")
        last = rows.values_list("seq", flat=True).first()
        chain = fold_alike(read_chain(found, last)) if last else []
        links = [f"{one.at} {one.subject}: {one.what}{f' ({one.why})' if one.why else ''}" for one in chain]
        head = told.sentence if told is not None else "Nothing is told of this kind."
        return "\n".join([head, "What led to what happened last:", *links] if links else [head])

    def fork(self, cluster: str, name: str) -> str:
        """Another cluster with the same past; it stands."""
        found = self._find(cluster)
        DNS_LABEL(name)
        made = forks.fork(found, None, self._user, name)
        return f"The cluster {made.name} is a fork of {cluster} at {clock(made.instant_ms)}. It stands."

    def undo(self, cluster: str) -> str:
        """A fork that begins before the last change: what is recorded stays, others may look at it."""
        found = self._find(cluster)
        done = found.commands.filter(state=Command.State.DONE, result__code__lt=400)
        orders = done.order_by("-order")[:MOST_LOOKED_BACK]
        last = next((one for one in orders if not inbox.is_rehearsal(one)), None)
        if last is None or not last.instant_ms:
            raise Refused(f"nothing was changed in {cluster} since it began")
        name = forks.suggest_name(found, self._user)
        made = forks.fork(found, last.instant_ms - 1, self._user, name)
        return (
            f"The history of {cluster} is recorded and stays. The cluster {made.name} is a fork of it from"
            f" before its last change ({last.kind}), at {clock(made.instant_ms)}. It stands; go on there."
        )

    def check(self, cluster: str, ordeals: Sequence[str], seeds: int) -> str:
        """Ask for a check, or look at the one that goes on, and wait a while for it."""
        found = self._find(cluster, Verb.RUN)
        one = self._find_check(found, check_ordeals(ordeals), seeds)
        one = one or ask_for_check(found, self._user, ordeals, seeds)
        deadline = time.monotonic() + CHECK_SECONDS
        while one.state in GOING_ON and time.monotonic() < deadline:
            time.sleep(LOOK_SECONDS)
            one.refresh_from_db()
        if one.state in GOING_ON:
            return f"{one.done} of {one.total} futures are lived through: ask again to go on waiting."
        if one.state != Check.State.DONE:
            raise Refused(f"the check has ended as {one.state}: {one.problem}")
        return f"Checked as it was at {clock(one.at_ms or 0)}.\n{tell_findings(one.report)}"

    def _find_check(self, found: Cluster, names: list[str], seeds: int) -> Check | None:
        """The same check, which goes on or was done since the last change: who asks again waits for that."""
        last = found.commands.order_by("-order").values_list("order", flat=True).first()
        alike = Q(user=self._user, ordeals=names, seeds=seeds)
        done = Q(state=Check.State.DONE, command_order=last or 0)
        return found.checks.filter(alike, Q(state__in=GOING_ON) | done).order_by("-created_at").first()

    def compare(self, cluster: str, other: str) -> str:
        """What two clusters have otherwise, from where they part."""
        left, right = self._find(cluster), self._find(other)
        with limits.preview(self._user):
            return write_markdown(compare(left, right))

    def _find(self, address: str, verb: str = Verb.VIEW) -> Cluster:
        return get_cluster_or_404(self._user, address, verb)


_ENDS = {
    "idle": "until nothing was left to wait for",
    "span": "as long as was asked for",
    "cut": "as far as the time for it went",
}


def _read_ms(text: str) -> int:
    try:
        return parse_milliseconds(text)
    except ValueError:
        raise Refused(f"{text[:40]!r} is no duration: write 90s, 10m or 2h") from None


_JUDGED = (
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "ReplicaSet",
    "ReplicationController",
    "Job",
    "CronJob",
    "Pod",
)
