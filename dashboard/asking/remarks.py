"""What was remarked of the manifests of a cluster, whichever way they came in, until somebody dismisses it.

It is read from the commands that brought them: of pages, of the admin, of kubectl alike. What only a reader
of files knows, what it left out, is kept for the one who brought them.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

from dashboard.asking.manifest_reports import MISSING, Section, list_pods, list_remarks
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.programs.told import list_guesses
from lifecycle.models import Cluster, Command, StoredObject
from lifecycle.runs.inbox import is_rehearsal

Json = dict[str, Any]
Session = MutableMapping[str, Any]
GIVING = ("apply", "create", "replace", "patch")
"""The commands that bring objects."""
MOST_COMMANDS = 2_000
"""So many are read, the latest."""
MOST_DISMISSED, MOST_KEPT, MOST_LINES = 2_000, 100, 200
OF_FILES = ("Assumed", "Left out")
"""What the reading of files tells."""
DISMISSED, KEPT = "dismissed-remarks", "remarks-of-files"


def read_remarks(session: Session, cluster: Cluster) -> list[Section]:
    """What is left to be told to the one whose session it is."""
    dismissed = set(session.get(DISMISSED, {}).get(str(cluster.uuid), ()))
    told = [(section.title, section.lines) for section in _work_out(cluster.pk, *_version(cluster))]
    told += session.get(KEPT, {}).get(str(cluster.uuid), ())
    lines: dict[str, dict[str, None]] = {}
    for title, found in told:
        left = [line for line in found[:MOST_LINES] if _mark(title, line) not in dismissed]
        if left:
            lines.setdefault(title, {}).update(dict.fromkeys(left))
    return [Section(title, tuple(found)) for title, found in lines.items()]


def dismiss_remarks(session: Session, cluster: Cluster) -> None:
    """All that is told now is told no more."""
    marks = [
        _mark(section.title, line) for section in read_remarks(session, cluster) for line in section.lines
    ]
    held = session.get(DISMISSED, {})
    known = held.pop(str(cluster.uuid), [])
    held[str(cluster.uuid)] = [*known, *marks][-MOST_DISMISSED:]
    # Of many clusters the latest.
    session[DISMISSED] = dict(list(held.items())[-MOST_KEPT:])


def keep_remarks(session: Session, cluster: Cluster, sections: Sequence[Section]) -> None:
    """What only the reading of files has told."""
    held = session.get(KEPT, {})
    known = held.pop(str(cluster.uuid), [])
    held[str(cluster.uuid)] = [*known, *([one.title, list(one.lines)] for one in sections)][-MOST_KEPT:]
    session[KEPT] = dict(list(held.items())[-MOST_KEPT:])


def _mark(title: str, line: str) -> str:
    return sha256(f"{title}: {line}".encode()).hexdigest()[:12]


def _version(cluster: Cluster) -> tuple[str, int]:
    """Another command may bring other objects."""
    return str(cluster.epoch_id), cluster.inbox_order


@lru_cache(maxsize=64)
def _work_out(pk: int, epoch_id: str, commands: int) -> tuple[Section, ...]:
    cluster = Cluster.objects.get(pk=pk)
    objects = list(_list_given(cluster))
    told = list_remarks(cluster, objects)
    # That is listed by itself, as it stands now.
    told.pop(MISSING)
    told["Assumed"] = list_guesses(*list_pods(cluster, objects))
    return tuple(Section(title, tuple(lines)) for title, lines in told.items() if lines)


def _list_given(cluster: Cluster) -> Iterator[Json]:
    """The objects that somebody brought and that are still there, each as it was given last."""
    commands = cluster.commands.filter(
        kind__in=GIVING, state=Command.State.DONE, result__code__lt=400, order__lte=cluster.inbox_order
    )
    latest: dict[tuple[str, str, str], Json] = {}
    for command in reversed(commands.order_by("-order")[:MOST_COMMANDS]):
        given = _read_given(command.payload)
        if given is None or is_rehearsal(command):
            continue
        meta = given.get("metadata") or {}
        kind = kind_of_json(given)
        namespace = meta.get("namespace") or command.payload.get("namespace") or "default"
        latest[kind.name, namespace if kind.namespaced else "", str(meta.get("name"))] = given
    living = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True)
    names = living.filter(name__in={name for *_, name in latest}).values_list("kind", "namespace", "name")
    there = {(kind, namespace or "", name) for kind, namespace, name in names}
    return (given for key, given in latest.items() if key in there)


def _read_given(payload: Json) -> Json | None:
    """The object of a command, or what it applies on the server's side."""
    given = payload.get("object") or (payload.get("patch") if payload.get("type") == "apply" else None)
    return given if isinstance(given, dict) and given.get("kind") else None
