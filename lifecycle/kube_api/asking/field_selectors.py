"""The text of a field selector, `status.phase!=Running,spec.nodeName=`, and the fields a kind is found by."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lifecycle.engine.rules.serving.fields import ReadField, read_at
from lifecycle.kube_api.asking.label_selectors import MOST_LETTERS
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.status import Refusal, bad_request

Json = Mapping[str, Any]
_METADATA = ("metadata.name", "metadata.namespace")


@dataclass(frozen=True, slots=True)
class Term:
    """One field, and the value that it has, or has not."""

    field: str
    value: str
    is_denied: bool
    read: ReadField

    def matches(self, data: Json) -> bool:
        """Whether an object's JSON meets it."""
        return (self.read(data) == self.value) != self.is_denied


FieldSelector = tuple[Term, ...]


def matches(selector: FieldSelector, data: Json) -> bool:
    """Whether an object's JSON meets every term."""
    return all(term.matches(data) for term in selector)


def names(selector: FieldSelector) -> str | None:
    """The only name that the selector leaves, None where it leaves more."""
    return value_of(selector, _METADATA[0])


def value_of(selector: FieldSelector, field: str) -> str | None:
    """The only value of a field that the selector leaves, None where it leaves more."""
    return next((one.value for one in selector if one.field == field and not one.is_denied), None)


def find_name(text: str) -> str:
    """The only name that a selector leaves, whatever else it says; "" where it leaves more, or is none."""
    if len(text) > MOST_LETTERS:
        return ""
    try:
        terms = [_read_term(term, text) for term in _split(text) if term]
    except Refusal:
        return ""
    return next((value for field, value, is_denied in terms if field == _METADATA[0] and not is_denied), "")


def parse(text: str, resource: Resource) -> FieldSelector:
    """The terms of a selector for a resource. Raises Refusal (400)."""
    if len(text) > MOST_LETTERS:
        raise bad_request(f"a selector of {len(text):,} letters is too long: {MOST_LETTERS:,} at most")
    fields = resource.form.fields
    found = []
    for term in _split(text):
        if term:
            field, value, is_denied = _read_term(term, text)
            found.append(Term(field, value, is_denied, _find_reader(field, fields, resource)))
    return tuple(found)


def _split(text: str) -> list[str]:
    """At commas that no backslash is before."""
    found, start, is_escaped = [], 0, False
    for at, sign in enumerate(text):
        if is_escaped:
            is_escaped = False
        elif sign == "\\":
            is_escaped = True
        elif sign == ",":
            found.append(text[start:at])
            start = at + 1
    return [*found, text[start:]]


def _read_term(term: str, text: str) -> tuple[str, str, bool]:
    for at in range(len(term)):
        for sign in ("!=", "==", "="):
            if term.startswith(sign, at):
                return term[:at], _unescape(term[at + len(sign) :]), sign == "!="
    raise bad_request(f"invalid selector: '{text}'; can't understand '{term}'")


def _unescape(text: str) -> str:
    if not any(sign in text for sign in "\\,="):
        return text
    found, is_escaped = "", False
    for sign in text:
        if is_escaped:
            if sign not in "\\,=":
                raise bad_request(f"invalid field selector: invalid escape sequence: \\{sign}")
            found, is_escaped = found + sign, False
        elif sign == "\\":
            is_escaped = True
        elif sign in ",=":
            raise bad_request(f"invalid field selector: unescaped character in value: {ord(sign)}")
        else:
            found += sign
    if is_escaped:
        raise bad_request("invalid field selector: invalid escape sequence: \\")
    return found


def _find_reader(field: str, fields: Mapping[str, ReadField], resource: Resource) -> ReadField:
    read = fields.get(field)
    if read is not None:
        return read
    if field in _METADATA and not (fields and not resource.namespaced and field == _METADATA[1]):
        return read_at(field)
    if resource.name == "jobs" and resource.group == "batch":
        raise bad_request(f'field label "{field}" not supported for Job')
    if fields or resource.custom:
        raise bad_request(f"field label not supported: {field}")
    known = ", ".join(f'"{one}"' for one in _METADATA)
    raise bad_request(f'"{field}" is not a known field selector: only {known}')
