"""Clusters of this process for agents: each a `podline.Cluster`, none of them kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from lifecycle.agents.causes import tell_chain
from lifecycle.agents.desk import Desk, Refused
from lifecycle.agents.kubectl.asking import ask
from lifecycle.agents.kubectl.views import View
from lifecycle.agents.telling import tell_course, tell_differences, tell_findings, tell_now, tell_verdicts
from lifecycle.check.asking.configuration import Configuration
from lifecycle.check.asking.trying import find_limits
from lifecycle.check.checking import check
from lifecycle.check.film import Films
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.report import Report, Where
from lifecycle.check.settled import AS_IT_STANDS, look, plan_again
from lifecycle.engine.public import Cluster as Engine
from lifecycle.input.manifests import Document
from lifecycle.simulation.run import Outcome
from podline.library import Cluster, read_ms

MOST_CLUSTERS, MOST_UNDONE, MOST_NAME = 20, 5, 63
MOST_SECONDS, CHECK_SECONDS = 20.0, 60.0
"""So long a call may take of real time."""
MOST_MS = 30 * 24 * 3_600_000


class _Kept:
    """A cluster, and what it was before each of its last changes."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.before: list[tuple[str, Cluster]] = []


class LocalDesk(Desk):
    """All clusters of one process, by name."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    def list_clusters(self) -> str:
        """A line for each cluster there is."""
        lines = [f"{name}: {one.cluster!r}" for name, one in self._kept.items()]
        return "\n".join(lines) or "There is no cluster yet: make one with create_cluster."

    def create(self, name: str, manifests: str, until: str, settings: dict[str, Any]) -> str:
        """Make a cluster, apply the manifests, let time pass; how it stands then."""
        self._check_name(name)
        kept = _Kept(Cluster(**settings))
        said = kept.cluster.kubectl("apply -f -", manifests) if manifests else ""
        told = self._run(kept.cluster, until, "1h")
        self._kept[name] = kept
        return "\n".join(filter(None, (f"The cluster {name} is made.", said, told)))

    def delete(self, cluster: str) -> str:
        """Take a cluster away."""
        self._find(cluster)
        del self._kept[cluster]
        return f"The cluster {cluster} is gone."

    def look(self, cluster: str, command: str) -> str:
        """Carry out a command line of kubectl that reads; `rollout status` is told as it is now."""
        found = self._find(cluster).cluster
        reply = ask(View(found._engine, found._memory), command)
        return reply.text if reply.wait is None else reply.wait.tell(found._engine)

    def change(self, cluster: str, command: str, given: str) -> str:
        """Carry out a command line of kubectl that writes."""
        kept = self._find(cluster)
        before = kept.cluster.fork()
        try:
            return kept.cluster.kubectl(command, given)
        finally:
            # Of several changes some may be made before one is refused.
            if len(kept.cluster.rows) > len(before.rows):
                kept.before = [*kept.before, (command, before)][-MOST_UNDONE:]

    def try_change(self, cluster: str, command: str, given: str, span: str) -> str:
        """What would come of a change within so much time; the cluster stays as it is."""
        fork = self._find(cluster).cluster.fork()
        seen, from_ms = len(fork.rows), fork.now_ms
        said = fork.kubectl(command, given)
        end = _drive(fork, from_ms + read_limit(span), Engine.is_idle)
        return f"{said}\n{tell_course(fork._engine, fork._memory.verdicts, fork.rows[seen:], from_ms, end)}"

    def run_until(self, cluster: str, until: str, limit: str) -> str:
        """Let time pass; whether it came to that, and how all stands."""
        return self._run(self._find(cluster).cluster, until, limit)

    def _run(self, cluster: Cluster, until: str, limit: str) -> str:
        asked = cluster._read_until(until)
        end_ms = cluster.now_ms + read_limit(limit)
        if asked.at_ms is not None:
            # What is asked of an agent's clock is so much from now on.
            end_ms = cluster.now_ms + read_limit(until)
            end = _drive(cluster, end_ms, lambda engine: False)
        else:
            end = _drive(cluster, end_ms, lambda engine: cluster._holds(asked))
            end = end if cluster._holds(asked) else f"not reached: {until}; {end}"
        return f"It is {tell_now(cluster._engine)} ({end}).\n{self._tell(cluster)}"

    def _tell(self, cluster: Cluster) -> str:
        cluster._take()
        return tell_verdicts(cluster._engine, cluster._memory.verdicts)

    def verdict(self, cluster: str) -> str:
        """How all workloads are."""
        found = self._find(cluster).cluster
        return f"It is {tell_now(found._engine)}.\n{self._tell(found)}"

    def why(self, cluster: str, reference: str) -> str:
        """Why an object is as it is, with the chain of causes of what happened to it last."""
        found = self._find(cluster).cluster
        look_at = found._parse(f"{reference} exists")
        told = found.why(reference)
        chain = tell_chain(found.rows, look_at.kind, look_at.namespace, look_at.name)
        return "\n".join([told, "What led to what happened last:", *chain] if chain else [told])

    def fork(self, cluster: str, name: str) -> str:
        """Another cluster with the same past."""
        self._check_name(name)
        self._kept[name] = _Kept(self._find(cluster).cluster.fork())
        return f"The cluster {name} is a fork of {cluster} at {tell_now(self._kept[name].cluster._engine)}."

    def undo(self, cluster: str) -> str:
        """Go back to before the last change, and to the time it was then."""
        kept = self._find(cluster)
        if not kept.before:
            raise Refused(
                f"nothing was changed in {cluster}, or that was more than {MOST_UNDONE} changes ago"
            )
        what, kept.cluster = kept.before.pop()
        return f"Undone: {what}. It is {tell_now(kept.cluster._engine)} again."

    def check(self, cluster: str, ordeals: Sequence[str], seeds: int) -> str:
        """Live through what may befall the cluster, and tell what does not hold."""
        engine = self._find(cluster).cluster.fork()._engine
        known = {one.name: one for one in list_ordeals()}
        if wrong := [name for name in ordeals if name not in known]:
            raise Refused(f"no ordeal is called {wrong[0][:40]!r}; there are {', '.join(known)}")
        chosen = [one for name, one in known.items() if not ordeals or name in ordeals]
        settled = look(engine, plan_again(engine, engine.seed), Outcome(AS_IT_STANDS, engine.now_ms))
        limits = find_limits([Document(dict(one)) for one in settled.plan.objects], Configuration())
        deadline = time.monotonic() + CHECK_SECONDS

        def be_patient(done: int, of: int) -> None:
            if time.monotonic() > deadline and done < of:
                raise Refused(
                    f"{done} of {of} futures took {CHECK_SECONDS:g} s: name fewer ordeals, or fewer seeds"
                )

        checked = check(settled, chosen, range(engine.seed, engine.seed + seeds), be_patient, limits=limits)
        films = Films(checked.settled)
        report = Report(checked, lambda one: Where(), lambda one: "", films.find)
        return tell_findings(report.to_json())

    def compare(self, cluster: str, other: str) -> str:
        """What the manifests of two clusters have otherwise, and how each fares."""
        left, right = self._find(cluster).cluster, self._find(other).cluster
        lines = tell_differences(left._engine, right._engine, (cluster, other))
        parts = [f"{cluster} | {other}", *(lines or ["Their manifests are the same."])]
        for name, one in ((cluster, left), (other, right)):
            parts += [f"{name} at {tell_now(one._engine)}:", self._tell(one)]
        return "\n".join(parts)

    # --- inside -----------------------------------------------------------------------------------------

    def _find(self, name: str) -> _Kept:
        found = self._kept.get(name)
        if found is None:
            there = ", ".join(self._kept) or "none: make one with create_cluster"
            raise Refused(f"there is no cluster {name[:MOST_NAME]!r}; there are {there}")
        return found

    def _check_name(self, name: str) -> None:
        is_label = name.isascii() and name.replace("-", "").isalnum() and name == name.lower()
        if not is_label or name.startswith("-") or name.endswith("-") or len(name) > MOST_NAME:
            raise Refused(
                f"name {name[:MOST_NAME]!r}: use small letters, digits and - inside, such as shop-2"
            )
        if name in self._kept:
            raise Refused(f"there is a cluster {name} already: take another name, or delete it first")
        if len(self._kept) >= MOST_CLUSTERS:
            raise Refused(f"there are {MOST_CLUSTERS} clusters, and that is the most: delete one first")


def read_limit(text: str) -> int:
    """A duration in ms, 30 days at most. Raises ValueError."""
    found = read_ms(text)
    if found > MOST_MS:
        raise Refused(f"{text[:40]!r} is more than 30 days, which is the most at once")
    return found


def _drive(cluster: Cluster, end_ms: int, is_over: Callable[[Engine], bool]) -> str:
    """Let time pass until an instant or `is_over`, for so much real time; why it ended."""
    deadline, engine, ends = time.monotonic() + MOST_SECONDS, cluster._engine, list[str]()

    def stop(engine: Engine) -> bool:
        cluster._take()
        if is_over(engine):
            ends.append("until that was so" if not engine.is_idle() else "until nothing was left to wait for")
        elif time.monotonic() > deadline:
            ends.append(f"as far as {MOST_SECONDS:g} s of real time went; go on with run_until")
        return bool(ends)

    engine.run_until(engine.now_ms)
    if not stop(engine):
        engine.run_until(end_ms, stop=stop)
        cluster._take()
    return ends[0] if ends else "as long as was asked for"
