"""ConfigMaps and Secrets: keys that can be file names, at most 1 MiB, and what a Secret's type asks for."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from ..limits.json_bounds import find_excess
from .words.field_error import FieldError, each_invalid, invalid, required, too_long
from .words.names import check_config_key
from .words.part import Part, gathers

MOST_BYTES = 1024 * 1024
ACCOUNT_NAME = "kubernetes.io/service-account.name"
_REDACTED = "<secret contents redacted>"
# What has to be in a Secret of a type: the first not empty.
SSH_KEY = "ssh-privatekey"
_TLS_KEYS = ("tls.crt", "tls.key")
_REGISTRIES = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}


def validate_config_map(data: Mapping[str, Any]) -> list[FieldError]:
    """No key is in both of its maps."""
    texts, binaries = data.get("data") or {}, data.get("binaryData") or {}
    errors, size_bytes = [], 0
    for field, values in (("data", texts), ("binaryData", binaries)):
        for key, value in sorted(values.items()):
            errors += each_invalid(f"{field}[{key}]", key, check_config_key(key))
            if field == "data" and key in binaries:
                errors.append(invalid(f"data[{key}]", key, "duplicate of key present in binaryData"))
            size_bytes += len(str(value).encode()) if field == "data" else len(_decode(value))
    return errors + ([too_long("", MOST_BYTES)] if size_bytes > MOST_BYTES else [])


def validate_secret(data: Mapping[str, Any]) -> list[FieldError]:
    """Its keys, and those that its type asks for."""
    values: Mapping[str, str] = data.get("data") or {}
    errors = [
        error for key in sorted(values) for error in each_invalid(f"data[{key}]", key, check_config_key(key))
    ]
    if sum(len(_decode(value)) for value in values.values()) > MOST_BYTES:
        errors.append(too_long("data", MOST_BYTES))
    kind = data.get("type") or ""
    if kind == "kubernetes.io/service-account-token":
        annotations = (data.get("metadata") or {}).get("annotations") or {}
        return errors + (
            [] if annotations.get(ACCOUNT_NAME) else [required(f"metadata.annotations[{ACCOUNT_NAME}]")]
        )
    if kind == "kubernetes.io/basic-auth":
        keys = ("username", "password")
        return errors + (
            [] if any(key in values for key in keys) else [required(f"data[{key}]") for key in keys]
        )
    if kind in _REGISTRIES:
        return errors + _validate_registries(values, _REGISTRIES[kind])
    if kind == "kubernetes.io/ssh-auth":
        return errors + ([] if values.get(SSH_KEY) else [required(f"data[{SSH_KEY}]")])
    missing = (key for key in _TLS_KEYS if key not in values) if kind == "kubernetes.io/tls" else ()
    return errors + [required(f"data[{key}]") for key in missing]


@gathers("")
def validate_kept_data(data: Part, stored: Mapping[str, Any]) -> None:
    """What was made `immutable` stays so, and what is in it."""
    if not stored.get("immutable"):
        return
    for field in ("immutable", "data", "binaryData"):
        if (data[field] or None) != (stored.get(field) or None):
            data.forbid(field, "field is immutable when `immutable` is set")


@gathers("")
def validate_kept_secret(data: Part, stored: Mapping[str, Any]) -> None:
    """A Secret keeps its type too."""
    data.stays("type", stored)
    data.errors += validate_kept_data(data.data, stored)


def _validate_registries(values: Mapping[str, str], key: str) -> list[FieldError]:
    """Access to registries, as JSON."""
    if key not in values:
        return [required(f"data[{key}]")]
    text = _decode(values[key]).decode(errors="replace")
    if excess := find_excess(text):
        return [invalid(f"data[{key}]", _REDACTED, excess)]
    try:
        found = json.loads(text)
    except ValueError as problem:
        place = getattr(problem, "pos", 0)
        why = f"invalid character {text[place]!r} looking for beginning of value" if text[place:] else ""
        return [invalid(f"data[{key}]", _REDACTED, why or "unexpected end of JSON input")]
    if found is None or isinstance(found, dict):
        return []
    return [invalid(f"data[{key}]", _REDACTED, "json: cannot unmarshal into a map of texts")]


def _decode(value: str) -> bytes:
    try:
        return base64.b64decode(str(value))
    except (binascii.Error, ValueError):
        # Structure is looked at before; this is of an object that was stored unseen.
        return str(value).encode()


def warn_of_certificate(data: Mapping[str, Any]) -> list[str]:
    """A certificate that is none at all: who serves with it will fail. Keys are not held to it."""
    text = (data.get("data") or {}).get("tls.crt")
    if data.get("type") != "kubernetes.io/tls" or text is None or "-----BEGIN" in _as_text(text):
        return []
    return ["tls: failed to find any PEM data in certificate input"]


def _as_text(encoded: str) -> str:
    return _decode(encoded).decode(errors="replace")
