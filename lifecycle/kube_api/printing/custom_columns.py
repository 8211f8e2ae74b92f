"""The columns that a CustomResourceDefinition asks for: each finds its value by a path."""

from collections.abc import Iterable, Mapping
from typing import Any

from lifecycle.engine.rules.columns.ages import Ages
from lifecycle.engine.rules.columns.column import NAME, Column, Columns, Row
from lifecycle.kube_api.printing.json_paths import find_value

_DEFAULT = ({"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},)


def read_columns(given: Iterable[Mapping[str, Any]] | None) -> Columns:
    """The columns of `additionalPrinterColumns`, behind the name; the age where it has none."""
    return (NAME, *(_read_column(one) for one in given or _DEFAULT))


def _read_column(given: Mapping[str, Any]) -> Column:
    path, type = given.get("jsonPath", _DEFAULT[0]["jsonPath"]), given.get("type", "string")

    def fill(row: Row) -> Any:
        found = find_value(row.data, path)
        return None if found is None else _make_cell(found, type, row.ages)

    return Column(
        given.get("name", ""),
        fill,
        type,
        given.get("format", ""),
        given.get("priority") or 0,
        given.get("description", ""),
    )


def _make_cell(found: Any, type: str, ages: Ages) -> Any:
    """What was found, as a column of the type shows it; None where it is of another."""
    match type:
        case "date":
            return ages.age_of(found) if isinstance(found, str) else "<invalid>"
        case "integer" if isinstance(found, int | float) and not isinstance(found, bool):
            return int(found)
        case "number" if isinstance(found, int | float) and not isinstance(found, bool):
            return found
        case "boolean" if isinstance(found, bool):
            return found
        case "string":
            return found if isinstance(found, str) else _as_text(found)
    return None


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + " ".join(_as_text(one) for one in value) + "]"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{name}:{_as_text(one)}" for name, one in sorted(value.items())) + "]"
    return "<nil>" if value is None else str(value)
