"""What an awk program at work knows: its variables and the record. It can be saved between two records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from .texts import compile_pattern, format_values, split_fields
from .values import (
    UNSET,
    AwkProblem,
    InputText,
    Value,
    check_length,
    load_values,
    save_values,
    to_number,
    to_text,
)

_MOST_STEPS = 500_000
_SIGNS_MOVED_IN_A_STEP, _SIGNS_MATCHED_IN_A_STEP = 1024, 64
_MOST_FIELDS = 10_000


class Left(Exception):
    """`next` or `exit` on its way out."""


def _defaults() -> dict[str, Value]:
    return {"FS": " ", "OFS": " ", "ORS": "\n", "NR": 0.0, "FNR": 0.0, "NF": 0.0, "FILENAME": ""}


@dataclass(slots=True)
class Run:
    """One program at work."""

    write: Callable[[str], object]
    variables: dict[str, Value] = field(default_factory=_defaults)
    record: str = ""
    fields: list[Value] = field(default_factory=list)
    status: int | None = None
    """The exit status, once `exit` was called."""
    steps: int = 0

    def print_out(self, values: list[Value], has_format: bool) -> None:
        """`print` and `printf`."""
        if has_format:
            text = format_values(to_text(values[0]), values[1:])
        else:
            text = self._join(values) if values else self.record
            text += self.text("ORS")
        self.charged(text)
        self.write(text)

    def charged(self, value: Value) -> Value:
        """The value. Raises AwkProblem for a program that goes on and on, or too long a text."""
        signs = len(value) if isinstance(value, str) else 0
        check_length(signs)
        self.steps += 1 + signs // _SIGNS_MOVED_IN_A_STEP
        if self.steps > _MOST_STEPS:
            raise AwkProblem(f"a program that takes more than {_MOST_STEPS} steps")
        return value

    def matches(self, pattern: str, text: str) -> float:
        """1 where a pattern is in a text, else 0."""
        compiled = compile_pattern(pattern)
        self.steps += compiled.cost(text) // _SIGNS_MATCHED_IN_A_STEP
        return float(compiled.is_in(text))

    def text(self, name: str) -> str:
        """A variable as a string."""
        return to_text(self.get_variable(name))

    def get_variable(self, name: str) -> Value:
        """A variable's value."""
        return self.variables.get(name, UNSET)

    def set_variable(self, name: str, value: Value) -> None:
        """Set a variable; NF puts the record together anew."""
        self.variables[name] = value
        if name == "NF":
            count = self._place(value)
            self.fields = [*self.fields[:count], *([""] * (count - len(self.fields)))]
            self.record = self._join(self.fields)
            self.charged(self.record)

    def _join(self, values: list[Value]) -> str:
        separator, texts = self.text("OFS"), [to_text(value) for value in values]
        check_length(len(separator) * len(texts) + sum(map(len, texts)))
        return separator.join(texts)

    def _place(self, index: Value) -> int:
        """The number of a field. Raises AwkProblem for one too far away."""
        number = to_number(index)
        if not 0 <= number <= _MOST_FIELDS:
            raise AwkProblem(f"the field ${to_text(number)}")
        return int(number)

    def get_field(self, index: Value) -> Value:
        """A field's value, the record's for 0."""
        place = self._place(index)
        if place == 0:
            return InputText(self.record)
        return self.fields[place - 1] if place <= len(self.fields) else UNSET

    def set_field(self, index: Value, value: Value) -> None:
        """Change a field; the record is put together anew."""
        place = self._place(index)
        if place == 0:
            self._set_record(to_text(value))
            return
        self.fields += [""] * (place - len(self.fields))
        self.fields[place - 1] = value
        self.set_variable("NF", float(len(self.fields)))

    def _set_record(self, record: str) -> None:
        self.record = record
        self.fields = [InputText(piece) for piece in split_fields(record, self.text("FS"))]
        self.variables["NF"] = float(len(self.fields))

    def next_record(self, record: str) -> None:
        """Count a record and split it."""
        for name in ("NR", "FNR"):
            self.variables[name] = to_number(self.variables[name]) + 1
        self._set_record(record)

    def save(self) -> dict[str, Any]:
        """What is known as JSON-able data."""
        return {"variables": save_values(self.variables), "record": self.record}

    def load(self, data: dict[str, Any]) -> None:
        """Go on with what `save` described."""
        self.variables = load_values(data["variables"])
        self._set_record(data["record"])
