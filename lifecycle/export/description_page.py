"""The page of the REST API: all paths with what they take and give, read from its own description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import spectacular_settings
from rest_framework.renderers import BaseRenderer, JSONRenderer, TemplateHTMLRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lifecycle.export.formats import CsvRenderer, NdjsonRenderer, TextRenderer

Json = Mapping[str, Any]
_FORMATS: dict[str, str] = {
    one.media_type: one.format for one in (JSONRenderer, NdjsonRenderer, CsvRenderer, TextRenderer)
}
_REFERENCE = "#/components/schemas/"


class DescriptionPage(APIView):
    """What there is to ask for, and a form for each path that asks."""

    schema = None
    renderer_classes: Sequence[type[BaseRenderer]] = (TemplateHTMLRenderer,)
    permission_classes = spectacular_settings.SERVE_PERMISSIONS

    def get(self, request: Request) -> Response:
        """The page, with as much of the description as this person may read."""
        generator: Any = SchemaGenerator
        description = generator().get_schema(request=request, public=spectacular_settings.SERVE_PUBLIC)
        context = {"paths": list(list_paths(description)), "info": description["info"]}
        return Response(context, template_name="api/docs.html")


def list_paths(description: Json) -> Iterator[dict[str, Any]]:
    """Each path with what it takes, what stands in it first, the formats of its answer and its fields."""
    for number, (path, methods) in enumerate(description["paths"].items()):
        for method, operation in methods.items():
            parameters = sorted(operation.get("parameters", ()), key=lambda one: one["in"] != "path")
            good = next(one for code, one in operation["responses"].items() if code.startswith("2"))
            content: dict[str, Json] = good.get("content", {})
            yield {
                "id": f"path-{number}-{method}",
                "method": method.upper(),
                "path": path,
                "words": operation.get("description", ""),
                "parameters": [_tell_parameter(one) for one in parameters],
                "formats": [_FORMATS[media] for media in content] if len(content) > 1 else [],
                "media": list(content),
                "takes": _tell_body(description, operation),
                **_tell_answer(description, next(iter(content.values()))["schema"] if content else {}),
            }


def _tell_body(description: Json, operation: Json) -> list[tuple[str, str, str]]:
    """The fields of what is sent, with their types and words."""
    media = (operation.get("requestBody") or {}).get("content") or {}
    name = (media.get("application/json") or {}).get("schema", {}).get("$ref", "").removeprefix(_REFERENCE)
    fields = description["components"]["schemas"][name]["properties"] if name else {}
    return [(field, _tell_type(one), one.get("description", "")) for field, one in fields.items()]


def _tell_parameter(parameter: Json) -> dict[str, Any]:
    schema = parameter["schema"]
    return {
        "name": parameter["name"],
        "place": parameter["in"],
        "is_required": parameter.get("required", False),
        "is_many": schema["type"] == "array",
        "is_number": schema["type"] == "integer",
        "choices": schema.get("enum", ()),
        "words": parameter.get("description", "the cluster's name" if parameter["in"] == "path" else ""),
    }


def _tell_answer(description: Json, schema: Json) -> dict[str, Any]:
    """Of an answer of rows, or of one, what each is and its fields."""
    reference = (schema.get("items") or schema).get("$ref", "")
    name = reference.removeprefix(_REFERENCE)
    fields = description["components"]["schemas"][name].get("properties", {}) if reference else {}
    return {
        "answer": f"{'Many of' if 'items' in schema else 'One'} {name}" if name else "",
        "fields": [(field, _tell_type(one)) for field, one in fields.items()],
    }


def _tell_type(schema: Json) -> str:
    kind = schema.get("format") if schema.get("type") == "string" else schema.get("type")
    return f"{kind or schema.get('type') or 'any JSON'}{' or null' if schema.get('nullable') else ''}"
