"""What can be particular to a kind. A field that is left out says: as with any other kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ..objects.kinds import Kind
from ..objects.meta import PlainObject, StoredObject
from ..objects.propagation import BACKGROUND
from ..objects.record import Record
from ..rules.columns.column import CREATED_AT, Columns
from ..rules.validation.words.field_error import FieldError
from ..rules.validation.words.metadata import NameCheck
from ..rules.validation.words.names import check_subdomain
from .served import AS_MOST, Served

Json = Mapping[str, Any]
Gates = Mapping[str, bool]
Default = Callable[[Json, Gates], dict[str, Any]]
Check = Callable[[Json, Gates], list[FieldError]]
Change = Callable[[Json, Json, Gates], list[FieldError]]
Summarize = Callable[[Any], Mapping[str, Any]]
"""From the typed object: of node, state, phase, status, ready and restarts those that it has."""

TEMPLATE = ("spec", "template", "spec")
REPLICAS = ("spec", "replicas")
RESTART, PAUSE, RESUME, UNDO = "restart", "pause", "resume", "undo"


def of_any(check: Callable[[Json], list[FieldError]]) -> Check:
    """A check of the whole object, or of its spec, that no feature gate matters to."""
    return lambda json, gates: check(json)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindEntry:
    """One kind, in all that is its own. JSON is that of the API; no function changes what it is given."""

    kind: Kind
    is_passive: bool = False
    """Whether it is only stored and shown: nothing in the model acts on it."""
    unattended: str = ""
    """What is missing as long as its controller is: "" once there is one."""

    # --- in memory and in checkpoints ---------------------------------------------------------------------

    typed: type[StoredObject] = PlainObject
    records: tuple[type[Record], ...] = ()
    """Classes of what its typed objects are made of."""
    spec_class: type[Record] | None = None
    """The class of its spec, where that is kept as JSON and read again."""

    # --- what the API server does with a write ------------------------------------------------------------

    convert: Callable[[Json], dict[str, Any]] | None = None
    """Makes of an object of another version of the kind, which has other fields, one of this version."""

    default_spec: Default | None = None
    """Fills in the spec, where there is one."""
    default: Callable[[Json], dict[str, Any]] | None = None
    """Fills in the whole object, its spec being filled in."""
    identify: Callable[[Json, str], dict[str, Any]] | None = None
    """(a new object, its uid): the object with its uid and what is made of that, before it is checked."""
    carry_over: Callable[[Json, Json], Json] | None = None
    """(stored spec, new spec): the new spec with what stays although a writer leaves it out."""
    propagation: str = BACKGROUND
    """What a deletion that does not say so means for its dependents."""
    drops_status: bool = False
    """Whether a client's status is dropped at creation."""
    is_custom: bool = False
    """Whether it is somebody's own, and not one of Kubernetes'."""
    check_name: NameCheck = check_subdomain
    check_gated_name: Callable[[str, Gates], list[str]] | None = None
    """In its place, where gates say what a name may be."""
    is_host_name: str = ""
    """What its name is used in, if its pods' host names come from it: `Pod names and hostnames`."""
    metadata_looks: int = 1
    """How often its own rules look at the metadata of a changed one: 2 where it is looked at anew besides."""
    validate_new: Callable[[Json], list[FieldError]] | None = None
    """What is wrong with a new object in what stays for life, defaults applied."""
    validate_spec: Check | None = None
    """What is wrong with the spec, defaults applied."""
    validate: Check | None = None
    """What is wrong with the whole object, defaults applied."""
    validate_status: Change | None = None
    """What is wrong with an object sent to /status."""
    immutable: tuple[str, ...] = ()
    """Fields of the spec that stay for life."""
    validate_change: Callable[[Json, Json], list[FieldError]] | None = None
    """(stored spec, new spec): what else may not change so."""
    validate_fixed: Callable[[Json, Json], list[FieldError]] | None = None
    """(new object, stored object): what of the whole object may not change so."""
    counts_annotations: bool = False
    """Whether its generation counts changes of its annotations too, and not of its spec alone."""
    validate_update: Change | None = None
    """Of a kind whose updates are held to rules of their own: in the place of all checks of the spec."""
    warn: Callable[[Json], list[str]] = lambda data: []
    """What is accepted of the object, but warned of."""
    subresources: Mapping[str, Change] = field(default_factory=dict)
    """What is wrong with a change sent to one of these."""

    warning: str = ""
    """What the API server warns of at each write of one."""
    served: Served | None = AS_MOST
    """How clients of the API server meet it; None where it is no object of the API."""
    first_minor: int = 0
    """The minor release that serves it first."""

    # --- what people see ----------------------------------------------------------------------------------

    list_rows: Callable[[Json], Mapping[str, Any]] = lambda spec: {}
    """Fields of the spec whose changes are transitions. Of the status all integers and conditions are."""
    status_rows: tuple[str, ...] = ()
    """Texts of the status whose changes are transitions."""
    columns: Columns = (CREATED_AT,)
    """What kubectl and the pages print of it, in their order; the name first, where none of them is it."""
    former_columns: Mapping[int, Columns] = field(default_factory=dict)
    """What was printed up to a minor release instead."""
    later_columns: Mapping[int, Columns] = field(default_factory=dict)
    """What is printed from a minor release on instead."""
    summarize: Summarize = lambda obj: {}
    """What lists show."""
    describe: Callable[[Json], str] = lambda data: ""
    """Where it is, in a line."""

    # --- what clients and owners do with it ---------------------------------------------------------------

    pod_spec_path: tuple[str, ...] = ()
    """Where its containers are written: in it, or in its template."""
    replicas_path: tuple[str, ...] = ()
    """Where its size is written, if it can be scaled."""
    rollout: tuple[str, ...] = ()
    """What `kubectl rollout` can do with it."""
    is_workload: bool = False
    """Whether it is there for the pods it makes, itself or through what it makes."""
    stands_between: bool = False
    """Whether its pods may be those of a workload that owns it: `Deployment > ReplicaSet > Pod`."""

    def find_columns(self, minor: int) -> Columns:
        """What a minor release prints of it."""
        until = [last for last in self.former_columns if minor <= last]
        since = [first for first in self.later_columns if first <= minor]
        if until:
            return self.former_columns[min(until)]
        return self.later_columns[max(since)] if since else self.columns
