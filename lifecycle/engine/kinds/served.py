"""What the API server's clients meet of a kind beside its objects: one section of its entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ..rules.serving.fields import ReadField
from ..rules.validation.words.field_error import FieldError

Convert = Callable[[dict[str, Any]], dict[str, Any]]
ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
ON_PART = ("get", "patch", "update")
PROXY = ("create", "delete", *ON_PART)


@dataclass(frozen=True, slots=True)
class Subresource:
    """A subresource: its verbs, and the kind it speaks (that of its object when left out)."""

    verbs: tuple[str, ...] = ON_PART
    kind: str = ""
    group: str = ""
    version: str = ""


STATUS = Subresource()
SCALE = Subresource(kind="Scale", group="autoscaling", version="v1")
STATUS_ONLY: Mapping[str, Subresource] = {"status": STATUS}
SCALE_AND_STATUS: Mapping[str, Subresource] = {"scale": SCALE, "status": STATUS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One version of a kind: how it differs from what is stored."""

    show: Convert | None = None
    """Makes of a stored object one that is shown."""
    read: Convert | None = None
    """Makes of an object that was sent one that is stored."""
    fields: Mapping[str, ReadField] = field(default_factory=dict)
    """What objects are found by beside their names, by the fields of the version."""
    check: Callable[[Mapping[str, Any] | None, Mapping[str, Any]], list[FieldError]] | None = None
    """(stored object or None, object as it would be stored): what this version asks beside the other."""


AS_STORED = Form()


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """How a kind is served. A field that is left out says: as most kinds are."""

    verbs: tuple[str, ...] = ALL_VERBS
    parts: Mapping[str, Subresource] = field(default_factory=dict)
    """Its subresources."""
    categories: tuple[str, ...] = ()
    """Words that stand for it and others: `kubectl get all`."""
    form: Form = AS_STORED
    """Its own version."""
    also: Mapping[tuple[str, str], Form] = field(default_factory=dict)
    """Further versions in which it is served, by group and version."""
    kept_as: str = ""
    """The version in which Kubernetes stores it, where that is an older one than it serves."""
    kept_until: int = 0
    """The last minor release that does so; 0: all do."""
    registry_name: str = ""
    """What its folder in etcd is called, where that is not its plural."""
    is_shown_when_deleted: bool = False
    """Whether a deletion answers with the object. Of all others it says that it was done."""
    is_created_by_update: bool = False
    """Whether an update of one that is not there makes it."""
    needs_version: bool = False
    """Whether a change has to say from which version it was made."""
    warning_of_deletion: str = ""
    """What a deletion that does not say what becomes of its dependents is warned of."""

    def list_forms(self, api_version: str) -> Mapping[str, Form]:
        """The forms of the kind's group by their versions; `api_version`: the kind's own."""
        own_group, _, own = api_version.rpartition("/")
        return {
            own: self.form,
            **{version: form for (group, version), form in self.also.items() if group == own_group},
        }


AS_MOST = Served()
ALL = ("all",)
EXTENSIONS = ("api-extensions",)
