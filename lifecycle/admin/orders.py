"""Sending a command and saying what came of it, in words for a person at a form."""

from dataclasses import dataclass, field
from typing import Any

from lifecycle import limits
from lifecycle.access import User
from lifecycle.input.problems import Problem
from lifecycle.models import StoredObject
from lifecycle.stored_kinds import kind_of_stored


@dataclass
class Outcome:
    """What the cluster answered: `problems` is empty when it did as asked."""

    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def order(kind: str, payload: dict[str, Any], stored: StoredObject, user: User) -> Outcome:
    """Send a command to the object's cluster and wait for its result."""
    # Here, because every manage.py command loads the admin and few need the engine behind the inbox.
    from lifecycle.runs import inbox

    try:
        command = inbox.append(stored.cluster, kind, name_target(stored) | payload, user)
    except (inbox.Refused, limits.Exceeded) as refusal:
        return Outcome([Problem(str(refusal))])
    result = inbox.wait_for_result(command)
    if result is None:
        return Outcome([Problem(f"There is no answer yet. The command {command.pk} waits in the inbox.")])
    return Outcome(read_problems(result), list(result.get("warnings") or []))


def name_target(stored: StoredObject) -> dict[str, Any]:
    """The object as a command names it; outside namespaces it has none."""
    return {"kind": kind_of_stored(stored), "namespace": stored.namespace, "name": stored.name}


def read_problems(result: dict[str, Any]) -> list[Problem]:
    """The causes of a Kubernetes Status, each with its field; empty when the result is a success."""
    if result["code"] < 400:
        return []
    status = result.get("status") or {}
    causes = (status.get("details") or {}).get("causes") or []
    named = [Problem(cause.get("message", ""), path=cause["field"]) for cause in causes if cause.get("field")]
    return named or [Problem(status.get("message") or f"The cluster refused, with code {result['code']}.")]
