"""In which form an answer goes out: what the Accept header asks for, and JSON or YAML of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson
import yaml

from lifecycle.kube_api.status import Refusal

Json = dict[str, Any]
META_GROUP = "meta.k8s.io"
JSON, YAML = "application/json", "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
ACCEPTED = f"{JSON}, {YAML}, {PROTOBUF}"
_FORMS = {"Table", "PartialObjectMetadata", "PartialObjectMetadataList"}
_MOST_CLAUSES = 32
_WIDEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Form:
    """What is wanted: `kind` is "" for the object itself, else that of meta.k8s.io it is shown as."""

    media_type: str = JSON
    kind: str = ""
    version: str = "v1"
    is_pretty: bool = False
    header: str = ""
    """The content type, where it is more than the media type."""

    @property
    def content_type(self) -> str:
        """What the answer says it is."""
        return self.header or self.media_type

    @property
    def api_version(self) -> str:
        """The apiVersion of what is shown."""
        return f"{META_GROUP}/{self.version}"

    @property
    def as_object(self) -> "Form":
        """The same encoding, without the conversion: how a Status goes out."""
        return Form(self.media_type, is_pretty=self.is_pretty)


PLAIN = Form()


def require_route(accept: str, others: Sequence[str] = ()) -> None:
    """Some clause is of a type that routes of Kubernetes' own resources have. Raises Refusal (406).

    `others`: what this one has besides.
    """
    known = ("*/*", *others, JSON, YAML, PROTOBUF)
    if not any(media_type in known for media_type, _ in _clauses(accept)):
        said = f"406: Not Acceptable\n\nAvailable representations: {', '.join(known[1:])}"
        raise Refusal(406, said, "NotAcceptable", {})


def negotiate(accept: str, is_watch: bool = False) -> Form:
    """The first clause that can be served. Raises Refusal (406) when there is none.

    A watch is streamed, and there is no stream of YAML.
    """
    served = (JSON,) if is_watch else (JSON, YAML)
    for media_type, parameters in _clauses(accept):
        if media_type in ("*/*", "application/*", *served) and _is_served(parameters):
            found = YAML if media_type == YAML else JSON
            pretty = parameters.get("pretty") in ("1", "true")
            return Form(found, parameters.get("as", ""), parameters.get("v", "v1"), pretty)
    raise _not_acceptable(accept, is_watch)


def _not_acceptable(accept: str, is_watch: bool) -> Refusal:
    """As the API server says it, but to who asks for what is read here and never written."""
    accepted = f"{JSON}, {PROTOBUF}" if is_watch else ACCEPTED
    if any(media_type == PROTOBUF for media_type, _ in _clauses(accept)):
        written = JSON if is_watch else f"{JSON}, {YAML}"
        accepted = f"{written} (Podline reads {PROTOBUF}, and answers in none: accept {JSON} beside it)"
    return Refusal(406, f"only the following media types are accepted: {accepted}", "NotAcceptable")


def choose_type(accept: str, served: Sequence[str]) -> str | None:
    """The first media type that is wanted and served, None when there is none; of any, the first served."""
    for wanted, _ in _clauses(accept):
        if wanted in ("*/*", "application/*"):
            return served[0]
        if wanted in served:
            return wanted
    return None


def negotiate_discovery(accept: str) -> Form | None:
    """The form of aggregated discovery, where that is asked for first; None for the plain one."""
    for media_type, parameters in _clauses(accept):
        if media_type not in ("*/*", "application/*", JSON):
            continue
        if not parameters.get("as"):
            return None
        version = parameters.get("v", "")
        if parameters.get("g") == "apidiscovery.k8s.io" and version in ("v2", "v2beta1"):
            shown = f"{JSON};g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"
            return Form(JSON, "APIGroupDiscoveryList", version, header=shown)
    return None


@lru_cache(maxsize=256)
def _clauses(accept: str) -> list[tuple[str, dict[str, str]]]:
    """Media types and their parameters: by their quality, then as written."""
    clauses = [clause for clause in accept.split(",")[:_MOST_CLAUSES] if clause.strip()]
    return sorted(map(_read_clause, clauses or ["*/*"]), key=_by_quality)


def _read_clause(clause: str) -> tuple[str, dict[str, str]]:
    media_type, *words = (word.strip() for word in clause.split(";"))
    pairs = (word.partition("=") for word in words)
    return media_type.lower(), {name.strip().lower(): value.strip().strip('"') for name, _, value in pairs}


def _by_quality(clause: tuple[str, dict[str, str]]) -> float:
    try:
        return -float(clause[1].get("q", "1"))
    except ValueError:
        return 0.0


def _is_served(parameters: dict[str, str]) -> bool:
    kind = parameters.get("as", "")
    if not kind:
        return True
    is_known = parameters.get("g") == META_GROUP and parameters.get("v") in ("v1", "v1beta1")
    return is_known and kind in _FORMS


def encode(value: Any, form: Form) -> bytes:
    """A value as the form's text, with a line's end as the API server writes it."""
    if form.media_type == YAML:
        return yaml.dump(value, Dumper=_Dumper, allow_unicode=True, width=_WIDEST).encode()
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 if form.is_pretty else 0) + b"\n"


_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
