"""The object in a request's body: one of the resource it is sent to, at the address it is sent to."""

from typing import Any

from django.http import HttpRequest

from lifecycle.engine.api.patching.patches import MOST_SHOWN
from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.engine.releases.release import Release
from lifecycle.engine.rules.validation.words.field_error import invalid
from lifecycle.engine.rules.validation.words.refusal import make_invalid
from lifecycle.engine.schema.check import find_wrong_types
from lifecycle.engine.schema.go_errors import find_decode_error, say_unconverted
from lifecycle.engine.schema.scalars import name_go_kind
from lifecycle.engine.schema.tables import is_known_kind
from lifecycle.kube_api.asking.bodies import YAML_TYPES, Unreadable, read_body
from lifecycle.kube_api.asking.requests import Address, first_word
from lifecycle.kube_api.asking.write_options import HEADER_TYPE
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.status import Refusal, bad_request

Json = dict[str, Any]
_SHOWN = 30


def read_sent(
    request: HttpRequest, resource: Resource, address: Address, release: Release
) -> tuple[Json, list[str]]:
    """The object of a body that is sent to a resource, as `read_object` reads it, in its namespace."""
    kind, version = resource.kind, resource.api_version
    data, problems = read_object(request, kind, version, release=release, is_custom=resource.custom)
    return place(data, address, resource), problems


def read_object(
    request: HttpRequest,
    kind: str,
    api_version: str,
    lenient_version: bool = False,
    release: Release = DEFAULT_RELEASE,
    is_custom: bool = False,
) -> tuple[Json, list[str]]:
    """The object of a body that is to be of a kind, and what a strict reader complains of in its text.

    What says no kind is of that one, but for a custom resource, which has to say both. Raises Refusal (400,
    413, 415, 422).
    """
    try:
        body = read_body(request, release)
    except Unreadable as problem:
        said = str(problem) if problem.is_yaml or problem.is_protobuf else _json_error(str(problem))
        raise _unrecognized(kind, said, problem.text) from None
    is_yaml = first_word(request.headers.get("Content-Type")) in YAML_TYPES
    if body.is_empty and not is_yaml:
        raise _unrecognized(kind, _json_error("unexpected end of JSON input"), b"")
    # A null, and a YAML text of nothing, leave an object as it is: empty.
    data = {} if body.value is None else body.value
    if not isinstance(data, dict):
        go_kind = name_go_kind(data)
        said = f"json: cannot unmarshal {go_kind} into Go value of type {HEADER_TYPE}"
        raise _unrecognized(kind, _json_error(said), body.text)
    if is_custom:
        _check_custom_kind(data, kind, api_version, body.text)
    data = {**data, "apiVersion": data.get("apiVersion") or api_version, "kind": data.get("kind") or kind}
    _check_kind(data, kind, api_version, lenient_version, release, body.text)
    wrong = find_wrong_types(data, release)
    if wrong:
        raise _unhandled(data, kind, find_decode_error(data, release))
    return data, body.repeated


def _check_kind(
    data: Json, kind: str, api_version: str, lenient_version: bool, release: Release, text: bytes
) -> None:
    given, version = data["kind"], data["apiVersion"]
    for name in ("apiVersion", "kind"):
        if not isinstance(data[name], str):
            go_kind = name_go_kind(data[name])
            said = f"json: cannot unmarshal {go_kind} into Go struct field .{name} of type string"
            raise _unrecognized(kind, _json_error(said), text)
    if given == kind and (version == api_version or lenient_version):
        return
    if given == kind and is_known_kind(version, given, release):
        raise _other_version(version, api_version)
    head = {"apiVersion": api_version, "kind": kind}
    raise _unhandled(data, kind, say_unconverted(version, given, head, release))


def _check_custom_kind(data: Json, kind: str, api_version: str, text: bytes) -> None:
    given, version = data.get("kind"), data.get("apiVersion")
    if not given:
        shown = text.decode("utf-8", "replace")[:MOST_SHOWN]
        raise _unrecognized(kind, f"Object 'Kind' is missing in '{shown}'", text)
    if isinstance(given, str) and isinstance(version or "", str) and version != api_version:
        raise _other_version(version or "", api_version)
    if isinstance(given, str) and given != kind:
        meta = data.get("metadata")
        name = meta.get("name") if isinstance(meta, dict) else ""
        error = invalid("kind", given, f"must be {kind}")
        refused = make_invalid(given, name if isinstance(name, str) else "", [error], api_version)
        raise Refusal.of_status(refused.to_status())


def _other_version(given: str, wanted: str) -> Refusal:
    said = f"the API version in the data ({given}) does not match the expected API version ({wanted})"
    return bad_request(said)


def _json_error(said: str) -> str:
    return f"couldn't get version/kind; json parse error: {said}"


def _unrecognized(kind: str, said: str, text: bytes) -> Refusal:
    return bad_request(
        f"the object provided is unrecognized (must be of type {kind}): {said} ({_sum_up(text)})"
    )


def _sum_up(text: bytes) -> str:
    if not text:
        return "<empty>"
    cut = text[:_SHOWN]
    shown = cut.decode("utf-8", "replace") if text[:1] == b"{" else cut.hex()
    return f"{shown} ..." if len(text) > _SHOWN else shown


def _unhandled(data: Json, kind: str, said: str) -> Refusal:
    version = str(data["apiVersion"]).rpartition("/")[2]
    return bad_request(f'{data["kind"]} in version "{version}" cannot be handled as a {kind}: {said}')


def place(data: Json, address: Address, resource: Resource) -> Json:
    """The object with the namespace of its address. Raises Refusal (400) where it names another."""
    meta = data.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    wanted = address.namespace if resource.namespaced else None
    given = meta.get("namespace")
    if given and given != wanted and resource.namespaced:
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    meta = {name: value for name, value in meta.items() if name != "namespace"}
    return {**data, "metadata": meta | ({"namespace": wanted} if wanted is not None else {})}


def require_name(data: Json, name: str) -> None:
    """The object has the name it is sent to. Raises Refusal (400)."""
    given = data["metadata"].get("name")
    if not given:
        raise bad_request(
            f"the name of the object ({name} based on URL) was undeterminable: name must be provided"
        )
    if given != name:
        raise bad_request(f"the name of the object ({given}) does not match the name on the URL ({name})")
