"""Object metadata, and the base of every stored object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from lifecycle.lean_dataclasses import dataclass, field
from lifecycle.lean_tuples import NamedTuple

from .kinds import Kind, id_for, kind_for
from .record import Record
from .times import format_time, parse_time, parse_time_or_none

Key = tuple[str, str, str]
"""(id of the kind, namespace or "", name)"""

_READ = frozenset(
    (
        "name namespace uid generateName labels annotations ownerReferences finalizers creationTimestamp"
        " deletionTimestamp deletionGracePeriodSeconds generation resourceVersion managedFields selfLink"
    ).split()
)


@dataclass(slots=True, eq=False)
class OwnerReference(Record):
    """One entry of `metadata.ownerReferences`."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool = False
    block_owner_deletion: bool = False

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OwnerReference:
        """Read one entry."""
        return cls(
            data.get("apiVersion", ""),
            data.get("kind", ""),
            data.get("name", ""),
            data.get("uid", ""),
            bool(data.get("controller")),
            bool(data.get("blockOwnerDeletion")),
        )

    @property
    def kind_id(self) -> str:
        """The id of the owner's kind."""
        return id_for(self.api_version, self.kind)

    def to_json(self) -> dict[str, Any]:
        """The API form."""
        data: dict[str, Any] = {
            "apiVersion": self.api_version,
            "kind": self.kind,
            "name": self.name,
            "uid": self.uid,
        }
        if self.controller:
            data["controller"] = True
        if self.block_owner_deletion:
            data["blockOwnerDeletion"] = True
        return data


class Subject(NamedTuple):
    """Who a row of the trace is about; one per object, shared by all its rows."""

    kind: str
    namespace: str | None
    name: str
    uid: str
    owner: str | None
    group: str


@dataclass(slots=True, eq=False)
class ObjectMeta(Record):
    """`metadata`, less `resourceVersion`, which the stored object itself carries.

    Instants in ms. `deletion_ms` is the deletionTimestamp: the request's instant plus the grace period.
    """

    DERIVED = ("controller", "subject")
    name: str
    namespace: str | None = None
    uid: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    owner_references: tuple[OwnerReference, ...] = ()
    creation_ms: int | None = None
    generate_name: str = ""
    finalizers: tuple[str, ...] = ()
    deletion_ms: int | None = None
    deletion_grace_seconds: int | None = None
    generation: int = 0
    extra: dict[str, Any] | None = None
    controller: OwnerReference | None = field(init=False)
    subject: Subject | None = field(init=False)

    def __post_init__(self) -> None:
        self.derive()

    def derive(self) -> None:
        """Work out what follows from the rest: the controlling owner. The subject waits to be asked."""
        self.subject = None
        self.controller = None
        for reference in self.owner_references:
            if reference.controller:
                self.controller = reference
                break

    def replace(self, **changes: Any) -> Self:
        """A changed copy; the cached subject of trace rows stays as long as name and owners do."""
        new = self._copy()
        for name, value in changes.items():
            setattr(new, name, value)
        if "owner_references" in changes:
            new.derive()
        elif "name" in changes:
            new.subject = None
        return new

    def with_finalizers(self, finalizers: tuple[str, ...]) -> Self:
        """The metadata with other finalizers: the hot path's `replace`."""
        new = self._copy()
        new.finalizers = finalizers
        return new

    def with_deletion(
        self, deletion_ms: int, grace_seconds: int, finalizers: tuple[str, ...], generation: int
    ) -> Self:
        """The metadata of an object that is to go: the hot path's `replace`."""
        new = self._copy()
        new.deletion_ms = deletion_ms
        new.deletion_grace_seconds = grace_seconds
        new.finalizers = finalizers
        new.generation = generation
        return new

    def _copy(self) -> Self:
        """Spelled out, as most writes to objects make one."""
        new = object.__new__(type(self))
        new.name = self.name
        new.namespace = self.namespace
        new.uid = self.uid
        new.labels = self.labels
        new.annotations = self.annotations
        new.owner_references = self.owner_references
        new.creation_ms = self.creation_ms
        new.generate_name = self.generate_name
        new.finalizers = self.finalizers
        new.deletion_ms = self.deletion_ms
        new.deletion_grace_seconds = self.deletion_grace_seconds
        new.generation = self.generation
        new.extra = self.extra
        new.controller = self.controller
        new.subject = self.subject
        return new

    @classmethod
    def from_json(cls, data: Mapping[str, Any], epoch_ms: int = 0) -> ObjectMeta:
        """Read `metadata`; fields the engine does not know are kept in `extra`."""
        created = data.get("creationTimestamp")
        return cls(
            data.get("name", ""),
            data.get("namespace"),
            data.get("uid", ""),
            data.get("labels") or {},
            data.get("annotations") or {},
            tuple(OwnerReference.from_json(entry) for entry in data.get("ownerReferences") or ()),
            parse_time(created, epoch_ms) if created else None,
            data.get("generateName", ""),
            tuple(data.get("finalizers") or ()),
            parse_time_or_none(data.get("deletionTimestamp"), epoch_ms),
            data.get("deletionGracePeriodSeconds"),
            data.get("generation", 0),
            {name: value for name, value in data.items() if name not in _READ} or None,
        )

    def to_json(self, epoch_ms: int = 0) -> dict[str, Any]:
        """The API form, without `resourceVersion`."""
        data: dict[str, Any] = {"name": self.name}
        if self.generate_name:
            data["generateName"] = self.generate_name
        if self.namespace is not None:
            data["namespace"] = self.namespace
        if self.uid:
            data["uid"] = self.uid
        if self.generation:
            data["generation"] = self.generation
        if self.creation_ms is not None:
            data["creationTimestamp"] = format_time(self.creation_ms, epoch_ms)
        if self.deletion_ms is not None:
            data["deletionTimestamp"] = format_time(self.deletion_ms, epoch_ms)
        if self.deletion_grace_seconds is not None:
            data["deletionGracePeriodSeconds"] = self.deletion_grace_seconds
        if self.labels:
            data["labels"] = self.labels
        if self.annotations:
            data["annotations"] = self.annotations
        if self.owner_references:
            data["ownerReferences"] = [reference.to_json() for reference in self.owner_references]
        if self.finalizers:
            data["finalizers"] = list(self.finalizers)
        if self.extra:
            data.update(self.extra)
        return data


@dataclass(slots=True, eq=False)
class StoredObject(Record):
    """An object of the store. Immutable: a write stores a new outer object that shares its parts.

    `extra` holds the top-level fields the class does not interpret (`data`, `stringData`, …), and for
    kinds without a typed class `spec` and `status` are plain JSON.
    """

    kind: Kind
    meta: ObjectMeta
    spec: Any = None
    status: Any = None
    resource_version: int = 0
    extra: dict[str, Any] | None = None
    KIND: ClassVar[str] = ""

    @property
    def key(self) -> Key:
        """(id of the kind, namespace or "", name)"""
        return (self.kind.id, self.meta.namespace or "", self.meta.name)

    @property
    def subject(self) -> Subject:
        """Who the rows about this object name; made once, kept while name and owner stay."""
        meta = self.meta
        if meta.subject is None:
            owner = meta.controller
            meta.subject = Subject(
                self.kind.name,
                meta.namespace,
                meta.name,
                meta.uid,
                f"{owner.kind_id}/{owner.name}" if owner else None,
                self.kind.group,
            )
        return meta.subject

    @classmethod
    def from_json(cls, data: Mapping[str, Any], epoch_ms: int = 0) -> Self:
        """Read an object. `metadata.resourceVersion` that is no number reads as 0."""
        meta_data = data.get("metadata") or {}
        version = str(meta_data.get("resourceVersion") or "0")
        return cls(
            kind_for(data.get("apiVersion", ""), data.get("kind") or cls.KIND),
            ObjectMeta.from_json(meta_data, epoch_ms),
            cls._read_spec(data, epoch_ms),
            cls._read_status(data.get("status"), epoch_ms),
            int(version) if version.isdigit() else 0,
            {
                name: value
                for name, value in data.items()
                if name not in ("apiVersion", "kind", "metadata", "spec", "status")
            }
            or None,
        )

    def read_like(self, data: Mapping[str, Any], epoch_ms: int = 0) -> Self:
        """Read another object of the kind; what is made of the very same JSON may be shared."""
        return type(self).from_json(data, epoch_ms)

    @classmethod
    def _read_spec(cls, data: Mapping[str, Any], epoch_ms: int) -> Any:
        return data.get("spec")

    @classmethod
    def _read_status(cls, data: Any, epoch_ms: int) -> Any:
        return data

    def spec_json(self, epoch_ms: int = 0) -> Any:
        """The API form of `spec`."""
        return self.spec

    def status_json(self, epoch_ms: int = 0) -> Any:
        """The API form of `status`."""
        return self.status

    def to_json(self, epoch_ms: int = 0) -> dict[str, Any]:
        """The API form of the whole object."""
        meta = self.meta.to_json(epoch_ms)
        if self.resource_version:
            meta["resourceVersion"] = str(self.resource_version)
        data: dict[str, Any] = {
            "apiVersion": self.kind.api_version,
            "kind": self.kind.name,
            "metadata": meta,
        }
        if self.extra:
            data.update(self.extra)
        spec = self.spec_json(epoch_ms)
        if spec is not None:
            data["spec"] = spec
        status = self.status_json(epoch_ms)
        if status is not None:
            data["status"] = status
        return data


def controller_reference(owner: StoredObject) -> OwnerReference:
    """What a dependent says of the owner that controls it."""
    kind, meta = owner.kind, owner.meta
    return OwnerReference(kind.api_version, kind.name, meta.name, meta.uid, True, True)


class PlainObject(StoredObject):
    """An object of a kind the engine stores and serves without reading it."""

    __slots__ = ()
