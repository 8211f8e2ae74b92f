"""The stylesheet of colours."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET

from dashboard.plots.phases import VALUES
from dashboard.plots.requests import REQUEST_TONES
from dashboard.plots.theme import REVISIONS, css_rule
from lifecycle.simulation.reports.tones import STATES


@require_GET
@cache_control(max_age=3600, public=True)
def palette(request: HttpRequest) -> HttpResponse:
    """The colours of pod states for the stylesheet, from the one place that knows them."""
    rules = [css_rule(tone) for tone in (*STATES, *VALUES, *REQUEST_TONES)]
    rules += [f".tone-revision-{turn} {{ --tone: {colour}; }}" for turn, colour in enumerate(REVISIONS)]
    return HttpResponse("\n".join(rules) + "\n", content_type="text/css; charset=utf-8")
