"""How server-side apply sees a field: as one value, or as something of which the parts have owners.

A mapping is owned field by field and a list as a whole, unless the tables say otherwise. Of a field of which
nothing is known each mapping within is owned by its fields, those being no declared ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...releases.known import DEFAULT_RELEASE
from ...releases.release import Release
from ..fields import ANY_TYPE, LIST, MAP, Field, read_field
from ..tables import ANY_FIELD, load_tables

SCALAR, UNTYPED = "scalar", "untyped"
_KEY_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    # The only keys of entries that may be left out: the tables know no defaults.
    "ContainerPort": {"protocol": "TCP"},
    "ServicePort": {"protocol": "TCP"},
}


@dataclass(frozen=True, slots=True)
class Shape:
    """`form`: SCALAR, LIST, MAP or UNTYPED.

    `own`: the declared fields of a mapping, by name; `type_name`: the type of the tables that declares them.
    `inner`: what the entries of a list are, or the fields of a mapping that are not declared; None: there are
    none. `keys`: by which fields the entries of a list are known; without any, each is a value of a set.
    `key_defaults`: what a key is that an entry leaves out. `scalar`: the type of a plain value, "" for any.
    `release`: whose tables declare the type.
    """

    form: str
    is_atomic: bool = False
    inner: Shape | None = None
    type_name: str = ""
    own: Mapping[str, Shape] | None = None
    keys: tuple[str, ...] = ()
    key_defaults: Mapping[str, Any] | None = None
    scalar: str = ""
    release: Release = DEFAULT_RELEASE

    def declared(self, name: str) -> Shape | None:
        """The shape of a field that is declared by its name."""
        if self.own is not None:
            return self.own.get(name)
        return _shapes_of_type(self.type_name, self.release).get(name) if self.type_name else None

    def find(self, name: str) -> Shape | None:
        """The shape of a field, declared or not; None: there is no such field."""
        return self.declared(name) or self.inner

    @property
    def names(self) -> list[str]:
        """The declared fields."""
        own = (
            self.own
            if self.own is not None
            else load_tables(self.release).types[self.type_name]
            if self.type_name
            else ()
        )
        return [name for name in own if name != ANY_FIELD]


UNTYPED_SHAPE = Shape(UNTYPED)
SCALAR_SHAPE = Shape(SCALAR)
# Of a value of which nothing is known, by what it is.
UNTYPED_MAP = Shape(MAP, inner=UNTYPED_SHAPE)
UNTYPED_LIST = Shape(LIST, is_atomic=True, inner=UNTYPED_SHAPE)
_NUMBERS = ("int32", "int64", "number")


@cache
def shape_of(field: Field, release: Release = DEFAULT_RELEASE) -> Shape:
    """The shape of a field of a release's tables."""
    is_atomic = field.ownership == "atomic"
    if field.shape == LIST:
        return _list_shape(field, release)
    if field.shape == MAP:
        assert field.inner is not None, "a map is a map of something"
        return Shape(MAP, is_atomic, shape_of(field.inner, release))
    if field.type_name == ANY_TYPE:
        return UNTYPED_SHAPE
    types = load_tables(release).types
    if field.type_name in types:
        further = types[field.type_name].get(ANY_FIELD)
        inner = shape_of(further, release) if further else None
        return Shape(MAP, is_atomic, inner, field.type_name, release=release)
    scalar = "numeric" if field.type_name in _NUMBERS else field.type_name
    return Shape(SCALAR, scalar=scalar if scalar in ("numeric", "string", "boolean") else "")


@cache
def _shapes_of_type(type_name: str, release: Release) -> Mapping[str, Shape]:
    """The shapes of the declared fields of a type, by name."""
    fields = load_tables(release).types[type_name]
    return {name: shape_of(field, release) for name, field in fields.items()}


def _list_shape(field: Field, release: Release) -> Shape:
    assert field.inner is not None, "a list is a list of something"
    is_atomic = field.ownership not in ("map", "set")
    defaults = _KEY_DEFAULTS.get(field.inner.type_name)
    return Shape(LIST, is_atomic, shape_of(field.inner, release), keys=field.owned_by, key_defaults=defaults)


def shape_of_kind(api_version: str, kind: str, release: Release = DEFAULT_RELEASE) -> Shape | None:
    """The shape of an object of the tables; None where they have none of that kind."""
    type_name = load_tables(release).kinds.get((api_version, kind))
    return Shape(MAP, type_name=type_name, release=release) if type_name else None


def shape_of_custom(content: Shape | None) -> Shape:
    """The shape of a custom resource: what every object has, and its content; None: it is not known."""
    own = {
        "apiVersion": SCALAR_SHAPE,
        "kind": SCALAR_SHAPE,
        "metadata": shape_of(read_field("ObjectMeta")),
    }
    if content is None:
        return Shape(MAP, inner=UNTYPED_SHAPE, own=own)
    return Shape(MAP, inner=content.inner, own={**(content.own or {}), **own})


def resolve(shape: Shape, value: Any) -> Shape:
    """The shape of a value of an untyped field, by what the value is."""
    if shape.form != UNTYPED:
        return shape
    if isinstance(value, dict):
        return UNTYPED_MAP
    return UNTYPED_LIST if isinstance(value, list) else SCALAR_SHAPE
