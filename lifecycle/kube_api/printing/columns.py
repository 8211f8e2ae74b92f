"""Which columns `kubectl get` prints: a release says so, the engine (rules/…_columns) fills them."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.engine.releases.release import Release
from lifecycle.kube_api.describing.resource import Resource

Json = dict[str, Any]
CREATED_AT = "Created At:date"


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `path`: of a custom resource, where its value is found."""

    name: str
    type: str = "string"
    format: str = ""
    priority: int = 0
    path: str = ""
    description: str = ""

    def to_json(self) -> Json:
        """As a table defines it."""
        return {
            "name": self.name,
            "type": self.type,
            "format": self.format,
            "description": self.description,
            "priority": self.priority,
        }


NAME = Column("Name", format="name")


def columns_of(resource: Resource, release: Release = DEFAULT_RELEASE) -> list[Column]:
    """The columns of a resource as a release prints them, the name first in most."""
    if resource.custom:
        return [NAME, *(_custom(one) for one in resource.columns or ({"name": "Age", "type": "date"},))]
    return _built_in(resource.group, resource.name, release)


@cache
def _built_in(group: str, name: str, release: Release) -> list[Column]:
    columns = [_read(text) for text in release.tables.columns.get((group, name), CREATED_AT).split("; ")]
    # Events have their name elsewhere.
    has_name = any(column.name == NAME.name for column in columns)
    return columns if has_name else [NAME, *columns]


def _read(text: str) -> Column:
    is_wide = text.startswith("wide ")
    name, _, kind = text.removeprefix("wide ").partition(":")
    type_name, _, form = kind.partition(":")
    return Column(name, type_name or "string", form, int(is_wide))


def _custom(given: Any) -> Column:
    return Column(
        given.get("name", ""),
        given.get("type", "string"),
        given.get("format", ""),
        given.get("priority") or 0,
        given.get("jsonPath", ".metadata.creationTimestamp"),
        given.get("description", ""),
    )
