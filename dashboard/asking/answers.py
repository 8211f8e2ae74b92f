"""Requests from pages become commands; what came of them becomes answers a page can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.asking.done_words import tell_done
from dashboard.asking.manifest_reports import Report
from dashboard.live.catch_up import read_head
from lifecycle.input.manifests import name_object
from lifecycle.input.problems import Problem
from lifecycle.models import Cluster
from lifecycle.runs import inbox
from lifecycle.runs.inbox import Refused, User

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """One thing to tell: which object, where in it, what is wrong or was done, what would be right."""

    is_good: bool
    subject: str
    message: str
    path: str = ""
    place: str = ""
    remedy: str = ""
    source: str = ""
    """The file it stands in."""
    is_warning: bool = False
    line: int | None = None
    """Of a text that was pasted, not of a file: the line that can be gone to."""


def apply(cluster: Cluster, report: Report, user: User, profiles: Sequence[Json] = ()) -> list[Answer]:
    """Every object that is right becomes one `apply`, in order, after what they need and nobody gave."""
    objects = [*profiles, *list_objects(report)]
    return send(cluster, [("apply", {"object": one}, name_object(one)) for one in objects], user)


def list_objects(report: Report) -> list[Json]:
    """What is applied, in order."""
    return [*report.added, *(document.data for document in report.documents)]


def send(cluster: Cluster, commands: list[tuple[str, Json, str]], user: User) -> list[Answer]:
    """Append (kind, payload, subject) in order, all or none, then wait for the results."""
    known = read_version(cluster)
    try:
        sent = inbox.append_all(cluster, [(kind, payload) for kind, payload, _subject in commands], user)
    except Refused as refused:
        return [Answer(False, cluster.name, str(refused))]
    return [
        answer
        for result, command in zip(inbox.wait_for_results(sent), commands, strict=True)
        for answer in answer_result(cluster, result, command, known)
    ]


def read_version(cluster: Cluster) -> int:
    """The version that the cluster's objects have come to."""
    head = read_head(cluster)
    return head.rv if head else 0


def answer_problem(problem: Problem) -> Answer:
    """What is wrong with something given, and where it stands."""
    places = [
        f"document {problem.document}" if problem.document else "",
        f"line {problem.line}" if problem.line else "",
    ]
    place = ", ".join(place for place in places if place)
    return Answer(
        False,
        problem.subject,
        problem.message,
        problem.path,
        place,
        problem.remedy,
        problem.source,
        line=None if problem.source else problem.line,
    )


def answer_result(
    cluster: Cluster, result: Json | None, sent: tuple[str, Json, str], known: int
) -> Iterator[Answer]:
    """One answer for each cause of a refusal, warnings beside a success.

    `known`: the version before, which only a success asks for.
    """
    kind, asked, subject = sent
    if result is None:
        yield Answer(False, subject, "No answer within 10 seconds; the command waits in the inbox.")
        return
    if result["code"] >= 400:
        yield from _answer_status(result.get("status") or {}, subject)
        return
    yield Answer(True, subject, tell_done(cluster, kind, asked, result, known))
    for warning in result.get("warnings") or ():
        yield Answer(True, subject, f"Warning: {warning}", is_warning=True)


def _answer_status(status: Json, subject: str) -> Iterator[Answer]:
    causes = (status.get("details") or {}).get("causes") or ()
    for cause in causes:
        yield Answer(False, subject, cause.get("message", ""), cause.get("field", ""))
    if not causes:
        yield Answer(False, subject, status.get("message") or "refused")
