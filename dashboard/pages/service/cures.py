"""What would have kept requests to a Service: offered on its page, and done by a click."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.asking import answers
from dashboard.asking.answers import Answer
from dashboard.asking.cures import find_cure_named, list_behind, make_deadline, offer_cures
from dashboard.pages.parts import show_answers
from lifecycle import limits
from lifecycle.models import Cluster, StoredObject

HELP, REMEDY = "help", "remedy"
OUT_OF_DATE = "That is out of date: ask again"


def answer_help(request: HttpRequest, cluster: Cluster, service: StoredObject) -> HttpResponse:
    """The cures that help, each with its outcome and a button; or one of them is made."""
    subject, behind = f"Service {service.namespace}/{service.name}", list_behind(cluster, service)
    if request.POST.get("action") == REMEDY:
        orders = find_cure_named([service], behind, request.POST.get("change"))
        if not orders:
            return show_answers(request, [Answer(False, subject, OUT_OF_DATE)])
        asked = [(kind, payload, subject) for kind, payload in orders]
        return show_answers(request, answers.send(cluster, asked, request.user))
    with limits.preview(request.user):
        offer = offer_cures(cluster, service, behind, make_deadline())
    told = {"tried": offer.tried, "whys": [offer.why] if offer.why else [], "subject": subject}
    return render(request, "workload/_remedies.html", told | {"change_url": request.path, "action": REMEDY})
