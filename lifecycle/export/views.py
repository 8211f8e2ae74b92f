"""The REST export: clusters, their histories, objects and logs. Read only, streamed, for whoever may look."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from django.conf import settings
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from drf_spectacular.utils import extend_schema
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import Throttled, ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from lifecycle import limits
from lifecycle.access import get_cluster_or_404
from lifecycle.export import documents
from lifecycle.export.authentication import BearerAuthentication
from lifecycle.export.filters import (
    EVENT_FILTERS,
    LOG_FILTERS,
    OBJECT_FILTERS,
    TRANSITION_FILTERS,
    check_names,
    parse_count,
    read_values,
    select_range,
    select_stored,
    select_subjects,
)
from lifecycle.export.formats import (
    CsvRenderer,
    FormatNegotiation,
    NdjsonRenderer,
    TextRenderer,
    stream,
)
from lifecycle.export.logs import find_log
from lifecycle.export.requests import REQUESTS, add_requests
from lifecycle.reads import virtual_now_ms
from lifecycle.recorded.perfetto import write_trace
from lifecycle.sources import EVENTS, OBJECTS, SUMMARIES, TRANSITIONS, Cursor, Source
from lifecycle.writers import WRITERS, Pages

# Who has as many exports as one may have need not look for a free place more often.
RETRY_SECONDS = 2


class ExportView(APIView):
    """What all answers share: who may ask, and in which format."""

    http_method_names: Sequence[str] = ("get", "head", "options")
    authentication_classes = (BearerAuthentication, SessionAuthentication)
    permission_classes = (IsAuthenticated,)
    content_negotiation_class = FormatNegotiation
    renderer_classes: Sequence[type[BaseRenderer]] = (JSONRenderer,)
    parameters: ClassVar[list[str]] = []

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        check_names(request.query_params, [*self.parameters, "format"])

    def finalize_response(self, request: Any, response: Any, *args: object, **kwargs: object) -> Any:
        """A refusal is JSON, whatever was asked for."""
        finished = super().finalize_response(request, response, *args, **kwargs)
        if isinstance(finished, Response) and finished.status_code >= 400:
            finished.accepted_renderer, finished.accepted_media_type = JSONRenderer(), "application/json"
        return finished


class Root(ExportView):
    """Where to go from here."""

    @extend_schema(responses=documents.ROOT)
    def get(self, request: Request) -> Response:
        names = {"clusters": "cluster-list", "schema": "schema", "docs": "docs"}
        return Response({name: reverse(f"export:{route}", request=request) for name, route in names.items()})


class StreamedView(ExportView):
    """Rows of one cluster as JSON, NDJSON or CSV."""

    renderer_classes: Sequence[type[BaseRenderer]] = (JSONRenderer, NdjsonRenderer, CsvRenderer)

    @classmethod
    def stream(cls, request: Request, keys: list[str], pages: Pages, cursor: Cursor) -> HttpResponseBase:
        write = WRITERS[request.accepted_renderer.format]
        return cls.hand_out(request, lambda: write(pages, keys, cursor))

    @staticmethod
    def hand_out(request: Request, write: Callable[[], Iterator[bytes]]) -> HttpResponseBase:
        """What is written, as long as the user has a place for it."""
        user_id, most = request.user.pk or 0, settings.MAX_EXPORTS
        if limits.exports.is_full(user_id, most):
            raise Throttled(
                wait=RETRY_SECONDS,
                detail=f"You have {most} exports at once, which is the most: wait for one to end.",
            )
        response = stream(request, write())
        response._resource_closers.append(limits.exports.take(user_id, response))  # type: ignore[attr-defined]
        return response


class History(StreamedView):
    """Rows in the order they happened, up to the instant that is recorded."""

    source: ClassVar[Source]

    def rows(self, request: Request, cluster: str) -> HttpResponseBase:
        found = get_cluster_or_404(request.user, cluster)
        subjects = select_subjects(self.source.model._default_manager.all(), request.query_params, found)
        limits = read_values(request.query_params, "limit", parse_count)
        rows, after = select_range(subjects, request.query_params, found)
        cursor = Cursor(found.seq)
        # A cell of a table is more than JSON.
        as_written = request.accepted_renderer.format != "csv"
        pages = self.source.walk(rows, cursor, max(limits, default=None), after, as_written)
        return self.stream(request, self.source.keys, pages, cursor)


class Transitions(History):
    """What changed, when, and what led to it."""

    source = TRANSITIONS
    parameters = TRANSITION_FILTERS

    @extend_schema(parameters=documents.parameters(TRANSITION_FILTERS), responses=documents.TRANSITIONS_ROWS)
    def get(self, request: Request, cluster: str) -> HttpResponseBase:
        return self.rows(request, cluster)


class Events(History):
    """The Kubernetes Events that the components emitted."""

    source = EVENTS
    parameters = EVENT_FILTERS

    @extend_schema(parameters=documents.parameters(EVENT_FILTERS), responses=documents.EVENTS_ROWS)
    def get(self, request: Request, cluster: str) -> HttpResponseBase:
        return self.rows(request, cluster)


class Trace(StreamedView):
    """The run as Chrome's trace events, which Perfetto opens: workloads, pods, containers, events."""

    renderer_classes = (JSONRenderer,)

    @extend_schema(responses=documents.TRACE)
    def get(self, request: Request, cluster: str) -> HttpResponseBase:
        found = get_cluster_or_404(request.user, cluster)
        response = self.hand_out(request, lambda: write_trace(found, virtual_now_ms(found)))
        name = content_disposition_header(True, f"{found.shown_name}.trace.json")
        response.headers["Content-Disposition"] = name or "attachment"
        return response


class Objects(StreamedView):
    """Objects as they are now; `view=summary` gives a line for each, those already deleted included."""

    parameters = OBJECT_FILTERS

    @extend_schema(parameters=documents.parameters(OBJECT_FILTERS), responses=documents.SUMMARIES_ROWS)
    def get(self, request: Request, cluster: str) -> HttpResponseBase:
        found = get_cluster_or_404(request.user, cluster)
        is_summary = self.is_summary(request)
        rows = select_stored(request.query_params, found, with_deleted=is_summary)
        if not is_summary:
            return self.stream(request, OBJECTS.keys, OBJECTS.walk(rows), Cursor(found.rv))
        pages = add_requests(SUMMARIES.walk(rows), found)
        return self.stream(request, [*SUMMARIES.keys, REQUESTS], pages, Cursor(found.rv))

    @staticmethod
    def is_summary(request: Request) -> bool:
        view = request.query_params.get("view", "full")
        if view not in {"full", "summary"}:
            raise ValidationError({"view": [f"{view!r}: use full or summary"]})
        # A spreadsheet has columns, not objects.
        return view == "summary" or request.accepted_renderer.format == "csv"


class Logs(ExportView):
    """The last 64 KiB that a container wrote, in its current or its previous run."""

    renderer_classes = (TextRenderer, JSONRenderer)
    parameters = LOG_FILTERS

    @extend_schema(parameters=documents.parameters(LOG_FILTERS), responses=documents.LOG)
    def get(self, request: Request, cluster: str) -> Response:
        found = get_cluster_or_404(request.user, cluster)
        return Response(find_log(found, request.query_params))
