"""One incident with one agent: what it sees, what it may do, and what that came to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from lifecycle.agents.kubectl.asking import ask
from lifecycle.agents.kubectl.views import View
from lifecycle.agents.kubectl.words import Misread
from lifecycle.agents.telling import bound
from lifecycle.engine.public import CONTAINER_PROFILE, Kind, find_kind
from lifecycle.lean_dataclasses import replace
from podline.gym.causes import CAUSES
from podline.gym.grading import Inventory, Score, list_problems, take_inventory
from podline.gym.incidents import SHOP, Incident, Step, find_incident
from podline.kubectl import carry_out, wait
from podline.library import Cluster, Manifest, load, read_ms
from podline.refusals import InputRefused

STEP_MS = 5_000
"""So much time each command takes."""
MOST_STEPS, MOST_SLEEP_MS = 100, 30 * 60_000
STANDS_MS = 2 * 60_000
"""So long the shop has been well before anything happens."""
_OURS = "podline.dev"
_HIDDEN_REASONS = ("UninterpretedBehavior", "AssumedAllowed")
"""Events that no real cluster has."""
HELP = (
    "One line an action. kubectl's words: get, describe, logs, events, rollout, scale, set, patch, apply -f -"
    " (with the manifests on the lines below), delete, label, annotate, cordon, uncordon, drain, taint, wait."
    " `sleep 5m` lets time pass. `answer CAUSE KIND/NAME` names the cause, such as `answer wrong-port"
    " service/web`; the last answer counts. `causes` lists the words. `done` ends the episode."
)
Info = dict[str, Any]


class Gym:
    """An incident to be found and mended. `reset` and `step` are those of Gymnasium's environments."""

    def __init__(self, incident: str) -> None:
        """Raises ValueError when there is no incident of that name."""
        self._incident = find_incident(incident)
        self._begin()

    def _begin(self) -> None:
        broken, self._before = _break(self._incident.name)
        self._cluster = broken.fork()
        self._begun_ms = self._cluster.now_ms
        self._commands, self._answer, self._is_over = 0, ("", ""), False

    @property
    def name(self) -> str:
        """Its name in the list."""
        return self._incident.name

    @property
    def title(self) -> str:
        """What people say is wrong."""
        return self._incident.title

    @property
    def cluster(self) -> Cluster:
        """The whole cluster, with all that is hidden from agents: for those who write them."""
        return self._cluster

    def reset(self) -> tuple[str, Info]:
        """Begin anew: the first observation, and what there is to know besides."""
        self._begin()
        return f"{self.title}\n{HELP}", self._tell_info()

    def step(self, action: str, is_scored: bool = True) -> tuple[str, float, bool, bool, Info]:
        """Do one thing: (observation, reward, terminated, truncated, info).

        The reward is 0 until the episode is over, and its score then, unless it `is_scored` later by `score`.
        Raises ValueError when the episode is over.
        """
        if self._is_over:
            raise ValueError("the episode is over: reset begins another one")
        self._commands += 1
        told = bound(self._act(action))
        is_cut = not self._is_over and self._commands >= MOST_STEPS
        is_done, self._is_over = self._is_over, self._is_over or is_cut
        reward = self.score().score if self._is_over and is_scored else 0.0
        return told, reward, is_done, is_cut, self._tell_info()

    def score(self) -> Score:
        """What it would come to if the agent went now."""
        problems = list_problems(self._cluster, self._incident, self._before)
        seconds = (self._cluster.now_ms - self._begun_ms) // 1000
        is_named = self._answer in self._incident.causes
        return Score(not problems, is_named, self._commands, seconds, tuple(problems))

    # --- what an agent does -----------------------------------------------------------------------------

    def _act(self, action: str) -> str:
        line, _, given = action.strip().partition("\n")
        word, *rest = line.split() or [""]
        if word == "done":
            self._is_over = True
            return "The episode is over."
        if word == "causes":
            return "\n".join(f"{name}: {text}" for name, text in CAUSES.items())
        if word == "answer":
            return self._take_answer(rest)
        try:
            return self._sleep(rest) if word == "sleep" else self._run(line, given)
        except (InputRefused, Misread) as problem:
            return str(problem)
        finally:
            self._cluster.run_for(STEP_MS)

    def _take_answer(self, words: Sequence[str]) -> str:
        if len(words) < 2 or words[0] not in CAUSES or "/" not in words[1]:
            return "write `answer CAUSE KIND/NAME`, such as `answer wrong-port service/web`; see `causes`"
        kind, _, name = words[1].partition("/")
        self._answer = words[0], f"{_name_kind(kind)}/{name}"
        return f"Taken down: {' '.join(self._answer)}."

    def _sleep(self, words: Sequence[str]) -> str:
        try:
            asked_ms = read_ms(words[0] if words else "")
        except ValueError as problem:
            return str(problem)
        if asked_ms > MOST_SLEEP_MS:
            return "30m is the most at once"
        self._cluster.run_for(asked_ms)
        return ""

    def _run(self, line: str, given: str) -> str:
        view = View(self._cluster._engine, _Past(self._cluster), shows, f"{_OURS}/")
        reply = ask(view, line, given)
        if any(_OURS in str(change.payload) for change in reply.changes):
            raise Misread("error: nothing of podline.dev can be changed here")
        if reply.wait is not None:
            # The same on whichever machine: it is virtual time that is bounded.
            asked = replace(reply.wait, limit_ms=min(reply.wait.limit_ms, MOST_SLEEP_MS))
            return wait(self._cluster, asked, math.inf)
        return "\n".join(carry_out(self._cluster, reply.changes)) if reply.changes else reply.text

    def _tell_info(self) -> Info:
        return {"commands": self._commands, "now_ms": self._cluster.now_ms, "begun_ms": self._begun_ms}


class _Past:
    """A cluster's past without the events that a real cluster would not have."""

    def __init__(self, cluster: Cluster) -> None:
        self._memory = cluster._memory

    def list_events(self) -> Sequence[Mapping[str, Any]]:
        """Those of a real cluster."""
        return [row for row in self._memory.list_events() if row["reason"] not in _HIDDEN_REASONS]

    def read_log(self, uid: str, container: str, attempt: int) -> Sequence[str]:
        """The lines of a container's run."""
        return self._memory.read_log(uid, container, attempt)


def shows(kind: Kind) -> bool:
    """Whether a real cluster has the kind."""
    return kind.group != _OURS


def _name_kind(word: str) -> str:
    kind = find_kind(word)
    return word.lower() if kind is None else kind.name.lower()


@cache
def _break(name: str) -> tuple[Cluster, Inventory]:
    """The shop in which the incident has happened, and what was there before."""
    incident = find_incident(name)
    profiles = [_make_profile(number, one) for number, one in enumerate(incident.profiles)]
    inputs: list[Manifest] = [
        SHOP.read_text("utf-8"),
        *([incident.before] if incident.before else []),
        *profiles,
    ]
    cluster = load(*inputs)
    cluster.run_until("idle", limit="10m")
    cluster.run_for(STANDS_MS)
    before = take_inventory(cluster)
    carry_all_out(cluster, incident.breaks)
    cluster.run_for(incident.passes)
    return cluster, before


def _make_profile(number: int, given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": CONTAINER_PROFILE.api_version,
        "kind": CONTAINER_PROFILE.name,
        "metadata": {"name": f"profile-{number}"},
        "spec": {"match": {"image": given["image"]}, "behavior": given["behavior"]},
    }


def carry_all_out(cluster: Cluster, steps: Sequence[Step]) -> None:
    """Do the steps of an incident, or of its solution. Raises InputRefused."""
    for step in steps:
        if isinstance(step, str):
            word, _, rest = step.partition(" ")
            cluster.run_for(rest) if word == "sleep" else cluster.kubectl(step)
        elif "sleep" in step:
            cluster.run_for(step["sleep"])
        elif "fault" in step:
            cluster._submit("fault", dict(step["fault"]), "fault")
        else:
            cluster.kubectl(step["run"], step.get("given", ""))


def list_actions(incident: Incident) -> list[str]:
    """The solution of an incident, as an agent would type it."""
    typed = []
    for step in incident.solution:
        typed.append(step if isinstance(step, str) else f"{step['run']}\n{step.get('given', '')}")
    word, about = incident.causes[0]
    return [*typed, "sleep 5m", f"answer {word} {about}", "done"]
