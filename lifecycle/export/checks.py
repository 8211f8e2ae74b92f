"""Checks of a cluster over REST: asked for, followed, read, cancelled."""

from typing import Any
from uuid import UUID

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from lifecycle.access import Verb, get_cluster_or_404
from lifecycle.export import documents
from lifecycle.export.clusters import WritingView
from lifecycle.export.views import ExportView
from lifecycle.models import Check, Cluster
from lifecycle.runs.checks.asking import MOST_SEEDS, ask, cancel

CHECK = OpenApiParameter(
    "check", OpenApiTypes.UUID, OpenApiParameter.PATH, description="the id that asking for it gave"
)
NAMES = ("ordeals", "seeds")


class AskSerializer(serializers.Serializer[Any]):
    """What a check may be asked for with."""

    ordeals = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="names; left out or empty: all"
    )
    seeds = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_SEEDS, help_text="futures of each ordeal; 1 if left out"
    )


class CheckSerializer(serializers.ModelSerializer[Check]):
    """A check: what was asked, how far it is, on which instant it stands."""

    user = serializers.CharField(source="user.get_username")

    class Meta:
        model = Check
        fields: tuple[str, ...] = (
            *("id", "user", "state", "problem", "ordeals", "seeds", "total", "done", "at_ms"),
            *("engine_version", "created_at", "ended_at"),
        )


class WholeCheckSerializer(CheckSerializer):
    """With its report, of the shape of `podline check --output json`, empty until it is done."""

    report = serializers.JSONField(help_text="as podline check --output json prints it; {} until it is done")
    remarks = serializers.JSONField(help_text="what was not tried and why, what the figures rest on")

    class Meta(CheckSerializer.Meta):
        fields = (*CheckSerializer.Meta.fields, "report", "remarks")


class CheckList(WritingView):
    """The checks of a cluster, the newest first. POST asks for one of the cluster as it is now."""

    http_method_names = ("get", "head", "options", "post")

    @extend_schema(parameters=[documents.CLUSTER], responses=CheckSerializer(many=True))
    def get(self, request: Request, cluster: str) -> Response:
        found = get_cluster_or_404(request.user, cluster)
        checks = found.checks.select_related("user").defer("base", "report", "card")
        return Response(CheckSerializer(checks, many=True).data)

    @extend_schema(parameters=[documents.CLUSTER], request=AskSerializer, responses={201: CheckSerializer})
    def post(self, request: Request, cluster: str) -> Response:
        found = get_cluster_or_404(request.user, cluster, Verb.RUN)
        ordeals, seeds = _read(request.data)
        made = ask(found, request.user, ordeals, seeds)
        return Response(CheckSerializer(made).data, 201)


def _read(data: Any) -> tuple[list[str], Any]:
    """What was asked for. Raises ValidationError."""
    if not isinstance(data, dict):
        raise ParseError('send a JSON object, such as {"ordeals": ["node-crash"], "seeds": 5}')
    if unknown := [name for name in data if name not in NAMES]:
        raise ValidationError({str(unknown[0])[:40]: [f"there is no such field: use {', '.join(NAMES)}"]})
    ordeals = data.get("ordeals") or []
    if not isinstance(ordeals, list) or not all(isinstance(one, str) for one in ordeals):
        raise ValidationError({"ordeals": ["use a list of names; without it all are tried"]})
    return ordeals, data.get("seeds", 1)


class CheckDetail(ExportView):
    """One check with its report. DELETE cancels one that goes on, and forgets one that has ended."""

    http_method_names = ("get", "head", "options", "delete")

    @extend_schema(parameters=[documents.CLUSTER, CHECK], responses=WholeCheckSerializer)
    def get(self, request: Request, cluster: str, check: UUID) -> Response:
        found = _find(get_cluster_or_404(request.user, cluster), check)
        return Response(WholeCheckSerializer(found).data)

    @extend_schema(parameters=[documents.CLUSTER, CHECK], responses={200: CheckSerializer, 204: None})
    def delete(self, request: Request, cluster: str, check: UUID) -> Response:
        found = _find(get_cluster_or_404(request.user, cluster, Verb.RUN), check)
        if cancel(found):
            return Response(CheckSerializer(found).data)
        found.delete()
        return Response(status=204)


def _find(cluster: Cluster, check: UUID) -> Check:
    found = cluster.checks.select_related("user", "cluster").defer("base").filter(pk=check).first()
    if found is None:
        raise Http404(f"There is no check {check} of the cluster {cluster.name}.")
    return found
