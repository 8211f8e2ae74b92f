"""What the OpenAPI description says of the parameters and rows."""

from typing import Any

from django.db.models import IntegerField, JSONField
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from lifecycle.models import Cluster
from lifecycle.sources import EVENTS, SUMMARIES, TRANSITIONS, Source

INSTANT = "an instant: milliseconds since the epoch, a duration (90s) or an RFC 3339 time"
MEANINGS = {
    "kind": "the subject's kind, such as Pod",
    "group": "the API group of that kind, such as apps; empty for the core group",
    "namespace": "the subject's namespace; empty for objects outside namespaces",
    "name": "the subject's name",
    "uid": "the subject's uid",
    "owner": "the controlling owner, such as ReplicaSet/web-5d4f",
    "field": "the field that changed, such as phase or condition.Ready",
    "reason": "the reason given",
    "since": f"from {INSTANT}, inclusive",
    "until": f"to {INSTANT}, exclusive",
    "after": "go on after this cursor, exclusive",
    "limit": "at most this many rows; the cursor then says complete: false",
    "view": "full (the objects) or summary (a line for each)",
    "deleted": "true: only deleted objects; false: only living ones",
    "pod": "the pod's name",
    "container": "the container's name; may be left out when there is only one",
    "previous": "true: the run before the current one",
}
SINGLE = {"limit", "view", "deleted", "pod", "container", "previous"}
CHOICES = {"view": ["full", "summary"], "deleted": ["true", "false"], "previous": ["true", "false"]}


CLUSTER = OpenApiParameter(
    "cluster",
    OpenApiTypes.STR,
    OpenApiParameter.PATH,
    description="its address: shop for your own, shop@alice for one of alice's that you may look at",
)


def parameters(names: list[str]) -> list[OpenApiParameter]:
    """The description of each parameter; most may be repeated, which means or."""
    return [
        CLUSTER,
        *(
            OpenApiParameter(
                name,
                OpenApiTypes.INT if name == "limit" else OpenApiTypes.STR,
                description=MEANINGS[name],
                many=name not in SINGLE,
                required=name == "pod",
                enum=CHOICES.get(name),
            )
            for name in names
        ),
    ]


class ClusterSerializer(serializers.ModelSerializer[Cluster]):
    """A cluster: its input, its clock, its cursor."""

    owner = serializers.CharField(source="owner.get_username")
    address = serializers.CharField(help_text="what you call it in addresses: shop your own, shop@alice hers")

    class Meta:
        model = Cluster
        fields = [
            *(
                "name",
                "address",
                "uuid",
                "owner",
                "seed",
                "epoch",
                "epoch_id",
                "settings",
                "instant_ms",
                "seq",
                "rv",
            ),
            *("speed", "paused", "achieved_speed", "oldest_seq", "failure", "created_at"),
        ]


Field = serializers.Field[Any, Any, Any, Any]


def _row(name: str, source: Source, **more: Field) -> serializers.Serializer[Any]:
    fields: dict[str, Field] = {key: serializers.CharField() for key in source.head}
    for key, column in source.columns.items():
        kept_as = source.model._meta.get_field(column)
        if isinstance(kept_as, JSONField):
            fields[key] = serializers.JSONField(allow_null=True)
        elif isinstance(kept_as, IntegerField):
            fields[key] = serializers.IntegerField()
        else:
            fields[key] = serializers.CharField(allow_null=True)
    return inline_serializer(name, fields | more, many=True)


TRANSITIONS_ROWS = _row("Transition", TRANSITIONS)
EVENTS_ROWS = _row("Event", EVENTS)
SUMMARIES_ROWS = _row(
    "ObjectSummary",
    SUMMARIES,
    requests=serializers.JSONField(
        allow_null=True,
        help_text="of a Service that is sent requests: lostMs, in ms' worth of all; where it says how many"
        " a second, lost of sent, by chance from lowest to highest; the same of each sender",
    ),
)
LOG = inline_serializer(
    "Log",
    {
        "namespace": serializers.CharField(),
        "pod": serializers.CharField(),
        "uid": serializers.CharField(),
        "container": serializers.CharField(),
        "attempt": serializers.IntegerField(),
        "started_ms": serializers.IntegerField(allow_null=True),
        "text": serializers.CharField(),
    },
)
ROOT = OpenApiResponse(OpenApiTypes.OBJECT, "links")
TRACE = OpenApiResponse(OpenApiTypes.OBJECT, "`traceEvents`, as Chrome and Perfetto read them")
REFUSALS = {
    "400": "a parameter or field that is none, or has no such value",
    "401": "nobody is signed in, and no good token was shown",
    "403": "more than one user may have, or nothing of yours to change",
    "404": "there is no such cluster, or nothing of that name in it",
    "429": "as many at once as one user may have",
}


def describe_refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A hook of the description: what every answer to a refused request looks like."""
    detail = {"type": "object", "description": "what is wrong, or by parameter a list of that"}
    result.setdefault("components", {}).setdefault("schemas", {})["Refusal"] = detail
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
    for path, operations in result["paths"].items():
        for operation in operations.values():
            codes = ["401", *(["404"] if "{cluster}" in path else [])]
            if any(one["in"] == "query" for one in operation.get("parameters", ())):
                codes += ["400", "429"]
            if "requestBody" in operation:
                codes += ["400", "403", "429"]
            for code in codes:
                operation["responses"][code] = {"description": REFUSALS[code], "content": content}
    return result
