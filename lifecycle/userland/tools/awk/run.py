"""What an awk program knows between two records: fields, variables, arrays; all of it can be saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .texts import check_length, split_fields
from .values import UNSET, Array, AwkProblem, InputText, Value, load_value, save_value, to_number, to_text

_MOST_STEPS = 1_000_000
_SIGNS_OF_A_STEP = 64
_MOST_FIELDS, _MOST_ELEMENTS, _LONGEST_ELEMENT = 10_000, 10_000, 1 << 12


def _defaults() -> dict[str, Value]:
    return {"FS": " ", "OFS": " ", "ORS": "\n", "NR": 0.0, "FNR": 0.0, "NF": 0.0, "FILENAME": ""}


@dataclass(slots=True)
class Run:
    """One program at work."""

    write: Callable[[str], object]
    variables: dict[str, Value] = field(default_factory=_defaults)
    arrays: dict[str, Array] = field(default_factory=dict)
    record: str = ""
    fields: list[Value] = field(default_factory=list)
    status: int | None = None
    """The exit status, once `exit` was called."""
    steps: int = 0

    def charge(self, signs: int = 0) -> None:
        """Count a step, more for a long text. Raises AwkProblem for a program that goes on and on."""
        self.steps += 1 + signs // _SIGNS_OF_A_STEP
        if self.steps > _MOST_STEPS:
            raise AwkProblem(f"a program that takes more than {_MOST_STEPS} steps")

    def text(self, name: str) -> str:
        """A variable as a string."""
        return to_text(self.variables.get(name, UNSET))

    def next_record(self, record: str) -> None:
        """Count a record and split it."""
        for name in ("NR", "FNR"):
            self.variables[name] = to_number(self.variables[name]) + 1
        self.set_record(record)

    def set_record(self, record: str) -> None:
        """Make a text the record, split into fields."""
        self.record = record
        self.fields = [InputText(piece) for piece in split_fields(record, self.text("FS"))]
        self.variables["NF"] = float(len(self.fields))

    def array(self, name: str) -> Array:
        """The array of a name. Raises AwkProblem where that is a variable."""
        if name in self.variables:
            raise AwkProblem(f"the variable {name} used as an array")
        return self.arrays.setdefault(name, {})

    def set_element(self, name: str, index: str, value: Value) -> None:
        """Set an element. Raises AwkProblem where the array would hold too much."""
        array = self.array(name)
        array[index] = value
        if len(array) > _MOST_ELEMENTS or len(to_text(value)) > _LONGEST_ELEMENT:
            raise AwkProblem(f"more than {_MOST_ELEMENTS} elements, or one so long, in {name}")

    def get_field(self, place: int) -> Value:
        """A field, 0 for the record. Raises AwkProblem for a place below 0."""
        if place == 0:
            return InputText(self.record)
        if place < 0:
            raise AwkProblem(f"the field ${place}")
        return self.fields[place - 1] if place <= len(self.fields) else UNSET

    def set_field(self, place: int, value: Value) -> None:
        """Change a field; the record is put together anew. Raises AwkProblem for one too far away."""
        self.charge(len(self.record))
        if place == 0:
            self.set_record(to_text(value))
            return
        self._resize(max(place, len(self.fields)) if place > 0 else place)
        self.fields[place - 1] = value
        self._join()

    def set_variable(self, name: str, value: Value) -> None:
        """Set a variable; NF changes the record. Raises AwkProblem for an array's name."""
        if name in self.arrays:
            raise AwkProblem(f"the array {name} used as a variable")
        self.variables[name] = value
        if name == "NF":
            self._resize(int(to_number(value)))
            self._join()

    def _resize(self, count: int) -> None:
        if not 0 <= count <= _MOST_FIELDS:
            raise AwkProblem(f"the field ${count}")
        self.fields = [*self.fields[:count], *([""] * (count - len(self.fields)))]
        self.variables["NF"] = float(count)

    def _join(self) -> None:
        self.record = check_length(self.text("OFS").join(map(to_text, self.fields)))

    def save(self) -> dict[str, Any]:
        """What is known as JSON-able data."""
        return {
            "variables": [[name, save_value(value)] for name, value in self.variables.items()],
            "arrays": [
                [name, [[index, save_value(value)] for index, value in array.items()]]
                for name, array in self.arrays.items()
            ],
            "record": self.record,
            "fields": [save_value(value) for value in self.fields],
            "status": self.status,
        }

    def load(self, data: dict[str, Any]) -> None:
        """Go on with what `save` described."""
        self.variables = {name: load_value(value) for name, value in data["variables"]}
        self.arrays = {name: {at: load_value(value) for at, value in array} for name, array in data["arrays"]}
        self.record = data["record"]
        self.fields = [load_value(value) for value in data["fields"]]
        self.status = data["status"]
