"""What kinds are called. All else that is particular to a kind stands in `engine/kinds`, which registers it.

Two groups may have kinds of one name: a kind is known by group and name. Its `id` says both in one word: the
bare name for registered kinds (`Deployment`), name and group for all others (`Service.serving.knative.dev`).
"""

from __future__ import annotations

from functools import lru_cache

from .record import Record


class Kind(Record):
    """One kind: `api_version` such as `apps/v1`, its name, plural and short names, and its scope."""

    __slots__ = ("api_version", "group", "id", "name", "namespaced", "plural", "short_names")

    def __init__(
        self, api_version: str, name: str, plural: str, namespaced: bool = True, short_names: str = ""
    ) -> None:
        self.api_version = api_version
        # The API group, "" for the core group.
        self.group = group_of(api_version)
        self.id = name
        self.name = name
        self.plural = plural
        self.namespaced = namespaced
        self.short_names = tuple(short_names.split())

    @property
    def resource(self) -> str:
        """Plural and group, as messages name it: `pods`, `deployments.apps`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def words(self) -> tuple[str, ...]:
        """What people may call it: name, plural, short names, in lower case."""
        return (self.name.lower(), self.plural, *self.short_names)


_registered: dict[str, Kind] = {}


def register_kind(kind: Kind) -> None:
    """Make a kind known by its bare name. Two registered kinds never share one."""
    known = _registered.setdefault(kind.id, kind)
    id_for.cache_clear()
    assert known.group == kind.group, f"{kind.id} is registered already, in the group {known.group!r}"


def group_of(api_version: str) -> str:
    """`apps` of `apps/v1`, "" of `v1`."""
    return api_version.rpartition("/")[0]


def kind_id(group: str, name: str) -> str:
    """The id of the kind of that name in an API group."""
    known = _registered.get(name)
    if known is None:
        return f"{name}.{group}" if group else name
    return name if known.group == group else f"{name}.{group}"


def kind_for(api_version: str, name: str) -> Kind:
    """The kind of that name; one that is not registered is namespaced. Without `api_version`: the registered.

    An older or newer version of a registered group is read with the same rules.
    """
    known = _registered.get(name)
    if known is not None:
        if not api_version or known.api_version == api_version:
            return known
        if known.group == group_of(api_version):
            return known.replace(api_version=api_version)
    foreign = Kind(api_version or "v1", name, name.lower() + "s")
    foreign.id = kind_id(foreign.group, name)
    return foreign


@lru_cache(maxsize=1024)
def id_for(api_version: str, name: str) -> str:
    """The id of the kind of that name, as `kind_for` finds it."""
    return kind_for(api_version, name).id


def kind_of_id(id_: str) -> Kind:
    """The kind that an id names."""
    known = _registered.get(id_)
    name, dot, group = id_.partition(".")
    return known if known is not None else kind_for(f"{group}/v1" if group else "v1" if dot else "", name)
