"""The fields of what is answered at once and never stored: their types, held to as by Go's reader."""

from typing import Any

from lifecycle.engine.schema.scalars import name_go_kind
from lifecycle.kube_api.status import bad_request

Json = dict[str, Any]
_TEXTS = "[]string"
_RESOURCE = dict.fromkeys(
    ("namespace", "verb", "group", "version", "resource", "subresource", "name"), "string"
) | {"fieldSelector": "map", "labelSelector": "map"}
_ACCESS: Json = {
    "resourceAttributes": _RESOURCE,
    "nonResourceAttributes": {"path": "string", "verb": "string"},
    "user": "string",
    "groups": _TEXTS,
    "uid": "string",
    "extra": "map",
}
REVIEW_SPECS: dict[str, Json] = {
    "SelfSubjectAccessReview": _ACCESS,
    "SubjectAccessReview": _ACCESS,
    "LocalSubjectAccessReview": _ACCESS,
    "SelfSubjectRulesReview": {"namespace": "string"},
    "SelfSubjectReview": {},
    "TokenReview": {"token": "string", "audiences": _TEXTS},
    "TokenRequest": {"audiences": _TEXTS, "expirationSeconds": "int64", "boundObjectRef": "map"},
}


def read_spec(data: Json) -> Json:
    """The spec of a review, without nulls and what nobody knows. Raises Refusal (400) for a wrong type."""
    kind = data["kind"]
    return _read(data.get("spec"), REVIEW_SPECS[kind], kind, "spec")


def _read(value: Any, fields: Json, kind: str, path: str) -> Json:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(kind, path, value, f"v1.{kind}Spec")
    found = {}
    for name, wanted in fields.items():
        inner = value.get(name)
        if inner is None:
            continue
        here = f"{path}.{name}"
        if isinstance(wanted, dict):
            found[name] = _read(inner, wanted, kind, here)
        elif not _fits(inner, wanted):
            raise _wrong(kind, here, inner, wanted)
        else:
            found[name] = inner
    return found


def _fits(value: Any, wanted: str) -> bool:
    match wanted:
        case "string":
            return isinstance(value, str)
        case "int64":
            return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
        case "map":
            return isinstance(value, dict)
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _wrong(kind: str, path: str, value: Any, go_type: str) -> Exception:
    said = f"json: cannot unmarshal {name_go_kind(value)} into Go struct field"
    return bad_request(
        f'{kind} in version "v1" cannot be handled as a {kind}: {said} {kind}.{path} of type {go_type}'
    )
