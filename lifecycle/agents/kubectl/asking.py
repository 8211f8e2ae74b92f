"""One command line, read and answered: a text, changes that are to be made, or something to wait for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lifecycle.agents.kubectl import showing
from lifecycle.agents.kubectl.changing import Change, list_changes
from lifecycle.agents.kubectl.views import View
from lifecycle.agents.kubectl.words import Line, Misread, read_line, read_targets
from lifecycle.agents.manifests import read_manifests
from lifecycle.engine import Cluster as Engine
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.objects.kinds import Kind
from lifecycle.lean_dataclasses import dataclass
from lifecycle.verdicts import judge_rollout

ROLLOUT_MS, WAIT_MS = 10 * 60_000, 30_000
"""So long `rollout status` waits where no timeout is given, and `wait`."""
_SHOWN: dict[str, Callable[[View, Line], str]] = {
    "get": showing.get,
    "describe": showing.describe,
    "logs": showing.read_log,
    "events": showing.tell_events,
}
_ROLLOUTS = ("status", "history", "undo", "restart", "pause", "resume")


@dataclass(frozen=True, slots=True)
class Wait:
    """Something to wait for. `tell`: what is said in the end, of an engine at which it holds or does not."""

    is_over: Callable[[Engine], bool]
    tell: Callable[[Engine], str]
    limit_ms: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What a line came to: `text` to show, or `changes` to make, or a `wait`."""

    text: str = ""
    changes: tuple[Change, ...] = ()
    wait: Wait | None = None


def ask(view: View, command: str, given: str = "") -> Reply:
    """Carry a command line out on what is at hand. `given`: what `-f -` reads. Raises Misread."""
    line = read_line(command)
    if line.verb in _SHOWN:
        return Reply(_SHOWN[line.verb](view, line))
    if line.verb in ("apply", "create", "replace"):
        return Reply(changes=tuple(_read_files(view, line, given)))
    if line.verb == "wait":
        return Reply(wait=_wait(view, line))
    if line.verb == "rollout":
        return _roll(view, line)
    return Reply(changes=tuple(list_changes(view, line)))


def _read_files(view: View, line: Line, given: str) -> list[Change]:
    if line.flags.get("--filename") != "-" or line.words:
        raise Misread(
            f"error: write {line.verb} -f -, with the manifests beside the command: no file is read"
        )
    done = {"apply": "configured", "create": "created", "replace": "replaced"}[line.verb]
    changes = []
    for data in read_manifests(given, view.engine, line.namespace):
        kind, name = kind_of_json(data), data["metadata"]["name"]
        if not view.shows(kind):
            raise showing.refuse_kind(kind)
        subject = f"{showing.name_kind(kind)}/{name}"
        changes.append(Change(line.verb, {"object": data}, f"{subject} {done}", f"{subject} created"))
    return changes


def _roll(view: View, line: Line) -> Reply:
    action = line.words[0] if line.words else ""
    if action not in _ROLLOUTS:
        raise Misread(f"error: `rollout` knows {', '.join(_ROLLOUTS)}")
    if action not in ("status", "history"):
        return Reply(changes=tuple(list_changes(view, line)))
    kind, name = read_targets(line.words[1:])[0]
    data = showing.need(view, kind, line.namespace, name)
    if judge_rollout(kind.id, data) is None:
        raise Misread(f"error: no rollout of {showing.name_kind(kind)}/{name} can be followed")
    if action == "history":
        return Reply(showing.tell_history(view, kind, data))

    def judge(engine: Engine) -> Any:
        found = engine.get(kind.id, line.namespace, name)
        return None if found is None else judge_rollout(kind.id, found)

    def is_over(engine: Engine) -> bool:
        status = judge(engine)
        return status is None or status.is_done or status.has_failed

    def tell(engine: Engine) -> str:
        status = judge(engine)
        if status is None:
            return f'Error from server (NotFound): {kind.resource} "{name}" not found'
        return (
            status.text if is_over(engine) else f"{status.text}\nerror: timed out waiting for the condition"
        )

    return Reply(wait=Wait(is_over, tell, _read_timeout(line, ROLLOUT_MS)))


def _read_timeout(line: Line, otherwise_ms: int) -> int:
    from lifecycle.engine.heart.timing import parse_milliseconds

    text = line.flags.get("--timeout")
    try:
        return otherwise_ms if text is None else max(0, min(parse_milliseconds(text), 24 * 3_600_000))
    except ValueError:
        raise Misread(
            f'error: invalid argument "{str(text)[:40]}" for "--timeout": write 90s or 10m'
        ) from None


def _wait(view: View, line: Line) -> Wait:
    """`wait deployment/web --for=condition=Available`, `--for=delete`. Raises Misread."""
    asked = line.flags.get("--for", "")
    how, _, rest = asked.partition("=")
    if how not in ("condition", "delete", "create") or (how == "condition" and not rest):
        raise Misread("error: write --for=condition=Available, --for=create or --for=delete")
    targets = read_targets(line.words)
    if how == "condition":
        for kind, name in targets:
            showing.need(view, kind, line.namespace, name)
    wanted, _, value = rest.partition("=")

    def holds(engine: Engine, kind: Kind, name: str) -> bool:
        found = engine.get(kind.id, line.namespace if kind.namespaced else None, name)
        if how != "condition":
            return (found is None) == (how == "delete")
        conditions = ((found or {}).get("status") or {}).get("conditions") or ()
        return any(
            one["type"].lower() == wanted.lower() and one["status"].lower() == (value or "true").lower()
            for one in conditions
        )

    def is_over(engine: Engine) -> bool:
        return all(holds(engine, kind, name) for kind, name in targets)

    def tell(engine: Engine) -> str:
        return "\n".join(
            _tell_waited(engine, kind, name, holds(engine, kind, name)) for kind, name in targets
        )

    return Wait(is_over, tell, _read_timeout(line, WAIT_MS))


def _tell_waited(engine: Engine, kind: Kind, name: str, is_met: bool) -> str:
    subject = f"{showing.name_kind(kind)}/{name}"
    return (
        f"{subject} condition met" if is_met else f"error: timed out waiting for the condition on {subject}"
    )


def find_changed(changes: Sequence[Change]) -> list[tuple[str, dict[str, Any]]]:
    """Changes as the commands that they are."""
    return [(one.kind, one.payload) for one in changes]
