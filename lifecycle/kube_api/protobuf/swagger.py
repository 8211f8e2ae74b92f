"""Writes an OpenAPI v2 document as protobuf, which is how kubectl wants it.

A message's fields stand in a table under the document's own JSON names, each with its number and with what
writes its value. What no table has and does not begin with `x-` (oneOf and nullable of a custom resource's
schema, a value of a wrong type) OpenAPI v2 has no place for, and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import orjson

MEDIA_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
MEDIA_TYPES = (MEDIA_TYPE, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
"""What is asked for: the second is how it was written once; clients that ask so are told the first."""
_VARINT, _BYTES = 0, 2
_EXTENSION = "x-"

Value = int | bytes
Write = Callable[[Any], Iterable[Value]]
"""A field's values, once for each time it is repeated: none of a value that is of a wrong type."""
Fields = Mapping[str, tuple[int, Write]]


def encode(document: Mapping[str, Any]) -> bytes:
    """The document as a message `openapi.v2.Document`."""
    return _encode(_DOCUMENT, document)


def _encode(fields: Fields, value: Mapping[str, Any]) -> bytes:
    found = []
    for name, inner in value.items():
        known = fields.get(name)
        if known is not None:
            found += [_put(known[0], one) for one in known[1](inner)]
        elif name.startswith(_EXTENSION) and _EXTENSION in fields:
            number, write = fields[_EXTENSION]
            found += [_put(number, _pair(name, one)) for one in write(inner)]
    return b"".join(found)


def _put(number: int, value: Value) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3 | _VARINT) + _varint(value)
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    found = bytearray()
    value &= 2**64 - 1
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


def _pair(name: str, value: Value) -> bytes:
    return _put(1, name.encode()) + _put(2, value)


# --- what writes a value ----------------------------------------------------------------------------------


def _text(value: Any) -> Iterable[Value]:
    return (value.encode(),) if isinstance(value, str) else ()


def _number(value: Any) -> Iterable[Value]:
    return (int(value),) if isinstance(value, int) else ()


def _json(value: Any) -> Iterable[Value]:
    # The field is for YAML, and JSON is that.
    return (_put(2, orjson.dumps(value)),)


def _message(fields: Callable[[], Fields]) -> Write:
    return lambda value: (_encode(fields(), value),) if isinstance(value, dict) else ()


def _each(write: Write) -> Write:
    return lambda value: [one for item in value for one in write(item)] if isinstance(value, list) else ()


def _within(number: int, write: Write) -> Write:
    """A message of one field: one of several that might stand there."""
    return lambda value: [_put(number, one) for one in write(value)]


def _named(number: int, write: Write) -> Write:
    """A message of pairs, which holds what a mapping has under names of its own."""

    def pairs(value: Any) -> Iterable[Value]:
        if not isinstance(value, dict):
            return ()
        return (
            b"".join(_put(number, _pair(name, one)) for name, inner in value.items() for one in write(inner)),
        )

    return pairs


def _schema_or_switch(value: Any) -> Iterable[Value]:
    return _within(2, _number)(value) if isinstance(value, bool) else _within(1, _SCHEMA_VALUE)(value)


def _parameter(value: Any) -> Iterable[Value]:
    if value["in"] == "body":
        return [_put(1, _put(1, _encode(_BODY, value)))]
    number, fields = (4, _IN_PATH) if value["in"] == "path" else (3, _IN_QUERY)
    return [_put(1, _put(2, _put(number, _encode(fields, value))))]


# --- messages ---------------------------------------------------------------------------------------------

_SCHEMA_VALUE = _message(lambda: _SCHEMA)
_SCHEMA: Fields = {
    "$ref": (1, _text),
    "format": (2, _text),
    "title": (3, _text),
    "description": (4, _text),
    "default": (5, _json),
    "maxLength": (11, _number),
    "minLength": (12, _number),
    "pattern": (13, _text),
    "maxItems": (14, _number),
    "minItems": (15, _number),
    "uniqueItems": (16, _number),
    "maxProperties": (17, _number),
    "minProperties": (18, _number),
    "required": (19, _each(_text)),
    "enum": (20, _each(_json)),
    "additionalProperties": (21, _schema_or_switch),
    "type": (22, _within(1, _text)),
    "items": (23, _within(1, _SCHEMA_VALUE)),
    "allOf": (24, _each(_SCHEMA_VALUE)),
    "properties": (25, _named(1, _SCHEMA_VALUE)),
    _EXTENSION: (31, _json),
}
_BODY: Fields = {
    "name": (2, _text),
    "in": (3, _text),
    "required": (4, _number),
    "schema": (5, _SCHEMA_VALUE),
}
_IN_QUERY: Fields = {"required": (1, _number), "in": (2, _text), "name": (4, _text), "type": (6, _text)}
_IN_PATH: Fields = {"required": (1, _number), "in": (2, _text), "name": (4, _text), "type": (5, _text)}
_RESPONSE: Fields = {"description": (1, _text), "schema": (2, _within(1, _SCHEMA_VALUE))}
_PARAMETERS = _each(_parameter)
_OPERATION: Fields = {
    "operationId": (5, _text),
    "produces": (6, _each(_text)),
    "consumes": (7, _each(_text)),
    "parameters": (8, _PARAMETERS),
    "responses": (9, _named(1, _within(1, _message(lambda: _RESPONSE)))),
    _EXTENSION: (13, _json),
}
_METHODS = {"get": 2, "put": 3, "post": 4, "delete": 5, "patch": 8}
_PATH: Fields = {
    **{name: (number, _message(lambda: _OPERATION)) for name, number in _METHODS.items()},
    "parameters": (9, _PARAMETERS),
}
_INFO: Fields = {"title": (1, _text), "version": (2, _text)}
_DOCUMENT: Fields = {
    "swagger": (1, _text),
    "info": (2, _message(lambda: _INFO)),
    "paths": (8, _named(2, _message(lambda: _PATH))),
    "definitions": (9, _named(1, _SCHEMA_VALUE)),
}
