"""One resource of one group version: what its path, its discovery and its messages need to know."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lifecycle.engine.kinds.served import ALL_VERBS, AS_MOST, AS_STORED, Form, Served, Subresource
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.rules.columns.column import CREATED_AT, Columns


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of one group version. `name` is its plural; `kind_id` names its kind in the engine."""

    group: str
    version: str
    name: str
    kind: str
    namespaced: bool
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    parts: Mapping[str, Subresource] = field(default_factory=dict)
    singular: str = ""
    list_kind: str = ""
    custom: bool = False
    storage_version: str = ""
    """The apiVersion that is stored, where it is not this one."""
    columns: Columns = (CREATED_AT,)
    """What `kubectl get` prints of it."""
    schema: Any = None
    """Of a custom resource: its `openAPIV3Schema`."""
    warning: str = ""
    """What every answer about it warns of."""
    scale_paths: Mapping[str, str] | None = None
    """Of a custom resource: where its size is written."""
    served: Served = AS_MOST
    """What its kind says of how it is served."""
    form: Form = AS_STORED
    """What is particular to this version of its kind."""

    @property
    def api_version(self) -> str:
        """`apps/v1`, or `v1` of the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """As messages name it: `deployments.apps`, `pods`."""
        return f"{self.name}.{self.group}" if self.group else self.name

    @property
    def kind_id(self) -> str:
        """The id of its kind, as the engine and the tables name it."""
        return kind_id(self.stored_group, self.kind)

    @property
    def stored_group(self) -> str:
        """The group under which its objects are stored."""
        return self.stored_version.rpartition("/")[0]

    @property
    def stored_version(self) -> str:
        """The apiVersion under which its objects are stored."""
        return self.storage_version or self.api_version

    @property
    def is_converted(self) -> bool:
        """Whether its objects are stored in another version than this."""
        return not self.custom and self.storage_version not in ("", self.api_version)

    @property
    def kind_of_list(self) -> str:
        """The kind of a list of them."""
        return self.list_kind or f"{self.kind}List"
