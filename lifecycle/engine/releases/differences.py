"""Tables of a release written as what differs from another one's: most of what two of them have is equal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from lifecycle.lean_dataclasses import dataclass, replace

from .release import FieldTable, Tables

Rows = Mapping[str, str | None]
"""By name what it says now; None: it is gone."""
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """What differs, part by part as `Tables` has them. None stands for what the release does not have."""

    kinds: Mapping[str, tuple[str, ...] | None]
    """By apiVersion all its kinds, where they are not the same ones."""
    types: Mapping[str, Rows | None]
    """By type the fields that are new, other, or gone."""
    named_texts: Mapping[str, Rows | None]
    structs: Rows
    protobuf: Rows


def apply_differences(base: Tables, differences: Differences) -> Tables:
    """The tables of the release that differs so from the base's."""
    kinds = {version: names for one in base.fields for version, names in one.kinds.items()}
    types = {name: fields for one in base.fields for name, fields in one.types.items()}
    rows = dict(row.split(" = ") for row in base.structs.strip().replace("\n    ", " ").splitlines())
    return replace(
        base,
        fields=(FieldTable(merge_rows(kinds, differences.kinds), _merge_all(types, differences.types)),),
        named_texts=_merge_all(base.named_texts, differences.named_texts),
        structs="\n".join(
            f"{name} = {fields}" for name, fields in merge_rows(rows, differences.structs).items()
        ),
        protobuf_changes={**base.protobuf_changes, **differences.protobuf},
    )


def merge_rows(old: Mapping[str, _Row], changed: Mapping[str, _Row | None]) -> dict[str, _Row]:
    """What there is now: new and other rows in place of the old ones, without those that are gone."""
    return {name: row for name, row in {**old, **changed}.items() if row is not None}


def _merge_all(
    old: Mapping[str, Mapping[str, str]], changed: Mapping[str, Rows | None]
) -> dict[str, Mapping[str, str]]:
    """The same one level down."""
    merged = {
        name: None if rows is None else merge_rows(old.get(name, {}), rows) for name, rows in changed.items()
    }
    return merge_rows(old, merged)
