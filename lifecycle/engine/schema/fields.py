"""One field: what may stand in it, and how patches merge it.

Tables write a field as its type, then what else is to be known of it:

    list of Container; required; merge by name; map by name

Types: `any`; the scalars of `scalars.py`; the name of another type; `list of` or `map of` one of these.
required            must be given (who validates the kind says so; the check of structure does not)
one of A B          the texts it takes (likewise); "" is the empty one, and _ stands for a space
merge by K, merge   strategic merge patches merge its entries by key K, or as a set of plain values
replace             they replace the mapping whole
retainKeys          they say which keys of the mapping, or of an entry, stay
map by K L, set     server-side apply owns its entries by these keys, or one by one
atomic              server-side apply owns the mapping whole, as it does every other list
"""

from __future__ import annotations

from functools import cache

from lifecycle.lean_dataclasses import dataclass

LIST, MAP = "list", "map"
ANY_TYPE = "any"


@dataclass(frozen=True, slots=True)
class Field:
    """`shape`: LIST or MAP of `inner`, or "" for one value of the type `type_name`."""

    type_name: str
    shape: str = ""
    inner: Field | None = None
    is_required: bool = False
    choices: tuple[str, ...] = ()
    merge_key: str = ""
    strategies: tuple[str, ...] = ()
    owned_by: tuple[str, ...] = ()
    ownership: str = ""

    @property
    def is_merged(self) -> bool:
        """Whether a strategic merge patch merges this list instead of replacing it."""
        return "merge" in self.strategies


ANY = Field(ANY_TYPE)


@cache
def read_field(text: str) -> Field:
    """The field that a table writes so. Raises ValueError for a fact that nobody knows."""
    type_text, *facts = text.split("; ")
    shape, inner = "", None
    for word in (LIST, MAP):
        if type_text.startswith(f"{word} of "):
            shape, inner = word, read_field(type_text.removeprefix(f"{word} of "))
    known = Field(type_text, shape, inner)
    for fact in facts:
        known = _with_fact(known, fact)
    return known


def _with_fact(field: Field, fact: str) -> Field:
    word, *rest = fact.split()
    values = {name: getattr(field, name) for name in Field.__slots__}
    match word:
        case "required":
            values["is_required"] = True
        case "one":
            values["choices"] = tuple(
                "" if choice == '""' else choice.replace("_", " ") for choice in rest[1:]
            )
        case "merge" | "replace" | "retainKeys":
            values["strategies"] = (*field.strategies, word)
            values["merge_key"] = rest[1] if rest else field.merge_key
        case "map" | "set" | "atomic":
            values["ownership"], values["owned_by"] = word, tuple(rest[1:])
        case _:
            raise ValueError(f"a field cannot be {fact!r}")
    return Field(**values)
