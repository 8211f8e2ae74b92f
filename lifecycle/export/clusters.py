"""Clusters over REST: made, driven, forked and deleted by whoever may, with a token or a session."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError as Invalid
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response

from lifecycle import kubeconfig, tokens
from lifecycle.access import Verb, clusters_for, get_cluster_or_404, give_address
from lifecycle.engine.public import find_release
from lifecycle.export import documents
from lifecycle.export.views import ExportView
from lifecycle.limits import Exceeded
from lifecycle.models import DNS_LABEL, Cluster
from lifecycle.runs import forks
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.runs.driving import clocks, new_clusters

Json = dict[str, Any]
_SPEED = serializers.JSONField(required=False, help_text="a number from 0.01 to 10,000, or auto")
_STATUS = inline_serializer(
    "ClockStatus",
    {
        "now": serializers.DateTimeField(),
        "atMs": serializers.IntegerField(help_text="virtual milliseconds since the cluster began"),
        "speed": serializers.JSONField(),
        "paused": serializers.BooleanField(help_text="whether time stands"),
        "idle": serializers.BooleanField(help_text="whether only upkeep is left"),
        "reached": serializers.BooleanField(help_text="whether the last run came to what it was asked for"),
    },
)
CLOCK = inline_serializer("Clock", {"spec": serializers.JSONField(), "status": _STATUS})
CHANGE = inline_serializer(
    "ClockChange",
    {
        "speed": _SPEED,
        "paused": serializers.BooleanField(required=False),
        "runUntil": serializers.CharField(
            required=False, help_text="10m, idle, or a condition such as deployment/web Available"
        ),
    },
)
NEW = inline_serializer(
    "NewCluster",
    {
        "name": serializers.CharField(),
        "nodes": serializers.IntegerField(required=False),
        "seed": serializers.IntegerField(required=False),
        "epoch": serializers.DateTimeField(required=False, help_text="when it begins; now, if left out"),
        "timing": serializers.ChoiceField(["realistic", "instant"], required=False),
        "kubernetes": serializers.CharField(required=False),
        "speed": _SPEED,
        "paused": serializers.BooleanField(required=False),
    },
)
FORK = inline_serializer(
    "NewFork",
    {
        "name": serializers.CharField(required=False, help_text="a free one, if left out"),
        "at": serializers.CharField(required=False, help_text=f"{documents.INSTANT}; now, if left out"),
        "kubernetes": serializers.CharField(
            required=False, help_text="the release that it goes on under, such as v1.36; its own, if left out"
        ),
    },
)


class WritingView(ExportView):
    """What those share that change something: bodies of JSON, and refusals in words."""

    parser_classes = (JSONParser,)

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, Exceeded):
            refusal = Response({"detail": str(exc)}, exc.code)
            refusal["Retry-After"] = str(exc.seconds)
            return refusal
        if isinstance(exc, Invalid):
            told: Any = exc.message_dict if hasattr(exc, "error_dict") else {"detail": " ".join(exc.messages)}
            exc = ValidationError(told)
        return super().handle_exception(exc)


def read_fields(request: Request, names: tuple[str, ...], example: str) -> Json:
    """The fields of a body. Raises ParseError, Invalid."""
    data = request.data
    if not isinstance(data, dict):
        raise ParseError(f"send a JSON object, such as {example}")
    if unknown := [name for name in data if name not in names]:
        raise Invalid({str(unknown[0])[:40]: [f"there is no such field: use {', '.join(names)}"]})
    return data


class ClusterList(WritingView):
    """The clusters you may look at. POST makes one that is yours."""

    http_method_names = ("get", "head", "options", "post")

    @extend_schema(responses=documents.ClusterSerializer(many=True))
    def get(self, request: Request) -> Response:
        seen = clusters_for(request.user).select_related("owner")
        clusters = [give_address(request.user, cluster) for cluster in seen]
        return Response(documents.ClusterSerializer(clusters, many=True).data)

    @extend_schema(request=NEW, responses={201: documents.ClusterSerializer})
    def post(self, request: Request) -> Response:
        asked = read_fields(request, new_clusters.FIELDS, '{"name": "shop", "speed": "auto"}')
        return _show_new(request, new_clusters.make(request.user, asked))


def _show_new(request: Request, made: Cluster) -> Response:
    made = give_address(request.user, made)
    return Response(documents.ClusterSerializer(made).data, 201)


class ClusterDetail(WritingView):
    """One cluster: what it was made from, its clock, and how far its history goes. DELETE takes it away."""

    http_method_names = ("get", "head", "options", "delete")

    @extend_schema(parameters=[documents.CLUSTER], responses=documents.ClusterSerializer)
    def get(self, request: Request, cluster: str) -> Response:
        return Response(documents.ClusterSerializer(get_cluster_or_404(request.user, cluster)).data)

    @extend_schema(parameters=[documents.CLUSTER], responses={204: None})
    def delete(self, request: Request, cluster: str) -> Response:
        get_cluster_or_404(request.user, cluster, Verb.OWN).delete()
        return Response(status=204)


class Control(WritingView):
    """The cluster's clock. POST asks for another speed, a pause, or a run; a run is begun, not waited for."""

    http_method_names = ("get", "head", "options", "post")

    @extend_schema(parameters=[documents.CLUSTER], responses=CLOCK)
    def get(self, request: Request, cluster: str) -> Response:
        return _show_clock(get_cluster_or_404(request.user, cluster))

    @extend_schema(parameters=[documents.CLUSTER], request=CHANGE, responses=CLOCK)
    def post(self, request: Request, cluster: str) -> Response:
        found = get_cluster_or_404(request.user, cluster, Verb.RUN)
        clocks.change(found, request.user, read_fields(request, clocks.FIELDS, '{"runUntil": "idle"}'))
        return _show_clock(found)


def _show_clock(cluster: Cluster) -> Response:
    return Response({"spec": clocks.read_spec(cluster), "status": clocks.read_status(cluster)})


class Fork(WritingView):
    """Another cluster of yours that shares this one's history up to an instant. It stands there."""

    http_method_names = ("options", "post")

    @extend_schema(parameters=[documents.CLUSTER], request=FORK, responses={201: documents.ClusterSerializer})
    def post(self, request: Request, cluster: str) -> Response:
        found = get_cluster_or_404(request.user, cluster)
        asked = read_fields(request, ("name", "at", "kubernetes"), '{"name": "shop-2", "at": "90s"}')
        name = asked.get("name") or forks.suggest_name(found, request.user)
        if not isinstance(name, str):
            raise Invalid({"name": ["use a text"]})
        DNS_LABEL(name)
        at_ms, kubernetes = clocks.read_at(found, asked.get("at")), _read_release(asked.get("kubernetes"))
        try:
            made = forks.fork(found, at_ms, request.user, name, kubernetes=kubernetes)
        except (ValueError, Unreadable) as problem:
            raise Invalid({"at": [str(problem)]}) from None
        return _show_new(request, made)


def _read_release(asked: Any) -> str:
    """The name of the release that is asked for, "" where none is. Invalid names those that there are."""
    if not isinstance(asked, str | None):
        raise Invalid({"kubernetes": ["use a text, such as v1.36"]})
    try:
        return find_release(asked).name if asked else ""
    except ValueError as problem:
        raise Invalid({"kubernetes": [str(problem)]}) from None


class Kubeconfig(WritingView):
    """POST gives a kubeconfig with a new token of yours for the cluster: it is shown this once."""

    http_method_names = ("options", "post")

    @extend_schema(parameters=[documents.CLUSTER], request=None, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, cluster: str) -> Response:
        found = get_cluster_or_404(request.user, cluster)
        address, authority = kubeconfig.locate_for(request)
        token = tokens.issue(request.user, found)
        who = request.user.get_username()
        text = kubeconfig.make_kubeconfig(found.address, who, token, address, authority)
        return Response({"kubeconfig": text}, 201)
