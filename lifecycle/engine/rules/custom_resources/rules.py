"""The rules of a definition, `x-kubernetes-validations`, asked of an object and of what it was before.

Models apiextensions-apiserver, pkg/apiserver/schema/cel/validation.go. Left out: costs, which the API server
estimates when a rule is stored and counts when it is asked; rules deeper than one level below `allOf`. Rules
that read times or spans of time are told as not asked.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass, field

from ...objects.names import EMBEDS, LIST_KEYS, LIST_TYPE
from ..cel.evaluator import (
    OLD_SELF,
    Budget,
    Failed,
    Optional,
    Unasked,
    evaluate,
    find_unasked,
    list_names,
    uses,
)
from ..cel.messages import reckon_message, show_expression
from ..validation.words.field_error import OMITTED, FieldError, duplicate, forbidden, invalid, required
from .definition import RULES
from .escapes import escape
from .validation import WHOLE

Json = Mapping[str, Any]
MOST_RULES = 2_000
_MOST_FINDINGS = 100
_MAP, _SET = "map", "set"
_TIMES = ("date", "date-time", "duration")
_STEP = late_pattern(r"\.([^.\[]+)|\['((?:[^'\\]|\\.)*)'\]")


@dataclass(slots=True)
class Findings:
    """What rules said: `errors` refuse the object, `warnings` do not, of `unasked` nothing was asked.

    `times`: names of fields that no rule can read.
    """

    errors: list[FieldError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unasked: list[str] = field(default_factory=list)
    times: frozenset[str] = frozenset()
    budget: Budget = field(default_factory=Budget)

    @property
    def is_full(self) -> bool:
        """Whether there is enough to say: nothing further is asked."""
        return max(len(self.errors), len(self.warnings), len(self.unasked)) >= _MOST_FINDINGS


@dataclass(frozen=True, slots=True)
class _Place:
    """A value and what it was. `is_same`: it, or what it stands in, is as it was, as far as that is known."""

    path: str
    value: Any
    old: Any
    is_same: bool
    is_root: bool

    def step(self, path: str, value: Any, old: Any, is_root: bool, has_old: bool = True) -> _Place:
        is_same = self.is_same or (has_old and old is not None and old == value)
        return _Place(path, value, old, is_same, is_root)

    def below(self, name: str, value: Any, old: Any, schema: Json) -> _Place:
        path = f"{self.path}.{name}" if self.path != WHOLE else name
        return self.step(path, value, old, bool(schema.get(EMBEDS)))


def ask_rules(value: Json, old: Json | None, schema: Json) -> Findings:
    """What the rules of a schema say of an object that fits it; `old`: as it is stored, None of a new one."""
    found = Findings(times=frozenset(_find_times(schema)))
    _ask(_Place(WHOLE, value, old, old == value, True), schema, found)
    return found


def find_unasked_rules(schema: Json, path: str, checked: Budget) -> list[str]:
    """What of a schema's rules cannot be asked, each with its path and why; of the first MOST_RULES.

    `checked`: of all schemas of the definition.
    """
    times = frozenset(_find_times(schema))
    return [
        f"{place}.{name}: {why}"
        for place, rule, inner in islice(_list_rules(schema, path), MOST_RULES)
        for name in ("rule", "messageExpression")
        if rule.get(name) and (why := _find_why(rule, name, times, inner, checked))
    ]


def _list_rules(schema: Json, path: str) -> Iterator[tuple[str, Json, Json]]:
    """(path, rule, the schema that it stands in) of every rule that is asked."""
    for index, rule in enumerate(schema.get(RULES) or ()):
        yield f"{path}.{RULES}[{index}]", rule, schema
    for name, inner in (schema.get("properties") or {}).items():
        yield from _list_rules(inner, f"{path}.properties[{name}]")
    for name in ("items", "additionalProperties"):
        if isinstance(inner := schema.get(name), Mapping):
            yield from _list_rules(inner, f"{path}.{name}")
    for index, one in enumerate(schema.get("allOf") or ()):
        yield from _list_rules({RULES: one.get(RULES)}, f"{path}.allOf[{index}]")


def _find_why(rule: Json, name: str, times: frozenset[str], schema: Json, checked: Budget) -> str:
    try:
        _require_no_times(rule[name], times, schema)
    except Unasked as why:
        return str(why)
    return find_unasked(rule[name], ("self", OLD_SELF), checked, bool(rule.get("optionalOldSelf")))


def _require_no_times(text: str, times: frozenset[str], schema: Json) -> None:
    """Raise Unasked for an expression that reads a time, or stands at one."""
    name = "self" if schema.get("format") in _TIMES else min(times & list_names(text), default="")
    if name:
        raise Unasked(f"{name} is a time, and times of objects are not modelled in rules")


# --- the walk ---------------------------------------------------------------------------------------------


def _ask(place: _Place, schema: Json, found: Findings) -> None:
    if place.value is None or found.is_full:
        return
    _ask_here(place, schema.get(RULES) or (), schema, found)
    for one in schema.get("allOf") or ():
        _ask_here(place, one.get(RULES) or (), schema, found)
    if isinstance(place.value, list):
        _ask_entries(place, schema, found)
    elif isinstance(place.value, Mapping):
        _ask_fields(place, schema, found)


def _ask_fields(place: _Place, schema: Json, found: Findings) -> None:
    known, further = schema.get("properties") or {}, schema.get("additionalProperties")
    old = place.old if isinstance(place.old, Mapping) else {}
    for name, inner in place.value.items():
        if isinstance(below := known.get(name), Mapping):
            _ask(place.below(name, inner, old.get(name), below), below, found)
        elif isinstance(further, Mapping):
            path = f"{'' if place.path == WHOLE else place.path}[{name}]"
            _ask(place.step(path, inner, old.get(name), bool(further.get(EMBEDS))), further, found)


def _ask_entries(place: _Place, schema: Json, found: Findings) -> None:
    items = schema.get("items")
    if not isinstance(items, Mapping):
        return
    former = _by_key(place.old, schema) if schema.get(LIST_TYPE) == _MAP else {}
    for index, one in enumerate(place.value):
        old = former.get(_key_of(one, schema)) if former else None
        _ask(place.step(f"{place.path}[{index}]", one, old, bool(items.get(EMBEDS))), items, found)


def _by_key(entries: Any, schema: Json) -> dict[Any, Any]:
    return {_key_of(one, schema): one for one in entries} if isinstance(entries, list) else {}


def _key_of(entry: Any, schema: Json) -> Any:
    keys = schema.get(LIST_KEYS) or ()
    return tuple(str(entry.get(name)) for name in keys) if isinstance(entry, Mapping) else str(entry)


# --- one place --------------------------------------------------------------------------------------------


def _ask_here(place: _Place, rules: Any, schema: Json, found: Findings) -> None:
    given: dict[str, Any] | None = None
    for rule in rules:
        text = rule.get("rule") or ""
        is_optional, is_transition = bool(rule.get("optionalOldSelf")), uses(text, OLD_SELF)
        # A rule of a change is asked where there is something that was changed.
        if not text or (is_transition and place.old is None and not is_optional):
            continue
        if given is None:
            given = _variables(place, schema)
        variables = given
        if is_transition and is_optional:
            variables = {**given, OLD_SELF: Optional(given.get(OLD_SELF), place.old is not None)}
        try:
            _require_no_times(text, found.times, schema)
            is_kept = evaluate(text, variables, found.budget) is True
        except Failed as problem:
            said = rule.get("message", "").strip() or text.strip()
            found.errors.append(
                invalid(place.path, _shown(place, schema), f"{problem} evaluating rule: {said}")
            )
            continue
        except Unasked as why:
            found.unasked.append(f"{place.path}: the rule {show_expression(text)} is not asked: {why}")
            continue
        if not is_kept:
            _tell(place, rule, schema, variables, found, is_transition)


def _tell(
    place: _Place, rule: Json, schema: Json, variables: Json, found: Findings, is_transition: bool
) -> None:
    """A rule that is broken: what was broken before and is as it was is only warned of."""
    path = _read_field_path(rule.get("fieldPath") or "", place.path)
    detail, value = _message_of(rule, variables, found), _shown(place, schema)
    match rule.get("reason"):
        case "FieldValueForbidden":
            error = forbidden(path, detail)
        case "FieldValueRequired":
            error = required(path, detail)
        case "FieldValueDuplicate":
            error = duplicate(path, value)
        case _:
            error = invalid(path, value, detail)
    if place.is_same and not is_transition:
        found.warnings.append(str(error))
    else:
        found.errors.append(error)


def _message_of(rule: Json, variables: Json, found: Findings) -> str:
    """What a rule says of itself: reckoned, given, or the rule."""
    reckoned = reckon_message(
        rule.get("messageExpression"), lambda text: evaluate(text, variables, found.budget)
    )
    given = (rule.get("message") or "").strip()
    return reckoned or given or f"failed rule: {(rule.get('rule') or '').strip()}"


def _shown(place: _Place, schema: Json) -> Any:
    """The value as an error shows it: none of an object or a list."""
    return OMITTED if schema.get("type") in ("object", "array") else place.value


def _read_field_path(text: str, path: str) -> str:
    """The path of an error of a rule that points to somewhere below its own."""
    steps = [name or key for name, key in _STEP.findall(text)]
    return ".".join([*([] if steps and path == WHOLE else [path]), *steps])


# --- values -----------------------------------------------------------------------------------------------


def _variables(place: _Place, schema: Json) -> dict[str, Any]:
    given = {"self": _convert(place.value, schema, place.is_root)}
    if place.old is not None:
        old = _order_like(place.old, place.value, schema)
        given[OLD_SELF] = _convert(old, schema, place.is_root)
    return given


def _convert(value: Any, schema: Json, is_root: bool = False) -> Any:
    """A value as CEL has it by its schema: its fields by names that it can write."""
    if isinstance(value, Mapping):
        return _convert_fields(value, schema, is_root)
    if isinstance(value, list):
        items = schema.get("items")
        if not isinstance(items, Mapping):
            return value
        return [_convert(one, items, bool(items.get(EMBEDS))) for one in value]
    if isinstance(value, str):
        return _decode(value) if schema.get("format") == "byte" else value
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if is_whole and schema.get("type") == "number" else value


def _convert_fields(value: Json, schema: Json, is_root: bool) -> Json:
    known, further = schema.get("properties"), schema.get("additionalProperties")
    if not known and not is_root:
        entry: Json = further if isinstance(further, Mapping) else {}
        return {name: _convert(one, entry) for name, one in value.items()}
    made = {}
    for name, one in value.items():
        below = (known or {}).get(name)
        if isinstance(below, Mapping) and (escaped := escape(name)):
            made[escaped] = _convert(one, below, bool(below.get(EMBEDS)))
    if is_root:
        made |= {name: value[name] for name in ("apiVersion", "kind") if name in value}
        meta = value.get("metadata") or {}
        made["metadata"] = {name: meta[name] for name in ("name", "generateName") if name in meta}
    return made


def _decode(text: str) -> Any:
    """The bytes that a text stands for; the text, where it stands for none."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return text


def _find_times(schema: Json, name: str = "self") -> Iterator[str]:
    """The names by which an expression comes to times: the library for CEL takes none in."""
    if schema.get("format") in _TIMES:
        yield name
    for field_name, inner in (schema.get("properties") or {}).items():
        yield from _find_times(inner, escape(field_name) or name)
    for key in ("items", "additionalProperties"):
        if isinstance(inner := schema.get(key), Mapping):
            yield from _find_times(inner, name)


def _order_like(old: Any, new: Any, schema: Json) -> Any:
    """What was, its sets and lists with keys in the order of what is: for Kubernetes these are equal."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        known, further = schema.get("properties") or {}, schema.get("additionalProperties")
        further = further if isinstance(further, Mapping) else {}
        return {
            name: _order_like(one, new.get(name), known.get(name) or further) for name, one in old.items()
        }
    if not isinstance(old, list) or not isinstance(new, list):
        return old
    items, kind = schema.get("items") or {}, schema.get(LIST_TYPE)
    if kind not in (_MAP, _SET):
        return old
    places = {_key_of(one, schema): place for place, one in enumerate(new)}
    ordered = sorted(old, key=lambda one: places.get(_key_of(one, schema), len(new)))
    if kind == _SET:
        return ordered
    by_key = _by_key(new, schema)
    return [_order_like(one, by_key.get(_key_of(one, schema)), items) for one in ordered]
