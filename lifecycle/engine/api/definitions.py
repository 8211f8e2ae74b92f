"""The CustomResourceDefinitions of a cluster, and the handling of custom resources.

Objects of a kind without a definition are accepted as they are: namespaced, and without validation. So a
manifest can be tried even if its definitions are missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..heart.errors import NotFound
from ..kinds.generations import keeps_counting
from ..kinds.registry import entry_of, entry_of_json, kind_of_json, list_forms
from ..kinds.validation import validate_create
from ..objects.kinds import Kind, kind_id
from ..objects.meta import StoredObject
from ..objects.names import DEFINITION
from ..rules.custom_resources.definition import (
    Definition,
    ScalePaths,
    Version,
    find_unserved,
    read_definition,
)
from ..rules.scaling.scales import BUILT_IN
from ..rules.validation.words.field_error import INVALID, FieldError
from ..schema.typed.shapes import Shape
from ..store.store import Store
from .options import PLAIN, WriteOptions

Json = dict[str, Any]
_UNCHECKED = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to"
    " complete validation"
)


class Definitions:
    """The definitions that are in the store, by the kinds they make."""

    __slots__ = ("_by_kind", "_shapes", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        # None: to be read again.
        self._by_kind: dict[str, Definition] | None = None
        self._shapes: dict[tuple[str, str], Shape] = {}
        store.listen(DEFINITION, self._change)

    def _change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if old is not None and new is not None and old.spec is new.spec:
            return
        self._by_kind = None
        self._shapes.clear()
        if new is not None and new.spec is not None:
            # Its objects may have been there before it, and it may get other short names.
            self._identify_each(kind_id(new.spec["group"], new.spec["names"]["kind"]))

    def find(self, kind_id: str) -> Definition | None:
        """The definition of a kind, if somebody gave one."""
        if not self._store.count(DEFINITION):
            return None
        if self._by_kind is None:
            found = (read_definition(one.spec, one.meta.name) for one in self._store.list(DEFINITION))
            self._by_kind = {one.kind_id: one for one in found}
        return self._by_kind.get(kind_id)

    def find_version(self, data: Json) -> Version | None:
        """What is defined of the version that an object is of."""
        if not self._store.count(DEFINITION):
            return None
        definition = self.find(kind_of_json(data).id)
        version = str(data.get("apiVersion") or "").rpartition("/")[2]
        return definition.versions.get(version) if definition is not None else None

    def in_stored_version(self, data: Json) -> Json:
        """An object of any version of a definition, in the one that is stored: they differ in name alone.

        A definition may have come to store another. As in Kubernetes any write, of no change even, brings an
        object there.
        """
        if not self._store.count(DEFINITION):
            return data
        definition, version = self.find(kind_of_json(data).id), self.find_version(data)
        if definition is None or version is None or version.is_stored:
            return data
        return {**data, "apiVersion": f"{definition.group}/{definition.stored_version}"}

    # --- what happens to an object ------------------------------------------------------------------------

    def complete(self, data: Json) -> tuple[Json, Sequence[str]]:
        """An object without what its schema does not take, with its defaults; and the fields dropped.

        Those are worded as a strict reading words them.
        """
        version = self.find_version(data)
        if version is None or not version.schema:
            return data, ()
        from ..rules.custom_resources.structural import prune, with_defaults, without_nulls

        kept, dropped = prune(data, version.schema)
        filled = with_defaults(without_nulls(kept, version.schema), version.schema)
        return filled, [f'unknown field "{path}"' for path in sorted(dropped)]

    def find_dropped(self, data: Json) -> Sequence[str]:
        """The fields of an object that its schema does not know, as a strict reading words them."""
        return self.complete(data)[1]

    def require_served(self, data: Json) -> None:
        """Raise NotFound for an object of a version that its definition does not serve."""
        definition = self.find(kind_of_json(data).id)
        if definition is not None and (message := find_unserved(definition, data)):
            raise NotFound(message)

    def has_status(self, data: Json) -> bool:
        """Whether an object has an address /status, so that its own leaves the status alone.

        Where its definition gives it none, the status is a field as any other (customresource/strategy.go).
        """
        version = self.find_version(data)
        return version is None or version.has_status

    def make_new(self, data: Json) -> Json:
        """A new object in its place, without a status that has an address of its own."""
        version = self.find_version(data)
        if version is not None and version.has_status:
            data = {name: value for name, value in data.items() if name != "status"}
        return self.place(data)

    def place(self, data: Json) -> Json:
        """An object without a namespace, where its kind has none."""
        if not self._store.count(DEFINITION):
            return data
        definition = self.find(kind_of_json(data).id)
        if definition is None or definition.is_namespaced:
            return data
        meta = {name: value for name, value in data["metadata"].items() if name != "namespace"}
        return {**data, "metadata": meta}

    def kind_of(self, kind: Kind) -> Kind:
        """A kind as its definition has it; any other as it is."""
        definition = self.find(kind.id)
        if definition is None:
            return kind
        version = kind.api_version.rpartition("/")[2]
        return definition.make_kind(version if version in definition.versions else definition.stored_version)

    def list_versions(self, kind: Kind, data: Json) -> list[str]:
        """The versions that a kind is served in, that of the object first."""
        own = str(data.get("apiVersion") or kind.api_version).rpartition("/")[2]
        definition = self.find(kind.id)
        if definition is None:
            return list(dict.fromkeys([own, *list_forms(kind)]))
        served = [one.name for one in definition.versions.values() if one.is_served]
        return list(dict.fromkeys([own, *served]))

    def identify(self, new: StoredObject) -> None:
        """Have an object be of the very kind that was defined: its plural, its scope."""
        new.kind = self.kind_of(new.kind)

    def restore(self, objects: Iterable[StoredObject]) -> None:
        """Put back the objects of a checkpoint: what was written down of one is its kind's name alone."""
        for one in objects:
            self._store.restore(one)
        if self._store.count(DEFINITION):
            for found in self._store.kinds():
                self._identify_each(found)

    def _identify_each(self, found: str) -> None:
        if self._store.count(found) and self.find(found) is not None:
            for one in self._store.list(found):
                self.identify(one)

    def validate_new(self, data: Json, gates: Mapping[str, bool], options: WriteOptions) -> list[FieldError]:
        """What is wrong with a new object of any kind."""
        return validate_create(data, gates) + self.validate(data, options)

    def validate(
        self, data: Json, options: WriteOptions, old: Json | None = None, subresource: str | None = None
    ) -> list[FieldError]:
        """What is wrong with an object by the schema of its kind and the rules in it.

        `old`: as it is stored; None of a new one. Of a write to /status the status is looked at alone.
        """
        version = self.find_version(data)
        if version is None:
            return []
        from ..rules.custom_resources.validation import (
            WHOLE,
            check_scale,
            is_blocking,
            validate_custom,
            validate_status,
        )

        # What every object has is checked as that of every object.
        own = {name: value for name, value in data.items() if name != "metadata"}
        known = dict(version.schema)
        properties = {**(known.get("properties") or {})}
        properties.pop("metadata", None)
        needed = [name for name in known.get("required") or () if name != "metadata"]
        if subresource == "status":
            is_given = own.get("status") is not None
            errors = validate_status(own["status"], properties.get("status") or {}) if is_given else []
        else:
            errors = validate_custom(own, {**known, "properties": properties, "required": needed})
        errors += check_scale(data, version.scale) if version.scale is not None else []
        if not version.has_rules:
            return errors
        if any(is_blocking(error) for error in errors):
            return [*errors, FieldError(WHOLE, INVALID, None, _UNCHECKED)]
        return errors + _ask_rules(data, old, version.schema, options)

    def is_spec_new(self, current: Json, wanted: Json) -> bool:
        """Whether a change is one of what is wanted: of the spec, and of a custom resource of anything else.

        The status is not, where it has an address of its own.
        """
        version = self.find_version(current)
        if version is None:
            if "spec" in current or "spec" in wanted:
                return bool(wanted.get("spec") != current.get("spec"))
            own = [{**one, "metadata": 0, "status": 0} for one in (current, wanted)]
            return keeps_counting(kind_of_json(current)) and own[0] != own[1]
        kept = {"metadata", "apiVersion", "kind"} | ({"status"} if version.has_status else set())
        names = (current.keys() | wanted.keys()) - kept
        return any(current.get(name) != wanted.get(name) for name in names)

    def find_replicas_path(self, data: Json) -> tuple[str, ...]:
        """Where an object has its size; () for one that has none."""
        version = self.find_version(data)
        if version is not None:
            return version.scale.spec if version.scale is not None else ()
        return entry_of_json(data).replicas_path

    def find_scale_paths(self, kind: Kind) -> ScalePaths | None:
        """Where objects of a kind have their size, in whichever version; None: they have no /scale."""
        definition = self.find(kind.id)
        if definition is not None:
            return next(
                (one.scale for one in definition.versions.values() if one.scale and one.scale.spec), None
            )
        return BUILT_IN if entry_of(kind).replicas_path else None

    def find_shape(self, data: Json) -> Shape | None:
        """How server-side apply sees an object of a defined kind."""
        version = self.find_version(data)
        if version is None or not version.schema:
            return None
        from ..schema.typed.custom import shape_of_schema

        at = (data["apiVersion"], data["kind"])
        if at not in self._shapes:
            self._shapes[at] = shape_of_schema(version.schema)
        return self._shapes[at]


def is_told_of(current: Json, wanted: Json) -> bool:
    """Whether a change of annotations raises the generation as one of the spec does: a Deployment's does."""
    before, after = (data["metadata"].get("annotations") or {} for data in (current, wanted))
    return before != after and entry_of_json(current).counts_annotations


def _ask_rules(
    data: Json, old: Json | None, schema: Mapping[str, Any], options: WriteOptions
) -> list[FieldError]:
    from ..rules.custom_resources.rules import ask_rules

    found = ask_rules(data, old, schema)
    # A component has nobody who could read a warning.
    if options is not PLAIN:
        options.warn(found.warnings + found.unasked)
    return found.errors
