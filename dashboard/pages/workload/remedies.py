"""What would help a workload: tried on copies of the cluster when somebody asks, and done by a click."""

from __future__ import annotations

import time
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.asking import answers
from dashboard.asking.answers import Answer
from dashboard.live.live_figures import tell_time
from dashboard.pages.parts import show_answers
from lifecycle import limits
from lifecycle.engine.kinds.entry import KindEntry
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.seen import see_workload
from lifecycle.remedies import list_remedies, try_remedies
from lifecycle.runs.ahead import run_ahead
from lifecycle.runs.checkpoints import Unreadable

HELP, REMEDY = "help", "remedy"
_MOST_CPU_SECONDS = 4.0
_NOTHING = "Of the changes that were tried none makes it whole within 15 minutes."


def answer_help(
    request: HttpRequest, cluster: Cluster, entry: KindEntry, stored: StoredObject
) -> HttpResponse:
    """The changes that help, each with its outcome and a button; or one of them is made."""
    subject = f"{entry.kind.name} {stored.namespace}/{stored.name}"
    seen = see_workload(cluster, stored, tell_time(cluster)["at_ms"])
    seen = seen._replace(data={"kind": entry.kind.name, **seen.data})
    if request.POST["action"] == REMEDY:
        # What is asked for is read from what is seen, by its words alone.
        chosen = next((one for one in list_remedies(seen) if one.change == request.POST.get("change")), None)
        if chosen is None:
            return show_answers(request, [Answer(False, subject, "That is out of date: ask again")])
        asked = [(kind, payload, subject) for kind, payload in chosen.orders]
        return show_answers(request, answers.send(cluster, asked, request.user))
    try:
        with limits.preview(request.user):
            engine = run_ahead(cluster, span_ms=0).engine
            deadline = time.thread_time() + _MOST_CPU_SECONDS
            tried = try_remedies(engine, seen, lambda: time.thread_time() > deadline)
    except Unreadable as problem:
        return show_answers(request, [Answer(False, subject, str(problem))])
    context: dict[str, Any] = {"tried": tried, "nothing": _NOTHING, "subject": subject}
    return render(
        request, "workload/_remedies.html", context | {"change_url": request.path, "action": REMEDY}
    )
