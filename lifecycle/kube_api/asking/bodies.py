"""The body of a request: bounded, JSON or YAML, read as the API server reads it, keys given twice noted."""

import json
from dataclasses import dataclass, field
from typing import Any

import yaml
from django.http import HttpRequest

from lifecycle.engine.objects.wire import Malformed
from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.engine.releases.release import Release
from lifecycle.engine.rules.limits.json_bounds import MOST_VALUES, find_excess
from lifecycle.engine.schema.yaml_nodes import Budget, Converter, UnreadableYaml, compose
from lifecycle.engine.schema.yaml_values import UnreadableValue, json_number
from lifecycle.kube_api.asking.go_json import find_syntax_error
from lifecycle.kube_api.asking.requests import first_word
from lifecycle.kube_api.protobuf import decoding as protobuf
from lifecycle.kube_api.status import Refusal

MOST_BYTES = 3 * 1024 * 1024
JSON_TYPES, YAML_TYPES = ("application/json", ""), ("application/yaml",)
_TYPES = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
SURROGATE = "\\ud"
MOST_REPEATED = 100
"""So many are told: maxStrictErrors of sigs.k8s.io/json."""


class Unreadable(Exception):
    """The text is no JSON, or what else it was to be."""

    def __init__(self, message: str, is_yaml: bool = False, is_protobuf: bool = False) -> None:
        super().__init__(message)
        self.message, self.is_yaml, self.is_protobuf = message, is_yaml, is_protobuf
        self.text = b""


@dataclass(slots=True)
class Body:
    """What was sent. `repeated`: how a strict reader complains of keys given twice, one by one."""

    value: Any = None
    repeated: list[str] = field(default_factory=list)
    is_empty: bool = False
    text: bytes = b""


def read_bytes(request: HttpRequest) -> bytes:
    """The body as it was sent. Raises Refusal (413) for one that is too large."""
    text = request.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        message = f"Request entity too large: limit is {MOST_BYTES}"
        raise Refusal(413, message, "RequestEntityTooLarge")
    return text


def read_body(request: HttpRequest, release: Release = DEFAULT_RELEASE) -> Body:
    """The body by its media type, JSON where it says none. Raises Refusal (413, 415), Unreadable.

    `release`: whose fields there are, where they are numbered.
    """
    media_type = first_word(request.headers.get("Content-Type"))
    text = read_bytes(request)
    if not text.strip():
        return Body(is_empty=True)
    if media_type == protobuf.MEDIA_TYPE:
        return _read_protobuf(text, release)
    if media_type not in (*JSON_TYPES, *YAML_TYPES):
        raise unsupported_media_type(_TYPES)
    try:
        body = read_yaml(text) if media_type in YAML_TYPES else read_json(text)
    except Unreadable as problem:
        problem.text = text
        raise
    body.text = text
    return body


def _read_protobuf(text: bytes, release: Release) -> Body:
    try:
        return Body(protobuf.decode(text, release), text=text)
    except Malformed as problem:
        unreadable = Unreadable(str(problem), is_protobuf=True)
        unreadable.text = text
        raise unreadable from None


def unsupported_media_type(accepted: str) -> Refusal:
    """The body is of a type that is not read here."""
    message = f"the body of the request was in an unknown format - accepted media types include: {accepted}"
    return Refusal(415, message, "UnsupportedMediaType")


def no_such_patch() -> Refusal:
    """A patch of a type that no route takes: of what Kubernetes itself serves, the router says so."""
    return Refusal(415, "415: Unsupported Media Type", "UnsupportedMediaType", {})


def read_json(text: bytes) -> Body:
    """JSON, of keys given twice the last. Raises Unreadable, in Go's words."""
    # Go reads what is no UTF-8 as the sign for it.
    decoded = text.decode("utf-8", "replace")
    if excess := find_excess(decoded):
        raise Unreadable(excess)
    has_repeats = False

    def make_mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal has_repeats
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        has_repeats = True
        return _Pairs(pairs)

    try:
        value = json.loads(
            decoded,
            object_pairs_hook=make_mapping,
            parse_int=json_number,
            parse_float=json_number,
            parse_constant=_refuse_constant,
        )
    except ValueError as problem:
        raise Unreadable(find_syntax_error(decoded) or str(problem)) from None
    if SURROGATE in decoded.lower():
        value = _without_surrogates(value)
    if not has_repeats:
        return Body(value)
    repeated: list[str] = []
    _find_repeated(value, None, repeated)
    return Body(_plain(value), [f'duplicate field "{path}"' for path in repeated])


def read_yaml(text: bytes) -> Body:
    """The first document of a YAML text; JSON is YAML too. Raises Unreadable."""
    if text.lstrip()[:1] in (b"{", b"["):
        if excess := find_excess(text.decode("utf-8", "replace")):
            raise Unreadable(f"yaml: {excess}", is_yaml=True)
        try:
            return read_json(text)
        except Unreadable:
            pass
    repeats: list[tuple[int, str]] = []
    try:
        node = next(compose(text.decode("utf-8", "replace"), Budget(MOST_VALUES)), None)
        value = None if node is None else Converter(repeats=repeats).convert(node)
    except UnreadableYaml as problem:
        where = f"line {problem.line}: " if problem.line else ""
        raise Unreadable(f"yaml: {where}{problem.message}", is_yaml=True) from None
    except yaml.YAMLError as problem:
        raise Unreadable(f"yaml: {_say_yaml_problem(problem)}", is_yaml=True) from None
    lines = "".join(f'\n  line {line}: key "{key}" already set in map' for line, key in repeats)
    return Body(value, [f"yaml: unmarshal errors:{lines}"] if repeats else [])


def _say_yaml_problem(problem: yaml.YAMLError) -> str:
    mark = getattr(problem, "problem_mark", None)
    said = str(getattr(problem, "problem", None) or getattr(problem, "reason", None) or problem)
    # Go's library numbers lines from one, but says the line before where the text ended.
    line = f"line {max(mark.line, 1)}: " if mark is not None else ""
    return f"{line}{said}"


class _Pairs(dict[str, Any]):
    """A mapping some of whose keys were given twice, which it knows."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated = _list_repeated(pairs)


def _list_repeated(pairs: list[tuple[str, Any]]) -> list[str]:
    seen: set[str] = set()
    found = []
    for key, _ in pairs:
        if key in seen:
            found.append(key)
        seen.add(key)
    return list(dict.fromkeys(found))


def _find_repeated(value: Any, place: tuple[Any, str] | None, found: list[str]) -> None:
    """Put the paths of keys given twice into `found`. `place`: where the value stands, and its last step."""
    if len(found) >= MOST_REPEATED:
        return
    if isinstance(value, _Pairs):
        found += [_format_place((place, f".{key}")) for key in value.repeated]
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, dict | list):
                _find_repeated(inner, (place, f".{key}"), found)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if isinstance(inner, dict | list):
                _find_repeated(inner, (place, f"[{index}]"), found)


def _format_place(place: tuple[Any, str] | None) -> str:
    steps = []
    while place is not None:
        place, step = place
        steps.append(step)
    return "".join(reversed(steps)).removeprefix(".")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, _Pairs):
        made = _Pairs([(_without_surrogates(key), _without_surrogates(one)) for key, one in value.items()])
        made.repeated = list(map(_without_surrogates, value.repeated))
        return made
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(one) for key, one in value.items()}
    return [_without_surrogates(one) for one in value] if isinstance(value, list) else value


def _refuse_constant(text: str) -> Any:
    raise UnreadableValue(f"invalid character '{text.lstrip('-')[0]}' looking for beginning of value")
