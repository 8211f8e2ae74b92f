"""What would help a workload: tried on copies of the cluster when somebody asks, and done by a click."""

from __future__ import annotations

import time
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.asking import answers
from dashboard.asking.answers import Answer
from dashboard.asking.cures import (
    NOBODY_PLANNED,
    Offer,
    can_be_cured,
    find_cure_named,
    make_deadline,
    offer_cures,
)
from dashboard.live.live_figures import tell_time
from dashboard.pages.parts import show_answers
from dashboard.pages.service.cures import OUT_OF_DATE, REMEDY
from lifecycle import limits
from lifecycle.engine.kinds.entry import KindEntry
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.requests import list_services_of
from lifecycle.recorded.seen import see_workload
from lifecycle.remedies import list_remedies, try_remedies
from lifecycle.runs.ahead import run_ahead
from lifecycle.runs.checkpoints import Unreadable

MOST_SERVICES = 3
_MOST_CPU_SECONDS = 4.0
_NOTHING = "Of the changes that were tried none makes it whole within 15 minutes"


def answer_help(
    request: HttpRequest, cluster: Cluster, entry: KindEntry, stored: StoredObject
) -> HttpResponse:
    """The changes that help, each with its outcome and a button; or one of them is made."""
    subject = f"{entry.kind.name} {stored.namespace}/{stored.name}"
    seen = see_workload(cluster, stored, tell_time(cluster)["at_ms"])
    seen = seen._replace(data={"kind": entry.kind.name, **seen.data})
    if request.POST["action"] == REMEDY:
        # What is asked for is read from what is seen, by its words alone.
        change = request.POST.get("change")
        chosen = next((one.orders for one in list_remedies(seen) if one.change == change), ())
        cured = [stored] if can_be_cured(stored) else []
        orders = chosen or find_cure_named(list_services_of(cluster, stored), cured, change)
        if not orders:
            return show_answers(request, [Answer(False, subject, OUT_OF_DATE)])
        asked = [(kind, payload, subject) for kind, payload in orders]
        return show_answers(request, answers.send(cluster, asked, request.user))
    try:
        with limits.preview(request.user):
            engine = run_ahead(cluster, span_ms=0).engine
            deadline = time.thread_time() + _MOST_CPU_SECONDS
            tried = try_remedies(engine, seen, lambda: time.thread_time() > deadline)
            offers = _offer_cures(cluster, stored)
    except Unreadable as problem:
        return show_answers(request, [Answer(False, subject, str(problem))])
    tried += [one for offer in offers for one in offer.tried]
    whys = [offer.why for offer in offers if offer.why] or ([] if tried else [_NOTHING])
    context: dict[str, Any] = {"tried": tried, "whys": whys, "subject": subject}
    return render(
        request, "workload/_remedies.html", context | {"change_url": request.path, "action": REMEDY}
    )


def _offer_cures(cluster: Cluster, stored: StoredObject) -> list[Offer]:
    """What would have kept requests to each Service of its pods that lost any by a change."""
    if not can_be_cured(stored):
        return []
    services, is_late = list_services_of(cluster, stored)[:MOST_SERVICES], make_deadline()
    offers = [offer_cures(cluster, one, [stored], is_late) for one in services]
    return [one for one in offers if one.why != NOBODY_PLANNED]
