"""The tools that agents get, with their fields and hints: one list for all transports.

`call` takes what a stranger sends: each field is looked at before anything is done, and an answer is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lifecycle.agents.desk import Desk, Refused
from lifecycle.agents.kubectl.words import READING, read_line
from lifecycle.agents.telling import bound
from lifecycle.lean_dataclasses import dataclass

Json = dict[str, Any]
MOST_TEXT = 2 * 1024 * 1024
_MOST_LIST, _MOST_WORD = 100, 200
_TEXT, _WHOLE, _LIST = "string", "integer", "array"


@dataclass(frozen=True, slots=True)
class Field:
    """One argument. `type`: string, integer, or array of strings."""

    text: str
    type: str = _TEXT
    is_required: bool = False
    least: int = 0
    most: int = 2**31 - 1

    def schema(self) -> Json:
        """Its JSON Schema."""
        found: Json = {"type": self.type, "description": self.text}
        if self.type == _WHOLE:
            found |= {"minimum": self.least, "maximum": self.most}
        return found | ({"items": {"type": "string"}} if self.type == _LIST else {})


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `hints`: as the protocol has them, readOnly, destructive, idempotent."""

    text: str
    fields: Mapping[str, Field]
    run: Callable[[Desk, Json], str]
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False

    @property
    def taken(self) -> dict[str, Field]:
        """The arguments it takes; of what only reads a long answer can be read in parts."""
        return {**self.fields, **(_OFFSET if self.is_read_only else {})}

    def schema(self) -> Json:
        """The JSON Schema of its arguments."""
        fields = self.taken
        return {
            "type": "object",
            "properties": {name: field.schema() for name, field in fields.items()},
            "required": [name for name, field in fields.items() if field.is_required],
            "additionalProperties": False,
        }


_OFFSET = {"offset": Field("lines of the answer to pass over, for the rest of a long one", _WHOLE)}
_CLUSTER = {"cluster": Field("the name of a cluster, as list_clusters tells it", is_required=True)}
_MANIFESTS = Field("manifests of Kubernetes, as YAML or JSON")
_UNTIL = (
    "idle (nothing is left to wait for), a duration such as 10m, or a condition: deployment/web Available"
)


def _look(desk: Desk, given: Json) -> str:
    line = read_line(given["command"])
    is_told = line.verb == "rollout" and line.words[:1] in (("status",), ("history",))
    if line.verb not in READING and not is_told:
        raise Refused(f"look only reads: {', '.join(READING)}, rollout status, rollout history; see `change`")
    return desk.look(given["cluster"], given["command"])


def _change(desk: Desk, given: Json) -> str:
    line = read_line(given["command"])
    if line.verb in (*READING, "wait") or line.words[:1] in (("status",), ("history",)):
        raise Refused("change only writes; see `look`, and `run_until` to let time pass")
    return desk.change(given["cluster"], given["command"], given.get("manifests", ""))


def _try(desk: Desk, given: Json) -> str:
    command, manifests = given.get("command", ""), given.get("manifests", "")
    if not command and not manifests:
        raise Refused("say what to try: a command such as `scale deployment/web --replicas=5`, or manifests")
    return desk.try_change(given["cluster"], command or "apply -f -", manifests, given.get("span") or "15m")


def _create(desk: Desk, given: Json) -> str:
    settings: Json = {name: given[name] for name in ("nodes", "seed", "kubernetes") if name in given}
    return desk.create(given["name"], given.get("manifests", ""), given.get("until") or "idle", settings)


TOOLS: Mapping[str, Tool] = {
    "list_clusters": Tool(
        "List the simulated clusters that there are.",
        {},
        lambda desk, given: desk.list_clusters(),
        is_read_only=True,
        is_idempotent=True,
    ),
    "create_cluster": Tool(
        "Make a simulated Kubernetes cluster, apply manifests to it and let virtual time pass. It costs"
        " nothing and touches no real cluster. Tells how every workload is in the end.",
        {
            "name": Field("a name for it, a DNS label such as shop", is_required=True),
            "manifests": _MANIFESTS,
            "until": Field(f"how far to run: {_UNTIL}; idle if left out"),
            "nodes": Field("nodes of 4 CPU and 8 GiB; 3 if left out", _WHOLE, most=200),
            "seed": Field("what chance is drawn from; 1 if left out", _WHOLE),
            "kubernetes": Field("the release to model, such as v1.36"),
        },
        _create,
    ),
    "look": Tool(
        "Look at a cluster as kubectl shows it: get pods -A -o wide, describe pod web-0, events -n shop,"
        " logs web-0 --previous, get deployment web -o yaml, rollout history deployment/web.",
        {**_CLUSTER, "command": Field("the command line, without kubectl", is_required=True)},
        _look,
        is_read_only=True,
        is_idempotent=True,
    ),
    "verdict": Tool(
        "How every workload of a cluster is, in a sentence each, with what is wrong where one is unwell.",
        _CLUSTER,
        lambda desk, given: desk.verdict(given["cluster"]),
        is_read_only=True,
        is_idempotent=True,
    ),
    "why": Tool(
        "Why a workload, pod or other object is as it is: what is said of it, and the chain of causes that"
        " led to what happened to it last, from its root on.",
        {
            **_CLUSTER,
            "object": Field("such as deployment/web, or pod/web-0 -n shop", is_required=True),
        },
        lambda desk, given: desk.why(given["cluster"], given["object"]),
        is_read_only=True,
        is_idempotent=True,
    ),
    "try_change": Tool(
        "What a change would do, before it is made: it is made in a copy that goes as soon as it is told how"
        " it ended, how few pods were available, and what got into trouble. The cluster stays as it is.",
        {
            **_CLUSTER,
            "command": Field("kubectl's words for it, such as set image deployment/web app=web:2"),
            "manifests": Field("manifests to apply instead, or what `-f -` of the command reads"),
            "span": Field("how long to follow it at most, such as 15m"),
        },
        _try,
        is_read_only=True,
        is_idempotent=True,
    ),
    "apply": Tool(
        "Apply manifests to a cluster, as kubectl apply does. No time passes: run_until lets it pass.",
        {**_CLUSTER, "manifests": Field(_MANIFESTS.text, is_required=True)},
        lambda desk, given: desk.change(given["cluster"], "apply -f -", given["manifests"]),
        is_destructive=True,
        is_idempotent=True,
    ),
    "change": Tool(
        "Change a cluster by kubectl's words: scale, set image|env|resources,"
        " rollout undo|restart|pause|resume, patch, delete,"
        " label, annotate, cordon, uncordon, drain, taint. No time passes: see run_until.",
        {
            **_CLUSTER,
            "command": Field("the command line, without kubectl", is_required=True),
            "manifests": Field("what `-f -` reads"),
        },
        _change,
        is_destructive=True,
    ),
    "run_until": Tool(
        "Let virtual time pass, as fast as it goes, and tell how everything stands then.",
        {
            **_CLUSTER,
            "until": Field(f"{_UNTIL}; idle if left out"),
            "limit": Field("how much time may pass at most for a condition, such as 1h; 1h if left out"),
        },
        lambda desk, given: desk.run_until(
            given["cluster"], given.get("until") or "idle", given.get("limit") or "1h"
        ),
    ),
    "fork": Tool(
        "Make another cluster with the same past, which goes on by itself: for two ways beside each other.",
        {**_CLUSTER, "name": Field("a name for the fork", is_required=True)},
        lambda desk, given: desk.fork(given["cluster"], given["name"]),
    ),
    "undo": Tool(
        "Go back to before the last change. On a server, where others may watch, that is a fork from there.",
        _CLUSTER,
        lambda desk, given: desk.undo(given["cluster"]),
        is_destructive=True,
    ),
    "check": Tool(
        "Live through what may befall a cluster, each in a copy: rollouts of bad images, drains, lost nodes,"
        " deletions and more. Tells what does not hold, why, and what would help.",
        {
            **_CLUSTER,
            "ordeals": Field("names such as node-crash or rollout-crashing; all if left out", _LIST),
            "seeds": Field("futures of each; 1 if left out", _WHOLE, least=1, most=50),
        },
        lambda desk, given: desk.check(given["cluster"], given.get("ordeals") or (), given.get("seeds") or 1),
    ),
    "compare": Tool(
        "What two clusters have otherwise, and how the workloads of each are: a fork and its parent, say.",
        {**_CLUSTER, "other": Field("the name of the other one", is_required=True)},
        lambda desk, given: desk.compare(given["cluster"], given["other"]),
        is_read_only=True,
        is_idempotent=True,
    ),
    "delete_cluster": Tool(
        "Take a cluster away with all it holds.",
        _CLUSTER,
        lambda desk, given: desk.delete(given["cluster"]),
        is_destructive=True,
    ),
}


def call(desk: Desk, name: str, arguments: Any) -> str:
    """Run one tool; its answer. Raises Refused, or another ValueError or LookupError, in words."""
    tool = TOOLS.get(name)
    if tool is None:
        raise Refused(f"there is no tool {name[:60]!r}; there are {', '.join(TOOLS)}")
    given = _check(tool, {} if arguments is None else arguments)
    offset = given.pop("offset", 0)
    return bound(tool.run(desk, given), offset)


def _check(tool: Tool, arguments: Any) -> Json:
    """The arguments, each as its field wants it. Raises Refused."""
    fields = tool.taken
    if not isinstance(arguments, dict):
        raise Refused(f"arguments: use an object with {', '.join(fields) or 'nothing in it'}")
    for name in arguments:
        if name not in fields:
            known = ", ".join(fields) or "none"
            raise Refused(f"{str(name)[:60]!r}: there is no such argument; there are {known}")
    given = {name: value for name, value in arguments.items() if value is not None}
    for name, field in fields.items():
        if name not in given:
            if field.is_required:
                raise Refused(f"{name} is missing: {field.text}")
        elif problem := _find_problem(field, given[name]):
            raise Refused(f"{name}: {problem}: {field.text}")
    return given


def _find_problem(field: Field, value: Any) -> str:
    """What is wrong with a value; "" for nothing."""
    if field.type == _WHOLE:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        fits = is_whole and field.least <= value <= field.most
        return "" if fits else f"use a whole number from {field.least} to {field.most:,}"
    if field.type == _LIST:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            return "use a list of texts"
        is_long = len(value) > _MOST_LIST or any(len(one) > _MOST_WORD for one in value)
        return f"use {_MOST_LIST} texts of {_MOST_WORD} letters at most" if is_long else ""
    if not isinstance(value, str):
        return "use a text"
    if len(value) > MOST_TEXT:
        return f"{len(value):,} letters are more than {MOST_TEXT:,}, which is the most"
    if "\0" in value or not _is_unicode(value):
        return "a NUL and half a surrogate pair are no text"
    return ""


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
