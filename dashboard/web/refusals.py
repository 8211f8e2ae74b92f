"""What a page answers to somebody who has, or does, more than one user may."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from dashboard.asking.answers import Answer
from dashboard.pages.parts import show_answers
from lifecycle.limits import Exceeded


class AnswerExceeded(MiddlewareMixin):
    """403 or 429 with the limit's own words, below the form that asked where there is one."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Nothing of any other exception."""
        if not isinstance(exception, Exceeded):
            return None
        text = f"{str(exception)[:1].upper()}{str(exception)[1:]}."
        if getattr(request, "htmx", False):
            response = show_answers(request, [Answer(False, "", text)])
            response.status_code = exception.code
        else:
            response = HttpResponse(f"{text}\n", status=exception.code, content_type="text/plain")
        if exception.seconds:
            response["Retry-After"] = str(exception.seconds)
        return response
